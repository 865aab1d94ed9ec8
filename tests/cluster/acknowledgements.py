# SPDX-License-Identifier: GPL-2.0-only
"""Where a commit is when its client has the answer: in nobody's hands but the primary's, in the
replica's relay log, or committed there. docs/operate/replicas.md has a line for each step here."""

from tests.kit.clients.client import Problem
from tests.kit.replicas.node import Node
from tests.kit.replicas.scenario import Scenario

SHORT_WAIT = 0.2  # seconds, for what must not happen
LONG_WAIT = 120
ROUNDS, LONG_ROUNDS = 50, 1000


class Acknowledgements(Scenario):
    NAME = "acknowledgements"

    def play(self) -> None:
        self.primary, self.replica = (
            self.node(1, binlog=True),
            self.node(2, binlog=True),
        )
        for node in (self.primary, self.replica):
            node.start("--binlog-format=ROW", "--sync-binlog=1")
        self.primary.one("CREATE TABLE rpl.written (id INT PRIMARY KEY)")
        self.replica.follow(self.primary)
        self.replica.catch_up(self.primary.position())
        self.asynchronous()
        self.own_writes()

    def expect(self, holds: bool, text: str) -> list[Problem]:
        return [] if holds else [Problem("broken", text)]

    def write(self, row: int) -> str:
        """One commit; its GTID, as its session is told."""
        with self.primary.connect() as link, link.cursor() as cursor:
            cursor.execute(f"INSERT INTO written VALUES ({row})")
            cursor.execute("SELECT @@last_gtid")
            return cursor.fetchone()[0]

    @staticmethod
    def has(node: Node, row: int) -> bool:
        return node.one(f"SELECT COUNT(*) FROM rpl.written WHERE id = {row}") == 1

    def received(self, gtid: str) -> bool:
        return sequence(self.replica.slave_status()["Gtid_IO_Pos"]) >= sequence(gtid)

    def asynchronous(self) -> None:
        self.replica.one("STOP SLAVE IO_THREAD")
        gtid = self.write(1)
        found = self.expect(not self.received(gtid), "a thread that does not run has received")
        found += self.expect(not self.has(self.replica, 1), "the replica has the row")
        self.replica.one("START SLAVE IO_THREAD")
        self.replica.catch_up(gtid)
        found += self.expect(self.has(self.replica, 1), "the replica lacks the row")
        self.step(found, "asynchronous: acknowledged, and on the primary only")

    def own_writes(self) -> None:
        """A session that has written asks the replica to wait, and then finds what it wrote."""
        self.replica.one("STOP SLAVE SQL_THREAD")
        gtid = self.write(2)
        answer = self.replica.one(f"SELECT MASTER_GTID_WAIT('{gtid}', {SHORT_WAIT})")
        found = self.expect(answer == -1, f"a replica that does not move answers {answer}")
        self.replica.one("START SLAVE SQL_THREAD")
        for row in range(3, 3 + (LONG_ROUNDS if self.long else ROUNDS)):
            gtid = self.write(row)
            answer = self.replica.one(f"SELECT MASTER_GTID_WAIT('{gtid}', {LONG_WAIT})")
            found += self.expect(answer == 0 and self.has(self.replica, row), f"row {row} lacks")
        self.step(found, "MASTER_GTID_WAIT: 0 with the row there, -1 when it is not in time")


def sequence(gtid: str) -> int:
    """The number in a position of one domain."""
    return int(gtid.rpartition("-")[2]) if gtid else 0
