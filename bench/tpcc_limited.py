# SPDX-License-Identifier: GPL-2.0-only
"""TPC-C where the disk is slow and memory scarce: which limits and caches, figures, plots, bars."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from bench import bars, engine_counters, limits, prices, seconds, turns
from bench.cgroup import Limits
from bench.contenders import base_of
from bench.figure import Bar
from bench.plot import Plot
from bench.report import Report

# Of a limit of memory, unless --memory-mb says it: with direct reads the cache is all that keeps
# data; with buffered reads the page cache does, and holds it compressed. InnoDB reads directly.
DIRECT_SHARE = 3 / 7
BUFFERED_SHARE = 1 / 7
# of the memory for data, where the limit is a part of the files
BUFFERED_PART = 1 / 3
LEAST_CACHE = 16 * 2**20
# a limit from this part of the files on is one that holds them
WHOLE_FILES = 0.8
FEW_OPERATIONS = 500
# after a start: how soon a server is what it was
FIRST_SECONDS = (10, 30, 60)


@dataclass(frozen=True)
class Point:
    """What one series of turns is measured with. `innodb_bytes` is InnoDB's buffer pool,
    `cache_bytes` the block cache of the others. `part`: the part of the files for which there is
    memory, where it was asked for so; `data`: so many times the warehouses. `cold`: a turn begins
    with the start of the server, under the limits and without a warm-up."""

    cache_bytes: int
    innodb_bytes: int
    limits: Limits | None = None
    part: Fraction | None = None
    data: int = 1
    cold: bool = False

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
        texts = [f"{self.data} times the data"] if self.data > 1 else []
        texts += [f"memory for {shown_part(self.part)}"] if self.part else []
        texts += [limits.shown(self.limits), f"cache {cache}"] if self.limits else [cache]
        texts += ["after a start"] if self.cold else []
        return ", ".join(texts)


def shown_part(part: Fraction) -> str:
    return "all files" if part == 1 else f"{part} of the files"


def points(args, memory_mb: tuple[int, ...], files: int, data: int = 1) -> list[Point]:
    """The sizes of the cache, each with all limits that were asked for. With a limit of memory and
    no size asked for, the cache is a part of the limit. `files`: bytes of Basalt's files with a
    single one of the data."""
    asked = limits.pairs_of(args, files)
    sizes = [memory * 2**20 for memory in memory_mb]
    if not asked:
        return [Point(size, size, data=data) for size in sizes]
    if args.memory_limit and args.memory_mb is None:
        found = []
        for one, part in asked:
            data_bytes = None if part is None else int(part * files)
            cache, pool = caches(one, data_bytes, args.buffered_reads)
            found.append(Point(cache, pool, one, part, data, args.cold))
        return found
    return [Point(size, size, one, part, data, args.cold) for one, part in asked for size in sizes]


def caches(limited: Limits, data_bytes: int | None, buffered: bool) -> tuple[int, int]:
    """The block cache and the buffer pool within a limit of memory, of which `data_bytes` are for
    data, where that is known."""
    if data_bytes is None:
        pool = int(limited.memory_bytes * DIRECT_SHARE)
        return int(limited.memory_bytes * BUFFERED_SHARE) if buffered else pool, pool
    cache = int(data_bytes * BUFFERED_PART) if buffered else data_bytes
    return max(LEAST_CACHE, cache), max(LEAST_CACHE, data_bytes)


def shown(found: list[Point], args) -> str:
    """What is measured, in words."""
    if not found[0].limits:
        caches = ",".join(str(point.cache_bytes // 2**20) for point in found)
        return f"caches of {caches} MB"
    reads = "buffered" if args.buffered_reads else "direct"
    return f"limits ({' / '.join(point.label for point in found)}), {reads} reads"


def rate_bars(point: Point, files: int) -> dict[str, Bar]:
    """peer -> the bar of the throughput. `files`: bytes of Basalt's files after the load. Bars are
    for servers that have warmed up."""
    if point.cold:
        return {}
    asked = point.limits
    if not asked.reads:
        return bars.TPCC_LIMITED_RATE["memory alone"]
    if asked.reads <= FEW_OPERATIONS:
        return bars.TPCC_LIMITED_RATE["few operations"]
    held = point.part / point.data if point.part else asked.memory_bytes / files
    holds_files = not asked.memory_bytes or held >= WHOLE_FILES
    return bars.TPCC_LIMITED_RATE["whole" if holds_files else "part"]


def add_point(
    report: Report,
    point: Point,
    sums: dict[str, turns.Sum],
    files: int,
    price_list: Path = prices.FILE,
) -> None:
    """The figures and plots of one series of turns; they are a table of their own."""

    def add(name: str, unit: str, value: Callable, more_is_better=False, bar=None) -> None:
        values = {engine: value(s) for engine, s in sums.items()}
        report.add(name, unit, values, more_is_better, bar, point.label)

    def a_transaction(name: str, unit: str, value: Callable, scale: float, bar=None) -> None:
        add(name, unit, lambda s: s.per_transaction(value(s)) / scale, False, bar)

    add_rates(report, point, sums, files)
    if point.cold:
        for length in FIRST_SECONDS:
            add(f"transactions a second, first {length} s", "1/s", lambda s, n=length: s.first(n),
                True)  # fmt: skip
    steady = (None, None) if point.cold else (bars.TPCC_LIMITED_STEADY, bars.TPCC_EMPTY_SECONDS)
    seconds.add_evenness(report, point.label, sums, *steady)
    add("p99", "ms", lambda s: s.p99)
    a_transaction("disk operations a transaction", "", lambda s: s.used.operations, 1,
                  None if point.cold else bars.TPCC_OPERATIONS)  # fmt: skip
    a_transaction("of that, reads", "", lambda s: s.used.device_reads, 1)
    a_transaction("disk operations a transaction, by the disk's count", "",
                  lambda s: s.used.disk_operations, 1)  # fmt: skip
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
    add_calls(report, point, sums)
    engine_counters.add(report, point.label, sums)
    if point.limits.reads:
        add_prices(report, point, sums, price_list)
    seconds.add_turns(report, point.label, sums)
    seconds.add_plots(report, point.label, sums)
    report.seconds_measured += seconds.rows_of(point.label, sums)


def add_calls(report: Report, point: Point, sums: dict[str, turns.Sum]) -> None:
    """How the calls on files divide. InnoDB's background threads make none that is counted."""
    for name, value in (
        ("calls of clients' threads on files", lambda used: used.calls - used.background_calls),
        ("calls of background threads on files", lambda used: used.background_calls),
    ):
        values = {
            engine: None if base_of(engine) == "innodb" else s.per_transaction(value(s.used))
            for engine, s in sums.items()
        }
        report.add(f"{name}, a transaction", "", values, False, part=point.label)


def add_rates(report: Report, point: Point, sums: dict[str, turns.Sum], files: int) -> None:
    """A line for each bar, as a figure has one."""
    rates = {e: [t.run.outcome.events_per_second for t in s.turns] for e, s in sums.items()}
    name, known = "transactions a second", rate_bars(point, files)
    found = [peer for peer in known if peer in sums] or [None]
    for number, peer in enumerate(found):
        shown_name = name if number == 0 else f"{name}, against {report.title_of(peer)}"
        report.add_rounds(shown_name, "1/s", rates, True, known.get(peer), point.label)


def add_prices(report: Report, point: Point, sums: dict[str, turns.Sum], price_list: Path) -> None:
    """Dollars a month for the volume that each engine needs for the rate that Basalt has here, by
    its files and its operations a transaction. None where no volume has as many. A table of its
    own; none when Basalt did not end."""
    if report.mine not in sums:
        return
    rate = sums[report.mine].rate
    part = f"{point.label}: volume for {rate:,.0f} transactions a second"
    needed = {e: s.per_transaction(prices.operations(s.used)) * rate for e, s in sums.items()}
    sizes = {engine: s.files / 1e9 for engine, s in sums.items()}
    report.add("size", "GB", sizes, False, part=part)
    report.add("operations of 16 KB", "1/s", needed, False, part=part)
    for volume in prices.volumes(price_list):
        costs = {
            engine: volume.dollars(s.files, needed[engine]) for engine, s in sums.items()
        }  # fmt: skip
        report.add(volume.name, "$/month", costs, False, part=part)


def add_sweep(report: Report, sweep: dict[Point, dict[str, turns.Sum]]) -> None:
    """All throughputs in one table, and a plot over each thing that was varied, for each value of
    the others."""
    if len(sweep) < 2:
        return
    for point, sums in sweep.items():
        rates = {e: [t.run.outcome.events_per_second for t in s.turns] for e, s in sums.items()}
        report.add_rounds(point.label, "1/s", rates, part="Sweep: transactions a second")
    for number, (label, value) in enumerate(VARIED):
        others = [of for place, (_, of) in enumerate(VARIED) if place != number]
        groups: dict[tuple, dict] = {}
        for point, sums in sweep.items():
            groups.setdefault(tuple(of(point) for of in others), {})[point] = sums
        for chosen in groups.values():
            if len(set(map(value, chosen))) > 1:
                add_sweep_plot(report, chosen, label, value)


# what a sweep varies: the axis of its plot, and the value of a point
VARIED = (
    ("operations a second", lambda p: p.limits.reads),
    ("memory", lambda p: float(p.part) if p.part else p.limits.memory_bytes / 2**20),
    ("times the data", lambda p: p.data),
)
UNITS = {True: "memory for so much of the files", False: "MB of memory"}


def add_sweep_plot(report: Report, chosen: dict, label: str, value: Callable) -> None:
    """An engine has no point where it did not end."""
    series = {
        engine: [(value(point), sums[engine].rate) for point, sums in chosen.items()
                 if engine in sums]
        for engine in report.engines
    }  # fmt: skip
    first = next(iter(chosen))
    fixed = (
        [] if label.startswith("operations") else [limits.shown(Limits(reads=first.limits.reads))]
    )
    if label == "memory":
        label = UNITS[first.part is not None]
    elif first.part:
        fixed.append(f"memory for {shown_part(first.part)}")
    else:
        fixed.append(limits.shown(Limits(first.limits.memory_bytes)))
    fixed += [f"{first.data} times the data"] if first.data > 1 and label[0] != "t" else []
    title = f"Sweep: throughput, {', '.join(filter(None, fixed)) or 'no other limit'}"
    report.plots.append(Plot(title, label, "transactions/s", series))
