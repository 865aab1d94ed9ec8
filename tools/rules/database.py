# SPDX-License-Identifier: GPL-2.0-only
"""Who may ask for the running database. It is handed over as a reference. Only a function that the
server calls with nothing to find it by asks RunningDatabase(), once; these are counted by file."""

import re
from collections import Counter
from pathlib import Path

from tools.rules import cpp

ACCESSOR = re.compile(r"\bRunningDatabase\b")
# the way round the accessor
MEMBER = re.compile(r"\b[Ss]tate(?:\(\))?\s*(?:\.|->)\s*database\b")

# where the accessor is declared; who opens the database and closes it
DECLARED = Path("src/server/plugin_state.h")
OWNER = Path("src/server/plugin/plugin.cc")
# file -> functions of the server's in it that ask. The numbers may only shrink.
ENTRY_POINTS = {
    "src/server/information_schema/view.cc": 1,
    "src/server/plugin/handlerton.cc": 12,
    "src/server/reports/engine_status.cc": 1,
    "src/server/reports/status_counters.cc": 1,
    "src/server/tables/discovery.cc": 3,
    "src/server/variables/variable_table.h": 2,
}


def check(root: Path, files: list[Path]) -> list[str]:
    calls: Counter[str] = Counter()
    found = []
    for path in files:
        if not cpp.is_cpp(path) or path.parts[0] != "src" or path == DECLARED:
            continue
        text = (root / path).read_text(errors="replace")
        if path != OWNER:
            found += members(path, text)
        calls[str(path)] = asks(text)
    return found + compare(calls, ENTRY_POINTS)


def asks(text: str) -> int:
    """How often a file asks; the parser is slow, and nearly all files do not."""
    return len(ACCESSOR.findall(cpp.code_only(text))) if ACCESSOR.search(text) else 0


def members(path: Path, text: str) -> list[str]:
    if not MEMBER.search(text):
        return []
    code = cpp.code_only(text)
    return [
        f"{path}:{code.count(chr(10), 0, match.start()) + 1}: takes the database from the state "
        "of the plugin; get it as a reference"
        for match in MEMBER.finditer(code)
    ]


def compare(calls: dict[str, int], allowed: dict[str, int]) -> list[str]:
    """Findings: files that ask more often than allowed, and allowances that could shrink."""
    found = []
    for path in sorted(calls.keys() | allowed.keys()):
        asked, most = calls.get(path, 0), allowed.get(path, 0)
        if asked > most:
            found.append(
                f"{path}:1: asks for the running database {asked} times (allowed: {most}); get it "
                "as a reference"
            )
        elif asked < most:
            found.append(f"{path}:1: lower its number in ENTRY_POINTS to {asked}")
    return found
