# SPDX-License-Identifier: GPL-2.0-only
"""A parallel replica on hot rows. Its workers commit in the primary's order; one that waits for a
row of a later one can only go on when the server learns of that wait and rolls the later one back.
So no lock wait of the replica may ever end by its timeout."""

import time

from tests.kit.clients.client import Client, Problem
from tests.kit.replicas.compare import compare
from tests.kit.replicas.load import Load
from tests.kit.replicas.scenario import Scenario
from tests.replication.replica_kills import FORMATS

MODES = ("conservative", "optimistic", "aggressive")
ROWS = 6
CLIENTS = 8
TIMEOUT = 20  # seconds; a replica that needs one is stuck for that long
# by whatever name the server counts them
COUNTER = "rocksdb_row_lock_wait_timeouts"


class Hot(Client):
    """Transactions that meet in a few rows, and in keys of unique and secondary indexes."""

    def create(self) -> list[str]:
        return [
            "CREATE TABLE hot (id INT PRIMARY KEY, n INT NOT NULL, k INT NOT NULL, u INT,"
            " KEY (k), UNIQUE KEY (u))",
            f"INSERT INTO hot SELECT seq, 0, seq % 3, seq FROM seq_1_to_{ROWS}",
            "CREATE TABLE hot_log (id BIGINT AUTO_INCREMENT PRIMARY KEY, client INT, row_id INT)",
        ]

    def step(self) -> None:
        self.execute("BEGIN")
        for _ in range(self.rng.randint(1, 3)):
            self.change()
        self.execute("COMMIT")
        self.acknowledge()

    def change(self) -> None:
        rng, row = self.rng, self.rng.randint(1, ROWS)
        choice = rng.randrange(6)
        if choice == 0:
            self.execute(f"UPDATE hot SET n = n + 1 WHERE k = {rng.randrange(3)}")
        elif choice == 1:
            self.execute(f"DELETE FROM hot WHERE id = {row}")
            self.execute(f"INSERT IGNORE INTO hot VALUES ({row}, 0, {row % 3}, {rng.randrange(9)})")
        elif choice == 2:
            self.execute(f"UPDATE IGNORE hot SET u = {rng.randrange(9)} WHERE id = {row}")
        elif choice == 3:
            self.execute(f"INSERT INTO hot_log (client, row_id) VALUES ({self.number}, {row})")
        else:
            self.execute(f"UPDATE hot SET n = n + 1, k = {rng.randrange(3)} WHERE id = {row}")

    def check(self, execute) -> list[Problem]:
        return []


class HotRows(Scenario):
    NAME = "hot rows"

    def play(self) -> None:
        self.primary, self.replica = self.node(1, binlog=True), self.node(2, binlog=True)
        self.primary.start(
            # groups of commits, so that the conservative mode has something to do at once
            "--binlog-commit-wait-count=4",
            "--binlog-commit-wait-usec=2000",
            "--loose-rocksdb-lock-wait-timeout=2",
            "--loose-rocksdb-flush-log-at-trx-commit=2",
        )
        self.replica.start(
            "--slave-parallel-threads=8",
            "--slave-parallel-max-queued=16M",
            f"--loose-rocksdb-lock-wait-timeout={TIMEOUT}",
            f"--innodb-lock-wait-timeout={TIMEOUT}",
            "--loose-rocksdb-flush-log-at-trx-commit=2",
            "--slave-transaction-retries=1000",
        )
        self.replica.follow(self.primary)
        self.load = Load([Hot] * CLIENTS, self.seed, self.primary)
        self.load.create()
        for turn in range(4 if self.long else 1):
            for number, mode in enumerate(MODES):
                self.mode(mode, FORMATS[(turn + number) % len(FORMATS)])

    def mode(self, mode: str, format_: str) -> None:
        """Load first, then the replica at once, so that its workers have all they can take."""
        self.replica.catch_up(self.primary.position())
        self.replica.one("STOP SLAVE")
        self.primary.one(f"SET GLOBAL binlog_format={format_}")
        before = self.load.total("acknowledged")
        self.load.start()
        time.sleep(6 if self.long else 2)
        found = self.load.stop()
        self.replica.one(f"SET GLOBAL slave_parallel_mode={mode}")
        retried, timeouts = self.retried(), self.timeouts()
        started = time.monotonic()
        self.replica.one("START SLAVE")
        self.replica.catch_up(self.primary.position(), 4 * TIMEOUT)
        seconds = time.monotonic() - started
        retried, timeouts = self.retried() - retried, self.timeouts() - timeouts
        if timeouts:
            found.append(Problem("broken", f"{mode}: {timeouts} lock waits ended by timeout"))
        found += compare(self.primary, self.replica)
        applied = self.load.total("acknowledged") - before
        self.count("transactions", applied)
        self.count("retried by the server", retried)
        self.count("lock waits ended by timeout", timeouts)
        line = f"{mode}, {format_}: {applied} transactions in {seconds:.1f} s, {retried} retried"
        self.step(found, line)

    def timeouts(self) -> int:
        return int(self.replica.server.status(COUNTER) or 0)

    def retried(self) -> int:
        return int(self.replica.server.status("Slave_retried_transactions") or 0)
