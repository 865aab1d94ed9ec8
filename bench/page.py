# SPDX-License-Identifier: GPL-2.0-only
"""Reports as one HTML file with everything in it: templates/report.html, filled in by Jinja2.

The page fetches nothing, and a browser is told to refuse it. Its plots can be read without the
script, templates/viewer.js, which lets them be zoomed and shows values. Each plot is a <figure>
whose attribute data-series names the elements that must be drawn, with their numbers of points
(bench/page_check.py).
"""

import json
import time
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from bench import drawing, figure_table
from bench.report import Report

FOLDER = Path(__file__).with_name("templates")


def page(reports: list[Report]) -> str:
    """The whole file. A name that the template uses and nobody has given is an error."""
    environment = Environment(
        loader=FileSystemLoader(FOLDER), autoescape=True, undefined=StrictUndefined
    )
    return environment.get_template("report.html").render(
        title=", ".join(report.name for report in reports),
        now=time.strftime("%Y-%m-%d %H:%M"),
        style=Markup((FOLDER / "style.css").read_text()),
        viewer=Markup((FOLDER / "viewer.js").read_text()),
        overview=figure_table.overview(reports) if len(reports) > 1 else None,
        sections=[section(report) for report in reports],
    )


def section(report: Report) -> dict:
    return {
        "report": report,
        "tables": figure_table.tables(report),
        "drawings": [drawn(f"{report.name}-{n}", report, plot)
                     for n, plot in enumerate(report.plots)],
    }  # fmt: skip


def drawn(name: str, report: Report, plot) -> dict:
    """A drawing as the template wants it; the <svg> goes into the page as it is."""
    found = drawing.draw(name, plot, report)
    return {
        "name": name,
        "plot": plot,
        "wide": found.wide,
        "series": json.dumps(found.counts),
        "view": json.dumps(found.view, separators=(",", ":")),
        "image": Markup(found.svg),
    }
