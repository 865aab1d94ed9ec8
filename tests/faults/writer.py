# SPDX-License-Identifier: GPL-2.0-only
"""A client that inserts rows and keeps book of what was acknowledged."""

import threading
import time

import pymysql
from pymysql.constants import ER

from tools.server import PrivateServer

# the last one: the server's
FULL_WORDS = ("disk is full", "disk is almost full", "disk is too full", "Disk full")
HANGS_AFTER = 60  # seconds without an answer


class Writer(threading.Thread):
    """Inserts rows of its own, one or a few a transaction, until stopped. An error is no fault as
    long as it says that the disk is full, or, with `dies`, that the server is gone."""

    def __init__(self, server: PrivateServer, table: str, number: int, dies: bool = False):
        super().__init__(daemon=True)
        self.server = server
        self.table = table
        self.dies = dies
        self.number = number
        self.acknowledged: set[int] = set()
        self.unknown: set[int] = set()
        self.errors: list[str] = []
        self.wrong: list[str] = []
        self._stop_asked = threading.Event()

    def run(self) -> None:
        link = self.server.connect("d", autocommit=False, read_timeout=HANGS_AFTER)
        next_id = self.number * 1_000_000
        with link, link.cursor() as cursor:
            while not self._stop_asked.is_set():
                ids = list(range(next_id, next_id + 1 + next_id % 5))
                next_id = ids[-1] + 1
                self._insert(link, cursor, ids)

    def _insert(self, link, cursor, ids: list[int]) -> None:
        try:
            for row in ids:
                cursor.execute(f"INSERT INTO {self.table} VALUES ({row}, {row % 7}, RAND(), '')")
            self.unknown.update(ids)
            link.commit()
        except pymysql.MySQLError as error:
            self.errors.append(str(error))
            if self.dies:
                self._stop_asked.set()
                return
            if not says_full(error):
                self.wrong.append(str(error))
            try:
                link.rollback()
            except pymysql.MySQLError as again:
                self.wrong.append(str(again))
            time.sleep(0.05)
        else:
            self.unknown.difference_update(ids)
            self.acknowledged.update(ids)

    def stop(self) -> None:
        self._stop_asked.set()
        self.join()


def says_full(error: pymysql.MySQLError) -> bool:
    return error.args[0] == ER.DISK_FULL or any(word in str(error) for word in FULL_WORDS)


def check_rows(
    server: PrivateServer, table: str, writers: list[Writer], before: range = range(0)
) -> str:
    """What was acknowledged must be there, and nothing that nobody has written; `before`: the rows
    that the table had. The finding in words, '' when all is well."""
    # In one snapshot: what a full disk has left prepared may be committed at any moment.
    with server.connect("d") as link, link.cursor() as cursor:
        cursor.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT")
        cursor.execute(f"SELECT id FROM {table} FORCE INDEX (PRIMARY)")
        found = {row[0] for row in cursor.fetchall()}
        cursor.execute(f"SELECT COUNT(*) FROM {table} FORCE INDEX (by_a)")
        by_index = cursor.fetchone()[0]
    acknowledged = set(before).union(*(w.acknowledged for w in writers))
    unknown = set().union(*(w.unknown for w in writers))
    lost, made_up = acknowledged - found, found - acknowledged - unknown
    if lost or made_up or by_index != len(found):
        return (
            f"{len(lost)} of {len(acknowledged)} acknowledged rows are lost, {len(made_up)} rows "
            f"were rolled back and are there, {len(found)} rows and {by_index} entries"
        )
    return ""
