# SPDX-License-Identifier: GPL-2.0-only
"""What is different from stock MyRocks on purpose. docs/variables.md shows it."""

# variable -> why its default is another one
DEFAULTS: dict[str, str] = {
    "rocksdb_allow_concurrent_memtable_write": "connections need not wait for one another",
    "rocksdb_compaction_sequential_deletes": "scans after deletions are fast (compaction.md)",
    "rocksdb_compaction_sequential_deletes_count_sd": "secondary indexes need it as much as tables",
    "rocksdb_compaction_sequential_deletes_window": "see rocksdb_compaction_sequential_deletes",
    "rocksdb_block_size": "better compressed, half the index, and reads are as fast",
    "rocksdb_bytes_per_sync": "a sync at the end of a file does not stop everybody",
    "rocksdb_compaction_readahead_size": "compactions read from disk in large pieces",
    "rocksdb_deadlock_detect": "detection costs nothing until a lock wait, and is always on",
    "rocksdb_enable_write_thread_adaptive_yield": "a short spin is cheaper than a sleep",
    "rocksdb_git_hash": "the version of RocksDB",
    "rocksdb_info_log_level": "RocksDB's file LOG tells what it has done; errors are in the error "
    "log in any case",
    "rocksdb_keep_log_file_num": "a thousand old LOG files help nobody",
    "rocksdb_large_prefix": "as in InnoDB",
    "rocksdb_lock_wait_timeout": "as in InnoDB; in MyRocks it also had to end deadlocks, which are "
    "found at once here",
    "rocksdb_max_background_jobs": "0: by the number of cores",
    "rocksdb_max_log_file_size": "the file LOG does not grow for ever",
    "rocksdb_max_open_files": "all files stay open",
    "rocksdb_max_total_wal_size": "the log of a busy server stays bounded",
    "rocksdb_validate_tables": "what a crash leaves apart is mended (ddl.md); 1 refuses it",
    "rocksdb_wal_recovery_mode": "1 refuses to start after what `kill -9` leaves at the end of the "
    "log",
}

# variables of MyRocks that are not there yet, and what they are about
MISSING: dict[str, str] = {}

# (variable, property of picture.Variable) -> why it is another one
VARIABLES: dict[tuple[str, str], str] = {}
