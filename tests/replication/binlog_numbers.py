# SPDX-License-Identifier: GPL-2.0-only
"""Which transactions a server's binary log holds: those of a replica, once each?"""

import re
from collections import Counter
from collections.abc import Iterable

from tests.kit.replicas.node import Node

GTID = re.compile(r"\bGTID (\d+)-(\d+)-(\d+)")


def logged(node: Node) -> list[int]:
    """The numbers of all its GTIDs, in their order. There must be one domain."""
    numbers: list[int] = []
    for row in node.server.query("SHOW BINARY LOGS"):
        events = node.server.query(f"SHOW BINLOG EVENTS IN '{row[0]}'")
        numbers += numbers_of((event[2], event[5]) for event in events)
    return numbers


def numbers_of(events: Iterable[tuple[str, str]]) -> list[int]:
    """Of events, each by its type and its description."""
    found = (GTID.search(text) for kind, text in events if kind == "Gtid")
    return [int(match[3]) for match in found if match]


def gaps(numbers: list[int], last: int) -> tuple[int, int]:
    """How many of 1 to `last` are missing, and how many are there again."""
    times = Counter(numbers)
    missing = sum(number not in times for number in range(1, last + 1))
    return missing, sum(count - 1 for count in times.values())
