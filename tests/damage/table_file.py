# SPDX-License-Identifier: GPL-2.0-only
"""Where the blocks of a RocksDB table file lie (block-based format, footer of versions 2 to 5), so
that tests can damage a certain one."""

import struct

FOOTER = 53  # checksum type, two handles padded to 40 bytes, format version, magic number
MAGIC = 8


def blocks(data: bytes) -> dict[str, tuple[int, int]]:
    """(offset, length) of the blocks beside the data blocks, and of the magic number."""
    footer = len(data) - FOOTER
    offset, size, at = handle(data, footer + 1)
    found = {"metaindex": (offset, size)}
    found["index"] = handle(data, at)[:2]
    found["magic number"] = (len(data) - MAGIC, MAGIC)
    for name, value in entries(data[offset : offset + size]):
        # fullfilter.rocksdb.BuiltinBloomFilter, rocksdb.properties
        short = "filter" if "filter" in name else name.split(".")[1]
        found[short] = handle(value, 0)[:2]
    return found


def handle(data: bytes, at: int) -> tuple[int, int, int]:
    """Offset, length, and where the next thing begins."""
    offset, at = varint(data, at)
    size, at = varint(data, at)
    return offset, size, at


def varint(data: bytes, at: int) -> tuple[int, int]:
    value, shift = 0, 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def entries(block: bytes) -> list[tuple[str, bytes]]:
    """Names and values of an uncompressed block with shared prefixes."""
    restarts = struct.unpack("<I", block[-4:])[0]
    end, at, name, found = len(block) - 4 - 4 * restarts, 0, b"", []
    while at < end:
        shared, at = varint(block, at)
        fresh, at = varint(block, at)
        size, at = varint(block, at)
        name = name[:shared] + block[at : at + fresh]
        at += fresh
        found.append((name.decode(), block[at : at + size]))
        at += size
    return found
