# SPDX-License-Identifier: GPL-2.0-only
"""TPC-C where the disk is slow and memory scarce: which limits and caches, figures, plots, bars."""

from collections.abc import Callable
from dataclasses import dataclass

from bench import bars, engine_counters, limits, prices, tpcc
from bench.cgroup import Limits
from bench.figure import Bar
from bench.plot import Plot
from bench.report import Report

# Of a limit of memory, unless --memory-mb says it: with direct reads the cache is all that keeps
# data; with buffered reads the page cache does, and holds it compressed. InnoDB reads directly.
DIRECT_SHARE = 3 / 7
BUFFERED_SHARE = 1 / 7
# a limit from this part of the files on is one that holds them
WHOLE_FILES = 0.8
FEW_OPERATIONS = 500


@dataclass(frozen=True)
class Point:
    """What one series of turns is measured with. `innodb_bytes` is InnoDB's buffer pool,
    `cache_bytes` the block cache of the others."""

    cache_bytes: int
    innodb_bytes: int
    limits: Limits | None = None

    def __post_init__(self):
        limits.check(self.limits, max(self.cache_bytes, self.innodb_bytes))

    def cache_of(self, storage_engine: str) -> int:
        return self.innodb_bytes if storage_engine == "innodb" else self.cache_bytes

    @property
    def label(self) -> str:
        """The limits and the cache, or the cache alone."""
        cache = f"{self.cache_bytes / 2**20:.0f} MB"
        if self.innodb_bytes != self.cache_bytes:
            cache += f" (InnoDB {self.innodb_bytes / 2**20:.0f} MB)"
        return f"{limits.shown(self.limits)}, cache {cache}" if self.limits else cache


def points(args, memory_mb: tuple[int, ...]) -> list[Point]:
    """The sizes of the cache, each with all limits that were asked for. With a limit of memory and
    no size asked for, the cache is a part of the limit."""
    asked = limits.limits_of(args)
    sizes = [memory * 2**20 for memory in memory_mb]
    if not asked:
        return [Point(size, size) for size in sizes]
    if args.memory_limit and args.memory_mb is None:
        share = BUFFERED_SHARE if args.buffered_reads else DIRECT_SHARE
        return [
            Point(int(one.memory_bytes * share), int(one.memory_bytes * DIRECT_SHARE), one)
            for one in asked
        ]
    return [Point(size, size, one) for one in asked for size in sizes]


def shown(found: list[Point], args) -> str:
    """What is measured, in words."""
    if not found[0].limits:
        caches = ",".join(str(point.cache_bytes // 2**20) for point in found)
        return f"caches of {caches} MB"
    reads = "buffered" if args.buffered_reads else "direct"
    return f"limits ({' / '.join(point.label for point in found)}), {reads} reads"


def rate_bars(point: Point, files: int) -> dict[str, Bar]:
    """peer -> the bar of the throughput. `files`: bytes of Basalt's files after the load."""
    asked = point.limits
    if not asked.reads:
        return bars.TPCC_LIMITED_RATE["memory alone"]
    if asked.reads <= FEW_OPERATIONS:
        return bars.TPCC_LIMITED_RATE["few operations"]
    holds_files = not asked.memory_bytes or asked.memory_bytes >= WHOLE_FILES * files
    return bars.TPCC_LIMITED_RATE["whole" if holds_files else "part"]


def add_point(report: Report, point: Point, sums: dict[str, tpcc.Sum], files: int) -> None:
    """The figures and plots of one series of turns; they are a table of their own."""

    def add(name: str, unit: str, value: Callable, more_is_better=False, bar=None) -> None:
        values = {engine: value(s) for engine, s in sums.items()}
        report.add(name, unit, values, more_is_better, bar, point.label)

    def a_transaction(name: str, unit: str, value: Callable, scale: float, bar=None) -> None:
        add(name, unit, lambda s: s.per_transaction(value(s)) / scale, False, bar)

    add_rates(report, point, sums, files)
    steady = ("lowest second / median second", "", lambda s: s.steadiness)
    add(*steady, True, bars.TPCC_LIMITED_STEADY)
    add("slowest 1 % of the seconds / median", "", lambda s: s.slowest, True)
    add("seconds without a transaction", "", lambda s: s.empty_seconds, False,
        bars.TPCC_EMPTY_SECONDS)  # fmt: skip
    add("last quarter / first quarter", "", lambda s: s.decay, True)
    add("p99", "ms", lambda s: s.p99)
    a_transaction("disk operations a transaction", "", lambda s: s.used.operations, 1,
                  bars.TPCC_OPERATIONS)  # fmt: skip
    a_transaction("of that, reads", "", lambda s: s.used.device_reads, 1)
    a_transaction("read a transaction", "KB", lambda s: s.used.device_read_bytes, 1e3)
    a_transaction("written a transaction", "KB", lambda s: s.used.device_written_bytes, 1e3)
    a_transaction("of what is read, background work", "KB",
                  lambda s: s.used.background_read_bytes, 1e3)  # fmt: skip
    a_transaction("of what is written, background work", "KB",
                  lambda s: s.used.background_written_bytes, 1e3)  # fmt: skip
    a_transaction("written a transaction, by the disk's count", "KB",
                  lambda s: s.used.written_bytes, 1e3)  # fmt: skip
    a_transaction("of that, binary log", "KB", lambda s: s.binlog_bytes, 1e3)
    a_transaction("CPU a transaction", "ms", lambda s: s.used.cpu_seconds, 1e-3)
    add("peak memory (RSS)", "MiB", lambda s: s.resident / 2**20)
    add("peak memory with page cache", "MiB", lambda s: s.group_bytes / 2**20, None)
    engine_counters.add(report, point.label, sums)
    if point.limits.reads:
        add_prices(report, point, sums)
    add_curves(report, point, sums)


def add_rates(report: Report, point: Point, sums: dict[str, tpcc.Sum], files: int) -> None:
    """A line for each bar, as a figure has one."""
    rates = {e: [t.run.outcome.events_per_second for t in s.turns] for e, s in sums.items()}
    name, known = "transactions a second", rate_bars(point, files)
    found = [peer for peer in known if peer in sums] or [None]
    for number, peer in enumerate(found):
        shown_name = name if number == 0 else f"{name}, against {report.title_of(peer)}"
        report.add_rounds(shown_name, "1/s", rates, True, known.get(peer), point.label)


def add_prices(report: Report, point: Point, sums: dict[str, tpcc.Sum]) -> None:
    """Dollars a month for the volume that each engine needs for the rate that Basalt has here, by
    its files and its operations a transaction. None where no volume has as many."""
    rate = sums[report.mine].rate
    for volume in prices.volumes():
        costs = {
            engine: volume.dollars(s.files, s.per_transaction(prices.operations(s.used)) * rate)
            for engine, s in sums.items()
        }
        name = f"{volume.name} for {rate:,.0f} transactions a second"
        report.add(name, "$/month", costs, False, part=point.label)


def add_curves(report: Report, point: Point, sums: dict[str, tpcc.Sum]) -> None:
    """What happened second by second."""
    for what, title, unit in (
        ("rate", "throughput", "transactions"),
        ("p99", "p99 latency", "ms"),
        ("operations", "disk operations", "operations"),
        ("read", "read from the disk", "MiB"),
        ("written", "written to the disk", "MiB"),
        ("disk", "files", "MiB"),
    ):
        curves = {engine: s.curve(what) for engine, s in sums.items()}
        plot = Plot(f"{point.label}: {title} by second", "seconds", unit, curves)
        plot.log_y = what == "p99"
        report.plots.append(plot)
    spread = {engine: distribution(s.rates()) for engine, s in sums.items()}
    title = f"{point.label}: share of the seconds that were slower"
    report.plots.append(Plot(title, "transactions a second", "share", spread))


def distribution(rates: list[float]) -> list[tuple[float, float]]:
    """(rate, share of the seconds below it)."""
    return [(rate, number / len(rates)) for number, rate in enumerate(sorted(rates))]


def add_sweep(report: Report, sweep: dict[Point, dict[str, tpcc.Sum]]) -> None:
    """The throughput over each limit that had several values, one plot for each value of the
    other."""
    for label, value, other in (
        ("operations a second", lambda p: p.limits.reads, lambda p: p.limits.memory_bytes),
        ("MB of memory", lambda p: p.limits.memory_bytes / 2**20, lambda p: p.limits.reads),
    ):
        for kept in dict.fromkeys(map(other, sweep)):
            chosen = {point: sums for point, sums in sweep.items() if other(point) == kept}
            if len(set(map(value, chosen))) > 1:
                add_sweep_plot(report, chosen, label, value)


def add_sweep_plot(report: Report, chosen: dict, label: str, value: Callable) -> None:
    series = {
        engine: [(value(point), sums[engine].rate) for point, sums in chosen.items()]
        for engine in report.engines
    }
    first = next(iter(chosen)).limits
    fixed = Limits(reads=first.reads) if "MB" in label else Limits(first.memory_bytes)
    title = f"Sweep of limits: throughput, {limits.shown(fixed) or 'no other limit'}"
    report.plots.append(Plot(title, label, "transactions/s", series))
