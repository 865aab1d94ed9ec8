# SPDX-License-Identifier: GPL-2.0-only
"""Positions in the history of servers: GTIDs of MariaDB, one for each domain."""

import re
from dataclasses import dataclass

from programs.backup.errors import BackupError

ONE = re.compile(r"(\d{1,10})-(\d{1,10})-(\d{1,20})")


@dataclass(frozen=True)
class Gtid:
    domain: int
    server: int
    sequence: int

    def __str__(self) -> str:
        return f"{self.domain}-{self.server}-{self.sequence}"


Position = dict[int, Gtid]


def parse(text: str) -> Position:
    """The last GTID of each domain. BackupError for what is no position."""
    found: Position = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        match = ONE.fullmatch(part)
        if match is None:
            raise BackupError(
                f"'{text}' is no position: GTIDs are like 0-1-57, with commas between"
            )
        gtid = Gtid(*map(int, match.groups()))
        found = later(found, {gtid.domain: gtid})
    return found


def text_of(position: Position) -> str:
    return ",".join(str(position[domain]) for domain in sorted(position))


def later(one: Position, other: Position) -> Position:
    """Of each domain the later one."""
    return {**one, **beyond(other, one)}


def beyond(position: Position, reached: Position) -> Position:
    """What of `position` is behind the end of `reached`."""
    return {
        domain: gtid
        for domain, gtid in position.items()
        if domain not in reached or gtid.sequence > reached[domain].sequence
    }
