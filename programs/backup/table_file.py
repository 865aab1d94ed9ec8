# SPDX-License-Identifier: GPL-2.0-only
"""Which table file a file is, without reading more of it than its end.

RocksDB writes three properties into each table file: the id of the database, that of the process
that had it open, and the file's number in it. Together they are its unique id: the same in a
checkpoint, never the same for other contents. Format of the table: RocksDB's documentation, block
based table, footers of versions 1 to 5, which are what ROCKSDB and MyRocks write.
"""

import os
import struct
from pathlib import Path

FOOTER = 53
MAGIC = 0x88E241B785F4CFF7
VERSIONS = range(1, 6)
MOST_BYTES = 64 << 20  # of one block; more than any that RocksDB writes here
PROPERTIES = "rocksdb.properties"
PARTS = (
    "rocksdb.creating.db.identity",
    "rocksdb.creating.session.identity",
    "rocksdb.original.file.number",
)


class NoIdentity(Exception):
    """The file says none, or is no table file that this module can read."""


def identity(path: Path) -> str:
    """'' when it has none; such a file is told by its contents. OSError when unreadable."""
    with open(path, "rb") as file:
        try:
            return read_identity(file.fileno(), os.fstat(file.fileno()).st_size)
        except (NoIdentity, IndexError, struct.error, UnicodeDecodeError):
            return ""


def read_identity(file: int, size: int) -> str:
    footer = os.pread(file, FOOTER, max(0, size - FOOTER))
    version, magic = struct.unpack("<IQ", footer[-12:])
    if len(footer) != FOOTER or magic != MAGIC or version not in VERSIONS:
        raise NoIdentity
    metaindex = dict(entries(block(file, footer, 1)))
    if PROPERTIES not in metaindex:
        raise NoIdentity
    properties = dict(entries(block(file, metaindex[PROPERTIES], 0)))
    database, session, number = (properties.get(part, b"") for part in PARTS)
    if not (database and session and number):
        raise NoIdentity
    return f"{database.decode()}/{session.decode()}/{varint(number, 0)[0]}/{size}"


def block(file: int, data: bytes, at: int) -> bytes:
    """The block that the handle at `at` is about; its trailer says that it is not compressed."""
    offset, at = varint(data, at)
    size, at = varint(data, at)
    if size > MOST_BYTES or offset >= 1 << 62:
        raise NoIdentity
    found = os.pread(file, size + 1, offset)
    if len(found) != size + 1 or found[-1] != 0:
        raise NoIdentity
    return found[:-1]


def varint(data: bytes, at: int) -> tuple[int, int]:
    """The number, and where the next thing begins."""
    value = shift = 0
    while shift < 64:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    raise NoIdentity


def entries(data: bytes) -> list[tuple[str, bytes]]:
    """Names and values of a block in which a name shares its beginning with the one before."""
    (restarts,) = struct.unpack("<I", data[-4:])
    end, at, name, found = len(data) - 4 - 4 * restarts, 0, b"", []
    while at < end:
        shared, at = varint(data, at)
        fresh, at = varint(data, at)
        size, at = varint(data, at)
        name = name[:shared] + data[at : at + fresh]
        found.append((name.decode(errors="replace"), data[at + fresh : at + fresh + size]))
        at += fresh + size
    return found
