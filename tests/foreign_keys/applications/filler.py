# SPDX-License-Identifier: GPL-2.0-only
"""Rows for the tables of a schema: values by the columns' types, and parents that there are.

What is inserted depends on the schema and the rows alone, so it is the same on both sides. An
INSERT may fail (a check of the application, a trigger); then it has to fail on both.
"""

import re

from tests.foreign_keys.applications.columns import (
    Column,
    Constraint,
    columns_of,
    constraints_of,
    literal,
    named,
    parents_first,
)
from tests.foreign_keys.applications.side import Side, answer_of

ELEMENT = re.compile(r"'((?:[^']|'')*)'")
WHOLE = ("tinyint", "smallint", "mediumint", "int", "bigint")
FIXED = {
    "date": "2024-02-{:02}",
    "datetime": "2024-02-{:02} 10:00:00",
    "timestamp": "2024-02-{:02} 10:00:00",
    "time": "10:00:{:02}",
    "year": "20{:02}",
}
PARENTS = 100  # of so many rows of a parent, the first, children are made
EVERY_NULL = 5  # of so many rows one has NULL where it may


class Filler:
    """Inserts up to `rows` rows into each table of a side's database, or with `only_empty` into
    those that have none. `without_value`: columns that stay NULL."""

    def __init__(
        self, rows: int, without_value: frozenset[str] = frozenset(), only_empty: bool = False
    ):
        self.rows, self.without_value, self.only_empty = rows, without_value, only_empty

    def __call__(self, side: Side) -> list[str]:
        """The answers to all INSERTs."""
        with side.connect() as link, link.cursor() as cursor:
            constraints = constraints_of(cursor)
            return [
                answer
                for table in parents_first(side.tables(), constraints)
                for answer in self.fill(cursor, table, constraints)
            ]

    def fill(self, cursor, table: str, constraints: list[Constraint]) -> list[str]:
        cursor.execute(f"SELECT EXISTS (SELECT * FROM `{table}`)")
        if self.only_empty and cursor.fetchall() == ((1,),):
            return []
        own = [one for one in constraints if one.child == table]
        columns = [c for c in columns_of(cursor, table) if c.name not in self.without_value]
        answers = []
        for number in range(1, self.rows + 1):
            statement = insert(cursor, table, columns, own, number)
            answers.append(f"{table} {number}: {answer_of(cursor, statement)}")
        return answers


def insert(
    cursor, table: str, columns: list[Column], constraints: list[Constraint], number: int
) -> str:
    """The statement for a table's row of that number, counted from 1."""
    values = {
        column.name: value_of(column, number)
        for column in columns
        if not column.counts and not column.generated
    }
    # two constraints to one parent do not name the same row
    for place, constraint in enumerate(constraints):
        values |= parent_values(cursor, constraint, columns, number - place)
    texts = ", ".join(values.values())
    return f"INSERT INTO `{table}` ({named(tuple(values))}) VALUES ({texts})"


def parent_values(
    cursor, constraint: Constraint, columns: list[Column], number: int
) -> dict[str, str]:
    """Values of a constraint's columns: those of some parent's row, or NULL."""
    nullable = all(c.nullable for c in columns if c.name in constraint.columns)
    roots = constraint.child == constraint.parent and number < 3
    if nullable and (roots or number % EVERY_NULL == 0):
        return dict.fromkeys(constraint.columns, "NULL")
    key = named(constraint.referenced)
    cursor.execute(f"SELECT {key} FROM `{constraint.parent}` ORDER BY {key} LIMIT {PARENTS}")
    rows = [row for row in cursor.fetchall() if None not in row]
    if not rows:
        return dict.fromkeys(constraint.columns, "NULL") if nullable else {}
    row = rows[number % len(rows)]
    return {name: literal(value) for name, value in zip(constraint.columns, row, strict=True)}


def value_of(column: Column, number: int) -> str:
    """A value that differs from row to row, as SQL writes it."""
    if column.nullable and number % EVERY_NULL == 0:
        return "NULL"
    if column.kind in FIXED:
        return f"'{FIXED[column.kind].format(number % 28 + 1)}'"
    if column.kind in ("enum", "set"):
        elements = ELEMENT.findall(column.whole)
        return f"'{elements[number % len(elements)]}'"
    if column.kind in WHOLE or column.kind in ("float", "double", "decimal"):
        return str(number if column.whole != "tinyint(1)" else number % 2)
    if column.kind == "bit":
        return f"b'{number % 2}'"
    text = f"{number}{column.name}"[: column.length or 30]
    # of fixed length: an identifier, for which checks ask for its full length
    if column.kind == "binary":
        return f"x'{text.encode().hex().ljust(2 * column.length, '0')}'"
    return f"'{text}'"
