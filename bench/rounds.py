# SPDX-License-Identifier: GPL-2.0-only
"""What several rounds of a benchmark have measured, rearranged for its report: by contender and
round come all names at once, and a figure wants the rounds of one name."""

import statistics
from collections.abc import Mapping, Sequence

from bench.plot import Plot

# contender -> what each of its rounds has measured, by name
Rounds = Mapping[str, Sequence[Mapping[str, float]]]


def names_of(rounds: Rounds) -> list[str]:
    return list(next(iter(rounds.values()))[0])


def rounds_of(name: str, rounds: Rounds) -> dict[str, list[float]]:
    return {contender: [one[name] for one in found] for contender, found in rounds.items()}


def bars_of_medians(title: str, unit: str, rounds: Rounds, log_y: bool = False) -> Plot:
    """A bar for each contender and name."""
    medians = {
        contender: [(name, statistics.median(one[name] for one in found)) for name in found[0]]
        for contender, found in rounds.items()
    }
    return Plot(title, "", unit, medians, "bars", log_y=log_y)
