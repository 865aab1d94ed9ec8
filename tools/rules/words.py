# SPDX-License-Identifier: GPL-2.0-only
"""What no file may name: hosts of package registries, folders of one machine. Licence lines. Verbs
that a function is not named by, since another has that meaning (CONTRIBUTING.md)."""

import re
from pathlib import Path

# this file spells the words, Cargo writes its lock file itself
EXEMPT = {Path("tools/rules/words.py"), Path("third_party/crates/Cargo.lock"), Path("LICENSE")}
MADE_UP = Path("tests/fuzz/corpus")  # bytes of a fuzzer, text only by chance
FORBIDDEN = [
    (re.compile(r"\b(?:static\.|index\.)?crates\.io\b"), "names the host of a package registry"),
    (re.compile(r"\bpypi\.org\b|\bpythonhosted\.org\b"), "names the host of a package registry"),
    (re.compile(r"\b(?:deb|security|snapshot)\.debian\.org\b"), "names the host of a mirror"),
    (
        re.compile(r"(?<![\w.$}{)-])/(?:work|root|home/\w+|tmp/boot)/"),
        "names a folder of one machine",
    ),
    (re.compile(r"\bissue #?\d+\b", re.I), "names an issue; say what it is about instead"),
    (re.compile(r"[ \t]$", re.M), "blank at the end of the line"),
]
# verb -> the one that the sources use for what it means
VERBS = {
    "Abandon": "Abort",
    "Await": "WaitFor",
    "Cease": "Stop",
    "Commence": "Begin",
    "Enrol": "Add or Register",
    "Enter": "Begin",
    "Give": "Release",
    "Judge": "Check",
    "Obtain": "Get or Acquire",
    "Reload": "Refresh",
    "Renew": "Refresh",
    "Retrieve": "Get",
    "Say": "Report or Warn",
    "Strike": "Remove",
    "Tell": "Report or Notify",
    "Terminate": "Stop",
}
_VERB = re.compile(rf"^(?:(?!//).)*?\b({'|'.join(VERBS)})(?=[A-Z(])\w*\(", re.M)
LICENCE = "SPDX-License-Identifier: GPL-2.0-only"
LICENSED = {".h", ".cc", ".py", ".cmake", ".rs"}
# expected output and prose may end in blanks
BLANKS_ALLOWED = {".md", ".result", ".test", ".txt", ".inc"}


def check(root: Path, files: list[Path]) -> list[str]:
    found = []
    for path in files:
        if path in EXEMPT or path.is_relative_to(MADE_UP):
            continue
        try:
            text = (root / path).read_text()
        except UnicodeDecodeError:
            continue  # binary test data
        found += check_file(path, text)
    return found


def check_file(path: Path, text: str) -> list[str]:
    found = []
    for pattern, why in FORBIDDEN:
        if pattern.pattern.startswith("[ ") and path.suffix in BLANKS_ALLOWED:
            continue
        for match in pattern.finditer(text):
            found.append(f"{path}:{text.count(chr(10), 0, match.start()) + 1}: {why}")
    if path.parts[0] == "src" and path.suffix in (".h", ".cc"):
        for match in _VERB.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            verb = match.group(1)
            found.append(f"{path}:{line}: a function named by {verb}; say {VERBS[verb]}")
    if path.suffix in LICENSED and LICENCE not in "".join(text.splitlines(True)[:2]):
        found.append(f"{path}:1: the first line must say {LICENCE}")
    if path.suffix == ".h" and "#pragma once" not in text:
        found.append(f"{path}:1: no #pragma once")
    return found
