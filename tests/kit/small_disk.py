# SPDX-License-Identifier: GPL-2.0-only
"""A small file system, and a way to fill it to the last byte while others write to it."""

import errno
import os
import subprocess
import tempfile
import threading
from pathlib import Path

from tools.errors import DevError

CHUNK = 1 << 20


def mount(path: Path, megabytes: int) -> subprocess.CompletedProcess:
    command = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(path)]
    return subprocess.run(command, capture_output=True, text=True)


def unmount(path: Path) -> None:
    subprocess.run(["umount", "-l", str(path)], check=False)


class SmallDisk:
    """A tmpfs, mounted while the object is used as a context manager. Needs root; see why_not()."""

    def __init__(self, path: Path, megabytes: int):
        self.path = path
        self.megabytes = megabytes
        self._full = threading.Event()  # set while the thread has to keep the disk full
        self._filled = threading.Event()
        self._end = threading.Event()
        self._leave = 0
        self._thread = threading.Thread(target=self._keep_full, daemon=True)

    @staticmethod
    def why_not() -> str:
        """'' when small disks can be mounted here, else the reason."""
        if os.geteuid() != 0:
            return "mounting a small file system needs root"
        # in many containers root may not mount either
        with tempfile.TemporaryDirectory() as folder:
            done = mount(Path(folder), 1)
            if done.returncode != 0:
                return f"a small file system cannot be mounted: {done.stderr.strip()}"
            unmount(Path(folder))
        return ""

    def __enter__(self) -> "SmallDisk":
        self.path.mkdir(parents=True, exist_ok=True)
        done = mount(self.path, self.megabytes)
        if done.returncode != 0:
            raise DevError(f"cannot mount a small file system: {done.stderr.strip()}")
        self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._end.set()
        self._full.set()
        self._thread.join()
        unmount(self.path)

    def fill(self, leave_kilobytes: int = 0) -> None:
        """Returns when the disk is full but for so many kilobytes. It stays as full, whatever is
        freed by others, until free()."""
        self._leave = leave_kilobytes << 10
        self._filled.clear()
        self._full.set()
        self._filled.wait()

    def hold(self) -> None:
        """What is taken stays so, but what others free from now on is theirs."""
        self._full.clear()
        self._filled.wait()

    def free(self) -> None:
        self.hold()
        self._filler().unlink(missing_ok=True)

    def _filler(self) -> Path:
        return self.path / "filler"

    def _keep_full(self) -> None:
        while not self._end.is_set():
            self._full.wait()
            while self._full.is_set() and not self._end.is_set():
                self._filled.clear()
                self._take_all()
                self._filled.set()
                self._end.wait(0.01)

    def _take_all(self) -> None:
        with open(self._filler(), "ab") as file:
            for size in (CHUNK, 4096):
                while self._free_bytes() >= self._leave + size and append(file.fileno(), size):
                    pass

    def _free_bytes(self) -> int:
        space = os.statvfs(self.path)
        return space.f_bavail * space.f_frsize


def append(file: int, size: int) -> bool:
    try:
        os.posix_fallocate(file, os.fstat(file).st_size, size)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        return False
    return True
