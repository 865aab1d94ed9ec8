# SPDX-License-Identifier: GPL-2.0-only
"""Parts of a tier that follow a seed and collect problems, in place of one assertion each."""

import time

from tests.kit.printable import printable
from tests.kit.tier_result import TierResult

MOST_FAULTS = 5  # of a part; then it ends


def search_until(searches, seconds: float) -> None:
    """Calls its search() until the time is up, or its `problems` are enough."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and len(searches.problems) < MOST_FAULTS:
        searches.search()


def table_problems(server, database: str) -> list[str]:
    """What CHECK TABLE says of the table t; nothing when that is OK."""
    said = server.sql("CHECK TABLE t EXTENDED", database)
    return [] if said.strip().endswith("OK") else [said]


def settle(name: str, problems: list[str], seed: int, result: TierResult) -> None:
    """Counts a part, and shows its first problems."""
    if not problems:
        result.passed += 1
        return
    result.failed += 1
    result.failures.append(name)
    result.repeat_command = f"./dev test {result.name} --seed {seed} --filter '{name}'"
    for problem in problems[:MOST_FAULTS]:
        print(f"   FAILED {name}: {printable(problem)}")
