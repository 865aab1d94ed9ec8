# SPDX-License-Identifier: GPL-2.0-only
"""The reports' HTML: templates/*.html, filled in by Jinja2, which escapes all but drawings."""

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

FOLDER = Path(__file__).with_name("templates")


def render(name: str, **values) -> str:
    """A name that a template uses and nobody has given is an error."""
    environment = Environment(
        loader=FileSystemLoader(FOLDER), autoescape=True, undefined=StrictUndefined
    )
    return environment.get_template(name).render(**values)


def drawing(svg: str) -> Markup:
    """An <svg> element that goes into a page as it is."""
    return Markup(svg)
