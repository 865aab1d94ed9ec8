# SPDX-License-Identifier: GPL-2.0-only
"""What the threads of a server's clients have read and written, by the kernel's own count
(man 5 proc, /proc/PID/task/TID/io). What is left of the process is background work."""

from dataclasses import dataclass, field
from pathlib import Path

CLIENTS = (
    "SELECT TID FROM information_schema.PROCESSLIST "
    "WHERE COMMAND <> 'Daemon' AND ID <> CONNECTION_ID()"
)


@dataclass(frozen=True)
class Counted:
    """Bytes from and to the storage layer (without what the page cache had; pages that became
    dirty, and direct writes), and calls that read or wrote a file, not a client's socket."""

    read_bytes: int = 0
    written_bytes: int = 0
    calls: int = 0

    def plus(self, later: "Counted", earlier: "Counted") -> "Counted":
        """With the growth between two readings of a thread."""
        return Counted(
            self.read_bytes + later.read_bytes - earlier.read_bytes,
            self.written_bytes + later.written_bytes - earlier.written_bytes,
            self.calls + later.calls - earlier.calls,
        )


@dataclass
class ClientThreads:
    """Of one server. `total` grows at each look() by what threads that serve a client, or did so
    before, have done since the last. What one does between the last look and its end is missed."""

    total: Counted = Counted()
    pid: int | None = None
    clients: set[int] = field(default_factory=set)
    last: dict[int, Counted] = field(default_factory=dict)  # of all threads

    def look(self, server, root: Path = Path("/")) -> None:
        """Reads the counters. OSError when the server does not answer."""
        if server.pid != self.pid:
            self.total, self.pid, self.clients, self.last = Counted(), server.pid, set(), {}
        self.clients |= {row[0] for row in answer(server)}
        now = counters(root / f"proc/{server.pid}/task")
        for thread in self.clients & set(now):
            self.total = self.total.plus(now[thread], self.last.get(thread, Counted()))
        self.last = now


def answer(server) -> list[tuple]:
    import pymysql

    try:
        return server.query(CLIENTS)
    except pymysql.Error as error:
        raise ConnectionError(str(error)) from error


def counters(folder: Path) -> dict[int, Counted]:
    """Of all threads that live."""
    found = {int(one.name): counted(one / "io") for one in folder.iterdir()}
    return {thread: one for thread, one in found.items() if one is not None}


def counted(file: Path) -> Counted | None:
    """None when the thread is gone."""
    try:
        lines = dict(line.split(": ") for line in file.read_text().splitlines())
    except OSError:
        return None
    calls = int(lines["syscr"]) + int(lines["syscw"])
    return Counted(int(lines["read_bytes"]), int(lines["write_bytes"]), calls)
