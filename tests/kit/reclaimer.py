# SPDX-License-Identifier: GPL-2.0-only
"""Waits until the space of dropped indexes has come back."""

import time
from collections.abc import Callable

SECONDS_TO_RECLAIM = 60


def wait_for_reclaimer(execute: Callable[[str], list[tuple]]) -> bool:
    """False when it does not end in time."""
    waiting = (
        "SELECT COUNT(*) FROM information_schema.ROCKSDB_GLOBAL_INFO"
        " WHERE type = 'DDL_DROP_INDEX_ONGOING'"
    )
    deadline = time.monotonic() + SECONDS_TO_RECLAIM
    while execute(waiting)[0][0] != 0:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True
