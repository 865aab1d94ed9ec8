# SPDX-License-Identifier: GPL-2.0-only
"""Runs many cells on one server with a few workers, and once more after a restart."""

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from random import Random

import pymysql

from tests.kit.side_by_side.runner import GONE, ServerDied, Side
from tests.matrix.cell import FAILED, PASSED, Attempt, Cell
from tests.matrix.pool import Pool
from tests.matrix.types import ColumnType

# a worker and its server wait for each other: with one a processor a quarter of the time is idle
WORKERS = 2 * (os.cpu_count() or 1)
SESSION = (
    "sql_mode = 'STRICT_ALL_TABLES,ALLOW_INVALID_DATES'",
    "time_zone = '+00:00'",
    "character_set_results = NULL",  # the stored bytes
    "max_sort_length = 16384",
    "use_stat_tables = 'never'",
    "check_constraint_checks = ON",
)


class Worker:
    """One thread's connections. `values`: how many to try of a type."""

    def __init__(self, server, engine: str, seed: int, values: int):
        self.seed, self.values = seed, values
        self.tested, self.peer = Side(server, engine, "tested"), Side(server, "innodb", "peer")

    def open(self) -> None:
        for side in (self.tested, self.peer):
            side.close()
            for setting in SESSION:
                side.execute(f"SET {setting}")

    def close(self) -> None:
        self.tested.close()
        self.peer.close()

    def links(self) -> list:
        return [*self.tested.connections.values(), *self.peer.connections.values()]

    def run(self, kind: ColumnType, cells: list[Cell]) -> None:
        """All cells of one type."""
        rng = Random(f"{self.seed} {kind.name}")
        pool = Pool(self.peer, f"pool_{cells[0].table}", kind, rng, self.values)
        for cell in cells:
            cell.pool = pool
            Attempt(cell, self.tested, self.peer).run()


class Harness:
    """`done` is called with the cells of each type when they are through, one call at a time."""

    def __init__(self, server, engine: str, seed: int, values: int, done: Callable):
        self.server, self.engine, self.seed, self.values = server, engine, seed, values
        self.done = done
        self.lock = threading.Lock()
        self.local = threading.local()
        self.workers: list[Worker] = []

    def prepare(self) -> None:
        for engine, name in ((self.engine, "tested"), ("innodb", "peer")):
            Side(self.server, engine, name).open()

    def run(self, work: list[list[Cell]]) -> None:
        """`work`: the cells of each type. First the types of today, then those whose tables must
        be made with a global variable set."""
        number = 0
        for cells in work:
            for cell in cells:
                number += 1
                cell.table = f"t{number}"
        for old in (False, True):
            self.server.query(f"SET GLOBAL mysql56_temporal_format = {'OFF' if old else 'ON'}")
            self._spread(self._one_type, [c for c in work if c[0].kind.old_temporal == old])
        self.server.query("SET GLOBAL mysql56_temporal_format = ON")

    def restart(self, work: list[list[Cell]]) -> None:
        """A clean restart, and the contents of every table again."""
        self._close()
        self.server.restart()
        self._spread(self._again, [c for cells in work for c in cells if c.outcome == PASSED])
        self._close()

    def _spread(self, task: Callable, items: list) -> None:
        with ThreadPoolExecutor(WORKERS) as executor:
            for _ in executor.map(task, items):
                pass
        self._close()

    def _worker(self) -> Worker:
        worker = getattr(self.local, "worker", None)
        if worker is None:
            worker = Worker(self.server, self.engine, self.seed, self.values)
            worker.open()
            self.local.worker = worker
            with self.lock:
                self.workers.append(worker)
        return worker

    def _close(self) -> None:
        for worker in self.workers:
            worker.close()
        self.workers.clear()
        self.local = threading.local()

    def _one_type(self, cells: list[Cell]) -> None:
        left = cells
        while left:
            try:
                self._worker().run(cells[0].kind, left)
            except ServerDied as error:
                self._died(left, str(error))
            left = [c for c in cells if not c.outcome]
        with self.lock:
            self.done(cells)

    def _again(self, cell: Cell) -> None:
        worker = self._worker()
        try:
            Attempt(cell, worker.tested, worker.peer).check_again()
        except ServerDied as error:
            self._died([cell], str(error))

    def _died(self, cells: list[Cell], error: str) -> None:
        """Charges the cell at work, and starts the server again for the others."""
        with self.lock:
            cell = next((c for c in cells if not c.outcome), cells[-1])
            print(f"   the server died or hung in {cell.name}")
            last = cell.script[-1] if cell.script else ""
            cell.problems.append(f"{last}\n      {error}\n{self.server.log_tail(40)}")
            cell.outcome = FAILED
            self._revive(self._worker().links())
        self.local.worker = None

    def _revive(self, links: list) -> None:
        """A server that takes connections again, and on which these run nothing any more."""
        try:
            with self.server.connect(connect_timeout=5, read_timeout=5) as connection:
                for link in links:
                    try:
                        connection.query(f"KILL {link.thread_id()}")
                    except pymysql.err.OperationalError as error:
                        if error.args[0] in GONE:
                            raise
        except (pymysql.Error, OSError):
            # gone, or still busy with dying
            self.server.kill()
            self.server.start()
