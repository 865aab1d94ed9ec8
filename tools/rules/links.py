# SPDX-License-Identifier: GPL-2.0-only
"""What a page names exists: targets of its links, and in docs/glossary.md every path."""

import re
from pathlib import Path

from tools.rules import prose

GLOSSARY = Path("docs/glossary.md")

_LINK = re.compile(r"\]\(([^)#\s]*)(?:#[^)]*)?\)")
_PATH = re.compile(r"`((?:src|docs|tests|tools|bench|programs)/[\w./-]+)`")


def check(root: Path, files: list[Path]) -> list[str]:
    found = []
    for path in filter(prose.is_page, files):
        found += check_page(root, path, (root / path).read_text())
    return found


def check_page(root: Path, path: Path, text: str) -> list[str]:
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        named = [path.parent / t for t in _LINK.findall(line) if t and "://" not in t]
        if path == GLOSSARY:
            named += [Path(t) for t in _PATH.findall(line)]
        found += [
            f"{path}:{number}: names {target}, which does not exist"
            for target in named
            if not (root / target).exists()
        ]
    return found
