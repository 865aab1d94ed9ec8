# SPDX-License-Identifier: GPL-2.0-only
"""The figures of reports as tables, the same for page and terminal."""

from bench.contenders import TITLES
from bench.figure import Bar, Figure
from bench.report import Report
from bench.table import Cell, Table


def tables(report: Report) -> list[Table]:
    """A table for each part, with a line a figure: values, ratios, the bar and whether it is met.
    The tables that the benchmark has made itself follow."""
    parts: dict[str, list[Figure]] = {}
    for figure in report.figures:
        parts.setdefault(figure.part, []).append(figure)
    return [part_table(report, title, found) for title, found in parts.items()] + report.tables


def part_table(report: Report, title: str, figures: list[Figure]) -> Table:
    judged = any(figure.bar for figure in figures)
    head = ["figure", "unit", *(report.title_of(e) for e in report.engines)]
    head += [f": {report.title_of(peer)}" for peer in report.peers]
    table = Table(title, head + (["bar", "", "set for"] if judged else []), left=2)
    for figure in figures:
        values = [value_text(figure, engine) for engine in report.engines]
        ratios = [ratio_cell(figure, report.mine, peer) for peer in report.peers]
        last = [bar_text(figure.bar), verdict(figure), figure.bar.at if figure.bar else ""]
        table.add(figure.name, figure.unit, *values, *ratios, *(last if judged else []))
    return table


def overview(reports: list[Report]) -> Table:
    """All figures that have a bar."""
    table = Table("Bars", ["benchmark", "figure", "Basalt's", "bar", "", "set for"], left=2)
    for report in reports:
        for figure in report.figures:
            if figure.bar is not None:
                value = number_text(figure.bar.value(figure))
                bar = bar_text(figure.bar)
                table.add(
                    report.name, figure.name, value, bar, verdict(figure), figure.bar.at
                )  # fmt: skip
    return table


def value_text(figure: Figure, engine: str) -> str:
    """The value, with the lowest and the highest round behind it where they look different."""
    if figure.values.get(engine) is None:
        return figure.words.get(engine, number_text(None))
    text = number_text(figure.values.get(engine))
    ends = list(dict.fromkeys(number_text(end) for end in figure.range(engine) or ()))
    return f"{text} ({'-'.join(ends)})" if len(ends) == 2 else text


def ratio_cell(figure: Figure, mine: str, peer: str) -> Cell:
    value = figure.ratio(mine, peer)
    if value is None:
        return Cell("")
    if figure.more_is_better is None:
        return Cell(ratio_text(value))
    good = value >= 1.0 if figure.more_is_better else value <= 1.0
    return Cell(ratio_text(value), "good" if good else "bad")


def verdict(figure: Figure) -> Cell:
    return {True: Cell("met", "good"), False: Cell("MISSED", "bad"), None: Cell("")}[figure.met]


def bar_text(bar: Bar | None) -> str:
    """Like '>= 2.0 x InnoDB'."""
    if bar is None:
        return ""
    sign = ">=" if bar.at_least else "<="
    return f"{sign} {bar.limit:.3g}" + (f" x {TITLES[bar.against]}" if bar.against else "")


def number_text(value: float | None) -> str:
    """Three digits that count, thousands apart."""
    if value is None:
        return "-"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.3g}"


def ratio_text(value: float) -> str:
    """Two digits behind the point, or three that count where there would be none."""
    return f"{value:.2f}" if 0.1 <= value < 100 else number_text(value)
