# SPDX-License-Identifier: GPL-2.0-only
"""Random small tables for schedules: every kind of key, a few rows with values close together."""

from dataclasses import dataclass
from random import Random

from tests.isolation.schedule import Table

VALUES = range(1, 10)
# kinds of primary keys: column definition, key definition
PRIMARY = {
    "int": ("a INT NOT NULL", "PRIMARY KEY (a)"),
    "auto": ("a INT NOT NULL AUTO_INCREMENT", "PRIMARY KEY (a)"),
    "string": ("a VARCHAR(5) NOT NULL", "PRIMARY KEY (a)"),
    "descending": ("a INT NOT NULL", "PRIMARY KEY (a DESC)"),
    "two": ("a INT NOT NULL", "PRIMARY KEY (b, a)"),
    "none": ("a INT NOT NULL", ""),
}
# name, columns, unique
SECONDARY = (
    ("kb", "b", False),
    ("kb", "b DESC", False),
    ("ub", "b", True),
    ("kc", "c", False),
    ("kc", "c DESC", False),
    ("uc", "c", True),
    ("kbc", "b, c", False),
    ("kcb", "c DESC, b", False),
    ("ubc", "b, c", True),
    ("uca", "c, a", True),
)
SMALL_AUTO = (("TINYINT", 127), ("TINYINT UNSIGNED", 255), ("SMALLINT", 32767))


@dataclass
class Shape:
    """What the statements need to know of a table: its columns are always a, b and c."""

    table: Table
    kind: str
    keys: list[tuple[str, list[str], bool]]  # name, columns, unique

    @property
    def name(self) -> str:
        return self.table.name

    @property
    def string(self) -> bool:
        return self.kind == "string"

    @property
    def auto(self) -> bool:
        return self.kind == "auto"

    def literal(self, column: str, number: int | None) -> str:
        if number is None:
            return "NULL"
        return f"'{chr(96 + number)}'" if self.string and column == "a" else str(number)

    def keys_of(self, column: str) -> list[str]:
        return [name for name, columns, _ in self.keys if columns[0] == column]


def random_shape(random: Random, name: str) -> Shape:
    kind = random.choice(("int", "int", "int", "auto", "string", "descending", "two", "none"))
    column, primary = PRIMARY[kind]
    options = ""
    if kind == "auto" and random.random() < 0.3:
        of_type, most = random.choice(SMALL_AUTO)
        column = column.replace("INT", of_type, 1)
        options = f" AUTO_INCREMENT={most - random.randrange(4)}"
    items = [column, "b INT NOT NULL", "c INT"]
    keys = []
    if primary:
        items.append(primary)
        keys.append(("PRIMARY", ["b", "a"] if kind == "two" else ["a"], True))
    chosen = random.sample(SECONDARY, random.choice((0, 1, 1, 1, 2, 2)))
    for key, columns, unique in chosen:
        if key in (name for name, _, _ in keys):
            continue
        items.append(f"{'UNIQUE ' if unique else ''}KEY {key} ({columns})")
        keys.append((key, [c.split()[0] for c in columns.split(", ")], unique))
    shape = Shape(Table(name, items, [], options), kind, keys)
    shape.table.rows = random_rows(random, shape)
    return shape


def random_rows(random: Random, shape: Shape) -> list[tuple[str, ...]]:
    """Rows that no unique key refuses, with gaps between the values."""
    count = random.choice((0, 2, 3, 3, 4, 4, 5, 6))
    single = {columns[0] for _, columns, unique in shape.keys if unique and len(columns) == 1}
    columns = []
    for column in "abc":
        if column == "a" or column in single or random.random() < 0.5:
            numbers = random.sample(VALUES, count)
        else:
            numbers = [random.choice(VALUES) for _ in range(count)]
        if column == "a":
            numbers.sort()
        if column == "c":
            numbers = [None if random.random() < 0.15 else n for n in numbers]
        columns.append([shape.literal(column, n) for n in numbers])
    rows = list(zip(*columns, strict=True))
    if any(unique and columns == ["b", "c"] for _, columns, unique in shape.keys):
        rows = list({row[1:]: row for row in rows}.values())
    return rows
