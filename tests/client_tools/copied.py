# SPDX-License-Identifier: GPL-2.0-only
"""What all scenarios of the tools share: a primary under load, and the proof of a copy of it."""

import shutil
import time
from pathlib import Path

from tests.client_tools.constraints import proof
from tests.client_tools.constraints.load import PAIR, Constrained
from tests.client_tools.constraints.schema import FAR
from tests.kit.clients.bank import Bank
from tests.kit.clients.client import Problem
from tests.kit.clients.ledger import TwoEngines
from tests.kit.replicas.compare import compare
from tests.kit.replicas.load import SHORT, Load
from tests.kit.replicas.node import DATABASE, Node
from tests.kit.replicas.scenario import Scenario

# rows that are there before the load begins, so that a tool has something to do
FILLER = (
    "CREATE TABLE filler (id INT PRIMARY KEY, grp INT NOT NULL, text VARCHAR(200), KEY g (grp))",
    "INSERT INTO filler SELECT seq, seq % 100, REPEAT(MD5(seq), 4) FROM seq_1_to_20000",
)


class Copied(Scenario):
    """Subclasses define play(); it begins with begin()."""

    CLASSES = [*SHORT, TwoEngines, Constrained]

    def begin(self, *options: str) -> None:
        self.primary = self.node(1, binlog=True)
        self.primary.start("--binlog-format=ROW", "--loose-rocksdb-lock-wait-timeout=5", *options)
        self.load = Load(self.CLASSES, self.seed, self.primary)
        self.load.create()
        self.primary.server.sql("; ".join(FILLER), DATABASE)

    def under_load(self, action):
        """Runs `action` while the clients write, also for a moment before and after it."""
        self.load.start()
        try:
            time.sleep(0.4)
            return action()
        finally:
            time.sleep(0.2)
            self.add(self.load.stop())

    def log(self, name: str) -> Path:
        return self.folder / f"{name}.log"

    def started(self, folder: Path, *options: str, binlog: bool = False) -> Node:
        """A server on a data directory that a tool has made. `binlog`: with the binary log that
        lies in it, which decides about transactions that the copy has prepared."""
        node = Node(folder, 9, self.engine, binlog=binlog)
        self.nodes.append(node)
        node.start("--gtid-strict-mode=OFF", *options)
        return node

    def empty(self) -> Node:
        """A server without the tables of the load, to load a dump into."""
        folder = self.folder / "loaded"
        shutil.copytree(self.template, folder)
        return self.started(folder)

    def sums(self, node: Node) -> list[Problem]:
        """What must be true of every moment of the primary: transactions are there whole."""
        with node.connect() as link, link.cursor() as cursor:

            def execute(sql: str) -> list[tuple]:
                cursor.execute(sql)
                return list(cursor.fetchall())

            bank = next(client for client in self.load.clients if isinstance(client, Bank))
            problems = bank.check_sums(execute)
            if execute("SELECT COUNT(*), COUNT(DISTINCT id) FROM filler") != [(20000, 20000)]:
                problems.append(Problem("lost", "rows of the table that nobody changes"))
            return problems

    def constraints(self, node: Node) -> list[Problem]:
        """A copy has the primary's constraints, and they hold in it."""
        with self.primary.connect() as link, link.cursor() as cursor:
            expected = proof.definitions(proof.asker(cursor), PAIR, PAIR.tables())
        with node.connect() as link, link.cursor() as cursor:
            ask = proof.asker(cursor)
            problems = proof.unequal(expected, proof.definitions(ask, PAIR, PAIR.tables()))
            return problems + proof.holds(ask, PAIR)

    def far_rows(self, node: Node) -> list[Problem]:
        """compare() looks at one database only; the constraints reach into another."""
        found = [
            {t: node.server.query(f"SELECT * FROM {PAIR.far}.{t} ORDER BY id") for t in FAR}
            for node in (self.primary, node)
        ]
        return [] if found[0] == found[1] else [Problem("lost", f"rows of {PAIR.far}: {found}")]

    def both_engines(self, node: Node) -> list[Problem]:
        """Transactions over InnoDB and the tested engine are in both or in none."""
        rows = node.server.query(
            "SELECT h.id, h.n, t.n FROM rpl.both_here h JOIN rpl.both_there t USING (id)"
            " WHERE h.n <> t.n"
        )
        return [Problem("half", f"transactions over two engines: {rows}")] if rows else []

    def caught_up(self, node: Node, gtid: str) -> list[Problem]:
        """Makes the copy a replica from the position that the tool has told, and compares."""
        node.one(f"SET GLOBAL gtid_slave_pos='{gtid}'")
        node.follow(self.primary)
        node.catch_up(self.primary.position())
        node.one("STOP SLAVE")
        return self.load.check(node) + compare(self.primary, node) + self.far_rows(node)
