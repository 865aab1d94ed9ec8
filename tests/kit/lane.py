# SPDX-License-Identifier: GPL-2.0-only
"""Runs test tiers in processes of their own: what one leaves in memory goes with it (libFuzzer
takes the peak of the process that starts it for its own), and some can run beside the others."""

import os
import traceback
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

from tests.kit.tier_result import TierResult

Run = Callable[..., TierResult]  # run(name, args)
FORK = get_context("fork")  # nothing of ours has threads yet when tiers start


def apart(run: Run, name: str, args) -> TierResult:
    """The tier's result. A process that ends without one is a failure of the tier."""
    receiver, sender = FORK.Pipe(duplex=False)
    process = FORK.Process(target=send_result, args=(sender, run, name, args))
    process.start()
    sender.close()
    result = receive(receiver, name)
    process.join()
    return result


def send_result(sender: Connection, run: Run, name: str, args) -> None:
    """An exception is a failure, which the last lines of the output name, too."""
    try:
        result = run(name, args)
    except Exception as error:
        traceback.print_exc()
        result = failed_tier(name, f"{type(error).__name__}: {error}")
    sender.send(result)


def receive(receiver: Connection, name: str) -> TierResult:
    try:
        return receiver.recv()
    except EOFError:
        return failed_tier(name, f"the process of {name} ended without a result")


def failed_tier(name: str, why: str) -> TierResult:
    return TierResult(name, 0, 1, repeat_command=f"./dev test {name}", failures=[why])


class Lane:
    """Tiers beside those of the caller, one after the other, from the start on. What they print
    goes to the file `log` until finish() prints it."""

    def __init__(self, names: list[str], run: Run, args, log: Path):
        self.names, self.log = names, log
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text("")
        self.receiver, sender = FORK.Pipe(duplex=False)
        self.process = FORK.Process(target=work, args=(sender, names, run, args, log))
        self.process.start()
        sender.close()
        print(f"== beside the others: {', '.join(names)}; they write to {log}")

    def finish(self) -> list[TierResult]:
        """Waits for the tiers, prints what they wrote and gives their results."""
        results = [receive(self.receiver, name) for name in self.names]
        self.process.join()
        print(self.log.read_text(errors="replace"), end="")
        return results


def work(sender: Connection, names: list[str], run: Run, args, log: Path) -> None:
    write_to(log)
    for name in names:
        sender.send(apart(run, name, args))


def write_to(log: Path) -> None:
    """All output of this process and of those it starts goes to the end of the file."""
    file = os.open(log, os.O_WRONLY | os.O_APPEND)
    os.dup2(file, 1)
    os.dup2(file, 2)
    os.close(file)
