# SPDX-License-Identifier: GPL-2.0-only
"""An empty data directory that one of our commands fills.

All work is done in a folder inside of it. As long as that folder is there, everything in the data
directory is ours, so that a run that was interrupted is begun again by the same command, and a
server never finds half a copy as a whole. The folder goes last.
"""

import contextlib
import fcntl
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from programs.backup.errors import BackupError, naming
from programs.backup.objects import sync_folder

WORK = "basalt-backup-restoring"
# rows are nobody else's business
FOLDER_MODE, FILE_MODE = 0o750, 0o640
END_SECONDS = 60.0  # for programs of a run that was killed


class Target:
    """`datadir` is missing, empty, or what a run has left when it was killed."""

    def __init__(self, datadir: Path):
        self.datadir = datadir.absolute()
        self.work = self.datadir / WORK

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Of two commands with the same directory the second is refused."""
        with naming(self.datadir):
            self.datadir.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
            handle = os.open(self.datadir, os.O_RDONLY | os.O_DIRECTORY)
        try:
            lock(handle, self.datadir)
            yield
        finally:
            os.close(handle)

    def check_empty(self) -> None:
        if self.there() and not self.work.is_dir():
            raise BackupError(f"{self.datadir} is not empty: name an empty directory")

    def there(self) -> list[Path]:
        """The folder that says whose all this is comes last."""
        with naming(self.datadir):
            found = [path for path in self.datadir.iterdir() if path.name != "lost+found"]
        return sorted(found, key=lambda path: path == self.work)

    def begin(self) -> None:
        """What a killed run has left goes. check_empty() has passed."""
        wait_for_the_killed(self.work)
        with naming(self.datadir):
            for path in self.there():
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
            self.work.mkdir(mode=FOLDER_MODE)
        sync_folder(self.datadir)

    def end(self) -> None:
        """The data directory is no longer ours."""
        with naming(self.work):
            os.sync()
            shutil.rmtree(self.work)
        sync_folder(self.datadir)


def lock(folder: int, name: Path) -> None:
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise BackupError(f"another basalt-backup is at work in {name}") from None


def wait_for_the_killed(work: Path) -> None:
    """A run that was killed may have left a program that still writes into the folder."""
    deadline = time.monotonic() + END_SECONDS
    while found := users(work):
        if time.monotonic() > deadline:
            raise BackupError(f"process {found[0]} still works in {work}; wait for its end")
        time.sleep(0.1)


def users(work: Path) -> list[int]:
    """Processes, other than this one, that were given the folder on their command line."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if os.fsencode(work) in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
    return [pid for pid in found if pid != os.getpid()]
