# SPDX-License-Identifier: GPL-2.0-only
"""Random schedules, many, by several processes on one server; what differs is judged and shrunk."""

import multiprocessing
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.isolation import generator
from tests.isolation.deliberate import REASONS, UNSTEADY, VICTIMS, Judge
from tests.isolation.pair import Course, Difference, Pair
from tests.isolation.schedule import Schedule
from tests.isolation.shrink import Shrinker
from tests.kit.wire import Wire

WORKERS = 3
SHRINK_SECONDS = 30
MOST_FAULTS = 5
MOST_UNSTEADY = 1 / 200  # of the schedules: more would hide something
LOCK_WAIT_SECONDS = 100_000  # no wait of a schedule ends by time
OPTIONS = [
    "--rocksdb-flush-log-at-trx-commit=0",
    "--innodb-flush-log-at-trx-commit=0",
    "--innodb-flush-method=nosync",  # nothing here outlives the run
    "--innodb-doublewrite=0",
    "--innodb-stats-persistent=0",
    "--debug-no-sync",
    "--sync-frm=0",
    "--log-bin",
    "--server-id=1",
    "--sync-binlog=0",
    "--max-binlog-size=16M",
    "--log-bin-trust-function-creators=1",
    f"--innodb-lock-wait-timeout={LOCK_WAIT_SECONDS}",
    f"--rocksdb-lock-wait-timeout={LOCK_WAIT_SECONDS}",
]


@dataclass
class Report:
    """What the schedules have come to."""

    schedules: int = 0
    steps: int = 0
    waits: int = 0
    reasons: Counter = field(default_factory=Counter)
    faults: list[tuple[int, str]] = field(default_factory=list)

    def add(self, other: "Report") -> None:
        self.schedules += other.schedules
        self.steps += other.steps
        self.waits += other.waits
        self.reasons += other.reasons
        self.faults += other.faults


class PurgeStopper:
    """Keeps InnoDB from taking deleted rows away, which it does at a time of its own; until then
    their entries bound its gaps. A snapshot that needs them is the way."""

    def __init__(self, server):
        self.wire = Wire(server, "mysql")
        for sql in (
            "CREATE DATABASE IF NOT EXISTS isolation_purge",
            "CREATE OR REPLACE TABLE isolation_purge.t (a INT) ENGINE=InnoDB",
            "BEGIN",
            "SELECT * FROM isolation_purge.t",
        ):
            if (answer := self.wire.run(sql)).error:
                raise RuntimeError(f"{sql}: {answer}")


class Worker:
    """Runs schedules one after the other. A fault becomes a script in `folder`."""

    def __init__(self, server, number: int, folder: Path):
        self.pair = Pair(server, number)
        self.judge = Judge(self.pair)
        self.folder = folder

    def run(self, seed: int) -> Report:
        report = Report(schedules=1)
        schedule = generator.make(seed)
        course = Course(self.pair, schedule)
        steps, waits = self.pair.steps, self.pair.waits
        found = course.run()
        report.steps, report.waits = self.pair.steps - steps, self.pair.waits - waits
        if course.ended_by_victims:
            report.reasons[VICTIMS] += 1
        if found:
            reason = self.judge.reason(schedule, found)
            if reason:
                report.reasons[reason] += 1
            else:
                report.faults.append((seed, self.shrink(schedule, found)))
        return report

    def fault(self, schedule: Schedule) -> Difference | None:
        found = Course(self.pair, schedule).run()
        return found if found and self.judge.reason(schedule, found) is None else None

    def shrink(self, schedule: Schedule, found: Difference) -> str:
        shrinker = Shrinker(self.fault, SHRINK_SECONDS)
        small, last = shrinker.shrink(schedule, found)
        level = small.levels[last.session]
        title = (
            f"./dev test isolation --seed {schedule.seed}\n"
            f"{last.kind}, session {last.session + 1} at {level}, log {small.log};"
            f" shrunk from {len(schedule.steps)} to {len(small.steps)} statements\n{last}"
        )
        text = small.script(title)
        (self.folder / f"seed-{schedule.seed}.sql").write_text(text)
        return text


def work(server, number: int, folder: Path, seeds, stop, results) -> None:
    """The life of a worker process."""
    try:
        worker = Worker(server, number, folder)
        while not stop.is_set():
            with seeds.get_lock():
                seed = seeds.value
                seeds.value += 1
            results.put(worker.run(seed))
    except Exception as error:  # told by the main process, which counts it as a fault
        results.put(Report(faults=[(0, f"{type(error).__name__}: {error}")]))


def run(server, folder: Path, first: int, count: int, seconds: float) -> Report:
    """`count` schedules from the seed `first` on, or as many as the time allows."""
    total, deadline = Report(), time.monotonic() + seconds
    context = multiprocessing.get_context("fork")
    seeds, stop, results = context.Value("q", first), context.Event(), context.Queue()
    stopper = PurgeStopper(server)
    arguments = (folder, seeds, stop, results)
    workers = [
        context.Process(target=work, args=(server, number, *arguments), daemon=True)
        for number in range(min(WORKERS, count))
    ]
    for worker in workers:
        worker.start()
    while total.schedules < count and len(total.faults) < MOST_FAULTS:
        report = results.get(timeout=300)
        total.add(report)
        for seed, text in report.faults:
            print(f"   seed {seed} is a fault:\n{text}")
        if time.monotonic() > deadline:
            break
    stop.set()
    for worker in workers:
        worker.terminate()
        worker.join()
    stopper.wire.close()
    return total


def one(server, folder: Path, seed: int) -> Report:
    """One schedule, told step by step."""
    stopper = PurgeStopper(server)
    schedule = generator.make(seed)
    print(schedule.script(f"seed {seed}"))
    report = Worker(server, 0, folder).run(seed)
    for _, text in report.faults:
        print(f"   seed {seed} is a fault:\n{text}")
    stopper.wire.close()
    return report


def show(report: Report) -> None:
    print(
        f"   {report.schedules} random schedules: {report.steps} statements on each engine,"
        f" {report.waits} waited; {len(report.faults)} faults"
    )
    for name, count in report.reasons.most_common():
        why = REASONS.get(name, "")
        print(f"   {count:6} {name}{': ' + why if why else ''}")


def is_unsteady(report: Report) -> bool:
    """Were there too many schedules whose difference did not come again?"""
    return report.reasons[UNSTEADY] > 1 + MOST_UNSTEADY * report.schedules
