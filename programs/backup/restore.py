# SPDX-License-Identifier: GPL-2.0-only
"""A data directory from a backup: unpacked, prepared and put in place by one command."""

import json
import os
import shutil
import tempfile
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from programs.backup import left_out, mariabackup
from programs.backup.child import find
from programs.backup.errors import Damaged, naming
from programs.backup.manifest import Manifest, StoreFile
from programs.backup.new_server import NewServer
from programs.backup.objects import Objects, write_all
from programs.backup.progress import Progress
from programs.backup.repository import Repository
from programs.backup.target import FILE_MODE, FOLDER_MODE, Target

RESTORED = "basalt-backup.restored"
STORE = "#rocksdb"
SERVER = ("mariadbd", "mariadb-server")
# mariabackup's note of what InnoDB's files ask of a server
INNODB_OPTIONS = "backup-my.cnf"


class Restore:
    def __init__(
        self,
        repository: Repository,
        wanted: str,
        datadir: Path,
        progress: Progress,
        options: Iterable[str] = (),
    ):
        """Damaged or BackupError when the backup is not there whole; nothing is written then.
        `options` are for the server that a backup of some databases is put in order by."""
        self.repository, self.progress, self.options = repository, progress, list(options)
        self.chain = repository.chain(wanted)
        repository.check_whole(self.chain)
        if self.chain[-1].databases:
            find(*SERVER)
        self.target = Target(datadir)
        self.datadir, self.work = self.target.datadir, self.target.work
        self.full = self.work / "full"

    def run(self) -> Manifest:
        """The data directory is ready for a server when this returns, and not before."""
        with self.target.locked():
            self.target.check_empty()
            self.target.begin()
            self.build()
            self.target.end()
        return self.chain[-1]

    def build(self) -> None:
        """All files are in their places, and belong to their owner, when this returns."""
        last = self.chain[-1]
        # elsewhere, so that a full disk does not keep the programs from saying so
        with tempfile.TemporaryDirectory(prefix="basalt-") as logs:
            for number, backup in enumerate(self.chain):
                self.apply(backup, number, Path(logs))
            self.progress.begin("copying the files of ROCKSDB")
            self.copy_store(last.store)
            self.progress.begin("moving the files to their places")
            with naming(self.work):
                shutil.copyfile(self.full / INNODB_OPTIONS, self.work / INNODB_OPTIONS)
            mariabackup.move_back(self.full, self.datadir, Path(logs) / "move-back")
        self.note(last)
        self.give_away()
        if last.databases:
            self.progress.begin("removing what is left of other databases")
            server = NewServer(self.work / INNODB_OPTIONS, self.options)
            left_out.remove(server, self.datadir, self.work, last.databases)

    def apply(self, backup: Manifest, number: int, logs: Path) -> None:
        """The first is the full one."""
        self.progress.begin(f"unpacking and preparing {backup.id}")
        folder = self.full if number == 0 else self.work / f"increment-{number}"
        compressed = backup.archive.compression == "zstd"
        data = self.repository.objects.read(backup.archive)
        mariabackup.unpack(data, compressed, folder, logs / f"unpack-{number}")
        increment = folder if number else None
        mariabackup.prepare(self.full, increment, logs / f"prepare-{number}")
        if number:
            with naming(folder):
                shutil.rmtree(folder)

    def copy_store(self, files: Iterable[StoreFile]) -> None:
        """Each file is compared with its checksum while it is copied."""
        for number, file in enumerate(files):
            if number == 0:
                with naming(self.datadir):
                    (self.datadir / STORE).mkdir(mode=FOLDER_MODE)
            copy(self.repository.objects, file, self.datadir / STORE / file.name, self.progress)

    def note(self, backup: Manifest) -> None:
        """Which backup this is, and its position: for a replica, and for the binary log."""
        found = {"backup": backup.id, "position": asdict(backup.position)}
        found |= {"databases": backup.databases} if backup.databases else {}
        text = json.dumps(found, indent=2)
        with naming(self.datadir / RESTORED):
            (self.datadir / RESTORED).write_text(text + "\n")

    def give_away(self) -> None:
        """By root: to whom the data directory belongs."""
        if os.geteuid() != 0:
            return
        owner = self.datadir.stat()
        with naming(self.datadir):
            for folder, folders, files in os.walk(self.datadir):
                for name in [*folders, *files]:
                    os.lchown(Path(folder) / name, owner.st_uid, owner.st_gid)


def copy(objects: Objects, file: StoreFile, target: Path, progress: Progress) -> None:
    try:
        with naming(target), open(target, "xb", buffering=0, opener=private) as output:
            for piece in objects.read(file):
                write_all(output.fileno(), piece)
                progress.advance(len(piece))
    except Damaged as error:
        raise Damaged(f"{file.name}: {error}") from error


def private(path: str, flags: int) -> int:
    return os.open(path, flags, FILE_MODE)
