# SPDX-License-Identifier: GPL-2.0-only
"""One backup: from a server into a repository or a stream."""

import secrets
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from programs import connection
from programs.backup import checker, keeper, mariabackup, table_file, verify
from programs.backup.errors import BackupError
from programs.backup.gate import CUT, Gate
from programs.backup.manifest import Archive, Manifest, Object, Position, StoreFile
from programs.backup.objects import chunks
from programs.backup.progress import Progress
from programs.backup.repository import Known, Repository
from programs.backup.server import Server


class Sink(Protocol):
    """Where a backup goes. The archive comes first, then files, then the manifest."""

    def add_archive(self, data: Iterable[bytes]) -> Object: ...
    def add_file(self, name: str, path: Path) -> Object: ...
    def finish(self, made: Manifest) -> None: ...


class RepositorySink:
    """Into a repository whose lock is held. finish() reads all that was written once more."""

    def __init__(self, repository: Repository, progress: Progress):
        self.repository, self.progress = repository, progress
        self.fresh: set[str] = set()

    def add(self, data: Iterable[bytes]) -> Object:
        made = self.repository.objects.add(data, self.progress.advance)
        self.fresh.add(made.sha256)
        return made

    def add_archive(self, data: Iterable[bytes]) -> Object:
        return self.add(data)

    def add_file(self, name: str, path: Path) -> Object:
        return self.add(chunks(path))

    def finish(self, made: Manifest) -> None:
        fresh = [part for part in made.objects() if part.sha256 in self.fresh]
        verify.objects(self.repository, made, fresh, self.progress)
        self.repository.commit(made)


@dataclass
class Wish:
    """What the user wants: `full` even where an increment could be taken; zstd's `level`, 0: none;
    `temporary`: a folder for the gate's socket and for logs, None: the system's. `databases`: no
    others, but for the server's own; (): all."""

    full: bool = False
    level: int = 0
    temporary: Path | None = None
    databases: tuple[str, ...] = ()


class Take:
    """One run. `known` is what the target has already."""

    def __init__(self, server: Server, known: Known, sink: Sink, wish: Wish, progress: Progress):
        self.server, self.sink = server, sink
        # a full backup reads all anew, and so mends what is damaged in the target
        self.known = Known() if wish.full else known
        self.wish, self.progress = wish, progress
        self.position: Position | None = None
        self.folders: tuple[str, ...] = ()  # of the databases; () when all are copied

    def run(self) -> Manifest:
        """The backup is in the sink, finished, when this returns."""
        checker.find()
        self.server.check_layout()
        if self.wish.databases:
            keeper.find()
            self.folders = self.server.folders(self.wish.databases)
            self.server.check_references(self.wish.databases)
        with self.server.locked():
            self.server.flush()  # a privilege that lacks is told before anything is copied
            made = self.manifest(self.base())
            self.sink.finish(made)
        self.server.mark(made.id)
        return made

    def base(self) -> str:
        """The newest backup that the target has and that the data directory knows. It has the same
        databases: an increment has only changed pages of tables that its base has."""
        there = {
            name
            for name in self.known.backups
            if self.known.databases.get(name, ()) == self.wish.databases
        }
        both = [mark for mark in self.server.marks() if mark in there]
        return both[-1] if both else ""

    def manifest(self, base: str) -> Manifest:
        self.progress.begin(f"copying tables, {'the changes since ' + base if base else 'all'}")
        archive = self.archive(self.known.backups.get(base, 0))
        self.progress.begin("copying the files of ROCKSDB")
        store = self.store_files()
        made = new_id()
        version, databases = self.server.version, self.wish.databases
        return Manifest(made, base, version, archive, self.position, store, databases)

    def archive(self, from_lsn: int) -> Archive:
        with tempfile.TemporaryDirectory(prefix="basalt-", dir=self.wish.temporary) as name:
            socket = Path(name) / "socket"
            account = self.server.account
            tls = connection.tls_context(replace(account, host="localhost", socket=str(socket)))
            with Gate(socket, self.server.socket, self.server.flush, self.cut, tls) as gate:
                with mariabackup.Copy(
                    Path(name), socket, account, from_lsn, self.wish.level, self.folders
                ) as copy:
                    made = self.add_archive(copy, gate)
                    lsns = copy.lsns()
        if not gate.passed:
            raise BackupError(f"mariabackup did not lock by '{CUT}': its version is unsupported")
        if lsns[0] != from_lsn:
            raise BackupError(f"mariabackup began at {lsns[0]} instead of {from_lsn}")
        packed = "zstd" if self.wish.level else "none"
        return Archive(made.sha256, made.size, packed, *lsns)

    def add_archive(self, copy: mariabackup.Copy, gate: Gate) -> Object:
        """What has failed at the gate is the reason, not that mariabackup lost its server."""
        try:
            return self.sink.add_archive(copy.stream())
        except BackupError:
            if isinstance(gate.error, BackupError):
                raise gate.error from None
            raise

    def cut(self) -> None:
        """Commits are blocked in all engines."""
        if self.folders:  # DDL may have come since it was looked at first; now it waits
            self.server.check_references(self.wish.databases)
        self.position = self.server.position()
        self.server.make_checkpoint()

    def store_files(self) -> tuple[StoreFile, ...]:
        folder = self.server.checkpoint()
        if folder is not None and self.folders:
            keeper.keep(folder, self.folders)
        paths = sorted(folder.iterdir()) if folder is not None else []
        return tuple(self.store_file(path) for path in paths)

    def store_file(self, path: Path) -> StoreFile:
        """Copied unless the target has it."""
        identity = table_file.identity(path) if path.suffix == ".sst" else ""
        there = self.known.files.get(identity) if identity else None
        found = there or self.sink.add_file(path.name, path)
        return StoreFile(found.sha256, found.size, path.name, identity)


def new_id() -> str:
    return time.strftime("%Y%m%dT%H%M%SZ", time.gmtime()) + "-" + secrets.token_hex(4)
