# SPDX-License-Identifier: GPL-2.0-only
"""What the dashboard "MySQL MyRocks Details" of PMM reads, and statements that move it.

Every counter of the dashboard is in NAMES. Those in STILL stay at 0, for the reason given; all
others move under the load of the scenario `metrics` (metrics.py) and the statements here.
"""

NAMES = (
    "block_cache_add",
    "block_cache_add_failures",
    "block_cache_bytes_read",
    "block_cache_bytes_write",
    "block_cache_data_bytes_insert",
    "block_cache_filter_add",
    "block_cache_filter_bytes_evict",
    "block_cache_filter_bytes_insert",
    "block_cache_filter_hit",
    "block_cache_filter_miss",
    "block_cache_hit",
    "block_cache_index_add",
    "block_cache_index_bytes_evict",
    "block_cache_index_bytes_insert",
    "block_cache_index_hit",
    "block_cache_index_miss",
    "block_cache_miss",
    "bloom_filter_useful",
    "bytes_read",
    "bytes_written",
    "get_hit_l0",
    "get_hit_l1",
    "iter_bytes_read",
    "memtable_hit",
    "memtable_miss",
    "memtable_total",
    "memtable_unflushed",
    "no_file_closes",
    "no_file_errors",
    "no_file_opens",
    "number_db_next",
    "number_db_next_found",
    "number_db_prev",
    "number_db_prev_found",
    "number_db_seek",
    "number_db_seek_found",
    "number_keys_read",
    "number_keys_updated",
    "number_keys_written",
    "number_reseeks_iteration",
    "rows_deleted",
    "rows_expired",
    "rows_inserted",
    "rows_read",
    "rows_updated",
    "stall_l0_file_count_limit_slowdowns",
    "stall_l0_file_count_limit_stops",
    "stall_locked_l0_file_count_limit_slowdowns",
    "stall_locked_l0_file_count_limit_stops",
    "stall_memtable_limit_slowdowns",
    "stall_memtable_limit_stops",
    "stall_micros",
    "stall_total_slowdowns",
    "stall_total_stops",
    "system_rows_deleted",
    "system_rows_inserted",
    "system_rows_read",
    "system_rows_updated",
    "wal_bytes",
    "wal_synced",
    "write_other",
    "write_self",
    "write_timeout",
    "write_wal",
)
VARIABLE = "block_cache_size"
STILL = {
    "block_cache_add_failures": "the cache has no strict limit: it refuses no block",
    "block_cache_filter_bytes_evict": "RocksDB does not count it any more (docs/status.md)",
    "block_cache_index_bytes_evict": "RocksDB does not count it any more (docs/status.md)",
    "no_file_closes": "RocksDB does not count it any more (docs/status.md)",
    "no_file_errors": "no file is broken here",
    "number_keys_updated": "no entry is changed in place: that would take old versions away",
    "write_timeout": "writes have no time limit (docs/status.md)",
}

# One family whose files stay at level 0, one that has no deeper level than 1, and two whose
# memtables are written out after each row of ROW_BYTES: one with room for few files at level 0, one
# for few memtables.
SMALL = "write_buffer_size=64k;compression=kNoCompression;bottommost_compression=kNoCompression"
FAMILIES = {
    "level_0": "disable_auto_compactions=true",
    "level_1": "num_levels=2",
    "few_files": f"{SMALL};level0_file_num_compaction_trigger=1;level0_slowdown_writes_trigger=1;"
    "level0_stop_writes_trigger=2",
    "few_memtables": f"{SMALL};max_write_buffer_number=4",
}
OPTIONS = (
    # with pinned blocks, which is the default, reads do not ask the cache for index and filters
    "--loose-rocksdb-pin-l0-filter-and-index-blocks-in-cache=OFF",
    "--loose-rocksdb-override-cf-options="
    + ";".join(f"{name}={{{options}}}" for name, options in FAMILIES.items()),
)
TABLES = (
    *(
        f"CREATE TABLE {name} (id INT, t LONGBLOB, PRIMARY KEY (id) COMMENT 'cfname={name}')"
        for name in FAMILIES
    ),
    "CREATE TABLE short_lived (id INT PRIMARY KEY) COMMENT='ttl_duration=1'",
    "CREATE TABLE mysql.dashboard (id INT PRIMARY KEY, n INT) ENGINE=ROCKSDB",
)
ROW_BYTES = 65536
STALL_ROWS = 30
FLUSH = "SET GLOBAL rocksdb_force_flush_memtable_now=1"


def found_at_level(name: str, *moved: str) -> list[str]:
    """Rows with even keys that go to files of one level, look-ups of them and of odd keys."""
    return [
        f"REPLACE INTO {name} SELECT 2 * seq, 'x' FROM seq_1_to_100",
        FLUSH,
        *moved,
        *(f"SELECT LENGTH(t) FROM {name} WHERE id = {number}" for number in range(2, 42)),
        f"DELETE FROM {name} WHERE id < 20",
    ]


def stalls(name: str) -> list[str]:
    """More than flushes and compactions can take; the limit makes them slow on any machine. Each
    memtable spans all keys, so that each compaction writes all of them anew."""
    return [
        "SET GLOBAL rocksdb_rate_limiter_bytes_per_sec=1000000",
        *(
            f"REPLACE INTO {name} VALUES (0, ''), ({n % 9 + 1}, REPEAT('x', {ROW_BYTES})), (10, '')"
            for n in range(STALL_ROWS)
        ),
        "SET GLOBAL rocksdb_rate_limiter_bytes_per_sec=0",
    ]


# for one connection; they can be repeated
STATEMENTS = (
    *found_at_level("level_0"),
    *found_at_level("level_1", "SET GLOBAL rocksdb_compact_cf='level_1'"),
    # back and forth; RocksDB counts the steps of an iterator when it is given up
    "SELECT SUM(id) FROM (SELECT id FROM filler ORDER BY id DESC LIMIT 200) s",
    "SELECT SUM(LENGTH(text)) FROM filler",
    "FLUSH TABLES filler",
    # many versions of one row, which a scan passes by one search
    *("UPDATE filler SET text = MD5(text) WHERE id = 77" for _ in range(30)),
    "SELECT COUNT(text) FROM filler WHERE id BETWEEN 70 AND 90",
    # rows that are too old when they come
    "SET GLOBAL rocksdb_debug_ttl_rec_ts=-3600",
    "REPLACE INTO short_lived SELECT seq FROM seq_1_to_100",
    "SET GLOBAL rocksdb_debug_ttl_rec_ts=0",
    FLUSH,
    "SET GLOBAL rocksdb_compact_cf='default'",
    # the server's own tables
    "INSERT INTO mysql.dashboard VALUES (1, 1), (2, 1)",
    "UPDATE mysql.dashboard SET n = n + 1",
    "DELETE FROM mysql.dashboard",
    *stalls("few_files"),
    *stalls("few_memtables"),
    # more in memtables than there was before, which is counted by blocks of a megabyte
    f"REPLACE INTO level_0 SELECT seq, REPEAT('x', {ROW_BYTES}) FROM seq_1001_to_1050",
)
