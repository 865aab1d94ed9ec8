# SPDX-License-Identifier: GPL-2.0-only
"""Makes a dump load into ROCKSDB: engines and what other engines' options become, in CREATE TABLE
only. Rows are passed on as they are, byte for byte.

mariadb-dump, mysqldump and mydumper write CREATE TABLE as SHOW CREATE TABLE does: one column, key
or constraint a line, and the table's options behind the closing bracket. Rows have no line ends of
their own, because those are written as \\n.
"""

import re
from collections.abc import Callable, Iterable
from typing import BinaryIO

ENGINES = ("InnoDB", "TokuDB", "Aria", "MyISAM", "RocksDB")
BEGIN = re.compile(rb"^CREATE TABLE (?:IF NOT EXISTS )?(`(?:[^`]|``)+`(?:\.`(?:[^`]|``)+`)?)")
SEQUENCE = re.compile(rb"^(CREATE SEQUENCE .*\bENGINE=)(\w+)(.*)$", re.S)
OPTIONS = re.compile(rb"^\)(.*?)\bENGINE ?= ?(\w+)", re.M)
# where a table's name and options end and the next statement begins
END = b";\n"
# what ROCKSDB has not, with the sentence about it
REFUSED = (
    (re.compile(rb"^[^']*?`?ENCRYPTED`?='?YES", re.M | re.I), "its pages are to be encrypted"),
)  # fmt: skip
# in the options of tables and partitions: no such thing here, and nothing is lost without
DROPPED = (
    (re.compile(rb" `?ENCRYPTED`?='?NO'?", re.I), ""),
    (re.compile(rb" `?ENCRYPTION_KEY_ID`?=\d+", re.I), ""),
    (re.compile(rb" `?PAGE_COMPRESS(?:ED|ION_LEVEL)`?='?\w+'?", re.I), "page compression"),
    (re.compile(rb" KEY_BLOCK_SIZE=\d+"), "KEY_BLOCK_SIZE"),
    (re.compile(rb" (?:DATA|INDEX) DIRECTORY ?= ?'[^']*'"), "its own directory"),
)
# mariadb-dump has only the rows of today of such a table, and gives no other with --dump-history.
BY_TRANSACTION = re.compile(
    rb"^  `.*` bigint\(\d+\) unsigned GENERATED ALWAYS AS ROW START", re.M | re.I
)
CLUSTERING = re.compile(rb" `?CLUSTERING`?=YES|(?<=\n  )CLUSTERING (?=KEY)", re.I)
TOKUDB = re.compile(rb"(?:ROW_FORMAT=|`?COMPRESSION`?=)'?TOKUDB_(\w+)'?", re.I)
SMALL = (b"SMALL", b"LZMA", b"ZLIB")


class Filter:
    """`say` is told what somebody should know about a table."""

    def __init__(self, engines: Iterable[str], say: Callable[[str], None]):
        self.engines = {engine.lower().encode() for engine in engines}
        self.say = say
        self.stayed = 0

    def run(self, source: BinaryIO, target: BinaryIO) -> int:
        """The number of tables that stay because of what they have."""
        statement: list[bytes] = []
        for line in source:
            if statement or BEGIN.match(line):
                statement.append(line)
                if line.endswith(END):
                    target.write(self.change(b"".join(statement)))
                    statement = []
            else:
                target.write(self.change_sequence(line))
        # a dump that was cut off
        target.write(b"".join(statement))
        target.flush()
        return self.stayed

    def change(self, statement: bytes) -> bytes:
        """A whole CREATE TABLE."""
        found = OPTIONS.search(statement)
        if found is None or found[2].lower() not in self.engines:
            return statement
        name = BEGIN.match(statement)[1].decode(errors="replace").replace("`", "")
        engine = found[2].decode()
        columns, options = statement[: found.start()], statement[found.start() :]
        reasons = [text for pattern, text in REFUSED if pattern.search(statement)]
        if reasons:
            self.stayed += 1
            self.say(f"{name} stays in {engine}: {', '.join(reasons)}")
            return statement
        return self.change_columns(name, columns) + self.change_options(name, options)

    def change_sequence(self, line: bytes) -> bytes:
        """mariadb-dump writes one as a line; other lines are passed on."""
        found = SEQUENCE.match(line) if line.startswith(b"CREATE SEQUENCE ") else None
        if found is None or found[2].lower() not in self.engines:
            return line
        return found[1] + b"ROCKSDB" + found[3]

    def change_columns(self, name: str, columns: bytes) -> bytes:
        if BY_TRANSACTION.search(columns):
            self.say(f"{name}: versions by transaction begin anew, a dump has no history of them")
        changed, count = CLUSTERING.subn(b"", columns)
        if count:
            self.say(f"{name}: {count} clustering indexes become ordinary ones")
        return changed

    def change_options(self, name: str, options: bytes) -> bytes:
        """Comments of the table or of a partition are left alone."""
        parts = re.split(rb"(COMMENT ?= ?'(?:[^'\\]|\\.|'')*')", options)
        parts[::2] = [self.change_words(name, part) for part in parts[::2]]
        return b"".join(parts)

    def change_words(self, name: str, words: bytes) -> bytes:
        words = re.sub(rb"\b(ENGINE ?= ?)\w+", rb"\1ROCKSDB", words)
        for pattern, what in DROPPED:
            words, count = pattern.subn(b"", words)
            if count and what:
                self.say(f"{name}: {what} is left out")
        for word in TOKUDB.findall(words):
            self.say(f"{name}: TOKUDB_{word.decode()} becomes COMPRESSION={compression(word)}")
        return TOKUDB.sub(lambda m: f"COMPRESSION={compression(m[1])}".encode(), words)


def compression(word: bytes) -> str:
    """The word of this engine that comes nearest (docs/compaction.md)."""
    return "small" if word.upper() in SMALL else "default"
