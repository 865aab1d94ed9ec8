# SPDX-License-Identifier: GPL-2.0-only
"""Named series of points, as a benchmark hands them over to be drawn."""

from dataclasses import dataclass, field


@dataclass
class Plot:
    """`series`: contender -> points. `kind` is 'lines', 'steps', or 'bars' with texts as the
    points' x. `rounds` are further points, drawn as small marks over the bars. `level` is a line
    across the plot at that height."""

    title: str
    x_label: str
    y_label: str
    series: dict[str, list[tuple]]
    kind: str = "lines"
    note: str = ""
    log_y: bool = False
    log_x: bool = False
    rounds: dict[str, list[tuple]] = field(default_factory=dict)
    level: float | None = None
