# SPDX-License-Identifier: GPL-2.0-only
"""DDL on large tables, and what clients notice, in four parts.

statements: ADD and DROP INDEX, ADD and DROP COLUMN, ALTER .. ENGINE of the same engine, TRUNCATE
and DROP TABLE. Two clients read and update single rows of another, small table all the while; a
statement's time is counted for them from its beginning to a second after its end, because files are
removed in the background.
index: ADD INDEX alone, and beside clients that write to the table (bench/online_index.py).
reads: what an instant change costs reads, in time (bench/instant_reads.py).
instructions: the same in instructions (bench/instant_instructions.py).
"""

import time

from bench import bars, clients, harness, instant_instructions, instant_reads, online_index
from bench.clients import Client
from bench.harness import Size
from bench.plot import Plot
from bench.report import Report
from bench.sysbench_tool import DATABASE
from tools.errors import DevError

NAME = "ddl"
TITLE = "DDL and the clients beside it"
HELP = "ADD INDEX beside writers, instant columns, DROP TABLE; what clients notice"
ENGINES = harness.ENGINES
SIZES = {
    "memory_mb": Size(256, 2048, "size of the cache"),
    "rows": Size(300_000, 10_000_000, "rows of the large table"),
    "turns": Size(1, 3, "turns of each engine"),
    "index_rows": Size(500_000, 5_000_000, "rows of the table that is indexed beside writers"),
    "writers": Size(4, 4, "clients of sysbench that write to it"),
    "calm": Size(4.0, 20.0, "seconds of the writers without DDL, which the others compare with"),
    "read_rows": Size(100_000, 1_000_000, "rows of each table that is changed at once and read"),
    "read_rounds": Size(5, 15, "rounds of point reads and scans of each of them"),
    "read_seconds": Size(1, 3, "length of the point reads, and of the scans, of a round"),
}
PARTS = {
    "statements": lambda bench, report: measure_statements(bench, report),
    "index": online_index.measure,
    "reads": instant_reads.measure,
    "instructions": instant_instructions.measure,
}
INSTANT = ("ADD COLUMN, last", "ADD COLUMN, first", "DROP COLUMN")
FRONT_ROWS = 10_000
CALM = 3.0  # seconds of the clients without DDL
AFTERMATH = 1.0
BIG = """CREATE TABLE big (id INT NOT NULL PRIMARY KEY, k INT NOT NULL, t VARCHAR(100) NOT NULL,
 d DATETIME NOT NULL, KEY k (k)) """
FRONT = "CREATE TABLE front (id INT NOT NULL PRIMARY KEY, n INT NOT NULL, c CHAR(60) NOT NULL) "


def statements(engine: str) -> dict[str, str]:
    """Name -> statement, in the order in which they run."""
    return {
        "ADD INDEX": "ALTER TABLE big ADD INDEX dt (d, t)",
        "ADD INDEX, unique": "ALTER TABLE big ADD UNIQUE INDEX ut (t, id)",
        "DROP INDEX": "ALTER TABLE big DROP INDEX dt",
        "ADD COLUMN, last": "ALTER TABLE big ADD COLUMN more INT NOT NULL DEFAULT 7",
        "ADD COLUMN, first": "ALTER TABLE big ADD COLUMN head INT NOT NULL DEFAULT 7 FIRST",
        "DROP COLUMN": "ALTER TABLE big DROP COLUMN d",
        "ALTER .. ENGINE": f"ALTER TABLE big ENGINE={engine}, FORCE",
        "TRUNCATE": "TRUNCATE TABLE copy",
        "DROP TABLE": "DROP TABLE big",
    }


def add_options(parser) -> None:
    parser.add_argument(
        "--parts", default=",".join(PARTS), metavar="A,B,...", help="some of them (default: all)"
    )


def parts_of(args) -> list[str]:
    """In their order. DevError for one that there is not."""
    asked = [name.strip() for name in args.parts.split(",") if name.strip()]
    unknown = [name for name in asked if name not in PARTS]
    if unknown or not asked:
        raise DevError(f"--parts {args.parts}: there are {', '.join(PARTS)}")
    return [name for name in PARTS if name in asked]


def measure(bench) -> Report:
    parts = parts_of(bench.args)
    if "instructions" in parts:
        instant_instructions.prepare()  # what is missing is told before hours of work
    report = bench.report(size_text(bench.size, parts))
    bench.start(bench.size["memory_mb"] * 2**20)
    for part in parts:
        bench.each(lambda c: c.new_database(), f"{part}: a new database")
        PARTS[part](bench, report)
    return report


def size_text(size: dict, parts: list[str]) -> str:
    texts = {
        "statements": f"large table of {size['rows']:,} rows, two clients on another table",
        "index": f"ADD INDEX of {size['index_rows']:,} rows of sysbench, alone and beside "
        f"{size['writers']} clients of oltp_write_only",
        "reads": f"tables of {size['read_rows']:,} rows read in {size['read_rounds']} rounds",
        "instructions": f"instructions of reads of {instant_instructions.ROWS:,} rows",
    }
    shown = "; ".join(texts[part] for part in parts)
    return f"{shown}; {size['memory_mb']} MB of cache, {size['turns']} turns"


def measure_statements(bench, report: Report) -> None:
    add_turns(report, bench.rounds(bench.size["turns"], lambda c, n: turn(bench, c, report)))


def add_turns(report: Report, turns: dict[str, list[dict]]) -> None:
    """The figures and plots of all turns."""
    for name in statements(""):
        seconds = {e: [t[name]["seconds"] for t in found] for e, found in turns.items()}
        bar = bars.DDL_INSTANT if name in INSTANT else None
        report.add_rounds(name, "s", seconds, False, bar, "Statements")
    for name in ("nothing", *statements("")):
        for what in ("read", "update"):
            worst = {e: [t[name][what] for t in found] for e, found in turns.items()}
            part = "Clients of another table"
            report.add_rounds(f"longest {what} beside {name}", "ms", worst, False, part=part)
    for what in ("read", "update"):
        series = {e: found[0][f"{what} curve"] for e, found in turns.items()}
        report.plots.append(
            Plot(f"Longest {what} of another table by second, first turn", "seconds", "ms", series,
                 log_y=True)
        )  # fmt: skip
    times = {
        e: [(name, found[0][name]["seconds"]) for name in statements("")]
        for e, found in turns.items()
    }
    report.plots.append(Plot("Time of each statement, first turn", "", "seconds", times, "bars"))


def fill(bench, contender) -> None:
    contender.new_database()
    rows, options = bench.size["rows"], contender.table_options
    contender.server.sql(
        f"{FRONT} {options}; INSERT INTO front SELECT seq, seq, MD5(seq) "
        f"FROM seq_1_to_{FRONT_ROWS}; {BIG} {options}; INSERT INTO big SELECT seq, "
        f"seq * 7919 % 100003, CONCAT(MD5(seq), MD5(seq * 3)), "
        f"'2024-01-01' + INTERVAL seq * 37 % 900000 MINUTE FROM seq_1_to_{rows}; "
        f"CREATE TABLE copy LIKE big; INSERT INTO copy SELECT * FROM big",
        DATABASE,
    )
    contender.settle()


def read(cursor, random) -> None:
    cursor.execute(f"SELECT c FROM front WHERE id = {random.randint(1, FRONT_ROWS)}")
    cursor.fetchall()


def update(cursor, random) -> None:
    cursor.execute(f"UPDATE front SET n = n + 1 WHERE id = {random.randint(1, FRONT_ROWS)}")


def turn(bench, contender, report: Report) -> dict:
    """name -> seconds of the statement and the longest read and update beside it, in ms."""
    fill(bench, contender)
    spans = {}
    with Client(contender, read, 0.002) as reader, Client(contender, update, 0.002) as updater:
        time.sleep(CALM)
        spans["nothing"] = (reader.since, reader.since + CALM)
        with contender.server.connect(DATABASE) as link, link.cursor() as cursor:
            for name, statement in statements(contender.storage_engine).items():
                started = time.monotonic()
                clients.timed(cursor, statement)
                spans[name] = (started, time.monotonic())
                bench.say(f"{contender.title}: {name} {spans[name][1] - started:.2f} s")
                time.sleep(AFTERMATH)
    for client in (reader, updater):
        report.failures += [f"{contender.engine}: {text}" for text in client.errors]
    return {
        **{name: beside(span, reader, updater) for name, span in spans.items()},
        "read curve": clients.worst_by_second(reader.latencies),
        "update curve": clients.worst_by_second(updater.latencies),
    }


def beside(span: tuple[float, float], reader: Client, updater: Client) -> dict[str, float | None]:
    start, end = span

    def worst(client: Client) -> float | None:
        first, last = start - client.since, end + AFTERMATH - client.since
        return clients.percentile(clients.between(client.latencies, first, last), 100)

    return {"seconds": end - start, "read": worst(reader), "update": worst(updater)}
