# SPDX-License-Identifier: GPL-2.0-only
"""The Python packages that `./dev docs` needs, in a folder of the cache. They are fetched on first
use, since no other command needs them."""

import os
import sys
from pathlib import Path

from tools import paths
from tools.errors import DevError
from tools.setup.step import lock, log_end, new_folder, quiet, say

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
            command = [
                *(sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check"),
                *("--no-input", "--only-binary", ":all:", "--no-deps", "--no-compile"),
                *("--retries", "2", "--target", str(fresh / "python"), "-r", str(REQUIREMENTS)),
            ]
            if not quiet(command, "website"):
                raise DevError(f"missing: packages that make the site\n{log_end('website')}")
            (fresh / "complete").write_text(wanted())


def environment() -> dict[str, str]:
    """The environment in which `python -m mkdocs` and `python -m codespell_lib` are found."""
    return {**os.environ, "PYTHONPATH": str(home() / "python")}
