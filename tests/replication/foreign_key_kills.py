# SPDX-License-Identifier: GPL-2.0-only
"""kill -9 of replicas under cascades: afterwards they are the primary, and no row that was checked
is without its parent. One replica has a binary log of its own, the other none."""

import time

from tests.kit.clients.client import Problem
from tests.kit.replicas.load import Load
from tests.kit.replicas.node import Node
from tests.kit.replicas.scenario import Scenario
from tests.replication.foreign_key_clients import Writer
from tests.replication.foreign_key_state import compare_state
from tests.replication.foreign_key_statements import make_files
from tests.replication.hot_rows import MODES
from tests.replication.replica_kills import FORMATS

TURNS, LONG_TURNS = 2, 30
LOCK_WAIT = ["--innodb-lock-wait-timeout=1", "--loose-rocksdb-lock-wait-timeout=1"]


class ForeignKeyKills(Scenario):
    NAME = "foreign key kills"

    def play(self) -> None:
        self.primary = self.node(1, binlog=True)
        self.replicas = [self.node(2, binlog=True), self.node(3, binlog=False)]
        self.primary.start(*LOCK_WAIT)
        make_files(self.folder / "files", self.rng)
        self.load = Load([Writer] * 4, self.seed, self.primary)
        self.load.create()
        for client in self.load.clients:
            client.folder = self.folder / "files"
        for replica in self.replicas:
            replica.start(*self.options())
            replica.follow(self.primary)
            # The server may apply a CREATE again that a kill has met (docs/durability.md).
            replica.catch_up(self.primary.position())
        for turn in range(LONG_TURNS if self.long else TURNS):
            self.turn(FORMATS[turn % len(FORMATS)])

    def options(self) -> list[str]:
        mode = self.rng.choice(MODES)
        self.count(f"mode {mode}")
        read_free = self.rng.choice(["OFF", "PK_ONLY", "PK_SK"])
        return [
            f"--slave-parallel-mode={mode}",
            f"--slave-parallel-threads={self.rng.choice([0, 4, 8])}",
            "--slave-transaction-retries=1000",
            f"--loose-rocksdb-flush-log-at-trx-commit={self.rng.choice([1, 2])}",
            f"--sync-binlog={self.rng.choice([0, 1])}",
            f"--loose-rocksdb-read-free-rpl={read_free}",
            *LOCK_WAIT,
        ]

    def turn(self, format_: str) -> None:
        self.primary.one(f"SET GLOBAL binlog_format = {format_}")
        for client in self.load.clients:
            client.repeats = format_ != "ROW"
        self.load.start()
        found = self.kill_each()
        found += self.load.stop()
        for replica in self.replicas:
            replica.catch_up(self.primary.position())
            found += compare_state(self.primary, replica)
        done = self.load.total("acknowledged")
        self.step(found, f"{format_}: a kill of each replica, {done} transactions so far")

    def kill_each(self) -> list[Problem]:
        """Nothing that the replica had applied may be missing when it is back."""
        found = []
        for replica in self.replicas:
            time.sleep(self.rng.uniform(0.2, 1.0))
            found += self.kill(replica)
        return found

    def kill(self, replica: Node) -> list[Problem]:
        before = self.applied(replica)
        replica.server.kill()
        self.count("kills")
        replica.start(*self.options())
        replica.check_running()
        after = self.applied(replica)
        if after >= before:
            return []
        return [Problem("lost", f"replica {replica.number}: at {after}, was at {before}")]

    def applied(self, replica: Node) -> int:
        """The number of the last transaction; there is one domain."""
        position = replica.one("SELECT @@gtid_slave_pos") or "0"
        return int(position.rpartition("-")[2])
