# SPDX-License-Identifier: GPL-2.0-only
"""A connection that remembers what it has seen: is it still there after a crash?"""

import threading

import pymysql

from tests.kit.replicas.node import Node

# what grows only: table, key, number
GROWING = [
    "SELECT CONCAT('counter ', id), n FROM counter",
    "SELECT CONCAT('ledger ', owner), sequence FROM progress",
    "SELECT CONCAT('bank ', client), MAX(sequence) FROM transfer GROUP BY client",
]


class Reader:
    """Reads the primary all the time and remembers the most that it has seen."""

    def __init__(self, node: Node):
        self.node = node
        self.seen: dict[str, int] = {}
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self) -> None:
        try:
            with self.node.connect() as link, link.cursor() as cursor:
                while not self.stop.is_set():
                    self.look(cursor)
        except (pymysql.Error, OSError):
            pass  # the server has been killed

    def look(self, cursor) -> None:
        for query in GROWING:
            cursor.execute(query)
            for name, number in cursor.fetchall():
                self.seen[name] = max(self.seen.get(name, 0), number)

    def end(self) -> None:
        self.stop.set()
        self.thread.join(60)

    def missing(self, node: Node) -> list[str]:
        """What was seen, and is not there on another server."""
        there: dict[str, int] = {}
        with node.connect() as link, link.cursor() as cursor:
            for query in GROWING:
                cursor.execute(query)
                there.update(cursor.fetchall())
        return [
            f"{name}: {number} was seen, {there.get(name, 0)} is there"
            for name, number in self.seen.items()
            if there.get(name, 0) < number
        ]
