# SPDX-License-Identifier: GPL-2.0-only
"""What sysbench's tests have found, as a Report."""

from bench import bars, limits, seconds, turns
from bench.plot import Plot
from bench.report import Report
from bench.results import Results
from bench.summary import merged, slower_share
from bench.sysbench_tool import ScriptRun

MIB = 2**20
# a row of any engine with its index entry, and what the tests insert meanwhile
BYTES_A_ROW = 1024
# title, unit, attribute of summary.Summary
LATENCIES = (("p50", "ms", "p50"), ("p95", "ms", "p95"), ("p99", "ms", "p99"))
COSTS = (
    ("CPU a query", "us", "cpu_microseconds_per_query"),
    ("written a query", "B", "bytes_per_query"),
    ("ignored errors", "", "ignored_errors"),
)


def report(results: Results, name: str = "sysbench") -> Report:
    """The bars hold only where all rows fit into memory."""
    title = "sysbench's OLTP tests" if in_memory(results) else "sysbench, more data than memory"
    found = Report(name, title, size_text(results), results.engines)
    found.failures = list(results.failures)
    found.facts = facts(results)
    add_data(found, results)
    add_throughput(found, results)
    add_summaries(found, results, "Latency over all rounds", LATENCIES)
    add_summaries(found, results, "Cost, background work included", COSTS)
    found.plots += [throughput_plot(found, results)]
    found.plots += [cost_plot(results, *cost) for cost in COSTS[:2]]
    found.plots += [disk_plot(results)]
    found.plots += [latency_plot(results, test) for test in results.summaries]
    for test in results.summaries:
        add_seconds(found, results, test)
    return found


def add_seconds(found: Report, results: Results, test: str) -> None:
    """What each second had, if that was looked at: under limits."""
    sums = {engine: sum_of(results, test, engine) for engine in results.summaries[test]}
    if not any(turn.samples for one in sums.values() for turn in one.turns):
        return
    part = f"{test}: evenness, and the disk"
    seconds.add_evenness(found, part, sums)
    used = {engine: (one.used, one.transactions) for engine, one in sums.items()}
    limits.add_operations(found, "a transaction", used, part)
    seconds.add_plots(found, test, sums)
    found.seconds_measured += seconds.rows_of(test, sums)


def sum_of(results: Results, test: str, engine: str) -> turns.Sum:
    runs = [r for r in results.runs if (r.test, r.engine) == (test, engine)]
    made = [turns.Turn(ScriptRun(r.outcome, r.intervals, {}), r.samples, r.usage) for r in runs]
    return turns.summed(made, results.afterwards.get((test, engine)))


def size_text(results: Results) -> str:
    load = results.load
    limited = load.get("limits")  # older files do not know of them
    return (
        f"{load['tables']} tables of {load['rows']:,} rows, {load['threads']} client threads, "
        f"{load['rounds']} rounds of {load['seconds']:g} s, keys '{load['distribution']}', "
        f"{results.memory_bytes / MIB:,.0f} MiB of block cache or buffer pool"
        + ("; logs synced once a second" if load.get("flush_log") == 2 else "")
        + (f"; limits: {limited}" if limited else "")
    )


def in_memory(results: Results) -> bool:
    """As programs/sysbench.py chooses the memory when nobody asks for less or limits it."""
    rows = results.load["tables"] * results.load["rows"]
    return not results.load.get("limits") and results.memory_bytes >= rows * BYTES_A_ROW


def facts(results: Results) -> dict[str, str]:
    """Machine, versions, options."""
    from bench.contenders import title_of

    known = {"started": results.started, "command": "./dev " + " ".join(results.command)}
    known |= results.machine
    for engine, facts_of_server in results.servers.items():
        known |= {f"{title_of(engine)}: {name}": text for name, text in facts_of_server.items()}
    return known


def add_data(found: Report, results: Results) -> None:
    """What filling the tables took, and the size of the data."""
    part = "The data"
    rows = results.load["tables"] * results.load["rows"]
    rates = {e: rows / known["seconds"] for e, known in results.prepared.items()}
    bar = bars.SYSBENCH_LOAD if in_memory(results) else None
    found.add("rows loaded", "1/s", rates, True, bar, part)
    for title, unit, name, scale in (
        ("CPU of the load", "s", "cpu_seconds", 1),
        ("written by the load", "MiB", "written_bytes", MIB),
        ("disk after the load", "MiB", "disk_bytes", MIB),
    ):
        values = {e: known[name] / scale for e, known in results.prepared.items()}
        found.add(title, unit, values, False, part=part)
    final = {e: size / MIB for e, size in results.final_disk.items()}
    found.add("disk at the end", "MiB", final, False, part=part)


def add_throughput(found: Report, results: Results) -> None:
    known = bars.SYSBENCH_UNSYNCED if results.load.get("flush_log") == 2 else bars.SYSBENCH
    for test in results.summaries:
        bar = known[test] if in_memory(results) else None
        rates = rates_of(results, test)
        found.add_rounds(test, "1/s", rates, True, bar, "Throughput, medians of the rounds")


def rates_of(results: Results, test: str) -> dict[str, list[float]]:
    """engine -> events a second of each round, in order."""
    runs = sorted((r for r in results.runs if r.test == test), key=lambda run: run.round)
    return {
        engine: [r.outcome.events_per_second for r in runs if r.engine == engine]
        for engine in results.summaries[test]
    }


def add_summaries(found: Report, results: Results, part: str, columns: tuple) -> None:
    for test, by_engine in results.summaries.items():
        for title, unit, attribute in columns:
            values = {e: float(getattr(one, attribute)) for e, one in by_engine.items()}
            found.add(f"{test}: {title}", unit, values, False, part=part)


def label(test: str) -> str:
    """The test's name, narrow enough to stand under its bars."""
    return test.removeprefix("oltp_").removeprefix("select_").replace("_", "\n")


def throughput_plot(found: Report, results: Results) -> Plot:
    """Multiples of the median of the last engine that ran, with the single rounds."""
    medians = {engine: [] for engine in results.engines}
    rounds = {engine: [] for engine in results.engines}
    for test, by_engine in results.summaries.items():
        base = list(by_engine.values())[-1].events_per_second
        for engine, rates in rates_of(results, test).items():
            medians[engine].append((label(test), by_engine[engine].events_per_second / base))
            rounds[engine] += [(label(test), rate / base) for rate in rates]
    last = found.title_of(results.engines[-1])
    note = f"Multiples of {last}'s median; the marks are the rounds. Higher is better."
    return Plot("Throughput", "", f"x {last}", medians, "bars", note, rounds=rounds, level=1.0)


def cost_plot(results: Results, title: str, unit: str, attribute: str) -> Plot:
    series = {
        engine: [
            (label(test), getattr(by_engine[engine], attribute))
            for test, by_engine in results.summaries.items()
        ]
        for engine in results.engines
    }
    return Plot(title, "", unit, series, "bars", "Lower is better. Background work is included.")


def disk_plot(results: Results) -> Plot:
    series = {
        engine: [
            ("filled", results.prepared[engine]["disk_bytes"] / MIB),
            ("at the end", results.final_disk[engine] / MIB),
        ]
        for engine in results.engines
    }
    note = "Blocks of the files that hold tables; without logs."
    return Plot("Disk", "", "MiB", series, "bars", note)


def latency_plot(results: Results, test: str) -> Plot:
    """The share of slower events over the latency."""
    curves = {}
    for engine in results.engines:
        runs = [r for r in results.runs if (r.test, r.engine) == (test, engine)]
        xs, ys = slower_share(merged(r.outcome.histogram for r in runs))
        curves[engine] = list(zip(xs, ys, strict=True))
    title = f"{test}: share of the events that took longer"
    return Plot(title, "ms", "share", curves, "steps", log_y=True, log_x=True)
