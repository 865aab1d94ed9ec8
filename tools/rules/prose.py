# SPDX-License-Identifier: GPL-2.0-only
"""Plain English: no sentence of a page is longer than 30 words, and no comment of a header begins
with "Likewise" or "The same", which nobody can read alone. A ratchet, as the budgets are.

What counts: paragraphs and items of lists. Tables, code, headings and pictures do not. A name in
backquotes is one word, and so is a list of such names.
"""

import json
import re
from pathlib import Path

MOST_WORDS = 30
WHAT = "sentences"
BASELINE = Path(__file__).with_name("baseline.json")
# CHANGELOG.md is history, what others wrote keeps its words
PAGES = ("docs", "src", "tests", "bench", "tools", "programs")
TOP_PAGES = {Path("README.md"), Path("CONTRIBUTING.md")}

_FENCE = re.compile(r"^ *(```|~~~).*?^ *\1[^\n]*$", re.S | re.M)
_CODE = re.compile(r"``.+?``|`[^`]+`", re.S)
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_NAMES = re.compile(r"§(?:(?:,? (?:and|or)|,) §)+")
_ITEM = re.compile(r"^ *(?:[-*+]|\d+[.)]) +")
_NO_PROSE = re.compile(r"^ *(?:\||#|<|    )|^ *[-=*_]{3,} *$")
_END = re.compile(r"(?<=[.?!])[\"')*_]* +(?=[\"'(*_§\[]*[A-Z0-9§])")
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|etc|cf|vs|no|No)\.$")
_EMPTY_OPENING = re.compile(r"^\s*//[/!]*\s*(Likewise|The same)\b")


def is_page(path: Path) -> bool:
    return path in TOP_PAGES or (path.suffix == ".md" and path.parts[0] in PAGES)


def blocks(text: str) -> list[tuple[int, str]]:
    """The paragraphs and items of a page, each with the line it begins on; names are `§`."""

    def keep_lines(match: re.Match) -> str:
        return "\n" * match.group().count("\n")

    text = _FENCE.sub(keep_lines, text)
    text = _CODE.sub(lambda m: "§" + keep_lines(m), text)
    found: list[tuple[int, str]] = []
    opened = False
    for number, line in enumerate(text.split("\n"), 1):
        item = _ITEM.match(line)
        if not line.strip() or (
            _NO_PROSE.match(line) and not (item or opened and line[:4] == "    ")
        ):
            opened = False
        elif item or not opened:
            found.append((number, line[item.end() if item else 0 :].strip()))
            opened = True
        else:
            found[-1] = (found[-1][0], found[-1][1] + " " + line.strip())
    return found


def sentences(block: str) -> list[str]:
    block = _NAMES.sub("§", _LINK.sub(r"\1", block))
    found: list[str] = []
    for part in _END.split(block):
        if found and _ABBREVIATION.search(found[-1]):
            found[-1] += " " + part
        else:
            found.append(part)
    return found


def words(sentence: str) -> int:
    return sum(1 for word in sentence.split() if re.search(r"[\w§]", word))


def long_sentences(text: str) -> list[str]:
    """Each sentence that is too long, as `LINE: how long: how it begins`."""
    return [
        f"{line}: {words(sentence)} words in a sentence: {sentence[:40]}"
        for line, block in blocks(text)
        for sentence in sentences(block)
        if words(sentence) > MOST_WORDS
    ]


def empty_openings(text: str) -> list[str]:
    """Each comment that begins with words which only the text above it explains."""
    found = []
    before = ""
    for number, line in enumerate(text.split("\n"), 1):
        if _EMPTY_OPENING.match(line) and not before.lstrip().startswith("//"):
            found.append(f"{number}: a comment begins with a reference to another; say what it is")
        before = line
    return found


def findings(path: Path, text: str) -> list[str]:
    if is_page(path):
        return long_sentences(text)
    return empty_openings(text)


def is_read(path: Path) -> bool:
    return is_page(path) or (path.suffix == ".h" and path.parts[0] == "src")


def measure(path: Path, text: str) -> dict[str, int]:
    """The entry of the baseline for a file with findings."""
    number = len(findings(path, text))
    return {f"{path}: {WHAT}": number} if number else {}


def check(root: Path, files: list[Path]) -> list[str]:
    """The places, in files that have more of them than the baseline allows; budgets.py counts."""
    allowed = json.loads(BASELINE.read_text())
    found = []
    for path in filter(is_read, files):
        here = findings(path, (root / path).read_text())
        if len(here) > allowed.get(f"{path}: {WHAT}", 0):
            found += [f"{path}:{finding}" for finding in here]
    return found
