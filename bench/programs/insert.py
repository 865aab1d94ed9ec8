# SPDX-License-Identifier: GPL-2.0-only
"""The insert benchmark (scripts/insert.lua): how fast a table with three secondary indexes grows.

First a number of rows is inserted in the order of the primary key by one client; then inserts go on
for some seconds with clients beside them that scan short ranges of the indexes. --iops and
--memory-limit are in force for both parts.
"""

import threading

from bench import harness, limits, seconds, sysbench_tool, turns
from bench.harness import Size
from bench.plot import Plot
from bench.process_usage import Usage
from bench.report import Report
from bench.sampler import Sampler
from bench.sysbench_tool import ScriptRun
from tools.errors import DevError

NAME = "insert"
TITLE = "Insert benchmark"
HELP = "inserts in key order into three secondary indexes, then with queries beside them"
ENGINES = harness.ENGINES
SIZES = {
    "rows": Size(500_000, 50_000_000, "rows inserted first"),
    "batch": Size(100, 100, "rows of a statement"),
    "memory_mb": Size(64, 512, "size of the cache"),
    "seconds": Size(12, 1200, "inserts with queries beside them"),
    "query_threads": Size(2, 4, "clients that query"),
    "turns": Size(1, 3, "turns of each engine, each with an empty table"),
}
LONGEST = 6 * 3600.0  # seconds that the first part may take


add_options = limits.add_options


def measure(bench) -> Report:
    size, limited = bench.size, limits.limit_of(bench.args)
    report = bench.report(
        f"{size['rows']:,} rows, {size['batch']} a statement, then {size['seconds']} s with "
        f"{size['query_threads']} clients that query; {size['turns']} turns; "
        f"{size['memory_mb']} MB of cache"
        f"{limits.after(limited)}"
    )
    bench.start(size["memory_mb"] * 2**20, limits=limited)
    grown: dict[str, list[dict]] = {engine: [] for engine in bench.engines}
    mixed: dict[str, list[dict]] = {engine: [] for engine in bench.engines}
    for _ in range(size["turns"]):
        bench.each(create, "start")
        for engine, found in bench.each(lambda c: grow(bench, c), "inserts").items():
            grown[engine].append(found)
        for engine, found in bench.each(lambda c: with_queries(bench, c), "and queries").items():
            mixed[engine].append(found)
    add_growth(bench, report, grown)
    add_mixed(bench, report, mixed)
    return report


def create(contender) -> None:
    contender.new_database()
    if contender.disk_bytes():  # what the turn before has left goes in the background
        contender.disk_at_rest()
        contender.forget_dropped()
    options = (f"--table-options={contender.table_options}",)
    socket = contender.server.socket
    sysbench_tool.call(sysbench_tool.script_command("insert", "create", socket, *options))


def run_inserts(bench, contender, length: float, *options: str) -> ScriptRun:
    batch = bench.size["batch"]
    return sysbench_tool.run_script(
        "insert",
        contender.server.socket,
        length,
        f"--batch={batch}",
        *options,
        on_interval=lambda i: (
            i.second % 5
            or bench.say(f"{contender.title}: {i.events_per_second * batch:,.0f} rows a second")
        ),
    )


def grow(bench, contender) -> dict:
    """The first part, and what the engine owed after it."""
    contender.limit()
    events = max(1, bench.size["rows"] // bench.size["batch"])
    with Sampler(contender) as sampler:
        run = run_inserts(bench, contender, LONGEST, f"--events={events}")
    used = sampler.used + contender.settle()
    return {"turn": turns.Turn(run, sampler.samples, used), "disk": contender.disk_bytes()}


def with_queries(bench, contender) -> dict[str, turns.Turn]:
    """The second part: both runs at the same time. What the server used counts for the inserts."""
    found: dict[str, ScriptRun] = {}
    length = bench.size["seconds"]
    contender.limit()

    def query() -> None:
        found["queries"] = sysbench_tool.run_script(
            "insert",
            contender.server.socket,
            length,
            "--mode=query",
            f"--threads={bench.size['query_threads']}",
        )

    beside = threading.Thread(target=query)
    with Sampler(contender) as sampler:
        beside.start()
        inserts = run_inserts(bench, contender, length, "--seed=2")
        beside.join()
    if "queries" not in found:
        raise DevError(f"{contender.title}: the queries beside the inserts failed")
    used = sampler.used + contender.settle()
    return {
        "inserts": turns.Turn(inserts, sampler.samples, used),
        "queries": turns.Turn(found["queries"], [], Usage()),
    }


def curves(sums: dict[str, turns.Sum], scale: float) -> dict[str, list[tuple[float, float]]]:
    """(second, events times scale)."""
    return {e: [(x, y * scale) for x, y in s.curve("rate")] for e, s in sums.items()}


def add_growth(bench, report: Report, grown: dict[str, list[dict]]) -> None:
    batch = bench.size["batch"]
    sums = {e: turns.summed([one["turn"] for one in found]) for e, found in grown.items()}
    rows = {e: s.transactions * batch for e, s in sums.items()}

    def a_row(name: str, unit: str, value) -> None:
        values = {engine: value(s.used) / rows[engine] for engine, s in sums.items()}
        report.add(name, unit, values, False)

    report.add_rounds("rows inserted", "1/s", speeds(sums, batch))
    seconds.add_evenness(report, "", sums, what="row")
    report.add("longest INSERT", "ms", longest(sums), False)
    a_row("written a row", "bytes", lambda used: used.written_bytes)
    limits.add_operations(report, "a row", {e: (s.used, rows[e]) for e, s in sums.items()})
    a_row("CPU a row", "us", lambda used: used.cpu_seconds * 1e6)
    each = bench.size["rows"] // batch * batch
    disks = {e: [one["disk"] / each for one in found] for e, found in grown.items()}
    report.add_rounds("disk a row", "bytes", disks, False)
    label = "Inserts alone"
    report.plots.append(
        Plot(f"{label}, by second", "seconds", "rows a second", curves(sums, batch))
    )
    seconds.add_disk_plots(report, label, sums)
    report.seconds_measured += seconds.rows_of(label, sums)
    size = {e: [("disk", found[-1]["disk"] / 2**20)] for e, found in grown.items()}
    report.plots.append(Plot("Disk after the inserts alone", "", "MiB", size, "bars"))


def speeds(sums: dict[str, turns.Sum], scale: float = 1) -> dict[str, list[float]]:
    """Of each turn."""
    return {
        engine: [turn.run.outcome.events_per_second * scale for turn in s.turns]
        for engine, s in sums.items()
    }


def longest(sums: dict[str, turns.Sum]) -> dict[str, float]:
    return {e: max(t.run.outcome.latency_maximum for t in s.turns) for e, s in sums.items()}


def add_mixed(bench, report: Report, mixed: dict[str, list[dict[str, turns.Turn]]]) -> None:
    batch = bench.size["batch"]
    inserts, queries = (
        {e: turns.summed([one[part] for one in found]) for e, found in mixed.items()}
        for part in ("inserts", "queries")
    )
    report.add_rounds("with queries: rows inserted", "1/s", speeds(inserts, batch))
    report.add("with queries: longest INSERT", "ms", longest(inserts), False)
    even = {engine: s.steadiness for engine, s in inserts.items()}
    report.add("with queries: lowest second / median second", "", even)
    report.add_rounds("queries", "1/s", speeds(queries))
    report.add("longest query", "ms", longest(queries), False)
    label = "Inserts with queries beside them"
    for title, sums, scale, unit in (
        (f"{label}, by second", inserts, batch, "rows a second"),
        ("Queries beside inserts, by second", queries, 1, "queries a second"),
    ):
        report.plots.append(Plot(title, "seconds", unit, curves(sums, scale)))
    seconds.add_disk_plots(report, label, inserts)
    report.seconds_measured += seconds.rows_of(label, inserts)
