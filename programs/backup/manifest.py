# SPDX-License-Identifier: GPL-2.0-only
"""What one backup consists of. docs/format/backup.md is the contract of the bytes.

decode() takes nothing for granted: whatever bytes it is given, it returns a manifest whose fields
have the types and ranges they are declared with, or raises Damaged with the reason.
"""

import hashlib
import json
import re
from dataclasses import asdict, dataclass, field

from programs.backup.errors import Damaged

# of a backup of all databases, and of one of some
ALL, SOME = 1, 2
VERSIONS = (ALL, SOME)
FIRST_LINE = re.compile(rb"basalt-backup manifest (\d{1,9})")
ID = re.compile(r"\d{8}T\d{6}Z-[0-9a-f]{8}")
SHA256 = re.compile(r"[0-9a-f]{64}")
# a file of RocksDB's directory: no folder, nothing hidden
STORE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,200}")
COMPRESSIONS = ("none", "zstd")


@dataclass(frozen=True)
class Object:
    """A file of the repository: its bytes as they lie there."""

    sha256: str
    size: int

    def check(self) -> None:
        require(matches(SHA256, self.sha256), "a checksum is not 64 hexadecimal digits")
        require(is_count(self.size), "a size is no number from 0 on")


@dataclass(frozen=True)
class StoreFile(Object):
    """A file of the checkpoint. `identity` names a table file wherever it lies, see
    table_file.py; '' when it has none, as files that are no table files."""

    name: str
    identity: str = ""

    def check(self) -> None:
        super().check()
        require(matches(STORE_NAME, self.name), "a name of the store is no plain file name")
        require(isinstance(self.identity, str), "an identity is no text")


@dataclass(frozen=True)
class Archive(Object):
    """What mariabackup wrote: all tables but those of ROCKSDB, in mbstream's format. LSNs are
    InnoDB's positions; `from_lsn` is 0 in a full backup."""

    compression: str
    from_lsn: int
    to_lsn: int

    def check(self) -> None:
        super().check()
        require(self.compression in COMPRESSIONS, f"compression '{self.compression}' is unknown")
        require(is_count(self.from_lsn) and is_count(self.to_lsn), "an LSN is no number")
        require(self.from_lsn <= self.to_lsn, "the LSNs are in the wrong order")


@dataclass(frozen=True)
class Position:
    """Of the binary log, '' and 0 with the log off; `replicated` is gtid_slave_pos."""

    file: str = ""
    offset: int = 0
    gtid: str = ""
    replicated: str = ""

    def check(self) -> None:
        texts = (self.file, self.gtid, self.replicated)
        require(all(isinstance(text, str) for text in texts), "a position is no text")
        require(is_count(self.offset), "an offset of the binary log is no number")


@dataclass(frozen=True)
class Manifest:
    """`base` is the backup that the archive has the changes against; '' in a full backup.
    `databases` are those that were asked for; () when all are in it."""

    id: str
    base: str
    server: str
    archive: Archive
    position: Position
    store: tuple[StoreFile, ...] = field(default=())
    databases: tuple[str, ...] = field(default=())

    def check(self) -> None:
        require(matches(ID, self.id), "the id has not the form of one")
        require(self.base == "" or matches(ID, self.base), "the base has not the form of an id")
        require(isinstance(self.server, str), "the server's version is no text")
        require((self.base == "") == (self.archive.from_lsn == 0), "base and LSN contradict")
        require(all(is_database(name) for name in self.databases), "a database has no name")
        ordered = tuple(sorted(set(self.databases)))
        require(self.databases == ordered, "the databases are not in order, or one stands twice")
        names = [file.name for file in self.store]
        require(len(names) == len(set(names)), "a name stands twice in the store")
        for part in (self.archive, self.position, *self.store):
            part.check()

    def objects(self) -> list[Object]:
        return [self.archive, *self.store]

    def version(self) -> int:
        return SOME if self.databases else ALL


def is_count(value: object) -> bool:
    return type(value) is int and 0 <= value < 1 << 64


def is_database(value: object) -> bool:
    return isinstance(value, str) and value != "" and value.isprintable()


def matches(pattern: re.Pattern, value: object) -> bool:
    return isinstance(value, str) and pattern.fullmatch(value) is not None


def require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise Damaged(otherwise)


def encode(manifest: Manifest) -> bytes:
    manifest.check()
    fields = asdict(manifest)
    if manifest.version() == ALL:
        del fields["databases"]
    text = json.dumps(fields, sort_keys=True, separators=(",", ":"))
    body = f"basalt-backup manifest {manifest.version()}\n{text}\n".encode()
    return body + f"sha256 {hashlib.sha256(body).hexdigest()}\n".encode()


def decode(data: bytes) -> Manifest:
    first, _, rest = data.partition(b"\n")
    version = FIRST_LINE.fullmatch(first)
    require(version is not None, "it does not begin as a manifest")
    if int(version[1]) not in VERSIONS:
        known = " and ".join(map(str, VERSIONS))
        raise Damaged(f"version {int(version[1])} is not known; this program reads {known}")
    text, _, last = rest.partition(b"\n")
    body = first + b"\n" + text + b"\n"
    expected = f"sha256 {hashlib.sha256(body).hexdigest()}\n".encode()
    require(last == expected, "it is cut off or changed: its checksum is not that of its bytes")
    made = from_json(text)
    require(made.version() == int(version[1]), "its version and its databases contradict")
    return made


def from_json(text: bytes) -> Manifest:
    """The checksum says that the bytes are as written; by whom, it does not say."""
    try:
        fields = json.loads(text)
        fields["archive"] = Archive(**fields["archive"])
        fields["position"] = Position(**fields["position"])
        fields["store"] = tuple(StoreFile(**file) for file in fields["store"])
        if "databases" in fields:
            fields["databases"] = databases_of(fields["databases"])
        manifest = Manifest(**fields)
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise Damaged(f"its fields are not those of a manifest: {error}") from error
    manifest.check()
    return manifest


def databases_of(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not value:
        raise ValueError("'databases' is no list with names")
    return tuple(value)
