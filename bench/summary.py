# SPDX-License-Identifier: GPL-2.0-only
"""Medians, ratios and percentiles of a benchmark's rounds.

A ratio is the median of the ratios of the rounds, each of runs that followed one another: a
machine that gets slower during the benchmark slows both sides of a pair.
"""

import statistics
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from bench.process_usage import Usage
from bench.sampler import Sample
from bench.sysbench_tool import Interval, Outcome

# and Basalt with each other plugin file
PAIRS = (("rocksdb", "myrocks"), ("rocksdb", "innodb"), ("myrocks", "innodb"))


@dataclass
class Run:
    """One engine's run of one test in one round, with what its server used meanwhile; of a server
    under limits, each second too."""

    test: str
    engine: str
    round: int
    outcome: Outcome
    usage: Usage
    intervals: list[Interval] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)


@dataclass
class Summary:
    """One engine in one test, over all rounds. Latencies in milliseconds; a query is a statement.
    Bytes include what the engine wrote after the rounds to get even (flushes, compactions)."""

    events_per_second: float
    lowest: float
    highest: float
    queries_per_second: float
    p50: float
    p95: float
    p99: float
    cpu_microseconds_per_query: float
    bytes_per_query: float
    ignored_errors: int


def percentile(histogram: Iterable[tuple[float, int]], percent: float) -> float:
    """The smallest value at or below which `percent` of the events lie. 0 without events."""
    ordered = sorted(histogram)
    wanted = percent / 100 * sum(count for _, count in ordered)
    seen = 0
    for value, count in ordered:
        seen += count
        if seen >= wanted:
            return value
    return 0.0


def merged(histograms: Iterable[list[tuple[float, int]]]) -> list[tuple[float, int]]:
    """One histogram of all events; sysbench's buckets are the same in every run."""
    total: dict[float, int] = defaultdict(int)
    for one in histograms:
        for value, count in one:
            total[value] += count
    return sorted(total.items())


def slower_share(histogram: list[tuple[float, int]]) -> tuple[list[float], list[float]]:
    """Latencies, and the share of the events above each; the last share is 0 and left out."""
    total = sum(count for _, count in histogram)
    left, xs, ys = total, [], []
    for value, count in histogram:
        left -= count
        if left > 0:
            xs.append(value)
            ys.append(left / total)
    return xs, ys


def summary_of(runs: list[Run], afterwards: Usage) -> Summary:
    """Sums up the rounds of one engine in one test (at least one)."""
    rates = [r.outcome.events_per_second for r in runs]
    queries = sum(r.outcome.queries for r in runs)
    used = sum((r.usage for r in runs), afterwards)
    latencies = merged(r.outcome.histogram for r in runs)
    return Summary(
        events_per_second=statistics.median(rates),
        lowest=min(rates),
        highest=max(rates),
        queries_per_second=statistics.median(r.outcome.queries_per_second for r in runs),
        p50=percentile(latencies, 50),
        p95=percentile(latencies, 95),
        p99=percentile(latencies, 99),
        cpu_microseconds_per_query=used.cpu_seconds * 1e6 / queries,
        bytes_per_query=used.written_bytes / queries,
        ignored_errors=sum(r.outcome.ignored_errors for r in runs),
    )


def summaries(
    runs: list[Run], afterwards: dict[tuple[str, str], Usage]
) -> dict[str, dict[str, Summary]]:
    """test -> engine -> Summary, in the order of the runs."""
    grouped: dict[tuple[str, str], list[Run]] = defaultdict(list)
    for run in runs:
        grouped[run.test, run.engine].append(run)
    result: dict[str, dict[str, Summary]] = defaultdict(dict)
    for (test, engine), group in grouped.items():
        result[test][engine] = summary_of(group, afterwards.get((test, engine), Usage()))
    return dict(result)


def ratio(runs: list[Run], test: str, engine: str, peer: str) -> float | None:
    """Throughput of `engine` as a multiple of the peer's; None when one of them did not run."""
    rates: dict[tuple[str, int], float] = {
        (r.engine, r.round): r.outcome.events_per_second for r in runs if r.test == test
    }
    rounds = sorted({number for _, number in rates})
    both = [n for n in rounds if (engine, n) in rates and (peer, n) in rates]
    if not both:
        return None
    return statistics.median(rates[engine, n] / rates[peer, n] for n in both)


def ratios(runs: list[Run]) -> dict[str, dict[str, float]]:
    """test -> 'rocksdb/myrocks' -> ratio, for the pairs that ran."""
    result: dict[str, dict[str, float]] = {}
    also = dict.fromkeys(r.engine for r in runs if r.engine.startswith("rocksdb-"))
    pairs = [*PAIRS, *(("rocksdb", engine) for engine in also)]
    for test in dict.fromkeys(r.test for r in runs):
        found = {f"{a}/{b}": ratio(runs, test, a, b) for a, b in pairs}
        result[test] = {pair: value for pair, value in found.items() if value is not None}
    return result
