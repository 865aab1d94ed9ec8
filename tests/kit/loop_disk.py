# SPDX-License-Identifier: GPL-2.0-only
"""An ext4 file system in a file, whose power can be cut: it goes on from what was on its disk."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from tests.kit.small_disk import unmount
from tools.errors import DevError
from tools.server import PrivateServer

# Only what is synced goes to the disk at once: the journal is not committed by the clock. (Pages
# of files are left alone for 30 seconds: vm.dirty_expire_centisecs.)
OPTIONS = "loop,commit=3600"


def call(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise DevError(f"{' '.join(command[:2])}: {done.stderr.strip()}")


class LoopDisk:
    """Mounted on `path` while the object is used as a context manager. The image is in `folder`, or
    beside `path`. Needs root and loop devices; see why_not()."""

    def __init__(self, path: Path, megabytes: int, folder: Path | None = None):
        self.path = path
        self.image = (folder or path.parent) / (path.name + ".img")
        self.megabytes = megabytes

    @staticmethod
    def why_not() -> str:
        """'' when such disks can be mounted here, else the reason."""
        if os.geteuid() != 0:
            return "mounting a file system needs root"
        if shutil.which("mkfs.ext4") is None:
            return "there is no mkfs.ext4"
        with tempfile.TemporaryDirectory() as folder:
            try:
                with LoopDisk(Path(folder) / "disk", 8):
                    return ""
            except DevError as error:
                return f"an image of a file system cannot be mounted: {error}"

    def __enter__(self) -> "LoopDisk":
        self.path.mkdir(parents=True, exist_ok=True)
        with open(self.image, "wb") as file:
            file.truncate(self.megabytes << 20)
        call("mkfs.ext4", "-q", "-F", str(self.image))
        self._mount()
        return self

    def __exit__(self, *_) -> None:
        unmount(self.path)

    def _mount(self) -> None:
        call("mount", "-o", OPTIONS, str(self.image), str(self.path))

    def repair(self) -> None:
        """What an administrator does after I/O errors: the file system is checked, and mounted
        again for writing. Nothing may use the disk."""
        call("umount", str(self.path))
        done = subprocess.run(["e2fsck", "-f", "-y", str(self.image)], capture_output=True)
        if done.returncode > 1:  # e2fsck(8): 1 is "errors corrected"
            raise DevError(f"e2fsck: {done.stdout.decode(errors='replace')}")
        self._mount()

    def sync(self) -> None:
        """All that was written until now is on the disk."""
        call("sync", "-f", str(self.path))

    def cut_power(self, server: PrivateServer) -> None:
        """Ends the server, the only one that uses the disk, unless it has died; takes away what it
        had written but not synced. The disk is mounted again then, from its journal on."""
        if (pid := server.pid) is not None:
            os.kill(pid, signal.SIGSTOP)
            wait_until_stopped(pid)
        left = self.image.with_suffix(".left")
        call("cp", "--sparse=always", str(self.image), str(left))
        server.kill()
        call("umount", str(self.path))
        left.replace(self.image)
        self._mount()


def wait_until_stopped(pid: int) -> None:
    """Each thread: one that is in a system call stops when it comes back from it."""
    tasks = Path(f"/proc/{pid}/task")
    while any(state(task) not in "TZ" for task in tasks.iterdir()):
        time.sleep(0.001)


def state(task: Path) -> str:
    """As in /proc/PID/stat (proc(5)): T for stopped, Z for ended; Z too when it is not there.
    psutil tells it of processes, not of threads."""
    try:
        return (task / "stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"
