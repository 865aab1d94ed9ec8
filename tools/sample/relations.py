# SPDX-License-Identifier: GPL-2.0-only
"""Relations between packages: `Depends: libc6 (>= 2.34), default-mta | mail-transport-agent`.

Format: Debian Policy Manual, chapter 7 ("Declaring relationships between packages").
"""

import re
from typing import NamedTuple

from tools.sample.control import Complaints

KINDS = (
    "Pre-Depends", "Depends", "Recommends", "Suggests", "Enhances",
    "Breaks", "Conflicts", "Replaces", "Provides",
)  # fmt: skip
RELATION = re.compile(
    r"""(?P<name>[A-Za-z0-9][A-Za-z0-9+._-]*)
        (?: : (?P<architecture>[a-z0-9-]+) )? \s*
        (?: \( \s* (?P<operator><<|<=|>=|>>|=|<|>) \s* (?P<version>[^\s()<=>]+) \s* \) )? \s*
        (?: \[ [^\]]* \] )? \s*
        (?: < [^<>]* > \s* )*""",
    re.VERBOSE,
)
# once allowed and still found: they mean "or equal" (Policy 7.1)
OLD_OPERATORS = {"<": "<=", ">": ">="}


class Relation(NamedTuple):
    """One alternative of one group; the groups of a field must all hold, one alternative each.
    `group` and `alternative` count from 1."""

    group: int
    alternative: int
    name: str
    architecture: str | None
    operator: str | None
    version: str | None


def parse(text: str, complaints: Complaints) -> list[Relation]:
    """All relations of one field; what does not parse is counted and left out."""
    found = []
    for group, alternatives in enumerate(text.split(","), 1):
        if not alternatives.strip():
            continue  # a comma at the end
        for alternative, item in enumerate(alternatives.split("|"), 1):
            match = RELATION.fullmatch(item.strip())
            if match is None:
                complaints.add("unreadable relation", item.strip())
                continue
            operator = match["operator"]
            found.append(
                Relation(
                    group,
                    alternative,
                    match["name"],
                    match["architecture"],
                    OLD_OPERATORS.get(operator, operator),
                    match["version"],
                )
            )
    return found
