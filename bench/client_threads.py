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
    """By one thread, since it began."""

    read_bytes: int
    written_bytes: int
    calls: int


@dataclass
class ClientThreads:
    """Of one server. A thread that has ended keeps what it had when it was last looked at."""

    seen: dict[int, "Counted"] = field(default_factory=dict)
    pid: int | None = None

    def look(self, server, root: Path = Path("/")) -> None:
        """Reads the counters of all that serve a client now, or have done so since the server was
        started. OSError when it does not answer."""
        if server.pid != self.pid:
            self.seen, self.pid = {}, server.pid
        known = {row[0] for row in answer(server)}
        for thread in known | set(self.seen):
            found = counted(root / f"proc/{server.pid}/task/{thread}/io")
            if found is not None:
                self.seen[thread] = found

    @property
    def read_bytes(self) -> int:
        """From the storage layer, so without what the page cache had."""
        return sum(one.read_bytes for one in self.seen.values())

    @property
    def written_bytes(self) -> int:
        """Pages that became dirty, and direct writes."""
        return sum(one.written_bytes for one in self.seen.values())

    @property
    def calls(self) -> int:
        """That read or wrote a file; those on the client's socket are not among them."""
        return sum(one.calls for one in self.seen.values())


def answer(server) -> list[tuple]:
    import pymysql

    try:
        return server.query(CLIENTS)
    except pymysql.Error as error:
        raise ConnectionError(str(error)) from error


def counted(file: Path) -> Counted | None:
    """None when the thread is gone."""
    try:
        lines = dict(line.split(": ") for line in file.read_text().splitlines())
    except OSError:
        return None
    calls = int(lines["syscr"]) + int(lines["syscw"])
    return Counted(int(lines["read_bytes"]), int(lines["write_bytes"]), calls)
