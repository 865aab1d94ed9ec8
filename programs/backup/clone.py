# SPDX-License-Identifier: GPL-2.0-only
"""A new replica by one command: a backup of a running server goes into a folder inside of the new
data directory, is restored from there, and the new server is told where to go on.

As long as the folder WORK is there, everything in the data directory is ours; it goes last. So what
was interrupted is begun again by the same command, and a server never finds half a copy as a whole.
"""

import contextlib
import fcntl
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pymysql

from programs.backup import checker, gtid, mariabackup, verify
from programs.backup.errors import BackupError, Damaged, naming
from programs.backup.manifest import Manifest, StoreFile
from programs.backup.new_server import NewServer
from programs.backup.objects import sync_folder
from programs.backup.primary import Primary
from programs.backup.progress import Progress
from programs.backup.repository import Repository
from programs.backup.restore import FILE_MODE, FOLDER_MODE, STORE, WORK, Restore
from programs.backup.server import text_of
from programs.backup.stream import Receiver

# puts one backup into the repository
Source = Callable[[Repository], Manifest]
END_SECONDS = 60.0  # for programs of a run that was killed
# what the primary runs would else run twice; the server's own word for events of a replica
EVENTS_OFF = "UPDATE mysql.event SET status='SLAVESIDE_DISABLED' WHERE status='ENABLED'"


class Clone:
    """`datadir` is missing, empty, or what a run of this command has left when it was killed."""

    def __init__(self, datadir: Path, server: NewServer, primary: Primary, progress: Progress):
        self.datadir = datadir.absolute()
        self.server, self.primary, self.progress = server, primary, progress
        self.work = self.datadir / WORK

    def run(self, source: Source) -> Manifest:
        """Its server begins to replicate with its next start, when this returns."""
        checker.find()
        mariabackup.program("mariabackup")
        with self.locked():
            self.check_empty()
            self.primary.check(self.server.server_id(), self.server.version())
            self.begin()
            repository = Repository.open_or_make(self.work / "repository")
            with repository.locked():
                made = source(repository)
            position = position_of(made)
            Restored(repository, made.id, self.datadir, self.progress).run_with(
                lambda: self.follow(position, bool(made.store))
            )
        return made

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

    def there(self) -> list[Path]:
        """The folder that says whose all this is comes last."""
        with naming(self.datadir):
            found = [path for path in self.datadir.iterdir() if path.name != "lost+found"]
        return sorted(found, key=lambda path: path == self.work)

    def check_empty(self) -> None:
        if self.there() and not self.work.is_dir():
            raise BackupError(f"{self.datadir} is not empty: clone into an empty directory")

    def begin(self) -> None:
        """What a killed run has left goes."""
        wait_for_the_killed(self.work)
        with naming(self.datadir):
            for path in self.there():
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
            self.work.mkdir(mode=FOLDER_MODE)
        sync_folder(self.datadir)

    def follow(self, position: str, rocksdb: bool) -> None:
        """The position is in a table of the copy, the primary in the server's own file."""
        self.progress.begin("telling the new server its primary and its position")
        statements = [("SET GLOBAL gtid_slave_pos=%s", [position])]
        statements += [self.primary.statement(), (EVENTS_OFF, [])]
        with self.server.started(self.datadir, self.work, rocksdb) as link:
            for statement, values in statements:
                run(link, statement, values)


class Restored(Restore):
    """From a repository in its own folder, so that files of ROCKSDB only need new names."""

    def run_with(self, last_step: Callable[[], None]) -> None:
        self.build()
        last_step()
        self.end()

    def copy_store(self, files: tuple[StoreFile, ...]) -> None:
        """They were compared with their checksums a moment ago, when they came."""
        placed: dict[str, Path] = {}
        with naming(self.datadir):
            if files:
                (self.datadir / STORE).mkdir(mode=FOLDER_MODE)
            for file in files:
                target = self.datadir / STORE / file.name
                if file.sha256 in placed:
                    shutil.copyfile(placed[file.sha256], target)
                else:
                    os.rename(self.repository.objects.path(file.sha256), target)
                    placed[file.sha256] = target
                target.chmod(FILE_MODE)


def position_of(made: Manifest) -> str:
    """Where the copy ends in the history of the server: what it wrote, and what it replicated."""
    if not made.position.file and not made.position.replicated:
        raise BackupError("the server that was copied writes no binary log, so nobody knows where")
    written, replicated = gtid.parse(made.position.gtid), gtid.parse(made.position.replicated)
    return gtid.text_of(gtid.later(written, replicated))


def receive(command: str, target: Repository, progress: Progress) -> Manifest:
    """A backup from what a command writes: 'basalt-backup stream', most often over ssh."""
    progress.begin(f"receiving from: {command}")
    process = subprocess.Popen(
        command, shell=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
    )
    try:
        receiver = Receiver(target, process.stdout)
        made = receiver.receive()
    except Damaged as error:
        process.stdout.close()
        raise Damaged(f"{error}; the command ended with {process.wait()}: {command}") from error
    finally:
        process.stdout.close()
        process.wait()
    verify.objects(target, made, made.objects(), progress)
    target.commit(made)
    return made


def lock(folder: int, name: Path) -> None:
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise BackupError(f"another clone is at work in {name}") from None


def run(link: pymysql.Connection, statement: str, values: list) -> None:
    try:
        with link.cursor() as cursor:
            cursor.execute(statement, values)
    except pymysql.Error as error:
        words = " ".join(statement.split()[:2])
        raise BackupError(f"the new server refuses {words}: {text_of(error)}") from error


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
