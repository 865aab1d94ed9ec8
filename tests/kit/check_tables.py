# SPDX-License-Identifier: GPL-2.0-only
"""What must hold of every table of a database, whatever has happened to the server."""

import pymysql

from tests.kit.clients.client import Problem


def check_tables(execute) -> list[Problem]:
    """CHECK TABLE, and every index has as many entries as the table has rows. Sequences have none,
    and the server does not check them."""
    problems = []
    for name, _ in execute("SHOW FULL TABLES WHERE table_type = 'BASE TABLE'"):
        try:
            problems += check_table(execute, name)
        except pymysql.Error as error:
            problems.append(Problem("broken", f"{name}: {error}"))
    return problems


def check_table(execute, name: str) -> list[Problem]:
    problems = []
    # a warning stands before the line that says OK
    for _, _, level, words in execute(f"CHECK TABLE {name} EXTENDED"):
        if (level, words) != ("status", "OK"):
            problems.append(Problem("broken", f"CHECK TABLE {name}: {level}: {words}"))
    counts = count_entries(execute, name)
    if len(set(counts.values())) > 1:
        problems.append(Problem("half", f"{name}: entries by index {counts}"))
    return problems


def count_entries(execute, name: str) -> dict[str, int]:
    """By index, of a table as a statement names it."""
    return {
        key: execute(f"SELECT COUNT(*) FROM {name} FORCE INDEX (`{key}`)")[0][0]
        for key in {r[2] for r in execute(f"SHOW KEYS FROM {name}")}
    }
