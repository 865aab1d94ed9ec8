# SPDX-License-Identifier: GPL-2.0-only
"""The report of one or more benchmarks: one HTML file with everything in it, no script, no network.

Each plot is a <figure> whose attribute data-series names in JSON the elements that must be drawn
and how many points each has: a line a series, or a bar. So a check can tell whether all is there
(bench/page_check.py).
"""

import json
import re
import time
from dataclasses import dataclass

from bench import template
from bench.contenders import TITLES
from bench.drawing import COLOURS, figure, svg
from bench.report import MINE, Figure, Plot, Report, bar_text, mark, number_text, ratio


@dataclass(frozen=True)
class Row:
    """Of a table; `missed`: of a figure that misses its bar."""

    cells: list[str]
    missed: bool


def page(reports: list[Report]) -> str:
    """The whole file."""
    return template.render(
        "report.html",
        title=", ".join(report.name for report in reports),
        now=time.strftime("%Y-%m-%d %H:%M"),
        overview=overview(reports) if len(reports) > 1 else None,
        sections=[section(report) for report in reports],
    )


def section(report: Report) -> dict:
    drawings = [drawn(f"{report.name}-{n}", plot) for n, plot in enumerate(report.plots)]
    return {"report": report, "table": table(report), "drawings": drawings}


def overview(reports: list[Report]) -> dict:
    """All figures that have a bar."""
    rows = []
    for report in reports:
        for one in report.figures:
            if one.bar is not None:
                value = number_text(one.bar.value(one.values))
                cells = [report.name, one.name, value, bar_text(one.bar), mark(one), one.bar.at]
                rows.append(row(cells, one))
    return {"head": ["benchmark", "figure", "Basalt's", "bar", "", "set for"], "rows": rows}


def row(cells: list[str], one: Figure) -> Row:
    return Row(cells, one.met is False)


def table(report: Report) -> dict:
    """The figures of one benchmark."""
    peers = [engine for engine in report.engines if engine != MINE]
    head = ["figure", "unit", *(TITLES[e] for e in report.engines)]
    head += [f": {TITLES[p]}" for p in peers] + ["bar", "", "set for"]
    rows = []
    for one in report.figures:
        cells = [one.name, one.unit]
        cells += [number_text(one.values.get(engine)) for engine in report.engines]
        for peer in peers:
            value = ratio(one.values, peer)
            cells.append("" if value is None else number_text(value))
        cells += [bar_text(one.bar), mark(one), one.bar.at if one.bar else ""]
        rows.append(row(cells, one))
    return {"head": head, "rows": rows}


def drawn(name: str, plot: Plot) -> dict:
    """A plot, with the elements and points that the page must show of it."""
    filled = {engine: points for engine, points in plot.series.items() if points}
    if plot.kind == "bars":
        image = bars(name, plot, filled)
        counts = {f"{name}-{e}-{n}": 1 for e, ps in filled.items() for n in range(len(ps))}
    else:
        image = lines(name, plot, filled)
        counts = {f"{name}-{engine}": len(points) for engine, points in filled.items()}
    image = template.drawing(private_ids(image, name))
    return {"name": name, "plot": plot, "series": json.dumps(counts), "image": image}


def private_ids(image: str, name: str) -> str:
    """Ids within one image are unique in that image only: clip paths and marks get the plot's name
    before theirs, so that many images share a page."""
    mine = rf"(?!{re.escape(name)}-)"
    image = re.sub(rf'\bid="{mine}', f'id="in-{name}-', image)
    image = re.sub(r"url\(#", f"url(#in-{name}-", image)
    return re.sub(r'href="#', f'href="#in-{name}-', image)


def lines(name: str, plot: Plot, filled: dict[str, list[tuple]]) -> str:
    image, (axis,) = figure(10, 3.4)
    import matplotlib

    matplotlib.rcParams["path.simplify"] = (
        False  # all points are drawn, so that they can be counted
    )
    for engine, points in filled.items():
        xs, ys = [p[0] for p in points], [p[1] for p in points]
        marker = "o" if len(points) < 12 else ""
        axis.plot(xs, ys, color=COLOURS[engine], label=TITLES[engine], marker=marker,
                  markersize=4, linewidth=1.4, gid=f"{name}-{engine}")  # fmt: skip
    if plot.log_x:
        axis.set_xscale("log")
    if plot.log_y:
        axis.set_yscale("log")
    else:
        axis.set_ylim(bottom=0)
    return finished(image, axis, plot, filled)


def bars(name: str, plot: Plot, filled: dict[str, list[tuple]]) -> str:
    """Groups of bars, one a text on the x axis; each bar is an element of its own."""
    labels = list(dict.fromkeys(p[0] for points in filled.values() for p in points))
    image, (axis,) = figure(10, 3.2)
    width = 0.8 / max(1, len(filled))
    for place, (engine, points) in enumerate(filled.items()):
        shift = (place - (len(filled) - 1) / 2) * width
        xs = [labels.index(p[0]) + shift for p in points]
        ys = [p[1] for p in points]
        made = axis.bar(xs, ys, width * 0.92, color=COLOURS[engine], label=TITLES[engine])
        for n, patch in enumerate(made):
            patch.set_gid(f"{name}-{engine}-{n}")
    axis.set_xticks(range(len(labels)), labels)
    if plot.log_y:
        axis.set_yscale("log")
    return finished(image, axis, plot, filled)


def finished(image, axis, plot: Plot, filled: dict[str, list[tuple]]) -> str:
    axis.set_xlabel(plot.x_label)
    axis.set_ylabel(plot.y_label)
    if filled:
        axis.legend(frameon=False, ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    return svg(image)
