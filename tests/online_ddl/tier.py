# SPDX-License-Identifier: GPL-2.0-only
"""Long statements while others work; see README.md. --filter takes the name of a part."""

import shutil
import threading
import time
from random import Random, SystemRandom

import pymysql

from tests.kit.printable import printable
from tests.kit.side_by_side.server_options import ENGINE_OPTIONS
from tests.kit.tier_result import TierResult
from tests.online_ddl import builds, references, writers
from tests.online_ddl.builds import Builder
from tests.online_ddl.killed import CONNECTION, CRASH, QUERY, Killed
from tests.online_ddl.writers import DATABASE, Pauses, Writers
from tools import paths
from tools.server import PrivateServer

HELP = "indexes built under writers; KILL and kill -9 of long statements"
SECONDS, LONG_SECONDS = 24, 3400  # for builds, over all shapes of the table
KILLS, LONG_KILLS = 4, 60
CRASHES, LONG_CRASHES = 2, 40
SLOW = "SHA2(REPEAT(id, 30000), 512)"  # makes a build last
SOME_CRASHES = 5
MOST_FAULTS = 5
REBUILDS = 0.4  # of the statements


def run(args) -> TierResult:
    result = TierResult("online-ddl", 0, 0)
    seed = args.seed if args.seed is not None else SystemRandom().randrange(10**6)
    folder = paths.scratch() / "online-ddl"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with PrivateServer(folder / "data", "rocksdb", ENGINE_OPTIONS["rocksdb"]) as server:
        for shape in writers.SHAPES:
            if chosen(f"builds, {shape}", args):
                run_builds(server, shape, seed, args, result)
        if chosen("references", args):
            run_references(server, seed, args, result)
        if chosen("kills", args):
            run_kills(server, seed, args, result)
        if chosen("crashes", args):
            run_crashes(server, seed, args, result)
        look_at_log(server, seed, result)
    if chosen("killed", args):
        with PrivateServer(folder / "killed", "rocksdb", ["--secure-file-priv="]) as server:
            run_killed(server, seed, args, result)
    return result


def chosen(name: str, args) -> bool:
    return not args.filter or args.filter in name


def run_builds(server, shape: str, seed: int, args, result: TierResult) -> None:
    seconds = (args.seconds or (LONG_SECONDS if args.long else SECONDS)) / len(writers.SHAPES)
    rng = Random(f"{seed} {shape}")
    name = f"builds, {shape}"
    writers.create(server, shape)
    builder = Builder(server)
    # Of a partitioned table the server looks for rows in the wrong partition, with locks that meet
    # those of the writers: there CHECK TABLE comes when they have ended.
    builder.check_beside_writers = not (partitioned := shape == "partitions")
    foreign = "FOREIGN KEY" in writers.SHAPES[shape]
    deadline = time.monotonic() + seconds
    pauses = Pauses()
    while time.monotonic() < deadline and not builder.problems:
        with Writers(server, rng.randrange(10**9), doubles=rng.random() < 0.5) as all_writers:
            for turn in range(4):
                if rng.random() < REBUILDS:
                    sql = builds.rebuild(rng, builder.indexes(), partitioned, foreign)
                else:
                    sql = builds.statement(rng, partitioned)
                builder.build(sql, drop=turn < 3)
        builder.check_table("without writers")
        builder.drop()
        pauses.add(all_writers.pauses)
        builder.problems += all_writers.problems
    settle(name, builder.problems, seed, result, max(builder.built, 1))
    print(
        f"   {name}: {builder.built} builds, {builder.refused} with duplicates, {builder.busy} gave"
        f" way to prepared transactions; {len(pauses.seconds)} statements beside them, 99 % of them"
        f" within {pauses.within(0.99):.0f} ms\n"
        f"      the longest that locks of other writers ended (their timeout is"
        f" {writers.LOCK_TIMEOUT} s): {pauses.locked}\n"
        f"      the longest of all others: {pauses.free}"
    )


def run_references(server, seed: int, args, result: TierResult) -> None:
    """Half of the time beside writers that are careful, half of it beside others."""
    seconds = (args.seconds or (LONG_SECONDS if args.long else SECONDS)) / 3
    rng = Random(f"{seed} references")
    for careless in (False, True):
        references.create(server)
        adder = references.Adder(server)
        with references.Couples(server, rng.randrange(10**9), careless) as couples:
            deadline = time.monotonic() + seconds / 2
            while time.monotonic() < deadline and not adder.problems:
                adder.add(rng, careless)
        problems = adder.problems + couples.problems
        # of a few tries beside careless writers all may end with an error, as they should
        if adder.added + careless * adder.refused == 0 and not problems:
            problems = [f"none was added; {adder.refused} refused, {adder.busy} gave way"]
        settle("references", problems, seed, result, max(adder.added, 1))
        print(
            f"   references, {'careless' if careless else 'careful'} writers: {adder.added} added,"
            f" {adder.refused} refused, {adder.busy} gave way; {couples.done['ok']} statements"
            " beside"
        )


def run_killed(server, seed: int, args, result: TierResult) -> None:
    """Of the crashes, each of which costs a start, the short run has some."""
    killed = Killed(server, result, args.long)
    every = killed.cases()
    killed.run(QUERY, every)
    killed.run(CONNECTION, every)
    killed.run(CRASH, every if args.long else Random(f"{seed} killed").sample(every, SOME_CRASHES))


class SlowBuild:
    """An ALTER under way in a connection of its own."""

    def __init__(self, server):
        self.link = server.connect(DATABASE, ssl_disabled=True, read_timeout=120)
        self.id = self.link.thread_id()
        self.error: Exception | None = None
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self) -> None:
        try:
            self.link.query(
                f"ALTER TABLE t ADD COLUMN slow CHAR(128) AS ({SLOW}) VIRTUAL,"
                " ADD INDEX slow (slow), ADD INDEX a (k, s), ADD UNIQUE INDEX u (u, id), LOCK=NONE"
            )
        except (pymysql.Error, OSError) as error:
            self.error = error


def run_kills(server, seed: int, args, result: TierResult) -> None:
    rng = Random(f"{seed} kills")
    writers.create(server, "plain")
    builder = Builder(server)
    slowest = 0.0
    kills = LONG_KILLS if args.long else KILLS
    with Writers(server, seed) as all_writers:
        for _ in range(kills):
            alter = SlowBuild(server)
            builder.wait_until_under_way(alter.id)
            time.sleep(rng.random() / 2)
            begun = time.monotonic()
            builder.execute(f"KILL QUERY {alter.id}")
            alter.thread.join()
            if alter.error is None:
                builder.execute(
                    "ALTER TABLE t DROP INDEX a, DROP INDEX u, DROP INDEX slow, DROP slow"
                )
            slowest = max(slowest, time.monotonic() - begun)
            alter.link.close()
            time.sleep(1.2)  # what writers have logged goes once a second
            builder.check_nothing_left("KILL")
    builder.check("after the KILLs")
    settle("kills", builder.problems + all_writers.problems, seed, result, kills)
    print(f"   kills: {kills}, the slowest statement ended after {slowest:.2f} s")


def run_crashes(server, seed: int, args, result: TierResult) -> None:
    rng = Random(f"{seed} crashes")
    writers.create(server, "plain")
    problems: list[str] = []
    crashes = LONG_CRASHES if args.long else CRASHES
    for _ in range(crashes):
        with Writers(server, rng.randrange(10**9)) as all_writers:
            alter = SlowBuild(server)
            Builder(server).wait_until_under_way(alter.id)
            time.sleep(rng.random())
            all_writers.server_dies = True
            server.kill()
            alter.thread.join()
        server.start()
        builder = Builder(server)
        for name in builder.execute("XA RECOVER"):
            builder.execute(f"XA {rng.choice(('COMMIT', 'ROLLBACK'))} {quoted(name[3])}")
        if "slow" in builder.indexes():
            builder.execute("ALTER TABLE t DROP INDEX a, DROP INDEX u, DROP INDEX slow, DROP slow")
        builder.check_nothing_left("a crash")
        builder.check("after a crash")
        problems += builder.problems + all_writers.problems
    settle("crashes", problems, seed, result, crashes)
    print(f"   crashes: {crashes} kills of the server in a build")


def quoted(shown: bytes | str) -> str:
    """As XA COMMIT wants it; the server shows some names in quotes."""
    name = shown.decode() if isinstance(shown, bytes) else shown
    return name if name.startswith("'") else f"'{name}'"


def settle(name: str, problems: list[str], seed: int, result: TierResult, passed: int) -> None:
    if not problems:
        result.passed += passed
        return
    result.failed += 1
    command = f"./dev test online-ddl --filter '{name}' --seed {seed}"
    result.failures.append(f"{name}: {printable(problems[0][:150])}")
    result.repeat_command = result.repeat_command or command
    for problem in problems[:MOST_FAULTS]:
        print(printable(f"   {name}: {problem}"))
    print(f"     repeat: {command}")


def look_at_log(server, seed: int, result: TierResult) -> None:
    errors = [line for line in server.log().splitlines() if "[ERROR]" in line]
    if errors:
        settle("the server's log", errors, seed, result, 0)
