# SPDX-License-Identifier: GPL-2.0-only
"""The Python packages that `./dev docs` needs, in a folder of the cache. They are fetched on first
use, since no other command needs them."""

import os
import sys
from pathlib import Path

from tools import paths
from tools.setup import python_packages
from tools.setup.step import lock, new_folder, say

REQUIREMENTS = Path(__file__).with_name("website_requirements.txt")


def home() -> Path:
    return paths.cache() / "website"


def wanted() -> str:
    """What the folder holds once it is complete."""
    python = f"python {sys.version_info.major}.{sys.version_info.minor}"
    return f"{python}\n{REQUIREMENTS.read_text()}"


def complete() -> bool:
    stamp = home() / "complete"
    return stamp.is_file() and stamp.read_text() == wanted()


def install() -> None:
    """Fetches them unless that was done. DevError when the package registry is out of reach."""
    if complete():
        return
    with lock("website"):
        if complete():
            return
        say("fetching the Python packages for the site (once)")
        with new_folder(home()) as fresh:
            python_packages.fetch(
                REQUIREMENTS, fresh / "python", "website", "packages that make the site"
            )
            (fresh / "complete").write_text(wanted())


def environment() -> dict[str, str]:
    """The environment in which `python -m mkdocs` and `python -m codespell_lib` are found."""
    return {**os.environ, "PYTHONPATH": str(home() / "python")}
