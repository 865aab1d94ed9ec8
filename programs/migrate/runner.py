# SPDX-License-Identifier: GPL-2.0-only
"""Moves what a plan says, group by group, or takes it back; goes on with what was cut off."""

import time
from dataclasses import dataclass

from programs.connection import Options
from programs.migrate import order
from programs.migrate.catalog import Catalog, ForeignKey, Table, read
from programs.migrate.errors import MigrateError, Stopped
from programs.migrate.interrupt import Interrupt
from programs.migrate.journal import MOVED, Journal, Record
from programs.migrate.mover import How, Mover, Result, foreign_keys
from programs.migrate.names import Choice, Name
from programs.migrate.online import OnlineChange, remove_leftovers
from programs.migrate.plan import Plan, Planner, Wish
from programs.migrate.progress import LOOK_SECONDS, Progress, describe, look
from programs.migrate.server import TARGET, Server
from programs.migrate.throttle import Limits, Throttle

LOCK = "basalt-migrate"


@dataclass
class Outcome:
    results: list[Result]
    plan: Plan | None = None
    statements: list[str] | None = None

    @property
    def good(self) -> bool:
        failed = any(r.state == "failed" or r.different for r in self.results)
        return not failed and not (self.plan and self.plan.staying())


class Runner:
    def __init__(
        self,
        options: Options,
        how: How,
        limits: Limits,
        progress: Progress,
        interrupt: Interrupt,
        wait: int,
    ):
        self.control = Server(options, wait)
        self.control.check_engine()
        self.control.keep_out_of_binary_log()
        self.worker = self.control.another()
        self.worker.keep_out_of_binary_log()
        self.how = how
        self.limits = limits
        self.progress = progress
        self.journal = Journal(self.control)
        self.interrupt = interrupt
        self.mover = Mover(self.worker, self.control, how, progress, interrupt)

    def run(self, choice: Choice, online: bool, sample: bool) -> Outcome:
        catalog, records = self.begin()
        change = self.online() if online else None
        throttle = Throttle(self.control, self.limits, self.progress)
        wish = Wish(choice, sample=sample, online=online)
        plan = Planner(self.worker, catalog, wish).make()
        for text in plan.warnings:
            self.progress.say(f"! {text}")
        results: list[Result] = []
        for tables in groups_to_move(plan, records):
            throttle.wait(", ".join(str(table.name) for table in tables))
            results += self.move(tables, dict.fromkeys((t.name for t in tables), TARGET), change)
        return Outcome(results, plan, self.mover.statements if self.how.dry_run else None)

    def undo(self, choice: Choice, online: bool) -> Outcome:
        catalog, records = self.begin()
        back = {n: r for n, r in records.items() if choice.has(n) and (r.state == MOVED or r.open)}
        choice.check(set(records))
        change = self.online() if online else None
        throttle = Throttle(self.control, self.limits, self.progress)
        results: list[Result] = []
        for names in order.groups(back, connected(catalog.foreign_keys, back)):
            reason = why_not_back(names, catalog, back, online)
            if reason:
                results += [Result(name, "failed", reason) for name in names if name in back]
                continue
            throttle.wait(", ".join(map(str, names)))
            tables = [catalog.tables[name] for name in names]
            results += self.move(tables, {name: back[name].origin for name in names}, change)
        return Outcome(results, None, self.mover.statements if self.how.dry_run else None)

    def move(
        self, tables: list[Table], targets: dict[Name, str], change: OnlineChange | None
    ) -> list[Result]:
        with self.interrupt.noted():
            results = self.mover.move(tables, targets, change)
        for result in results:
            if result.state != "failed" and not self.how.dry_run:
                self.progress.say(sentence(result))
        if self.interrupt.wanted:
            raise Stopped("stopped; what is named above has moved")
        return results

    def online(self) -> OnlineChange:
        return OnlineChange(self.control, self.limits, self.how.log, self.progress, self.interrupt)

    # --- what an earlier run has left

    def begin(self) -> tuple[Catalog, dict[Name, Record]]:
        """The only one that works on this server, with nothing of an earlier run under way."""
        if self.control.one("SELECT GET_LOCK(%s, 0)", LOCK) != 1:
            other = self.control.one("SELECT IS_USED_LOCK(%s)", LOCK)
            raise MigrateError(
                f"another basalt-migrate works on this server (its connection is {other})"
            )
        if not self.how.dry_run:
            self.journal.create()
        for record in self.journal.read().values():
            if record.open:
                self.wait_for(record)
                if not self.how.dry_run:
                    remove_leftovers(self.control, record.name, self.how.log, self.progress)
        catalog, records = read(self.worker), self.journal.read()
        catalog.foreign_keys += missing_keys(catalog, records)
        return catalog, records

    def wait_for(self, record: Record) -> None:
        """The server goes on with an ALTER whose client was killed."""
        asked = (
            "SELECT COUNT(*) FROM information_schema.processlist WHERE id=%s"
            " AND info LIKE 'ALTER TABLE %%'"
        )
        while record.worker and self.control.one(asked, record.worker):
            seen = look(self.control, record.worker)
            if seen:
                self.progress.update(describe(f"{record.name}, of a killed run", 0, seen))
            time.sleep(LOOK_SECONDS)
        self.progress.clear()


def groups_to_move(plan: Plan, records: dict[Name, Record]) -> list[list[Table]]:
    """What the plan moves, and what was moved without its foreign keys or its comparison."""
    found: dict[int, list[Table]] = {}
    for entry in plan.entries:
        left = entry.name in records and records[entry.name].open and entry.table.moved
        if entry.verdict == "moves" or left:
            found.setdefault(entry.group, []).append(entry.table)
    return list(found.values())


def missing_keys(catalog: Catalog, records: dict[Name, Record]) -> list[ForeignKey]:
    """Foreign keys that were taken off and have not come back."""
    there = {(key.child, key.constraint) for key in catalog.foreign_keys}
    return [
        key
        for record in records.values()
        if record.open
        for key in foreign_keys(record.name, record.foreign_keys)
        if (key.child, key.constraint) not in there
    ]


def connected(keys: list[ForeignKey], back: dict[Name, Record]) -> list[ForeignKey]:
    return [key for key in keys if key.child in back or key.parent in back]


def why_not_back(
    names: list[Name], catalog: Catalog, back: dict[Name, Record], online: bool
) -> str:
    for name in names:
        if name not in catalog.tables:
            return f"there is no table {name} any more"
        if name not in back:
            return f"a foreign key connects it with {name}, which was not moved or is not named"
    if online and connected(catalog.foreign_keys, {name: back[name] for name in names}):
        return "its foreign keys need ALTER TABLE: leave --online out"
    return ""


def sentence(result: Result) -> str:
    rows = "" if result.rows is None else f", {result.rows:,} rows"
    more = f"; {result.message}" if result.message else ""
    return f"{result.name}: {result.state} in {result.seconds:.1f} s{rows}, {result.proof}{more}"
