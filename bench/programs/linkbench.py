# SPDX-License-Identifier: GPL-2.0-only
"""LinkBench, the social graph workload (scripts/linkbench.lua, our own from its publication).

Load, then the published mix of operations in turns. After it the count table must say of each
object how many visible links it has. With --iops or --memory-limit warm-up and turns are limited.
"""

import time

from bench import harness, limits, summary, sysbench_tool
from bench.harness import Size
from bench.plot import Plot
from bench.process_usage import Usage
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


add_options = limits.add_options


def measure(bench) -> Report:
    size, limited = bench.size, limits.limit_of(bench.args)
    report = bench.report(
        f"{size['nodes']:,} objects, {size['threads']} threads, {size['memory_mb']} MB of cache, "
        f"{size['turns']} turns of {size['seconds']} s{limits.after(limited)}"
    )
    bench.start(size["memory_mb"] * 2**20, limits=limited)
    loads = bench.each(lambda c: load(bench, c), "loading")
    report.add("load: rows", "1/s", {e: f["rows"] / f["seconds"] for e, f in loads.items()})
    disks = {e: f["disk"] / 2**20 for e, f in loads.items()}
    report.add("disk after the load", "MiB", disks, False)
    bench.each(lambda c: warm_up(bench, c), "warm-up")
    turns = bench.rounds(size["turns"], lambda c, n: run(bench, c, size["seconds"], n))
    owed = bench.each(lambda c: c.settle(), "coming to rest")
    add_turns(report, turns, owed)
    ends = bench.each(lambda c: (c.disk_bytes() / 2**20, wrong_counts(c.server)), "counts of links")
    report.add("disk at the end", "MiB", {e: disk for e, (disk, _) in ends.items()}, False)
    for engine, (_, wrong) in ends.items():
        if wrong:
            report.failures.append(f"{engine}: {wrong} counts of links are wrong")
    return report


def load(bench, contender) -> dict:
    contender.new_database()
    started, socket = time.monotonic(), contender.server.socket
    create = f"--table-options={contender.table_options}"
    sysbench_tool.call(sysbench_tool.script_command("linkbench", "create", socket, create))
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


def run(bench, contender, seconds: float, number: int) -> dict:
    """One turn."""
    with Sampler(contender) as sampler:
        found = sysbench_tool.run_script(
            "linkbench",
            contender.server.socket,
            seconds,
            f"--nodes={bench.size['nodes']}",
            f"--threads={bench.size['threads']}",
            f"--seed={number + 1}",
            on_interval=lambda i: (
                i.second % 5
                or bench.say(f"{contender.title}: {i.events_per_second:,.0f} operations a second")
            ),
        )
    return {"run": found, "samples": sampler.samples, "used": sampler.used}


def add_turns(report: Report, turns: dict[str, list[dict]], owed: dict[str, Usage]) -> None:
    def add(name: str, unit: str, value, more_is_better=False) -> None:
        report.add(name, unit, {e: value(e, t) for e, t in turns.items()}, more_is_better)

    def used(engine: str, found: list[dict]) -> Usage:
        return sum((t["used"] for t in found), owed[engine])

    def operations(found: list[dict]) -> int:
        return sum(t["run"].outcome.events for t in found)

    def p99(_, found: list[dict]) -> float:
        return summary.percentile(
            summary.merged(t["run"].outcome.histogram for t in found), 99
        )  # fmt: skip

    rates = {e: [t["run"].outcome.events_per_second for t in found] for e, found in turns.items()}
    report.add_rounds("operations", "1/s", rates)
    add("p99", "ms", p99)
    add("written an operation", "KB", lambda e, t: used(e, t).written_bytes / operations(t) / 1e3)
    add("read an operation", "KB", lambda e, t: used(e, t).read_bytes / operations(t) / 1e3)
    counted = {e: (used(e, t), operations(t)) for e, t in turns.items()}
    limits.add_operations(report, "an operation", counted)
    add("CPU an operation", "us", lambda e, t: used(e, t).cpu_seconds / operations(t) * 1e6)
    report.plots += [
        Plot("Operations by second", "seconds", "operations", curves(turns, rate_curve)),
        Plot("Bytes written by second", "seconds", "MB", curves(turns, written_curve)),
        Plot("Disk by second", "seconds", "MiB", curves(turns, disk_curve)),
    ]


def curves(turns: dict[str, list[dict]], of_turn) -> dict[str, list[tuple]]:
    """Turn after turn on one axis."""
    series = {}
    for engine, found in turns.items():
        points, start = [], 0.0
        for turn in found:
            points += [(start + x, y) for x, y in of_turn(turn)]
            start += turn["run"].outcome.seconds
        series[engine] = points
    return series


def rate_curve(turn: dict) -> list[tuple]:
    return turn["run"].curve(lambda i: i.events_per_second)


def disk_curve(turn: dict) -> list[tuple]:
    return [(s.second, s.disk_bytes / 2**20) for s in turn["samples"]]


def written_curve(turn: dict) -> list[tuple]:
    """Differences of neighbouring samples."""
    samples = turn["samples"]
    return [
        (b.second, (b.used.written_bytes - a.used.written_bytes) / (b.second - a.second) / 1e6)
        for a, b in zip(samples, samples[1:], strict=False)
        if b.second > a.second
    ]


def wrong_counts(server) -> int:
    return sum(server.query(query, DATABASE)[0][0] for query in (WRONG_COUNTS, UNCOUNTED))
