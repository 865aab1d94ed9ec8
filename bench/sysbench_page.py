# SPDX-License-Identifier: GPL-2.0-only
"""The report of `./dev bench sysbench` alone, with the single rounds and whole latencies: one HTML
file with everything in it, no script, no network."""

from bench import template
from bench.contenders import TITLES
from bench.drawing import COLOURS, figure, svg
from bench.results import Results
from bench.screen import human_bytes
from bench.summary import PAIRS, merged, slower_share


def page(results: Results) -> str:
    """The whole file."""
    plots = [
        ("Throughput", ratio_plot(results), "Multiples of the last engine's throughput; the marks "
         "are the rounds. Higher is better."),
        ("Latency", latency_plot(results), "Share of the events that took longer (logarithmic): "
         "the lower and the further left, the better."),
        ("CPU of the server for a query", cost_plot(results, "cpu_microseconds_per_query",
         "microseconds"), "Lower is better. Includes background work of the engine."),
        ("Bytes written for a query", cost_plot(results, "bytes_per_query", "bytes"),
         "Lower is better. From /proc/PID/io; with the binary log, flushes and compactions, "
         "also those after the rounds."),
        ("Disk", disk_plot(results), "Blocks of the files that hold tables; without logs."),
    ]  # fmt: skip
    return template.render(
        "sysbench.html",
        title=f"sysbench {results.started}",
        engines=", ".join(TITLES[e] for e in results.engines),
        started=results.started,
        load=load_text(results),
        failures=results.failures,
        numbers=numbers(results),
        plots=[(title, template.drawing(image), note) for title, image, note in plots],
        facts=facts(results),
    )


def load_text(results: Results) -> str:
    load = results.load
    return (
        f"{load['tables']} tables of {load['rows']:,} rows, {load['threads']} client threads, "
        f"{load['rounds']} rounds of {load['seconds']:g} s, keys '{load['distribution']}', "
        f"{human_bytes(results.memory_bytes)} of block cache or buffer pool"
    )


def numbers(results: Results) -> dict:
    """The table of all tests and engines: `head`, and `rows` with their `cells` and `ratios`."""
    peers = [b for _, b in PAIRS if b in results.engines]
    peers = [p for p in dict.fromkeys(peers) if len(results.engines) > 1]
    head = ["test", "engine", "per second", "lowest", "highest", "p50 ms", "p95 ms", "p99 ms"]
    head += ["CPU us/query", "written/query", "ignored errors"] + [f": {TITLES[p]}" for p in peers]
    rows = []
    for test, by_engine in results.cells.items():
        for number, (engine, cell) in enumerate(by_engine.items()):
            cells = [
                test if number == 0 else "",
                TITLES[engine],
                f"{cell.events_per_second:,.0f}",
                f"{cell.lowest:,.0f}",
                f"{cell.highest:,.0f}",
                f"{cell.p50:.3f}",
                f"{cell.p95:.3f}",
                f"{cell.p99:.3f}",
                f"{cell.cpu_microseconds_per_query:.1f}",
                human_bytes(cell.bytes_per_query),
                str(cell.ignored_errors),
            ]
            ratios = [results.ratios[test].get(f"{engine}/{p}") for p in peers]
            rows.append({"first": number == 0, "cells": cells, "ratios": ratios})
    return {"head": head, "rows": rows}


def facts(results: Results) -> list[tuple[str, str]]:
    """Machine, versions, options: what someone needs to repeat it."""
    rows = [("command", "./dev " + " ".join(results.command))]
    rows += list(results.machine.items())
    for engine, known in results.servers.items():
        rows += [(f"{TITLES[engine]}: {name}", value) for name, value in known.items()]
    for engine, known in results.prepared.items():
        text = (
            f"{known['seconds']:.1f} s, {known['cpu_seconds']:.1f} s of CPU, "
            f"{human_bytes(known['written_bytes'])} written, "
            f"{human_bytes(known['disk_bytes'])} kept"
        )
        rows.append((f"{TITLES[engine]}: filling the tables", text))
    return rows


def bars(axis, results: Results, height_of, tests: list[str]) -> None:
    """Groups of bars, one a test; height_of(test, engine) -> a number or None."""
    width = 0.8 / len(results.engines)
    for place, engine in enumerate(results.engines):
        xs = [n + (place - (len(results.engines) - 1) / 2) * width for n in range(len(tests))]
        heights = [height_of(test, engine) or 0 for test in tests]
        axis.bar(xs, heights, width * 0.92, color=COLOURS[engine], label=TITLES[engine])
    labels = [t.removeprefix("oltp_").removeprefix("select_").replace("_", "\n") for t in tests]
    axis.set_xticks(range(len(tests)), labels)
    axis.legend(frameon=False, ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0))


def ratio_plot(results: Results) -> str:
    """Throughput relative to the median of the last engine, with the single rounds as marks."""
    base = results.engines[-1]
    tests = list(results.cells)
    drawn, (axis,) = figure(10, 3.6)

    def relative(test: str, engine: str) -> float:
        cells = results.cells[test]
        return cells[engine].events_per_second / cells[base].events_per_second

    bars(axis, results, relative, tests)
    width = 0.8 / len(results.engines)
    for run in results.runs:
        place = results.engines.index(run.engine) - (len(results.engines) - 1) / 2
        scale = results.cells[run.test][base].events_per_second
        y = run.outcome.events_per_second / scale
        axis.plot(tests.index(run.test) + place * width, y, "_", color="black", markersize=6)
    axis.axhline(1, color="#444", linewidth=0.8)
    axis.set_ylabel(f"{TITLES[base]} = 1")
    return svg(drawn)


def latency_plot(results: Results) -> str:
    """Small multiples, one a test: the share of slower events over the latency."""
    tests = list(results.cells)
    columns = min(3, len(tests))
    rows = -(-len(tests) // columns)
    drawn, axes = figure(10, 2.7 * rows, columns, rows)
    for axis in axes[len(tests) :]:
        axis.set_visible(False)
    for axis, test in zip(axes, tests, strict=False):
        for engine in results.engines:
            runs = [r for r in results.runs if (r.test, r.engine) == (test, engine)]
            xs, ys = slower_share(merged(r.outcome.histogram for r in runs))
            axis.plot(xs, ys, color=COLOURS[engine], label=TITLES[engine], drawstyle="steps-post")
        axis.set_xscale("log")
        axis.set_yscale("log")
        axis.set_ylim(1e-4, 1.2)
        axis.set_title(test, fontsize=9)
        axis.set_xlabel("ms")
    axes[0].legend(frameon=False)
    return svg(drawn)


def cost_plot(results: Results, name: str, unit: str) -> str:
    drawn, (axis,) = figure(10, 3.2)
    tests = list(results.cells)
    bars(axis, results, lambda test, engine: getattr(results.cells[test][engine], name), tests)
    axis.set_ylabel(unit)
    return svg(drawn)


def disk_plot(results: Results) -> str:
    drawn, (axis,) = figure(6, 1.2 + 0.5 * len(results.engines))
    for place, engine in enumerate(reversed(results.engines)):
        filled, final = results.prepared[engine]["disk_bytes"], results.final_disk[engine]
        axis.barh(place + 0.2, filled / 2**20, 0.36, color=COLOURS[engine], alpha=0.6)
        axis.barh(place - 0.2, final / 2**20, 0.36, color=COLOURS[engine])
        axis.text(filled / 2**20, place + 0.2, " filled", va="center", fontsize=8)
        axis.text(final / 2**20, place - 0.2, " at the end", va="center", fontsize=8)
    axis.set_yticks(range(len(results.engines)), [TITLES[e] for e in reversed(results.engines)])
    axis.set_xlabel("MiB")
    axis.margins(x=0.15)
    return svg(drawn)
