# SPDX-License-Identifier: GPL-2.0-only
"""What a long run tells while it works: one line a step, and how far it is, on standard error."""

import sys
import time

EVERY_SECONDS = 5.0


class Progress:
    """`quiet` tells nothing. Lines are for a terminal and for a log alike."""

    def __init__(self, quiet: bool = False):
        self.quiet = quiet
        self.step, self.bytes, self.told = "", 0, 0.0

    def begin(self, step: str) -> None:
        self.step, self.bytes, self.told = step, 0, time.monotonic()
        self.say(step)

    def advance(self, size: int) -> None:
        self.bytes += size
        if time.monotonic() - self.told >= EVERY_SECONDS:
            self.told = time.monotonic()
            self.say(f"{self.step}: {self.bytes / 1e6:.0f} MB")

    def say(self, line: str) -> None:
        if not self.quiet:
            print(f"basalt-backup: {line}", file=sys.stderr, flush=True)
