# SPDX-License-Identifier: GPL-2.0-only
"""The moment in which mariabackup has blocked commits.

mariabackup reaches the server through a socket of ours, and we pass on what both say. When the
server has answered `BACKUP STAGE BLOCK_COMMIT` with OK, no engine commits until mariabackup says
`BACKUP STAGE END`. We hold that answer back, run `at_cut`, and only then pass it on. So what
`at_cut` sees (checkpoint, positions) is of the same moment as mariabackup's copy. It is an order,
not a matter of time. Should a version of mariabackup lock by another statement, `at_cut` never
runs, and the caller refuses the backup.
"""

import socket
import threading
from collections.abc import Callable
from pathlib import Path

from programs.backup.errors import BackupError

COM_QUERY = 3
CUT = "BACKUP STAGE BLOCK_COMMIT"
OK = 0
LONGEST = 0xFFFFFF  # of a packet; a longer statement comes in several


class Gate:
    """Context manager. `path` is where it listens. `before_cut` runs right before commits are
    blocked. What one of them raises is kept in `error` and ends mariabackup's connection."""

    def __init__(
        self,
        path: Path,
        server: str,
        before_cut: Callable[[], None],
        at_cut: Callable[[], None],
    ):
        self.path, self.server = path, server
        self.before_cut, self.at_cut = before_cut, at_cut
        self.passed = False
        self.error: Exception | None = None
        self.links: list[socket.socket] = []

    def __enter__(self) -> "Gate":
        self.listener = socket.socket(socket.AF_UNIX)
        try:
            self.listener.bind(str(self.path))
        except OSError as error:
            raise BackupError(f"no socket can be made at {self.path}: {error}") from error
        self.path.chmod(0o600)
        self.listener.listen()
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def __exit__(self, *_) -> None:
        for link in (self.listener, *self.links):
            shut(link)
        self.path.unlink(missing_ok=True)

    def accept(self) -> None:
        while True:
            try:
                client = self.listener.accept()[0]
                server = socket.socket(socket.AF_UNIX)
                self.links += [client, server]
                server.connect(self.server)
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client, server), daemon=True).start()

    def serve(self, client: socket.socket, server: socket.socket) -> None:
        """One connection. The server's bytes pass unseen, but for the answer to CUT."""
        waiting = Answer()
        back = threading.Thread(target=self.answers, args=(server, client, waiting), daemon=True)
        back.start()
        try:
            while packet := read_packet(client):
                if statement(packet) == CUT:
                    self.before_cut()
                    waiting.expected.set()
                server.sendall(packet)
        except OSError:
            pass
        except Exception as error:  # of before_cut: whatever it is, the caller tells it
            self.error = error
        shut(client)
        shut(server)

    def answers(self, server: socket.socket, client: socket.socket, waiting: "Answer") -> None:
        try:
            while packet := read_packet(server):
                if waiting.expected.is_set():
                    waiting.expected.clear()
                    if packet[4] == OK:
                        self.at_cut()
                        self.passed = True
                client.sendall(packet)
        except OSError:
            pass
        except Exception as error:  # of at_cut
            self.error = error
        shut(client)
        shut(server)


class Answer:
    """Whether the next packet of the server answers CUT: the protocol has one statement under way
    on a connection, and a statement without rows is answered by one packet."""

    def __init__(self):
        self.expected = threading.Event()


def read_packet(link: socket.socket) -> bytes:
    """A packet with its head of 4 bytes: length, number. Empty at the end."""
    head = read_exactly(link, 4)
    if not head:
        return b""
    size = int.from_bytes(head[:3], "little")
    body = read_exactly(link, size)
    return head + body if len(body) == size else b""


def read_exactly(link: socket.socket, size: int) -> bytes:
    parts = []
    while size:
        part = link.recv(min(size, 1 << 20))
        if not part:
            return b""
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def statement(packet: bytes) -> str:
    """The SQL of a packet, '' when it is none. The number of a command's packet is 0."""
    if len(packet) < 6 or packet[3] != 0 or packet[4] != COM_QUERY:
        return ""
    return " ".join(packet[5:200].decode(errors="replace").upper().split()).rstrip(";")


def shut(link: socket.socket) -> None:
    try:
        link.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
    link.close()
