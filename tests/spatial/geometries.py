# SPDX-License-Identifier: GPL-2.0-only
"""Geometries and windows as well-known binary, so that each coordinate is exactly the one meant."""

import math
import struct
from random import Random

POINT, LINE, POLYGON, MULTIPOINT, COLLECTION = 1, 2, 3, 4, 7
LARGEST = 1.7976931348623157e308
SMALLEST = 5e-324
FAMILIES = ("map", "borders", "any numbers")

Box = tuple[float, float, float, float]  # least x, least y, greatest x, greatest y


def points(at: list[tuple[float, float]]) -> bytes:
    return struct.pack("<I", len(at)) + b"".join(struct.pack("<dd", *p) for p in at)


def head(kind: int) -> bytes:
    return struct.pack("<BI", 1, kind)


def point(x: float, y: float) -> bytes:
    return head(POINT) + struct.pack("<dd", x, y)


def line(box: Box) -> bytes:
    return head(LINE) + points([(box[0], box[3]), (box[2], box[1])])


def polygon(box: Box) -> bytes:
    left, bottom, right, top = box
    ring = [(left, bottom), (left, top), (right, top), (right, bottom), (left, bottom)]
    return head(POLYGON) + struct.pack("<I", 1) + points(ring)


def multipoint(box: Box) -> bytes:
    return head(MULTIPOINT) + struct.pack("<I", 2) + point(box[0], box[1]) + point(box[2], box[3])


def collection(box: Box) -> bytes:
    return head(COLLECTION) + struct.pack("<I", 2) + point(box[0], box[3]) + line(box)


def sql(wkb: bytes) -> str:
    return f"ST_GeomFromWKB(x'{wkb.hex()}')"


def on_map(rng: Random) -> Box:
    """Points, houses, countries and continents on a map of degrees."""
    x, y = rng.uniform(-180, 180), rng.uniform(-90, 90)
    if rng.random() < 0.5:
        return (x, y, x, y)
    side = 10 ** rng.uniform(-5, 2)
    return (x, y, x + side * rng.random(), y + side * rng.random())


def on_borders(rng: Random) -> Box:
    """Corners on borders of cells of many grids, or a number to the side of one."""

    def coordinate() -> float:
        border = rng.randint(-4, 4) * 2.0 ** rng.randint(-40, 12)
        return rng.choice((border, math.nextafter(border, -1e9), math.nextafter(border, 1e9)))

    return ordered([coordinate() for _ in range(4)])


def of_any_numbers(rng: Random) -> Box:
    """Huge and tiny numbers side by side."""

    def coordinate() -> float:
        power = math.ldexp(1.0, rng.randint(-1074, 1023))
        number = rng.choice(
            (0.0, power, math.nextafter(power, 0), LARGEST, SMALLEST, rng.random() * power, 1.0)
        )
        return rng.choice((number, -number))

    corners = [coordinate() for _ in range(4)]
    if rng.random() < 0.3:
        corners[2:] = corners[:2]
    return ordered(corners)


def ordered(corners: list[float]) -> Box:
    a, b, c, d = corners
    return (min(a, c), min(b, d), max(a, c), max(b, d))


def box(rng: Random, family: str) -> Box:
    return {"map": on_map, "borders": on_borders, "any numbers": of_any_numbers}[family](rng)


def geometry(rng: Random, family: str) -> bytes:
    """One of any type with a random extent of the family."""
    extent = box(rng, family)
    if extent[:2] == extent[2:]:
        return rng.choice((point(*extent[:2]), multipoint(extent)))
    return rng.choice((line, polygon, multipoint, collection))(extent)


def window(rng: Random, family: str, extents: list[Box]) -> bytes:
    """A window of the family; or one of the extents that are there, or a corner of it."""
    extent = box(rng, family)
    if extents and rng.random() < 0.5:
        extent = rng.choice(extents)
        if rng.random() < 0.5:
            extent = (extent[2], extent[3], extent[2], extent[3])
    return point(*extent[:2]) if extent[:2] == extent[2:] else polygon(extent)
