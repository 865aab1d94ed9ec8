# SPDX-License-Identifier: GPL-2.0-only
"""The report of one or more benchmarks: one HTML file with everything in it, no script, no network.

Each plot is a <figure> whose attribute data-series names in JSON the elements that must be drawn
and how many points each has: a line a series, or a bar. So a check can tell whether all is there
(bench/page_check.py).
"""

import html
import json
import re
import time

from bench.contenders import TITLES
from bench.html_report import STYLE, escape, figure, svg
from bench.report import MINE, Figure, Plot, Report, bar_text, mark, number_text, ratio

COLOURS = {
    "rocksdb": "#0b5d8f",
    "myrocks": "#e08a1e",
    "innodb": "#9aa0a6",
    "innodb-8k": "#6b7178",
    "innodb-4k": "#43484d",
    "innodb-page": "#c3a6c9",
}
MORE_STYLE = """
figure { margin: 1em 0 } figcaption { font-weight: 600 } .missed { background: #fbe9e7 }
nav a { margin-right: 1em }
"""


def page(reports: list[Report]) -> str:
    """The whole file."""
    title = ", ".join(report.name for report in reports)
    body = [f"<h1>Benchmarks: {escape(title)}</h1><p>{time.strftime('%Y-%m-%d %H:%M')}</p>"]
    if len(reports) > 1:
        links = (f'<a href="#{escape(r.name)}">{escape(r.name)}</a>' for r in reports)
        body.append(f"<nav>{''.join(links)}</nav><h2>Bars</h2>{overview(reports)}")
    body += [section(report) for report in reports]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}{MORE_STYLE}</style></head><body>"
        + "\n".join(body)
        + "</body></html>\n"
    )


def section(report: Report) -> str:
    parts = [f'<h2 id="{escape(report.name)}">{escape(report.title)}</h2>']
    parts.append(f"<p>{escape(report.size)}; {report.seconds:.0f} s in all</p>")
    parts += [f'<p class="bad">Failed: {escape(failure)}</p>' for failure in report.failures]
    parts.append(f'<div class="scroll">{table(report)}</div>')
    parts += [drawn(f"{report.name}-{n}", plot) for n, plot in enumerate(report.plots)]
    rows = "".join(
        f'<tr><td>{escape(name)}</td><td class="left" style="white-space:normal">'
        f"<code>{escape(value)}</code></td></tr>"
        for name, value in report.facts.items()
    )
    parts.append(f"<details><summary>How it was measured</summary><table>{rows}</table></details>")
    return "\n".join(parts)


def overview(reports: list[Report]) -> str:
    """All figures that have a bar."""
    rows = [row(["benchmark", "figure", "Basalt's", "bar", "", "set for"], "th")]
    for report in reports:
        for one in report.figures:
            if one.bar is not None:
                value = number_text(one.bar.value(one.values))
                cells = [report.name, one.name, value, bar_text(one.bar), mark(one), one.bar.at]
                rows.append(row(cells, "td", one))
    return f"<table>{''.join(rows)}</table>"


def row(cells: list[str], kind: str, one: Figure | None = None) -> str:
    missed = ' class="missed"' if one is not None and one.met is False else ""
    return f"<tr{missed}>" + "".join(f"<{kind}>{escape(c)}</{kind}>" for c in cells) + "</tr>"


def table(report: Report) -> str:
    """The figures of one benchmark."""
    peers = [engine for engine in report.engines if engine != MINE]
    head = ["figure", "unit", *(TITLES[e] for e in report.engines)]
    head += [f": {TITLES[p]}" for p in peers] + ["bar", "", "set for"]
    rows = [row(head, "th")]
    for one in report.figures:
        cells = [one.name, one.unit]
        cells += [number_text(one.values.get(engine)) for engine in report.engines]
        for peer in peers:
            value = ratio(one.values, peer)
            cells.append("" if value is None else number_text(value))
        cells += [bar_text(one.bar), mark(one), one.bar.at if one.bar else ""]
        rows.append(row(cells, "td", one))
    return f"<table>{''.join(rows)}</table>"


def drawn(name: str, plot: Plot) -> str:
    """A plot as a <figure>."""
    filled = {engine: points for engine, points in plot.series.items() if points}
    if plot.kind == "bars":
        image = bars(name, plot, filled)
        counts = {f"{name}-{e}-{n}": 1 for e, ps in filled.items() for n in range(len(ps))}
    else:
        image = lines(name, plot, filled)
        counts = {f"{name}-{engine}": len(points) for engine, points in filled.items()}
    return (
        f'<figure id="{escape(name)}" data-series="{html.escape(json.dumps(counts))}">'
        f"<figcaption>{escape(plot.title)}</figcaption>{private_ids(image, name)}"
        f'<p class="note">{escape(plot.note)}</p></figure>'
    )


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
