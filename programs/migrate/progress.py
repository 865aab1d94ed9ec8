# SPDX-License-Identifier: GPL-2.0-only
"""How far a move is, on standard error: one line that changes in a terminal, else a line now and
then."""

import sys
import threading
import time
from collections.abc import Callable
from typing import Any, TextIO, TypeVar

from programs.migrate.errors import Stopped
from programs.migrate.interrupt import Interrupt
from programs.migrate.server import Server
from programs.top import units

EVERY_SECONDS = 30.0
LOOK_SECONDS = 0.5
# until a signal is seen
SIGNAL_SECONDS = 0.05
T = TypeVar("T")


class Progress:
    def __init__(self, quiet: bool = False, file: TextIO | None = None):
        self.quiet = quiet
        self.file = file or sys.stderr
        self.live = self.file.isatty()
        self.shown = 0.0
        self.open_line = False

    def say(self, text: str) -> None:
        if not self.quiet:
            self.clear()
            self.file.write(f"{text}\n")
            self.file.flush()

    def update(self, text: str) -> None:
        """What holds for a moment only."""
        now = time.monotonic()
        if self.quiet or not self.live and now - self.shown < EVERY_SECONDS:
            return
        self.shown = now
        self.clear()
        self.file.write(text if self.live else f"{text}\n")
        self.open_line = self.live
        self.file.flush()

    def clear(self) -> None:
        if self.open_line:
            self.file.write("\r\x1b[K")
            self.open_line = False


def describe(label: str, rows: int, seen: tuple) -> str:
    """`seen` is (stage, stages, percent of the stage, seconds of the statement, state)."""
    stage, stages, percent, seconds, state = seen
    stage, percent, seconds = int(stage or 0), float(percent or 0), float(seconds or 0)
    if not stage or percent <= 0:
        return f"{label}: {(state or 'waits').lower()}, {units.duration(seconds)}"
    parts = [f"{label}: step {stage} of {stages}, {percent:.0f} %"]
    if stage == 1 and rows:
        done = rows * percent / 100
        parts.append(f"{done:,.0f} of about {rows:,} rows")
        parts.append(f"{units.count(done / max(seconds, 0.1))} rows/s")
        parts.append(f"{units.duration(seconds * (100 - percent) / percent)} left in this step")
    return ", ".join(parts)


class Watched:
    """Statements on the connection `worker`, watched over `control`."""

    def __init__(self, worker: Server, control: Server, progress: Progress, interrupt: Interrupt):
        self.worker = worker
        self.control = control
        self.progress = progress
        self.interrupt = interrupt

    def run(self, ask: Callable[[], T], label: str, rows: int) -> T:
        """What `ask` returns, which uses the worker. Stopped when the user does not want it any
        more: the statement is killed then, and has changed nothing. One that is over before it can
        be killed counts as done."""
        task = Task(ask)
        killed, looked = False, time.monotonic()
        while not task.ended.wait(SIGNAL_SECONDS):
            if self.interrupt.wanted and not killed:
                self.control.do(f"KILL QUERY {self.worker.id}")
                killed = True
            if time.monotonic() - looked >= LOOK_SECONDS:
                self.show(label, rows)
                looked = time.monotonic()
        self.progress.clear()
        if killed and task.error:
            raise Stopped(f"{label}: stopped, the table is as it was") from task.error
        if task.error:
            raise task.error
        return task.result

    def show(self, label: str, rows: int) -> None:
        seen = look(self.control, self.worker.id)
        if seen:
            self.progress.update(describe(label, rows, seen))


class Task:
    """Begins at once in a thread. An event tells its end, because Python 3.11 takes a thread for
    ended when a signal interrupts join()."""

    def __init__(self, ask: Callable[[], Any]):
        self.ask = ask
        self.ended = threading.Event()
        self.result: Any = None
        self.error: Exception | None = None
        threading.Thread(target=self.work, daemon=True).start()

    def work(self) -> None:
        try:
            self.result = self.ask()
        except Exception as error:
            self.error = error
        finally:
            self.ended.set()


def look(server: Server, connection: int) -> tuple | None:
    """The progress of another connection's statement; None when there is none."""
    found = server.rows(
        "SELECT stage, max_stage, progress, time_ms / 1000, state"
        " FROM information_schema.processlist WHERE id=%s AND info IS NOT NULL", connection,
    )  # fmt: skip
    return found[0] if found else None
