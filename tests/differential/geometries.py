# SPDX-License-Identifier: GPL-2.0-only
"""Columns of geometries, SPATIAL keys on them, and conditions for which the server takes a key.

Coordinates are few and exact in decimal: extents touch, contain and equal one another often.
Left out: a geometry without points, and infinite coordinates, which the tier `spatial` has."""

from random import Random

from tests.kit.side_by_side import values
from tests.kit.side_by_side.schema import Column, Key, Table

TYPES = ("GEOMETRY", "GEOMETRY", "POINT", "POINT", "LINESTRING", "POLYGON", "MULTIPOINT")
SHAPES = ("POINT", "LINESTRING", "POLYGON", "MULTIPOINT")
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


def random_type(rng: Random) -> values.ColumnType:
    kind = values.ColumnType(rng.choice(TYPES), "geometry", exact=False, is_blob=True)
    kind.make = lambda r: literal(r, r.choice(SHAPES) if kind.sql == "GEOMETRY" else kind.sql)
    kind.pool = [kind.make(rng) for _ in range(rng.randint(4, 12))]
    return kind


def coordinate(rng: Random) -> str:
    if rng.random() < 0.1:
        return rng.choice(["0.5", "-1024.25", "1e6", "-1e9", "65536"])
    return str(rng.randint(-6, 8))


def literal(rng: Random, shape: str) -> str:
    def at() -> str:
        return f"{coordinate(rng)} {coordinate(rng)}"

    if shape == "POINT":
        text = f"POINT({at()})"
    elif shape == "POLYGON":
        text = box(rng)
    else:
        points = ", ".join(at() for _ in range(rng.randint(2, 4)))
        text = f"{shape}({points})"
    return f"ST_GeomFromText('{text}')"


def box(rng: Random) -> str:
    x, y = rng.randint(-8, 7), rng.randint(-8, 7)
    right, top = x + rng.choice([1, 2, 5, 500]), y + rng.choice([1, 2, 5, 500])
    return f"POLYGON(({x} {y}, {right} {y}, {right} {top}, {x} {top}, {x} {y}))"


def condition(rng: Random, column: Column, dot: str = "") -> str:
    name = dot + column.name
    roll = rng.random()
    window = literal(rng, rng.choice(["POLYGON", "POLYGON", *SHAPES]))
    if rng.random() < 0.4:
        window = column.type.literal(rng)
    if roll < 0.05:
        return f"ST_Distance({name}, {window}) < {rng.randint(1, 9)}"
    if roll < 0.1:
        # By its SPATIAL index InnoDB misses rows whose extent meets that of the window and whose
        # shape does not: this one is left to a scan.
        return f"ST_Disjoint(ST_GeomFromWKB(ST_AsWKB({name})), {window})"
    if roll < 0.15:
        return f"{name} = {window}"
    sides = [name, window]
    if rng.random() < 0.3:
        sides.reverse()
    return f"{rng.choice(BY_EXTENT if roll < 0.6 else BY_SHAPE)}({', '.join(sides)})"


def is_geometry(column: Column) -> bool:
    return column.type.family == "geometry"


def add_some(rng: Random, table: Table) -> None:
    """To a new table; the server takes no such column into one with partitions."""
    if table.partitions or rng.random() < 0.65:
        return
    for number in range(rng.choice([1, 1, 2])):
        column = Column(f"p{number}", random_type(rng), rng.random() < 0.15)
        table.columns.append(column)
        if not column.nullable and rng.random() < 0.8:
            table.keys.append(Key(f"s{number}", [(column, 0)], spatial=True))


def new_key(rng: Random, table: Table, name: str) -> Key | None:
    """On a column that can have one."""
    fit = [c for c in table.columns if is_geometry(c) and not c.nullable]
    return Key(name, [(rng.choice(fit), 0)], spatial=True) if fit else None
