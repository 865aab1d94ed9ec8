# SPDX-License-Identifier: GPL-2.0-only
"""The table on the terminal."""

import sys

from bench.contenders import TITLES
from bench.report import MINE, Figure, Report, bar_text, mark, number_text, ratio
from bench.summary import PAIRS, Cell


def human_bytes(size: float) -> str:
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(size) < 1024 or unit == "GiB":
            return f"{size:.0f} {unit}" if unit == "B" or size >= 100 else f"{size:.1f} {unit}"
        size /= 1024
    raise AssertionError("unreachable")


def results_table(cells: dict[str, dict[str, Cell]], ratios: dict, engines: list[str]):
    """One line a test and engine; the ratios stand beside the engine that is compared."""
    from rich.table import Table

    table = Table(title="Throughput: median of the rounds; ratios: median of the rounds' ratios")
    table.add_column("test")
    table.add_column("engine")
    columns = [
        "per second",
        "low-high",
        "p50 ms",
        "p95 ms",
        "p99 ms",
        "CPU us/query",
        "written/query",
    ]
    pairs = [pair for pair in PAIRS if set(pair) <= set(engines)]
    peers = list(dict.fromkeys(b for _, b in pairs))
    for name in columns + [f": {TITLES[p]}" for p in peers]:
        table.add_column(name, justify="right", no_wrap=True)
    for test, by_engine in cells.items():
        for number, (engine, cell) in enumerate(by_engine.items()):
            compared = [ratio_text(ratios[test].get(f"{engine}/{p}")) for p in peers]
            first = test if number == 0 else ""
            table.add_row(first, TITLES[engine], *cell_texts(cell), *compared)
        table.add_section()
    return table


def cell_texts(cell: Cell) -> list[str]:
    return [
        f"{cell.events_per_second:,.0f}",
        f"{cell.lowest:,.0f}-{cell.highest:,.0f}",
        f"{cell.p50:.3f}",
        f"{cell.p95:.3f}",
        f"{cell.p99:.3f}",
        f"{cell.cpu_microseconds_per_query:.1f}",
        human_bytes(cell.bytes_per_query),
    ]


def ratio_text(value: float | None) -> str:
    if value is None:
        return ""
    colour = "green" if value >= 1.0 else "red"
    return f"[{colour}]{value:.2f}[/{colour}]"


def data_table(prepared: dict[str, dict], final_disk: dict[str, int]):
    """What filling the tables took, and the size of the data."""
    from rich.table import Table

    table = Table(title="The data")
    for name in ("engine", "fill s", "CPU s", "written", "disk, filled", "disk, at the end"):
        table.add_column(name, justify="left" if name == "engine" else "right")
    for engine, facts in prepared.items():
        table.add_row(
            TITLES[engine],
            f"{facts['seconds']:.1f}",
            f"{facts['cpu_seconds']:.1f}",
            human_bytes(facts["written_bytes"]),
            human_bytes(facts["disk_bytes"]),
            human_bytes(final_disk[engine]),
        )
    return table


def print_report(report: Report) -> None:
    """A table with a line a figure: the values, Basalt's ratios, the bar and whether it is met."""
    from rich.console import Console

    console = Console() if sys.stdout.isatty() else Console(width=220)
    console.print(report_table(report))
    console.print(f"{report.size}; {report.seconds:.0f} s", markup=False, highlight=False)
    for failure in report.failures:
        console.print(f"FAILED: {failure}", style="red", markup=False)


def report_table(report: Report):
    from rich.table import Table

    table = Table(title=report.title)
    table.add_column("figure")
    table.add_column("unit")
    peers = [engine for engine in report.engines if engine != MINE]
    for name in [TITLES[e] for e in report.engines] + [f": {TITLES[p]}" for p in peers]:
        table.add_column(name, justify="right")
    for name in ("bar", "", "set for"):
        table.add_column(name)
    for figure in report.figures:
        values = [number_text(figure.values.get(engine)) for engine in report.engines]
        ratios = [coloured(figure, ratio(figure.values, peer)) for peer in peers]
        style = {"met": "[green]met[/green]", "MISSED": "[red]MISSED[/red]", "": ""}[mark(figure)]
        at = figure.bar.at if figure.bar else ""
        words = [figure.name, figure.unit, *values, *ratios, bar_text(figure.bar), style, at]
        table.add_row(*words)
    return table


def coloured(figure: Figure, value: float | None) -> str:
    if value is None:
        return ""
    if figure.more_is_better is None:
        return number_text(value)
    good = value >= 1.0 if figure.more_is_better else value <= 1.0
    return f"[{'green' if good else 'red'}]{number_text(value)}[/]"
