# SPDX-License-Identifier: GPL-2.0-only
"""Makes a schedule with a fault small: without steps, rows, keys, routines and tables, as long as
the engines part in the same way."""

import time
from collections.abc import Callable
from dataclasses import replace

from tests.isolation.pair import Difference
from tests.isolation.schedule import Schedule


class Shrinker:
    """`fault` runs a schedule; returns its difference when that is a fault, else None."""

    def __init__(self, fault: Callable[[Schedule], Difference | None], seconds: float):
        self.fault = fault
        self.deadline = time.monotonic() + seconds
        self.attempts = 0

    def shrink(self, schedule: Schedule, found: Difference) -> tuple[Schedule, Difference]:
        self.best, self.found = schedule, found
        size = None
        while size != self.best.size() and time.monotonic() < self.deadline:
            size = self.best.size()
            for smaller in (self.without_steps, self.without_rows, self.without_items):
                smaller()
        return self.best, self.found

    def better(self, candidate: Schedule) -> bool:
        """Tries a candidate; keeps it when it is still the same fault."""
        if time.monotonic() > self.deadline:
            return False
        self.attempts += 1
        try:
            found = self.fault(candidate)
        except RuntimeError:
            return False  # its tables cannot be made
        if found is None or (found.kind, found.waiting) != (self.found.kind, self.found.waiting):
            return False
        self.best, self.found = candidate, found
        return True

    def without_steps(self) -> None:
        self.better(self.best.with_steps(self.best.steps[: self.found.place + 1]))
        for size in (4, 2, 1):
            place = len(self.best.steps) - size
            while place >= 0:
                steps = self.best.steps
                self.better(self.best.with_steps(steps[:place] + steps[place + size :]))
                place -= size

    def without_rows(self) -> None:
        for number, table in enumerate(self.best.tables):
            for row in table.rows:
                kept = [r for r in self.best.tables[number].rows if r != row]
                self.better(self.with_table(number, rows=kept))

    def without_items(self) -> None:
        """Without keys, routines, and the second table."""
        for number, table in enumerate(self.best.tables):
            for item in table.items[3:]:
                kept = [i for i in self.best.tables[number].items if i != item]
                self.better(self.with_table(number, items=kept))
        for routine in self.best.routines:
            kept = [r for r in self.best.routines if r != routine]
            self.better(replace(self.best, routines=kept))
        for table in self.best.tables[1:]:
            if not any(table.name in step.sql for step in self.best.steps):
                self.better(replace(self.best, tables=[t for t in self.best.tables if t != table]))

    def with_table(self, number: int, **change) -> Schedule:
        tables = list(self.best.tables)
        tables[number] = replace(tables[number], **change)
        return replace(self.best, tables=tables)
