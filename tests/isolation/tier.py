# SPDX-License-Identifier: GPL-2.0-only
"""The published isolation anomalies at each level, on ROCKSDB and InnoDB in one server.

For every scenario and level two things must hold: an anomaly that the level must prevent does not
happen; and the outcome, with who waits and who fails, is the one in tests/isolation/outcomes.md,
which has InnoDB's beside it. --rewrite writes that table anew.

Random schedules (tests/isolation/generator.py): what they do must be the same on both engines,
but for what tests/isolation/deliberate.py knows to be meant so. --filter schedules runs them
alone, --seed one of them, --long the anomalies and 20,000 schedules instead of 600.
"""

import shutil

from tests.isolation import campaign
from tests.isolation.scenarios import LEVELS, MYROCKS, RR, SCENARIOS, Scenario
from tests.isolation.sessions import ENGINES, LOCK_WAIT_SECONDS, Outcome, Stage
from tests.kit.tier_result import TierResult
from tools import paths
from tools.server import PrivateServer

FIRST_SEED = 1
SCHEDULES, LONG_SCHEDULES = 600, 20_000
SECONDS, LONG_SECONDS = 45, 3000
HELP = (
    "isolation anomalies (Hermitage, Adya) at each level, next to InnoDB, and"
    f" {SCHEDULES} random schedules (--filter schedules); --long: {LONG_SCHEDULES}"
)
RANDOM = "schedules"  # the word for --filter

TABLE = paths.ROOT / "tests" / "isolation" / "outcomes.md"
HEAD = """# Isolation anomalies: what happens at each level

Written by `./dev test isolation --rewrite`, compared by `./dev test isolation`. What is done in
each is in `tests/isolation/scenarios.py`. T1, T2, T3 are the transactions; "waits" means for a
lock, until another ends; numbers are the errors with which a transaction is given up.

| anomaly | level | ROCKSDB | InnoDB |
| --- | --- | --- | --- |
"""


def run(args) -> TierResult:
    result = TierResult("isolation", 0, 0, repeat_command="./dev test isolation")
    folder = paths.scratch() / "isolation"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if args.seed is None:
        anomalies(args, folder, result)
    alone = not args.filter or args.filter == RANDOM
    if args.seed is not None or (alone and not args.rewrite):
        schedules(args, folder, result)
    return result


def anomalies(args, folder, result: TierResult) -> None:
    expected = {} if args.rewrite else read_table()
    scenarios = [s for s in SCENARIOS if not args.filter or args.filter in s.name]
    if not scenarios:
        return
    options = ["--rocksdb-flush-log-at-trx-commit=0", "--innodb-flush-log-at-trx-commit=0"]
    rows = []
    with PrivateServer(folder / "data", "rocksdb", options) as server:
        for scenario in scenarios:
            for level in LEVELS:
                rows.append(check(server, scenario, level, expected, result, args.rewrite))
        look_at_log(server, result)
    if args.rewrite and not args.filter:
        TABLE.parent.mkdir(exist_ok=True)
        TABLE.write_text(HEAD + "".join(f"| {' | '.join(row)} |\n" for row in rows))
    show(rows)


def schedules(args, folder, result: TierResult) -> None:
    with PrivateServer(folder / "random", "rocksdb", campaign.OPTIONS) as server:
        if args.seed is not None:
            report = campaign.one(server, folder, args.seed)
        else:
            count = args.cases or (LONG_SCHEDULES if args.long else SCHEDULES)
            seconds = args.seconds or (LONG_SECONDS if args.long else SECONDS)
            report = campaign.run(server, folder, FIRST_SEED, count, seconds)
        look_at_log(server, result, SORT_ERRORS)
    campaign.show(report)
    result.passed += report.schedules - len(report.faults)
    result.failed += len(report.faults)
    result.failures += [f"random schedule: seed {seed}" for seed, _ in report.faults]
    if campaign.is_unsteady(report):
        fail(result, "random schedules: too many differ only once")
    if report.faults:
        result.repeat_command = f"./dev test isolation --seed {report.faults[0][0]}"


# the server logs each error that a sort meets
SORT_ERRORS = ("Lock wait timeout exceeded", "Deadlock found")


def look_at_log(server, result: TierResult, expected: tuple[str, ...] = ()) -> None:
    lines = server.log_tail(10000).splitlines()
    lines = [line for line in lines if not any(words in line for words in expected)]
    errors = [line for line in lines if "[ERROR]" in line]
    result.failures += errors
    result.failed += len(errors)


def show(rows: list[list[str]]) -> None:
    """What was tried, and at which levels each anomaly happens on ROCKSDB."""
    forbidden = 0
    for scenario in SCENARIOS:
        levels = {row[1]: row[2] for row in rows if row[0] == scenario.name}
        if not levels:
            continue
        at = [level for level, outcome in levels.items() if outcome.startswith("happens")]
        print(f"   {scenario.name}: {len(levels)} levels, happens at {', '.join(at) or 'none'}")
        forbidden += sum(level in scenario.prevented_at for level in at)
    happened = sum(row[2].startswith("happens") for row in rows)
    allowed = happened - forbidden
    print(f"   {len(rows)} cases: {allowed} anomalies happen, where their level allows them")
    print(f"   where their level forbids them, lost: {forbidden}")


def read_table() -> dict[tuple[str, str], tuple[str, str]]:
    table = {}
    for line in TABLE.read_text().splitlines()[HEAD.count("\n") :]:
        name, level, ours, theirs = (c.strip() for c in line.strip("| ").split(" | "))
        table[name, level] = ours, theirs
    return table


def check(server, scenario: Scenario, level: str, expected, result: TierResult, rewrite: bool):
    """Runs one scenario at one level on both engines; returns its row of the table."""
    row = [scenario.name, level]
    for engine in ENGINES:
        if engine == "innodb" and level == MYROCKS:
            row.append("-")
            continue
        happened, outcome = play(server, engine, scenario, level)
        row.append(outcome)
        must_not = level in scenario.prevented_at
        if engine == "innodb" and level in scenario.innodb_fails_at:
            must_not = False
        if happened and must_not:
            fail(result, f"{scenario.name} at {level} on {engine}: {outcome}")
        elif not rewrite and outcome != expected.get((row[0], level), ("", ""))[len(row) - 3]:
            fail(result, f"{scenario.name} at {level} on {engine}: now {outcome}")
        else:
            result.passed += 1
    return row


def fail(result: TierResult, what: str) -> None:
    result.failed += 1
    result.failures.append(what)
    print(f"   {what}")


def play(server, engine: str, scenario: Scenario, level: str) -> tuple[bool, str]:
    """Whether it happened, and in words what did."""
    database = f"isolation_{engine}"
    server.sql(
        f"DROP DATABASE IF EXISTS {database}; CREATE DATABASE {database}; USE {database};"
        f"CREATE TABLE test (id INT PRIMARY KEY, value INT{scenario.key}) ENGINE={ENGINES[engine]};"
        "INSERT INTO test VALUES (1, 10), (2, 20);"
    )
    stage = Stage(server, engine, database, settings(engine, level))
    try:
        steps, outcomes = [], {}
        for client, sql, *label in scenario.steps:
            outcome = stage.step(client, sql)
            steps.append((client, outcome))
            if label:
                outcomes[label[0]] = outcome
        stage.settle()
    finally:
        stage.close()
    with server.connect(database) as link, link.cursor() as cursor:
        cursor.execute("SELECT * FROM test ORDER BY id")
        outcomes["end"] = Outcome("", rows=list(cursor.fetchall()))
    happened = scenario.happened(outcomes)
    return happened, ("happens" if happened else "prevented") + how(steps)


def settings(engine: str, level: str) -> list[str]:
    isolation = RR if level == MYROCKS else level
    chosen = [f"SET SESSION TRANSACTION ISOLATION LEVEL {isolation}"]
    if level == MYROCKS:
        chosen.append("SET SESSION rocksdb_locking_style = MYROCKS")
    chosen.append(f"SET SESSION {engine}_lock_wait_timeout = {LOCK_WAIT_SECONDS}")
    return chosen


def how(steps) -> str:
    """Who waited and who failed, in the order in which it came to it."""
    words = []
    for client, outcome in steps:
        if outcome.waited:
            words.append(f"T{client} waits")
        if outcome.error:
            words.append(f"T{client} {outcome.error}")
    return ": " + ", ".join(dict.fromkeys(words)) if words else ""
