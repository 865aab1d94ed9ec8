# SPDX-License-Identifier: GPL-2.0-only
"""Instructions of reads of tables that were changed by the dictionary only
(bench/instant_reads.py).

Times differ from round to round by more than such a change may cost; instructions do not
(bench/callgrind.py). A statement's count is of all that the thread does which serves the client.
"""

from dataclasses import replace

from bench import callgrind, clients, instant_reads
from bench.instant_reads import NEVER, SCAN
from bench.report import Report
from bench.sysbench_tool import DATABASE
from tools.setup import debian

ROWS = 50_000
POINTS = 500  # point reads that are counted
KINDS = ("point read", "full scan")


def prepare() -> None:
    """What must be there; DevError when it cannot be had."""
    debian.install([callgrind.PACKAGE], "to count instructions")


def measure(bench, report: Report) -> None:
    found = bench.each(lambda c: count(bench, c), "instructions of reads")
    for engine, (_, failures) in found.items():
        report.failures += [f"{engine}: {text}" for text in failures]
    add(report, {engine: counts for engine, (counts, _) in found.items()})


def count(bench, contender) -> tuple[dict[str, dict[str, float]], list[str]]:
    """Table -> kind of read -> instructions of one point read, or for one row of a scan; and what
    is wrong with the tables."""
    made, failures = instant_reads.create(contender, ROWS)
    dumps = bench.folder / f"callgrind.{contender.engine}"
    settings, server = contender.settings, contender.server
    wrapper, environment = server.wrapper, dict(server.environment)
    server.wrapper = callgrind.wrapper(dumps)
    server.environment |= callgrind.ENVIRONMENT
    options = callgrind.innodb_options(settings.memory_bytes)
    extra = tuple((contender.engine, option) for option in options)
    contender.settings = replace(settings, extra=settings.extra + extra)
    contender.restart(settings.memory_bytes)
    try:
        return {shape.name: count_table(contender, shape.name, dumps) for shape in made}, failures
    finally:
        contender.settings = settings
        server.wrapper, server.environment = wrapper, environment
        contender.restart(settings.memory_bytes)


def count_table(contender, table: str, dumps) -> dict[str, float]:
    pid = contender.server.pid
    with contender.server.connect(DATABASE) as link, link.cursor() as cursor:
        scan(cursor, table)
        points(cursor, table)
        callgrind.count(pid)
        points(cursor, table)
        callgrind.dump(pid, dumps)  # what the instrumentation itself has to do once
        points(cursor, table)
        by_point = callgrind.dump(pid, dumps).own.total() / POINTS
        scan(cursor, table)
        by_row = callgrind.dump(pid, dumps).own.total() / ROWS
        callgrind.rest(pid)
    return dict(zip(KINDS, (by_point, by_row), strict=True))


def scan(cursor, table: str) -> None:
    clients.timed(cursor, SCAN.format(table))


def points(cursor, table: str) -> None:
    for number in range(POINTS):
        row = 1 + number * 7919 % ROWS
        clients.timed(cursor, f"SELECT {instant_reads.READ} FROM {table} WHERE id = {row}")


def add(report: Report, found: dict[str, dict[str, dict[str, float]]]) -> None:
    part = "Instructions of reads of a table that was changed at once, as a multiple"
    for kind in KINDS:
        own = {engine: tables[NEVER][kind] for engine, tables in found.items()}
        name = f"{kind} of the table without an ALTER"
        report.add(name, "instructions", own, False, part="Instructions of reads")
        counts = {e: {name: [one[kind]] for name, one in by.items()} for e, by in found.items()}
        instant_reads.add_multiples(report, part, kind, counts)
