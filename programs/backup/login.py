# SPDX-License-Identifier: GPL-2.0-only
"""A log-in that begins without TLS on the client's side and goes on with it on the server's.

TLS takes a packet more: the head of the client's first one, with a flag, asks for it. So the
numbers of all that follows differ by one on both sides, until the log-in ends and they begin anew.
"""

import socket
import ssl

from programs.backup.errors import BackupError
from programs.backup.packet import ERROR, OK, numbered, read_packet

HEAD = 4
WANTS_TLS = 0x800  # of the capabilities
REQUEST = 32  # bytes of the client's first packet that ask for TLS
THREAD_AND_SALT = 13  # bytes between the server's version and its capabilities


def secured(
    client: socket.socket, server: socket.socket, context: ssl.SSLContext
) -> ssl.SSLSocket | socket.socket:
    """The server's side, once it has let the client in or refused it. OSError when one of them
    ends, BackupError when the server has no TLS."""
    greeting = read_packet(server)
    if greeting and not offers_tls(greeting):
        raise BackupError("TLS is wanted, and the server has none")
    client.sendall(greeting)
    answer = read_packet(client)
    if len(answer) < HEAD + REQUEST:
        return server
    answer = flagged(answer)
    server.sendall(numbered(REQUEST.to_bytes(3, "little") + b"\0" + answer[HEAD:][:REQUEST], 1))
    made = context.wrap_socket(server)
    made.sendall(numbered(answer, 2))
    pass_on(client, made)
    return made


def pass_on(client: socket.socket, server: socket.socket) -> None:
    """What both say until the log-in ends, each with the numbers that the other one expects."""
    while said := read_packet(server):
        client.sendall(numbered(said, said[3] - 1))
        if said[HEAD] in (OK, ERROR):
            return
        if reply := read_packet(client):
            server.sendall(numbered(reply, reply[3] + 1))


def offers_tls(greeting: bytes) -> bool:
    """An error in the place of a greeting is passed on."""
    if greeting[HEAD] == ERROR:
        return True
    at = greeting.index(b"\0", HEAD + 1) + 1 + THREAD_AND_SALT
    return bool(int.from_bytes(greeting[at : at + 2], "little") & WANTS_TLS)


def flagged(answer: bytes) -> bytes:
    capabilities = int.from_bytes(answer[HEAD : HEAD + 2], "little") | WANTS_TLS
    return answer[:HEAD] + capabilities.to_bytes(2, "little") + answer[HEAD + 2 :]
