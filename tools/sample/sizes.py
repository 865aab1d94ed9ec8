# SPDX-License-Identifier: GPL-2.0-only
"""Bytes on disk of the sample data, in ROCKSDB and in InnoDB, each in its most compact form.

ROCKSDB: memtables are flushed and the column family compacted, then the sorted files counted; a
table's share is the engine's own figure (TABLES.DATA_LENGTH + INDEX_LENGTH).
InnoDB: each table is rebuilt (OPTIMIZE), then its .ibd file counted by the blocks it occupies.
"""

import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from tools.sample import loader, schema
from tools.server import PrivateServer

COPY = "debian_innodb"
# where the engine keeps its files below the data directory
ROCKSDB_FOLDERS = ("#rocksdb", ".rocksdb")


@dataclass
class Sizes:
    """Bytes by table; the totals are what the files occupy, so they may differ from the sums."""

    rocksdb: dict[str, int]
    innodb: dict[str, int]
    rocksdb_total: int
    innodb_total: int

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @staticmethod
    def from_json(text: str) -> "Sizes":
        return Sizes(**json.loads(text))


def measure(server: PrivateServer, say: loader.Say) -> Sizes:
    """Compacts, makes the copy in InnoDB, measures both and drops the copy."""
    rocksdb = rocksdb_tables(server)
    total = rocksdb_files(server.datadir)
    loader.copy(server, "InnoDB", COPY, say)
    innodb = {t.name: allocated(server.datadir / COPY / f"{t.name}.ibd") for t in schema.TABLES}
    server.sql(f"DROP DATABASE {COPY}")
    return Sizes(rocksdb, innodb, total, sum(innodb.values()))


def compact(server: PrivateServer) -> None:
    """Flushes the memtables and compacts the default column family; obsolete files go at once."""
    server.sql(
        "SET GLOBAL rocksdb_force_flush_memtable_now = ON; "
        "SET GLOBAL rocksdb_compact_cf = 'default'"
    )


def rocksdb_tables(server: PrivateServer) -> dict[str, int]:
    compact(server)
    time.sleep(0.5)  # the file deletions are a background job
    names = ", ".join(f"{schema.DATABASE}.{t.name}" for t in schema.TABLES)
    server.sql(f"ANALYZE TABLE {names}")
    found = server.query(
        "SELECT table_name, data_length + index_length FROM information_schema.tables "
        f"WHERE table_schema = '{schema.DATABASE}'"
    )
    return {name: int(size or 0) for name, size in found}


def rocksdb_files(datadir: Path) -> int:
    """Bytes of all sorted files of the engine."""
    folders = [datadir / name for name in ROCKSDB_FOLDERS]
    return sum(allocated(f) for folder in folders for f in folder.glob("*.sst"))


def allocated(path: Path) -> int:
    """The bytes a file occupies: st_blocks counts units of 512 bytes (man 2 stat)."""
    return path.stat().st_blocks * 512
