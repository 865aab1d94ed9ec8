# SPDX-License-Identifier: GPL-2.0-only
"""What must hold after a crash of a server under clients."""

from collections.abc import Iterable

from tests.kit import orphans
from tests.kit.check_tables import check_tables
from tests.kit.clients.client import Client, Problem


def check_clients(clients: Iterable[Client], connection, database: str) -> list[Problem]:
    """Nothing that a client was told is lost, tables and indexes agree, no row is without its
    parent. What has gone wrong for the clients since the last check is told, and forgotten.
    `connection`: to the database of that name."""
    problems = []
    with connection.cursor() as cursor:

        def execute(sql: str) -> list[tuple]:
            cursor.execute(sql)
            return list(cursor.fetchall()) if cursor.description else []

        for client in clients:
            problems += [Problem("broken", error) for error in client.counts.errors]
            client.counts.errors.clear()
            problems += check_client(client, execute)
        problems += check_tables(execute)
        problems += [Problem("orphan", row) for row in orphans.find(execute, database)[1]]
    return problems


def check_client(client: Client, execute) -> list[Problem]:
    try:
        return client.check(execute)
    except Exception as error:  # one that fails hides no other
        return [Problem("broken", f"{type(client).__name__}: {type(error).__name__}: {error}")]
