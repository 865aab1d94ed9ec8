# SPDX-License-Identifier: GPL-2.0-only
"""The moment in which mariabackup has blocked commits.

mariabackup reaches the server through a socket of ours, and we pass on what both say. When the
server has answered `BACKUP STAGE BLOCK_COMMIT` with OK, no engine commits until mariabackup says
`BACKUP STAGE END`. We hold that answer back, run `at_cut`, and only then pass it on. So what
`at_cut` sees (checkpoint, positions) is of the same moment as mariabackup's copy. It is an order,
not a matter of time. Should a version of mariabackup lock by another statement, `at_cut` never
runs, and the caller refuses the backup.

Who can read what mariabackup says cannot let it speak TLS. So it connects without, and for an
account that must have TLS we speak it with the server (login.py).
"""

import select
import socket
import ssl
import threading
from collections.abc import Callable
from pathlib import Path

from programs.backup import login
from programs.backup.errors import BackupError
from programs.backup.packet import OK, read_packet

COM_QUERY = 3
CUT = "BACKUP STAGE BLOCK_COMMIT"


class Gate:
    """Context manager. `path` is where it listens; `tls` is for the server's side, None: without.
    `before_cut` runs right before commits are blocked. What one of them raises is kept in `error`
    and ends mariabackup's connection."""

    def __init__(
        self,
        path: Path,
        server: str,
        before_cut: Callable[[], None],
        at_cut: Callable[[], None],
        tls: ssl.SSLContext | None = None,
    ):
        self.path, self.server, self.tls = path, server, tls
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
        """One connection. All passes unseen, but for CUT and its answer."""
        try:
            if self.tls:
                server = login.secured(client, server, self.tls)
                self.links.append(server)
            self.pass_on(client, server)
        except OSError:
            pass
        except Exception as error:  # of before_cut or at_cut: whatever it is, the caller tells it
            self.error = error
        shut(client)
        shut(server)

    def pass_on(self, client: socket.socket, server: socket.socket) -> None:
        """Until one of them ends. One thread is enough, because only one of them speaks at a time:
        the protocol has one statement under way on a connection. TLS would not bear two."""
        cutting = False
        while packet := read_packet(source := speaker(client, server)):
            if source is client:
                if cutting := statement(packet) == CUT:
                    self.before_cut()
                server.sendall(packet)
                continue
            if cutting:  # a statement without rows is answered by one packet
                cutting = False
                if packet[4] == OK:
                    self.at_cut()
                    self.passed = True
            client.sendall(packet)


def speaker(client: socket.socket, server: socket.socket) -> socket.socket:
    """Who has something to say. TLS may have read more from the server than was asked for."""
    if isinstance(server, ssl.SSLSocket) and server.pending():
        return server
    return select.select([client, server], [], [])[0][0]


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
