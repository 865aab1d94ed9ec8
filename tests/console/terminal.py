# SPDX-License-Identifier: GPL-2.0-only
"""The live picture, in a terminal of the test's own."""

from tests.console.program import LiveTop, Top
from tests.kit.check import Check, expect
from tools.server import PrivateServer

NARROW = "has 60 columns, and the picture needs 80"


class Terminal:
    """`mortal` is killed in the end."""

    def __init__(self, mortal: PrivateServer, top: Top):
        self.mortal = mortal
        self.top = top

    def checks(self) -> list[Check]:
        return [
            Check("live: keys choose what is shown, q ends", self.keys),
            Check("live: a signal", self.signal),
            Check("live: a password that is asked for", self.password),
            Check("live: a narrow terminal", self.narrow),
            Check("live: the server dies", self.dies),
        ]

    def keys(self) -> None:
        with LiveTop(self.top) as live:
            live.wait_for("Statements that run")
            for key, shown in (("t", "a compaction frees"), ("c", "Stalls"), ("l", "nobody waits")):
                live.press(key)
                live.wait_for(shown)
            live.press("q")
            live.ends(0)

    def signal(self) -> None:
        """Leaves the terminal as it was."""
        with LiveTop(self.top) as live:
            live.wait_for("Statements that run")
            live.process.terminate()
            live.ends(0)

    def password(self) -> None:
        """It is not shown while it is typed."""
        self.mortal.sql("CREATE USER typist@localhost IDENTIFIED BY 'by hand'")
        with LiveTop(self.top, "--user=typist", "-p") as live:
            live.wait_for("Enter password: ")
            live.press("by hand\n")
            live.wait_for("Work a second")
            expect("by hand" not in live.text, "the password is shown")
            live.press("q")
            live.ends(0)

    def narrow(self) -> None:
        """From the beginning, and in the middle, where it goes on when there is room again."""
        with LiveTop(self.top, columns=60) as live:
            live.wait_for(NARROW)
            live.ends(2)
        with LiveTop(self.top) as live:
            live.wait_for("Work a second")
            live.resize(60, 60)
            live.wait_for(NARROW)
            live.resize(120, 60)
            live.press("o")
            live.wait_for("Work a second")
            live.press("q")
            live.ends(0)

    def dies(self) -> None:
        with LiveTop(self.top) as live:
            live.wait_for("Work a second")
            self.mortal.kill()
            live.wait_for("basalt-top: the server does not answer any more")
            live.ends(2)
