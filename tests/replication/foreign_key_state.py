# SPDX-License-Identifier: GPL-2.0-only
"""What must hold of a replica whose tables have foreign keys: rows and definitions are those of the
primary, whatever the engines, and no row is without its parent."""

import re

from tests.kit import orphans
from tests.kit.clients.client import Problem
from tests.kit.replicas.compare import compare, table_names
from tests.kit.replicas.node import DATABASE, Node
from tests.replication.foreign_key_tables import KEPT

ENGINE = re.compile(r"\) ENGINE=\w+")
# What CHECK TABLE says of rows that sessions without checks have made, or definitions; the rows of
# single cases are compared with InnoDB's
EXPECTED = re.compile(
    r"CHECK TABLE (loose|changing|case\d+)_\w+: warning: CONSTRAINT", re.IGNORECASE
)


def compare_state(primary: Node, replica: Node) -> list[Problem]:
    """Nobody may be writing, and the replica must have caught up."""
    found = [p for p in compare(primary, replica) if not EXPECTED.match(p.text)]
    found += compare_definitions(primary, replica)
    for node in (primary, replica):
        lost, _ = orphans_of(node)
        found += [Problem("broken", f"server {node.number}: {text}") for text in lost]
    return found


def compare_definitions(primary: Node, replica: Node) -> list[Problem]:
    there, here = definitions(primary), definitions(replica)
    return [
        Problem("broken", f"replica {replica.number}: {here.get(name)} instead of {text}")
        for name, text in there.items()
        if here.get(name) != text
    ]


def definitions(node: Node) -> dict[str, str]:
    """SHOW CREATE TABLE without the engine."""
    with node.connect() as link, link.cursor() as cursor:
        found = {}
        for name in sorted(table_names(link)):
            cursor.execute(f"SHOW CREATE TABLE {name}")
            found[name] = ENGINE.sub(") ENGINE", cursor.fetchone()[1])
        return found


def orphans_of(node: Node) -> tuple[list[str], list[str]]:
    """Of the tables that are always checked, and of the others."""
    with node.connect() as link, link.cursor() as cursor:

        def ask(query: str) -> list[tuple]:
            cursor.execute(query)
            return list(cursor.fetchall())

        _, found = orphans.find(ask, DATABASE)
    kept = [text for text in found if text.startswith(f"{KEPT}_")]
    return kept, [text for text in found if text not in kept]
