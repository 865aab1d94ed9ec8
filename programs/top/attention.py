# SPDX-License-Identifier: GPL-2.0-only
"""What somebody should look at, as sentences. The thresholds are those of docs/operate/monitor.md,
which says what to do."""

from programs.top import rates as measures
from programs.top.rates import Rates
from programs.top.snapshot import Snapshot
from programs.top.units import duration, percent

STALLED_SHARE = 0.05
LEVEL_0_FILES = 20
OLD_SNAPSHOT_SECONDS = 3600
MISS_SHARE = 0.2
MISSES_A_SECOND = 1000
FILTER_ERROR_SHARE = 0.05
FILTERED_A_SECOND = 100
DEADLOCKS_A_SECOND = 1


def attention(snapshot: Snapshot, rates: Rates, errors_before: int | None = None) -> list[str]:
    """The most urgent first. `errors_before`: background errors at the snapshot before."""
    found = broken(snapshot, rates, errors_before)
    return found + slow(snapshot, rates) + kept(snapshot)


def broken(snapshot: Snapshot, rates: Rates, errors_before: int | None) -> list[str]:
    found = []
    if not snapshot.counters.get("rocksdb_writing_allowed", 1):
        found.append("Writing is off: a full disk or an I/O error; the error log says which.")
    if errors_before is not None and snapshot.background_errors > errors_before:
        found.append("Background work has failed: the error log says why.")
    # since the start it may be long over
    if not rates.since_start and rates.grown.get("rocksdb_no_file_errors", 0):
        found.append("A table file cannot be opened: damage, or too few open files.")
    if not rates.since_start and rates.grown.get("rocksdb_corruption_errors", 0):
        found.append("Damaged data was met: the error log names the file.")
    return found


def slow(snapshot: Snapshot, rates: Rates) -> list[str]:
    found = []
    if not rates.since_start and rates.grown.get("rocksdb_stall_total_stops", 0):
        found.append("Writes had to stop for flushes or compactions.")
    stalled = measures.stalled(rates)
    if stalled > STALLED_SHARE:
        found.append(f"Writers wait for flushes and compactions: {percent(stalled)} of a thread.")
    for level in snapshot.levels:
        if level.number == 0 and level.files >= LEVEL_0_FILES:
            found.append(
                f"Level 0 of {level.family} has {level.files} files: it slows writers down."
            )
    # a moment tells nothing of these
    lasting = ill_fitting(measures.between(None, snapshot))
    return found + [text for kind, text in ill_fitting(rates).items() if kind in lasting]


def ill_fitting(rates: Rates) -> dict[str, str]:
    """Sentences about what does not fit the load, by what they are about."""
    found = {}
    if rates.of("rocksdb_row_lock_deadlocks") > DEADLOCKS_A_SECOND:
        found["deadlocks"] = "More than one deadlock a second."
    hits = measures.cache_hits(rates)
    misses = rates.of("rocksdb_block_cache_data_miss")
    if hits is not None and 1 - hits > MISS_SHARE and misses > MISSES_A_SECOND:
        share = percent(1 - hits)
        found["cache"] = f"The block cache is small: {share} of the blocks are not in it."
    wrong = measures.filter_errors(rates)
    asked = rates.of("rocksdb_bloom_filter_useful")
    if wrong is not None and wrong > FILTER_ERROR_SHARE and asked > FILTERED_A_SECOND:
        found["filters"] = (
            f"Filters are wrong in {percent(wrong)} of the cases; the default has 1 %."
        )
    return found


def kept(snapshot: Snapshot) -> list[str]:
    """What keeps space or locks for long."""
    found = []
    age = snapshot.oldest_snapshot_seconds
    if age is not None and age > OLD_SNAPSHOT_SECONDS:
        found.append(f"A snapshot of {duration(age)} ago keeps old versions of all rows.")
    lost = [t for t in snapshot.transactions if t.state == "PREPARED" and t.thread == 0]
    if lost:
        found.append(f"Prepared transactions without a connection: {len(lost)}; see XA RECOVER.")
    return found
