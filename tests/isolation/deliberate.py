# SPDX-License-Identifier: GPL-2.0-only
"""The differences to InnoDB that are meant to be: what docs/compatibility.md says about locks, as
narrow as a run can tell them from faults. Everything else that differs is a fault.

ROCKSDB locks what a statement has read; InnoDB locks besides up to the next entry of an index, and
with it a row that the statement did not ask for. So where InnoDB alone waits, the same course is
run twice on ROCKSDB, up to the step and with it, and every session that holds locks reads again,
locking, what its statements have read. The step is no fault only when these reads have the same
answers before and behind it, and when the step's own reads meet nobody's lock.
"""

import re

from tests.isolation.pair import Course, Difference, Pair, closing
from tests.isolation.schedule import RC, RU, Schedule, Step

PLAN = "another index"
RANGE = "gap locks in REPEATABLE READ"
NEIGHBOUR = "the row behind a range"
NOT_MATCHING = "READ COMMITTED: rows that do not match"
HALFWAY = "a scan that waits"
ABSENT = "a locking look-up that finds no row"
SKIP_SHARED = "LOCK IN SHARE MODE SKIP LOCKED"
VICTIMS = "deadlock"
UNSTEADY = "not the same when it is run again"

# name: the reason, with the words by which docs/compatibility.md has it
REASONS = {
    PLAN: "the optimizer took another index, by the engines' estimates (rows in SHOW TABLE STATUS)",
    RANGE: "InnoDB's gaps go from entry to entry (gap locks in REPEATABLE READ)",
    NEIGHBOUR: "InnoDB locks the entry behind what was read (the row behind a range)",
    NOT_MATCHING: "InnoDB waits for some, and keeps some"
    " (rows that do not match, or are not yet committed)",
    HALFWAY: "the engines do not lock in the same order what it has come to (a scan that waits)",
    ABSENT: "locks the key (a locking look-up that finds no row)",
    VICTIMS: "the engines give up different transactions of a cycle (deadlock)",
    SKIP_SHARED: "locks shared, passes over what others have locked"
    " (`LOCK IN SHARE MODE SKIP LOCKED`)",
}


class Judge:
    """Says of a difference which deliberate one it is; None: it is a fault."""

    def __init__(self, pair: Pair):
        self.pair = pair

    def reason(self, schedule: Schedule, found: Difference) -> str | None:
        again = Course(self.pair, schedule, plans=True)
        repeated = again.run()
        if repeated is None or (repeated.kind, repeated.place) != (found.kind, found.place):
            return UNSTEADY
        if again.plans_differ:
            return PLAN
        steps = schedule.steps + closing(schedule)
        if found.place >= len(steps):
            return None
        statement = self.statement(again, found)
        if self.by_shared_skips(schedule, found):
            return SKIP_SHARED
        if found.waiting == "innodb":
            return self.wider_lock(schedule, found, steps)
        if found.waiting == "rocksdb" and absent_key(statement, found):
            return ABSENT
        return None

    def by_shared_skips(self, schedule: Schedule, found: Difference) -> bool:
        """Do the engines agree without the statements that skip, locking shared? The place of
        the difference moves with their number."""
        kept = [step for step in schedule.steps if not step.sql.endswith(SKIP_SHARED)]
        gone = [step for step in schedule.steps[: found.place + 1] if step not in kept]
        if not gone:
            return False
        again = Course(self.pair, schedule.with_steps(kept)).run()
        return again is None or again.place > found.place - len(gone)

    def statement(self, course: Course, found: Difference) -> Step:
        return course.current[found.session]

    def wider_lock(self, schedule: Schedule, found: Difference, steps) -> str | None:
        insertion = "insert intention" in found.lock
        step = steps[found.place]
        asking = {found.session, step.session}
        before = self.look(schedule, steps[: found.place], asking, insertion)
        behind = self.look(schedule, steps[: found.place + 1], asking, insertion)
        if step.session == found.session and self.meets_locks(schedule, steps[: found.place], step):
            return None
        if before != behind:
            return None
        if found.others_wait or found.kind == "deadlock":
            return HALFWAY
        if insertion or "gap before" in found.lock:
            return RANGE
        return NOT_MATCHING if schedule.levels[found.session] in (RU, RC) else NEIGHBOUR

    def look(self, schedule: Schedule, steps, asking: set[int], insertion: bool) -> list:
        """What every other session reads again on ROCKSDB of what it holds."""
        seen = []

        def read(course: Course) -> None:
            for session, wire in enumerate(course.sides["rocksdb"].wires[: len(schedule.levels)]):
                if session in asking or wire.pending:
                    continue
                if insertion and schedule.levels[session] in (RU, RC):
                    continue  # a phantom may come
                for probe in dict.fromkeys(course.held[session]):
                    answer = wire.run(probe.sql())
                    seen.append((session, probe, answer.error, answer.rows))

        Course(self.pair, schedule).run_part(steps, read)
        return seen

    def meets_locks(self, schedule: Schedule, steps, step: Step) -> bool:
        """Has another session locked what the step reads?"""
        errors = []

        def read(course: Course) -> None:
            wire = course.sides["rocksdb"].wires[step.session]
            if not wire.pending:
                probes = step.locks_at(schedule.levels[step.session])
                errors.extend(wire.run(probe.sql()).error for probe in probes)

        Course(self.pair, schedule).run_part(steps, read)
        return any(errors)


EQUALITY = re.compile(r"\b[abc] (=|IN|<=>) ")


def absent_key(step: Step, found: Difference) -> bool:
    """A statement that looks for single keys, and finds nothing on InnoDB without waiting."""
    answer = found.answers.get("innodb")
    nothing = answer is not None and not answer.error and not answer.rows and not answer.affected
    return bool(nothing and EQUALITY.search(step.sql) and "RANGE" not in found.lock)
