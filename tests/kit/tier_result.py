# SPDX-License-Identifier: GPL-2.0-only
"""The test tiers of `./dev test`: each is a folder of tests/ with a module tier.py.

tier.py defines
    NAME                          optional: the tier's name, else the folder's
    HELP                          one line
    def run(args) -> TierResult   runs it and prints what happens as it goes
    def add_arguments(group)      optional: options of its own, with names no other tier uses
`args` always has: filter (str or None), seed (int or None), seconds (float or None: the tier's own
default), sanitize, rewrite, long (bool).
A tier never raises for a failing test; it raises DevError when it cannot run at all, which
`./dev test` counts as one failure.
"""

from dataclasses import dataclass, field


@dataclass
class TierResult:
    """What one tier did. Counts are tests as a reader would count them, not assertions."""

    name: str
    passed: int
    failed: int
    skipped: int = 0
    seconds: float = 0.0
    # the shell command that runs the failed part again, e.g. "./dev test quick --filter KeyCodec"
    repeat_command: str = ""
    # names of the failed tests, with a reason where one line tells it
    failures: list[str] = field(default_factory=list)
