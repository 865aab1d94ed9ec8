# SPDX-License-Identifier: GPL-2.0-only
"""rocksdb_read_free_rpl: a replica that applies row events without reading the rows is the primary
afterwards, index by index, and so is a replica of its own that reads them. Status counters tell
what was read; where it must be, it was."""

import time

from tests.kit.clients.client import Problem
from tests.kit.replicas.compare import compare
from tests.kit.replicas.load import SHORT, Load, SmallLarge
from tests.kit.replicas.scenario import Scenario
from tests.replication.hot_rows import Hot
from tests.replication.read_free_tables import (
    CHANGE_SMALL,
    CHANGES,
    COLUMNS,
    FILL,
    FILL_SMALL,
    INDEXES,
    REFUSALS,
    SMALL,
    Refusal,
)

OFF, FLAT_ONLY, ALL = MODES = ("OFF", "PK_ONLY", "PK_SK")
# kind of table -> the modes that do not read it
KINDS = {
    "flat": (FLAT_ONLY, ALL),
    "parts": (FLAT_ONLY, ALL),
    "keyed": (ALL,),
    "keyed_parts": (ALL,),
}
KILLS, LONG_KILLS = 4, 20
PARALLEL = ["--slave-parallel-mode=optimistic", "--slave-parallel-threads=6"]
# What a transaction reads by itself: its own position and the like.
READS_OF_A_TRANSACTION = 20


class ReadFree(Scenario):
    NAME = "readfree"

    def play(self) -> None:
        if self.engine != "rocksdb":
            self.skip("rocksdb_read_free_rpl is a variable of ROCKSDB")
            return
        self.primary, self.replica = self.node(1, binlog=True), self.node(2, binlog=True)
        self.last = self.node(3, binlog=False)
        self.primary.start("--binlog-format=ROW", "--loose-rocksdb-lock-wait-timeout=5")
        self.replica.start(
            "--slave-type-conversions=ALL_NON_LOSSY", "--slave-run-triggers-for-rbr=YES"
        )
        self.last.start("--slave-type-conversions=ALL_NON_LOSSY,ALL_LOSSY")
        self.replica.follow(self.primary)
        self.last.follow(self.replica)
        for mode in MODES:
            self.one_mode(mode)
        self.reads_of_the_store()
        self.replica.one(f"SET GLOBAL rocksdb_read_free_rpl={ALL}")
        for number, refusal in enumerate(REFUSALS):
            self.refused(f"refused{number}", refusal)
        self.by_file_positions()
        self.under_load()

    # --- what is read, by a serial replica

    def one_mode(self, mode: str) -> None:
        self.replica.one(f"SET GLOBAL rocksdb_read_free_rpl={mode}")
        for kind, free in KINDS.items():
            table = f"{mode}_{kind}".lower()
            indexes = f", {INDEXES}" if kind.startswith("keyed") else ""
            parts = " PARTITION BY KEY (k2) PARTITIONS 3" if kind.endswith("parts") else ""
            if parts:  # a unique key must have the columns of the partitioning
                indexes = indexes.replace("UNIQUE (c)", "UNIQUE (c, k2)")
            # the server takes no geometry in partitions
            columns = COLUMNS.replace("o POINT", "o BLOB") if parts else COLUMNS
            create = f"CREATE TABLE {{0}} ({columns}{indexes}){parts}"
            self.execute(table, [create, FILL])
            before = self.counters()
            self.execute(table, CHANGES)
            found = judge(self.difference(before), mode in free)
            self.step(found + self.compare_all(), f"{mode}: {kind}")

    def reads_of_the_store(self) -> None:
        """A transaction of many rows makes RocksDB look up no more keys than one of a few."""
        for kind in ("flat", "keyed"):
            before = self.counters("rocksdb_number_keys_read")
            self.execute(f"{ALL}_{kind}".lower(), ["UPDATE {0} SET a = k2 + 70000, f = k2"])
            reads = self.difference(before)["rocksdb_number_keys_read"]
            text = f"{kind}: {reads} keys read for a statement of more than 100 rows"
            self.step([Problem("broken", text)] if reads > READS_OF_A_TRANSACTION else [], text)

    # --- what is not safe is read

    def refused(self, table: str, refusal: Refusal) -> None:
        self.execute(table, [refusal.table, FILL_SMALL])
        self.replica_only(refusal.here.format(table))
        before = self.counters()
        self.execute(table, [refusal.there, *CHANGE_SMALL])
        found = judge(self.difference(before), free=False)
        self.replica_only(refusal.back)
        # the last replica has not got what the other has by itself
        found += compare(self.primary, self.replica)
        self.step(found, f"read in spite of {ALL}: {refusal.what}")
        self.execute(table, ["DROP TABLE {0}"])

    def by_file_positions(self) -> None:
        """Without GTIDs a crash may set the position back: tables with indexes are read."""
        self.execute("by_files", [SMALL, FILL_SMALL])
        self.replica.one("STOP SLAVE")
        self.replica.one("CHANGE MASTER TO MASTER_USE_GTID=no")
        self.replica.one("START SLAVE")
        position = self.primary.position()
        before = self.counters()
        self.execute("by_files", CHANGE_SMALL)
        found = judge(self.difference(before), free=False)
        self.step(found + self.compare_all(), f"read in spite of {ALL}: positions in files")
        self.replica.one("STOP SLAVE")
        self.replica.one("CHANGE MASTER TO MASTER_USE_GTID=slave_pos")
        self.replica.one("START SLAVE")
        if position == self.primary.position():
            self.add([Problem("broken", "nothing was written")])

    # --- parallel, and killed

    def under_load(self) -> None:
        load = Load([*SHORT, Hot, Hot, Hot, SmallLarge], self.seed, self.primary)
        load.create()
        # The server may apply a CREATE again that a kill has met (docs/durability.md).
        self.catch_up()
        applied = 0
        for _ in range(LONG_KILLS if self.long else KILLS):
            self.replica.server.kill()
            self.replica.start(*PARALLEL, f"--rocksdb-read-free-rpl={ALL}")
            self.count("kills")
            load.start()
            time.sleep(self.rng.uniform(0.5, 2.0))
            applied += self.blind()
            found = load.stop()
            self.add(found)
        self.catch_up()
        applied += self.blind()
        found = [] if applied else [Problem("broken", "no row was applied without being read")]
        self.step(found + self.compare_all(), f"{applied} rows unread under load")

    def blind(self) -> int:
        now = self.counters()
        return now["rocksdb_rows_updated_blind"] + now["rocksdb_rows_deleted_blind"]

    # --- helpers

    def execute(self, table: str, statements: list[str]) -> None:
        """In one connection to the primary; waits for the replica."""
        with self.primary.connect() as link, link.cursor() as cursor:
            for statement in filter(None, statements):
                cursor.execute(statement.format(table))
                self.count("statements")
        self.replica.catch_up(self.primary.position())

    def replica_only(self, statement: str) -> None:
        if not statement:
            return
        with self.replica.connect() as link, link.cursor() as cursor:
            cursor.execute("SET sql_log_bin=0")
            cursor.execute(statement)

    def catch_up(self) -> None:
        position = self.primary.position()
        self.replica.catch_up(position)
        self.last.catch_up(position)

    def compare_all(self) -> list[Problem]:
        self.catch_up()
        return compare(self.primary, self.replica) + compare(self.primary, self.last)

    def counters(self, like: str = "rocksdb_rows%") -> dict[str, int]:
        rows = self.replica.server.query(f"SHOW GLOBAL STATUS LIKE '{like}'")
        return {name.lower(): int(value) for name, value in rows}

    def difference(self, before: dict[str, int]) -> dict[str, int]:
        now = self.counters("rocksdb%")
        return {name: now[name] - value for name, value in before.items()}


def judge(counted: dict[str, int], free: bool) -> list[Problem]:
    """Was every row that changed read, or none? A row that moves to another partition is deleted
    where the event updates it, so updates and deletions are taken together."""
    changed = counted["rocksdb_rows_updated"] + counted["rocksdb_rows_deleted"]
    unread = counted["rocksdb_rows_updated_blind"] + counted["rocksdb_rows_deleted_blind"]
    read = counted["rocksdb_rows_read"]
    right = unread == changed and read == 0 if free else unread == 0 and read >= changed
    text = f"{changed} rows changed, {unread} of them unread, {read} read"
    return [] if right and changed else [Problem("broken", text)]
