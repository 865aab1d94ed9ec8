# SPDX-License-Identifier: GPL-2.0-only
"""A relay between the Spider node and one shard that can stop at a statement: before the shard gets
it, or when the shard has done it and Spider does not know yet."""

import contextlib
import select
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass

COM_QUERY = 3
HEADER = 4  # bytes: three of the length, one of the sequence number


@dataclass
class Stop:
    """Where, and what is done there. The statement and its answer are then dropped with the
    connection, unless `passes`."""

    statement: str  # its beginning, in lower case
    after: bool
    action: Callable[[], None]
    passes: bool = False


class Gate:
    def __init__(self, host: str, target: tuple[str, int]):
        self.target = target
        self.stop: Stop | None = None
        self.reached = threading.Event()
        self.done = threading.Event()  # the action has ended
        self.lock = threading.Lock()
        self.listener = socket.create_server((host, 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def arm(self, stop: Stop) -> None:
        """For the next statement that begins so; only once."""
        self.reached.clear()
        self.done.clear()
        self.stop = stop

    def disarm(self) -> None:
        self.stop = None

    def close(self) -> None:
        self.listener.close()

    def accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                threading.Thread(target=self.relay, args=(client,), daemon=True).start()

    def relay(self, client: socket.socket) -> None:
        with client, contextlib.suppress(OSError):
            with socket.create_connection(self.target) as server:
                while True:
                    ready = select.select([client, server], [], [])[0]
                    if server in ready and not forward(server, client):
                        return
                    if client in ready and not self.take(client, server):
                        return

    def take(self, client: socket.socket, server: socket.socket) -> bool:
        """One packet of Spider's; False when the connection is over."""
        packet = read_packet(client)
        stop = self.matching(packet) if packet else None
        if not packet or stop is None:
            server.sendall(packet)
            return bool(packet)
        if stop.after:
            server.sendall(packet)
            server.recv(1, socket.MSG_PEEK)  # waits for the answer
        self.reached.set()
        stop.action()
        self.done.set()
        if stop.passes and not stop.after:
            server.sendall(packet)
        return stop.passes

    def matching(self, packet: bytes) -> Stop | None:
        """The stop that this packet is for; it is used up then."""
        sequence, command = packet[3], packet[HEADER : HEADER + 1]
        if sequence or command != bytes([COM_QUERY]):
            return None
        text = packet[HEADER + 1 :].lower()
        with self.lock:
            stop = self.stop
            if stop is None or not text.startswith(stop.statement.encode()):
                return None
            self.stop = None
            return stop


def forward(source: socket.socket, target: socket.socket) -> bool:
    data = source.recv(65536)
    target.sendall(data)
    return bool(data)


def read_packet(source: socket.socket) -> bytes:
    """With its header; empty at the end of the connection."""
    header = read_exactly(source, HEADER)
    length = int.from_bytes(header[:3], "little")
    return header + read_exactly(source, length) if header else b""


def read_exactly(source: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        part = source.recv(size - len(data))
        if not part:
            return b""
        data += part
    return data
