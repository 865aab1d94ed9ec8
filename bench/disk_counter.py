# SPDX-License-Identifier: GPL-2.0-only
"""What a disk was asked for since the machine started, by whomever, from /sys/dev/block (kernel,
Documentation/block/stat.rst). Differences of two readings count. (psutil counts by the names of
disks; what a folder tells is the number of its device.)

What /proc/PID/io calls written is no measure of that where the page cache has large folios: a
commit of 300 bytes that makes a folio of 256 KiB dirty counts as 256 KiB, and one block is written.
"""

from dataclasses import dataclass
from pathlib import Path

from bench.block_device import sysfs

SECTOR_BYTES = 512


@dataclass(frozen=True)
class DiskCount:
    """`operations`: reads and writes that have ended, after the kernel has merged neighbours."""

    operations: int
    written_bytes: int


def count(folder: Path) -> DiskCount | None:
    """Of the disk below a folder; None where no single disk is below it (tmpfs, overlayfs)."""
    counters = sysfs(folder.stat().st_dev) / "stat"
    return from_stat(counters.read_text()) if counters.is_file() else None


def from_stat(text: str) -> DiskCount:
    reads, _, _, _, writes, _, written_sectors, *_ = map(int, text.split())
    return DiskCount(reads + writes, written_sectors * SECTOR_BYTES)
