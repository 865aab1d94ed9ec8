# SPDX-License-Identifier: GPL-2.0-only
"""Statements that meet each constraint of a filled schema from both ends.

Of a child: a row gets a parent that does not exist, and one that does. Of a parent: a row that has
children gets another key, is replaced by itself, is deleted. Each statement is a transaction. Most
are taken back, so that the next meet full tables; the others make the rows that are compared.
"""

from collections import Counter
from random import Random

from tests.foreign_keys.applications.columns import (
    Constraint,
    constraints_of,
    literal,
    named,
    row_order,
)
from tests.foreign_keys.applications.side import Side, answer_of

EVERY_COMMIT = 6  # of so many statements one is committed


class Touches:
    """`limit`: so many constraints at the most, drawn by the seed."""

    def __init__(self, seed: int, limit: int | None = None):
        self.seed, self.limit = seed, limit

    def __call__(self, side: Side) -> list[str]:
        """The answers to all statements."""
        draw = Random(self.seed)
        with side.connect() as link, link.cursor() as cursor:
            constraints = constraints_of(cursor)
            pairs = Counter((one.child, one.parent) for one in constraints)
            twice = {parent for (_, parent), count in pairs.items() if count > 1}
            if self.limit and len(constraints) > self.limit:
                constraints = draw.sample(constraints, self.limit)
            return [
                answer
                for one in constraints
                for answer in touch(cursor, one, draw, one.parent in twice)
            ]


def touch(cursor, constraint: Constraint, draw: Random, twice: bool) -> list[str]:
    """All that is done about one constraint; nothing when no child has a parent. `twice`: a child
    refers to the parent by two constraints. Then the parent keeps its key: InnoDB looks for it by
    one while it is under way (docs/compatibility.md)."""
    keys = referenced_keys(cursor, constraint)
    answers = [f"{constraint.name}: {len(keys)} keys"]
    # drawn whether or not they are used, so that both sides go on alike
    chosen, other, commits = draw.random(), draw.random(), [draw.random() for _ in range(5)]
    if not keys:
        return answers
    order = row_order(cursor, constraint.child)
    asked = statements(
        constraint, keys[int(chosen * len(keys))], keys[int(other * len(keys))], order
    )
    for statement, commit in zip(asked, commits, strict=True):
        if twice and statement.startswith(f"UPDATE `{constraint.parent}`"):
            continue
        cursor.execute("BEGIN")
        answers.append(f"{statement}: {answer_of(cursor, statement)}")
        answers.append(answer_of(cursor, f"SELECT COUNT(*) FROM `{constraint.child}`"))
        cursor.execute("COMMIT" if commit * EVERY_COMMIT < 1 else "ROLLBACK")
    return answers


def referenced_keys(cursor, constraint: Constraint) -> list[tuple]:
    """The keys that children name."""
    present = " AND ".join(f"`{name}` IS NOT NULL" for name in constraint.columns)
    columns = named(constraint.columns)
    cursor.execute(f"SELECT DISTINCT {columns} FROM `{constraint.child}` WHERE {present}")
    return sorted(cursor.fetchall())


def statements(constraint: Constraint, key: tuple, other: tuple, order: str) -> list[str]:
    """In the order in which a later one finds most of what it needs. Of a child one row changes,
    so that nothing depends on the order in which an engine finds them."""
    child, parent = f"`{constraint.child}`", f"`{constraint.parent}`"
    here = f"WHERE {where(constraint.columns, key)} ORDER BY {order} LIMIT 1"
    there = f"WHERE {where(constraint.referenced, key)}"
    again = ", ".join(equal(constraint.columns, other))
    return [
        f"UPDATE {child} SET `{constraint.columns[0]}` = 113 {here}",
        f"UPDATE {child} SET {again} {here}",
        f"UPDATE {parent} SET `{constraint.referenced[0]}` = 114 {there}",
        f"REPLACE INTO {parent} SELECT * FROM {parent} {there}",
        f"DELETE FROM {parent} {there}",
    ]


def where(columns: tuple[str, ...], key: tuple) -> str:
    return " AND ".join(equal(columns, key))


def equal(columns: tuple[str, ...], key: tuple) -> list[str]:
    return [f"`{name}` = {literal(value)}" for name, value in zip(columns, key, strict=True)]
