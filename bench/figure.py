# SPDX-License-Identifier: GPL-2.0-only
"""One number for each contender, and the bar that says what it should be for Basalt."""

import statistics
from dataclasses import dataclass, field

MINE = "rocksdb"


@dataclass(frozen=True)
class Bar:
    """A limit for Basalt's value, or with `against` for its ratio to that contender's. `at` says
    for which size of the benchmark it was set."""

    limit: float
    at_least: bool = True
    against: str | None = None
    at: str = ""

    def value(self, figure: "Figure") -> float | None:
        """What is compared with the limit; None when a part of it is missing."""
        if self.against is None:
            return figure.values.get(MINE)
        return figure.ratio(MINE, self.against)

    def met(self, figure: "Figure") -> bool | None:
        found = self.value(figure)
        if found is None:
            return None
        return found >= self.limit if self.at_least else found <= self.limit


@dataclass
class Figure:
    """`values`: contender -> number in `unit`; None where there is none. `more_is_better` colours
    the ratios; None for a number that is neither good nor bad. `rounds`: contender -> the numbers
    of the single rounds, where they are known. Figures of one `part` stand in one table. `words`:
    contender -> what is shown where it has no number."""

    name: str
    unit: str
    values: dict[str, float | None]
    more_is_better: bool | None = True
    bar: Bar | None = None
    rounds: dict[str, list[float]] = field(default_factory=dict)
    part: str = ""
    words: dict[str, str] = field(default_factory=dict)

    @property
    def met(self) -> bool | None:
        """None without a bar, or when it cannot be told."""
        return self.bar.met(self) if self.bar else None

    def ratio(self, mine: str, peer: str) -> float | None:
        """The value as a multiple of the peer's: the median of the ratios of the rounds, or the
        ratio of the values where the rounds are not known."""
        ours, theirs = self.rounds.get(mine, []), self.rounds.get(peer, [])
        if ours and len(ours) == len(theirs) and all(theirs):
            return statistics.median(a / b for a, b in zip(ours, theirs, strict=True))
        value, other = self.values.get(mine), self.values.get(peer)
        return value / other if value is not None and other else None

    def range(self, contender: str) -> tuple[float, float] | None:
        """The lowest and the highest round; None when there were not several."""
        found = self.rounds.get(contender, [])
        return (min(found), max(found)) if len(found) > 1 else None
