# SPDX-License-Identifier: GPL-2.0-only
"""How many bytes a disk was asked to write since the machine started, from /sys/dev/block (kernel,
Documentation/block/stat.rst). Differences of two readings count. (psutil counts by the names of
disks; what a folder tells is the number of its device.)

What /proc/PID/io calls written is no measure of that where the page cache has large folios: a
commit of 300 bytes that makes a folio of 256 KiB dirty counts as 256 KiB, and one block is written.
"""

import os
from pathlib import Path

SECTOR_BYTES = 512
WRITTEN_SECTORS = 6  # the field's number, from 0


def written_bytes(folder: Path) -> int | None:
    """Of the disk below a folder, by everybody; None where no single disk is below it (tmpfs,
    overlayfs)."""
    device = folder.stat().st_dev
    counters = Path(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}/stat")
    return written_from_stat(counters.read_text()) if counters.is_file() else None


def written_from_stat(text: str) -> int:
    return int(text.split()[WRITTEN_SECTORS]) * SECTOR_BYTES
