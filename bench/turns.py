# SPDX-License-Identifier: GPL-2.0-only
"""Turns of a load that reports each second, with samples of its server, and what they come to.

A transaction is what the load counts: of TPC-C one, of others an operation or a statement.
"""

import operator
import statistics
from collections.abc import Callable
from dataclasses import dataclass, field

from bench import summary
from bench.process_usage import Usage
from bench.sampler import Sample
from bench.sysbench_tool import ScriptRun

# what a curve takes from Usage, and in which unit
DEVICE_CURVES = {
    "operations": ("operations", 1.0),
    "read": ("device_read_bytes", 2**20),
    "written": ("device_written_bytes", 2**20),
    "all written": ("written_bytes", 2**20),
    "background read": ("background_read_bytes", 2**20),
    "background written": ("background_written_bytes", 2**20),
}
# those that are what a sample has seen, in MiB
STATES = {
    "disk": "disk_bytes",
    "resident": "resident_bytes",
    "virtual": "virtual_bytes",
    "group": "group_bytes",
}
HOUR = 3600


@dataclass
class Turn:
    """One run with its samples. `counters` are those of engine_counters.py, under limits. `used`
    includes what the engine owed after the turn, where it paid before the next."""

    run: ScriptRun
    samples: list[Sample]
    used: Usage
    binlog_bytes: int = 0
    counters: dict[str, int] = field(default_factory=dict)

    def curve(self, what: str) -> list[tuple[float, float]]:
        """As Sum.curve() for this turn alone."""
        if what in ("rate", "p99"):
            name = "events_per_second" if what == "rate" else "latency"
            return self.run.curve(operator.attrgetter(name))
        if what in STATES:
            state = operator.attrgetter(STATES[what])
            return [(s.second, state(s) / 2**20) for s in self.samples]
        name, scale = DEVICE_CURVES[what]
        return by_second(self.samples, operator.attrgetter(name), scale)


@dataclass
class Sum:
    """The turns of one engine. `used` includes what it owed after them."""

    turns: list[Turn]
    used: Usage
    binlog_bytes: int = 0

    @property
    def transactions(self) -> int:
        return sum(t.run.outcome.events for t in self.turns)

    @property
    def rate(self) -> float:
        return statistics.median(t.run.outcome.events_per_second for t in self.turns)

    def first(self, seconds: int) -> float:
        """The throughput of the seconds of a turn up to this one, without the very first, as of all
        curves; the median of the turns."""
        rates = [[rate for at, rate in turn.curve("rate") if at <= seconds] for turn in self.turns]
        return statistics.median(statistics.fmean(of) for of in rates if of)

    @property
    def steadiness(self) -> float:
        """The lowest second's throughput over the median second's."""
        return self._of_median(0)

    @property
    def slowest(self) -> float:
        """The throughput that 1 % of the seconds stay below, over the median second's."""
        return self._of_median(len(self.rates()) // 100)

    def _of_median(self, place: int) -> float:
        """The second at a place, the slowest being 0, over the median second."""
        rates = sorted(self.rates())
        middle = statistics.median(rates) if rates else 0
        return rates[place] / middle if middle else 0.0

    def rates(self) -> list[float]:
        """The throughput of each second, without the first of each turn."""
        return [rate for _, rate in self.curve("rate")]

    @property
    def empty_seconds(self) -> int:
        """Seconds in which no transaction ended."""
        return sum(rate == 0 for rate in self.rates())

    @property
    def decay(self) -> float:
        """The throughput of the last hour over that of the first; of quarters of the time where
        it is less than two hours."""
        rates = self.rates()
        part = HOUR if self.is_long else max(1, len(rates) // 4)
        first = sum(rates[:part])
        return sum(rates[-part:]) / first if first else 0.0

    @property
    def is_long(self) -> bool:
        """Two hours or more."""
        return sum(turn.run.outcome.seconds for turn in self.turns) >= 2 * HOUR

    @property
    def counters(self) -> dict[str, int]:
        """Of all turns, without what was owed after them."""
        names = self.turns[0].counters if self.turns else {}
        return {name: sum(turn.counters[name] for turn in self.turns) for name in names}

    @property
    def p99(self) -> float:
        return summary.percentile(summary.merged(t.run.outcome.histogram for t in self.turns), 99)

    def slower(self) -> list[tuple[float, float]]:
        """(milliseconds, share of the transactions that took longer)."""
        histogram = summary.merged(t.run.outcome.histogram for t in self.turns)
        return list(zip(*summary.slower_share(histogram), strict=True))

    @property
    def resident(self) -> int:
        return max((s.resident_bytes for t in self.turns for s in t.samples), default=0)

    @property
    def group_bytes(self) -> int:
        """The most memory of the server and its page cache; 0 without limits."""
        return max((s.group_bytes for t in self.turns for s in t.samples), default=0)

    @property
    def files(self) -> int:
        """The bytes of the files that hold tables, at the end."""
        ends = [turn.samples[-1].disk_bytes for turn in self.turns if turn.samples]
        return ends[-1] if ends else 0

    def per_transaction(self, amount: float) -> float:
        return amount / self.transactions

    def curve(self, what: str) -> list[tuple[float, float]]:
        """(second, value) of 'rate' a second, 'p99' in ms, those of STATES in MiB, or of what a
        server under limits asks its disk for: 'operations', 'read' and 'written' in MiB a second,
        and what of these is 'background' work; 'all written' is the disk's own count. Turn after
        turn, without the first second of each for rate and p99."""
        points, start = [], 0.0
        for turn in self.turns:
            points += [(start + x, y) for x, y in turn.curve(what)]
            start += turn.run.outcome.seconds
        return points


def by_second(
    samples: list[Sample], value: Callable[[Usage], float], scale: float
) -> list[tuple[float, float]]:
    """(second, growth of value / scale a second) between neighbouring samples."""
    return [
        (b.second, (value(b.used) - value(a.used)) / (b.second - a.second) / scale)
        for a, b in zip([Sample(0.0, Usage(), 0, 0), *samples], samples, strict=False)
        if b.second > a.second
    ]


def summed(turns: list[Turn], owed: Usage | None = None) -> Sum:
    """`owed`: what the engine used after the last turn."""
    used = sum((t.used for t in turns), owed or Usage())
    return Sum(turns, used, sum(t.binlog_bytes for t in turns))
