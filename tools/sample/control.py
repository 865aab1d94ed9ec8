# SPDX-License-Identifier: GPL-2.0-only
"""Debian control data: stanzas of `Field: value` lines, parted by empty lines.

Format: Debian Policy Manual, chapter 5 ("Control files and their fields").
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

# a field name: printable ASCII without space and colon, not starting with # or - (Policy 5.1)
FIELD = re.compile(r"([!\"$-,./-9;-~][!-9;-~]*):[ \t]*(.*)")
EXAMPLES_KEPT = 5


@dataclass
class Complaints:
    """What could not be read: how often each kind, and the first few examples."""

    counts: Counter = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)

    def add(self, kind: str, example: str) -> None:
        self.counts[kind] += 1
        if len(self.examples) < EXAMPLES_KEPT:
            self.examples.append(f"{kind}: {example[:120]!r}")

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    def summary(self) -> str:
        """One line, e.g. '3 (2 x not UTF-8, 1 x no field name)'; '0' without complaints."""
        kinds = ", ".join(f"{n} x {kind}" for kind, n in self.counts.most_common())
        return f"{self.total} ({kinds})" if kinds else "0"


def stanzas(lines: Iterable[bytes], complaints: Complaints) -> Iterator[dict[str, str]]:
    """The stanzas of a file, field names in lower case. A continuation line is appended after a
    newline, without its first blank. A bad line is counted and left out; its stanza stays."""
    stanza: dict[str, str] = {}
    name = ""
    for raw in lines:
        line = decode(raw, complaints).rstrip("\r\n")
        if not line.strip():
            if stanza:
                yield stanza
            stanza, name = {}, ""
        elif line[0] in " \t":
            if name:
                stanza[name] += "\n" + line[1:].rstrip()
            else:
                complaints.add("continuation of nothing", line)
        elif line[0] != "#":
            name = read_field(line, stanza, complaints)
    if stanza:
        yield stanza


def read_field(line: str, stanza: dict[str, str], complaints: Complaints) -> str:
    """Adds one field to the stanza; returns its name, '' when the line is none or a repetition."""
    match = FIELD.fullmatch(line)
    if match is None:
        complaints.add("no field name", line)
        return ""
    name = match.group(1).lower()
    if name in stanza:
        complaints.add("field given twice", line)
        return ""
    stanza[name] = match.group(2).rstrip()
    return name


def decode(raw: bytes, complaints: Complaints) -> str:
    """UTF-8; bytes that are not become U+FFFD and are counted. So do zero bytes, which no field
    may hold."""
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        text = raw.decode(errors="replace")
        complaints.add("not UTF-8", text)
    if "\0" in text:
        complaints.add("zero byte", text)
        text = text.replace("\0", "\ufffd")
    return text
