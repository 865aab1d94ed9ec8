# SPDX-License-Identifier: GPL-2.0-only
"""ADD INDEX of one of sysbench's tables: alone, beside oltp_write_only, and ended by KILL.

Beside the writers one client more updates single rows of the same table: its latencies are those
of a statement, where sysbench knows whole transactions only. The rate is the server's own count of
COMMITs, from the first moment of the ALTER to its last. An engine that refuses LOCK=NONE lets its
writers wait for all of the ALTER, and is not measured beside them.
"""

import time
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field

from bench import bars, clients
from bench.clients import Client
from bench.plot import Plot
from bench.report import Report
from bench.sysbench_tool import DATABASE, Endless, Interval, Load

TABLE = "sbtest1"
ONE = "ADD INDEX added (k, pad)"
TWO = f"{ONE}, ADD INDEX also (c)"
DROP = f"ALTER TABLE {TABLE} DROP INDEX IF EXISTS added, DROP INDEX IF EXISTS also"
WRITERS = "oltp_write_only"
# 1412: a snapshot from before the ALTER, which a client takes anew as it does after a deadlock
IGNORED = (1205, 1213, 1412)
IGNORE = f"--mysql-ignore-errors={','.join(str(number) for number in (1020, *IGNORED))}"
REFUSED = (1845, 1846)  # ALGORITHM= or LOCK= that the engine does not offer
WARM_UP = 2.0  # seconds of the writers before anything is counted
SHARE_BEFORE_KILL = 0.5  # of the time that the statement takes


@dataclass
class Window:
    """What the writers have done in some seconds."""

    started: float
    ended: float
    commits: int

    @property
    def seconds(self) -> float:
        return self.ended - self.started

    @property
    def rate(self) -> float:
        return self.commits / self.seconds


@dataclass
class Beside:
    """An ALTER beside writers. `seen`: what sysbench has said of each second; `latencies` of single
    statements are (time.monotonic() at the end, milliseconds). `killed`: see killed()."""

    before: Window
    meanwhile: Window
    seen: list[tuple[float, Interval]]
    latencies: list[tuple[float, float]]
    killed: float | None

    def statement(self, window: Window, percent: float) -> float | None:
        """Milliseconds; 100 per cent is the longest."""
        inside = clients.between(self.latencies, window.started, window.ended)
        return clients.percentile(inside, percent)

    def rates(self) -> list[tuple[float, float]]:
        """(second since the beginning of the ALTER, transactions a second)."""
        began = self.meanwhile.started
        return [(at - began, one.events_per_second) for at, one in self.seen]

    def worst(self) -> list[tuple[float, float]]:
        """(second since the beginning of the ALTER, the longest statement that ended in it)."""
        began = self.meanwhile.started
        return clients.worst_by_second([(at - began, ms) for at, ms in self.latencies])


@dataclass
class Turn:
    """Seconds; `killed`: see killed(). `beside` is None when writers wait or, with an error, when
    it failed."""

    one: float
    two: float
    killed: float | None
    beside: Beside | None = None
    errors: list[str] = field(default_factory=list)


def measure(bench, report: Report) -> None:
    load = Load(1, bench.size["index_rows"], bench.size["writers"])
    prepared = bench.each(lambda c: c.prepare(load), f"{load.rows:,} rows of {TABLE}")
    turns = bench.rounds(bench.size["turns"], lambda c, n: turn(bench, c, load, n))
    add(report, turns)
    for engine, found in turns.items():
        report.failures += [f"{engine}: {text}" for one in found for text in one.errors]
    bytes_loaded = ", ".join(f"{e} {one['disk_bytes'] / 2**20:.0f}" for e, one in prepared.items())
    report.facts["MiB of the table that is indexed"] = bytes_loaded


def turn(bench, contender, load: Load, number: int) -> Turn:
    with contender.server.connect(DATABASE) as link, link.cursor() as cursor:
        waits = not accepts_writers(cursor)
        lock = "" if waits else ", LOCK=NONE"
        cursor.execute(DROP)
        contender.settle()
        found = Turn(
            one=alone(contender, cursor, ONE + lock),
            two=alone(contender, cursor, TWO + lock),
            killed=None,
        )
        bench.say(f"{contender.title}: one index {found.one:.2f} s, two {found.two:.2f} s")
        found.killed = killed(contender, ONE + lock, SHARE_BEFORE_KILL * found.one)
        contender.settle()
        if not waits:
            found.beside = tried(bench, contender, cursor, load, number, found.errors)
    contender.settle()
    return found


def tried(bench, contender, cursor, load: Load, number: int, errors: list[str]) -> Beside | None:
    """None when the ALTER failed: InnoDB's, for example, when its record of changes is full."""
    import pymysql

    try:
        return beside(bench, contender, cursor, load, number, errors)
    except pymysql.Error as error:
        errors.append(f"beside {WRITERS}: {error}")
        return None


def accepts_writers(cursor) -> bool:
    """Whether the engine builds an index while others write."""
    import pymysql

    try:
        # an empty table takes no time
        cursor.execute(f"CREATE OR REPLACE TABLE probe LIKE {TABLE}")
        cursor.execute(f"ALTER TABLE probe {ONE}, ALGORITHM=INPLACE, LOCK=NONE")
    except pymysql.Error as error:
        if error.args[0] not in REFUSED:
            raise
        return False
    finally:
        cursor.execute("DROP TABLE IF EXISTS probe")
    return True


def alone(contender, cursor, change: str) -> float:
    """Seconds without writers. The indexes are gone again afterwards."""
    seconds = clients.timed(cursor, f"ALTER TABLE {TABLE} {change}")
    cursor.execute(DROP)
    contender.settle()
    return seconds


def killed(contender, change: str, after: float) -> float | None:
    """Seconds from KILL QUERY to the end of an ALTER that has run for `after` seconds; None when it
    had ended before. Its indexes are gone afterwards."""
    with contender.server.connect(DATABASE) as link, ThreadPoolExecutor(1) as executor:
        alter = executor.submit(interrupted, link, f"ALTER TABLE {TABLE} {change}")
        wait([alter], after)
        began = time.monotonic()
        contender.server.query(f"KILL QUERY {link.thread_id()}")
        found = alter.result()
        ended = time.monotonic()
    contender.server.sql(DROP, DATABASE)
    return ended - began if found else None


def interrupted(link, statement: str) -> bool:
    """Runs it; False when no KILL has ended it."""
    import pymysql
    from pymysql.constants import ER

    try:
        with link.cursor() as cursor:
            cursor.execute(statement)
    except pymysql.Error as error:
        if error.args[0] != ER.QUERY_INTERRUPTED:
            raise
        return True
    return False


def beside(bench, contender, cursor, load: Load, number: int, errors: list[str]) -> Beside:
    """The ALTER beside the writers, and another one that is killed there."""
    rows = load.rows
    socket, engine = contender.server.socket, contender.storage_engine
    with Endless(WRITERS, socket, engine, load, number, IGNORE) as writers:
        with Client(contender, lambda c, r: update(c, r, rows), 0.002, seed=number) as client:
            time.sleep(WARM_UP)
            before = window(cursor, lambda: time.sleep(bench.size["calm"]))
            meanwhile = window(
                cursor, lambda: cursor.execute(f"ALTER TABLE {TABLE} {ONE}, LOCK=NONE")
            )
            time.sleep(WARM_UP)
            cursor.execute(DROP)
            seconds = killed(contender, f"{ONE}, LOCK=NONE", SHARE_BEFORE_KILL * meanwhile.seconds)
    bench.say(
        f"{contender.title}: beside writers {meanwhile.seconds:.2f} s, "
        f"{before.rate:,.0f} transactions/s before it, {meanwhile.rate:,.0f} meanwhile"
    )
    errors += client.errors
    latencies = [(client.since + at, ms) for at, ms in client.latencies]
    return Beside(before, meanwhile, writers.seen, latencies, seconds)


def update(cursor, random, rows: int) -> None:
    import pymysql

    try:
        cursor.execute(f"UPDATE {TABLE} SET k = k + 1 WHERE id = {random.randint(1, rows)}")
    except pymysql.Error as error:
        if error.args[0] not in IGNORED:
            raise


def window(cursor, action) -> Window:
    first, started = commits(cursor), time.monotonic()
    action()
    ended = time.monotonic()
    return Window(started, ended, commits(cursor) - first)


def commits(cursor) -> int:
    cursor.execute("SHOW GLOBAL STATUS LIKE 'Com_commit'")
    return int(cursor.fetchone()[1])


def add(report: Report, turns: dict[str, list[Turn]]) -> None:
    """The figures and plots of all turns."""
    part = "ADD INDEX"
    for name, value, bar in (
        ("one index, no writers", lambda t: t.one, bars.DDL_INDEX),
        ("two indexes at once, no writers", lambda t: t.two, bars.DDL_INDEX),
        ("KILL of one, to its end", lambda t: t.killed, bars.DDL_KILL),
    ):
        seconds = {e: [value(t) for t in found] for e, found in turns.items()}
        report.add_rounds(name, "s", seconds, False, bar, part)
    without = {e: found for e, found in turns.items() if any(t.beside is None for t in found)}
    words = {e: "failed" if any(t.errors for t in ts) else "waits" for e, ts in without.items()}
    add_beside(report, {e: [t.beside for t in found] for e, found in turns.items()}, words)


def add_beside(
    report: Report, turns: dict[str, list[Beside | None]], words: dict[str, str]
) -> None:
    """`words`: why an engine has none."""

    def figure(name: str, unit: str, value, more_is_better: bool, bar=None) -> None:
        rounds = {e: [value(b) if b else None for b in found] for e, found in turns.items()}
        part = f"ADD INDEX beside {WRITERS}"
        report.add_rounds(name, unit, rounds, more_is_better, bar, part, words)

    figure("one index", "s", lambda b: b.meanwhile.seconds, False, bars.DDL_INDEX_WRITERS)
    figure("transactions before", "1/s", lambda b: b.before.rate, True)
    figure("transactions meanwhile", "1/s", lambda b: b.meanwhile.rate, True, bars.DDL_WRITERS_RATE)
    figure("meanwhile : before", "", lambda b: b.meanwhile.rate / b.before.rate, True)
    add_pauses(figure)
    figure("KILL, to its end", "s", lambda b: b.killed, False, bars.DDL_KILL)
    shown = {e: found[0] for e, found in turns.items() if found[0] is not None}
    for title, unit, curve in (
        ("Transactions a second", "1/s", Beside.rates),
        ("Longest statement of a writer by second", "ms", Beside.worst),
    ):
        series = {e: curve(one) for e, one in shown.items()}
        title = f"{title}; ADD INDEX begins at 0, first turn"
        report.plots.append(Plot(title, "seconds", unit, series, log_y=unit == "ms"))


def add_pauses(figure) -> None:
    for percent, name in ((99, "99th percentile"), (100, "longest")):

        def before(b: Beside, p=percent) -> float | None:
            return b.statement(b.before, p)

        def meanwhile(b: Beside, p=percent) -> float | None:
            return b.statement(b.meanwhile, p)

        figure(f"a statement, {name}, before", "ms", before, False)
        bar = bars.DDL_PAUSE if percent == 99 else None
        figure(f"a statement, {name}, meanwhile", "ms", meanwhile, False, bar)
        if percent == 99:
            again = f"a statement, {name}, meanwhile, beside the peer's"
            figure(again, "ms", meanwhile, False, bars.DDL_PAUSE_RATIO)
