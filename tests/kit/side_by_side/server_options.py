# SPDX-License-Identifier: GPL-2.0-only
"""Options of a server whose two engines are compared; the engines that can be tested."""

OPTIONS = [
    "--innodb-flush-log-at-trx-commit=0",
    "--innodb-stats-persistent=0",
    "--innodb-flush-method=nosync",  # nothing here outlives the run
    "--innodb-doublewrite=0",
    "--debug-no-sync",
    "--sync-binlog=0",
    "--character-set-server=utf8mb4",
    "--collation-server=utf8mb4_general_ci",
]


ENGINE_OPTIONS = {
    # an uncommitted write set of more than 64 KiB goes to disk, so that ordinary cases spill too
    "rocksdb": [
        "--rocksdb-flush-log-at-trx-commit=0",
        "--rocksdb-spill-threshold=65536",
        "--rocksdb-lock-escalation-threshold=500",
    ],
    "myrocks": ["--rocksdb-flush-log-at-trx-commit=0", "--rocksdb-strict-collation-check=0"],
    "innodb": [],
}
