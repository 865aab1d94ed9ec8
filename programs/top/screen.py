# SPDX-License-Identifier: GPL-2.0-only
"""The live picture: a terminal of its own, and keys that choose what is in it."""

import contextlib
import select
import signal
import sys
import termios
import time
import tty
from collections.abc import Callable, Iterator

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from programs.top import views

END = ("q", "Q", "\x03", "\x04")


class Screen:
    """`draw` makes the picture of a view, and looks at the server anew when it is told so."""

    def __init__(self, draw: Callable[[str, bool], RenderableType], view: str, interval: float):
        self.draw = draw
        self.view = view
        self.interval = interval
        self.console = Console()

    def run(self) -> None:
        """Until somebody ends it by a key or a signal. Errors of `draw` are passed on, with the
        terminal as it was before."""
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.default_int_handler)
        with (
            single_keys(),
            Live(console=self.console, screen=True, auto_refresh=False, transient=True) as live,
        ):
            fresh = True
            while True:
                live.update(self.fitting(fresh), refresh=True)
                key = self.wait_for_key()
                if key in END:
                    return
                fresh = not key
                self.view = views.VIEWS.get(key, self.view)

    def fitting(self, fresh: bool) -> RenderableType:
        picture = self.draw(self.view, fresh)
        sentence = views.too_narrow(self.console.width)
        if sentence:
            return Text(sentence)
        return Group(views.keys(), picture)

    def wait_for_key(self) -> str:
        """A key, or '' when it is time for the next look."""
        if not sys.stdin.isatty():
            time.sleep(self.interval)
            return ""
        ready, _, _ = select.select([sys.stdin], [], [], self.interval)
        return sys.stdin.read(1) if ready else ""


@contextlib.contextmanager
def single_keys() -> Iterator[None]:
    """Keys arrive at once and are not shown."""
    if not sys.stdin.isatty():
        yield
        return
    before = termios.tcgetattr(sys.stdin)
    try:
        tty.setcbreak(sys.stdin)
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)
