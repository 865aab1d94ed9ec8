# SPDX-License-Identifier: GPL-2.0-only
"""Transactions of two engines on a replica with four workers. The server commits the engines of a
transaction one after the other when at most one of them has changed tables for good, and InnoDB
lets the next worker go on when its own turn ends. By then the rest must be there as well.

And rows without a primary key of a transaction that is being committed: the next worker starts when
the commit does, and must wait for the rows that it looks for.

The transactions are large, so that the last engine takes its time.
"""

import threading

from tests.kit.clients.client import Problem
from tests.kit.replicas.compare import compare, rows
from tests.kit.replicas.node import Node
from tests.kit.replicas.scenario import Scenario

ROUNDS, LONG_ROUNDS = 12, 100
ROWS = 20_000  # of a large transaction
FEWER_ROWS = 4_000  # of one that takes long enough for the next worker to start
FOUR_WORKERS = ["--slave-parallel-mode=optimistic", "--slave-parallel-threads=4"]
# Large transactions on base tables are committed as files, those on temporary ones as a batch.
SMALL_BATCHES = "--loose-rocksdb-spill-threshold=1048576"
POSITION_ENGINES = ("ROCKSDB", "InnoDB")
# The last of each variable is its default.
WORKER_SETTINGS = ("tx_isolation = 'READ-COMMITTED'", "tx_isolation = 'REPEATABLE-READ'")
LOCKING_STYLES = ("rocksdb_locking_style = MYROCKS", "rocksdb_locking_style = INNODB")

TABLES = """
CREATE TABLE touched (id INT PRIMARY KEY, v INT) ENGINE=InnoDB
INSERT INTO touched VALUES (1, 1)
CREATE TABLE seen (id INT AUTO_INCREMENT PRIMARY KEY, number INT, sum BIGINT)
CREATE TABLE large (id INT AUTO_INCREMENT PRIMARY KEY, round INT, t CHAR(100), KEY round (round))
CREATE TABLE small (round INT PRIMARY KEY)
CREATE TABLE indexed (k INT, v INT, KEY k (k))
CREATE TABLE bare (k INT, v INT)
""".strip().splitlines()

# The InnoDB table is written without a change, so that its engine has only read.
TOUCH = "UPDATE touched SET v = v WHERE id = 1"
SEE = "INSERT INTO seen (number, sum) SELECT COUNT(*), SUM(v) FROM temp"
BETWEEN = "INSERT INTO seen (number) VALUES (NULL)"
AHEAD = "SELECT MAX(round) FROM small WHERE round > (SELECT COALESCE(MAX(round), 0) FROM large)"


class CommitOrder(Scenario):
    NAME = "commit order"

    def play(self) -> None:
        self.primary = self.node(1, binlog=True)
        self.replicas = [self.node(2, binlog=False), self.node(3, binlog=True)]
        self.primary.start("--binlog-format=STATEMENT")
        for statement in TABLES:
            self.run_one(statement)
        for replica in self.replicas:
            replica.start(*FOUR_WORKERS, SMALL_BATCHES)
            replica.follow(self.primary)
        for setting in WORKER_SETTINGS + LOCKING_STYLES * (self.engine == "rocksdb"):
            self.keyless_rows(setting)
        for engine in POSITION_ENGINES if self.engine == "rocksdb" else ["InnoDB"]:
            self.keep_positions_in(engine)
            self.temporary_rows(engine)
            self.base_rows(engine)

    def run_one(self, statement: str) -> None:
        with self.primary.connect() as link, link.cursor() as cursor:
            cursor.execute(statement)

    def keep_positions_in(self, engine: str) -> None:
        for replica in self.replicas:
            replica.catch_up(self.primary.position())
            replica.one("STOP SLAVE")
            with replica.connect() as link, link.cursor() as cursor:
                cursor.execute("SET sql_log_bin = 0")
                cursor.execute(f"ALTER TABLE mysql.gtid_slave_pos ENGINE={engine}")
            replica.one("START SLAVE")

    def apply_at_once(self, statements: list[str]) -> None:
        """The workers get all of it at once."""
        for replica in self.replicas:
            replica.catch_up(self.primary.position())
            replica.one("STOP SLAVE SQL_THREAD")
        with self.primary.connect() as link, link.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
        for replica in self.replicas:
            replica.one("START SLAVE SQL_THREAD")
        for replica in self.replicas:
            replica.catch_up(self.primary.position())

    def compare_replicas(self, what: str) -> None:
        for replica in self.replicas:
            log = "with" if replica.binlog else "without"
            self.step(compare(self.primary, replica), f"{what}, {log} a log")

    def rounds(self) -> range:
        return range(LONG_ROUNDS if self.long else ROUNDS)

    # --- rows without a primary key, which the transaction before has just added

    def keyless_rows(self, setting: str) -> None:
        for replica in self.replicas:
            replica.catch_up(self.primary.position())
            replica.one(f"SET GLOBAL {setting}")
        statements = ["SET SESSION binlog_format = MIXED"]
        for number in self.rounds():
            statements += self.keyless_round(number)
        self.apply_at_once(statements)
        self.compare_replicas(f"rows without a primary key, {setting}")

    def keyless_round(self, number: int) -> list[str]:
        """A transaction that creates a table is none that may be undone: the next worker does not
        start before its commit does. UUID() makes the server log rows."""
        rows = f"SELECT {number}, seq FROM seq_1_to_50"
        return [
            "BEGIN",
            "CREATE TEMPORARY TABLE aside (n INT)",
            "DROP TEMPORARY TABLE aside",
            f"INSERT INTO large (round, t) SELECT 0, 'large' FROM seq_1_to_{FEWER_ROWS}",
            f"INSERT INTO indexed {rows}",
            f"INSERT INTO bare {rows}",
            "COMMIT",
            f"UPDATE indexed SET v = v + 1 WHERE k = {number} AND LENGTH(UUID()) > 1",
            f"DELETE FROM bare WHERE k = {number} AND v > 7 AND LENGTH(UUID()) > 1",
            "DELETE FROM large",
        ]

    # --- what a transaction has written to a temporary table, the next one sees

    def temporary_rows(self, position_engine: str) -> None:
        made = f"CREATE TEMPORARY TABLE temp (n INT PRIMARY KEY, v INT) ENGINE={self.engine}"
        statements = ["TRUNCATE TABLE seen", made]
        for number in self.rounds():
            statements += self.temporary_round(number)
        statements += [SEE, "DROP TEMPORARY TABLE temp"]
        self.apply_at_once(statements)
        self.compare_replicas(f"temporary rows, positions in {position_engine}")
        self.count("large transactions", 2 * len(self.rounds()))

    def temporary_round(self, number: int) -> list[str]:
        first = number * ROWS + 1
        added = f"INSERT INTO temp SELECT seq, 1 FROM seq_{first}_to_{first + ROWS - 1}"
        changed = f"UPDATE temp SET v = v + 1 WHERE n >= {first}"
        return [
            *("BEGIN", added, TOUCH, "COMMIT", SEE),
            # ready early, and then committed together with what is before it
            *("BEGIN", changed, TOUCH, "COMMIT", BETWEEN, SEE),
            *("BEGIN", changed, SEE, "COMMIT"),
        ]

    # --- no reader sees a transaction without the one before it

    def base_rows(self, position_engine: str) -> None:
        last = rows_of(self.primary, "SELECT COALESCE(MAX(round), 0) FROM small")[0][0]
        statements = []
        for number in self.rounds():
            statements += self.base_round(last + number + 1)
        stop = threading.Event()
        found: list[Problem] = []
        readers = [
            threading.Thread(target=self.read, args=(replica, position_engine, stop, found))
            for replica in self.replicas
        ]
        for reader in readers:
            reader.start()
        try:
            self.apply_at_once(statements)
        finally:
            stop.set()
            for reader in readers:
                reader.join()
        self.step(found, f"base rows, positions in {position_engine}: read meanwhile")
        self.count("large transactions", len(self.rounds()))

    def base_round(self, number: int) -> list[str]:
        added = (
            f"INSERT INTO large (round, t) SELECT {number}, REPEAT('t', 100) FROM seq_1_to_{ROWS}"
        )
        return [
            *("BEGIN", added, TOUCH, "COMMIT"),
            f"INSERT INTO small VALUES ({number})",
            f"DELETE FROM large WHERE round < {number}",
        ]

    def read(self, replica: Node, position_engine: str, stop, found: list[Problem]) -> None:
        ahead = set()
        try:
            with replica.connect() as link:
                while not stop.is_set():
                    ahead |= {row[0] for row in rows(link, AHEAD) if row[0] is not None}
                    link.rollback()
        except Exception as error:  # a thread's own would be lost
            found.append(Problem("broken", f"reader: {type(error).__name__}: {error}"))
        if ahead:
            text = f"{len(ahead)} transactions seen before the one that precedes them"
            found.append(Problem("broken", f"replica {replica.number}: {text}"))


def rows_of(node: Node, statement: str) -> list[tuple]:
    with node.connect() as link:
        return rows(link, statement)
