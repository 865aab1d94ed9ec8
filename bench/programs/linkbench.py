# SPDX-License-Identifier: GPL-2.0-only
"""LinkBench, the social graph workload (scripts/linkbench.lua, our own from its publication).

Load, then the published mix of operations in turns. After it the count table must say of each
object how many visible links it has. With --iops or --memory-limit warm-up and turns are limited.
--hours makes it a long run.
"""

import time

from bench import harness, limits, seconds, sysbench_tool, turns
from bench.harness import Size
from bench.report import Report
from bench.sampler import Sampler
from bench.sysbench_tool import DATABASE

NAME = "linkbench"
TITLE = "LinkBench"
HELP = "the LinkBench graph workload: load rate, operations, disk and write rate"
ENGINES = harness.ENGINES
SIZES = {
    "nodes": Size(100_000, 5_000_000, "objects; about four links each"),
    "memory_mb": Size(32, 512, "size of the cache"),
    "threads": Size(4, 8, "client threads"),
    "warmup": Size(3, 60, "seconds before the turns"),
    "seconds": Size(15, 1200, "length of a turn"),
    "turns": Size(1, 3, "turns of each engine"),
}
# what is wrong with the counts: too many, too few, or missing altogether
WRONG_COUNTS = (
    "SELECT COUNT(*) FROM counttable LEFT JOIN (SELECT id1, link_type, COUNT(*) AS n "
    "FROM linktable WHERE visibility = 1 GROUP BY id1, link_type) AS l ON id1 = id "
    "AND l.link_type = counttable.link_type WHERE count <> IFNULL(n, 0)"
)
UNCOUNTED = (
    "SELECT COUNT(*) FROM (SELECT DISTINCT id1, link_type FROM linktable "
    "WHERE visibility = 1) AS l LEFT JOIN counttable ON id = id1 "
    "AND counttable.link_type = l.link_type WHERE id IS NULL"
)


def add_options(parser) -> None:
    limits.add_options(parser)
    harness.add_hours_option(parser)
    harness.add_binlog_options(parser)
    harness.add_malloc_option(parser)
    parser.add_argument(
        "--partitions", type=int, default=0, metavar="N", help="of the link table, by its id1"
    )


def measure(bench) -> Report:
    size, args = bench.size, bench.args
    limited = limits.limit_of(args)
    if args.hours:
        size |= {"turns": args.hours, "seconds": turns.HOUR}
    report = bench.report(
        f"{size['nodes']:,} objects, {size['threads']} threads, {size['memory_mb']} MB of cache, "
        + (f"link table in {args.partitions} partitions, " if args.partitions else "")
        + f"{harness.binlog_shown(args)}, {size['turns']} turns of {size['seconds']} s"
        f"{limits.after(limited)}"
    )
    bench.start(size["memory_mb"] * 2**20, limits=limited)
    loads = bench.each(lambda c: load(bench, c), "loading")
    report.add("load: rows", "1/s", {e: f["rows"] / f["seconds"] for e, f in loads.items()})
    disks = {e: f["disk"] / 2**20 for e, f in loads.items()}
    report.add("disk after the load", "MiB", disks, False)
    bench.each(lambda c: warm_up(bench, c), "warm-up")
    made = bench.rounds(size["turns"], lambda c, n: run(bench, c, size["seconds"], n))
    owed = bench.each(lambda c: c.settle(), "coming to rest")
    add_turns(report, {engine: turns.summed(made[engine], owed[engine]) for engine in made})
    ends = bench.each(lambda c: (c.disk_bytes() / 2**20, wrong_counts(c.server)), "counts of links")
    report.add("disk at the end", "MiB", {e: disk for e, (disk, _) in ends.items()}, False)
    for engine, (_, wrong) in ends.items():
        if wrong:
            report.failures.append(f"{engine}: {wrong} counts of links are wrong")
    return report


def load(bench, contender) -> dict:
    contender.new_database()
    started, socket = time.monotonic(), contender.server.socket
    create = (
        f"--table-options={contender.table_options}",
        f"--partitions={bench.args.partitions}",
    )
    sysbench_tool.call(sysbench_tool.script_command("linkbench", "create", socket, *create))
    options = (f"--nodes={bench.size['nodes']}", f"--threads={bench.size['threads']}")
    sysbench_tool.call(sysbench_tool.script_command("linkbench", "prepare", socket, *options))
    seconds = time.monotonic() - started
    contender.settle()
    contender.server.sql("ANALYZE TABLE nodetable, linktable, counttable", DATABASE)
    counts = "SELECT (SELECT COUNT(*) FROM nodetable) + (SELECT COUNT(*) FROM linktable) " \
        "+ (SELECT COUNT(*) FROM counttable)"  # fmt: skip
    rows = contender.server.query(counts, DATABASE)[0][0]
    bench.say(f"{contender.title}: {rows:,} rows loaded in {seconds:.0f} s")
    return {"seconds": seconds, "rows": rows, "disk": contender.disk_bytes()}


def warm_up(bench, contender) -> None:
    contender.limit()
    run(bench, contender, bench.size["warmup"], 0)


def run(bench, contender, length: float, number: int) -> turns.Turn:
    """One turn."""
    every = 60 if length > 600 else 5
    with Sampler(contender) as sampler:
        found = sysbench_tool.run_script(
            "linkbench",
            contender.server.socket,
            length,
            f"--nodes={bench.size['nodes']}",
            f"--threads={bench.size['threads']}",
            f"--seed={number + 1}",
            on_interval=lambda i: (
                i.second % every
                or bench.say(f"{contender.title}: {i.events_per_second:,.0f} operations a second")
            ),
        )
    return turns.Turn(found, sampler.samples, sampler.used)


def add_turns(report: Report, sums: dict[str, turns.Sum]) -> None:
    def an_operation(name: str, unit: str, value, scale: float) -> None:
        values = {e: s.per_transaction(value(s.used)) / scale for e, s in sums.items()}
        report.add(name, unit, values, False)

    rates = {e: [t.run.outcome.events_per_second for t in s.turns] for e, s in sums.items()}
    report.add_rounds("operations", "1/s", rates)
    report.add("p99", "ms", {e: s.p99 for e, s in sums.items()}, False)
    seconds.add_evenness(report, "", sums, what="operation")
    an_operation("written an operation", "KB", lambda used: used.written_bytes, 1e3)
    an_operation("read an operation", "KB", lambda used: used.read_bytes, 1e3)
    limits.add_operations(report, "an operation", {e: (s.used, s.transactions) for e, s in
                                                   sums.items()})  # fmt: skip
    an_operation("CPU an operation", "us", lambda used: used.cpu_seconds, 1e-6)
    seconds.add_turns(report, "", sums)
    seconds.add_plots(report, "", sums, "operations")
    report.seconds_measured += seconds.rows_of("linkbench", sums)


def wrong_counts(server) -> int:
    return sum(server.query(query, DATABASE)[0][0] for query in (WRONG_COUNTS, UNCOUNTED))
