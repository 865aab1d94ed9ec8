# SPDX-License-Identifier: GPL-2.0-only
"""Packets of the client protocol: three bytes of length, one with a number, then so many bytes."""

import socket

OK, ERROR = 0, 0xFF


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


def numbered(packet: bytes, number: int) -> bytes:
    """The same with another number."""
    return packet[:3] + bytes([number % 256]) + packet[4:]
