# SPDX-License-Identifier: GPL-2.0-only
"""Waits before each table until replicas have caught up and the server has room for more work. A
statement that runs cannot be slowed down: that is what pt-online-schema-change is for."""

import time
from dataclasses import dataclass, field, replace

from programs.connection import Options
from programs.migrate.errors import BadUse, SqlError
from programs.migrate.progress import Progress
from programs.migrate.server import Server

PAUSE_SECONDS = 1.0


@dataclass
class Limits:
    """`replicas` as HOST, HOST:PORT or the path of a socket; `load` as Threads_running."""

    replicas: tuple[str, ...] = ()
    lag: int = 10
    load: int | None = None
    addresses: list[Options] = field(default_factory=list)


def address(word: str, primary: Options) -> Options:
    """A replica, with the account that the primary is asked with."""
    if word.startswith("/"):
        return replace(primary, host="localhost", socket=word)
    host, _, port = word.partition(":")
    if not host or port and not port.isdigit():
        raise BadUse(f"--replica is HOST, HOST:PORT or the path of a socket, not '{word}'")
    host = "127.0.0.1" if host == "localhost" else host
    return replace(primary, host=host, port=int(port or 3306), socket=None)


class Throttle:
    def __init__(self, control: Server, limits: Limits, progress: Progress):
        self.control = control
        self.limits = limits
        self.progress = progress
        limits.addresses = [address(word, control.options) for word in limits.replicas]
        self.replicas = [(at.shown, Server(at)) for at in limits.addresses]
        for shown, replica in self.replicas:
            lag_of(shown, replica)

    def wait(self, label: str) -> None:
        reason = self.reason()
        while reason:
            self.progress.update(f"{label}: waits, {reason}")
            time.sleep(PAUSE_SECONDS)
            reason = self.reason()
        self.progress.clear()

    def reason(self) -> str:
        """Why it is not yet time; '' when it is."""
        for shown, replica in self.replicas:
            lag = lag_of(shown, replica)
            if lag is None:
                return f"the replica {shown} does not replicate"
            if lag > self.limits.lag:
                return f"the replica {shown} is {lag} s behind"
        # the one that asks is among those that run
        running = int(self.control.status("Threads_running") or 1) - 1
        if self.limits.load is not None and running > self.limits.load:
            return f"{running} statements run"
        return ""


def lag_of(shown: str, replica: Server) -> int | None:
    """Seconds; None while it does not replicate. BadUse for a server that is no replica."""
    try:
        with replica.link.cursor() as cursor:
            cursor.execute("SHOW ALL SLAVES STATUS")
            names = [column[0] for column in cursor.description]
            found = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    except Exception as error:
        raise SqlError(0, f"the replica {shown} does not answer: {error}") from error
    if not found:
        raise BadUse(f"{shown} is no replica")
    lags = [row["Seconds_Behind_Master"] for row in found]
    return None if None in lags else max(int(lag) for lag in lags)
