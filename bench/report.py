# SPDX-License-Identifier: GPL-2.0-only
"""What a benchmark has found: the one model that page, terminal and JSON show alike.

Every program fills in a Report; nothing of how it is shown is known here.
"""

import statistics
from dataclasses import asdict, dataclass, field, replace

from bench import contenders
from bench.figure import MINE, Bar, Figure
from bench.plot import Plot
from bench.table import Cell, Table


@dataclass
class Report:
    """One benchmark. `size` says in words what was run; `failures` what did not end or came out
    wrong; `facts` what someone needs to repeat it. `tables` are lists that compare no contenders.
    `titles`: contender -> name, for contenders that are no engines. `seconds_measured`: the lines
    of seconds.csv, which is a file of its own (bench/seconds.py)."""

    name: str
    title: str
    size: str
    engines: list[str]
    figures: list[Figure] = field(default_factory=list)
    plots: list[Plot] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    tables: list[Table] = field(default_factory=list)
    titles: dict[str, str] = field(default_factory=dict)
    seconds_measured: list[list] = field(default_factory=list)

    @property
    def mine(self) -> str:
        """The contender that is compared with the others: Basalt, or else the first."""
        return MINE if MINE in self.engines or not self.engines else self.engines[0]

    @property
    def peers(self) -> list[str]:
        return [engine for engine in self.engines if engine != self.mine]

    def title_of(self, engine: str) -> str:
        return self.titles.get(engine) or contenders.title_of(engine)

    def add(
        self,
        name: str,
        unit: str,
        values: dict[str, float | None],
        more_is_better: bool | None = True,
        bar: Bar | None = None,
        part: str = "",
    ) -> None:
        self.figures.append(Figure(name, unit, values, more_is_better, bar, part=part))

    def add_rounds(
        self,
        name: str,
        unit: str,
        rounds: dict[str, list[float | None]],
        more_is_better: bool | None = True,
        bar: Bar | None = None,
        part: str = "",
        words: dict[str, str] | None = None,
    ) -> None:
        """A figure of which the single rounds are known; its values are their medians. A round may
        be None: then the contender has a median of the others, and no rounds to compare; one that
        has none at all shows its `words`."""
        values = {e: median(found) for e, found in rounds.items()}
        whole = {e: found for e, found in rounds.items() if None not in found}
        self.figures.append(
            Figure(name, unit, values, more_is_better, bar, whole, part, words or {})
        )

    def as_json(self) -> dict:
        """All of it, with the ratios and whether each bar is met."""
        plain = asdict(replace(self, seconds_measured=[]))
        for figure, known in zip(plain["figures"], self.figures, strict=True):
            figure["met"] = known.met
            others = [e for e in known.values if e != self.mine]
            figure["ratios"] = {e: known.ratio(self.mine, e) for e in others}
        return plain

    @classmethod
    def from_json(cls, plain: dict) -> "Report":
        """What as_json() has kept, also of an older version that knew fewer fields."""
        known = dict(plain)
        known["figures"] = [figure_of(one) for one in plain["figures"]]
        known["plots"] = [Plot(**one) for one in plain["plots"]]
        known["tables"] = [table_of(one) for one in plain.get("tables", [])]
        return cls(**known)


def median(rounds: list[float | None]) -> float | None:
    """None without a number."""
    numbers = [value for value in rounds if value is not None]
    return statistics.median(numbers) if numbers else None


def figure_of(plain: dict) -> Figure:
    """Ratios and verdict are computed again."""
    known = {name: value for name, value in plain.items() if name not in ("met", "ratios")}
    if known.get("bar"):
        known["bar"] = Bar(**known["bar"])
    return Figure(**known)


def table_of(plain: dict) -> Table:
    rows = [[Cell(**cell) for cell in row] for row in plain["rows"]]
    return Table(plain["title"], plain["head"], rows, plain["left"])
