# SPDX-License-Identifier: GPL-2.0-only
"""Rows that refer to a parent that is not there, by a query for each constraint of a database."""

from itertools import groupby

CONSTRAINTS = (
    "SELECT CONSTRAINT_NAME, TABLE_NAME, COLUMN_NAME, REFERENCED_TABLE_SCHEMA,"
    " REFERENCED_TABLE_NAME, REFERENCED_COLUMN_NAME FROM information_schema.KEY_COLUMN_USAGE"
    " WHERE TABLE_SCHEMA = '{0}' AND REFERENCED_TABLE_NAME IS NOT NULL"
    " ORDER BY CONSTRAINT_NAME, ORDINAL_POSITION"
)


def find(ask, database: str) -> tuple[int, list[str]]:
    """How many constraints were looked at, and what breaks them. `ask` gives the rows of a
    query."""
    found, rows = [], ask(CONSTRAINTS.format(database))
    constraints = [list(parts) for _, parts in groupby(rows, key=lambda row: row[0])]
    for parts in constraints:
        name, child, _, schema, parent, _ = parts[0]
        values = ", ".join(f"c.`{part[2]}`" for part in parts)
        complete = " AND ".join(f"c.`{part[2]}` IS NOT NULL" for part in parts)
        equal = " AND ".join(f"p.`{part[5]}` = c.`{part[2]}`" for part in parts)
        lost = ask(
            f"SELECT {values} FROM `{database}`.`{child}` c WHERE {complete}"
            f" AND NOT EXISTS (SELECT 1 FROM `{schema}`.`{parent}` p WHERE {equal})"
        )
        found += [f"{name}: {child} has {row} without a parent" for row in lost]
    return len(constraints), found
