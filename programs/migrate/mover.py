# SPDX-License-Identifier: GPL-2.0-only
"""Moves a group of tables by ALTER TABLE, or puts it back as it was.

InnoDB lets no table go that has a foreign key on either side, and a parent must be in the engine
of its child. So the foreign keys of a group are taken off, the tables move, parents first, and each
foreign key comes back with its child. All tables of the group are locked from the first statement
to the last: nobody can write what a missing foreign key would have refused. The journal knows what
was taken off, for the case that the program or the server dies in between.
"""

import contextlib
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from programs.migrate import compare, order
from programs.migrate.catalog import ForeignKey, Table, clauses
from programs.migrate.errors import MigrateError, SqlError, Stopped
from programs.migrate.interrupt import Interrupt
from programs.migrate.journal import MOVED, MOVING, UNDONE, Journal, Record
from programs.migrate.names import Name, quoted
from programs.migrate.online import OnlineChange
from programs.migrate.progress import Progress, Watched
from programs.migrate.server import TARGET, Server

PARENT = re.compile(r"REFERENCES (?:`((?:[^`]|``)+)`\.)?`((?:[^`]|``)+)`")


@dataclass
class Result:
    name: Name
    state: str
    message: str = ""
    proof: str = ""
    rows: int | None = None
    seconds: float = 0.0
    bytes_before: int = 0
    bytes_after: int | None = None
    different: bool = False


@dataclass(frozen=True)
class How:
    verify: str = compare.CHECKSUM
    lock: bool = False
    log: bool = True
    dry_run: bool = False


@dataclass
class Group:
    """Tables that move at once, parents first. `targets`: the engine of each, as it is to be."""

    tables: list[Table]
    targets: dict[Name, str]
    keys: dict[Name, dict[str, str]] = field(default_factory=dict)
    # constraints that this run has taken off under its lock
    dropped: set[tuple[Name, str]] = field(default_factory=set)
    copied: dict[Name, int] = field(default_factory=dict)
    # moved by an earlier run that was cut off before it could compare
    resumed: set[Name] = field(default_factory=set)

    @property
    def names(self) -> list[Name]:
        return [table.name for table in self.tables]

    def foreign_keys(self) -> list[ForeignKey]:
        return [key for name in self.names for key in foreign_keys(name, self.keys.get(name, {}))]


def foreign_keys(child: Name, found: dict[str, str]) -> list[ForeignKey]:
    """Of clauses by name."""
    keys = []
    for constraint, clause in found.items():
        parent = PARENT.search(clause)
        if parent:
            schema, table = (part and part.replace("``", "`") for part in parent.groups())
            keys.append(ForeignKey(constraint, child, Name(schema or child.schema, table)))
    return keys


class Mover:
    """`worker` does the work; `control`, another connection, watches it and writes the journal."""

    def __init__(
        self,
        worker: Server,
        control: Server,
        how: How,
        progress: Progress,
        interrupt: Interrupt,
    ):
        self.worker = worker
        self.control = control
        self.how = how
        self.journal = Journal(control)
        self.watched = Watched(worker, control, progress, interrupt)
        self.interrupt = interrupt
        self.statements: list[str] = []

    def move(
        self, tables: list[Table], targets: dict[Name, str], online: OnlineChange | None
    ) -> list[Result]:
        """One result for each table. Errors of the server are in the results; Stopped goes on to
        the caller when the journal says how things stand."""
        group = Group(tables, targets)
        began = time.monotonic()
        try:
            results = self.move_one_online(group, online) if online else self.move_locked(group)
        except SqlError as error:
            return [Result(t.name, "failed", str(error)) for t in tables]
        for result in results:
            result.seconds = time.monotonic() - began
        return results

    # --- by ALTER TABLE

    def move_locked(self, group: Group) -> list[Result]:
        self.begin(group)
        lock = self.how.lock or bool(group.foreign_keys())
        with self.locked(group) if lock else contextlib.nullcontext():
            try:
                before = self.measure_before(group)
                self.convert(group, group.targets)
            except (SqlError, Stopped) as error:
                self.put_back(group, error)
                raise
            after = {name: self.measure(name) for name in group.names}
        return [self.finish(group, t, before[t.name], after[t.name], lock) for t in group.tables]

    def begin(self, group: Group) -> None:
        """Writes the journal; then `group.keys` has what must be there at the end."""
        old = self.journal.read()
        for table in group.tables:
            definition = self.worker.definition(table.name.sql)
            keys = clauses(definition)
            if table.name in old and old[table.name].open:
                keys = {**old[table.name].foreign_keys, **keys}
            group.keys[table.name] = keys
            if not self.how.dry_run:
                record = Record(table.name, MOVING, table.engine, group.targets[table.name], keys,
                                definition, self.worker.id, table.bytes)  # fmt: skip
                self.journal.begin(record)

    @contextlib.contextmanager
    def locked(self, group: Group) -> Iterator[None]:
        names = ", ".join(f"{name.sql} WRITE" for name in group.names)
        self.do(f"LOCK TABLES {names}", ", ".join(map(str, group.names)))
        try:
            yield
        finally:
            with contextlib.suppress(SqlError):
                self.do("UNLOCK TABLES")

    def convert(self, group: Group, targets: dict[Name, str]) -> None:
        """Foreign keys off, tables to their engines, foreign keys back. What is done already is
        passed over, so this also finishes what was cut off, and takes back what has failed."""
        with self.worker.logged(self.how.log):
            self.drop_keys(group, targets)
            done: set[Name] = set()
            for table in group.tables:
                if self.interrupt.wanted:
                    raise Stopped(f"{table.name}: stopped, its group is as it was")
                self.convert_table(group, table, targets[table.name], done)
                done.add(table.name)
            for key in group.foreign_keys():
                self.add_later(group, key)

    def drop_keys(self, group: Group, targets: dict[Name, str]) -> None:
        leaving = {t.name for t in group.tables if t.engine.lower() != targets[t.name].lower()}
        for name in group.names:
            there = foreign_keys(name, clauses(self.worker.definition(name.sql)))
            off = [key for key in there if leaving & {key.child, key.parent}]
            if off:
                drops = ", ".join(f"DROP FOREIGN KEY {quoted(key.constraint)}" for key in off)
                self.do(f"ALTER TABLE {name.sql} {drops}", str(name))
                group.dropped |= {(name, key.constraint) for key in off}

    def convert_table(self, group: Group, table: Table, target: str, done: set[Name]) -> None:
        if table.engine.lower() == target.lower():
            return
        wanted = group.keys[table.name]
        ready = [k for k in foreign_keys(table.name, wanted) if k.parent in done]
        parts = [f"ENGINE={target}", *(f"ADD {wanted[key.constraint]}" for key in ready)]
        self.use(table.name)
        statement = f"ALTER TABLE {table.name.sql} {', '.join(parts)}"
        group.copied[table.name] = self.do(statement, str(table.name), table.rows)
        table.engine = target

    def add_later(self, group: Group, key: ForeignKey) -> None:
        """Of a table to itself, in a circle, or left over. Rows need no check when they were
        locked since the constraint was taken off."""
        clause = group.keys[key.child][key.constraint]
        if not self.how.dry_run:
            if key.constraint in clauses(self.worker.definition(key.child.sql)):
                return
        elif key not in order.later_keys(group.names, group.foreign_keys()):
            return
        self.use(key.child)
        checks = 0 if (key.child, key.constraint) in group.dropped else 1
        self.do(f"SET SESSION foreign_key_checks={checks}")
        try:
            self.do(f"ALTER TABLE {key.child.sql} ADD {clause}", str(key.child))
        finally:
            self.do("SET SESSION foreign_key_checks=1")

    def put_back(self, group: Group, error: MigrateError) -> None:
        """After a failure, under the same lock: each table as it was. When that fails too, the
        journal keeps what is missing."""
        if self.how.dry_run:
            return
        origins = {t.name: self.origin(t) for t in group.tables}
        self.interrupt.wanted = False
        try:
            self.convert(group, origins)
        except MigrateError as second:
            for name in group.names:
                self.journal.fail(name, f"{error}; then {second}")
            missing = [str(k.constraint) for k in group.foreign_keys()]
            lost = f"; foreign keys may be missing ({', '.join(missing)})" if missing else ""
            raise Stopped(f"{error}{lost}: repeat the command, or undo") from error
        for name in group.names:
            self.unchanged(name, origins[name])

    def unchanged(self, name: Name, engine: str) -> None:
        """The journal as it was before a move that has failed and left the table in `engine`."""
        if engine == TARGET:
            self.journal.end(name, MOVED, "not compared: an undo has failed")
        else:
            self.journal.forget(name)

    def origin(self, table: Table) -> str:
        """The engine that the table had when this move began."""
        record = self.journal.read()[table.name]
        return record.origin if record.target == TARGET else TARGET

    def measure_before(self, group: Group) -> dict[Name, int | None]:
        """Of what an earlier run has moved, what that had measured."""
        found, records = {}, {} if self.how.dry_run else self.journal.read()
        for table in group.tables:
            if table.engine.lower() == group.targets[table.name].lower() and not self.how.dry_run:
                group.resumed.add(table.name)
                found[table.name] = records[table.name].measured
            else:
                found[table.name] = self.measure(table.name)
                self.journal.note(table.name, found[table.name]) if records else None
        return found

    def measure(self, name: Name) -> int | None:
        if self.how.dry_run:
            return None
        try:
            return self.watched.run(
                lambda: compare.measure(self.worker, name, self.how.verify), f"{name}, compared", 0
            )
        except Stopped:
            raise Stopped(f"{name}: stopped while its rows were read") from None

    # --- by pt-online-schema-change

    def move_one_online(self, group: Group, online: OnlineChange) -> list[Result]:
        (table,) = group.tables
        target = group.targets[table.name]
        if self.how.dry_run:
            self.statements.append(" ".join(online.command(table.name, target)))
            return [Result(table.name, "dry run")]
        self.begin(group)
        try:
            before = self.measure_before(group)[table.name]
            if table.name not in group.resumed:
                online.run(table.name, target, table.rows)
        except (SqlError, Stopped) as error:
            if self.engine(table.name).lower() == target.lower():
                self.journal.fail(table.name, str(error))
            else:
                self.unchanged(table.name, table.engine)
            raise
        table.engine = target
        after = self.measure(table.name)
        return [self.finish(group, table, before, after, False)]

    # --- the end of a table

    def finish(
        self, group: Group, table: Table, before: int | None, after: int | None, locked: bool
    ) -> Result:
        if self.how.dry_run:
            return Result(table.name, "dry run")
        resumed = table.name in group.resumed
        verdict = compare.judge(self.how.verify, before, after, locked and not resumed)
        self.worker.do(f"ANALYZE NO_WRITE_TO_BINLOG TABLE {table.name.sql}")
        record = self.journal.read()[table.name]
        state = MOVED if group.targets[table.name] == TARGET else UNDONE
        rows = group.copied.get(table.name)
        self.journal.end(table.name, state, verdict.text, rows)
        message = "" if state == MOVED else self.changed(record)
        return Result(table.name, state, message, verdict.text, rows, 0.0, table.bytes,
                      self.size(table.name), verdict.different)  # fmt: skip

    def changed(self, record: Record) -> str:
        """Of a table that is back: whether it is defined as before."""
        now = self.worker.definition(record.name.sql)
        if plain(now) == plain(record.definition):
            return ""
        return "its definition is not the one from before the move: compare SHOW CREATE TABLE"

    def engine(self, name: Name) -> str:
        return self.worker.one(
            "SELECT engine FROM information_schema.tables WHERE table_schema=%s AND table_name=%s",
            name.schema, name.table,
        )  # fmt: skip

    def size(self, name: Name) -> int:
        asked = (
            "SELECT COALESCE(SUM(disk_bytes + memtable_bytes), 0)"
            " FROM information_schema.ROCKSDB_INDEX_SIZES"
            if self.engine(name) == TARGET
            else "SELECT data_length + index_length FROM information_schema.tables"
        )
        where = " WHERE table_schema=%s AND table_name=%s"
        return int(self.worker.one(asked + where, name.schema, name.table) or 0)

    # --- statements

    def use(self, name: Name) -> None:
        """Parents in a clause are named without a database when they are in the child's."""
        if not self.how.dry_run:
            self.worker.do(f"USE {quoted(name.schema)}")

    def do(self, statement: str, label: str = "", rows: int = 0) -> int:
        if self.how.dry_run:
            self.statements.append(f"{statement};")
            return 0
        if not label:
            return self.worker.do(statement)
        return self.watched.run(lambda: self.worker.do(statement), label, rows)


def plain(definition: str) -> str:
    """Without the counter, which a move may set behind the highest value."""
    return re.sub(r" AUTO_INCREMENT=\d+", "", definition)
