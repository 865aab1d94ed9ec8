# SPDX-License-Identifier: GPL-2.0-only
"""Tables versioned by transaction, in each format of the binary log: the server logs statements. A
replica has ids of its own and a registry of its own; its rows of today and its history are those of
the primary. Replicas with and without a log of their own, parallel ones too, are killed."""

import threading
from collections import Counter
from random import Random

from pymysql.constants import ER
from pymysql.err import Error

from tests.kit.clients.client import Problem
from tests.kit.replicas.node import Node
from tests.kit.replicas.scenario import Scenario
from tests.replication.replica_kills import FORMATS

SESSIONS = 3
TRANSACTIONS, LONG_TRANSACTIONS = 60, 600  # of each session and format
ROWS = 40
ALIVE = 2**64 - 1
COLUMNS = (
    "s BIGINT UNSIGNED GENERATED ALWAYS AS ROW START INVISIBLE,"
    " e BIGINT UNSIGNED GENERATED ALWAYS AS ROW END INVISIBLE, PERIOD FOR SYSTEM_TIME (s, e)"
)
# {0}: the session. Parent and child are versioned, the grandchild is not.
TABLES = [
    f"CREATE TABLE p{{0}} (id INT PRIMARY KEY, v INT, KEY (v), {COLUMNS}) WITH SYSTEM VERSIONING",
    "CREATE TABLE c{0} (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES p{0} (id)"
    f" ON DELETE CASCADE ON UPDATE CASCADE, {COLUMNS}) WITH SYSTEM VERSIONING",
    "CREATE TABLE g{0} (id INT PRIMARY KEY, c INT, FOREIGN KEY (c) REFERENCES c{0} (id)"
    " ON DELETE SET NULL)",
]
STATEMENTS = [
    "INSERT INTO p{0} VALUES ({n}, {m}), ({m}, {n})",
    "INSERT INTO p{0} VALUES ({n}, {m}) ON DUPLICATE KEY UPDATE v = v + 1",
    "UPDATE p{0} SET v = v + 1 WHERE id BETWEEN {n} AND {n} + 5",
    "UPDATE p{0} SET v = {m} WHERE id = {n}",
    "UPDATE p{0} SET id = {m} WHERE id = {n}",
    "DELETE FROM p{0} WHERE id = {n}",
    "REPLACE INTO p{0} VALUES ({n}, {m})",
    "INSERT INTO c{0} VALUES ({m}, {n})",
    "DELETE FROM c{0} WHERE id = {n}",
    "UPDATE p{0} JOIN c{0} ON c{0}.p = p{0}.id SET p{0}.v = 0 WHERE c{0}.id = {n}",
    "INSERT INTO g{0} VALUES ({m}, {n})",
]
# These undo a statement, and the transaction goes on.
TOLERATED = (ER.DUP_ENTRY, ER.NO_REFERENCED_ROW_2, ER.ROW_IS_REFERENCED_2, ER.GET_ERRMSG)


class Versions(Scenario):
    NAME = "versions"

    def play(self) -> None:
        self.primary = self.node(1, binlog=True)
        self.replicas = [self.node(2, binlog=True), self.node(3, binlog=False)]
        for format_ in FORMATS:
            self.one_format(format_)

    def one_format(self, format_: str) -> None:
        for node in (self.primary, *self.replicas):
            node.server.stop()
        self.primary.start(f"--binlog-format={format_}")
        for replica in self.replicas:
            self.start(replica, format_)
            if not replica.slave_status():
                replica.follow(self.primary)
        self.drop_and_create()
        errors: list[str] = []
        threads = [
            threading.Thread(target=self.session, args=(n, format_, errors))
            for n in range(SESSIONS)
        ]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            for replica in self.replicas:
                threads[0].join(1.0)
                replica.server.kill()
                self.start(replica, format_)
                self.count("kills")
        found = [Problem("broken", text) for text in errors]
        position = self.primary.position()
        for replica in self.replicas:
            replica.catch_up(position)
            found += self.compare(replica)
        found += registry_problems(self.primary)
        self.step(found, f"{format_}: two replicas killed meanwhile")

    def start(self, replica: Node, format_: str) -> None:
        mode = "optimistic" if replica.binlog else "none"
        replica.start(
            f"--binlog-format={format_}",
            f"--slave-parallel-mode={mode}",
            "--slave-parallel-threads=4",
            "--loose-rocksdb-lock-wait-timeout=5",
        )

    def drop_and_create(self) -> None:
        with self.primary.connect() as link, link.cursor() as cursor:
            for n in range(SESSIONS):
                cursor.execute(f"DROP TABLE IF EXISTS g{n}, c{n}, p{n}")
                for table in TABLES:
                    cursor.execute(table.format(n))

    def session(self, number: int, format_: str, errors: list[str]) -> None:
        rng = Random(f"{self.seed}-{format_}-{number}")
        try:
            with self.primary.connect() as link, link.cursor() as cursor:
                for _ in range(LONG_TRANSACTIONS if self.long else TRANSACTIONS):
                    transaction(cursor, number, rng)
        except Error as error:
            errors.append(f"{format_}, session {number}: {error}")

    def compare(self, replica: Node) -> list[Problem]:
        problems = registry_problems(replica)
        for n in range(SESSIONS):
            for table, column in ((f"p{n}", "v"), (f"c{n}", "p"), (f"g{n}", "c")):
                there, here = (shape(x, table, column) for x in (self.primary, replica))
                self.count("rows and versions", len(there))
                if there != here:
                    text = f"replica {replica.number}: {table}: {difference(there, here)}"
                    problems.append(Problem("lost", text))
        return problems


def transaction(cursor, number: int, rng: Random) -> None:
    statements = rng.randint(1, 4)
    if statements > 1:
        cursor.execute("BEGIN")
    for i in range(statements):
        text = rng.choice(STATEMENTS).format(number, n=rng.randint(1, ROWS), m=rng.randint(1, ROWS))
        try:
            cursor.execute(text)
        except Error as error:
            if error.args[0] not in TOLERATED:
                raise
        if i == 0 and statements == 4:
            cursor.execute("SAVEPOINT one")
    if statements == 4 and rng.random() < 0.5:
        cursor.execute("ROLLBACK TO one")
    if statements > 1:
        cursor.execute(rng.choice(["COMMIT", "COMMIT", "COMMIT", "ROLLBACK"]))


def shape(node: Node, table: str, column: str) -> list[tuple]:
    """The rows and their history, without the ids: in the order in which they were committed. Ids
    of parallel appliers need not be in that order: one begins before another, and waits for it."""
    if table.startswith("g"):
        return rows(node, f"SELECT id, {column} FROM rpl.{table} ORDER BY id")
    return rows(
        node,
        f"SELECT id, {column}, e = {ALIVE} FROM rpl.{table} FOR SYSTEM_TIME ALL"
        " LEFT JOIN mysql.transaction_registry ON transaction_id = s ORDER BY id, commit_id, s, e",
    )


def registry_problems(node: Node) -> list[Problem]:
    """Each id of a version is that of a transaction in the node's registry."""
    problems = []
    for n in range(SESSIONS):
        for table in (f"p{n}", f"c{n}"):
            (alone,) = rows(
                node,
                f"SELECT COUNT(*) FROM (SELECT s AS id FROM rpl.{table} FOR SYSTEM_TIME ALL UNION"
                f" SELECT e FROM rpl.{table} FOR SYSTEM_TIME ALL) AS ids WHERE id <> {ALIVE} AND id"
                " NOT IN (SELECT transaction_id FROM mysql.transaction_registry)",
            )[0]
            if alone:
                text = f"server {node.number}: {table}: {alone} ids are not registered"
                problems.append(Problem("half", text))
    return problems


def rows(node: Node, query: str) -> list[tuple]:
    return list(node.server.query(query))


def difference(there: list[tuple], here: list[tuple]) -> str:
    missing, extra = Counter(there) - Counter(here), Counter(here) - Counter(there)
    if not missing and not extra:
        pairs = [pair for pair in zip(there, here, strict=True) if pair[0] != pair[1]]
        return f"in another order, there and here: {pairs}"
    return f"{len(there)} rows and versions, not {len(here)}; missing {missing}, extra {extra}"
