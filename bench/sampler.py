# SPDX-License-Identifier: GPL-2.0-only
"""Looks at a server once a second while something else loads it: CPU, bytes, memory, disk."""

import threading
import time
from dataclasses import dataclass

from bench import process_usage
from bench.process_usage import Usage
from tools.errors import DevError


@dataclass(frozen=True)
class Sample:
    """The state `second` seconds after the start: what was used since then, memory and table files
    now. `group_bytes` is the memory with the page cache, of a server under limits."""

    second: float
    used: Usage
    resident_bytes: int
    disk_bytes: int
    group_bytes: int = 0
    virtual_bytes: int = 0


class Sampler:
    """A context; samples from its beginning to its end. `samples` may be read after the end."""

    def __init__(self, contender, every: float = 1.0):
        self.contender = contender
        self.every = every
        self.samples: list[Sample] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)

    def __enter__(self) -> "Sampler":
        self._before, self._started = self.contender.usage(), time.monotonic()
        self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._stop.set()
        self._thread.join()
        self._take(self.contender.usage)

    @property
    def used(self) -> Usage:
        """Over the whole time."""
        return self.samples[-1].used if self.samples else Usage()

    def _work(self) -> None:
        number = 1
        while not self._stop.wait(self._until(number)):
            number = max(number, int((time.monotonic() - self._started) / self.every)) + 1
            self._take(self.contender.usage_so_far)

    def _until(self, number: int) -> float:
        """Seconds until a sample is due; what samples take themselves must not add up."""
        return max(0.0, self._started + number * self.every - time.monotonic())

    def _take(self, usage) -> None:
        pid = self.contender.server.pid
        try:
            memory = process_usage.memory(pid)
            sample = Sample(
                time.monotonic() - self._started,
                usage() - self._before,
                memory.rss,
                self.contender.disk_bytes(),
                self.contender.group_bytes(),
                memory.vms,
            )
        except (OSError, ValueError, DevError):
            return  # the server is gone; whoever loads it will notice
        self.samples.append(sample)
