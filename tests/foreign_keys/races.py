# SPDX-License-Identifier: GPL-2.0-only
"""Threads that write children while others delete and change their parents, on one engine. At the
end no row may be without its parent, and nothing but a constraint or a lock may have stopped a
statement."""

import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import count
from random import Random

import pymysql
from pymysql.constants import ER

from tests.foreign_keys.schedules import LEVELS, MYROCKS
from tests.kit import orphans
from tests.kit.side_by_side.runner import ENGINES

PARENTS = 30  # keys are drawn from so many, and from new ones
WRITERS = 3  # of children, and as many of parents
TABLES = (
    "CREATE TABLE p (id INT PRIMARY KEY, k INT, v INT, KEY (k))",
    "CREATE TABLE q (id INT PRIMARY KEY, u INT, UNIQUE KEY (u))",
    "CREATE TABLE c1 (id INT AUTO_INCREMENT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES p (id))",
    "CREATE TABLE c2 (id INT AUTO_INCREMENT PRIMARY KEY, a INT, b INT,"
    " FOREIGN KEY (a) REFERENCES p (id) ON DELETE CASCADE ON UPDATE CASCADE,"
    " FOREIGN KEY (b) REFERENCES q (u) ON DELETE SET NULL ON UPDATE CASCADE)",
    "CREATE TABLE c3 (id INT AUTO_INCREMENT PRIMARY KEY, a INT, KEY (a, id),"
    " FOREIGN KEY (a) REFERENCES p (k) ON DELETE SET NULL ON UPDATE SET NULL)",
    "CREATE TABLE c4 (id INT AUTO_INCREMENT PRIMARY KEY, c INT,"
    " FOREIGN KEY (c) REFERENCES c2 (id) ON DELETE CASCADE)",
    # a row refers to one of half its number, so that no chain is longer than a cascade may be
    "CREATE TABLE t (id INT PRIMARY KEY, a INT,"
    " FOREIGN KEY (a) REFERENCES t (id) ON DELETE CASCADE)",
    # few values and no primary keys, so that cascades meet ranges that others have locked
    "CREATE TABLE np (k INT NOT NULL, v INT, KEY (k))",
    "CREATE TABLE nc (a INT, v INT,"
    " FOREIGN KEY (a) REFERENCES np (k) ON DELETE CASCADE ON UPDATE CASCADE)",
)
NAMES = ("c4", "c3", "c2", "c1", "t", "q", "p", "nc", "np")
EXPECTED = (
    ER.LOCK_WAIT_TIMEOUT,
    ER.LOCK_DEADLOCK,
    ER.CHECKREAD,
    ER.ROW_IS_REFERENCED_2,
    ER.NO_REFERENCED_ROW_2,
)


@dataclass
class Race:
    """What the threads of one setting share. `done` counts statements that changed rows, by table
    and verb."""

    server: object
    engine: str
    level: str
    database: str = "fk_races"
    stop: threading.Event = field(default_factory=threading.Event)
    fresh: count = field(default_factory=lambda: count(1000))
    done: Counter = field(default_factory=Counter)
    errors: Counter = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)

    def run(self, seed: int, seconds: float) -> None:
        self.create()
        threads = [
            threading.Thread(target=self.work, args=(Random(f"{seed} {number}"), step))
            for step in (write_child, write_parent)
            for number in range(WRITERS)
        ]
        for thread in threads:
            thread.start()
        time.sleep(seconds)
        self.stop.set()
        for thread in threads:
            thread.join()
        self.check()

    def connect(self):
        return self.server.connect(self.database, ssl_disabled=True, read_timeout=60)

    def create(self) -> None:
        with self.server.connect() as link, link.cursor() as cursor:
            cursor.execute("SET foreign_key_checks = 0")
            cursor.execute(f"CREATE OR REPLACE DATABASE {self.database}")
            cursor.execute(f"USE {self.database}")
            for sql in TABLES:
                cursor.execute(f"{sql} ENGINE={ENGINES[self.engine]}")
            for table, columns in (("p", "id, k"), ("q", "id, u")):
                cursor.execute(
                    f"INSERT INTO {table} ({columns}) SELECT seq, seq FROM seq_1_to_{PARENTS}"
                )

    def settings(self) -> str:
        style = ", rocksdb_locking_style=MYROCKS" if self.level == MYROCKS else ""
        level = "REPEATABLE-READ" if self.level == MYROCKS else self.level
        return f"SET SESSION tx_isolation='{level}', {self.engine}_lock_wait_timeout=1{style}"

    def work(self, rng: Random, step) -> None:
        """The life of a thread: transactions of one to three statements."""
        try:
            with self.connect() as link:
                link.query(self.settings())
                while not self.stop.is_set():
                    self.transaction(link, rng, step)
        except pymysql.Error as error:
            self.problems.append(f"a connection ended: {error}")

    def transaction(self, link, rng: Random, step) -> None:
        several = rng.random() < 0.5
        if several:
            link.query("BEGIN")
        for _ in range(rng.randint(2, 3) if several else 1):
            sql = step(rng, self.fresh)
            try:
                if link.query(sql):
                    self.done[name_of(sql)] += 1
            except pymysql.Error as error:
                number = error.args[0]
                self.errors[number] += 1
                if number not in EXPECTED:
                    self.problems.append(f"{sql}: error {number}: {error.args[1]}")
                    self.stop.set()
                if number == ER.LOCK_DEADLOCK:
                    break
        if several:
            link.query(rng.choice(["COMMIT", "COMMIT", "COMMIT", "ROLLBACK"]))

    def check(self) -> None:
        with self.connect() as link, link.cursor() as cursor:

            def ask(query: str) -> list[tuple]:
                cursor.execute(query)
                return list(cursor.fetchall())

            looked_at, found = orphans.find(ask, self.database)
            self.problems += found
            if looked_at != 7:
                self.problems.append(f"{looked_at} constraints were looked at")
            for name in NAMES:
                answer = ask(f"CHECK TABLE {name} EXTENDED")
                if answer[-1][-1] != "OK":
                    self.problems.append(f"CHECK TABLE {name}: {answer}")
        for verb in ("INSERT c1", "INSERT c2", "INSERT c3", "DELETE p", "UPDATE p", "DELETE q"):
            if not self.done[verb]:
                self.problems.append(f"no {verb} has changed a row, so nothing raced")
        for number in (ER.ROW_IS_REFERENCED_2, ER.NO_REFERENCED_ROW_2):
            if not self.errors[number]:
                self.problems.append(f"no statement met error {number}, so nothing raced")

    def told(self) -> str:
        errors = ", ".join(f"{number}: {n}" for number, n in sorted(self.errors.items()))
        return f"{self.done.total()} statements changed rows; errors {errors}"


def name_of(sql: str) -> str:
    words = sql.replace("IGNORE ", "").split()
    return f"{words[0]} {words[1] if words[0] == 'UPDATE' else words[2]}"


def write_child(rng: Random, fresh) -> str:
    key, other = rng.randint(1, PARENTS), rng.randint(1, PARENTS)
    number = rng.randint(1, 200)
    return rng.choices(
        (
            f"INSERT INTO c1 (a) VALUES ({key})",
            f"INSERT INTO c2 (a, b) VALUES ({key}, {other}), ({other}, NULL)",
            f"INSERT INTO c3 (a) VALUES ({key})",
            f"INSERT INTO c4 (c) SELECT id FROM c2 WHERE a = {key} LIMIT 1",
            f"INSERT IGNORE INTO t (id, a) VALUES ({number}, NULLIF({number // 2}, 0))",
            f"UPDATE c1 SET a = {key} WHERE id = {number}",
            f"UPDATE c2 SET a = {key}, b = {other} WHERE id = {number}",
            f"UPDATE c3 SET a = {key} WHERE id = {number}",
            f"DELETE FROM c1 WHERE a = {key}",
            f"DELETE FROM c3 WHERE id < {number}",
            f"REPLACE INTO c2 (id, a, b) VALUES ({number}, {key}, {other})",
            f"INSERT INTO nc VALUES ({key % 12}, 0), ({key % 12}, 1)",
            f"UPDATE nc SET a = {other % 12} WHERE a = {key % 12}",
        ),
        (6, 6, 4, 3, 4, 2, 2, 2, 1, 1, 1, 6, 6),
    )[0]


def write_parent(rng: Random, fresh) -> str:
    key, new = rng.randint(1, PARENTS), next(fresh)
    return rng.choices(
        (
            f"DELETE FROM p WHERE id = {key}",
            f"DELETE FROM p WHERE k = {key}",
            f"DELETE FROM q WHERE u = {key}",
            f"DELETE FROM t WHERE id = {rng.randint(1, 60)}",
            f"INSERT IGNORE INTO p (id, k) VALUES ({key}, {key})",
            f"INSERT IGNORE INTO q (id, u) VALUES ({key}, {key})",
            f"UPDATE p SET id = {new} WHERE id = {key}",
            f"UPDATE p SET k = {new} WHERE id = {key}",
            f"UPDATE q SET u = {new} WHERE u = {key}",
            f"UPDATE IGNORE p SET id = {key} WHERE id > 1000 ORDER BY id LIMIT 1",
            f"DELETE FROM c2 WHERE id = {rng.randint(1, 200)}",
            f"INSERT INTO np VALUES ({key % 12}, 0), ({key % 12}, 1)",
            f"UPDATE np SET k = {12 + new % 24} WHERE k = {key % 12}",
            "DELETE FROM np WHERE k > 12",
        ),
        (4, 3, 2, 2, 7, 9, 2, 2, 2, 2, 1, 4, 4, 2),
    )[0]


def settings(engine: str) -> tuple[str, ...]:
    """The isolation levels, and the locking style that only one engine has."""
    return (*LEVELS, MYROCKS) if engine == "rocksdb" else LEVELS
