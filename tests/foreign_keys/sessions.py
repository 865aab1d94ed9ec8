# SPDX-License-Identifier: GPL-2.0-only
"""Runs a schedule on an engine, and judges what it leaves.

There must be no row without a parent. The rows must be those that the transactions leave when they
run one after the other, in either order, on InnoDB. Transactions that were rolled back, or lost to
a lock, are left out there. Errors must be of constraints or of locks. With IGNORE the server passes
over a row that a lock refuses, which leaves what no order of whole transactions does.
"""

import select
from dataclasses import dataclass, field, replace

from pymysql.constants import ER

from tests.foreign_keys.schedules import CHILD, MYROCKS, PARENT, Schedule
from tests.kit import error_numbers, orphans
from tests.kit.side_by_side.runner import ENGINES, LOCK_ERRORS
from tests.kit.wire import Answer, Hang, Watcher, Wire

CONSTRAINT_ERRORS = (ER.ROW_IS_REFERENCED_2, ER.NO_REFERENCED_ROW_2)
# what an XA transaction says afterwards that a deadlock or a wait has ended
XA_ERRORS = (
    error_numbers.XA_RBDEADLOCK,
    error_numbers.XA_RBTIMEOUT,
    ER.XA_RBROLLBACK,
    ER.XAER_RMFAIL,
    ER.XAER_NOTA,
)
SECONDS_OF_WAIT = {True: 20, False: 1}  # patient or not
HANG_SECONDS = 2 * SECONDS_OF_WAIT[True]

State = dict[str, list[tuple]]


@dataclass
class Course:
    """What a schedule came to. `answers` of each session in order; `waited`: did one wait?
    `passed_over`: has a statement with IGNORE left a row because of a lock?"""

    answers: tuple[list[Answer], list[Answer]] = ((), ())
    state: State = field(default_factory=dict)
    constraints: int = 0
    orphans: list[str] = field(default_factory=list)
    waited: bool = False
    passed_over: bool = False

    def errors(self) -> list[int]:
        return [answer.error for each in self.answers for answer in each if answer.error]

    def lost(self, session: int) -> bool:
        """Has a lock taken a statement, or the whole transaction?"""
        errors = {answer.error for answer in self.answers[session]}
        return bool(errors & {*LOCK_ERRORS, *XA_ERRORS})


class Stage:
    """One engine with a database for each shape and action, made when it is first needed."""

    def __init__(self, server, engine: str, name: str):
        self.server, self.engine, self.name = server, engine, name
        self.watcher = Watcher(server, engine)
        self.databases: dict[tuple[str, str], str] = {}
        self.wires: list[Wire] = []

    def run(self, schedule: Schedule) -> Course:
        database = self.prepare(schedule)
        self.wires = [self.session(schedule, database) for _ in (CHILD, PARENT)]
        try:
            course = self.play(schedule)
        finally:
            self.end()
        course.state = self.state(schedule)
        course.constraints, course.orphans = orphans.find(self.rows, database)
        return course

    def serially(self, schedule: Schedule, sessions: tuple[int, ...]) -> State:
        """What the writes of these sessions leave, one after the other."""
        self.prepare(schedule)
        for session in sessions:
            self.watcher.wire.run("BEGIN")
            for sql in schedule.writes[session]:
                self.watcher.wire.run(schedule.words(sql))
            self.watcher.wire.run("COMMIT")
        return self.state(schedule)

    # --- the parts

    def prepare(self, schedule: Schedule) -> str:
        key = (schedule.shape, schedule.action)
        if key not in self.databases:
            database = f"{self.name}_{len(self.databases)}"
            self.must(f"CREATE OR REPLACE DATABASE {database}", f"USE {database}")
            self.must(*schedule.create(ENGINES[self.engine]))
            self.databases[key] = database
        self.must(f"USE {self.databases[key]}", *schedule.fill())
        return self.databases[key]

    def must(self, *statements: str) -> None:
        for sql in statements:
            answer = self.watcher.wire.run(sql)
            if answer.error:
                raise RuntimeError(f"{self.engine}: {sql}: {answer}")

    def session(self, schedule: Schedule, database: str) -> Wire:
        wire = Wire(self.server, database)
        seconds = SECONDS_OF_WAIT[schedule.patient]
        level = "REPEATABLE-READ" if schedule.level == MYROCKS else schedule.level
        settings = f"SET SESSION tx_isolation='{level}', innodb_lock_wait_timeout={seconds}"
        if self.engine == "rocksdb":
            style = ", rocksdb_locking_style=MYROCKS" if schedule.level == MYROCKS else ""
            settings += f", rocksdb_lock_wait_timeout={seconds}{style}"
        answer = wire.run(settings)
        if answer.error:
            raise RuntimeError(f"{self.engine}: {settings}: {answer}")
        return wire

    def play(self, schedule: Schedule) -> Course:
        """Runs the steps in their order. One of a session that waits comes when it has answered."""
        course = Course(([], []))
        left = [schedule.steps(n, f"'{self.name} {n}'") for n in (CHILD, PARENT)]
        order = list(schedule.order)
        while order:
            free = [n for n in order if not self.wires[n].pending]
            if not free or (not schedule.patient and free[0] != order[0]):
                self.wait(left, course)
                continue
            order.remove(free[0])
            if left[free[0]]:
                self.wires[free[0]].ask(left[free[0]].pop(0))
                self.note(self.watcher.settle(self.wires), left, course)
                course.waited |= any(wire.pending for wire in self.wires)
        while any(wire.pending for wire in self.wires):
            self.wait(left, course)
        return course

    def wait(self, left, course: Course) -> None:
        """Until a session has answered that waits; its own timeout ends that at the latest."""
        pending = [wire for wire in self.wires if wire.pending]
        ready = select.select(pending, [], [], HANG_SECONDS)[0]
        if not ready:
            raise Hang("; ".join(wire.pending for wire in pending))
        self.note({wire: wire.answer() for wire in ready}, left, course)

    def note(self, answers: dict[Wire, Answer], left, course: Course) -> None:
        """After a deadlock a session gives up, as a program would do."""
        for wire, answer in answers.items():
            session = self.wires.index(wire)
            course.answers[session].append(answer)
            if answer.warnings:
                rows = wire.run("SHOW WARNINGS").rows
                course.passed_over |= any(int(row[1]) in LOCK_ERRORS for row in rows)
            if answer.error == ER.LOCK_DEADLOCK:
                left[session].clear()

    def end(self) -> None:
        for number, wire in enumerate(self.wires):
            if wire.pending:
                self.watcher.wire.run(f"KILL {wire.number}")
                wire.close()
                continue
            xid = f"'{self.name} {number}'"
            for sql in (f"XA END {xid}", f"XA ROLLBACK {xid}", "ROLLBACK"):
                wire.run(sql)
            wire.close()

    def state(self, schedule: Schedule) -> State:
        return {name: self.rows(f"SELECT * FROM {name}") for name in schedule.tables()}

    def rows(self, query: str) -> list[tuple]:
        answer = self.watcher.wire.run(query)
        if answer.error:
            raise RuntimeError(f"{self.engine}: {query}: {answer}")
        return answer.rows


class Judge:
    """Knows what a schedule may leave, from InnoDB."""

    def __init__(self, innodb: Stage):
        self.innodb = innodb

    def problems(self, schedule: Schedule, course: Course) -> list[str]:
        found = [f"orphan: {text}" for text in course.orphans]
        if not course.constraints:
            found.append("no constraint was looked at")
        expected = {*LOCK_ERRORS, *CONSTRAINT_ERRORS, *XA_ERRORS}
        several = max(map(len, schedule.writes)) > 1
        if several:
            expected.add(ER.DUP_ENTRY)
        found += [f"error {error}" for error in course.errors() if error not in expected]
        # below SERIALIZABLE several statements see one another's effects between them
        judged = not (several or course.passed_over or schedule.reads_what_may_never_be())
        if judged and not found:
            allowed = self.allowed(schedule, course)
            if course.state not in allowed:
                found.append(f"left {course.state}, which no order does: {allowed}")
        return found

    def allowed(self, schedule: Schedule, course: Course) -> list[State]:
        counted = [
            n
            for n in (CHILD, PARENT)
            if schedule.commits(n) and not loses_writes(schedule, course, n)
        ]
        orders = {tuple(counted), tuple(reversed(counted))}
        return [self.innodb.serially(schedule, order) for order in orders]


def loses_writes(schedule: Schedule, course: Course, session: int) -> bool:
    """A read that waited too long takes nothing with it."""
    steps = zip(schedule.steps(session, "x"), course.answers[session], strict=False)
    return any(
        answer.error in (*LOCK_ERRORS, *XA_ERRORS)
        and not (answer.error == ER.LOCK_WAIT_TIMEOUT and sql.startswith("SELECT"))
        for sql, answer in steps
    )


@dataclass
class Report:
    """`faults`: the seed of a schedule, with what it is."""

    schedules: int = 0
    waited: int = 0
    lost: int = 0
    passed_over: int = 0  # by IGNORE, because of a lock
    refused: int = 0
    alike: int = 0
    faults: list[tuple[int, str]] = field(default_factory=list)


class Sessions:
    """Many schedules on the tested engine and on InnoDB."""

    def __init__(self, server, tested: str):
        self.tested = Stage(server, tested, "fks_tested")
        self.peer = Stage(server, "innodb", "fks_peer")
        self.judge = Judge(Stage(server, "innodb", "fks_serial"))
        self.report = Report()

    def run(self, schedule: Schedule) -> None:
        report = self.report
        report.schedules += 1
        try:
            ours = self.tested.run(schedule)
            theirs = self.peer.run(with_level_of_innodb(schedule))
            problems = self.judge.problems(schedule, ours)
        except (Hang, RuntimeError) as error:
            report.faults.append((schedule.seed, f"{error}\n{schedule.script()}"))
            return
        report.waited += ours.waited
        report.passed_over += ours.passed_over
        report.lost += ours.lost(CHILD) or ours.lost(PARENT)
        report.refused += any(error in CONSTRAINT_ERRORS for error in ours.errors())
        report.alike += ours.state == theirs.state and ours.errors() == theirs.errors()
        if problems:
            text = "\n".join([*problems, schedule.script(), told(schedule, ours)])
            report.faults.append((schedule.seed, text))


def with_level_of_innodb(schedule: Schedule) -> Schedule:
    return replace(schedule, level="REPEATABLE-READ") if schedule.level == MYROCKS else schedule


def told(schedule: Schedule, course: Course) -> str:
    lines = []
    for session, answers in enumerate(course.answers):
        steps = zip(schedule.steps(session, "x"), answers, strict=False)
        lines += [f"-- session {session + 1}: {sql}: {answer}" for sql, answer in steps]
    return "\n".join([*lines, f"-- left {course.state}"])
