# SPDX-License-Identifier: GPL-2.0-only
"""A ledger of geometries, with a SPATIAL index."""

from tests.kit.clients.client import Problem
from tests.kit.clients.ledger import KEYS, Ledger
from tests.kit.side_by_side.schema import EVERYWHERE


class Places(Ledger):
    """Points and lines that come, move and go; the index must find those that are there."""

    table, journal = "place", "place_progress"
    columns = "id, ST_AsText(g)"

    def create(self) -> list[str]:
        return [
            "CREATE TABLE place (id INT PRIMARY KEY, owner INT NOT NULL, g GEOMETRY NOT NULL,"
            " KEY owner (owner), SPATIAL KEY g (g))",
            "CREATE TABLE place_progress (owner INT PRIMARY KEY, sequence INT NOT NULL)",
            "INSERT INTO place_progress SELECT seq, 0 FROM seq_0_to_99",
        ]

    def geometry(self) -> str:
        """As the server writes it: a point, or a line whose extent may be small or large."""
        rng = self.rng
        x, y = rng.randrange(-500, 500), rng.randrange(-500, 500)
        if rng.random() < 0.4:
            return f"POINT({x} {y})"
        side = rng.choice([1, 30, 2000, 10**6])
        return f"LINESTRING({x} {y},{x + rng.randint(1, side)} {y - rng.randrange(side)})"

    def change(self, rows: dict) -> str:
        rng = self.rng
        key = self.number * KEYS + rng.randrange(KEYS)
        if key in rows and rng.random() < 0.3:
            del rows[key]
            return f"DELETE FROM place WHERE id={key}"
        is_new, text = key not in rows, self.geometry()
        rows[key] = (text,)
        value = f"ST_GeomFromText('{text}')"
        if is_new:
            return f"INSERT INTO place VALUES ({key}, {self.number}, {value})"
        return f"UPDATE place SET g={value} WHERE id={key}"

    def check(self, execute) -> list[Problem]:
        problems = super().check(execute)
        found = execute(
            f"SELECT id, ST_AsText(g) FROM place FORCE INDEX (g)"
            f" WHERE MBRIntersects(g, {EVERYWHERE}) AND owner={self.number}"
        )
        if {row[0]: tuple(row[1:]) for row in found} != self.rows or len(found) != len(self.rows):
            text = f"place {self.number}: {len(found)} found by the index of {len(self.rows)} rows"
            problems.append(Problem("half", text))
        return problems
