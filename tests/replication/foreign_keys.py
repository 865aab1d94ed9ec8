# SPDX-License-Identifier: GPL-2.0-only
"""Tables with foreign keys: statements of which the row events are known, then random transactions
in each format and row image, from either engine to either, to replicas in each parallel mode and
with each kind of read-free apply, while definitions change. Afterwards rows and definitions are
equal, and no row that was checked is without its parent.

Servers 1 and 4 are primaries. 1 and its replica 2 have the tested engine, its replica 3 and 4 have
InnoDB, and 5, the replica of 4, has the tested engine again."""

import time
from collections import Counter
from itertools import product

from pymysql.constants import ER

from tests.kit.clients.client import Problem
from tests.kit.replicas.load import Load
from tests.kit.replicas.node import Node
from tests.kit.replicas.scenario import Scenario
from tests.replication.foreign_key_clients import Definer, Writer
from tests.replication.foreign_key_events import CASES, UNCHECKED, KnownEvents, drop_tables
from tests.replication.foreign_key_state import compare_state, orphans_of
from tests.replication.foreign_key_statements import make_files
from tests.replication.foreign_key_tables import PARENT, PARENTS
from tests.replication.hot_rows import MODES

# format and row image; the first three are what a short run has
LOGS = (
    ("ROW", "FULL"),
    ("MIXED", "MINIMAL"),
    ("STATEMENT", "FULL"),
    ("ROW", "MINIMAL"),
    ("ROW", "NOBLOB"),
)
READ_FREE = ("PK_SK", "PK_ONLY", "OFF")
CLIENTS = [Writer] * 4 + [Definer]
SECONDS, LONG_SECONDS = 0.7, 2
LOCK_WAIT = ["--innodb-lock-wait-timeout=2", "--loose-rocksdb-lock-wait-timeout=2"]
INNODB = ["--default-storage-engine=InnoDB", "--gtid-pos-auto-engines=innodb"]
# what only the replica has got -> how the comparison says so
DAMAGE = {
    "INSERT INTO kept_r VALUES (-1, -1)": "kept_r: 0 rows missing, 1 too many",
    "UPDATE kept_q SET u = -u WHERE u IS NOT NULL": "without a parent",
    "ALTER TABLE kept_n DROP FOREIGN KEY kept_n_ibfk_1": "instead of CREATE TABLE `kept_n`",
}


class ForeignKeys(Scenario):
    NAME = "foreign keys"

    def play(self) -> None:
        self.start_nodes()
        self.known_events()
        self.unread_rows()
        for primary in self.primaries:
            drop_tables(primary)
        self.create_loads()
        settings = list(zip(LOGS, MODES, READ_FREE, strict=False))
        for setting in product(LOGS, MODES, READ_FREE) if self.long else settings:
            self.turn(*setting)
        self.check_refusals()
        self.check_comparison()

    def start_nodes(self) -> None:
        # groups of commits, so that the conservative mode has something to do at once
        groups = ["--binlog-commit-wait-count=3", "--binlog-commit-wait-usec=1000", *LOCK_WAIT]
        threads = ["--slave-parallel-threads=6", "--slave-transaction-retries=1000", *LOCK_WAIT]
        triggers = ["--slave-run-triggers-for-rbr=YES", "--slave-parallel-mode=optimistic"]
        here, there = self.started(1, groups), self.started(4, [*INNODB, *groups])
        self.primaries = [here, there]
        self.parallel = self.started(2, threads)
        other, back = self.started(3, [*INNODB, *LOCK_WAIT]), self.started(5, threads + triggers)
        self.pairs = [(here, self.parallel), (here, other), (there, back)]
        for primary, replica in self.pairs:
            replica.follow(primary)

    def started(self, number: int, options: list[str]) -> Node:
        node = self.node(number, binlog=True)
        node.start(*options)
        return node

    # --- statements of which the row events are known

    def known_events(self) -> None:
        self.read_free(READ_FREE[0])
        before = self.unread()
        found = KnownEvents(self.primaries).play()
        found += self.compare_all()
        if self.unread() != before:
            found.append(Problem("broken", "rows with foreign keys were changed unread"))
        self.step(found, f"{len(CASES)} kinds of statements in row events")

    def unread_rows(self) -> None:
        """Without checks, in the session that wrote them, nothing speaks against it."""
        if self.engine != "rocksdb":
            return
        before = self.unread()
        with self.primaries[0].connect() as link, link.cursor() as cursor:
            cursor.execute("SET SESSION binlog_format = ROW")
            for statement in UNCHECKED:
                cursor.execute(statement.format("case0"))
        found = self.compare_all()
        unread = self.unread() - before
        found += [] if unread else [Problem("broken", "no row was changed unread")]
        self.step(found, f"without checks, {unread} rows changed unread")

    def read_free(self, mode: str) -> None:
        if self.engine == "rocksdb":
            self.parallel.one(f"SET GLOBAL rocksdb_read_free_rpl = {mode}")

    def unread(self) -> int:
        rows = self.parallel.server.query("SHOW GLOBAL STATUS LIKE 'rocksdb_rows_%_blind'")
        return sum(int(row[1]) for row in rows)

    # --- random transactions

    def create_loads(self) -> None:
        folder = self.folder / "files"
        make_files(folder, self.rng)
        self.orphaned: set[int] = set()  # primaries that had rows without a parent after a turn
        self.loads = [Load(CLIENTS, self.seed + n, p) for n, p in enumerate(self.primaries)]
        for load in self.loads:
            load.create()
            for client in load.clients:
                client.folder = folder
        # the last client of the first load changes definitions of the tested engine
        self.loads[0].clients[-1].renames_parent = self.engine == "rocksdb"

    def turn(self, log: tuple[str, str], mode: str, read_free: str) -> None:
        """Load first, then the parallel replica at once, so that its workers have all they can
        take."""
        self.parallel.one("STOP SLAVE")
        self.parallel.one(f"SET GLOBAL slave_parallel_mode = {mode}")
        self.read_free(read_free)
        found = self.write(*log)
        self.parallel.one("START SLAVE")
        found += self.compare_all()
        self.orphaned |= {node.number for node in self.primaries if orphans_of(node)[1]}
        done = sum(load.total("acknowledged") for load in self.loads)
        line = ", ".join((*log, mode, read_free))
        self.step(found, f"{line}: {done} transactions so far")

    def write(self, format_: str, image: str) -> list[Problem]:
        for primary, load in zip(self.primaries, self.loads, strict=True):
            primary.one(f"SET GLOBAL binlog_format = {format_}, binlog_row_image = {image}")
            for client in load.clients:
                client.repeats = format_ != "ROW"
            load.start()
        time.sleep(LONG_SECONDS if self.long else SECONDS)
        found = [problem for load in self.loads for problem in load.stop()]
        for primary in self.primaries:
            self.create_parents(primary)
        return found

    def create_parents(self, primary: Node) -> None:
        """Those that the client of definitions has dropped, so that orphans can be asked for."""
        with primary.connect() as link, link.cursor() as cursor:
            cursor.execute("SET foreign_key_checks = 0")
            for name in PARENTS:
                cursor.execute(PARENT.format(name))

    def compare_all(self) -> list[Problem]:
        found = []
        for primary, replica in self.pairs:
            replica.catch_up(primary.position())
            found += compare_state(primary, replica)
        return found

    # --- does the test test something?

    def check_refusals(self) -> None:
        found = []
        for primary, load in zip(self.primaries, self.loads, strict=True):
            refused = sum((client.errors for client in load.clients), start=Counter())
            for number in (ER.ROW_IS_REFERENCED_2, ER.NO_REFERENCED_ROW_2):
                if not refused[number]:
                    found.append(Problem("broken", f"no statement met error {number}"))
            self.count("transactions", load.total("acknowledged"))
            self.count("retried", load.total("retried"))
            self.count("statements refused", refused.total())
            if primary.number not in self.orphaned:
                found.append(Problem("broken", "without checks no row has lost its parent"))
        self.step(found, "constraints refused statements, and others wrote without checks")

    def check_comparison(self) -> None:
        """The replica alone is changed: each check must see it."""
        primary, replica = self.pairs[0]
        replica.one("STOP SLAVE")
        with replica.connect() as link, link.cursor() as cursor:
            cursor.execute("SET sql_log_bin = 0, foreign_key_checks = 0")
            for statement in DAMAGE:
                cursor.execute(statement)
        told = [problem.text for problem in compare_state(primary, replica)]
        found = [
            Problem("broken", f"nobody saw {statement}")
            for statement, words in DAMAGE.items()
            if not any(words in text for text in told)
        ]
        self.step(found, f"{len(DAMAGE)} changes of the replica alone are found")
