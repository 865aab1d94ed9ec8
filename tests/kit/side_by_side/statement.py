# SPDX-License-Identifier: GPL-2.0-only
"""One statement, kept in pieces so that the shrinker can take rows, columns or conditions away."""

import re
from dataclasses import dataclass, field, replace

LIKE = re.compile(r"(\b(?:[ab]|s)\.)?(\b\w+) LIKE '")


def without_like_range(text: str) -> str:
    """With a function of the column in place of the column, which no index has."""
    return LIKE.sub(lambda found: f"CONCAT({found[1] or ''}{found[2]}) LIKE '", text)


@dataclass
class Statement:
    """SQL text = head + joiner.join(items) + tail, or for INSERTs head + (columns) + VALUES rows.

    `compare` says what of the answer must agree:
      ordered   the rows in this order        multiset  the rows in any order
      effect    affected rows                 identity  affected rows and LAST_INSERT_ID
    The error number must agree always; for `exact_error` its text too.

    The peer gets stored columns instead of virtual ones and plain tables instead of temporary
    ones: it loses rows through indexes with virtual columns and in roll-backs of temporary tables.
    Its LIKE is kept from an index: in many collations the range that it reads there ends at
    U+FFFF, and characters beyond that are lost. Its transactions, when one of their statements has
    failed, are not registered, though their rows have ids: what asks the registry of transactions
    (`asks_registry`) and misses one there, is left out. So is a search for geometries that ends in
    error 1207 or 1041 there: it knows no rowid filter beside a SPATIAL index, nor an index merge
    with one in a subquery that is materialized.
    """

    head: str
    items: list[str] = field(default_factory=list)
    joiner: str = ", "
    tail: str = ""
    compare: str = "effect"
    columns: list[str] | None = None
    rows: list[list[str]] | None = None
    exact_error: bool = False
    connection: int = 0
    may_wait: bool = False  # another connection may have locked what it needs
    peer_first: str = ""  # what the peer alone runs before it, for a fault of its own
    asks_registry: bool = False
    note: object = None  # what the generator wants to know when it succeeded

    def sql(self, peer: bool = False) -> str:
        text = self.text()
        if not peer:
            return text
        text = text.replace("CREATE TEMPORARY TABLE", "CREATE TABLE", 1)
        return without_like_range(text.replace(") VIRTUAL", ") STORED"))

    def without_like_range(self) -> str:
        return without_like_range(self.text())

    def text(self) -> str:
        if self.rows is not None:
            rows = ", ".join("(" + ", ".join(row) + ")" for row in self.rows)
            return f"{self.head} ({', '.join(self.columns)}) VALUES {rows}{self.tail}"
        return self.head + self.joiner.join(self.items) + self.tail

    def smaller(self) -> list["Statement"]:
        """Variants with one piece less, big cuts first. Some may be no valid SQL: both engines
        then refuse them alike."""
        found = []
        if self.rows is not None:
            n = len(self.rows)
            if n > 3:
                found += [self._rows(self.rows[: n // 2]), self._rows(self.rows[n // 2 :])]
            if 1 < n <= 16:
                found += [self._rows(self.rows[:i] + self.rows[i + 1 :]) for i in range(n)]
            if self.tail:
                found.append(replace(self, tail=""))
        elif len(self.items) > 1:
            for i in range(len(self.items)):
                found.append(replace(self, items=self.items[:i] + self.items[i + 1 :]))
        return found

    def without_column(self, name: str) -> "Statement":
        """The same INSERT without one column; other statements are returned as they are."""
        if self.rows is None or name not in self.columns or len(self.columns) == 1:
            return self
        at = self.columns.index(name)
        rows = [row[:at] + row[at + 1 :] for row in self.rows]
        return replace(self, columns=self.columns[:at] + self.columns[at + 1 :], rows=rows)

    def _rows(self, rows: list[list[str]]) -> "Statement":
        return replace(self, rows=rows)
