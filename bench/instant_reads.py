# SPDX-License-Identifier: GPL-2.0-only
"""What reads of a table cost that was changed by the dictionary only.

Each table has the same columns and the same rows in the end. One was made so. The others came to
it by an instant ALTER, of which the rows were there before, or were written after. Point reads and
full scans take turns over all tables. The figures are a table's time as a multiple of that of the
table without an ALTER, round by round.
"""

import time
from dataclasses import dataclass

from bench import bars, clients, sysbench_tool
from bench.online_index import REFUSED
from bench.report import Report
from bench.sysbench_tool import DATABASE

NEVER = "never"
COLUMNS = "id INT NOT NULL PRIMARY KEY, {} s VARCHAR(100) NOT NULL"
FINAL = "k BIGINT NOT NULL, a INT NOT NULL DEFAULT 7,"
VALUES = {"id": "seq", "k": "seq * 7", "s": "CONCAT(MD5(seq), MD5(seq * 3))", "x": "seq"}
READ = "k, a, s"
SCAN = "SELECT COUNT(*), SUM(k), SUM(a), SUM(LENGTH(s)) FROM {}"


@dataclass(frozen=True)
class Shape:
    """A table; `columns` are those it is made with beside `id` and `s`. Of a table with `later`,
    all rows but one come after the ALTER."""

    name: str
    title: str
    columns: str
    alter: str = ""
    later: bool = False

    @property
    def statements(self) -> tuple[str, str, str]:
        """CREATE TABLE without its options, the first row, the others."""
        known = [name for name in ("k", "x") if f"{name} " in self.columns]
        before = self._insert(known)
        after = self._insert(["k"]) if self.later else before
        create = f"CREATE TABLE {self.name} ({COLUMNS.format(self.columns)})"
        return create, f"{before} FROM seq_1_to_1", f"{after} FROM seq_2_to_{{rows}}"

    def _insert(self, more: list[str]) -> str:
        names = ["id", *more, "s"]
        values = ", ".join(VALUES[name] for name in names)
        return f"INSERT INTO {self.name} ({', '.join(names)}) SELECT {values}"


def altered(name: str, title: str, columns: str, alter: str) -> tuple[Shape, Shape]:
    return (
        Shape(f"{name}_old", f"{title}, rows from before", columns, alter),
        Shape(f"{name}_new", f"{title}, rows written after", columns, alter, later=True),
    )


SHAPES = (
    Shape(NEVER, "no ALTER", FINAL),
    *altered(
        "added", "ADD COLUMN", "k BIGINT NOT NULL,", "ADD COLUMN a INT NOT NULL DEFAULT 7 AFTER k"
    ),
    *altered("dropped", "DROP COLUMN", f"{FINAL} x INT NOT NULL,", "DROP COLUMN x"),
    *altered(
        "wider",
        "INT to BIGINT",
        "k INT NOT NULL, a INT NOT NULL DEFAULT 7,",
        "MODIFY k BIGINT NOT NULL",
    ),
)


@dataclass
class Reads:
    """Of one table: seconds of a scan, and of a point read, by round."""

    scans: list[float]
    points: list[float]


def measure(bench, report: Report) -> None:
    tables = bench.each(
        lambda c: create(c, bench.size["read_rows"]), "tables that are changed at once"
    )
    for engine, (_, failures) in tables.items():
        report.failures += [f"{engine}: {text}" for text in failures]
    reads = bench.each(lambda c: read(bench, c, tables[c.engine][0]), "point reads and scans")
    add(report, reads)


def create(contender, rows: int) -> tuple[list[Shape], list[str]]:
    """The tables that the engine changes without a copy, with their rows, and what is wrong."""
    made = [shape for shape in SHAPES if fill(contender, shape, rows)]
    contender.settle_compacted()  # else a table's files would tell more than its ALTER
    sums = {shape.name: contender.server.sql(SCAN.format(shape.name), DATABASE) for shape in made}
    wrong = [name for name, found in sums.items() if found != sums[NEVER]]
    return made, [f"the rows of {name} are not those of {NEVER}" for name in wrong]


def fill(contender, shape: Shape, rows: int) -> bool:
    """False when the ALTER would copy the table; there is none then."""
    import pymysql

    create_table, first, others = shape.statements
    alter = f"ALTER TABLE {shape.name} {shape.alter}, ALGORITHM=INSTANT" if shape.alter else ""
    others = others.format(rows=rows)
    order = [alter, others] if shape.later else [others, alter]
    with contender.server.connect(DATABASE) as link, link.cursor() as cursor:
        cursor.execute(f"DROP TABLE IF EXISTS {shape.name}")
        cursor.execute(f"{create_table} {contender.table_options}")
        try:
            for statement in filter(None, [first, *order]):
                cursor.execute(statement)
        except pymysql.Error as error:
            if error.args[0] not in REFUSED:
                raise
            cursor.execute(f"DROP TABLE {shape.name}")
            return False
    return True


def read(bench, contender, shapes: list[Shape]) -> dict[str, Reads]:
    """By name of the table. Each round begins with another one."""
    found = {shape.name: Reads([], []) for shape in shapes}
    with contender.server.connect(DATABASE) as link, link.cursor() as cursor:
        for name in found:
            scan(cursor, name, 0.0)  # what is read once is in the cache
        for number in range(bench.size["read_rounds"]):
            for name in turned(list(found), number):
                found[name].scans.append(scan(cursor, name, bench.size["read_seconds"]))
                found[name].points.append(point(bench, contender, name, number + 1))
    return found


def turned(names: list[str], number: int) -> list[str]:
    place = number % len(names)
    return names[place:] + names[:place]


def scan(cursor, table: str, seconds: float) -> float:
    """The median of as many scans as fit into the time, and at least of one."""
    took, ends = [], time.monotonic() + seconds
    while not took or time.monotonic() < ends:
        took.append(clients.timed(cursor, SCAN.format(table)))
    return sorted(took)[len(took) // 2]


def point(bench, contender, table: str, seed: int) -> float:
    """Seconds of one point read."""
    run = sysbench_tool.run_script(
        "point_reads",
        contender.server.socket,
        bench.size["read_seconds"],
        f"--table={table}",
        f"--columns={READ}",
        f"--rows={bench.size['read_rows']}",
        "--threads=1",
        f"--rand-seed={seed}",
    )
    return 1 / run.outcome.events_per_second


def add(report: Report, reads: dict[str, dict[str, Reads]]) -> None:
    part = "Reads of a table that was changed at once, as a multiple of one without an ALTER"
    for what, rounds_of in (("point read", points_of), ("full scan", scans_of)):
        rounds = {e: {name: rounds_of(one) for name, one in by.items()} for e, by in reads.items()}
        own = {e: by[NEVER] for e, by in rounds.items()}
        name = f"{what} of the table without an ALTER"
        report.add_rounds(name, "us", micros(own), False, part="Reads")
        add_multiples(report, part, what, rounds)


def add_multiples(
    report: Report, part: str, what: str, rounds: dict[str, dict[str, list[float]]]
) -> None:
    """A figure of each changed table. `rounds`: engine -> table -> what its reads cost, by round;
    without tables that the engine would copy."""
    for shape in SHAPES[1:]:
        parts = {
            e: multiples(by[shape.name], by[NEVER]) if shape.name in by else [None]
            for e, by in rounds.items()
        }
        words = {e: "copies" for e, by in rounds.items() if shape.name not in by}
        name = f"{what}: {shape.title}"
        report.add_rounds(name, "", parts, False, bars.DDL_READS, part, words)


def points_of(reads: Reads) -> list[float]:
    return reads.points


def scans_of(reads: Reads) -> list[float]:
    return reads.scans


def micros(seconds: dict[str, list[float]]) -> dict[str, list[float]]:
    return {e: [one * 1e6 for one in found] for e, found in seconds.items()}


def multiples(own: list[float], of: list[float]) -> list[float]:
    return [a / b for a, b in zip(own, of, strict=True)]
