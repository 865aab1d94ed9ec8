# SPDX-License-Identifier: GPL-2.0-only
"""Which files are in the site: the pages of the project, and what they link to. They lie below the
folder that MkDocs reads as they do in the repository, so that their links hold."""

import re
import shutil
from pathlib import Path

from tools import paths, rules

LEFT_OUT = ("third_party",)
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def pages(files: list[Path]) -> list[Path]:
    """The Markdown files of the project, relative to its root."""
    return [p for p in files if p.suffix == ".md" and p.parts[0] not in LEFT_OUT]


def linked(root: Path, page: Path) -> list[Path]:
    """Files of the project that a page links to, relative to the root; its pages aside."""
    found = []
    for target in LINK.findall((root / page).read_text()):
        path = (root / page).parent / target
        if "://" not in target and path.is_file() and path.suffix != ".md":
            found.append(path.resolve().relative_to(root))
    return found


def stage(folder: Path, root: Path = paths.ROOT) -> list[Path]:
    """Copies all into a folder, anew; returns the pages."""
    shutil.rmtree(folder, ignore_errors=True)
    found = pages(rules.files_of_project(root))
    for path in {*found, *(target for page in found for target in linked(root, page))}:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / path, folder / path)
    return found
