# SPDX-License-Identifier: GPL-2.0-only
"""ADD FOREIGN KEY with a look at the rows, while connections write the child and the parent. Each
writer keeps to values of its own. Careful ones leave no row without a parent at any commit, so the
statement has to succeed; careless ones now and then do. Whatever comes: when it has succeeded there
is no such row."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from random import Random

import pymysql
from pymysql.constants import ER

from tests.online_ddl.crew import Crew
from tests.online_ddl.writers import DATABASE, GONE, WRITERS

VALUES = 200  # of each writer
CARELESS = 0.002  # of the transactions
SETUP = (
    "SET foreign_key_checks = 0",
    f"CREATE OR REPLACE DATABASE {DATABASE}",
    f"USE {DATABASE}",
    "CREATE TABLE parent (id INT PRIMARY KEY, u INT, KEY u (u))",
    "CREATE TABLE child (id INT PRIMARY KEY, a INT, b INT, KEY a (a))",
    f"INSERT INTO parent SELECT seq, seq FROM seq_0_to_{WRITERS * VALUES - 1}",
    f"INSERT INTO child SELECT seq, seq MOD {WRITERS * VALUES}, seq MOD {WRITERS * VALUES}"
    " FROM seq_1_to_50000",
)
# each with what looks for rows without a parent
STATEMENTS = (
    ("ADD CONSTRAINT f FOREIGN KEY (a) REFERENCES parent (id)", "c.a", "p.id"),
    ("ADD CONSTRAINT f FOREIGN KEY (a) REFERENCES parent (u)", "c.a", "p.u"),
    ("ADD CONSTRAINT f FOREIGN KEY (b) REFERENCES parent (id)", "c.b", "p.id"),
    ("ADD CONSTRAINT f FOREIGN KEY (b) REFERENCES parent (u) ON DELETE CASCADE", "c.b", "p.u"),
    (
        "ADD COLUMN d INT DEFAULT 0, ADD INDEX d (d, a), ADD CONSTRAINT f FOREIGN KEY (a)"
        " REFERENCES parent (id) ON DELETE SET NULL",
        "c.a",
        "p.id",
    ),
)
EXPECTED = (
    ER.LOCK_WAIT_TIMEOUT,
    ER.LOCK_DEADLOCK,
    ER.CHECKREAD,
    ER.DUP_ENTRY,
    ER.TABLE_DEF_CHANGED,
    ER.NO_REFERENCED_ROW_2,
    ER.ROW_IS_REFERENCED_2,
    ER.SP_DOES_NOT_EXIST,
)


@dataclass
class Couples(Crew):
    """The writers."""

    careless: bool

    def jobs(self) -> list[Callable[[], None]]:
        return [partial(self.work, number) for number in range(WRITERS)]

    def work(self, number: int) -> None:
        rng = Random(f"{self.seed} {number}")
        try:
            link = self.server.connect(DATABASE, ssl_disabled=True, read_timeout=120)
            link.query("SET SESSION rocksdb_lock_wait_timeout = 2")
            while not self.stop.is_set():
                self.transaction(link, rng, number)
            link.close()
        except (pymysql.Error, OSError) as error:
            self.problems.append(f"writer {number}: {error}")

    def transaction(self, link, rng: Random, number: int) -> None:
        link.query("BEGIN")
        ok = all(self.ask(link, sql) for sql in self.steps(rng, number))
        link.query("COMMIT" if ok and rng.random() < 0.85 else "ROLLBACK")

    def steps(self, rng: Random, number: int) -> list[str]:
        value, other = (rng.randrange(VALUES) * WRITERS + number for _ in range(2))
        row = rng.randrange(10000) * WRITERS + number + 100000
        gone = f"a = {value}"  # and b, which is the same in all rows
        if self.careless and rng.random() < CARELESS:
            return rng.choice(
                (
                    [f"REPLACE INTO child (id, a, b) VALUES ({row}, -{row}, -{row})"],
                    [f"DELETE FROM parent WHERE id = {value}"],
                )
            )
        there = [f"INSERT IGNORE INTO parent VALUES ({value}, {value})"]
        return rng.choice(
            (
                [*there, f"REPLACE INTO child (id, a, b) VALUES ({row}, {value}, {value})"],
                [*there, f"UPDATE child SET a = {value}, b = {value} WHERE a = {other}"],
                [f"DELETE FROM child WHERE {gone}", f"DELETE FROM parent WHERE id = {value}"],
                [
                    f"UPDATE child SET a = NULL, b = NULL WHERE {gone}",
                    f"DELETE FROM parent WHERE u = {value}",
                    "SAVEPOINT s",
                    f"INSERT INTO child (id, a, b) VALUES ({row}, NULL, NULL)",
                    "ROLLBACK TO s",
                ],
                [
                    f"INSERT INTO child (id, a, b) VALUES ({row}, NULL, NULL)"
                    " ON DUPLICATE KEY UPDATE id = id + 1000000"
                ],
            )
        )

    def ask(self, link, sql: str) -> bool:
        try:
            link.query(sql)
        except pymysql.Error as error:
            if error.args[0] in GONE or error.args[0] not in EXPECTED:
                raise pymysql.OperationalError(*error.args[:2], sql) from error
            self.done[error.args[0]] += 1
            return False
        self.done["ok"] += 1
        return True


def create(server) -> None:
    with server.connect() as link, link.cursor() as cursor:
        for sql in SETUP:
            cursor.execute(sql)


class Adder:
    """One connection that adds foreign keys and drops them."""

    def __init__(self, server):
        self.link = server.connect(DATABASE, ssl_disabled=True, read_timeout=600)
        self.problems: list[str] = []
        self.added = self.refused = self.busy = 0

    def execute(self, sql: str) -> list[tuple]:
        with self.link.cursor() as cursor:
            cursor.execute(sql)
            return list(cursor.fetchall())

    def add(self, rng: Random, careless: bool) -> None:
        statement, own, other = rng.choice(STATEMENTS)
        sql = f"ALTER TABLE child {statement}, ALGORITHM=NOCOPY, LOCK=NONE"
        try:
            self.execute(sql)
        except pymysql.Error as error:
            number = error.args[0]
            if number == ER.NO_REFERENCED_ROW_2 and careless:
                self.refused += 1
                self.mend()
            elif number in (ER.LOCK_WAIT_TIMEOUT, ER.LOCK_DEADLOCK):
                self.busy += 1
            else:
                self.problems.append(f"{sql}: {error}")
            return
        self.added += 1
        self.check(sql, own, other)
        self.drop()

    def check(self, sql: str, own: str, other: str) -> None:
        self.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT")
        found = self.execute(
            f"SELECT c.id, {own} FROM child c WHERE {own} IS NOT NULL"
            f" AND NOT EXISTS (SELECT 1 FROM parent p WHERE {other} = {own}) LIMIT 3"
        )
        self.execute("COMMIT")
        if found:
            self.problems.append(f"{sql}: rows without a parent: {found}")
        for _, _, level, words in self.execute("CHECK TABLE child EXTENDED"):
            if (level, words) != ("status", "OK"):
                self.problems.append(f"{sql}: CHECK TABLE: {level}: {words}")

    def drop(self) -> None:
        keys = {row[2] for row in self.execute("SHOW KEYS FROM child")}
        gone = ["DROP FOREIGN KEY f", *(f"DROP KEY {k}" for k in sorted(keys & {"d", "f"}))]
        if "d" in keys:
            gone.append("DROP COLUMN d")
        self.again("ALTER TABLE child " + ", ".join(gone))

    def mend(self) -> None:
        """Takes away rows without a parent, beside the writers."""
        for own, other in (("a", "id"), ("b", "u")):
            self.again(
                f"DELETE FROM child WHERE {own} IS NOT NULL"
                f" AND {own} NOT IN (SELECT {other} FROM parent WHERE {other} IS NOT NULL)"
            )

    def again(self, sql: str) -> None:
        while True:
            try:
                self.execute(sql)
                return
            except pymysql.Error as error:
                if error.args[0] not in EXPECTED:
                    self.problems.append(f"{sql}: {error}")
                    return
