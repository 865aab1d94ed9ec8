# SPDX-License-Identifier: GPL-2.0-only
"""Python packages in a folder of their own, apart from the environment of `./dev`."""

import sys
from pathlib import Path

from tools.errors import DevError
from tools.setup.step import log_end, quiet


def fetch(requirements: Path, folder: Path, log: str, what: str) -> None:
    """Fetches just the pinned packages that a file lists. DevError, which calls them `what`, when
    the package registry is out of reach."""
    command = [
        *(sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check"),
        *("--no-input", "--only-binary", ":all:", "--no-deps", "--no-compile", "--retries", "2"),
        *("--target", str(folder), "-r", str(requirements)),
    ]
    if not quiet(command, log):
        raise DevError(f"missing: {what}\n{log_end(log)}")
