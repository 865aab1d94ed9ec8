# SPDX-License-Identifier: GPL-2.0-only
"""What the server says of a binary log that it has cut off at a return as a replica.

Where two engines take part, MariaDB 10.11 may cut wrongly (docs/durability.md): a transaction that
one of its engines has committed comes behind others that are only prepared. The server first
moves the cut behind all of them, counts them into @@gtid_binlog_state, and then takes the first
cut nevertheless (sql/log.cc, Recovery_context::next_binlog_or_round). The replica then goes on
behind transactions that it does not have."""

import re

CUT = re.compile(r"to remove transactions starting from GTID (\d+)-(\d+)-(\d+)")


def last_cut(error_log: str) -> tuple[int, int, int] | None:
    """The first GTID that was cut off, (domain, server, number); None when nothing was."""
    found = CUT.findall(error_log)
    return tuple(int(number) for number in found[-1]) if found else None


def counts_what_it_cut(error_log: str, binlog_state: str) -> bool:
    """Whether the state, `@@gtid_binlog_state` after the cut, holds a transaction that was cut."""
    cut = last_cut(error_log)
    if cut is None:
        return False
    for text in filter(None, binlog_state.split(",")):
        domain, server, number = (int(part) for part in text.strip().split("-"))
        if (domain, server) == cut[:2] and number >= cut[2]:
            return True
    return False
