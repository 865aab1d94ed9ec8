# SPDX-License-Identifier: GPL-2.0-only
"""SPATIAL indexes find what a scan finds, and what InnoDB finds; see README.md. --filter takes the
name of a part."""

import shutil
import threading
import time
from random import Random, SystemRandom

import pymysql

from tests.kit.seeded_parts import MOST_FAULTS, search_until, settle, table_problems
from tests.kit.side_by_side.server_options import ENGINE_OPTIONS, OPTIONS
from tests.kit.tier_result import TierResult
from tests.spatial import geometries
from tests.spatial.histories import History
from tests.spatial.many_windows import ManyWindows
from tests.spatial.searches import Searches
from tools import paths
from tools.server import PrivateServer

HELP = "SPATIAL indexes against scans and InnoDB, and built under writers"
DATABASE = "test"
# for all families together
SECONDS, LONG_SECONDS = 15, 1200
# likewise
WINDOWS, LONG_WINDOWS = 6_000, 1_000_000
WRITERS = 4
BUILDS, LONG_BUILDS = 4, 60


def run(args) -> TierResult:
    result = TierResult("spatial", 0, 0)
    seed = args.seed if args.seed is not None else SystemRandom().randrange(10**6)
    folder = paths.scratch() / "spatial"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    options = [*OPTIONS, *ENGINE_OPTIONS["rocksdb"]]
    with PrivateServer(folder / "data", "rocksdb", options) as server:
        server.sql(f"CREATE DATABASE IF NOT EXISTS {DATABASE}")
        for family in geometries.FAMILIES:
            for part in (run_searches, run_many_windows, run_history):
                name = f"{part.__name__[4:].replace('_', ' ')}, {family}"
                if not args.filter or args.filter in name:
                    part(server, name, family, seed, args, result)
        if not args.filter or args.filter in "builds":
            run_builds(server, seed, args, result)
    return result


def seconds_of(args) -> float:
    return (args.seconds or (LONG_SECONDS if args.long else SECONDS)) / len(geometries.FAMILIES) / 2


def run_searches(server, name, family, seed, args, result) -> None:
    with server.connect(DATABASE) as link:
        searches = Searches(link, family, Random(f"{seed} {name}"))
        searches.create()
        search_until(searches, seconds_of(args))
    settle(name, searches.problems, seed, result)
    print(f"   {name}: {searches.done} searches, {searches.found} rows")


def run_many_windows(server, name, family, seed, args, result) -> None:
    wanted = (LONG_WINDOWS if args.long else WINDOWS) / len(geometries.FAMILIES)
    with server.connect(DATABASE) as link:
        searches = Searches(link, family, Random(f"{seed} {name}"))
        searches.create()
        many = ManyWindows(searches)
        many.create()
        while many.done < wanted and len(many.problems) < MOST_FAULTS:
            many.search()
    settle(name, many.problems, seed, result)
    print(f"   {name}: {many.done} windows, {many.found} rows")


def run_history(server, name, family, seed, args, result) -> None:
    with server.connect(DATABASE) as link:
        history = History(link, family, Random(f"{seed} {name}"))
        history.create()
        deadline = time.monotonic() + seconds_of(args)
        turn = 0
        while time.monotonic() < deadline and not history.problems:
            history.transaction()
            turn += 1
            if turn % 20 == 0:
                history.alter()
                history.check_tables()
        history.check_tables()
    settle(name, history.problems, seed, result)
    print(f"   {name}: {history.statements} statements beside InnoDB")


class Writer:
    """Puts geometries in and takes them out, until it is told to stop."""

    def __init__(self, server, number: int, seed: int):
        self.link = server.connect(DATABASE, read_timeout=60)
        self.rng = Random(f"{seed} writer {number}")
        self.stop = False
        self.changes = 0
        self.problem = ""
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self) -> None:
        while not self.stop:
            wkb = geometries.sql(
                geometries.geometry(self.rng, self.rng.choice(geometries.FAMILIES))
            )
            number = self.rng.randrange(2000)
            statement = self.rng.choice(
                (
                    f"REPLACE INTO t VALUES ({number}, {wkb})",
                    f"UPDATE t SET g = {wkb} WHERE id = {number}",
                    f"DELETE FROM t WHERE id = {number}",
                    f"DELETE FROM t WHERE MBREqual(g, {wkb})",
                )
            )
            try:
                self.link.query(statement)
                self.changes += 1
            except pymysql.OperationalError as error:
                if error.args[0] not in (1205, 1213, 1412):
                    self.problem = f"{statement[:80]}: {error}"
                    return


def run_builds(server, seed, args, result) -> None:
    """Builds under writers; the index fits the rows each time."""
    rng = Random(f"{seed} builds")
    server.sql(
        "DROP TABLE IF EXISTS t; CREATE TABLE t (id INT PRIMARY KEY, g GEOMETRY NOT NULL)", DATABASE
    )
    problems: list[str] = []
    writers = [Writer(server, n, rng.randrange(10**9)) for n in range(WRITERS)]
    for _ in range(LONG_BUILDS if args.long else BUILDS):
        time.sleep(rng.random())
        server.sql("ALTER TABLE t ADD SPATIAL INDEX g (g), ALGORITHM=NOCOPY, LOCK=NONE", DATABASE)
        problems += table_problems(server, DATABASE)
        time.sleep(rng.random() / 4)
        server.sql("ALTER TABLE t DROP INDEX g", DATABASE)
    for writer in writers:
        writer.stop = True
        writer.thread.join()
        problems += [writer.problem] if writer.problem else []
    settle("builds", problems, seed, result)
    print(f"   builds: {sum(writer.changes for writer in writers)} changes beside them")
