# SPDX-License-Identifier: GPL-2.0-only
"""CHANGELOG.md as a changelog of Debian (deb-changelog(5)): a section `## VERSION - YYYY-MM-DD`, or
`## Unreleased` at the top, becomes an entry, `### Added` a heading in it, each item an item."""

import re
import textwrap
from datetime import UTC, datetime
from email.utils import format_datetime

from tools.errors import DevError

UNRELEASED = "Unreleased"
WIDTH = 78  # of a line; lintian wants less than 80


def debian_changelog(text: str, version: str, released: datetime, maintainer: str) -> str:
    """The changelog whose first entry has `version` and the time `released`. Older entries have
    what their headings say. DevError when a heading cannot be understood."""
    sections = re.split(r"^## +(.*)$", text, flags=re.M)[1:]
    if not sections:
        raise DevError("CHANGELOG.md has no section '## VERSION - YYYY-MM-DD' or '## Unreleased'")
    entries = []
    for title, body in zip(sections[::2], sections[1::2], strict=True):
        name, date = (version, released) if not entries else heading(title)
        entries.append(entry(name, date, body, maintainer))
    return "\n".join(entries)


def heading(title: str) -> tuple[str, datetime]:
    """Version and day of a section of the past."""
    match = re.fullmatch(r"(\d[\w.+~]*) - (\d{4}-\d\d-\d\d)", title.strip())
    if not match:
        raise DevError(f"CHANGELOG.md: '## {title}' is not '## VERSION - YYYY-MM-DD'")
    return match[1], datetime.fromisoformat(match[2]).replace(tzinfo=UTC)


def entry(version: str, date: datetime, body: str, maintainer: str) -> str:
    """One entry, with an empty line behind each part, as Debian's tools write it."""
    lines = [f"basalt ({version}) bookworm; urgency=medium", ""]
    for kind, item in items(body):
        if kind == "heading":
            lines += ([""] if lines[-1] else []) + [f"  [ {item} ]"]
        else:
            lines += textwrap.wrap(
                item, WIDTH, initial_indent="  * ", subsequent_indent="    ",
                break_long_words=False, break_on_hyphens=False,
            )  # fmt: skip
    lines += ["", f" -- {maintainer}  {format_datetime(date)}", ""]
    return "\n".join(lines)


def items(body: str) -> list[tuple[str, str]]:
    """('heading' or 'item', text on one line) of a section; other paragraphs count as items."""
    found: list[tuple[str, str]] = []
    for line in body.splitlines():
        title = re.match(r"### +(.*)", line)
        item = re.match(r" *[-*] +(.*)", line)
        if title:
            found.append(("heading", title[1].strip()))
        elif item:
            found.append(("item", item[1].strip()))
        elif line.strip() and found and found[-1][0] == "item":
            found[-1] = ("item", f"{found[-1][1]} {line.strip()}")
        elif line.strip():
            found.append(("item", line.strip()))
    return found
