# SPDX-License-Identifier: GPL-2.0-only
"""Threads that work beside a statement."""

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Crew:
    """Starts them with `with`, and joins them at its end. `done`: statements by how they ended."""

    server: object
    seed: int
    stop: threading.Event = field(default_factory=threading.Event, kw_only=True)
    done: Counter = field(default_factory=Counter, kw_only=True)
    problems: list[str] = field(default_factory=list, kw_only=True)

    def jobs(self) -> list[Callable[[], None]]:
        """What each thread does until `stop` is set."""
        raise NotImplementedError

    def __enter__(self):
        self.threads = [threading.Thread(target=job) for job in self.jobs()]
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_) -> None:
        self.stop.set()
        for thread in self.threads:
            thread.join()
