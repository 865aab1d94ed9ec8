# SPDX-License-Identifier: GPL-2.0-only
"""Where the kernel shows a block device."""

import os
from pathlib import Path


def sysfs(number: int, root: Path = Path("/")) -> Path:
    """Of a device by its number (st_dev of a file on it, st_rdev of its own node), named
    MAJOR:MINOR; there is none for tmpfs, overlayfs, btrfs. `root` is another one in tests."""
    return root / "sys/dev/block" / f"{os.major(number)}:{os.minor(number)}"
