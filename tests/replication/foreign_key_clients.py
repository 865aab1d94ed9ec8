# SPDX-License-Identifier: GPL-2.0-only
"""Clients that write tables with foreign keys, and one that changes definitions meanwhile. That
constraints refuse some of it is part of the test."""

from collections import Counter
from pathlib import Path

import pymysql
from pymysql.constants import ER

from tests.kit import error_numbers
from tests.kit.clients.client import Client, Problem
from tests.replication.foreign_key_statements import RandomWrites
from tests.replication.foreign_key_tables import (
    BOTH,
    CHILD,
    FILL,
    KEPT,
    LOOSE,
    PARENT,
    PARENTS,
    SETS,
    TABLES,
)

REFUSED = (
    ER.DUP_ENTRY,
    ER.ROW_IS_REFERENCED_2,
    ER.NO_REFERENCED_ROW_2,
    error_numbers.FOREIGN_DUPLICATE_KEY_WITH_CHILD_INFO,
)
# of definitions: the other tables are as the statements before have left them
REFUSED_DEFINITIONS = (
    *REFUSED,
    ER.CANT_CREATE_TABLE,
    ER.TABLE_EXISTS_ERROR,
    ER.NO_SUCH_TABLE,
    ER.BAD_TABLE_ERROR,
    ER.CANT_DROP_FIELD_OR_KEY,
    error_numbers.TRUNCATE_ILLEGAL_FK,
    error_numbers.DUP_CONSTRAINT_NAME,
)


class Tolerant(Client):
    """`errors` counts what was refused."""

    refused: tuple[int, ...] = REFUSED

    def __init__(self, number: int, seed: int, connect):
        super().__init__(number, seed, connect)
        self.errors: Counter[int] = Counter()

    def attempt(self, statement: str) -> None:
        try:
            self.execute(statement)
        except pymysql.Error as error:
            if error.args[0] not in self.refused:
                raise type(error)(error.args[0], f"{error.args[1]}: {statement}") from error
            self.errors[error.args[0]] += 1

    def abandon(self) -> None:
        super().abandon()
        self.execute("SET foreign_key_checks = 1")

    def check(self, execute) -> list[Problem]:
        """What it has done is compared between servers."""
        return []


class Writer(Tolerant):
    """`folder` is set by the scenario, and `repeats` before each load."""

    folder = Path()
    repeats = False

    def create(self) -> list[str]:
        return [statement.format(name) for name in SETS for statement in (*TABLES, *FILL)]

    def reconnect(self) -> None:
        super().reconnect()
        self.writes = RandomWrites(self.rng, self.folder)
        self.writes.repeats = self.repeats

    def step(self) -> None:
        several = self.rng.random() < 0.6
        if several:
            self.execute("BEGIN")
        for _ in range(self.rng.randint(1, 4) if several else 1):
            self.change(several)
        if several:
            self.execute(self.rng.choice(["COMMIT", "COMMIT", "COMMIT", "COMMIT", "ROLLBACK"]))
        self.acknowledge()

    def change(self, several: bool) -> None:
        """Where the replica repeats statements, one client writes the tables without checks: their
        rows are not held by locks on parents, and with InnoDB the order may be another one."""
        loose = not self.repeats or self.number == 0
        roll = self.rng.random() if loose else self.rng.uniform(0.1, 0.9)
        if roll < 0.1:
            self.unchecked()
        elif roll < 0.2 and several:
            self.execute("SAVEPOINT s")
            self.attempt(self.writes.statement(KEPT))
            self.execute("ROLLBACK TO s")
        else:
            self.attempt(self.writes.statement(KEPT if roll < 0.9 else LOOSE))

    def unchecked(self) -> None:
        self.execute("SET foreign_key_checks = 0")
        self.attempt(self.writes.statement(LOOSE))
        self.execute("SET foreign_key_checks = 1")


class Definer(Tolerant):
    """`renames_parent` is set by the scenario."""

    refused = REFUSED_DEFINITIONS

    # of a table that others write. With InnoDB a RENAME of several steps can meet their locks at a
    # later one, and the table is no more when the server has undone the first (1932).
    renames_parent = False

    def step(self) -> None:
        for statement in self.draw():
            self.attempt(statement)
        self.acknowledge()

    def draw(self) -> list[str]:
        n, parent = self.rng.randint(1, 9), self.rng.choice(PARENTS)
        return self.rng.choice(
            (
                [PARENT.format(parent)],
                [CHILD],
                [f"INSERT IGNORE INTO {parent} SELECT seq, seq FROM seq_1_to_{n}"],
                [f"INSERT IGNORE INTO changing_c SELECT seq, seq FROM seq_1_to_{n}"],
                [f"DELETE FROM {parent} WHERE id = {n}"],
                [f"UPDATE {parent} SET k = k + 1 WHERE id < {n} ORDER BY id"],
                [f"ALTER TABLE changing_c {self.add_constraint(parent)}"],
                self.unchecked(f"ALTER TABLE changing_c {self.add_constraint(parent)}"),
                ["ALTER TABLE changing_c DROP FOREIGN KEY f1"],
                ["ALTER TABLE changing_c DROP FOREIGN KEY changing_c_ibfk_1"],
                ["RENAME TABLE changing_p TO changing_x"],
                ["RENAME TABLE changing_x TO changing_p"],
                ["RENAME TABLE changing_c TO changing_d, changing_d TO changing_c"],
                [f"TRUNCATE TABLE {parent}"],
                ["TRUNCATE TABLE changing_c"],
                [f"DROP TABLE {parent}"],
                self.unchecked(f"DROP TABLE {parent}"),
                ["DROP TABLE changing_c, changing_p"],
                # of tables that others write
                ["RENAME TABLE kept_p TO kept_x, kept_x TO kept_p"] * self.renames_parent,
                ["TRUNCATE TABLE kept_h"],
                [
                    "ALTER TABLE kept_n DROP FOREIGN KEY kept_n_ibfk_1,"
                    " ADD CONSTRAINT kept_n_ibfk_1 FOREIGN KEY (a) REFERENCES kept_p (k)"
                    " ON DELETE SET NULL ON UPDATE SET NULL"
                ],
            )
        )

    def add_constraint(self, parent: str) -> str:
        column = self.rng.choice(["id", "k"])
        return f"ADD CONSTRAINT f1 FOREIGN KEY (a) REFERENCES {parent} ({column}) {BOTH}"

    def unchecked(self, statement: str) -> list[str]:
        return ["SET foreign_key_checks = 0", statement, "SET foreign_key_checks = 1"]
