# SPDX-License-Identifier: GPL-2.0-only
"""Files named by the checksum of their bytes. One that is there was written whole and synced."""

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from programs.backup.errors import Damaged, naming
from programs.backup.manifest import Object

CHUNK = 1 << 20
Progress = Callable[[int], None]


def chunks(path: Path, fresh: bool = False) -> Iterable[bytes]:
    """The bytes of a file. `fresh`: asks the disk for them and not the cache, where it can."""
    with naming(path), open(path, "rb") as file:
        if fresh:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        while data := file.read(CHUNK):
            yield data


def sync_folder(folder: Path) -> None:
    with naming(folder):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


class Objects:
    """`folder` holds them; `incoming`, on the same file system, what is being written."""

    def __init__(self, folder: Path, incoming: Path):
        self.folder, self.incoming = folder, incoming

    def path(self, sha256: str) -> Path:
        return self.folder / sha256[:2] / sha256

    def add(self, data: Iterable[bytes], progress: Progress = lambda size: None) -> Object:
        """Writes an object and names it by what was written. BackupError on a full disk."""
        with naming(self.incoming):
            handle, name = tempfile.mkstemp(dir=self.incoming)
        try:
            return self.keep(Path(name), self.write(handle, name, data, progress))
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise

    def write(self, handle: int, name: str, data: Iterable[bytes], progress: Progress) -> Object:
        digest, size = hashlib.sha256(), 0
        with os.fdopen(handle, "wb", buffering=0) as file:
            for piece in data:
                with naming(name):
                    write_all(file.fileno(), piece)
                digest.update(piece)
                size += len(piece)
                progress(len(piece))
            with naming(name):
                os.fsync(file.fileno())
        return Object(digest.hexdigest(), size)

    def keep(self, written: Path, made: Object) -> Object:
        path = self.path(made.sha256)
        with naming(path):
            path.parent.mkdir(exist_ok=True)
            os.replace(written, path)
        sync_folder(path.parent)
        sync_folder(self.folder)
        return made

    def holds(self, wanted: Object) -> bool:
        """By name and size only; check() reads it."""
        try:
            return self.path(wanted.sha256).stat().st_size == wanted.size
        except OSError:
            return False

    def sizes(self) -> dict[str, int]:
        """Of all objects, by their names."""
        with naming(self.folder):
            files = [file for part in os.scandir(self.folder) for file in os.scandir(part.path)]
            return {file.name: file.stat().st_size for file in files}

    def read(self, wanted: Object, fresh: bool = False) -> Iterable[bytes]:
        """Its bytes; raises Damaged, at the latest at their end, when they are not those."""
        path = self.path(wanted.sha256)
        if not path.is_file():
            raise Damaged(f"{path} is missing")
        digest, size = hashlib.sha256(), 0
        for piece in chunks(path, fresh):
            digest.update(piece)
            size += len(piece)
            yield piece
        if size != wanted.size:
            raise Damaged(f"{path} has {size} bytes instead of {wanted.size}")
        if digest.hexdigest() != wanted.sha256:
            raise Damaged(f"{path} is damaged: its bytes are not those its name is made of")

    def check(self, wanted: Object, progress: Progress = lambda size: None) -> None:
        """Reads it from the disk. Damaged when it is missing or not what was written."""
        for piece in self.read(wanted, fresh=True):
            progress(len(piece))


def write_all(file: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]
