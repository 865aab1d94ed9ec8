# SPDX-License-Identifier: GPL-2.0-only
"""Statements of one connection, killed before each of their file operations: writes and syncs of
logs, files made, renamed, removed. Beside it, perhaps, clients that write rows."""

from pathlib import Path

from tests.crash.harness import Harness
from tests.kit.clients.client import Problem
from tests.kit.kill_point import KillPoint, library
from tools.errors import DevError


class PointHarness(Harness):
    """The first of the classes is the script. It has begin(): a connection, and its tables as they
    are before each statement; rebuild(): the tables; statements(), by a name for the report;
    run_statement(), False when the server is gone; leave(). The others are the load beside it."""

    double_kill_share = 0.4
    counted_threads = ""  # beside the script's connection: see KillPoint
    RECOVERY_OPERATIONS = 40  # of the thread that carries out the DDL log and mends, about

    def __init__(self, folder: Path, engine: str, binlog: bool, seed: int, seconds: float):
        super().__init__(folder, engine, binlog, seed, seconds)
        folder.parent.mkdir(parents=True, exist_ok=True)
        if not library().exists():
            raise DevError(f"missing: {library()}; run it without --no-build")
        control = folder.with_name(folder.name + "-control")
        self.kill_point = KillPoint(control, threads=self.counted_threads)
        self.server.environment |= self.kill_point.environment()
        self.script = self.clients[0]
        self.operations: dict[str, int] = {}  # statement -> how many it has
        self.plan: list[tuple[str, int]] = []
        self.where = ""

    def prepare(self) -> None:
        super().prepare()
        self.count()

    def count(self) -> None:
        """How many operations each statement has, without a kill."""
        self.script.begin()
        self.mark_thread()
        for name in self.script.statements():
            self.script.rebuild()
            self.kill_point.arm()
            if not self.script.run_statement(self.script.statements()[name]):
                raise DevError(f"the server died in {name}\n{self.server.log_tail()}")
            self.operations[name] = self.kill_point.passed()
            self.kill_point.disarm()
        total = sum(self.operations.values())
        print(f"   {len(self.operations)} statements with {total} file operations")

    def mark_thread(self) -> None:
        """Those of the script's connection are the operations that count."""
        self.kill_point.mark(self.script.execute)

    def plan_kills(self, kills: int | None) -> int:
        """Draws the points of the next `kills` rounds, evenly of all statements; None: all points
        there are. Returns their number."""
        points = {n: self.rng.sample(range(1, c + 1), c) for n, c in self.operations.items()}
        while any(points.values()) and (kills is None or len(self.plan) < kills):
            names = [n for n in points if points[n]]
            self.plan += [(n, points[n].pop()) for n in self.rng.sample(names, len(names))]
        if kills is not None:
            del self.plan[kills:]
        return len(self.plan)

    def load_and_kill(self) -> None:
        name, operation = self.plan[self.kills]
        self.script.begin()
        threads = self.start_load(self.clients[1:])
        self.mark_thread()
        self.kill_point.arm(operation)
        alive = self.script.run_statement(self.script.statements()[name])
        self.kill_point.disarm()
        point = self.kill_point.point()
        self.where = point or "after its end"
        if not alive and not point:
            text = f"the server died by itself in {name}\n" + self.server.log_tail(40)
            self.problems.append(Problem("broken", text))
        self.kill_under_load(threads)
        self.script.leave()

    def kill_start(self) -> None:
        """A start that dies before one of the operations by which it mends."""
        self.kill_point.arm(self.rng.randint(1, self.RECOVERY_OPERATIONS))
        try:
            self.server.start()
        except DevError:
            if not self.kill_point.point():
                raise
            self.double_kills += 1
        self.kill_point.disarm()
        self.server.kill()

    def round(self) -> str:
        name, operation = self.plan[self.kills]
        line = super().round()
        where = self.where.replace(str(self.server.datadir) + "/", "").replace("./", "")
        return f"{name}, before operation {operation} ({where}): {line}"

    def check(self) -> list[Problem]:
        name, operation = self.plan[self.kills - 1]
        return [
            Problem(p.kind, f"{name}, operation {operation}: {p.text}") for p in super().check()
        ]
