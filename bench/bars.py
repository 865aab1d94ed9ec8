# SPDX-License-Identifier: GPL-2.0-only
"""What Basalt's figures should be. Each bar names the size of the run that it was set for; a run of
another size shows it too, for orientation."""

from bench.figure import Bar

_SYSBENCH = "4 x 500,000 rows, 4 threads, in memory"
_TPCC = "10 warehouses"
_WRITES = (
    "oltp_update_index",
    "oltp_update_non_index",
    "oltp_insert",
    "oltp_write_only",
    "oltp_read_write",
)

SYSBENCH = {
    **{
        test: Bar(0.95, against="innodb", at=_SYSBENCH)
        for test in (
            "oltp_point_select",
            "oltp_read_only",
            "select_random_points",
            "select_random_ranges",
        )
    },
    **{test: Bar(1.0, against="innodb", at=_SYSBENCH) for test in _WRITES},
}
# with the logs synced once a second, where nothing hides behind the sync
SYSBENCH_UNSYNCED = SYSBENCH | {
    test: Bar(0.95, against="innodb", at=f"{_SYSBENCH}, logs synced once a second")
    for test in _WRITES
}
INSTRUCTIONS = Bar(1.0, at_least=False, against="innodb", at="100,000 rows, one client")
# rows a second, not seconds
SYSBENCH_LOAD = Bar(1.5, against="innodb", at=_SYSBENCH)

TPCC_RATE = Bar(2.0, against="innodb", at=f"{_TPCC}, 256 MB and 64 MB")
TPCC_WRITTEN_KB = Bar(11.0, at_least=False, at=f"{_TPCC}, 256 MB")
TPCC_STEADY = Bar(0.85, at=f"{_TPCC}, 256 MB")
TPCC_MEMORY = Bar(1.0, at_least=False, against="innodb", at=f"{_TPCC}, 64 MB")
TPCC_DISK = Bar(1 / 5, at_least=False, against="innodb", at=f"{_TPCC}, loaded and after an hour")

# under limits of the disk and of memory: `files` is what Basalt's files take after the load
TPCC_LIMITED_RATE = {
    "whole": {
        "innodb": Bar(15.0, against="innodb", at=f"{_TPCC}, 1,000 operations/s, memory of files"),
        "myrocks": Bar(2.0, against="myrocks", at=f"{_TPCC}, 1,000 operations/s, memory of files"),
    },
    "part": {
        "innodb": Bar(5.0, against="innodb", at=f"{_TPCC}, 1,000 operations/s, 1/2 and 1/4 of it"),
        "myrocks": Bar(
            1.3, against="myrocks", at=f"{_TPCC}, 1,000 operations/s, 1/2 and 1/4 of it"
        ),
    },
    "few operations": {
        "innodb": Bar(5.0, against="innodb", at=f"{_TPCC}, 500 operations/s"),
    },
    "memory alone": {
        "myrocks": Bar(1.1, against="myrocks", at=f"{_TPCC}, limits of 16, 64 and 256 MB"),
    },
}
TPCC_LIMITED_STEADY = Bar(0.7, at=f"{_TPCC}, 1,000 operations/s, an hour")
TPCC_EMPTY_SECONDS = Bar(0.0, at_least=False, at=f"{_TPCC}, 1,000 operations/s, an hour")
TPCC_OPERATIONS = Bar(1 / 8, at_least=False, against="innodb", at=f"{_TPCC}, 1,000 operations/s")
TPCC_DISK_WORDS = Bar(1 / 5, at_least=False, against="innodb", at=f"{_TPCC}, words, after an hour")

OLAP_DISK = Bar(1 / 15, at_least=False, against="innodb", at="small preset")
# of the times
OLAP_SCAN = Bar(1.0, at_least=False, against="innodb", at="warm table")
OLAP_BACKWARDS = Bar(1.5, at_least=False, at="warm table")

COMMITS = Bar(1.0, against="innodb", at="1, 8 and 32 clients")

FOREIGN_KEYS = Bar(0.95, against="innodb", at="1, 8 and 32 clients")

_INDEX = "5,000,000 rows"
_WRITERS = f"{_INDEX}, oltp_write_only"
DDL_INSTANT = Bar(0.1, at_least=False, at="10,000,000 rows")
# of the times: so many times as fast
DDL_INDEX = Bar(1 / 1.5, at_least=False, against="innodb", at=f"{_INDEX}, no writers")
DDL_INDEX_WRITERS = Bar(1 / 1.2, at_least=False, against="innodb", at=_WRITERS)
DDL_WRITERS_RATE = Bar(1.2, against="innodb", at=_WRITERS)
# the 99th percentile: milliseconds, and beside the peer's
DDL_PAUSE = Bar(100.0, at_least=False, at=_WRITERS)
DDL_PAUSE_RATIO = Bar(1.0, at_least=False, against="innodb", at=_WRITERS)
DDL_KILL = Bar(3.0, at_least=False, at=_INDEX)
# beside a table that never had an instant change
DDL_READS = Bar(1.03, at_least=False, at="any size")

_SPATIAL = "1,000,000 rows"
# of the times and bytes
SPATIAL_SMALL = Bar(1.5, at_least=False, against="innodb", at=_SPATIAL)
SPATIAL_WINDOW = Bar(1.0, at_least=False, against="innodb", at=_SPATIAL)
SPATIAL_BUILD = Bar(0.5, at_least=False, against="innodb", at=_SPATIAL)
SPATIAL_DISK = Bar(0.6, at_least=False, against="innodb", at=_SPATIAL)
SPATIAL_CHANGES = Bar(1.5, against="innodb", at=_SPATIAL)

_FULL_TEXT = "200,000 articles"
# of the times and bytes
FULL_TEXT_BUILD = Bar(0.5, at_least=False, against="innodb", at=_FULL_TEXT)
FULL_TEXT_DISK = Bar(0.8, at_least=False, against="innodb", at=_FULL_TEXT)
FULL_TEXT_SEARCH = Bar(1.0, at_least=False, against="innodb", at=_FULL_TEXT)
FULL_TEXT_INSERTS = Bar(1.5, against="innodb", at=_FULL_TEXT)
