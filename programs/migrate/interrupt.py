# SPDX-License-Identifier: GPL-2.0-only
"""SIGINT and SIGTERM. While a group moves they are only noted: an exception in the middle of a
question would leave a connection that is of no use, and tables without their foreign keys."""

import contextlib
import signal
import subprocess
from collections.abc import Iterator


class Interrupt:
    """`wanted`: the user wants an end. `child`: a process that gets the signal at once."""

    def __init__(self) -> None:
        self.wanted = False
        self.noting = False
        self.child: subprocess.Popen | None = None

    def install(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self.receive)

    def receive(self, *_) -> None:
        if not self.noting:
            raise KeyboardInterrupt
        self.wanted = True
        if self.child is not None:
            self.child.send_signal(signal.SIGTERM)

    @contextlib.contextmanager
    def noted(self) -> Iterator[None]:
        self.noting = True
        try:
            yield
        finally:
            self.noting = False
