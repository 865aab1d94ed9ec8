# SPDX-License-Identifier: GPL-2.0-only
"""Transactions on a table while an ALTER builds an index of it, or all of it anew. In turn they
raise a column of all rows and lower it again: after a kill the rows are the low ones or the high
ones, whatever was in flight. An index that misses what the log of the build has is not that of the
rows."""

import threading
import time

import pymysql

from tests.kit.clients.client import GONE, RETRY, SHUTDOWN

# Grows at the ALTER's beginning, when new indexes and their log get numbers.
NUMBER = (
    "SELECT CAST(value AS INT) FROM information_schema.ROCKSDB_GLOBAL_INFO"
    " WHERE type = 'MAX_INDEX_ID'"
)
# At its end the table has the new ones.
NEWEST = (
    "SELECT MAX(index_number) FROM information_schema.ROCKSDB_DDL"
    " WHERE table_schema = 'crash' AND table_name = '{}'"
)
STEP = 7
ROW = 999  # that no table of the script has


def raised(rows: frozenset) -> frozenset:
    """(id, v) of the high rows."""
    return frozenset((i, v + STEP) for i, v in rows)


class Neighbour:
    """A context around the ALTER; no other one is under way. `logged`: transactions that had the
    table when its build was under way, so that all they did was logged. `assignments`: what
    an UPDATE of v must do besides. `high`: whether the rows are the high ones, as far as it knows;
    a transaction in flight may have made others of them."""

    def __init__(self, connect, table: str, assignments: list[str]):
        self.connect, self.table = connect, table
        self.assignments = assignments
        self.logged = 0
        self.high = False
        self.errors: list[str] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)

    def __enter__(self) -> "Neighbour":
        with self.connect() as link, link.cursor() as cursor:
            self._before = self._numbers(cursor)
        self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._stop.set()
        self._thread.join(90)

    def _work(self) -> None:
        try:
            with self.connect() as link, link.cursor() as cursor:
                while not self._stop.is_set():
                    self._transaction(cursor)
        except (pymysql.Error, OSError) as error:
            if not error.args or error.args[0] not in GONE + SHUTDOWN:
                self.errors.append(str(error))

    def _transaction(self, cursor) -> None:
        """While its metadata lock is held the ALTER can neither begin nor end."""
        try:
            cursor.execute("BEGIN")
            cursor.execute(f"SELECT v FROM {self.table} LIMIT 1")
            under_way = self._is_under_way(cursor)
            if under_way:
                self._change(cursor)
            cursor.execute("COMMIT")
            self.logged += under_way
            self.high ^= under_way
        except pymysql.Error as error:
            if error.args[0] not in RETRY:
                raise
            cursor.execute("ROLLBACK")
        time.sleep(0.0005)

    def _numbers(self, cursor) -> tuple[int, int]:
        found = []
        for question in (NUMBER, NEWEST.format(self.table)):
            cursor.execute(question)
            found.append(cursor.fetchone()[0])
        return found[0], found[1]

    def _is_under_way(self, cursor) -> bool:
        number, newest = self._numbers(cursor)
        return number > self._before[0] and newest == self._before[1]

    def _change(self, cursor) -> None:
        sign = "-" if self.high else "+"
        assignments = ", ".join([f"v = v {sign} {STEP}", *self.assignments])
        for statement in (
            f"INSERT INTO {{0}} (id, v) VALUES ({ROW}, 1)",
            "SAVEPOINT s",
            "DELETE FROM {0}",
            "ROLLBACK TO s",
            f"UPDATE {{0}} SET {assignments}",
            f"DELETE FROM {{0}} WHERE id = {ROW}",
        ):
            cursor.execute(statement.format(self.table))
