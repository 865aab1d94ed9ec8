# SPDX-License-Identifier: GPL-2.0-only
"""Rows of the tables of `./dev bench spatial`, made of shores (tools/setup/shores.py)."""

import random
import struct
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from tools.errors import DevError

POINT, POLYGON = 1, 3  # kinds in well-known binary
SEED = 20261130


class ShoreRows:
    """`points` has points of shores. `areas` has of each shore the rectangle around it, from islets
    to continents, and for the rest polygons between a piece of shore and the line from its one end
    to the other. Row n of a table is the same in all runs."""

    def __init__(self, shores: Mapping[str, np.ndarray]):
        self.points = shores["points"]
        self.pieces = shores["pieces"]
        self.extents = shores["extents"]
        number = len(self.extents) + len(self.pieces)
        self.areas = np.random.default_rng(SEED).permutation(number)

    def check(self, rows: int) -> None:
        """DevError unless each table can have so many rows."""
        most = min(len(self.points), len(self.areas))
        if rows > most:
            raise DevError(f"{rows:,} rows were asked for; the shores give {most:,}")

    def geometry(self, table: str, row: int) -> bytes:
        """In well-known binary."""
        if table == "points":
            return struct.pack("<BIdd", 1, POINT, *self.points[row])
        return self._area(self.areas[row])

    def _area(self, number: int) -> bytes:
        if number < len(self.extents):
            west, south, east, north = self.extents[number]
            return polygon([(west, south), (east, south), (east, north), (west, north)])
        return polygon(self.pieces[number - len(self.extents)])

    def write(self, table: str, rows: int, file: Path) -> Path:
        """What LOAD DATA reads: numbers from 1 on, and geometries as hexadecimal digits."""
        with file.open("w") as out:
            for row in range(rows):
                out.write(f"{row + 1}\t{self.geometry(table, row).hex()}\n")
        return file

    def near(self, rng: random.Random) -> tuple[float, float]:
        """A place at a shore."""
        x, y = self.points[rng.randrange(len(self.points))]
        return float(x), float(y)


def polygon(corners) -> bytes:
    ring = np.array([*corners, corners[0]], dtype="<f8")
    return struct.pack("<BIII", 1, POLYGON, 1, len(ring)) + ring.tobytes()
