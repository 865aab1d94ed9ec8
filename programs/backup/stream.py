# SPDX-License-Identifier: GPL-2.0-only
"""A backup as a tar archive, for pipes. docs/format/backup.md has its members and their order.

The archive of mariabackup comes in members of a few megabytes, because tar wants the size before
the bytes. The manifest comes last: a stream without one ended too early.
"""

import hashlib
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from programs.backup import manifest
from programs.backup.errors import BackupError, Damaged, naming
from programs.backup.manifest import Manifest, Object
from programs.backup.objects import CHUNK, chunks
from programs.backup.repository import MOST_MANIFEST, Repository

HEAD, LAST = "basalt-backup.stream", "manifest"
HEAD_TEXT = b"basalt-backup stream 1\n"
ARCHIVE, STORE = "archive/", "store/"
PART = 4 << 20


class StreamSink:
    """Where a backup goes to when that is a pipe. BackupError when it breaks."""

    def __init__(self, output: BinaryIO):
        self.output = output
        self.member(HEAD, HEAD_TEXT)

    def member(self, name: str, data: bytes) -> None:
        self.write(header(name, len(data)))
        self.write(data)
        self.write(padding(len(data)))

    def write(self, data: bytes) -> None:
        with naming("standard output"):
            self.output.write(data)

    def add_archive(self, data: Iterable[bytes]) -> Object:
        digest, size = hashlib.sha256(), 0
        for number, part in enumerate(parts(data)):
            digest.update(part)
            size += len(part)
            self.member(f"{ARCHIVE}{number:08}", part)
        return Object(digest.hexdigest(), size)

    def add_file(self, name: str, path: Path) -> Object:
        """Files of a checkpoint do not change."""
        with naming(path):
            size = path.stat().st_size
        self.write(header(STORE + name, size))
        digest = hashlib.sha256()
        for piece in chunks(path):
            digest.update(piece)
            self.write(piece)
        self.write(padding(size))
        return Object(digest.hexdigest(), size)

    def finish(self, made: Manifest) -> None:
        self.member(LAST, manifest.encode(made))
        self.write(bytes(2 * tarfile.BLOCKSIZE))
        with naming("standard output"):
            self.output.flush()


def header(name: str, size: int) -> bytes:
    info = tarfile.TarInfo(name)
    info.size = size
    return info.tobuf(tarfile.PAX_FORMAT)


def padding(size: int) -> bytes:
    return bytes(-size % tarfile.BLOCKSIZE)


def parts(data: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in pieces of PART, but for the last."""
    waiting = bytearray()
    for piece in data:
        waiting += piece
        while len(waiting) >= PART:
            yield bytes(waiting[:PART])
            del waiting[:PART]
    if waiting:
        yield bytes(waiting)


class Receiver:
    """Puts a stream into a repository whose lock is held. The backup is committed by the caller,
    once it is verified."""

    def __init__(self, repository: Repository, source: BinaryIO):
        self.repository = repository
        self.received: dict[str, Object] = {}
        try:
            self.tar = tarfile.open(fileobj=source, mode="r|")
            self.waiting = self.tar.next()
        except tarfile.TarError as error:
            raise Damaged(f"the stream is none of basalt-backup: {error}") from error

    def receive(self) -> Manifest:
        try:
            if self.take(HEAD) != HEAD_TEXT:
                raise Damaged("the stream is none of basalt-backup, or of another version")
            return self.receive_parts()
        except (tarfile.TarError, EOFError) as error:
            raise Damaged(f"the stream is cut off or damaged: {error}") from error

    def receive_parts(self) -> Manifest:
        self.received["archive"] = self.repository.objects.add(self.archive())
        while self.waiting is not None and self.waiting.name.startswith(STORE):
            name = self.waiting.name.removeprefix(STORE)
            self.received[STORE + name] = self.repository.objects.add(self.contents())
        made = manifest.decode(self.take(LAST))
        self.compare(made)
        return made

    def archive(self) -> Iterator[bytes]:
        number = 0
        while self.waiting is not None and self.waiting.name.startswith(ARCHIVE):
            if self.waiting.name != f"{ARCHIVE}{number:08}":
                raise Damaged(f"the stream lacks its part {ARCHIVE}{number:08}")
            yield from self.contents()
            number += 1

    def contents(self) -> Iterator[bytes]:
        """Of the member at hand; goes on to the next."""
        size = self.waiting.size
        file = self.tar.extractfile(self.waiting)
        while file is not None and (data := file.read(CHUNK)):
            size -= len(data)
            yield data
        if size:
            raise Damaged(f"the stream is cut off in {self.waiting.name}")
        self.waiting = self.tar.next()

    def take(self, name: str) -> bytes:
        if self.waiting is None:
            raise Damaged(f"the stream is cut off: it ends before its '{name}'")
        if self.waiting.name != name or self.waiting.size > MOST_MANIFEST:
            raise Damaged(f"the stream has '{self.waiting.name}' where '{name}' must be")
        return b"".join(self.contents())

    def compare(self, made: Manifest) -> None:
        wanted = {"archive": made.archive, **{STORE + f.name: f for f in made.store}}
        for name, got in self.received.items():
            expected = wanted.get(name)
            if expected is None or (got.sha256, got.size) != (expected.sha256, expected.size):
                raise Damaged(f"the stream's {name} is not what its manifest says")
        if made.base and made.base not in self.repository.known().backups:
            text = f"it is an increment to backup {made.base}, which {self.repository.folder} lacks"
            raise BackupError(text)
