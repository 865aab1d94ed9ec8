# SPDX-License-Identifier: GPL-2.0-only
"""Semi-synchronous replication: the primary is killed under load, the replica promoted, and the old
primary comes back as a replica, again and again with changing roles.

After a promotion nothing may be missing that the old primary had acknowledged, and, with the wait
point AFTER_SYNC, nothing that a reader had seen on it. For comparison, with two servers each:
AFTER_COMMIT, where others see a commit before the replica has it, asynchronous replication, and a
primary that waits no more after rpl_semi_sync_master_timeout; what is gone then
is counted and reported. Such a primary cannot come back: what the replica never
had is committed in its engines."""

import time

from tests.kit.clients.client import Problem
from tests.kit.clients.ledger import TwoEngines
from tests.kit.replicas.compare import compare
from tests.kit.replicas.load import SHORT, Load
from tests.kit.replicas.node import Broken, Node
from tests.kit.replicas.scenario import Scenario
from tests.replication import binlog_cut
from tests.replication.reader import Reader

ROUNDS, LONG_ROUNDS = 3, 20
ASYNCHRONOUS = "asynchronous"
TIMED_OUT = "AFTER_SYNC, timed out"
TIMEOUT = 100  # milliseconds


class Failover(Scenario):
    NAME = "semi-sync"

    def play(self) -> None:
        rounds = LONG_ROUNDS if self.long else ROUNDS
        self.pair(1, ["AFTER_SYNC"] * rounds)
        self.pair(3, ["AFTER_COMMIT"])
        self.pair(5, [ASYNCHRONOUS])
        self.pair(7, [TIMED_OUT])

    def pair(self, number: int, points: list[str]) -> None:
        """Two new servers, and one round with each wait point."""
        self.one, self.other = self.node(number, binlog=True), self.node(number + 1, binlog=True)
        self.start(self.one, replica=False)
        self.start(self.other, replica=True)
        self.load = Load([*SHORT, TwoEngines], self.seed, self.one)
        self.become_primary(self.one)
        self.other.follow(self.one)
        self.wait_for_replica(self.one)
        self.load.create()
        for turn, point in enumerate(points, 1):
            hold = turn % 2 == 0 or point != "AFTER_SYNC"
            self.round(f"{turn}/{len(points)}", point, hold)
            self.one, self.other = self.other, self.one
        for node in (self.one, self.other):
            node.server.stop()

    def start(self, node: Node, replica: bool) -> None:
        """A server that comes back as a replica takes back what the new primary may not have.

        Its binary log is one file: where recovery has to read two of them, MariaDB 10.11 builds a
        wrong @@gtid_binlog_state while it cuts the log, that of the older file's beginning, and
        the server then applies transactions again that it has. So it does with InnoDB."""
        role = ["--init-rpl-role=SLAVE", "--rpl-semi-sync-slave-enabled=ON"] if replica else []
        level = self.rng.choice([1, 2])
        node.start(
            f"--binlog-format={self.rng.choice(['ROW', 'MIXED'])}",
            "--slave-parallel-mode=optimistic",
            "--slave-parallel-threads=4",
            "--sync-binlog=1",
            "--max-binlog-size=1G",
            f"--loose-rocksdb-flush-log-at-trx-commit={level}",
            "--loose-rocksdb-lock-wait-timeout=5",
            "--rpl-semi-sync-master-timeout=100000",
            *role,
        )

    def become_primary(self, node: Node) -> None:
        node.one("SET GLOBAL rpl_semi_sync_slave_enabled=OFF")
        node.one("SET GLOBAL rpl_semi_sync_master_enabled=ON")

    def wait_for_replica(self, primary: Node) -> None:
        deadline = time.monotonic() + 60
        while primary.server.status("Rpl_semi_sync_master_clients") != "1":
            if time.monotonic() > deadline:
                raise Broken("the replica does not connect as a semi-synchronous one")
            time.sleep(0.05)

    def round(self, name: str, point: str, hold: bool) -> None:
        """`hold`: the replica stops listening a moment before the kill, so that commits are
        under way that it never gets."""
        primary, replica = self.one, self.other
        if point == ASYNCHRONOUS:
            primary.one("SET GLOBAL rpl_semi_sync_master_enabled=OFF")
        elif point == TIMED_OUT:
            primary.one("SET GLOBAL rpl_semi_sync_master_wait_point=AFTER_SYNC")
            primary.one(f"SET GLOBAL rpl_semi_sync_master_timeout={TIMEOUT}")
        else:
            primary.one(f"SET GLOBAL rpl_semi_sync_master_wait_point={point}")
        self.load.primary = primary
        before = self.load.total("acknowledged")
        reader = Reader(primary)
        self.load.start()
        time.sleep(self.rng.uniform(0.5, 1.5))
        if hold:
            replica.one("STOP SLAVE IO_THREAD")
            time.sleep(0.5)
        if point == TIMED_OUT:
            self.go_on_alone(primary)
        primary.server.kill()
        self.count("kills of a primary")
        found = self.load.stop()
        reader.end()
        self.promote(replica)
        found += self.check_acknowledged(replica, point)
        found += self.check_seen(reader.missing(replica), point)
        acknowledged = self.load.total("acknowledged") - before
        self.count("acknowledged", acknowledged)
        text = f"{name} {point}{', the replica deaf before' if hold else ''}"
        if point == "AFTER_SYNC":
            found += self.rejoin(primary, replica)
            text += ", rejoined"
        self.step(found, f"{text}: {acknowledged} acknowledged")

    def go_on_alone(self, primary: Node) -> None:
        """Until commits are acknowledged that nobody has waited for."""
        deadline = time.monotonic() + 60
        while int(primary.server.status("Rpl_semi_sync_master_no_tx")) < 20:
            if time.monotonic() > deadline:
                raise Broken("the primary goes on waiting for its replica")
            time.sleep(0.05)

    def promote(self, replica: Node) -> None:
        replica.apply_received()
        replica.one("RESET SLAVE ALL")
        self.become_primary(replica)

    def check_seen(self, missing: list[str], point: str) -> list[Problem]:
        self.count("readers compared")
        if point == "AFTER_SYNC":
            return [Problem("lost", f"visible: {text}") for text in missing]
        self.count(f"seen with {point}, then gone", len(missing))
        return []

    def check_acknowledged(self, replica: Node, point: str) -> list[Problem]:
        found = self.load.check(replica)
        if point not in (ASYNCHRONOUS, TIMED_OUT):
            return found
        # an acknowledged DELETE that is gone leaves its row: "extra"
        gone = [p for p in found if p.kind in ("lost", "extra")]
        self.count(f"acknowledged with {point}, then gone", len(gone))
        return [p for p in found if p not in gone]

    def rejoin(self, old: Node, new: Node) -> list[Problem]:
        """The old primary becomes a replica of the new one, without what never got there."""
        self.start(old, replica=True)
        log = old.server.log()
        self.count("binary logs cut at the return", binlog_cut.last_cut(log) is not None)
        if binlog_cut.counts_what_it_cut(log, old.one("SELECT @@gtid_binlog_state")):
            self.count("replicas made anew, cut wrongly by the server (two engines)")
            self.renew(old)
            self.start(old, replica=True)
        old.follow(new, start=False)
        if old.position():
            old.one("CHANGE MASTER TO MASTER_DEMOTE_TO_SLAVE=1")
        old.one("START SLAVE")
        self.wait_for_replica(new)
        old.catch_up(new.position())
        return compare(new, old)
