# SPDX-License-Identifier: GPL-2.0-only
"""What must agree when a history has ended: the tables, their definitions, their contents read
through every index in both directions, and CHECK TABLE."""

import re
from collections import Counter

from tests.kit.side_by_side.schema import EVERYWHERE

Found = tuple[str, str, str]  # what was asked, the tested engine's answer, the peer's


def check(tested, peer) -> Found | None:
    """None when all agrees. The arguments are runner.Side objects without open transactions."""
    found = agree(tested, peer, "SHOW TABLES")
    if found:
        return found
    for (name,) in peer.execute("SHOW TABLES").rows:
        found = check_table(tested, peer, name)
        if found:
            return found
    return None


def check_table(tested, peer, table: str) -> Found | None:
    create = f"SHOW CREATE TABLE {table}"
    a, b = (definition(side, create) for side in (tested, peer))
    if a != b:
        return create, a, b
    for side in (tested, peer):
        answer = side.execute(f"CHECK TABLE {table} EXTENDED")
        if not answer.rows or answer.rows[-1][-1] != "OK":
            return f"CHECK TABLE {table} EXTENDED ({side.engine})", str(answer), "OK"
    found = agree(tested, peer, f"SELECT * FROM {table}")
    if " WITH SYSTEM VERSIONING" in a:
        found = found or agree(tested, peer, f"SELECT * FROM {table} FOR SYSTEM_TIME ALL")
    for query in scans(peer, table):
        found = found or agree(tested, peer, query)
    return found


def definition(side, create: str) -> str:
    answer = side.execute(create)
    if answer.error:
        return f"error {answer.error}: {answer.text}"
    text = re.sub(r"ENGINE[ =]*\w+", "ENGINE", answer.rows[0][1])
    return text.replace(") VIRTUAL", ") STORED")


def scans(side, table: str) -> list[str]:
    """Queries that read the table through each of its indexes, whole rows and index only."""
    keys: dict[str, list[tuple[str, bool]]] = {}
    queries = []
    for row in side.execute(f"SHOW KEYS FROM {table}").rows:
        if row[10] == "FULLTEXT":  # read by searches only; CHECK TABLE EXTENDED has compared it
            continue
        if row[10] == "SPATIAL":
            source = f"FROM {table} FORCE INDEX ({row[2]})"
            queries.append(f"SELECT * {source} WHERE MBRIntersects({row[4]}, {EVERYWHERE})")
            continue
        keys.setdefault(row[2], []).append((row[4], row[7] is not None))
    for key, parts in keys.items():
        columns = ", ".join(c for c, _ in parts)
        source = f"FROM {table} FORCE INDEX ({key})"
        if any(prefix for _, prefix in parts):
            first = parts[0][0]
            queries.append(f"SELECT * {source} WHERE {first} >= '' AND {first} IS NOT NULL")
            continue
        backwards = ", ".join(f"{c} DESC" for c, _ in parts)
        queries.append(f"SELECT * {source} ORDER BY {columns}")
        queries.append(f"SELECT * {source} ORDER BY {backwards}")
        queries.append(f"SELECT {columns} {source} ORDER BY {columns}")
        queries.append(f"SELECT COUNT(*) {source}")
    return queries


def agree(tested, peer, query: str) -> Found | None:
    a, b = tested.execute(query), peer.execute(query)
    if a.error or b.error:
        return (query, str(a), str(b)) if a.error != b.error else None
    only_a, only_b = difference(a.rows, b.rows), difference(b.rows, a.rows)
    if not only_a and not only_b:
        return None
    return (
        query,
        f"{len(a.rows)} rows, only here: {only_a[:6]}",
        f"{len(b.rows)} rows, only here: {only_b[:6]}",
    )


def difference(rows: list[tuple], others: list[tuple]) -> list[tuple]:
    """Rows that occur more often in `rows` than in `others`."""
    return list((Counter(rows) - Counter(others)).elements())
