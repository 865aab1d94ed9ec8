# SPDX-License-Identifier: GPL-2.0-only
"""What a primary's binary log holds of rows: of which tables, and what was done to them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from tests.kit.replicas.node import Node

TABLE = re.compile(r"table_id: (\d+) \(\w+\.(\w+)\)")
ROWS = re.compile(r"table_id: (\d+)")


@dataclass
class LogPlace:
    """Where the log ended."""

    file: str
    offset: int


def end_of_log(node: Node) -> LogPlace:
    file, offset, *_ = node.server.query("SHOW MASTER STATUS")[0]
    return LogPlace(file, offset)


def row_events(node: Node, since: LogPlace) -> list[str]:
    """As "Delete_rows p", in their order. The log must not have got a new file since."""
    events = node.server.query(f"SHOW BINLOG EVENTS IN '{since.file}' FROM {since.offset}")
    return described((event[2], event[5]) for event in events)


def described(events: Iterable[tuple[str, str]]) -> list[str]:
    """Of events, each by its type and its description."""
    names: dict[str, str] = {}
    found = []
    for kind, text in events:
        if kind == "Table_map" and (table := TABLE.search(text)):
            names[table[1]] = table[2]
        elif "_rows" in kind and (rows := ROWS.search(text)):
            found.append(f"{kind.removesuffix('_v1')} {names[rows[1]]}")
    return found
