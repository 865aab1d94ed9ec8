# SPDX-License-Identifier: GPL-2.0-only
"""The machine of a replica dies under load: what was not synced is gone, of the engines, the binary
log, the relay logs and their positions at the same moment. One case for each line of the table "A
replica that crashes" in docs/durability.md.

Beside them deaths of the process: where InnoDB takes part without a binary log, for comparison, and
where the store's log is written once a second only.

Where the table promises that the replica goes on where its rows end, it must come to be the same as
its primary, whether or not it reads rows before it applies row events (rocksdb_read_free_rpl).
Where it says that something may be lost, what is missing is counted, and so are the errors with
which the server then stops; tables must still be sound."""

import contextlib
import time
from dataclasses import dataclass

import pymysql
from pymysql.constants import ER

from tests.kit import error_numbers
from tests.kit.clients.client import Problem
from tests.kit.clients.prepared import Prepared
from tests.kit.loop_disk import LoopDisk
from tests.kit.replicas.compare import compare
from tests.kit.replicas.load import PAIRED, SHORT, IdempotentScratch, Load
from tests.kit.replicas.node import Broken
from tests.kit.replicas.scenario import Scenario
from tests.replication.binlog_numbers import gaps, logged
from tests.replication.replica_kills import FORMATS, LOCK_WAIT, MODES

MEGABYTES = 768  # of the replica's disk
ROUNDS = 3  # of each case, in the long form
PARALLEL_MODES = [mode for mode in MODES if mode != "none"]
STRICT_ORDER = error_numbers.GTID_STRICT_OUT_OF_ORDER
DUPLICATE, NO_ROW = ER.DUP_ENTRY, ER.KEY_NOT_FOUND
SAME_XID, NO_XID = ER.XAER_DUPID, ER.XAER_NOTA
UNREADABLE = ER.ERROR_WHEN_EXECUTING_COMMAND  # of a binary log
BOTH = "innodb,rocksdb"
READ_FREE = ("OFF", "PK_ONLY", "PK_SK")


@dataclass(frozen=True)
class Case:
    """`kept`: the replica must be the primary afterwards. `whole_log`: its binary log must hold
    each transaction once. `stops`: errors that may stop it, where it is not kept."""

    binlog: bool
    flush: int  # rocksdb_flush_log_at_trx_commit
    sync: int = 0  # sync_binlog
    parallel: bool = True
    strict: bool = True  # gtid_strict_mode
    innodb: bool = False  # transactions of InnoDB too, whose log is synced with each commit
    ddl: bool = False
    xa: bool = False  # nothing but user XA
    machine: bool = True  # dies; else only the process of the replica
    engines: str = ""  # gtid_pos_auto_engines
    kept: bool = True
    whole_log: bool = False
    stops: tuple[int, ...] = ()
    short: bool = False  # also in the short form

    @property
    def name(self) -> str:
        parts = [f"binlog, sync_binlog={self.sync}" if self.binlog else "no binlog"]
        parts += [f"flush={self.flush}", "parallel" if self.parallel else "serial"]
        parts += ["not strict"] if not self.strict else []
        if self.innodb:
            parts.append(f"InnoDB too, positions in {'both' if self.engines else 'ROCKSDB'}")
        parts += ["DDL"] if self.ddl else []
        parts += ["user XA"] if self.xa else []
        parts += ["the process alone"] if not self.machine else []
        return ", ".join(parts)


# Those with InnoDB have its log synced at each commit; with less, its transactions can be lost in
# every case. What is not kept is what docs/durability.md says may be lost.
CASES = (
    Case(False, 0, short=True),
    Case(False, 1),
    Case(False, 2),
    Case(True, 1, 1, whole_log=True, short=True),
    Case(True, 1, 0, short=True),
    Case(True, 2, 1, kept=False, stops=(STRICT_ORDER,), short=True),
    Case(True, 2, 1, strict=False, kept=False, stops=(DUPLICATE, NO_ROW)),
    Case(True, 2, 1, parallel=False, strict=False),
    Case(True, 2, 0, kept=False, stops=(STRICT_ORDER,)),
    Case(True, 0, 1, strict=False, kept=False, stops=(DUPLICATE, NO_ROW)),
    Case(True, 0, 1, machine=False, kept=False, stops=(STRICT_ORDER,)),
    Case(True, 0, 1, strict=False, machine=False, kept=False, stops=(DUPLICATE, NO_ROW)),
    Case(True, 0, 1, parallel=False, strict=False, machine=False),
    Case(True, 1, 1, innodb=True, engines=BOTH, whole_log=True, short=True),
    Case(True, 1, 0, innodb=True, engines=BOTH, kept=False, stops=(DUPLICATE, NO_ROW)),
    Case(False, 1, innodb=True, kept=False, stops=(DUPLICATE, NO_ROW), short=True),
    Case(False, 0, innodb=True, kept=False, stops=(DUPLICATE, NO_ROW)),
    Case(False, 1, innodb=True, engines=BOTH, kept=False, stops=(DUPLICATE, NO_ROW)),
    Case(False, 1, innodb=True, machine=False, kept=False, stops=(DUPLICATE, NO_ROW)),
    Case(False, 1, innodb=True, machine=False, engines=BOTH, kept=False, stops=(DUPLICATE, NO_ROW)),
    Case(True, 1, 1, strict=False, ddl=True),
    Case(False, 1, parallel=False, ddl=True),
    Case(True, 1, 1, xa=True, machine=False, kept=False, stops=(STRICT_ORDER, NO_XID)),
    Case(True, 1, 1, xa=True, kept=False, stops=(STRICT_ORDER, NO_XID)),
    Case(False, 1, xa=True, machine=False, kept=False, stops=(SAME_XID, NO_XID)),
    Case(False, 1, xa=True, kept=False, stops=(SAME_XID, NO_XID)),
)


class ReplicaPowerCuts(Scenario):
    NAME = "power cuts"

    def run(self) -> None:
        cases = [case for case in CASES if self.long or case.short]
        why_not = LoopDisk.why_not()
        if why_not:
            self.skipped += len(cases)
            print(f"   {self.NAME}: skipped: {why_not}")
            return
        for number in range(ROUNDS if self.long else 1):
            for index, case in enumerate(cases):
                self.folder = self.folder.with_name(f"{self.NAME}-{number}-{index}")
                with contextlib.ExitStack() as self.disks:
                    self.case = case
                    super().run()
                self.nodes.clear()

    def play(self) -> None:
        """A new primary, a new replica, and one death of the replica."""
        self.start_primary()
        self.start_replica()
        self.load.start()
        time.sleep(self.rng.uniform(1.0, 2.0))
        before = number_of(self.replica.one("SELECT @@gtid_slave_pos"))
        self.die()
        found = self.load.stop() + self.load.check(self.primary)
        self.replica.start(*self.options, "--skip-slave-start")
        after = number_of(self.replica.one("SELECT @@gtid_slave_pos"))
        self.replica.one("START SLAVE")
        outcome = self.judge(found)
        self.count("deaths of a machine" if self.case.machine else "deaths of a process")
        self.count("transactions that the deaths took away", max(0, before - after))
        self.step(found, f"{self.case.name}: at {before}, then at {after}; {outcome}")
        for node in self.nodes:
            node.server.kill()  # nothing more is asked of them

    def die(self) -> None:
        if self.case.machine:
            self.disk.cut_power(self.replica.server)
        else:
            self.replica.server.kill()

    def start_primary(self) -> None:
        self.primary = self.node(1, binlog=True)
        self.primary.start(
            f"--binlog-format={self.rng.choice(FORMATS)}",
            "--loose-rocksdb-flush-log-at-trx-commit=2",
            *LOCK_WAIT,
        )
        classes = PAIRED if self.case.innodb else SHORT
        if self.case.ddl:
            classes = [*classes, IdempotentScratch]
        if self.case.xa:
            classes = [Prepared] * 3
        self.load = Load(classes, self.seed, self.primary)
        self.load.create()

    def start_replica(self) -> None:
        """It has the tables, all of it synced, when this returns."""
        self.disk = LoopDisk(self.folder / "disk", MEGABYTES)
        self.disks.enter_context(self.disk)
        self.replica = self.node(2, binlog=self.case.binlog, disk=self.disk.path)
        self.options = self.replica_options()
        self.replica.start(*self.options)
        self.replica.follow(self.primary)
        self.replica.catch_up(self.primary.position())
        self.disk.sync()

    def replica_options(self) -> list[str]:
        case = self.case
        mode = self.rng.choice(PARALLEL_MODES) if case.parallel else "none"
        # Rows that are applied unread must be those of the primary: only where none can be lost.
        read_free = self.rng.choice(READ_FREE) if case.kept else "OFF"
        return [
            f"--slave-parallel-mode={mode}",
            f"--slave-parallel-threads={4 if case.parallel else 0}",
            f"--loose-rocksdb-flush-log-at-trx-commit={case.flush}",
            f"--sync-binlog={case.sync}",
            f"--gtid-strict-mode={'ON' if case.strict else 'OFF'}",
            f"--gtid-pos-auto-engines={case.engines}",
            f"--loose-rocksdb-read-free-rpl={read_free}",
            "--innodb-flush-log-at-trx-commit=1",
        ]

    def judge(self, found: list[Problem]) -> str:
        """Adds what must not be to `found`; returns in words what came."""
        position = self.primary.position()
        try:
            self.replica.catch_up(position)
        except Broken as error:
            status = self.replica.slave_status()
            number = status.get("Last_SQL_Errno", 0)
            if number not in self.case.stops:
                found.append(Problem("broken", f"{self.case.name}: {error}"))
            self.count(f"{self.case.name}: stopped with {number}")
            return f"stopped with {number}"
        text = self.judge_tables(found)
        return text + (self.judge_log(position, found) if self.case.binlog else "")

    def judge_tables(self, found: list[Problem]) -> str:
        try:
            differences = compare(self.primary, self.replica)
        except pymysql.MySQLError as error:
            differences = [Problem("broken", f"a table cannot be read: {error}")]
        if self.primary.prepared() != self.replica.prepared():
            differences.append(Problem("broken", "XA RECOVER differs"))
        gone = [p for p in differences if p.kind in ("lost", "extra")]
        found += differences if self.case.kept else [p for p in differences if p not in gone]
        if not gone:
            return "the same as the primary"
        self.count(f"{self.case.name}: not the same as the primary")
        return "; ".join(p.text for p in gone)

    def judge_log(self, position: str, found: list[Problem]) -> str:
        try:
            missing, again = gaps(logged(self.replica), number_of(position))
        except pymysql.MySQLError as error:
            if self.case.whole_log or error.args[0] != UNREADABLE:
                found.append(Problem("broken", f"{self.case.name}: the binary log: {error}"))
            return "; the binary log cannot be read"
        text = f"of the binary log missing: {missing}, twice: {again}"
        if self.case.whole_log and (missing or again):
            found.append(Problem("lost" if missing else "extra", f"{self.case.name}: {text}"))
        return f"; {text}"


def number_of(position: str) -> int:
    """The transactions of a position in one domain."""
    return int(position.rpartition("-")[2]) if position else 0
