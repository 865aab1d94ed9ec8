# SPDX-License-Identifier: GPL-2.0-only
"""What must hold of the tables of schema.py in a copy, or after a tool has changed them: the
constraints are there, no row lacks its parent, and each constraint does what it says."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from difflib import unified_diff

import pymysql
from pymysql.constants import ER

from tests.client_tools.constraints.schema import CONSTRAINTS, Pair
from tests.kit.clients.client import Problem

Ask = Callable[[str], list[tuple]]
SHOWN = 8  # lines of a difference
NOWHERE = "'-999'"  # no row has this value, in columns of numbers and of text
RESTRICTS = ("RESTRICT", "NO ACTION")


@dataclass(frozen=True)
class Constraint:
    """One column of a child that refers to one of a parent."""

    name: str
    child: str
    column: str
    parent: str
    referred: str
    on_delete: str


def asker(cursor) -> Ask:
    def ask(sql: str) -> list[tuple]:
        cursor.execute(sql)
        return list(cursor.fetchall()) if cursor.description else []

    return ask


def constraints(ask: Ask, pair: Pair) -> list[Constraint]:
    rows = ask(
        "SELECT k.CONSTRAINT_NAME, CONCAT(k.TABLE_SCHEMA, '.', k.TABLE_NAME), k.COLUMN_NAME,"
        " CONCAT(k.REFERENCED_TABLE_SCHEMA, '.', k.REFERENCED_TABLE_NAME),"
        " k.REFERENCED_COLUMN_NAME, r.DELETE_RULE FROM information_schema.KEY_COLUMN_USAGE k"
        " JOIN information_schema.REFERENTIAL_CONSTRAINTS r USING (CONSTRAINT_SCHEMA,"
        f" CONSTRAINT_NAME) WHERE CONSTRAINT_SCHEMA IN ('{pair.near}', '{pair.far}')"
        " ORDER BY k.CONSTRAINT_SCHEMA, k.CONSTRAINT_NAME"
    )
    return [Constraint(*row) for row in rows]


def all_tables(ask: Ask, pair: Pair) -> list[str]:
    """Those of schema.py, and what a tool has made or left beside them."""
    return [f"{d}.{t}" for d in (pair.near, pair.far) for (t,) in ask(f"SHOW TABLES FROM {d}")]


def definitions(ask: Ask, pair: Pair, tables: list[str]) -> dict[str, str]:
    """SHOW CREATE TABLE by the table's name, whatever the engine, and with the same names for the
    databases of any pair."""
    found = {}
    for table in tables:
        text = ask(f"SHOW CREATE TABLE {table}")[0][1]
        text = text.replace(f"`{pair.near}`", "`near`").replace(f"`{pair.far}`", "`far`")
        found[table.split(".")[1]] = re.sub(r"ENGINE=\w+", "ENGINE=ANY", text)
    return found


def unequal(expected: dict[str, str], found: dict[str, str]) -> list[Problem]:
    """Texts by name; tells the lines in which they differ."""
    problems = []
    for name in sorted(expected.keys() | found.keys()):
        texts = [(side.get(name) or "").splitlines() for side in (expected, found)]
        difference = list(unified_diff(*texts, n=0, lineterm=""))[2:]  # two lines of names
        lines = [line for line in difference if line[0] in "-+"][:SHOWN]
        if lines:
            text = "\n".join(f"      {line}" for line in lines)
            problems.append(Problem("lost", f"{name}: expected (-) and found (+)\n{text}"))
    return problems


def rows(ask: Ask, pair: Pair, columns: dict[str, str]) -> dict[str, list[tuple]]:
    """The rows of each table; `columns`: which, by the table's name without database."""
    found = {}
    for table in pair.tables():
        name = table.split(".")[1]
        found[name] = sorted(ask(f"SELECT {columns[name]} FROM {table}"), key=repr)
    return found


def columns(ask: Ask, pair: Pair) -> dict[str, str]:
    return {
        table.split(".")[1]: ", ".join(r[0] for r in ask(f"SHOW COLUMNS FROM {table}"))
        for table in pair.tables()
    }


def holds(ask: Ask, pair: Pair) -> list[Problem]:
    """All that can be asked of the tables alone. Leaves their rows as they are. A tool may leave
    constraints of its own tables beside those of schema.py."""
    found = constraints(ask, pair)
    problems = []
    if len(found) < CONSTRAINTS:
        problems.append(Problem("lost", f"{len(found)} of {CONSTRAINTS} constraints"))
    for constraint in found:
        problems += orphans(ask, constraint)
        problems += refuses(ask, constraint)
        problems += acts(ask, constraint)
    return problems + complaints(ask, pair)


def orphans(ask: Ask, c: Constraint) -> list[Problem]:
    rows = ask(
        f"SELECT c.{c.column} FROM {c.child} c WHERE c.{c.column} IS NOT NULL"
        f" AND NOT EXISTS (SELECT 1 FROM {c.parent} p WHERE p.{c.referred} = c.{c.column})"
    )
    return [Problem("half", f"{c.name}: without a parent {rows[:5]}")] if rows else []


def error_of(ask: Ask, statement: str) -> int:
    """Runs the statement and takes it back; its error, 0 for none."""
    ask("BEGIN")
    try:
        ask(statement)
        return 0
    except pymysql.Error as error:
        return error.args[0]
    finally:
        ask("ROLLBACK")


def refuses(ask: Ask, c: Constraint) -> list[Problem]:
    """A row of the child cannot be made one without a parent."""
    change = f"UPDATE {c.child} SET {c.column} = {NOWHERE} WHERE {c.column} IS NOT NULL LIMIT 1"
    error = error_of(ask, change)
    if error == ER.NO_REFERENCED_ROW_2:
        return []
    return [Problem("broken", f"{c.name}: error {error} for a row without a parent")]


def acts(ask: Ask, c: Constraint) -> list[Problem]:
    """The parent of the child's last row cannot be deleted, or takes its children with it. Of the
    last one, because visits refer to the first ones."""
    last = ask(f"SELECT MAX({c.column}) FROM {c.child}")[0][0]
    delete = f"DELETE FROM {c.parent} WHERE {c.referred} = '{last}'"
    if c.on_delete in RESTRICTS:
        error = error_of(ask, delete)
        expected = ER.ROW_IS_REFERENCED_2
        text = f"{c.name}: error {error} for DELETE of a parent"
        return [] if error == expected else [Problem("broken", text)]
    ask("BEGIN")
    try:
        ask(delete)
        left = ask(f"SELECT COUNT(*) FROM {c.child} WHERE {c.column} = '{last}'")[0][0]
        return [Problem("half", f"{c.name}: {left} children of a deleted parent")] if left else []
    except pymysql.Error as error:
        return [Problem("broken", f"{c.name}: DELETE of a parent: {error}")]
    finally:
        ask("ROLLBACK")


def complaints(ask: Ask, pair: Pair) -> list[Problem]:
    """CHECK TABLE says OK and nothing else: rows without a parent are a warning beside it."""
    found = []
    for table in pair.tables():
        said = [row[2:] for row in ask(f"CHECK TABLE {table} EXTENDED")]
        if said != [("status", "OK")]:
            found.append(Problem("broken", f"CHECK TABLE {table}: {said}"))
    return found
