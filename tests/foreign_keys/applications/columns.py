# SPDX-License-Identifier: GPL-2.0-only
"""Tables and constraints of a database, read from the server."""

from dataclasses import dataclass

COLUMNS = """SELECT COLUMN_NAME, DATA_TYPE, COLUMN_TYPE, IS_NULLABLE = 'YES',
 CHARACTER_MAXIMUM_LENGTH, EXTRA, IS_GENERATED = 'ALWAYS'
 FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = %s
 ORDER BY ORDINAL_POSITION"""
CONSTRAINTS = """SELECT CONSTRAINT_NAME, TABLE_NAME, COLUMN_NAME, REFERENCED_TABLE_NAME,
 REFERENCED_COLUMN_NAME FROM information_schema.KEY_COLUMN_USAGE
 WHERE CONSTRAINT_SCHEMA = DATABASE() AND REFERENCED_TABLE_SCHEMA = DATABASE()"""


@dataclass(frozen=True)
class Column:
    """`length` is in characters, of texts and bytes only; `whole`: its type as SQL writes it."""

    name: str
    kind: str
    whole: str
    nullable: bool
    length: int | None
    extra: str
    generated: bool

    @property
    def counts(self) -> bool:
        return "auto_increment" in self.extra


@dataclass(frozen=True)
class Constraint:
    name: str
    child: str
    columns: tuple[str, ...]
    parent: str
    referenced: tuple[str, ...]


def columns_of(cursor, table: str) -> list[Column]:
    cursor.execute(COLUMNS, (table,))
    return [
        Column(name, kind, whole, bool(nullable), length, extra, bool(generated))
        for name, kind, whole, nullable, length, extra, generated in cursor.fetchall()
    ]


def constraints_of(cursor) -> list[Constraint]:
    """All of the current database, by name."""
    cursor.execute(f"{CONSTRAINTS} ORDER BY CONSTRAINT_NAME, TABLE_NAME, ORDINAL_POSITION")
    parts: dict[tuple[str, str], list[tuple]] = {}
    for name, child, *rest in cursor.fetchall():
        parts.setdefault((name, child), []).append(tuple(rest))
    return [
        Constraint(
            name, child, tuple(p[0] for p in found), found[0][1], tuple(p[2] for p in found)
        )  # fmt: skip
        for (name, child), found in parts.items()
    ]


def parents_first(tables: list[str], constraints: list[Constraint]) -> list[str]:
    """The tables in an order in which parents precede their children; of a cycle in any."""
    parents = {table: set() for table in tables}
    for one in constraints:
        if one.child != one.parent:
            parents[one.child].add(one.parent)
    found: list[str] = []
    while len(found) < len(tables):
        left = [table for table in tables if table not in found]
        ready = [table for table in left if not parents[table] - set(found)]
        found += ready or left[:1]
    return found


def row_order(cursor, table: str) -> str:
    """Columns that tell rows apart: the primary key's, else all."""
    cursor.execute(
        "SELECT COLUMN_NAME FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE()"
        " AND TABLE_NAME = %s AND INDEX_NAME = 'PRIMARY' ORDER BY SEQ_IN_INDEX",
        (table,),
    )
    key = tuple(name for (name,) in cursor.fetchall())
    return named(key or tuple(column.name for column in columns_of(cursor, table)))


def literal(value) -> str:
    """A value of a key as SQL writes it."""
    if isinstance(value, str | bytes):
        return f"x'{(value.encode() if isinstance(value, str) else value).hex()}'"
    return str(value) if isinstance(value, int) else f"'{value}'"


def named(columns: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in columns)
