# SPDX-License-Identifier: GPL-2.0-only
"""Connections that are asked without waiting for the answer, and who of them waits for a lock.

No time decides whether a statement waits: the engine says so. A statement is asked about when it
has not answered within POLL_SECONDS, and it waits when the engine has said so twice.
"""

import re
import select
import time
from dataclasses import dataclass, field

import pymysql
from pymysql.constants import COMMAND

POLL_SECONDS = 0.002
HANG_SECONDS = 30
DEADLOCK = 1213
LOCK_WAIT_TIMEOUT = 1205
WAITING = {"Waiting for row lock", "Waiting for table metadata lock"}


class Hang(Exception):
    """A statement neither answers nor waits for a lock, or waits for nobody."""


@dataclass
class Answer:
    """What a statement answered: its error, or its rows (of a SELECT, sorted) and counts. `info`
    is the server's sentence, as "Rows matched: 0  Changed: 0  Warnings: 0"."""

    error: int = 0
    message: str = ""
    rows: list[tuple] = field(default_factory=list)
    affected: int = 0
    insert_id: int = 0
    info: str = ""
    warnings: int = 0

    def changes_no_row(self) -> bool:
        return "Rows matched: 0 " in self.info or "Records: 0 " in self.info

    def does_nothing(self) -> bool:
        return not (self.error or self.rows or self.affected)

    def what(self) -> tuple:
        """What must be the same on both engines."""
        return self.error, self.rows, self.affected, self.insert_id

    def __str__(self) -> str:
        if self.error:
            return f"error {self.error} ({self.message})"
        if self.rows:
            return "rows " + " ".join(str(row).replace(" ", "") for row in self.rows)
        tail = f", insert id {self.insert_id}" if self.insert_id else ""
        return f"done, {self.affected} rows{tail}"


def refused_indexes(messages: list[str]) -> set[str]:
    """The indexes whose values refused a row, of the messages of errors and warnings."""
    return {name for text in messages for name in REFUSED.findall(text)}


class Wire:
    """One connection, with at most one statement that has not answered."""

    def __init__(self, server, database: str):
        self.link = server.connect(database, ssl_disabled=True)
        self.number = self.link.thread_id()
        self.pending = ""

    def fileno(self) -> int:
        return self.link._sock.fileno()

    def ask(self, sql: str) -> None:
        self.pending = sql
        self.link._execute_command(COMMAND.COM_QUERY, sql)

    def answer(self) -> Answer:
        """Blocks until the statement has answered."""
        self.pending = ""
        try:
            affected = self.link._read_query_result()
        except pymysql.Error as error:
            return Answer(error.args[0], str(error.args[1]))
        result = self.link._result
        rows = sorted(result.rows or (), key=repr)
        info = (result.message or b"").decode()
        warnings = result.warning_count or 0
        return Answer(0, "", rows, affected, result.insert_id or 0, info, warnings)

    def run(self, sql: str) -> Answer:
        self.ask(sql)
        return self.answer()

    def close(self) -> None:
        self.link.close()


REFUSED = re.compile(r"^Duplicate entry '.*' for key '(\w+)'$")
TRANSACTION = re.compile(r"^---TRANSACTION", re.MULTILINE)
THREAD = re.compile(r"^MariaDB thread id (\d+),", re.MULTILINE)


def innodb_waits(status: str) -> dict[int, str]:
    """Of SHOW ENGINE INNODB STATUS: the connections that wait for a lock, with the lock."""
    found = {}
    _, _, transactions = status.partition("\nLIST OF TRANSACTIONS FOR EACH SESSION:\n")
    for part in TRANSACTION.split(transactions)[1:]:
        thread = THREAD.search(part)
        if thread and "\nLOCK WAIT " in part:
            _, _, lock = part.partition("FOR THIS LOCK TO BE GRANTED:\n")
            found[int(thread[1])] = lock.partition("\n")[0]
    return found


class Watcher:
    """Knows which connections of an engine wait for a lock, and the lock."""

    def __init__(self, server, engine: str):
        self.engine = engine
        self.wire = Wire(server, "mysql")
        self.wire.run("SET SESSION tx_isolation='READ-COMMITTED'")

    def waits(self, wires: list[Wire]) -> dict[int, str]:
        numbers = {wire.number for wire in wires}
        if self.engine == "innodb":
            status = self.wire.run("SHOW ENGINE INNODB STATUS").rows[0][2]
            found = innodb_waits(status)
        else:
            listed = ", ".join(map(str, numbers))
            asked = f"SELECT id, state FROM information_schema.PROCESSLIST WHERE id IN ({listed})"
            rows = self.wire.run(asked).rows
            found = {number: state for number, state in rows if state in WAITING}
        return {number: lock for number, lock in found.items() if number in numbers}

    def settle(self, wires: list[Wire], seconds: float = HANG_SECONDS) -> dict[Wire, Answer]:
        """Returns when every connection has answered or waits for a lock; the answers."""
        answers: dict[Wire, Answer] = {}
        before: set[int] = set()
        deadline = time.monotonic() + seconds
        while pending := [wire for wire in wires if wire.pending]:
            ready = select.select(pending, [], [], POLL_SECONDS)[0]
            if ready:
                answers.update((wire, wire.answer()) for wire in ready)
                before = set()
                continue
            waiting = set(self.waits(pending))
            if waiting == before == {wire.number for wire in pending}:
                return answers
            before = waiting
            if time.monotonic() > deadline:
                raise Hang("; ".join(wire.pending for wire in pending))
        return answers

    def lock_of(self, wire: Wire) -> str:
        """The lock that a connection waits for, in the engine's words."""
        if self.engine == "innodb":
            return self.waits([wire]).get(wire.number, "")
        asked = (
            "SELECT w.waiting_key, GROUP_CONCAT(DISTINCT l.mode, ' ', l.`key` SEPARATOR '; ')"
            " FROM information_schema.ROCKSDB_TRX w LEFT JOIN information_schema.ROCKSDB_LOCKS l"
            " ON l.column_family_id = w.waiting_column_family_id"
            " AND LEFT(l.`key`, 8) = LEFT(w.waiting_key, 8)"
            " AND l.transaction_id <> w.transaction_id"
            f" WHERE w.thread_id = {wire.number} GROUP BY w.waiting_key"
        )
        rows = self.wire.run(asked).rows
        return f"{rows[0][0]} among {rows[0][1]}" if rows else ""
