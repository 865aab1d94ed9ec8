# SPDX-License-Identifier: GPL-2.0-only
"""Plots as <svg> elements, without a screen, and what the page's viewer must know to zoom them.

A drawing can be read as it is. Each series has an element of its own, named in `counts` with its
number of points, so that a check can tell whether all is there (bench/page_check.py).
"""

import io
import math
import re
from dataclasses import dataclass

from bench.plot import Plot
from bench.report import Report

# the three engines differ in brightness too (readable in grey and with colour blindness)
COLOURS = {
    "rocksdb": "#0b5d8f",
    "myrocks": "#e08a1e",
    "innodb": "#9aa0a6",
    "innodb-8k": "#6b7178",
    "innodb-4k": "#43484d",
    "innodb-page": "#c3a6c9",
}
# for contenders that are no engines, and for Basalt with another plugin file
OTHER_COLOURS = ("#0b5d8f", "#5aa2cf", "#e08a1e", "#9aa0a6", "#43484d", "#c3a6c9", "#2a7f62")
POINTS_PER_INCH = 72.0
# up to so many points of a line have a dot each
FEW_POINTS = 12
FEW_LABELS = 4


@dataclass(frozen=True)
class Drawing:
    """`counts`: id of an element -> how many points it draws. `view`: where the axes are, their
    limits and the points, as templates/viewer.js wants them."""

    name: str
    plot: Plot
    svg: str
    counts: dict[str, int]
    view: dict
    wide: bool


def draw(name: str, plot: Plot, report: Report) -> Drawing:
    """`name` is unique in its page."""
    import matplotlib

    matplotlib.use("svg")
    # all points are drawn, so that they can be counted
    wanted = {"svg.fonttype": "none", "font.size": 9, "path.simplify": False}
    with matplotlib.rc_context(wanted):
        from matplotlib import pyplot

        wide = is_wide(plot)
        image, axis = pyplot.subplots(figsize=(13, 3.4) if wide else (6.5, 3.4))
        axis.spines[["top", "right"]].set_visible(False)
        canvas = _Canvas(name, plot, report, axis)
        canvas.bars() if plot.kind == "bars" else canvas.lines()
        canvas.finish()
        image.tight_layout()
        return Drawing(name, plot, svg(image, name), canvas.counts, canvas.view(image), wide)


def is_wide(plot: Plot) -> bool:
    """Whether it takes the room of two: bars with many names below them."""
    labels = {p[0] for points in plot.series.values() for p in points}
    return plot.kind == "bars" and len(labels) > FEW_LABELS


class _Canvas:
    """Draws one plot on matplotlib's axes, and notes what it has drawn."""

    def __init__(self, name: str, plot: Plot, report: Report, axis):
        self.name, self.plot, self.report, self.axis = name, plot, report, axis
        self.filled = {e: points for e, points in plot.series.items() if points}
        self.counts: dict[str, int] = {}
        self.moving: list[str] = []  # elements that move when the page zooms
        self.series: list[dict] = []

    def lines(self) -> None:
        for engine, points in self.filled.items():
            element = f"{self.name}-{engine}"
            self.axis.plot(
                [p[0] for p in points], [p[1] for p in points], linewidth=1.4, gid=element,
                color=self.colour(engine), label=self.report.title_of(engine), markersize=4,
                marker="o" if len(points) < FEW_POINTS else "",
                drawstyle="steps-post" if self.plot.kind == "steps" else "default",
            )  # fmt: skip
            self.note(element, len(points))
            self.know(engine, [[shortened(x), shortened(y)] for x, y in points])
        if self.plot.log_x:
            self.axis.set_xscale("log")
        if not self.plot.log_y:
            self.axis.set_ylim(bottom=0)

    def bars(self) -> None:
        """Groups of bars, one a text on the x axis; each bar is an element of its own."""
        labels = list(dict.fromkeys(p[0] for points in self.filled.values() for p in points))
        width = 0.8 / max(1, len(self.filled))
        for place, (engine, points) in enumerate(self.filled.items()):
            shift = (place - (len(self.filled) - 1) / 2) * width
            colour, title = self.colour(engine), self.report.title_of(engine)
            xs, ys = [labels.index(p[0]) + shift for p in points], [p[1] for p in points]
            made = self.axis.bar(xs, ys, width * 0.92, color=colour, label=title)
            for number, patch in enumerate(made):
                patch.set_gid(f"{self.name}-{engine}-{number}")
                self.note(f"{self.name}-{engine}-{number}", 1)
            self.know(
                engine,
                [[labels.index(t), shortened(y), t.replace("\n", " ")] for t, y in points],
            )
            self.single_rounds(engine, labels, shift)
        self.axis.set_xticks(range(len(labels)), labels)

    def single_rounds(self, engine: str, labels: list[str], shift: float) -> None:
        points = self.plot.rounds.get(engine, [])
        if points:
            element = f"{self.name}-{engine}-rounds"
            xs = [labels.index(p[0]) + shift for p in points]
            ys = [p[1] for p in points]
            self.axis.plot(xs, ys, "_", color="black", markersize=6, gid=element)
            self.note(element, len(points))

    def finish(self) -> None:
        if self.plot.level is not None:
            element = f"{self.name}-level"
            self.axis.axhline(self.plot.level, color="#444444", linewidth=0.8, gid=element)
            self.note(element, 2)
        if self.plot.log_y:
            self.axis.set_yscale("log")
        self.axis.set_xlabel(self.plot.x_label)
        self.axis.set_ylabel(self.plot.y_label)
        if self.filled:
            self.axis.legend(frameon=False, ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0))

    def note(self, element: str, points: int) -> None:
        self.counts[element] = points
        self.moving.append(element)

    def know(self, engine: str, points: list[list]) -> None:
        known = {"title": self.report.title_of(engine), "colour": self.colour(engine)}
        self.series.append(known | {"points": points})

    def colour(self, engine: str) -> str:
        if engine in COLOURS:
            return COLOURS[engine]
        order = [e for e in self.report.engines if e not in COLOURS]
        place = order.index(engine) if engine in order else 0
        taken = {COLOURS[e] for e in self.report.engines if e in COLOURS}
        free = [colour for colour in OTHER_COLOURS if colour not in taken]
        return free[place % len(free)]

    def view(self, image) -> dict:
        """After the layout; lengths in the units of the <svg>, from its left upper corner."""
        width, height = (inches * POINTS_PER_INCH for inches in image.get_size_inches())
        place = self.axis.get_position()
        box = [place.x0 * width, (1 - place.y1) * height,
               place.width * width, place.height * height]  # fmt: skip
        return {
            "box": [round(length, 3) for length in box],
            "x": {"ends": list(self.axis.get_xlim()), "log": self.plot.log_x},
            "y": {"ends": list(self.axis.get_ylim()), "log": self.plot.log_y},
            "bars": self.plot.kind == "bars",
            "unit": self.plot.y_label,
            "moving": self.moving,
            "series": self.series,
        }


def shortened(value: float | None) -> float | None:
    """Six digits are enough to be read. None for what is no number."""
    return float(f"{value:.6g}") if value is not None and math.isfinite(value) else None


def svg(image, name: str) -> str:
    """The figure as an <svg> element that refers to nothing outside."""
    from matplotlib import pyplot

    buffer = io.StringIO()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    image.savefig(buffer, format="svg", metadata=nothing)
    pyplot.close(image)
    text = buffer.getvalue()
    # names of XML, which HTML does not want
    text = re.sub(r'\sxmlns(:\w+)?="[^"]*"', "", text[text.index("<svg") :])
    return private_ids(text.replace("xlink:href", "href"), name)


def private_ids(image: str, name: str) -> str:
    """Ids within one image are unique in that image only: clip paths and marks get the plot's name
    before theirs, so that many images share a page."""
    mine = rf"(?!{re.escape(name)}-)"
    image = re.sub(rf'\bid="{mine}', f'id="in-{name}-', image)
    image = re.sub(r"url\(#", f"url(#in-{name}-", image)
    return re.sub(r'href="#', f'href="#in-{name}-', image)
