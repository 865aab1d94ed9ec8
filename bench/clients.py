# SPDX-License-Identifier: GPL-2.0-only
"""Clients that do one thing over and over beside something else, and note how long it takes."""

import random
import threading
import time
from collections.abc import Callable

from bench.sysbench_tool import DATABASE


class Client:
    """A thread with a connection of its own. A context: it works from the beginning to the end.

    action(cursor, random) is called again and again, `pause` seconds after it has ended;
    `latencies` are (second since `since`, milliseconds), `errors` the first messages of the
    server. An error does not end it. Read both after the end."""

    def __init__(self, contender, action: Callable, pause: float = 0.0, seed: int = 1):
        self.latencies: list[tuple[float, float]] = []
        self.errors: list[str] = []
        self._contender, self._action, self._pause = contender, action, pause
        self._random = random.Random(seed)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)

    def __enter__(self) -> "Client":
        self.since = time.monotonic()
        self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._stop.set()
        self._thread.join()

    def _work(self) -> None:
        import pymysql

        try:
            with self._contender.server.connect(DATABASE) as link, link.cursor() as cursor:
                while not self._stop.is_set():
                    self._once(cursor)
                    if self._pause:
                        self._stop.wait(self._pause)
        except pymysql.err.Error as error:
            self.errors.append(str(error))

    def _once(self, cursor) -> None:
        import pymysql

        started = time.monotonic()
        try:
            self._action(cursor, self._random)
        except pymysql.err.OperationalError as error:
            if len(self.errors) < 5:
                self.errors.append(str(error))
        ended = time.monotonic()
        self.latencies.append((ended - self.since, (ended - started) * 1e3))


def percentile(latencies: list[tuple[float, float]], percent: float) -> float | None:
    """None without a latency."""
    values = sorted(value for _, value in latencies)
    if not values:
        return None
    return values[min(len(values) - 1, int(len(values) * percent / 100))]


def between(latencies: list[tuple[float, float]], start: float, end: float) -> list[tuple]:
    """Those whose time overlaps the seconds from start to end."""
    return [(at, ms) for at, ms in latencies if at >= start and at - ms / 1e3 <= end]


def worst_by_second(latencies: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """(second, longest) for each second in which something ended."""
    worst: dict[int, float] = {}
    for at, ms in latencies:
        worst[int(at)] = max(worst.get(int(at), 0.0), ms)
    return sorted((float(second), ms) for second, ms in worst.items())


def timed(cursor, statement: str) -> float:
    """Seconds of one statement, with reading its rows."""
    started = time.monotonic()
    cursor.execute(statement)
    if cursor.description:
        cursor.fetchall()
    return time.monotonic() - started
