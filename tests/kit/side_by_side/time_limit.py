# SPDX-License-Identifier: GPL-2.0-only
"""A limit for work that may never end: an endless loop here, or a server that does not answer."""

import contextlib
import signal


class OutOfTime(Exception):
    """Raised in the middle of whatever the main thread was doing."""


@contextlib.contextmanager
def at_most(seconds: float):
    """Raises OutOfTime in the main thread after `seconds`. Only the main thread may use it, and
    one limit at a time."""

    def ring(*_):
        raise OutOfTime(f"not done after {seconds:g} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
