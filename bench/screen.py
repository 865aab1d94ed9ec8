# SPDX-License-Identifier: GPL-2.0-only
"""A report on the terminal."""

import sys

from bench import figure_table
from bench.report import Report
from bench.table import Cell, Table

STYLES = {"good": "green", "bad": "red"}


def print_report(report: Report, console=None) -> None:
    """Its tables, what was run, and what failed."""
    console = console or default_console()
    console.print(report.title, style="bold", markup=False, highlight=False)
    for table in figure_table.tables(report):
        console.print(drawn(table))
    console.print(f"{report.size}; {report.seconds:.0f} s", markup=False, highlight=False)
    for failure in report.failures:
        console.print(f"FAILED: {failure}", style="red", markup=False)


def default_console():
    """Never folds a table when the output is no terminal."""
    from rich.console import Console

    return Console() if sys.stdout.isatty() else Console(width=250)


def drawn(table: Table):
    """As rich shows it."""
    from rich import table as rich_table
    from rich.text import Text

    found = rich_table.Table(title=Text(table.title) if table.title else None)
    for number, name in enumerate(table.head):
        found.add_column(Text(name), justify="left" if number < table.left else "right")
    for row in table.rows:
        found.add_row(*(cell_text(cell) for cell in row))
    return found


def cell_text(cell: Cell):
    from rich.text import Text

    return Text(cell.text, style=STYLES.get(cell.tone, ""))
