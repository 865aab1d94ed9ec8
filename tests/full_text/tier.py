# SPDX-License-Identifier: GPL-2.0-only
"""FULLTEXT indexes find what the texts of the rows say; see README.md. --filter takes the name of a
part."""

import shutil
import threading
import time
from random import Random, SystemRandom

import pymysql
from pymysql.constants import ER

from tests.full_text.histories import History
from tests.full_text.neighbour import Neighbour
from tests.full_text.searches import CREATE, Searches
from tests.full_text.texts import FAMILIES, Texts
from tests.kit.seeded_parts import search_until, settle, table_problems
from tests.kit.side_by_side.server_options import ENGINE_OPTIONS, OPTIONS
from tests.kit.tier_result import TierResult
from tools import paths
from tools.server import PrivateServer

HELP = "FULLTEXT indexes against the texts of rows and InnoDB, and built under writers"
DATABASE = "test"
# for all families and parts together
SECONDS, LONG_SECONDS = 20, 1200
ROWS = {"few words": 400, "many words": 1500}
WRITERS = 4
BUILDS, LONG_BUILDS = 4, 60
# writers meet each other, and the end of a build
MEANWHILE = (ER.DUP_ENTRY, ER.LOCK_WAIT_TIMEOUT, ER.LOCK_DEADLOCK, ER.TABLE_DEF_CHANGED)


def run(args) -> TierResult:
    result = TierResult("full-text", 0, 0)
    seed = args.seed if args.seed is not None else SystemRandom().randrange(10**6)
    folder = paths.scratch() / "full-text"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    options = [*OPTIONS, *ENGINE_OPTIONS["rocksdb"]]
    with PrivateServer(folder / "data", "rocksdb", options) as server:
        server.sql(f"CREATE DATABASE IF NOT EXISTS {DATABASE}")
        for family in FAMILIES:
            for part in (run_searches, run_history, run_neighbour):
                name = f"{part.__name__[4:]}, {family}"
                if not args.filter or args.filter in name:
                    rng = Random(f"{seed} {name}")
                    settle(name, part(server, name, family, rng, seconds_of(args)), seed, result)
        if not args.filter or args.filter in "builds":
            settle("builds", run_builds(server, seed, args), seed, result)
    return result


def seconds_of(args) -> float:
    return (args.seconds or (LONG_SECONDS if args.long else SECONDS)) / len(FAMILIES) / 3


def run_searches(server, name, family, rng, seconds) -> list[str]:
    with server.connect(DATABASE) as link:
        searches = Searches(link, family, rng)
        searches.create(ROWS[family])
        search_until(searches, seconds)
    print(f"   {name}: {searches.done} searches, {searches.found} rows")
    return searches.problems


def run_history(server, name, family, rng, seconds) -> list[str]:
    with server.connect(DATABASE) as link, server.connect(DATABASE) as other:
        history = History((link, other), family, rng)
        history.create()
        deadline = time.monotonic() + seconds
        turn = 0
        while time.monotonic() < deadline and not history.problems:
            history.transactions()
            turn += 1
            if turn % 20 == 0:
                history.alter()
    print(f"   {name}: {history.statements} changes, {history.searches} searches")
    return history.problems + table_problems(server, DATABASE)


def run_neighbour(server, name, family, rng, seconds) -> list[str]:
    with server.connect(DATABASE) as link:
        neighbour = Neighbour(link, family, rng)
        neighbour.create(ROWS[family])
        search_until(neighbour, seconds)
    print(f"   {name}: {neighbour.done} searches beside InnoDB")
    return neighbour.problems


class Writer:
    """Puts texts in and takes them out, until it is told to stop."""

    def __init__(self, server, rng: Random):
        self.link = server.connect(DATABASE, read_timeout=60)
        self.rng = rng
        self.texts = Texts("few words", rng)
        self.stop = False
        self.changes = 0
        self.problem = ""
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self) -> None:
        while not self.stop:
            number, title, body = self.texts.row(self.rng.randrange(2000))
            statement, values = self.rng.choice(
                (
                    ("REPLACE INTO t VALUES (%s, %s, %s)", (number, title, body)),
                    ("UPDATE t SET body = %s WHERE id = %s", (body, number)),
                    ("UPDATE t SET title = %s, id = id + 1 WHERE id = %s", (title, number)),
                    ("DELETE FROM t WHERE id = %s", (number,)),
                )
            )
            try:
                with self.link.cursor() as cursor:
                    cursor.execute(statement, values)
                self.changes += 1
            except pymysql.Error as error:
                if error.args[0] not in MEANWHILE:
                    self.problem = f"{statement}: {error}"
                    return


def run_builds(server, seed, args) -> list[str]:
    """Builds under writers; the index fits the rows each time."""
    rng = Random(f"{seed} builds")
    server.sql(f"DROP TABLE IF EXISTS t; {CREATE.format('t', 'ROCKSDB')}", DATABASE)
    server.sql("ALTER TABLE t DROP INDEX both_columns", DATABASE)
    problems: list[str] = []
    writers = [Writer(server, Random(f"{seed} writer {n}")) for n in range(WRITERS)]
    for _ in range(LONG_BUILDS if args.long else BUILDS):
        time.sleep(rng.random())
        added = rng.choice(("title", "body", "title, body"))
        more = rng.choice(("", "", ", ADD INDEX title (title)", ", ADD FULLTEXT INDEX two (body)"))
        change = f"ADD FULLTEXT INDEX f ({added}){more}, ALGORITHM=NOCOPY, LOCK=NONE"
        server.sql(f"ALTER TABLE t {change}", DATABASE)
        problems += table_problems(server, DATABASE)
        time.sleep(rng.random() / 4)
        dropped = "DROP INDEX IF EXISTS title, DROP INDEX IF EXISTS two"
        server.sql(f"ALTER TABLE t DROP INDEX f, {dropped}", DATABASE)
    for writer in writers:
        writer.stop = True
        writer.thread.join()
        problems += [writer.problem] if writer.problem else []
    print(f"   builds: {sum(writer.changes for writer in writers)} changes beside them")
    return problems
