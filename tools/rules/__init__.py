# SPDX-License-Identifier: GPL-2.0-only
"""The rules of the house as code; `./dev lint` and the quick tests run check_all().

    layers.py   who may include what; calls that end the process
    rooms.py    folders inside a layer, and who may include whom; file names that stand once
    budgets.py  lengths of files and functions, share of comment in headers, as a ratchet
    imports.py  which Python package may import what
    words.py    what no file may name; licence lines; verbs that another stands for
    prose.py    no sentence of a page over 30 words; openings of comments, as a ratchet
    database.py who may ask for the running database
    links.py    what a page links to exists; so do all paths of docs/glossary.md
    messages.py docs/operate/troubleshoot.md has every message of the engine

A rule returns a list of findings, each one line `PATH:LINE: what is wrong`; none means it is kept.
"""

import subprocess
from pathlib import Path

from tools import paths


def files_of_project(root: Path = paths.ROOT) -> list[Path]:
    """All files under version control and new ones that are not ignored, relative to `root`."""
    command = ["git", "-C", str(root), "ls-files", "-z", "-c", "-o", "--exclude-standard"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 0:
        names = [Path(n) for n in done.stdout.split("\0") if n]
    else:  # an exported tree without .git
        found = (p.relative_to(root) for p in root.rglob("*"))
        names = [p for p in found if p.parts[0] not in (".git", "build")]
    return sorted(n for n in names if (root / n).is_file() and not (root / n).is_symlink())


def check_all(root: Path = paths.ROOT) -> list[str]:
    """The findings of all rules on a tree."""
    from tools.rules import (
        budgets,
        database,
        imports,
        layers,
        links,
        messages,
        prose,
        rooms,
        words,
    )

    files = files_of_project(root)
    all_rules = (layers, rooms, database, imports, budgets, words, prose, links, messages)
    return [f for rule in all_rules for f in rule.check(root, files)]
