# SPDX-License-Identifier: GPL-2.0-only
"""basalt-top as its users have it: Debian's Python and packages, no file of anybody's options."""

import fcntl
import json
import os
import pty
import select
import struct
import subprocess
import termios
import time
from pathlib import Path
from typing import Any

from tests.kit.check import expect
from tools import paths

PYTHON = "/usr/bin/python3"
PROGRAM = paths.ROOT / "programs" / "top" / "basalt-top"
# for what comes at once on an idle machine
PATIENCE_SECONDS = 60


def environment(home: Path, **more: str) -> dict[str, str]:
    """PATH has the server's my_print_defaults, HOME no option file."""
    kept = {n: v for n, v in os.environ.items() if not n.startswith(("MYSQL_", "PYTHON"))}
    path = f"{paths.basedir() / 'bin'}:{os.environ.get('PATH', '')}"
    return {**kept, "PATH": path, "HOME": str(home), "LC_ALL": "C.UTF-8", **more}


class Top:
    """`home` is a folder for it alone; `socket` that of the server."""

    def __init__(self, home: Path, socket: Path | str):
        self.home = home
        self.socket = str(socket)

    def command(self, *options: str) -> list[str]:
        server = [] if "--defaults-file" in options else ["--no-defaults"]
        return [PYTHON, str(PROGRAM), *server, f"--socket={self.socket}", *options]

    def run(self, *options: str, user: str = "root", **more: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            self.command(f"--user={user}", *options),
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=PATIENCE_SECONDS,
            env=environment(self.home, **more),
        )

    def seen(self, *statuses: int) -> dict[str, Any]:
        """What --json tells; the program must end with one of these, by default with 0."""
        done = self.run("--json", "--interval=0.5")
        expect(done.returncode in (statuses or (0,)), f"status {done.returncode}: "
               f"{done.stdout[:500]}{done.stderr}")  # fmt: skip
        return json.loads(done.stdout)

    def refused(
        self, status: int, sentence: str, *options: str, user: str = "root", **more
    ) -> None:
        """The program ends with the status and says this in one line, and nothing else."""
        done = self.run(*(options or ("--once",)), user=user, **more)
        said = done.stderr.strip()
        expect(done.returncode == status, f"status {done.returncode} instead of {status}: {said}")
        expect(sentence in said, f"'{sentence}' is not in '{said}'")
        expect(len(said.splitlines()) == 1 and not done.stdout, f"more than a line: {said}")


class LiveTop:
    """The program in a terminal of its own."""

    def __init__(self, top: Top, *options: str, columns: int = 120, rows: int = 60):
        self.master, slave = pty.openpty()
        self.resize(columns, rows)
        self.before = termios.tcgetattr(slave)
        self.slave = slave
        self.process = subprocess.Popen(
            top.command("--user=root", "--interval=0.2", *options),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            env=environment(top.home, TERM="xterm"),
        )
        self.text = ""

    def __enter__(self) -> "LiveTop":
        return self

    def __exit__(self, *_) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.master)
        os.close(self.slave)

    def resize(self, columns: int, rows: int) -> None:
        size = struct.pack("HHHH", rows, columns, 0, 0)
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, size)

    def press(self, key: str) -> None:
        self.text = ""
        os.write(self.master, key.encode())

    def wait_for(self, text: str) -> None:
        """Until it is shown, counted from the last key."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while text not in self.text:
            ready, _, _ = select.select([self.master], [], [], 0.1)
            if ready:
                self.text += os.read(self.master, 65536).decode(errors="replace")
            over = time.monotonic() > deadline or not ready and self.process.poll() is not None
            expect(not over, f"'{text}' is never shown: {self.text[-1500:]}")

    def ends(self, status: int) -> None:
        """By itself, with the terminal as it was."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while self.process.poll() is None and time.monotonic() < deadline:
            if select.select([self.master], [], [], 0.1)[0]:
                self.text += os.read(self.master, 65536).decode(errors="replace")
        code = self.process.poll()
        expect(code == status, f"it ended with {code} instead of {status}: {self.text[-1500:]}")
        expect(termios.tcgetattr(self.slave) == self.before, "the terminal is not as before")
