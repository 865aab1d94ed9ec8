# SPDX-License-Identifier: GPL-2.0-only
"""What a benchmark has found, as a list of figures and plots that screen, page and JSON show alike.

A figure is one number for each contender; its bar says what it should be for Basalt. A plot is
named series of points.
"""

from dataclasses import asdict, dataclass, field

MINE = "rocksdb"


@dataclass(frozen=True)
class Bar:
    """A limit for Basalt's value, or with `against` for its ratio to that contender's. `at` says
    for which size of the benchmark it was set."""

    limit: float
    at_least: bool = True
    against: str | None = None
    at: str = ""

    def value(self, values: dict[str, float | None]) -> float | None:
        """What is compared with the limit; None when a part of it is missing."""
        mine = values.get(MINE)
        if mine is None or self.against is None:
            return mine
        return ratio(values, self.against)

    def met(self, values: dict[str, float | None]) -> bool | None:
        found = self.value(values)
        if found is None:
            return None
        return found >= self.limit if self.at_least else found <= self.limit


@dataclass
class Figure:
    """`values`: contender -> number in `unit`; None where there is none. `more_is_better` colours
    the ratios; None for a number that is neither good nor bad."""

    name: str
    unit: str
    values: dict[str, float | None]
    more_is_better: bool | None = True
    bar: Bar | None = None

    @property
    def met(self) -> bool | None:
        """None without a bar, or when it cannot be told."""
        return self.bar.met(self.values) if self.bar else None


@dataclass
class Plot:
    """`series`: contender -> points. `kind` is 'lines', or 'bars' with texts as the points' x."""

    title: str
    x_label: str
    y_label: str
    series: dict[str, list[tuple]]
    kind: str = "lines"
    note: str = ""
    log_y: bool = False
    log_x: bool = False


@dataclass
class Report:
    """One benchmark. `size` says in words what was run; `failures` what did not end or came out
    wrong."""

    name: str
    title: str
    size: str
    engines: list[str]
    figures: list[Figure] = field(default_factory=list)
    plots: list[Plot] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0

    def add(
        self,
        name: str,
        unit: str,
        values: dict[str, float | None],
        more_is_better: bool | None = True,
        bar: Bar | None = None,
    ) -> None:
        self.figures.append(Figure(name, unit, values, more_is_better, bar))

    def as_json(self) -> dict:
        plain = asdict(self)
        for figure, known in zip(plain["figures"], self.figures, strict=True):
            figure["met"] = known.met
            figure["ratios"] = {
                e: ratio(known.values, e) for e in known.values if e != MINE
            }  # fmt: skip
        return plain


def ratio(values: dict[str, float | None], peer: str) -> float | None:
    """Basalt's value as a multiple of the peer's."""
    mine, theirs = values.get(MINE), values.get(peer)
    return mine / theirs if mine is not None and theirs else None


def bar_text(bar: Bar | None) -> str:
    """Like '>= 2.0 x InnoDB'."""
    if bar is None:
        return ""
    from bench.contenders import TITLES

    sign = ">=" if bar.at_least else "<="
    return f"{sign} {bar.limit:.3g}" + (f" x {TITLES[bar.against]}" if bar.against else "")


def mark(figure: Figure) -> str:
    return {True: "met", False: "MISSED", None: ""}[figure.met]


def number_text(value: float | None) -> str:
    """Three digits that count, thousands apart."""
    if value is None:
        return "-"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.3g}"
