# SPDX-License-Identifier: GPL-2.0-only
"""An INSERT into a child that waits for the metadata lock of its parent while the parent gets
another name. The foreign key follows the parent; what has the old name then is another table."""

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


@dataclass
class Renames:
    server: object
    engine: str
    problems: list[str] = field(default_factory=list)

    def run(self) -> None:
        for case in CASES:
            self.run_case(case)

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
