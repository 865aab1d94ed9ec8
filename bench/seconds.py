# SPDX-License-Identifier: GPL-2.0-only
"""What happened second by second: how even the seconds were, the plots, and all of them as CSV."""

import csv
import io
import statistics
from collections.abc import Callable

from bench import turns
from bench.figure import Bar
from bench.plot import Plot
from bench.process_usage import Usage
from bench.report import Report
from bench.sampler import Sample
from bench.table import Table

# a plot with more points than that is drawn of averages: a page of ten hours stays readable
MOST_POINTS = 3600
# curve of turns.Sum, what the plot is called, its unit
CURVES = (
    ("p99", "p99 latency", "ms"),
    ("operations", "disk operations", "operations"),
    ("read", "read from the disk", "MiB"),
    ("background read", "read from the disk, background work alone", "MiB"),
    ("written", "written to the disk", "MiB"),
    ("background written", "written, background work alone", "MiB"),
    ("all written", "written, by the disk's count", "MiB"),
    ("disk", "files", "MiB"),
    ("resident", "memory (RSS)", "MiB"),
    ("virtual", "virtual memory", "MiB"),
    ("group", "memory with page cache", "MiB"),
)
COLUMNS = (
    *("measured", "contender", "turn", "second", "transactions", "p99_ms"),
    *("disk_reads", "disk_writes", "disk_read_bytes", "disk_written_bytes"),
    *("read_bytes", "written_bytes", "background_read_bytes", "background_written_bytes"),
    *("calls", "background_calls", "cpu_seconds"),
    *("file_bytes", "resident_bytes", "group_bytes", "virtual_bytes"),
)


def add_evenness(
    report: Report,
    part: str,
    sums: dict[str, turns.Sum],
    steady: Bar | None = None,
    empty: Bar | None = None,
    what: str = "transaction",
    prefix: str = "",
) -> None:
    """The lowest second, the slowest, those in which nothing ended, and the decay; `prefix`
    begins their names."""

    def add(name: str, value: Callable, more_is_better: bool = True, bar: Bar | None = None):
        values = {engine: value(found) for engine, found in sums.items()}
        report.add(prefix + name, "", values, more_is_better, bar, part)

    add("lowest second / median second", lambda s: s.steadiness, True, steady)
    add("slowest 1 % of the seconds / median", lambda s: s.slowest)
    add(f"seconds without {article(what)}", lambda s: s.empty_seconds, False, empty)
    hours = any(found.is_long for found in sums.values())
    add(f"last {'hour' if hours else 'quarter'} / first", lambda s: s.decay)


def article(what: str) -> str:
    return f"{'an' if what[0] in 'aeiou' else 'a'} {what}"


def add_plots(
    report: Report, label: str, sums: dict[str, turns.Sum], what: str = "transactions"
) -> None:
    """The throughput, what it asked of the disk, and how the seconds are distributed."""
    prefix = f"{label}: " if label else ""
    add_curve(report, f"{prefix}{what} by second", what, sums, "rate")
    add_disk_plots(report, label, sums)
    spread = {engine: thinned(distribution(s.rates()))[0] for engine, s in sums.items()}
    title = f"{prefix}share of the seconds that were slower"
    report.plots.append(Plot(title, f"{what} a second", "share", spread))


def add_disk_plots(report: Report, label: str, sums: dict[str, turns.Sum]) -> None:
    """Latency, and what the disk was asked for. Without limits the disk's operations are not
    known: there is no plot of what is 0 all the time."""
    prefix = f"{label}: " if label else ""
    for curve, title, unit in CURVES:
        if any(value for found in sums.values() for _, value in found.curve(curve)):
            add_curve(report, f"{prefix}{title} by second", unit, sums, curve)


def add_curve(report: Report, title: str, unit: str, sums: dict, curve: str) -> None:
    """Of long runs the averages, and of their throughput the lowest second of each stretch too."""
    found = {engine: thinned(s.curve(curve)) for engine, s in sums.items()}
    stretch = max((number for _, number in found.values()), default=1)
    series = {engine: points for engine, (points, _) in found.items()}
    plot = Plot(title, "seconds", unit, series, log_y=curve == "p99")
    if stretch > 1:
        plot.note = f"Averages of {stretch} seconds each."
    report.plots.append(plot)
    if stretch > 1 and curve == "rate":
        lowest = {engine: thinned(s.curve(curve), min)[0] for engine, s in sums.items()}
        note = f"The lowest of {stretch} seconds each."
        report.plots.append(Plot(f"{title}, the lowest", "seconds", unit, lowest, note=note))


def thinned(points: list[tuple], join: Callable = statistics.fmean) -> tuple[list[tuple], int]:
    """At most MOST_POINTS, each of so many neighbours; the last stretch may be shorter."""
    stretch = -(-len(points) // MOST_POINTS) or 1
    if stretch == 1:
        return points, 1
    parts = [points[start : start + stretch] for start in range(0, len(points), stretch)]
    return [(part[-1][0], join(y for _, y in part)) for part in parts], stretch


def distribution(rates: list[float]) -> list[tuple[float, float]]:
    """(rate, share of the seconds below it)."""
    return [(rate, number / len(rates)) for number, rate in enumerate(sorted(rates))]


def add_turns(report: Report, label: str, sums: dict[str, turns.Sum]) -> None:
    """A table with a line for each turn of each engine, where there were several: in a long run
    its hours."""
    title = f"{label}: turn by turn" if label else "Turn by turn"
    head = ["turn", "engine", "seconds", "a second", "median second", "slowest 1 %", "lowest"]
    table = Table(title, [*head, "files, MiB"], left=2)
    for number in range(max((len(s.turns) for s in sums.values()), default=0)):
        for engine, found in sums.items():
            if number < len(found.turns):
                table.add(str(number + 1), report.title_of(engine), *cells(found.turns[number]))
    if len(table.rows) > len(sums):
        report.tables.append(table)


def cells(turn: turns.Turn) -> list[str]:
    alone = turns.summed([turn])
    rates = sorted(alone.rates())
    known = (
        turn.run.outcome.seconds,
        turn.run.outcome.events_per_second,
        statistics.median(rates),
        rates[len(rates) // 100],
        rates[0],
        alone.files / 2**20,
    )
    return [f"{value:,.0f}" for value in known]


def table_text(rows: list[list]) -> str:
    """CSV with the names of COLUMNS."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([COLUMNS, *rows])
    return text.getvalue()


def rows_of(label: str, sums: dict[str, turns.Sum]) -> list[list]:
    """A line for each second of each turn: what the load said of it, and how far the server's
    counters grew between the two samples around its end. See COLUMNS."""
    return [
        [label, engine, number, *second]
        for engine, found in sums.items()
        for number, turn in enumerate(found.turns, 1)
        for second in seconds_of(turn)
    ]


def seconds_of(turn: turns.Turn) -> list[list]:
    """A second without a sample is left out; what it used is in the next one. The load's seconds
    begin a little later than those of the samples: it connects first."""
    taken = {round(sample.second): sample for sample in reversed(turn.samples)}
    before = Sample(0.0, Usage(), 0, 0)
    lines = []
    for interval in turn.run.intervals:
        sample = taken.get(round(interval.second))
        if sample is None:
            continue
        grown = sample.used - before.used
        lines.append(
            [
                f"{interval.second:.0f}",
                f"{interval.events_per_second:.2f}",
                f"{interval.latency:.2f}",
                *(grown.device_reads, grown.device_writes),
                *(grown.device_read_bytes, grown.device_written_bytes),
                *(grown.read_bytes, grown.written_bytes),
                *(grown.background_read_bytes, grown.background_written_bytes),
                *(grown.calls, grown.background_calls),
                f"{grown.cpu_seconds:.2f}",
                *(sample.disk_bytes, sample.resident_bytes, sample.group_bytes),
                sample.virtual_bytes,
            ]
        )
        before = sample
    return lines
