# SPDX-License-Identifier: GPL-2.0-only
"""Semi-synchronous replication: the primary is killed under load, the replica promoted, and the old
primary comes back as a replica, again and again with changing roles.

After a promotion nothing may be missing that the old primary had acknowledged, and, with the wait
point AFTER_SYNC, nothing that a reader had seen on it. With AFTER_COMMIT others see a commit before
the replica has it: there the test counts what was seen and is gone, to show the difference. That
primary cannot come back: what the replica never had is committed in its engines."""

import threading
import time

import pymysql

from devtools.crash.client import Problem
from devtools.crash.ledger import TwoEngines
from devtools.replication.compare import compare
from devtools.replication.load import SHORT, Load
from devtools.replication.node import Broken, Node
from devtools.replication.scenario import Scenario

ROUNDS, LONG_ROUNDS = 4, 20
# what grows only: table, key, number
GROWING = [
    "SELECT CONCAT('counter ', id), n FROM counter",
    "SELECT CONCAT('ledger ', owner), sequence FROM progress",
    "SELECT CONCAT('bank ', client), MAX(sequence) FROM transfer GROUP BY client",
]


class Reader:
    """Reads the primary all the time and remembers the most that it has seen."""

    def __init__(self, node: Node):
        self.node = node
        self.seen: dict[str, int] = {}
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self) -> None:
        try:
            with self.node.connect() as link, link.cursor() as cursor:
                while not self.stop.is_set():
                    self.look(cursor)
        except (pymysql.Error, OSError):
            pass  # the server has been killed

    def look(self, cursor) -> None:
        for query in GROWING:
            cursor.execute(query)
            for name, number in cursor.fetchall():
                self.seen[name] = max(self.seen.get(name, 0), number)

    def end(self) -> None:
        self.stop.set()
        self.thread.join(60)

    def missing(self, node: Node) -> list[str]:
        """What was seen, and is not there on another server."""
        there: dict[str, int] = {}
        with node.connect() as link, link.cursor() as cursor:
            for query in GROWING:
                cursor.execute(query)
                there.update(cursor.fetchall())
        return [
            f"{name}: {number} was seen, {there.get(name, 0)} is there"
            for name, number in self.seen.items()
            if there.get(name, 0) < number
        ]


class Failover(Scenario):
    NAME = "semi-sync"

    def play(self) -> None:
        rounds = LONG_ROUNDS if self.long else ROUNDS
        self.one, self.other = self.node(1, binlog=True), self.node(2, binlog=True)
        self.start(self.one, replica=False)
        self.start(self.other, replica=True)
        self.load = Load([*SHORT, TwoEngines], self.seed, self.one)
        self.become_primary(self.one)
        self.other.follow(self.one)
        self.wait_for_replica(self.one)
        self.load.create()
        for number in range(1, rounds + 1):
            # the last one shows what the other wait point does
            point = "AFTER_COMMIT" if number == rounds else "AFTER_SYNC"
            self.round(f"{number}/{rounds}", point, hold=number % 2 == 0)
            self.one, self.other = self.other, self.one

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
        primary.one(f"SET GLOBAL rpl_semi_sync_master_wait_point={point}")
        self.load.primary = primary
        before = self.load.total("acknowledged")
        reader = Reader(primary)
        self.load.start()
        time.sleep(self.rng.uniform(0.5, 1.5))
        if hold:
            replica.one("STOP SLAVE IO_THREAD")
            time.sleep(0.5)
        primary.server.kill()
        self.count("kills of a primary")
        found = self.load.stop()
        reader.end()
        self.promote(replica)
        found += self.load.check(replica)
        found += self.check_seen(reader.missing(replica), point)
        acknowledged = self.load.total("acknowledged") - before
        self.count("acknowledged", acknowledged)
        text = f"{name} {point}{', the replica deaf before' if hold else ''}"
        if point == "AFTER_SYNC":
            found += self.rejoin(primary, replica)
            text += ", rejoined"
        self.step(found, f"{text}: {acknowledged} acknowledged")

    def promote(self, replica: Node) -> None:
        replica.apply_received()
        replica.one("RESET SLAVE ALL")
        self.become_primary(replica)

    def check_seen(self, missing: list[str], point: str) -> list[Problem]:
        self.count("readers compared")
        if point == "AFTER_SYNC":
            return [Problem("lost", f"visible: {text}") for text in missing]
        self.count("seen with AFTER_COMMIT, then gone", len(missing))
        return []

    def rejoin(self, old: Node, new: Node) -> list[Problem]:
        """The old primary becomes a replica of the new one, without what never got there."""
        self.start(old, replica=True)
        log = old.server.error_log.read_text(errors="replace")[old.server._log_offset :]
        self.count("binary logs cut at the return", log.count("truncated") > 0)
        old.follow(new, start=False)
        old.one("CHANGE MASTER TO MASTER_DEMOTE_TO_SLAVE=1")
        old.one("START SLAVE")
        self.wait_for_replica(new)
        old.catch_up(new.position())
        return compare(new, old)
