# SPDX-License-Identifier: GPL-2.0-only
"""A folder of backups: their manifests, and the objects that they share.

A backup is there when its manifest is; that is written last. One program at a time changes a
repository, any number may read it.
"""

import contextlib
import dataclasses
import fcntl
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from programs.backup import manifest
from programs.backup.errors import BackupError, Damaged, naming
from programs.backup.manifest import Manifest, Object, StoreFile
from programs.backup.objects import Objects, chunks, sync_folder

MARKER = "basalt-backup.repository"
MARKED = b"basalt-backup repository 1\n"
MOST_MANIFEST = 1 << 30
KNOWN_FORMAT = "basalt-backup known 1"


@dataclass
class Known:
    """What a target has already: LSN by id of each backup, object by identity of table file, and
    the databases of backups that have only some."""

    backups: dict[str, int] = field(default_factory=dict)
    files: dict[str, Object] = field(default_factory=dict)
    databases: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def add(self, backup: Manifest) -> None:
        self.backups[backup.id] = backup.archive.to_lsn
        if backup.databases:
            self.databases[backup.id] = backup.databases
        self.files.update(
            (f.identity, Object(f.sha256, f.size)) for f in backup.store if f.identity
        )

    def encode(self) -> str:
        """Backups of some databases stand apart, where a program that knows none does not look: it
        would take an increment of all databases against them."""
        files = {name: [known.sha256, known.size] for name, known in self.files.items()}
        whole = {name: lsn for name, lsn in self.backups.items() if name not in self.databases}
        some = {name: [self.backups[name], list(has)] for name, has in self.databases.items()}
        found = {"format": KNOWN_FORMAT, "backups": whole, "partial": some, "files": files}
        return json.dumps(found)

    @staticmethod
    def decode(text: str) -> "Known":
        try:
            found = json.loads(text)
            if found["format"] != KNOWN_FORMAT:
                raise ValueError("another format")
            files = {name: Object(*known) for name, known in found["files"].items()}
            for known in files.values():
                known.check()
            some = found.get("partial", {})
            backups = found["backups"] | {name: lsn for name, (lsn, _) in some.items()}
            databases = {name: tuple(has) for name, (_, has) in some.items()}
            if not all(manifest.is_count(lsn) for lsn in backups.values()):
                raise ValueError("an LSN is no number")
            return Known(backups, files, databases)
        except (ValueError, TypeError, KeyError, AttributeError, Damaged) as error:
            raise BackupError(f"this is not what 'basalt-backup known' prints: {error}") from error


class Repository:
    def __init__(self, folder: Path):
        self.folder = folder
        self.manifests = folder / "backups"
        self.incoming = folder / "incoming"
        self.objects = Objects(folder / "objects", self.incoming)
        self.heads: dict[str, Manifest] = {}

    @staticmethod
    def open(folder: Path) -> "Repository":
        """BackupError when it is none, or one of another version."""
        marker = folder / MARKER
        if not marker.is_file():
            raise BackupError(f"{folder} is no repository of basalt-backup: it has no {MARKER}")
        with naming(marker):
            found = marker.read_bytes()
        if found != MARKED:
            raise BackupError(f"{marker}: not version 1, which is what this program reads")
        return Repository(folder)

    @staticmethod
    def open_or_make(folder: Path) -> "Repository":
        """Makes it where nothing is yet. A folder with other files in it is refused."""
        with naming(folder):
            folder.mkdir(parents=True, exist_ok=True)
            if (folder / MARKER).exists():
                return Repository.open(folder)
            others = [name for name in os.listdir(folder) if name not in OWN]
            if others:
                raise BackupError(f"{folder} is not empty and no repository of basalt-backup")
            for name in ("backups", "objects", "incoming"):
                (folder / name).mkdir(exist_ok=True)
            write_durably(folder / MARKER, MARKED)
        return Repository(folder)

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """The right to change it; BackupError when another program has it. Removes what a program
        that was killed has left in `incoming`."""
        with naming(self.folder), open(self.folder / "lock", "a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                text = f"another basalt-backup is writing to {self.folder}; wait for its end"
                raise BackupError(text) from None
            for left in self.incoming.iterdir():
                left.unlink()
            yield

    def ids(self) -> list[str]:
        """Of all backups, the oldest first."""
        with naming(self.manifests):
            names = [file.name for file in self.manifests.iterdir()]
        return sorted(name for name in names if manifest.ID.fullmatch(name))

    def load(self, wanted: str) -> Manifest:
        """Damaged, with its path, when it is not what was written."""
        path = self.manifests / wanted
        if not manifest.ID.fullmatch(wanted) or not path.is_file():
            raise BackupError(f"{self.folder} has no backup {wanted}")
        with naming(path):
            if path.stat().st_size > MOST_MANIFEST:
                raise Damaged(f"{path}: too large for a manifest")
        try:
            found = manifest.decode(b"".join(chunks(path)))
        except Damaged as error:
            raise Damaged(f"{path}: {error}") from error
        if found.id != wanted:
            raise Damaged(f"{path}: is the manifest of {found.id}")
        return found

    def chain(self, wanted: str) -> list[Manifest]:
        """The full backup and all increments up to the wanted one, in this order; all but the last
        without their store, of which nothing is needed."""
        found = [self.load(wanted)]
        seen = {wanted}
        while found[-1].base:
            base = self.head(found[-1].base)
            if base.archive.to_lsn < found[-1].archive.from_lsn:
                raise Damaged(f"backup {found[-1].id} begins behind the end of {base.id}")
            if base.databases != found[-1].databases:
                raise Damaged(f"backup {found[-1].id} has other databases than its base {base.id}")
            if base.id in seen:
                raise Damaged(f"backup {base.id} is its own base")
            seen.add(base.id)
            found.append(base)
        return found[::-1]

    def head(self, wanted: str) -> Manifest:
        """Kept, because the chains of many backups begin in the same way."""
        if wanted not in self.heads:
            self.heads[wanted] = dataclasses.replace(self.load(wanted), store=())
        return self.heads[wanted]

    def known(self) -> Known:
        """What lies here whole, by names and sizes. Damaged manifests are passed over: an
        increment against them could not be restored; verify names them."""
        found, waiting = Known(), list(self.whole())
        while waiting:
            later = [backup for backup in waiting if not self.add_known(backup, found)]
            if len(later) == len(waiting):
                break
            waiting = later
        return found

    def whole(self) -> Iterator[Manifest]:
        sizes = self.objects.sizes()
        for name in self.ids():
            with contextlib.suppress(BackupError):
                backup = self.load(name)
                if all(sizes.get(part.sha256) == part.size for part in backup.objects()):
                    yield backup

    @staticmethod
    def add_known(backup: Manifest, found: Known) -> bool:
        """False when its base is not known (yet)."""
        if backup.base and found.backups.get(backup.base, -1) < backup.archive.from_lsn:
            return False
        found.add(backup)
        return True

    def check_whole(self, chain: list[Manifest]) -> None:
        """By sizes: everything that a restore of the last backup of the chain reads. Damaged with
        the first part that is not there whole."""
        for backup in chain[:-1]:
            self.check_part(backup, backup.archive)
        for part in chain[-1].objects():
            self.check_part(chain[-1], part)

    def check_part(self, backup: Manifest, part: Object) -> None:
        if self.objects.holds(part):
            return
        path = self.objects.path(part.sha256)
        name = part.name if isinstance(part, StoreFile) else "the archive"
        state = "is missing" if not path.exists() else f"has not its {part.size} bytes"
        raise Damaged(f"backup {backup.id}: {name}: {path} {state}")

    def commit(self, made: Manifest) -> None:
        """The backup exists from here on. All its objects must be there: Damaged else."""
        self.check_whole([made])
        write_durably(self.incoming / made.id, manifest.encode(made))
        with naming(self.manifests):
            os.replace(self.incoming / made.id, self.manifests / made.id)
        sync_folder(self.manifests)


OWN = {"backups", "objects", "incoming", "lock", "lost+found"}


def write_durably(path: Path, data: bytes) -> None:
    with naming(path), open(path, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    sync_folder(path.parent)
