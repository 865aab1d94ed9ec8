# SPDX-License-Identifier: GPL-2.0-only
"""What happened between two snapshots, or since the start of the server."""

from dataclasses import dataclass

from programs.top.snapshot import Snapshot

# counters of MyRocks' names that stand for what is, not for what was
GAUGES = (
    "rocksdb_memtable_total",
    "rocksdb_memtable_unflushed",
    "rocksdb_block_cache_usage",
    "rocksdb_num_iterators",
    "rocksdb_manual_compactions_running",
    "rocksdb_writing_allowed",
    "rocksdb_dropped_indexes_waiting",
    "threads_connected",
    "threads_running",
    "uptime",
)


@dataclass(frozen=True)
class Rates:
    """`grown` is by how much each counter has grown in `seconds`. A counter that was set to zero
    meanwhile counts from there."""

    seconds: float
    since_start: bool
    grown: dict[str, int]

    def of(self, counter: str) -> float:
        """A second."""
        return self.grown.get(counter, 0) / self.seconds if self.seconds > 0 else 0.0

    def sum_of(self, *counters: str) -> float:
        return sum(self.of(counter) for counter in counters)


def between(before: Snapshot | None, after: Snapshot) -> Rates:
    """Without a first snapshot, or when the server has started anew: since its start."""
    uptime = after.counters.get("uptime", 0)
    anew = before is None or uptime < before.counters.get("uptime", 0)
    earlier = {} if anew else before.counters
    grown = {
        name: growth(earlier.get(name, 0), value)
        for name, value in after.counters.items()
        if name not in GAUGES
    }
    return Rates(max(uptime, 1) if anew else after.at - before.at, anew, grown)


def growth(before: int, after: int) -> int:
    return after - before if after >= before else after


def share(part: float, rest: float) -> float | None:
    """`part` of both together; None when there is nothing."""
    return part / (part + rest) if part + rest > 0 else None


def cache_hits(rates: Rates) -> float | None:
    """Of the data blocks that were wanted, those that were in the cache."""
    prefix = "rocksdb_block_cache_data_"
    return share(rates.of(prefix + "hit"), rates.of(prefix + "miss"))


def filter_use(rates: Rates) -> float | None:
    """Of the files that a filter was asked about, those that it made needless to read."""
    prefix = "rocksdb_bloom_filter_"
    return share(rates.of(prefix + "useful"), rates.of(prefix + "full_positive"))


def filter_errors(rates: Rates) -> float | None:
    """Of the files without the key, those that their filter did not know of."""
    prefix = "rocksdb_bloom_filter_"
    wrong = rates.of(prefix + "full_positive") - rates.of(prefix + "full_true_positive")
    return share(wrong, rates.of(prefix + "useful"))


def stalled(rates: Rates) -> float:
    """How many threads' time, in all, went into waiting for flushes and compactions."""
    return rates.of("rocksdb_stall_micros") / 1e6


def written_again(rates: Rates) -> float | None:
    """Bytes of table files written for each byte of the log: the write amplification."""
    log = rates.of("rocksdb_wal_bytes")
    files = rates.sum_of("rocksdb_flush_write_bytes", "rocksdb_compact_write_bytes")
    return files / log if log > 0 else None
