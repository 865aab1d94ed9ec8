# SPDX-License-Identifier: GPL-2.0-only
"""docs/operate/troubleshoot.md has every message of the engine, word for word.

A message is put together from strings in the code, names and numbers between them. So each string
is taken apart at what printf() fills in, and each part of some words has to stand on the page.
That holds for all strings, whatever function they are given to. A message of a new kind is found
too, and what is no message has to be named below.
"""

import re
from pathlib import Path

from tools.rules import cpp

PAGE = Path("docs/operate/troubleshoot.md")

# Strings of statistics, of views and of the reports that other pages describe.
OTHER_FOLDERS = ("src/server/information_schema", "src/server/reports", "src/server/measures")
# Calls whose strings nobody reads as a message.
OTHER_CALLS = ("BASALT_ASSERT", "Show", "StartWorkerThread", "fprintf")
# What the code looks for in the words of RocksDB, and a name that no message has.
NO_MESSAGES = {
    "Unable to persist options",
    "Waiting after background",
    "formulas of ranks",
    "read free modes",
    "while open a file",
}
# Calls that tell somebody something, so that two words are a message already.
REPORTS = re.compile(
    r"sql_print_\w+|my_\w*error|push_warning\w*|Report\w*|Status|MapStatus|Log\w*|log_?"
    r"|Refuse\w*|Refused|Corrupt|Contradiction|Wrong|Disagree|Failure|Unsupported|MustCopy|AddText"
)
# Behind this the plugin says what it is made of: names and titles.
_DECLARATION = "maria_declare_plugin("

_FILLED_IN = re.compile(r"%[-+ #0]*[\d.*]*(?:ll|[lzh])?[a-zA-Z]")
_EDGES = " \t\n:,;.'\"()"


def plain(text: str) -> str:
    """The text without line breaks and the signs of Markdown, for comparisons."""
    return " ".join(text.replace("`", "").replace("\\|", "|").split())


def parts(literal: cpp.Literal) -> list[str]:
    """What of a string is a message: pieces between what is filled in, of two or three words."""
    fewest = 2 if REPORTS.fullmatch(literal.call) else 3
    pieces = [plain(piece).strip(_EDGES) for piece in _FILLED_IN.split(literal.text)]
    return [p for p in pieces if sum(1 for w in p.split() if re.search("[A-Za-z]", w)) >= fewest]


def messages(text: str) -> list[tuple[int, str]]:
    """(line, part of a message) for each that a source can print."""
    return [
        (literal.line, part)
        for literal in cpp.literals(text.partition(_DECLARATION)[0])
        if literal.call not in OTHER_CALLS
        for part in parts(literal)
        if part not in NO_MESSAGES
    ]


def is_read(path: Path) -> bool:
    return (
        cpp.is_cpp(path)
        and path.parts[0] == "src"
        and not path.as_posix().startswith(OTHER_FOLDERS)
    )


def check_file(path: Path, text: str, page: str) -> list[str]:
    """`page`: what plain() has made of it."""
    return [
        f"{path}:{line}: {PAGE} lacks the message: {part}"
        for line, part in messages(text)
        if part not in page
    ]


def check(root: Path, files: list[Path]) -> list[str]:
    page = plain((root / PAGE).read_text())
    return [
        finding
        for path in filter(is_read, files)
        for finding in check_file(path, (root / path).read_text(), page)
    ]
