# SPDX-License-Identifier: GPL-2.0-only
"""Statements that wait for a table behind a foreign key while it gets another name.

An INSERT into a child waits for the metadata lock of its parent. The foreign key follows the
parent; what has the old name then is another table.

A DELETE from a parent waits for a child that a cascade may change. When the lock is there, other
tables may be children than those that the statement has opened: it ends like a deadlock, without
an effect, and can be repeated. So tools that swap tables work beside an application that repeats
deadlocks. InnoDB's goes on, because it changes children without the server."""

import threading
import time
from dataclasses import dataclass, field

import pymysql
from pymysql.constants import ER

from tests.kit import orphans
from tests.kit.side_by_side.runner import ENGINES

DATABASE = "fk_renames"
PATIENCE = 20.0  # seconds for a statement to come to its lock
TABLES = (
    "CREATE TABLE p (id INT PRIMARY KEY)",
    "CREATE TABLE o (id INT PRIMARY KEY)",
    "CREATE TABLE c (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES p (id))",
    "INSERT INTO p VALUES (1)",
    "INSERT INTO o VALUES (7)",
)


@dataclass(frozen=True)
class Case:
    """`value` refers to a row of the table that was p before the RENAME, or, with an error, to none
    of it."""

    rename: str
    value: int
    error: int = 0


CASES = (
    Case("RENAME TABLE p TO q", 1),
    Case("RENAME TABLE p TO q, q TO p", 1),
    Case("RENAME TABLE p TO q, o TO p", 1),
    Case("RENAME TABLE p TO q, o TO p", 7, ER.NO_REFERENCED_ROW_2),
    Case("RENAME TABLE p TO q, o TO p, q TO o", 7, ER.NO_REFERENCED_ROW_2),
)
CHILD = (
    "CREATE TABLE {0} (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES p (id) ON DELETE {1})"
)


@dataclass(frozen=True)
class Swap:
    """What becomes of the child `c` while a DELETE from its parent waits for it. `action`: of the
    foreign keys. The RENAME gives `c` the rows of `n`, if it is in it. `error`: of the DELETE."""

    rename: str
    action: str
    error: int = ER.LOCK_DEADLOCK


SWAPS = (
    Swap("RENAME TABLE c TO z, n TO c", "CASCADE"),
    Swap("RENAME TABLE c TO z, n TO c", "SET NULL"),
    Swap("RENAME TABLE c TO z, n TO c", "RESTRICT", ER.ROW_IS_REFERENCED_2),
    Swap("RENAME TABLE c TO z", "CASCADE"),
    Swap("ALTER TABLE c DROP FOREIGN KEY c_ibfk_1", "CASCADE", 0),
)


@dataclass
class Renames:
    server: object
    engine: str
    problems: list[str] = field(default_factory=list)

    def run(self) -> None:
        for case in CASES:
            self.run_case(case)
        for swap in SWAPS:
            self.run_swap(swap)

    def run_case(self, case: Case) -> None:
        self.create()
        reading, renaming, writing = (self.server.connect(DATABASE) for _ in range(3))
        for sql in ("BEGIN", "SELECT * FROM p"):  # RENAME waits for this table alone
            execute(reading, sql)
        rename = Sent(renaming, case.rename)
        self.wait_for(reading, case.rename)
        insert = Sent(writing, f"INSERT INTO c VALUES (1, {case.value})")
        if self.engine == "rocksdb":  # InnoDB's does not wait
            self.wait_for(reading, insert.sql)
        execute(reading, "COMMIT")
        for sent, wanted in ((rename, 0), (insert, case.error)):
            answer = sent.answer()
            if answer != wanted:
                self.problems.append(f"{case.rename}: {sent.sql}: error {answer}, not {wanted}")
        found = orphans.find(lambda sql: execute(reading, sql), DATABASE)[1]
        self.problems += [f"{case.rename}: {line}" for line in found]
        for connection in (reading, renaming, writing):
            connection.close()

    def run_swap(self, swap: Swap) -> None:
        self.create()
        reading, renaming, writing = (self.server.connect(DATABASE) for _ in range(3))
        for table in ("c", "n"):
            for sql in (
                f"DROP TABLE IF EXISTS {table}",
                CHILD.format(table, swap.action),
                f"INSERT INTO {table} VALUES (1, 1)",
            ):
                execute(writing, sql)
        for sql in ("BEGIN", "SELECT * FROM c"):
            execute(reading, sql)
        rename = Sent(renaming, swap.rename)
        self.wait_for(reading, swap.rename)
        delete = Sent(writing, "DELETE FROM p")
        self.wait_for(reading, delete.sql)
        execute(reading, "COMMIT")
        error = swap.error if self.engine == "rocksdb" or swap.action == "RESTRICT" else 0
        for sent, wanted in ((rename, 0), (delete, error)):
            answer = sent.answer()
            if answer != wanted:
                self.problems.append(f"{swap}: {sent.sql}: error {answer}, not {wanted}")
        self.repeat(swap, writing)
        for connection in (reading, renaming, writing):
            connection.close()

    def repeat(self, swap: Swap, writing) -> None:
        """Nothing was done by halves, and the same statement works, or is refused, for good."""
        rows = execute(writing, "SELECT COUNT(*) FROM p")[0][0]
        if rows != (1 if swap.error else 0) and self.engine == "rocksdb":
            self.problems.append(f"{swap}: {rows} parents")
        again = Sent(writing, "DELETE FROM p").answer()
        if again != (swap.error if swap.action == "RESTRICT" else 0):
            self.problems.append(f"{swap}: again, error {again}")
        found = orphans.find(lambda sql: execute(writing, sql), DATABASE)[1]
        self.problems += [f"{swap}: {line}" for line in found]

    def create(self) -> None:
        with self.server.connect() as connection:
            execute(connection, "SET foreign_key_checks = 0")
            execute(connection, f"CREATE OR REPLACE DATABASE {DATABASE}")
            execute(connection, f"USE {DATABASE}")
            execute(connection, f"SET default_storage_engine = {ENGINES[self.engine]}")
            for sql in TABLES:
                execute(connection, sql)

    def wait_for(self, connection, sql: str) -> None:
        query = (
            "SELECT COUNT(*) FROM information_schema.PROCESSLIST"
            f" WHERE STATE = 'Waiting for table metadata lock' AND INFO = '{sql}'"
        )
        end = time.monotonic() + PATIENCE
        while execute(connection, query)[0][0] == 0:
            if time.monotonic() > end:
                self.problems.append(f"{sql}: does not wait")
                return
            time.sleep(0.02)


class Sent:
    """A statement that runs in a thread of its own."""

    def __init__(self, connection, sql: str):
        self.sql = sql
        self.error = 0
        self.connection = connection
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self) -> None:
        try:
            execute(self.connection, self.sql)
        except pymysql.Error as error:
            self.error = error.args[0]

    def answer(self) -> int:
        """The number of its error, 0 for none."""
        self.thread.join()
        return self.error


def execute(connection, sql: str) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return list(cursor.fetchall())
