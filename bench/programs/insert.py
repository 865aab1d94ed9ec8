# SPDX-License-Identifier: GPL-2.0-only
"""The insert benchmark (scripts/insert.lua): how fast a table with three secondary indexes grows.

First a number of rows is inserted in the order of the primary key by one client; then inserts go on
for some seconds with clients beside them that scan short ranges of the indexes. --iops and
--memory-limit are in force for both parts.
"""

import statistics
import threading

from bench import harness, limits, sysbench_tool
from bench.harness import Size
from bench.plot import Plot
from bench.report import Report
from bench.sysbench_tool import ScriptRun

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
}
LONGEST = 6 * 3600.0  # seconds that the first part may take


add_options = limits.add_options


def measure(bench) -> Report:
    size, limited = bench.size, limits.limit_of(bench.args)
    report = bench.report(
        f"{size['rows']:,} rows, {size['batch']} a statement, then {size['seconds']} s with "
        f"{size['query_threads']} clients that query; {size['memory_mb']} MB of cache"
        f"{limits.after(limited)}"
    )
    bench.start(size["memory_mb"] * 2**20, limits=limited)
    bench.each(create, "start")
    grown = bench.each(lambda c: grow(bench, c), "inserts")
    mixed = bench.each(lambda c: with_queries(bench, c), "inserts and queries")
    add_growth(bench, report, grown)
    add_mixed(bench, report, mixed)
    return report


def create(contender) -> None:
    contender.new_database()
    options = (f"--table-options={contender.table_options}",)
    socket = contender.server.socket
    sysbench_tool.call(sysbench_tool.script_command("insert", "create", socket, *options))


def run_inserts(bench, contender, seconds: float, *options: str) -> ScriptRun:
    batch = bench.size["batch"]
    return sysbench_tool.run_script(
        "insert",
        contender.server.socket,
        seconds,
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
    before = contender.usage()
    events = max(1, bench.size["rows"] // bench.size["batch"])
    run = run_inserts(bench, contender, LONGEST, f"--events={events}")
    contender.settle()
    used = contender.usage() - before
    return {"run": run, "used": used, "disk": contender.disk_bytes()}


def with_queries(bench, contender) -> dict[str, ScriptRun]:
    """The second part: both runs at the same time."""
    found: dict[str, ScriptRun] = {}
    seconds = bench.size["seconds"]
    contender.limit()

    def query() -> None:
        found["queries"] = sysbench_tool.run_script(
            "insert",
            contender.server.socket,
            seconds,
            "--mode=query",
            f"--threads={bench.size['query_threads']}",
        )

    beside = threading.Thread(target=query)
    beside.start()
    found["inserts"] = run_inserts(bench, contender, seconds, "--seed=2")
    beside.join()
    contender.settle()
    return found


def rates(run: ScriptRun, scale: float) -> list[tuple[float, float]]:
    """(second, events times scale)."""
    return run.curve(lambda i: i.events_per_second * scale)


def add_growth(bench, report: Report, grown: dict[str, dict]) -> None:
    batch = bench.size["batch"]
    rows = {e: found["run"].outcome.events * batch for e, found in grown.items()}

    def values(value) -> dict:
        return {engine: value(found) / rows[engine] for engine, found in grown.items()}

    speed = {e: f["run"].outcome.events_per_second * batch for e, f in grown.items()}
    report.add("rows inserted", "1/s", speed)
    report.add("lowest second / median second", "", steadiness(grown, "run", batch))
    longest = {e: f["run"].outcome.latency_maximum for e, f in grown.items()}
    report.add("longest INSERT", "ms", longest, False)
    report.add("written a row", "bytes", values(lambda f: f["used"].written_bytes), False)
    limits.add_operations(report, "a row", {e: (f["used"], rows[e]) for e, f in grown.items()})
    report.add("CPU a row", "us", values(lambda f: f["used"].cpu_seconds * 1e6), False)
    report.add("disk a row", "bytes", values(lambda f: f["disk"]), False)
    curve = {e: rates(f["run"], batch) for e, f in grown.items()}
    report.plots.append(Plot("Inserts alone, by second", "seconds", "rows a second", curve))
    size = {e: [("disk", f["disk"] / 2**20)] for e, f in grown.items()}
    report.plots.append(Plot("Disk after the inserts alone", "", "MiB", size, "bars"))


def steadiness(found: dict[str, dict], part: str, batch: int) -> dict[str, float]:
    values: dict[str, float] = {}
    for engine, one in found.items():
        seen = [rate for _, rate in rates(one[part], batch)]
        values[engine] = min(seen) / statistics.median(seen)
    return values


def add_mixed(bench, report: Report, mixed: dict[str, dict[str, ScriptRun]]) -> None:
    batch = bench.size["batch"]

    def values(part: str, value) -> dict:
        return {engine: value(found[part].outcome) for engine, found in mixed.items()}

    report.add(
        "with queries: rows inserted", "1/s",
        values("inserts", lambda o: o.events_per_second * batch),
    )  # fmt: skip
    report.add("with queries: longest INSERT", "ms",
               values("inserts", lambda o: o.latency_maximum), False)  # fmt: skip
    report.add("with queries: lowest second / median second", "",
               steadiness(mixed, "inserts", batch))  # fmt: skip
    report.add("queries", "1/s", values("queries", lambda o: o.events_per_second))
    report.add("longest query", "ms", values("queries", lambda o: o.latency_maximum), False)
    for part, title, scale, label in (
        ("inserts", "Inserts with queries beside them, by second", batch, "rows a second"),
        ("queries", "Queries beside inserts, by second", 1, "queries a second"),
    ):
        curve = {e: rates(found[part], scale) for e, found in mixed.items()}
        report.plots.append(Plot(title, "seconds", label, curve))
