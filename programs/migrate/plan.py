# SPDX-License-Identifier: GPL-2.0-only
"""What would move, in which order, what stays and why, and the room that it takes."""

import os
from dataclasses import dataclass, field
from pathlib import Path

from programs.migrate import order
from programs.migrate.catalog import STORING, Catalog, ForeignKey, Table, orphans
from programs.migrate.errors import SqlError
from programs.migrate.names import Choice, Name
from programs.migrate.scratch import Scratch
from programs.migrate.server import TARGET, Server

MOVES, STAYS, MOVED = "moves", "stays", "moved"
# What an ALTER takes for a moment: the new table and sorted pieces of its indexes (size.md).
PIECES = 1.5


@dataclass
class Entry:
    table: Table
    verdict: str
    reasons: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    bytes_after: int | None = None
    basis: str = "not measured"
    group: int = 0

    @property
    def name(self) -> Name:
        return self.table.name

    @property
    def estimate(self) -> int:
        """Where nothing was measured: as large as now."""
        return self.table.bytes if self.bytes_after is None else self.bytes_after

    def stay(self, reason: str) -> None:
        self.verdict = STAYS
        self.reasons.append(reason)


@dataclass
class Plan:
    """`entries` in the order of the move; tables of one group stand together."""

    entries: list[Entry]
    warnings: list[str]
    notes: list[str]
    room: int = 0
    free: int | None = None

    def groups(self) -> list[list[Entry]]:
        """Of what moves."""
        found: dict[int, list[Entry]] = {}
        for entry in self.entries:
            if entry.verdict == MOVES:
                found.setdefault(entry.group, []).append(entry)
        return list(found.values())

    def staying(self) -> list[Entry]:
        return [entry for entry in self.entries if entry.verdict == STAYS]


@dataclass(frozen=True)
class Wish:
    choice: Choice
    sample: bool = True
    rows: bool = False
    online: bool = False


class Planner:
    def __init__(self, server: Server, catalog: Catalog, wish: Wish):
        self.server = server
        self.catalog = catalog
        self.wish = wish

    def make(self) -> Plan:
        self.wish.choice.check(set(self.catalog.tables))
        with Scratch(self.server).opened() as scratch:
            entries = {e.name: self.judge(e, scratch) for e in self.chosen()}
        self.judge_groups(entries)
        ordered = self.ordered(entries)
        plan = Plan(ordered, self.warnings(ordered), self.notes())
        plan.room = room_needed(plan.groups())
        plan.free = free_room(self.server)
        if plan.free is not None and plan.room > plan.free:
            plan.warnings.append("the disk may not have the room that the move takes")
        return plan

    def chosen(self) -> list[Entry]:
        tables = self.catalog.tables.values()
        return [
            Entry(t, MOVED if t.moved else MOVES) for t in tables if self.wish.choice.has(t.name)
        ]

    def judge(self, entry: Entry, scratch: Scratch) -> Entry:
        table = entry.table
        if entry.verdict == MOVED:
            return entry
        if not table.engine:
            entry.stay("the server cannot open it")
        elif table.engine not in STORING:
            entry.stay(f"its engine {table.engine} is there for something else than storing rows")
        else:
            self.try_move(entry, scratch)
        return entry

    def try_move(self, entry: Entry, scratch: Scratch) -> None:
        refused, warnings = scratch.refusal(entry.table)
        entry.notes += warnings
        if refused:
            entry.stay(refused)
            return
        if self.wish.sample and entry.table.kind != "SEQUENCE":
            self.measure(entry, scratch)
        if self.wish.rows:
            self.count_orphans(entry)
        if self.wish.online and entry.table.triggers:
            entry.stay("it has triggers, and pt-online-schema-change needs its own")

    def measure(self, entry: Entry, scratch: Scratch) -> None:
        try:
            found = scratch.measure(entry.table)
        except SqlError as error:
            entry.stay(f"a row is refused: {error}")
            return
        entry.bytes_after, entry.basis = found.bytes, found.basis

    def count_orphans(self, entry: Entry) -> None:
        for key in self.catalog.foreign_keys:
            if key.child == entry.name and (found := orphans(self.server, key)):
                entry.stay(f"{found:,} rows have no parent by the foreign key {key.constraint}")

    # --- what foreign keys connect

    def judge_groups(self, entries: dict[Name, Entry]) -> None:
        """Reasons travel along foreign keys until nothing changes."""
        changed = True
        while changed:
            changed = False
            for key in self.catalog.foreign_keys:
                for mine, other in ((key.child, key.parent), (key.parent, key.child)):
                    changed |= self.judge_key(entries, key, mine, other)

    def judge_key(self, entries: dict[Name, Entry], key: ForeignKey, mine: Name, other: Name):
        entry, partner = entries.get(mine), entries.get(other)
        if entry is None or entry.verdict != MOVES:
            return False
        if self.wish.online:
            entry.stay(f"its foreign key {key.constraint} needs ALTER TABLE: leave --online out")
        elif partner is None and not self.already_moved(other):
            entry.stay(f"the foreign key {key.constraint} connects it with {other}: name both")
        elif partner is not None and partner.verdict == STAYS:
            entry.stay(f"the foreign key {key.constraint} connects it with {other}, which stays")
        return entry.verdict == STAYS

    def already_moved(self, name: Name) -> bool:
        table = self.catalog.tables.get(name)
        return table is not None and table.moved

    def ordered(self, entries: dict[Name, Entry]) -> list[Entry]:
        """Small groups first, so that what is wrong with all shows early."""
        inside = [
            k for k in self.catalog.foreign_keys if k.child in entries and k.parent in entries
        ]
        found = order.groups(entries, inside)
        found.sort(key=lambda group: (sum(entries[n].table.bytes for n in group), group[0]))
        # those that move are counted first
        found.sort(key=lambda group: all(entries[n].verdict != MOVES for n in group))
        for number, group in enumerate(found, 1):
            for name in group:
                entries[name].group = number
        return [entries[name] for group in found for name in group]

    # --- what the user should know besides

    def notes(self) -> list[str]:
        found = []
        if self.catalog.views:
            found.append(f"{self.catalog.views} views stay as they are: they have no engine")
        found.append("temporary tables are made anew by their sessions: nothing to move")
        return found + self.catalog.notes

    def warnings(self, entries: list[Entry]) -> list[str]:
        if not any(entry.verdict == MOVES for entry in entries):
            return []
        return self.replication() + self.encryption() + self.system_tablespace(entries)

    def replication(self) -> list[str]:
        server, found = self.server, []
        sending = "SELECT COUNT(*) FROM information_schema.processlist WHERE command='Binlog Dump'"
        if server.binary_log:
            replicas = server.one(sending)
            found.append(
                f"the statements go into the binary log ({replicas} replicas connected): each"
                " replica needs the engine before, and runs them again; --no-binlog keeps them here"
            )
            if self.wish.online and server.variable("binlog_format") != "ROW":
                found.append("the sessions of --online log rows, whatever binlog_format is")
        if server.rows("SHOW ALL SLAVES STATUS"):
            found.append("this server is a replica: its SQL thread waits while a table moves")
        if server.binary_log or server.variable("gtid_slave_pos"):
            wanted = server.variable("gtid_pos_auto_engines").upper()
            if TARGET not in wanted:
                found.append("set gtid_pos_auto_engines=InnoDB,ROCKSDB before this replicates")
        return found

    def encryption(self) -> list[str]:
        if self.server.variable("innodb_encrypt_tables") in ("ON", "FORCE"):
            return ["innodb_encrypt_tables encrypts rows on the disk; here they are not encrypted"]
        return []

    def system_tablespace(self, entries: list[Entry]) -> list[str]:
        inside = self.server.one(
            "SELECT COUNT(*) FROM information_schema.INNODB_SYS_TABLES WHERE space=0 AND"
            " name NOT LIKE 'SYS\\_%' AND name LIKE '%/%' AND name NOT LIKE 'mysql/%'"
        )
        if not inside or not any(entry.table.engine == "InnoDB" for entry in entries):
            return []
        return [f"{inside} tables are in ibdata1, which does not become smaller when they move"]


def room_needed(groups: list[list[Entry]]) -> int:
    """The most that is taken at one moment beyond what is taken now."""
    grown, most = 0, 0
    for entry in (entry for group in groups for entry in group):
        most = max(most, grown + int(PIECES * entry.estimate))
        grown += entry.estimate - entry.table.bytes
    return most


def free_room(server: Server) -> int | None:
    """Of the server's disk, when this is its machine."""
    folder = Path(server.variable("datadir"))
    if not server.options.local or not folder.is_dir():
        return None
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize
