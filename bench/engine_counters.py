# SPDX-License-Identifier: GPL-2.0-only
"""What RocksDB itself counts of its reads and writes, in Basalt and in MyRocks."""

# counter of SHOW GLOBAL STATUS -> what it is called in a report, its unit, what a unit has
SHOWN = {
    "rocksdb_block_cache_data_miss": ("data blocks that the cache had not", "", 1),
    "rocksdb_block_cache_index_miss": ("index blocks that the cache had not", "", 1),
    "rocksdb_block_cache_filter_miss": ("filter blocks that the cache had not", "", 1),
    "rocksdb_compact_read_bytes": ("read by compactions", "KB", 1e3),
    "rocksdb_compact_write_bytes": ("written by compactions", "KB", 1e3),
    "rocksdb_flush_write_bytes": ("written by flushes", "KB", 1e3),
    "rocksdb_wal_bytes": ("written to the log", "KB", 1e3),
    "rocksdb_wal_synced": ("syncs of the log", "", 1),
}


def read(server) -> dict[str, int]:
    """Those that the server has: none where no RocksDB runs."""
    rows = server.query("SHOW GLOBAL STATUS LIKE 'rocksdb%'")
    return {name.lower(): int(value) for name, value in rows if name.lower() in SHOWN}


def grown(before: dict[str, int], after: dict[str, int]) -> dict[str, int]:
    return {name: value - before.get(name, 0) for name, value in after.items()}


def add(report, part: str, sums: dict) -> None:
    """A figure for each counter, a transaction. `sums`: engine -> tpcc.Sum."""
    for counter, (name, unit, scale) in SHOWN.items():
        values = {
            engine: found.per_transaction(found.counters[counter]) / scale
            if counter in found.counters
            else None
            for engine, found in sums.items()
        }
        report.add(f"{name}, a transaction", unit, values, False, part=part)
