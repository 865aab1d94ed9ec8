# SPDX-License-Identifier: GPL-2.0-only
"""Many windows in one statement: a table of them is joined to the geometries, by the index and by
a scan."""

from tests.spatial import geometries
from tests.spatial.searches import Searches

CONDITIONS = (
    "MBRIntersects(t.g, w.g)",
    "MBRWithin(t.g, w.g)",
    "MBRContains(t.g, w.g)",
    "MBREqual(t.g, w.g)",
    "MBRWithin(w.g, t.g)",
    "MBRContains(w.g, t.g)",
)
# One line for each window that finds anything: two sums tell which rows.
FOUND = (
    "SELECT STRAIGHT_JOIN w.id, COUNT(*), SUM(t.id), SUM(t.id * t.id)"
    " FROM w, t {how} INDEX (g) WHERE {condition} GROUP BY w.id"
)
WINDOWS = 1000  # a statement


class ManyWindows:
    """Searches the table of `searches`, which exists, and collects problems as it does."""

    def __init__(self, searches: Searches):
        self.searches = searches
        self.link = searches.link
        self.done = 0
        self.found = 0  # rows
        self.problems: list[str] = []

    def create(self) -> None:
        self.link.query("DROP TABLE IF EXISTS w")
        self.link.query("CREATE TABLE w (id INT PRIMARY KEY, g GEOMETRY NOT NULL)")

    def search(self) -> None:
        """New windows, and one condition."""
        made = self.searches
        windows = [
            geometries.sql(geometries.window(made.rng, made.family, made.extents))
            for _ in range(WINDOWS)
        ]
        rows = ", ".join(f"({number}, {window})" for number, window in enumerate(windows))
        self.link.query(f"REPLACE INTO w VALUES {rows}")
        condition = made.rng.choice(CONDITIONS)
        through, without = (self.rows(how, condition) for how in ("FORCE", "IGNORE"))
        self.done += WINDOWS
        self.found += sum(count for count, *_ in without.values())
        for number in sorted(through.keys() | without.keys()):
            ours, scanned = through.get(number), without.get(number)
            if ours != scanned:
                self.problems.append(
                    f"{condition} with {windows[number]}: found {ours}, by a scan {scanned}"
                )

    def rows(self, how: str, condition: str) -> dict[int, tuple]:
        statement = FOUND.format(how=how, condition=condition)
        with self.link.cursor() as cursor:
            cursor.execute("EXPLAIN " + statement)
            uses_index = any("Range checked" in str(row[-1]) for row in cursor.fetchall())
            if uses_index != (how == "FORCE"):
                self.problems.append(f"{statement} takes another way than is to be compared")
            cursor.execute(statement)
            return {number: tuple(sums) for number, *sums in cursor.fetchall()}
