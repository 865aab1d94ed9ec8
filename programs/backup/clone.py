# SPDX-License-Identifier: GPL-2.0-only
"""A new replica by one command: a backup of a running server goes into a folder inside of the new
data directory (target.py), is restored from there, and the new server is told where to go on.
"""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pymysql

from programs.backup import checker, gtid, mariabackup, verify
from programs.backup.errors import BackupError, Damaged, naming
from programs.backup.manifest import Manifest, StoreFile
from programs.backup.new_server import NewServer, account
from programs.backup.primary import Primary
from programs.backup.progress import Progress
from programs.backup.repository import Repository
from programs.backup.restore import STORE, Restore
from programs.backup.server import text_of
from programs.backup.stream import Receiver
from programs.backup.target import FILE_MODE, FOLDER_MODE, Target

ALL_DATABASES = (
    "a replica needs all databases: statements for the others would stop it; take the copy without"
    " --databases"
)
# puts one backup into the repository
Source = Callable[[Repository], Manifest]
# what the primary runs would else run twice; the server's own word for events of a replica
EVENTS_OFF = "UPDATE mysql.event SET status='SLAVESIDE_DISABLED' WHERE status='ENABLED'"


class Clone:
    """`datadir` is missing, empty, or what a run of this command has left when it was killed."""

    def __init__(self, datadir: Path, server: NewServer, primary: Primary, progress: Progress):
        self.target = Target(datadir)
        self.datadir, self.work = self.target.datadir, self.target.work
        self.server, self.primary, self.progress = server, primary, progress

    def run(self, source: Source) -> Manifest:
        """Its server begins to replicate with its next start, when this returns."""
        checker.find()
        mariabackup.program("mariabackup")
        with self.target.locked():
            self.target.check_empty()
            self.primary.check(self.server.server_id(), self.server.version())
            self.primary.check_readable(account(self.datadir))
            self.target.begin()
            repository = Repository.open_or_make(self.work / "repository")
            with repository.locked():
                made = source(repository)
                if made.databases:
                    raise BackupError(ALL_DATABASES)
            position = position_of(made)
            Restored(repository, made.id, self.datadir, self.progress).run_with(
                lambda: self.follow(position, bool(made.store))
            )
        return made

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
        self.target.end()

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


def run(link: pymysql.Connection, statement: str, values: list) -> None:
    try:
        with link.cursor() as cursor:
            cursor.execute(statement, values)
    except pymysql.Error as error:
        words = " ".join(statement.split()[:2])
        raise BackupError(f"the new server refuses {words}: {text_of(error)}") from error
