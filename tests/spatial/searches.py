# SPDX-License-Identifier: GPL-2.0-only
"""Searches of a SPATIAL index, compared with a scan of the same table."""

from random import Random

from tests.spatial import geometries

# by the extents; by the geometries themselves, which the server computes exactly
BY_EXTENT = ("MBRIntersects", "MBRWithin", "MBRContains", "MBREqual", "MBRDisjoint")
BY_SHAPE = (
    "ST_Intersects",
    "ST_Within",
    "ST_Contains",
    "ST_Equals",
    "ST_Touches",
    "ST_Crosses",
    "ST_Overlaps",
)
ROWS = 1500


class Searches:
    """A table of one family of geometries, and what searches of it have shown."""

    def __init__(self, link, family: str, rng: Random):
        self.link = link
        self.family = family
        self.rng = rng
        self.extents = [geometries.box(rng, family) for _ in range(200)]
        self.done = 0
        self.found = 0  # rows
        self.problems: list[str] = []

    def create(self, rows: int = ROWS) -> None:
        self.link.query("DROP TABLE IF EXISTS t")
        self.link.query("CREATE TABLE t (id INT PRIMARY KEY, g GEOMETRY NOT NULL, SPATIAL KEY (g))")
        values = [geometries.geometry(self.rng, self.family) for _ in range(rows)]
        values += [
            geometries.polygon(extent) for extent in self.extents if extent[:2] != extent[2:]
        ]
        rows = ", ".join(f"({i}, {geometries.sql(wkb)})" for i, wkb in enumerate(values))
        self.link.query(f"INSERT INTO t VALUES {rows}")

    def search(self) -> None:
        """One window, by one function, through the index and without it."""
        names = BY_EXTENT if self.family != "map" or self.rng.random() < 0.7 else BY_SHAPE
        window = geometries.sql(geometries.window(self.rng, self.family, self.extents))
        sides = ["g", window]
        if self.rng.random() < 0.3:
            sides.reverse()
        condition = f"{self.rng.choice(names)}({', '.join(sides)})"
        through, without = (self.rows(how, condition) for how in ("FORCE", "IGNORE"))
        self.done += 1
        self.found += len(without)
        if through != without:
            missing, excess = sorted(without - through)[:5], sorted(through - without)[:5]
            self.problems.append(f"{condition}: not found {missing}, found besides {excess}")

    def rows(self, how: str, condition: str) -> set[int]:
        with self.link.cursor() as cursor:
            cursor.execute(f"SELECT id FROM t {how} INDEX (g) WHERE {condition}")
            return {row[0] for row in cursor.fetchall()}
