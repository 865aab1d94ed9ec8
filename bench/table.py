# SPDX-License-Identifier: GPL-2.0-only
"""A table of texts, ready to be shown on a page or on a terminal."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Cell:
    """`tone` is 'good', 'bad' or empty."""

    text: str
    tone: str = ""


@dataclass
class Table:
    """The first `left` columns are texts, the others numbers, which are aligned right."""

    title: str
    head: list[str]
    rows: list[list[Cell]] = field(default_factory=list)
    left: int = 1

    def add(self, *cells: str | Cell) -> None:
        self.rows.append([Cell(c) if isinstance(c, str) else c for c in cells])
