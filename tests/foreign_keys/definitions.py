# SPDX-License-Identifier: GPL-2.0-only
"""What a client is told of tables and constraints: SHOW CREATE TABLE, INFORMATION_SCHEMA."""

from tests.foreign_keys.schemas import Schemas

# asked for each database: a list of several would make the server open the tables of all
TABLES = (
    "SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.TABLES"
    " WHERE TABLE_SCHEMA = '{schema}' AND TABLE_TYPE <> 'VIEW' ORDER BY 2"
)
VIEWS = {
    "REFERENTIAL_CONSTRAINTS": "CONSTRAINT_SCHEMA",
    "KEY_COLUMN_USAGE": "TABLE_SCHEMA",
    "TABLE_CONSTRAINTS": "TABLE_SCHEMA",
}

Picture = dict[str, object]  # what was asked -> the answer


def tables(side: Schemas) -> list[str]:
    """The tables of both databases, as a statement of either side names them."""
    rows = in_both(side, TABLES)
    return [f"{{{schema}}}.`{name.replace('`', '``')}`" for schema, name in rows]


def in_both(side: Schemas, query: str) -> list[tuple]:
    """The rows of a query about {schema}, for both databases."""
    rows = []
    for schema in ("{here}", "{other}"):
        rows += side.execute(query.replace("{schema}", schema)).rows
    return rows


def picture(side: Schemas) -> Picture:
    """All that must be equal on both sides."""
    found: Picture = {"tables": tables(side)}
    for name in found["tables"]:
        answer = side.execute(f"SHOW CREATE TABLE {name}")
        found[name] = answer.text if answer.error else answer.rows[0][1]
    for view, column in VIEWS.items():
        query = f"SELECT * FROM information_schema.{view} WHERE {column} = '{{schema}}'"
        found[view] = sorted(in_both(side, query), key=repr)
    return found


def without_indexes(found: Picture) -> Picture:
    """Without the parents' indexes: of a parent that does not match InnoDB names one or none, as
    the last ALTER has left it."""
    column = 5  # UNIQUE_CONSTRAINT_NAME
    rows = [row[:column] + row[column + 1 :] for row in found["REFERENTIAL_CONSTRAINTS"]]
    return found | {"REFERENTIAL_CONSTRAINTS": rows}


def difference(tested: Picture, peer: Picture) -> tuple[str, object, object] | None:
    """The first answer that differs: what was asked, the tested engine's, the peer's."""
    for asked, theirs in peer.items():
        ours = tested.get(asked)
        if ours == theirs:
            continue
        if isinstance(theirs, list):
            return asked, without(ours, theirs), without(theirs, ours)
        return asked, ours, theirs
    return None


def without(rows: list, others: list) -> list:
    """Rows only of the first list; all of it when both have the same rows in another order."""
    return [row for row in rows if row not in others] or rows
