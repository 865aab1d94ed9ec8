# SPDX-License-Identifier: GPL-2.0-only
"""All that can be seen of databases with foreign keys, whether its parts agree, and whether the
constraints act."""

import re
from pathlib import Path
from typing import NamedTuple

import pymysql
from pymysql.constants import ER

from tests.kit import orphans
from tests.kit.check_tables import count_entries

State = dict[str, object]  # by a name of what it is, e.g. of a table with its database

NOWHERE = 900_001  # an id that no row has, nor does the next one
VIEWS = {
    "ROCKSDB_FOREIGN_KEYS": "TABLE_SCHEMA, TABLE_NAME, CONSTRAINT_NAME, ORDINAL_POSITION,"
    " COLUMN_NAME, REFERENCED_TABLE_SCHEMA, REFERENCED_TABLE_NAME, REFERENCED_COLUMN_NAME,"
    " DELETE_RULE, UPDATE_RULE, PARENT_EXISTS",
    "REFERENTIAL_CONSTRAINTS": "CONSTRAINT_SCHEMA, TABLE_NAME, CONSTRAINT_NAME,"
    " UNIQUE_CONSTRAINT_SCHEMA, REFERENCED_TABLE_NAME, DELETE_RULE, UPDATE_RULE",
    "KEY_COLUMN_USAGE": "TABLE_SCHEMA, TABLE_NAME, CONSTRAINT_NAME, ORDINAL_POSITION, COLUMN_NAME,"
    " REFERENCED_TABLE_SCHEMA, REFERENCED_TABLE_NAME, REFERENCED_COLUMN_NAME",
}
CONSTRAINT = re.compile(r"CONSTRAINT `(\w+)` FOREIGN KEY")
REFUSED_BY = re.compile(r"CONSTRAINT `(\w+)`")
INDEX_NUMBER = re.compile(r"\b[0-9a-f]{8}(?=[0-9a-f]{8,}\b)")  # of a key in hexadecimal digits


def read_state(execute, databases: tuple[str, ...]) -> State:
    """Raises pymysql.Error when a table cannot be read."""
    folder = execute("SELECT @@datadir")[0][0]
    state: State = {}
    for database in databases:
        state[database] = files(Path(folder, database))
        names = execute(
            f"SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = '{database}'"
        )
        for (name,) in sorted(names):
            state[f"{database}.{name}"] = read_table(execute, f"{database}.{name}")
        state[f"orphans of {database}"] = find_orphans(execute, database)
    for view, columns in VIEWS.items():
        rows = execute(f"SELECT {columns} FROM information_schema.{view}")
        state[view] = sorted(r for r in rows if r[0] in databases and r[6] is not None)
    return state


def find_orphans(execute, database: str) -> list[str]:
    """Where there is no parent's table, all children are orphans."""

    def ask(query: str) -> list[tuple]:
        try:
            return execute(query)
        except pymysql.ProgrammingError as error:
            if error.args[0] != ER.NO_SUCH_TABLE:
                raise
            return execute(query.partition(" AND NOT EXISTS ")[0])

    return orphans.find(ask, database)[1]


def files(folder: Path) -> list[str]:
    """An empty database is as good as one that is gone: a DROP DATABASE ends so."""
    names = [file.name for file in folder.iterdir()] if folder.exists() else []
    return sorted(name for name in names if name != "db.opt")


def read_table(execute, name: str) -> tuple:
    """Definition, rows, entries of the indexes, and what CHECK TABLE says, without the numbers of
    indexes, which a table that is made anew does not keep."""
    check = execute(f"CHECK TABLE {name} EXTENDED")
    return (
        execute(f"SHOW CREATE TABLE {name}")[0][1],
        sorted(execute(f"SELECT * FROM {name} FORCE INDEX (PRIMARY)")),
        count_entries(execute, name),
        [(*row[:3], INDEX_NUMBER.sub("", row[3])) for row in check],
    )


def contradictions(state: State) -> list[str]:
    """Where views and SHOW CREATE TABLE name other constraints."""
    told = {
        (*name.split("."), constraint)
        for name, table in state.items()
        if isinstance(table, tuple)
        for constraint in CONSTRAINT.findall(table[0])
    }
    return [
        f"{view} differs from SHOW CREATE TABLE by {told ^ named}"
        for view in VIEWS
        if (named := {tuple(row[:3]) for row in state[view]}) != told
    ]


class Key(NamedTuple):
    """A row of ROCKSDB_FOREIGN_KEYS."""

    database: str
    table: str
    name: str
    place: int
    column: str
    of: str
    parent: str
    parent_column: str
    delete_rule: str
    update_rule: str
    parent_exists: str


def without_effect(execute, state: State) -> list[str]:
    """Constraints that do not act, by attempts in transactions that are rolled back. They must be
    of one column."""
    keys = [Key(*row) for row in state["ROCKSDB_FOREIGN_KEYS"]]
    refusing = {key.name for key in keys if key.delete_rule in ("RESTRICT", "NO ACTION")}
    found = []
    for key in keys:
        for attempt in (try_child, try_parent):
            execute("BEGIN")
            wrong = attempt(execute, key, refusing)
            execute("ROLLBACK")
            found += [f"{key.name}: {wrong}"] if wrong else []
    return found


def try_child(execute, key: Key, _refusing: set[str]) -> str:
    columns = f"{key.database}.{key.table} (id, {key.column})"
    sql = f"INSERT INTO {columns} VALUES ({NOWHERE + 1}, {NOWHERE})"
    number, text = error_of(execute, sql)
    return "" if number == ER.NO_REFERENCED_ROW_2 else f"{sql}: {text or 'no error'}"


def try_parent(execute, key: Key, refusing: set[str]) -> str:
    """Deletes a parent. On the way of its cascades any constraint that refuses may do so."""
    if key.parent_exists != "YES":
        return ""
    child, parent = f"{key.database}.{key.table}", f"{key.of}.{key.parent}"
    equal = f"c.{key.column} = p.{key.parent_column}"
    used = execute(f"SELECT MAX(c.{key.column}) FROM {child} c JOIN {parent} p ON {equal}")[0][0]
    if used is None:
        return ""
    sql = f"DELETE FROM {parent} WHERE {key.parent_column} = {used}"
    number, text = error_of(execute, sql)
    if number == ER.ROW_IS_REFERENCED_2 and REFUSED_BY.search(text)[1] in refusing:
        return ""
    left = execute(f"SELECT COUNT(*) FROM {child} WHERE {key.column} = {used}")[0][0]
    ended_well = number == 0 and left == 0 and key.name not in refusing
    return "" if ended_well else f"{sql}: {text or 'no error'}, {left} children left"


def error_of(execute, sql: str) -> tuple[int, str]:
    """0 for none."""
    try:
        execute(sql)
    except pymysql.Error as error:
        return error.args[0], str(error)
    return 0, ""
