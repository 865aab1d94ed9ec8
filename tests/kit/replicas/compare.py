# SPDX-License-Identifier: GPL-2.0-only
"""Are two servers the same, row by row?"""

from tests.kit.check_tables import check_tables
from tests.kit.clients.client import Problem
from tests.kit.replicas.node import DATABASE, Node

SHOWN = 3


def compare(primary: Node, replica: Node) -> list[Problem]:
    """Tables, definitions and rows of both; the indexes of the replica against its rows. Nobody
    may be writing, and the replica must have caught up."""
    with primary.connect() as there, replica.connect() as here:
        names, found = table_names(there), table_names(here)
        if names != found:
            return [Problem("broken", f"replica {replica.number}: tables {names ^ found}")]
        problems = []
        for name in sorted(names):
            problems += compare_table(name, there, here, replica.number)
        with here.cursor() as cursor:

            def execute(sql: str) -> list[tuple]:
                cursor.execute(sql)
                return list(cursor.fetchall()) if cursor.description else []

            problems += check_tables(execute)
    return problems


def rows(link, statement: str) -> list[tuple]:
    with link.cursor() as cursor:
        cursor.execute(statement)
        return list(cursor.fetchall())


def table_names(link) -> set[str]:
    return {r[0] for r in rows(link, f"SHOW TABLES FROM {DATABASE}")}


def compare_table(name: str, there, here, number: int) -> list[Problem]:
    columns = [r[0] for r in rows(there, f"SHOW COLUMNS FROM {name}")]
    hashed = "CRC32(CONCAT_WS('|', " + ", ".join(f"QUOTE({c})" for c in columns) + "))"
    query = f"SELECT COUNT(*), BIT_XOR({hashed}), SUM({hashed}) FROM {name}"
    if rows(there, query) == rows(here, query):
        return []
    expected, actual = (set(rows(x, f"SELECT * FROM {name}")) for x in (there, here))
    missing, extra = expected - actual, actual - expected
    text = f"replica {number}: {name}: {len(missing)} rows missing, {len(extra)} too many"
    text += f", e.g. {shown(missing)} and {shown(extra)}"
    return [Problem("lost" if missing else "extra", text)]


def shown(found: set[tuple]) -> str:
    return str(sorted(found, key=repr)[:SHOWN])
