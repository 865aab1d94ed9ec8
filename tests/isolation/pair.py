# SPDX-License-Identifier: GPL-2.0-only
"""Runs a schedule on InnoDB and on ROCKSDB, step by step, and compares what each step does."""

import re
from collections import Counter
from dataclasses import dataclass, field

from tests.isolation.schedule import RC, RU, XID, Probe, Schedule, Step
from tests.kit.wire import (
    DEADLOCK,
    LOCK_WAIT_TIMEOUT,
    Answer,
    Hang,
    Watcher,
    Wire,
    refused_indexes,
)

ENGINES = {"innodb": "InnoDB", "rocksdb": "ROCKSDB"}
LOCKING = re.compile(" (FOR UPDATE|LOCK IN SHARE MODE)( NOWAIT| SKIP LOCKED)?$")
# a watcher must never wait for what it watches
WATCHER_SETTINGS = (
    "SET SESSION sql_log_bin=0, lock_wait_timeout=10, innodb_lock_wait_timeout=1,"
    " rocksdb_lock_wait_timeout=1"
)


@dataclass
class Difference:
    """Where the engines part: at which step (behind the last one: the tables at the end), of which
    session, and what each did. `waiting`: the engine whose session waits, with the lock; or that
    alone met a lock, of NOWAIT and SKIP LOCKED."""

    kind: str
    place: int
    session: int
    told: dict[str, str]
    answers: dict[str, Answer] = field(default_factory=dict)
    waiting: str = ""
    lock: str = ""
    waited: frozenset[int] = frozenset()  # sessions that waited already before the step

    def __str__(self) -> str:
        lines = [f"{ENGINES[engine]:>8}: {told}" for engine, told in self.told.items()]
        if self.lock:
            lines.append(f"    lock: {self.lock}")
        return "\n".join(lines)


@dataclass
class Side:
    """One engine: a database, its connections."""

    server: object
    engine: str
    database: str
    wires: list[Wire] = field(default_factory=list)

    def __post_init__(self):
        self.watcher = Watcher(self.server, self.engine)
        self.watcher.wire.run(f"CREATE DATABASE IF NOT EXISTS {self.database}")
        self.run_each([f"USE {self.database}", WATCHER_SETTINGS])

    def run_each(self, statements: list[str]) -> None:
        for sql in statements:
            answer = self.watcher.wire.run(sql)
            if answer.error:
                raise RuntimeError(f"{self.engine}: {sql}: {answer}")

    def open(self, schedule: Schedule) -> None:
        self.run_each(schedule.setup(ENGINES[self.engine]))
        while len(self.wires) < len(schedule.levels):
            self.wires.append(Wire(self.server, self.database))
        for number, wire in enumerate(self.wires[: len(schedule.levels)]):
            answer = wire.run(self.settings(schedule, number))
            if answer.error:
                raise RuntimeError(f"{self.engine}: {schedule.settings(number)}: {answer}")

    def settings(self, schedule: Schedule, number: int) -> str:
        """READ UNCOMMITTED is served as READ COMMITTED (docs/compatibility.md, "Locks and
        isolation"), so it must be as InnoDB is at READ COMMITTED."""
        settings = schedule.settings(number)
        return settings.replace(RU, RC) if self.engine == "innodb" else settings

    def text(self, step: Step) -> str:
        sql = step.sql.replace(XID, f"'{self.database} {step.session}'")
        return sql.replace("{engine}", ENGINES[self.engine])

    def settle(self) -> dict[int, Answer]:
        answers = self.watcher.settle(self.wires)
        return {self.wires.index(wire): answer for wire, answer in answers.items()}

    def rows(self, table: str) -> list[tuple]:
        return self.watcher.wire.run(f"SELECT * FROM {table}").rows

    def plan(self, step: Step) -> list[tuple]:
        """Table, kind of access, index and notes for each table of a statement, as EXPLAIN says."""
        sql = self.text(step)
        if sql.startswith("CREATE TABLE"):
            sql = sql[sql.index("SELECT") :]
        sql = LOCKING.sub("", sql)  # the optimizer may read, and would wait
        answer = self.watcher.wire.run(f"EXPLAIN {sql}")
        return [row[2:4] + row[5:6] + row[9:10] for row in answer.rows]

    def commit(self, session: int) -> None:
        """Commits what the session has open, prepared or not; nothing is no error."""
        wire = self.wires[session]
        xid = f"'{self.database} {session}'"
        for sql in (f"XA END {xid}", f"XA COMMIT {xid} ONE PHASE", f"XA COMMIT {xid}", "COMMIT"):
            wire.run(sql)

    def close(self, schedule: Schedule) -> None:
        """Ends all transactions and drops what the schedule has made."""
        for number, wire in enumerate(self.wires):
            if wire.pending:
                self.watcher.wire.run(f"KILL {wire.number}")
                wire.close()
                self.wires[number] = Wire(self.server, self.database)
                continue
            xid = f"'{self.database} {number}'"
            for sql in (f"XA END {xid}", f"XA ROLLBACK {xid}", "ROLLBACK"):
                wire.run(sql)
        names = [table.name for table in schedule.tables] + copies(schedule)
        self.run_each([f"DROP TABLE IF EXISTS {', '.join(names)}"])
        if schedule.routines:
            self.watcher.wire.run("DROP FUNCTION IF EXISTS f1")


def copies(schedule: Schedule) -> list[str]:
    words = [step.sql.split() for step in schedule.steps]
    return [word[2] for word in words if word[:2] == ["CREATE", "TABLE"]]


class Pair:
    """The two engines in one server, in databases of their own."""

    def __init__(self, server, worker: int = 0):
        self.sides = {
            engine: Side(server, engine, f"isolation_{engine}_{worker}") for engine in ENGINES
        }
        self.steps = 0
        self.waits = 0

    def run(self, schedule: Schedule) -> Difference | None:
        return Course(self, schedule).run()


class Course:
    """One run of one schedule. `plans`: ask for the plan of each step, too; `plans_differ` then
    says where they did, `covering` which steps have read an index alone on InnoDB. `held` has
    what each session holds in its open transaction, on ROCKSDB; on InnoDB, `absent` has the steps
    that looked for a key that is not there, `idle` those that found and changed nothing, `refused`
    those that met a row with their value (and whether that of a secondary index), `late` those that
    waited at READ COMMITTED and then did something on ROCKSDB; `left_out` those of sessions that
    waited."""

    def __init__(self, pair: Pair, schedule: Schedule, plans=False, notes_rows=False):
        self.pair, self.schedule, self.plans, self.notes_rows = pair, schedule, plans, notes_rows
        self.rows_then: dict[tuple[int, Probe], set[tuple]] = {}
        self.sides = pair.sides
        self.plans_differ = ""
        self.covering: list[Step] = []
        self.absent: list[Step] = []
        self.idle: list[Step] = []
        self.late: list[Step] = []
        self.refused: list[tuple[Step, bool]] = []
        self.left_out: list[Step] = []
        self.ended_by_victims = False
        self.waited: frozenset[int] = frozenset()
        sessions = len(schedule.levels)
        self.current: list[Step | None] = [None] * sessions
        self.open = [False] * sessions
        self.autocommit = [True] * sessions
        self.held: list[list[Probe]] = [[] for _ in range(sessions)]

    def run(self) -> Difference | None:
        """The whole of it, and the tables at the end."""
        steps = self.schedule.steps + closing(self.schedule)
        return self.and_give_back(lambda: self.play(steps) or self.compare_end(len(steps)))

    def run_part(self, steps: list[Step], then) -> None:
        """Some steps; then calls `then` while the transactions are open."""
        self.and_give_back(lambda: (self.play(steps), then(self)))

    def and_give_back(self, work):
        try:
            for side in self.sides.values():
                side.open(self.schedule)
            return work()
        finally:
            for side in self.sides.values():
                side.close(self.schedule)

    def play(self, steps: list[Step]) -> Difference | None:
        for place, step in enumerate(steps):
            found = self.step(place, step)
            if found or self.ended_by_victims:
                return found
        return None

    def step(self, place: int, step: Step) -> Difference | None:
        if any(side.wires[step.session].pending for side in self.sides.values()):
            self.left_out.append(step)  # waits on both engines, else the course would have ended
            return None
        self.waited = frozenset(
            n for n, wire in enumerate(self.sides["innodb"].wires) if wire.pending
        )
        if self.plans:
            self.explain_routines(step)
        if self.plans and step.explained:
            self.compare_plans(step)
        self.current[step.session] = step
        for side in self.sides.values():
            side.wires[step.session].ask(side.text(step))
        self.pair.steps += 1
        answers, hung = {}, {}
        for engine, side in self.sides.items():
            try:
                answers[engine] = side.settle()
            except Hang as hang:
                hung[engine] = f"hangs: {hang}"
        if hung:
            return Difference("hang", place, step.session, hung)
        self.note(answers)
        return self.compare(place, step, answers)

    def note(self, answers) -> None:
        """What the judge may ask for."""
        for session, answer in answers["rocksdb"].items():
            self.hold(session, answer)
            low = self.schedule.levels[session] in (RU, RC)
            if low and session in self.waited and not answer.error:
                self.late.append(self.current[session])
        for session, answer in answers["innodb"].items():
            step = self.current[session]
            if step.finds_no_key(answer) or step.misses_a_key(answer):
                self.absent.append(step)
            if step.locks and answer.does_nothing():
                self.idle.append(step)
            if names := self.refusing(session, answer):
                self.refused.append((step, names != {"PRIMARY"}))

    def refusing(self, session: int, answer: Answer) -> set[str]:
        """The indexes for whose values rows were refused, or passed over by IGNORE."""
        messages = [answer.message]
        if self.plans and answer.warnings:
            warnings = self.sides["innodb"].wires[session].run("SHOW WARNINGS")
            messages += [row[2] for row in warnings.rows]
        return refused_indexes(messages)

    def hold(self, session: int, answer: Answer) -> None:
        step = self.current[session]
        if "autocommit" in step.sql:
            self.autocommit[session] = step.sql.endswith("1")
        if step.begins():
            self.open[session] = True
        if step.ends() or answer.error == DEADLOCK:
            self.held[session].clear()
            self.open[session] = not self.autocommit[session]
        elif self.open[session] and not answer.error:  # an error says not how far it came
            for probe in step.locks_at(self.schedule.levels[session]):
                if not (probe.per_row and answer.changes_no_row()):
                    self.add_held(session, probe)

    def add_held(self, session: int, probe: Probe) -> None:
        """Below REPEATABLE READ only rows that match are held, so these are noted."""
        self.held[session].append(probe)
        if self.notes_rows and self.schedule.levels[session] in (RU, RC):
            answer = self.sides["rocksdb"].wires[session].run(probe.sql("SKIP LOCKED"))
            self.rows_then[session, probe] = set(answer.rows)

    def compare(self, place: int, step: Step, answers) -> Difference | None:
        victims = {
            engine: {n for n, answer in each.items() if answer.error == DEADLOCK}
            for engine, each in answers.items()
        }
        if all(victims.values()) and victims["innodb"] != victims["rocksdb"]:
            self.ended_by_victims = True  # who is given up is the engine's choice
            return None
        for engine, given_up in victims.items():
            if given_up and not all(victims.values()):
                session = min(given_up)
                return self.difference("deadlock", place, session, answers, engine)
        for session in range(len(self.schedule.levels)):
            of = [answers[engine].get(session) for engine in ENGINES]
            if (of[0] is None) != (of[1] is None):
                waiting = "rocksdb" if of[0] else "innodb"
                return self.difference("wait", place, session, answers, waiting)
            if of[0] is not None and of[0].what() != of[1].what():
                kind = "error" if of[0].error != of[1].error else "answer"
                busy = self.busy(session, *of)
                return self.difference(kind, place, session, answers, busy)
        self.pair.waits += bool(self.sides["innodb"].wires[step.session].pending)
        return None

    def busy(self, session: int, innodb: Answer, rocksdb: Answer) -> str:
        """The engine that alone met a lock, of a statement that does not wait for one."""
        sql = self.current[session].sql
        if sql.endswith("NOWAIT"):
            for engine, answer in (("innodb", innodb), ("rocksdb", rocksdb)):
                if answer.error == LOCK_WAIT_TIMEOUT:
                    return engine
        if sql.endswith("SKIP LOCKED") and not innodb.error and not rocksdb.error:
            found = [Counter(innodb.rows), Counter(rocksdb.rows)]
            if "COUNT(*)" in sql:
                found = [Counter({"rows": answer.rows[0][0]}) for answer in (innodb, rocksdb)]
            if found[0] != found[1]:
                return "innodb" if found[0] <= found[1] else "rocksdb" * (found[1] <= found[0])
        return ""

    def difference(self, kind, place, session, answers, waiting="") -> Difference:
        told, lock = {}, ""
        for engine, side in self.sides.items():
            answer, wire = answers[engine].get(session), side.wires[session]
            told[engine] = str(answer) if answer else "waits" if wire.pending else "idle"
            if wire.pending and engine == waiting:
                lock = side.watcher.lock_of(wire)
            others = {n: a for n, a in answers[engine].items() if n != session}
            told[engine] += "".join(f"; session {n + 1}: {a}" for n, a in others.items())
        mine = {engine: each[session] for engine, each in answers.items() if session in each}
        return Difference(kind, place, session, told, mine, waiting, lock, self.waited)

    def compare_plans(self, step: Step) -> None:
        plans = [side.plan(step) for side in self.sides.values()]
        access = [[row[:3] for row in plan] for plan in plans]
        if plans[0] and plans[1] and access[0] != access[1]:
            self.plans_differ = f"{step.sql}: {access[0]}, {access[1]}"
        if any(reads_index_alone(*row[2:]) for row in plans[0]):
            self.covering.append(step)

    def explain_routines(self, step: Step) -> None:
        if "f1(" not in step.sql and not any(probe.per_row for probe in step.locks):
            return
        for read in self.schedule.routine_reads():
            lines = self.sides["innodb"].plan(Step(step.session, read))
            if any(reads_index_alone(*row[2:]) for row in lines):
                self.covering.append(step)

    def compare_end(self, place: int) -> Difference | None:
        """The tables, unless the engines have ended different transactions."""
        if self.ended_by_victims:
            return None
        for side in self.sides.values():
            if pending := [wire.pending for wire in side.wires if wire.pending]:
                return Difference("hang", place, 0, {side.engine: f"waits for nobody: {pending}"})
        for name in [table.name for table in self.schedule.tables] + copies(self.schedule):
            rows = {engine: side.rows(name) for engine, side in self.sides.items()}
            if rows["innodb"] != rows["rocksdb"]:
                told = {engine: f"{name} has {each}" for engine, each in rows.items()}
                return Difference("table", place, 0, told)
        return None


def reads_index_alone(index: str | None, notes: str | None) -> bool:
    """Of a line of EXPLAIN: no row is read beside the entries of a secondary index. The optimizer
    reads MIN and MAX so, and then names no index."""
    ends = ("No matching min/max row", "Select tables optimized away")
    return notes in ends or (index != "PRIMARY" and "Using index" in (notes or "").split("; "))


def closing(schedule: Schedule) -> list[Step]:
    """Ends every transaction, also of sessions that come free only when others end."""
    sessions = range(len(schedule.levels))
    ends = ["ROLLBACK", "SET SESSION autocommit=1"]
    if any(step.sql.startswith("XA") for step in schedule.steps):
        ends = [f"XA END {XID}", f"XA ROLLBACK {XID}", *ends]
    return [Step(n, sql) for _ in sessions for n in sessions for sql in ends]
