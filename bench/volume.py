# SPDX-License-Identifier: GPL-2.0-only
"""A disk for the servers of a benchmark that limits operations: a file as a loop device, with ext4
as mkfs makes it. So figures do not depend on the file system that a machine happens to have. One
without a journal, for example, asks for an operation more at each sync.

It behaves as volumes of clouds do. What it has acknowledged is durable (its write cache is 'write
through'), so the kernel sends it no flushes, which such volumes do not count either. It reads and
writes its file past the page cache: what that held would count as memory of the server (man 8
losetup, kernel Documentation/block/writeback_cache_control.rst).
"""

import os
import shutil
import subprocess
from pathlib import Path

from bench.block_device import sysfs
from tools.errors import DevError

SMALLEST = 2**30
# few inodes, and nothing left to be written in the background of what is measured
MAKE_FILE_SYSTEM = ("mkfs.ext4", "-q", "-T", "largefile", "-E", "lazy_itable_init=0")


class Volume:
    """Use as a context: `folder` is where it is mounted, and an empty folder afterwards. Its file
    stands beside it, is as large as what is free there, and takes the space that is used."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.file = folder.with_name(f"{folder.name}.volume")

    def __enter__(self) -> "Volume":
        """DevError where it cannot be had."""
        self.folder.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(self.folder).free
        if free < SMALLEST:
            raise DevError(f"{self.folder}: {free >> 20:,} MB free are too few for a volume")
        try:
            with self.file.open("wb") as file:
                file.truncate(free // SMALLEST * SMALLEST)
            self._mount()
        except BaseException:
            self.file.unlink(missing_ok=True)
            raise
        return self

    def _mount(self) -> None:
        device = run("losetup", "--find", "--show", "--direct-io=on", str(self.file))
        try:
            write_through(device)
            run(*MAKE_FILE_SYSTEM, device)
            run("mount", device, str(self.folder))
        finally:
            run("losetup", "--detach", device)  # with the last one that uses it

    def __exit__(self, *_) -> None:
        run("umount", str(self.folder))
        self.file.unlink()


def write_through(device: str) -> None:
    setting = sysfs(os.stat(device).st_rdev) / "queue/write_cache"
    try:
        setting.write_text("write through")
    except OSError as error:
        raise refused(f"{setting}: {error.strerror}") from error


def run(*command: str) -> str:
    """What it prints. DevError when it is not there or fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError:
        raise refused(f"{command[0]} is not installed") from None
    if done.returncode != 0:
        raise refused(done.stderr.strip() or f"{command[0]} ended with {done.returncode}")
    return done.stdout.strip()


def refused(why: str) -> DevError:
    return DevError(
        f"no volume for --iops: {why}; it needs root and loop devices, and --on-folder limits "
        "the disk below the folder instead"
    )
