# SPDX-License-Identifier: GPL-2.0-only
"""Spelling of all pages, by codespell's lists of words that are often spelt wrongly."""

import subprocess
import sys
from pathlib import Path

from tools import paths, rules
from tools.setup import website
from tools.website import staging

LISTS = ("--builtin", "clear,rare,code,names")
# right here, and in codespell's lists
WORDS = Path(__file__).with_name("words.txt")


def findings(files: list[Path], root: Path = paths.ROOT) -> list[str]:
    """`PATH:LINE: WRONG ==> RIGHT` for each word that is spelt wrongly."""
    command = [sys.executable, "-P", "-m", "codespell_lib", "--ignore-words", str(WORDS), *LISTS]
    done = subprocess.run(
        [*command, *map(str, files)],
        env=website.environment(),
        cwd=root,
        capture_output=True,
        text=True,
    )
    if done.returncode not in (0, 65):  # 65: words were found
        return [f"codespell: {done.stderr.strip()}"]
    return done.stdout.splitlines()


def check() -> list[str]:
    return findings(staging.pages(rules.files_of_project()))
