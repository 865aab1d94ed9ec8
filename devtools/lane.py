# SPDX-License-Identifier: GPL-2.0-only
"""Runs test tiers in a process of their own, beside those of the caller."""

import os
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path

from devtools.tiers import TierResult


class Lane:
    """One tier after the other, from the start on. What they print goes to the file `log` until
    finish() prints it. Made before the caller starts threads: the process is a fork."""

    def __init__(self, names: list[str], run: Callable[..., TierResult], args, log: Path):
        """`run(name, args)` runs a tier; both are sent to the process."""
        self.log = log
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text("")
        self.process = ProcessPoolExecutor(1, initializer=write_to, initargs=(log,))
        self.tiers: list[Future] = [self.process.submit(run, name, args) for name in names]
        print(f"== beside the others: {', '.join(names)}; they write to {log}")

    def finish(self) -> list[TierResult]:
        """Waits for the tiers, prints what they wrote and gives their results."""
        results = [tier.result() for tier in self.tiers]
        self.process.shutdown()
        print(self.log.read_text(errors="replace"), end="")
        return results


def write_to(log: Path) -> None:
    """All output of this process and of those it starts goes to the end of the file."""
    file = os.open(log, os.O_WRONLY | os.O_APPEND)
    os.dup2(file, 1)
    os.dup2(file, 2)
    os.close(file)
