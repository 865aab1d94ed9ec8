# SPDX-License-Identifier: GPL-2.0-only
"""BACKUP STAGE and BACKUP LOCK on tables of the engine: what goes on in each stage, what waits."""

import threading
import time

import pymysql

from tests.client_tools.copied import Copied
from tests.kit.clients.client import Problem

# how long a statement that must wait is watched; what must not wait has much more
WATCHED_SECONDS = 0.4
GRACE_SECONDS = 20.0


class Statement:
    """One statement on a connection of its own, in a thread."""

    def __init__(self, connect, *statements: str):
        self.link = connect()
        self.error: str | None = None
        self.statements = statements
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self) -> None:
        try:
            with self.link.cursor() as cursor:
                for statement in self.statements:
                    cursor.execute(statement)
        except pymysql.Error as error:
            self.error = str(error)

    def done(self, seconds: float) -> bool:
        self.thread.join(seconds)
        return not self.thread.is_alive()


class Stages(Copied):
    NAME = "stages"

    def play(self) -> None:
        self.begin()
        self.waiting: list[Statement] = []
        with self.primary.connect() as self.backup:
            for stage, wait, go_on in STAGES:
                started = time.monotonic()
                self.command(f"BACKUP STAGE {stage}")
                found = [p for statements in go_on for p in self.must_end(stage, *statements)]
                found += [p for statements in wait for p in self.must_wait(stage, *statements)]
                self.step(found, f"BACKUP STAGE {stage} ({time.monotonic() - started:.1f} s)")
            self.command("BACKUP STAGE END")
            found = []
            for statement in self.waiting:
                if not statement.done(GRACE_SECONDS) or statement.error:
                    text = f"{statement.statements}: {statement.error or 'waits'} after the end"
                    found.append(Problem("broken", text))
            self.step(found, "BACKUP STAGE END: what waited is done")
            self.lock_of_a_table()

    def command(self, statement: str) -> None:
        with self.backup.cursor() as cursor:
            cursor.execute(statement)

    def must_end(self, stage: str, *statements: str) -> list[Problem]:
        statement = Statement(self.primary.connect, *statements)
        if statement.done(GRACE_SECONDS) and not statement.error:
            return []
        text = f"stage {stage}: {statements[-1]}: {statement.error or 'waits'}"
        return [Problem("broken", text)]

    def must_wait(self, stage: str, *statements: str) -> list[Problem]:
        statement = Statement(self.primary.connect, *statements)
        self.waiting.append(statement)
        if not statement.done(WATCHED_SECONDS):
            return []
        text = f"stage {stage}: {statements[-1]}: {statement.error or 'does not wait'}"
        return [Problem("broken", text)]

    def lock_of_a_table(self) -> None:
        """BACKUP LOCK, which mariabackup takes while it copies a table's definition."""
        self.command("BACKUP LOCK rpl.filler")
        found = self.must_end("LOCK", "UPDATE filler SET grp = 7 WHERE id = 4")
        alter = Statement(self.primary.connect, "ALTER TABLE filler ADD COLUMN locked INT")
        if alter.done(WATCHED_SECONDS):
            found.append(Problem("broken", "ALTER TABLE does not wait for BACKUP LOCK"))
        self.command("BACKUP UNLOCK")
        if not alter.done(GRACE_SECONDS) or alter.error:
            found.append(Problem("broken", f"ALTER TABLE after BACKUP UNLOCK: {alter.error}"))
        self.step(found, "BACKUP LOCK: rows change, the definition does not")


READ = ("SELECT COUNT(*) FROM filler",)
WRITE = ("UPDATE filler SET grp = grp + 1 WHERE id < 10",)
# stage, what must wait in it, what must go on
STAGES = (
    ("START", [], [READ, WRITE, ("CREATE TABLE made (id INT PRIMARY KEY)",), ("DROP TABLE made",)]),
    ("FLUSH", [], [READ, WRITE]),
    (
        "BLOCK_DDL",
        [("CREATE TABLE late (id INT PRIMARY KEY)",), ("ALTER TABLE counter ADD COLUMN more INT",)],
        [READ, ("UPDATE filler SET grp = grp + 1 WHERE id BETWEEN 20 AND 30",)],
    ),
    (
        "BLOCK_COMMIT",
        [("UPDATE filler SET grp = grp + 1 WHERE id BETWEEN 40 AND 50",)],
        [READ, ("START TRANSACTION READ ONLY", *READ, "ROLLBACK")],
    ),
)
