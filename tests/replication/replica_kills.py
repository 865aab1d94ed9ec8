# SPDX-License-Identifier: GPL-2.0-only
"""kill -9 of replicas, and of the primary, under load: afterwards the replicas are the primary.

One primary, two replicas: one with a binary log of its own, one without. The formats of the
primary's binary log and the modes of the parallel replica take turns; settings that need not keep a
commit durable are among those of the replica without a log, because its position is committed with
its rows.

What the server gets wrong after a crash, whatever the engine, is left out, and docs/durability.md
says so: RENAME, strict GTIDs where DDL is recovered, and without a log the modes in which a DDL
statement commits its position before what precedes it has committed."""

import time

from tests.kit.clients.client import Problem
from tests.kit.replicas.compare import compare
from tests.kit.replicas.load import CLASSES, Load
from tests.kit.replicas.node import Node
from tests.kit.replicas.scenario import Scenario
from tests.replication.reader import Reader

FORMATS = ("ROW", "STATEMENT", "MIXED")
MODES = ("none", "optimistic", "aggressive", "conservative", "minimal")
# Whatever the mode, the server lets a DDL statement begin when what is before it has begun to
# commit (rpl_parallel.cc), and commits its position without waiting for that (rpl_gtid.cc,
# record_gtid): a crash in between loses what is before it. A replica's own log prevents it.
MODES_WITHOUT_LOG = MODES[:1]
KILLS, LONG_KILLS = 6, 30
LOCK_WAIT = ["--innodb-lock-wait-timeout=1", "--loose-rocksdb-lock-wait-timeout=1"]


class ReplicaKills(Scenario):
    NAME = "kills"

    def play(self) -> None:
        kills = LONG_KILLS if self.long else KILLS
        self.primary = self.node(1, binlog=True)
        self.start_primary("ROW")
        self.load = Load(CLASSES, self.seed, self.primary)
        self.replicas = [self.node(2, binlog=True), self.node(3, binlog=False)]
        for replica in self.replicas:
            replica.start(*self.replica_options(replica))
            replica.follow(self.primary)
        self.load.create()
        done = 0
        while done < kills:
            format_ = FORMATS[(done // 2) % len(FORMATS)]
            number = min(2 if not self.long else 4, kills - done)
            self.turn(format_, number)
            done += number

    def start_primary(self, format_: str) -> None:
        self.format = format_
        sync = self.rng.choice([0, 1])
        level = self.rng.choice([1, 2])
        self.primary.start(
            f"--binlog-format={format_}",
            f"--sync-binlog={sync}",
            f"--loose-rocksdb-flush-log-at-trx-commit={level}",
            "--loose-rocksdb-spill-threshold=131072",
            *LOCK_WAIT,
        )

    def replica_options(self, replica: Node) -> list[str]:
        mode = self.rng.choice(MODES if replica.binlog else MODES_WITHOUT_LOG)
        # Without a log, a position in one engine may cover what the other has lost: all positions
        # are in one. What InnoDB loses nevertheless (docs/durability.md) TwoEngines writes again.
        levels = [1, 2] if replica.binlog else [0, 1, 2]
        engines = ["innodb"] if replica.binlog else []
        if replica.binlog and self.engine != "innodb":
            engines.append("rocksdb")
        self.count(f"mode {mode}")
        return [
            f"--slave-parallel-mode={mode}",
            f"--slave-parallel-threads={self.rng.choice([0, 4, 8])}",
            f"--loose-rocksdb-flush-log-at-trx-commit={self.rng.choice(levels)}",
            # a transaction of InnoDB alone gets its position in a table of InnoDB
            f"--gtid-pos-auto-engines={','.join(engines)}",
            # The server's recovery of a DDL statement writes it into the replica's log, and then it
            # may come once more from the primary: with InnoDB too that stops a strict replica.
            "--gtid-strict-mode=OFF",
            f"--sync-binlog={self.rng.choice([0, 1])}",
            "--loose-rocksdb-spill-threshold=131072",
        ]

    def turn(self, format_: str, kills: int) -> None:
        """Some kills of replicas and one of the primary in one format, then a comparison."""
        with self.primary.server.connect() as link, link.cursor() as cursor:
            cursor.execute(f"SET GLOBAL binlog_format={format_}")
        reader = Reader(self.primary)
        self.load.start()
        for n in range(kills):
            time.sleep(self.rng.uniform(0.3, 1.5))
            self.kill_replica(self.replicas[n % 2])
        self.kill_primary(format_, reader)
        position = self.primary.position()
        found = []
        for replica in self.replicas:
            replica.catch_up(position)
            found += compare(self.primary, replica)
        acknowledged = self.load.total("acknowledged")
        line = f"{format_}: {kills} kills of replicas, 1 of the primary"
        self.step(found, f"{line}; {acknowledged} acknowledged so far")

    def kill_replica(self, replica: Node) -> None:
        replica.server.kill()
        self.count("kills of a replica")
        replica.start(*self.replica_options(replica))
        replica.check_running()

    def kill_primary(self, format_: str, reader: Reader) -> None:
        """Nothing that was acknowledged or seen may be missing afterwards."""
        time.sleep(self.rng.uniform(0.2, 0.8))
        self.primary.server.kill()
        found = self.load.stop()
        self.count("kills of a primary")
        self.start_primary(format_)
        reader.end()
        found += self.load.check(self.primary)
        found += [Problem("lost", f"visible: {t}") for t in reader.missing(self.primary)]
        self.count(
            "acknowledged", self.load.total("acknowledged") - self.counts.get("acknowledged", 0)
        )
        self.add([Problem(p.kind, f"primary: {p.text}") for p in found])
