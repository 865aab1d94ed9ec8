# SPDX-License-Identifier: GPL-2.0-only
"""The differences to InnoDB that are meant to be: what docs/compatibility.md says about locks, as
narrow as a run can tell them from faults. Everything else that differs is a fault.

ROCKSDB locks what a statement has read; InnoDB locks besides up to the next entry of an index, and
with it a row that the statement did not ask for. So where InnoDB alone waits, the same course is
run twice on ROCKSDB, up to the step and with it, and every session that holds locks reads again,
locking, what its statements have read: while the transactions of the step are open, and when they
have committed. The step is no fault only when these reads have the same answers before and behind
it, and when the step's own reads meet nobody's lock.
"""

from tests.isolation.pair import Course, Difference, Pair, closing
from tests.isolation.schedule import RC, RU, Probe, Schedule, Step
from tests.kit.wire import Answer, Wire

PLAN = "another index"
RANGE = "gap locks in REPEATABLE READ"
NEIGHBOUR = "the row behind a range"
NOT_MATCHING = "READ COMMITTED: rows that do not match"
HALFWAY = "a scan that waits"
ABSENT = "a locking look-up that finds no row"
PREPARED = "XA PREPARE"
AHEAD = "an INSERT into the range of a scan that waits"
READ_BESIDES = "READ COMMITTED: what"
COVERING = "a locking read of an index that has all columns"
DUPLICATE = "a duplicate in a secondary unique index"
UPGRADE = "a row that a transaction has locked shared and wants exclusively"
FIRST = "several statements wait for one transaction"
STAYS = "a row that a transaction has locked shared, and that a scan"
SKIPPING = "FOR UPDATE SKIP LOCKED"
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
    PREPARED: "keeps the keys that an exclusive look-up did not find (XA PREPARE)",
    AHEAD: "the scan holds it (an INSERT into the range of a scan that waits)",
    READ_BESIDES: "InnoDB locks shared what a statement reads besides"
    " (READ COMMITTED: what `INSERT .. VALUES ((SELECT ..))`)",
    COVERING: "InnoDB has locked entries of an index, ROCKSDB the rows"
    " (a locking read of an index that has all columns)",
    DUPLICATE: "InnoDB locks the entry, ROCKSDB the row (a duplicate in a secondary unique index)",
    UPGRADE: "ROCKSDB lets it go before those that wait (wants exclusively, while another waits)",
    FIRST: "any of them goes first (several statements wait for one transaction)",
    STAYS: "does not become shared again"
    " (locked shared, and that a scan of READ COMMITTED then looks at)",
    SKIPPING: "gives up what does not match (what SKIP LOCKED looks at)",
    VICTIMS: "the engines give up different transactions of a cycle (deadlock)",
    SKIP_SHARED: "locks shared, passes over what others have locked"
    " (`LOCK IN SHARE MODE SKIP LOCKED`)",
}


ATTEMPTS = 3  # a schedule that differed once differs again, or is counted as unsteady


class Judge:
    """Says of a difference which deliberate one it is; None: it is a fault."""

    def __init__(self, pair: Pair):
        self.pair = pair

    def reason(self, schedule: Schedule, found: Difference) -> str | None:
        """A fault is one twice: the look behind the step races with those whom it lets go on."""
        return self.look_for_reason(schedule, found) or self.look_for_reason(schedule, found)

    def look_for_reason(self, schedule: Schedule, found: Difference) -> str | None:
        again = self.repeat(schedule, found)
        if again is None:
            return UNSTEADY
        if again.plans_differ:
            return PLAN
        for words in (SKIP_SHARED, SKIPPING):
            skipping = [step for step in schedule.steps if step.sql.endswith(words)]
            if self.agrees_without(schedule, found, again, skipping):
                return words
        statement = again.current[found.session]
        if found.waiting == "innodb":
            return self.wider_lock(schedule, found, again, statement)
        if found.waiting == "rocksdb":
            return self.stricter_lock(schedule, found, again, statement)
        if self.agrees_without(schedule, found, again, again.late):
            return NOT_MATCHING
        return FIRST if self.several_wait(found, again) else None

    def repeat(self, schedule: Schedule, found: Difference) -> Course | None:
        for _ in range(ATTEMPTS):
            again = Course(self.pair, schedule, plans=True)
            repeated = again.run()
            if repeated and (repeated.kind, repeated.place) == (found.kind, found.place):
                return again
        return None

    def agrees_without(self, schedule, found: Difference, again: Course, steps: list[Step]) -> bool:
        """Do the engines agree, as far as the difference, without these steps?"""
        so_far = schedule.steps[: found.place + 1]
        if not any(step in steps for step in so_far):
            return False
        kept = [step for step in so_far if step not in steps and step not in again.left_out]
        other = Course(self.pair, schedule.with_steps(kept)).run()
        at_end = found.place >= len(schedule.steps)
        return other is None or (not at_end and other.place >= len(kept))

    # ROCKSDB alone waits ----------------------------------------------------------------------

    def stricter_lock(self, schedule, found: Difference, again: Course, step: Step) -> str | None:
        answer = found.answers.get("innodb")
        if answer is not None and step.finds_no_key(answer):
            return ABSENT
        others = [other for other in again.absent if other.session != found.session]
        if self.agrees_without(schedule, found, again, others):
            so_far = schedule.steps[: found.place + 1]
            return PREPARED if any(s.sql.startswith("XA PREPARE") for s in so_far) else ABSENT
        waiting = [again.current[session] for session in found.waited - {found.session}]
        crosses = step.adds_keys() or found.kind == "deadlock"
        if crosses and self.agrees_without(schedule, found, again, waiting):
            return AHEAD if step.adds_keys() else HALFWAY
        if found.session in found.waited and self.several_wait(found, again):
            return FIRST
        idle = [
            other
            for other in again.idle
            if other.session != found.session and schedule.levels[other.session] in (RU, RC)
        ]
        if self.agrees_without(schedule, found, again, idle):
            return NOT_MATCHING
        secondary = [other for other, is_secondary in again.refused if is_secondary]
        if step in secondary or self.agrees_without(schedule, found, again, secondary):
            return DUPLICATE
        shared = [
            other
            for other, _ in again.refused
            if other.session != found.session and schedule.levels[other.session] in (RU, RC)
        ]
        if self.agrees_without(schedule, found, again, shared):
            return STAYS
        covers = [other for other in again.covering if other.session != step.session]
        if step in again.covering or self.agrees_without(schedule, found, again, covers):
            return COVERING
        both = self.agrees_without(schedule, found, again, covers + secondary)
        return COVERING if both else None

    def several_wait(self, found: Difference, again: Course) -> bool:
        """With an INSERT among them, until the step of another session."""
        waiting = [again.current[session] for session in found.waited]
        return len(waiting) > 1 and any(step.adds_keys() for step in waiting)

    # InnoDB alone waits -----------------------------------------------------------------------

    def wider_lock(self, schedule, found: Difference, again: Course, statement: Step) -> str | None:
        steps = schedule.steps + closing(schedule)
        insertion = "insert intention" in found.lock
        step = steps[found.place]
        alone = step.session == found.session
        unlocked = self.reads_unlocked(schedule, found, statement)
        asking = {found.session, step.session}
        if alone and self.meets_locks(schedule, found, steps, unlocked):
            return None
        if self.takes_something(schedule, found.place, asking, insertion):
            return None
        if unlocked:
            return READ_BESIDES
        shares = any(probe.shared for probe in again.held[found.session])
        if found.waited - {found.session} and shares:
            return UPGRADE
        if found.waited or found.kind == "deadlock":
            return HALFWAY
        if insertion or "gap before" in found.lock:
            return RANGE
        return NOT_MATCHING if schedule.levels[found.session] in (RU, RC) else NEIGHBOUR

    def reads_unlocked(self, schedule: Schedule, found: Difference, statement: Step) -> bool:
        """Does InnoDB wait to lock shared what ROCKSDB reads without a lock?"""
        low = schedule.levels[found.session] in (RU, RC)
        return low and "lock mode S" in found.lock and statement.reads_besides()

    def takes_something(self, schedule: Schedule, place: int, asking: set[int], insertion: bool):
        """Does the step at `place` change what another session has read with locks? Below
        REPEATABLE READ these are the rows that match, and others may come."""
        steps = schedule.steps + closing(schedule)
        before = self.look(schedule, steps[:place], asking, insertion)
        behind = self.look(schedule, steps[: place + 1], asking, insertion)
        for session in before.keys() & behind.keys():
            if schedule.levels[session] in (RU, RC):
                held, (_, lockable, there) = before[session][0], behind[session]
                now = [set(a.rows) & set(b.rows) for a, b in zip(lockable, there, strict=True)]
                if not all(had <= has for had, has in zip(held, now, strict=False)):
                    return True
            elif any(map(differs, before[session], behind[session])):
                return True
        return False

    def look(self, schedule: Schedule, steps, asking: set[int], insertion: bool) -> dict:
        """What every other session that does not wait reads again on ROCKSDB of what it holds:
        while `asking` have their transactions open (from REPEATABLE READ on not when these wait
        to insert only: their rows are to be looked at when committed), and behind their commit."""
        seen = {}

        def read(course: Course) -> None:
            side = course.sides["rocksdb"]
            others = [
                number
                for number in range(len(schedule.levels))
                if number not in asking and not side.wires[number].pending
            ]
            low = {n: schedule.levels[n] in (RU, RC) for n in others}
            for n in others:
                if low[n]:
                    seen[n] = [self.rows_held(course, n), self.tables(course, n, "SKIP LOCKED")]
                else:
                    seen[n] = [[] if insertion else self.reads(course, n)]
            for n in asking:
                if not side.wires[n].pending:
                    side.commit(n)
            side.settle()
            for n in others:
                seen[n].append(self.tables(course, n, "") if low[n] else self.reads(course, n))

        Course(self.pair, schedule, notes_rows=True).run_part(steps, read)
        return seen

    def reads(self, course: Course, session: int) -> list[tuple[Probe, Answer]]:
        wire = course.sides["rocksdb"].wires[session]
        return [(probe, wire.run(probe.sql())) for probe in dict.fromkeys(course.held[session])]

    def rows_held(self, course: Course, session: int) -> list[set[tuple]]:
        """For each of its reads the rows that matched and still do."""
        wire = course.sides["rocksdb"].wires[session]
        rows = []
        for probe in dict.fromkeys(course.held[session]):
            now = wire.run(probe.sql("SKIP LOCKED"))
            rows.append(course.rows_then.get((session, probe), set()) & set(now.rows))
        return rows

    def tables(self, course: Course, session: int, busy: str) -> list[Answer]:
        """For each of its reads all rows of the table; without locks when `busy` is empty."""
        wire = course.sides["rocksdb"].wires[session]
        wide = [probe.widened() for probe in dict.fromkeys(course.held[session])]
        return [wire.run(probe.sql(busy) if busy else probe.plain()) for probe in wide]

    def meets_locks(self, schedule: Schedule, found: Difference, steps, only_values: bool) -> bool:
        """Has another session locked what the step reads? From REPEATABLE READ on, rows that it
        looks at; below, those that match."""
        step, answer = steps[found.place], found.answers.get("rocksdb")
        level = schedule.levels[step.session]
        unread = answer is not None and answer.changes_no_row()
        probes = [probe for probe in step.locks_at(level) if probe.values or not only_values]
        if answer is not None and answer.error:  # before it had come to all of its values
            probes = [probe for probe in probes if not probe.values]
        met = []

        def read(course: Course) -> None:
            side = course.sides["rocksdb"]
            wire = side.wires[step.session]
            if wire.pending:
                return
            taken = {row[0]: row[2] for row in side.plan(step)} if step.explained else {}
            for probe in probes:
                table = probe.source.split()[0]
                if table in taken and not probe.values:
                    probe = probe.by_index(taken[table])
                if not (probe.per_row and unread):
                    met.append(is_busy(wire, probe, matching=level in (RU, RC)))

        Course(self.pair, schedule).run_part(steps[: found.place], read)
        return any(met)


def differs(before: list[tuple[Probe, Answer]], behind: list[tuple[Probe, Answer]]) -> bool:
    """Of what a session has read. What it could not read before it did not hold, nor a value that
    IGNORE has passed over."""
    for (probe, was), (_, now) in zip(before, behind, strict=False):
        held = not was.error and not (probe.values and was.does_nothing())
        if held and was != now:
            return True
    return False


def is_busy(wire: Wire, probe: Probe, matching: bool) -> bool:
    """Does the probe meet a lock? `matching`: at a row that it returns."""
    if not matching:
        return bool(wire.run(probe.sql()).error)
    there = wire.run(probe.plain()).rows
    return wire.run(probe.sql("SKIP LOCKED")).rows != there
