# SPDX-License-Identifier: GPL-2.0-only
"""basalt-migrate as its users have it: Debian's Python and packages, no file of anybody's options,
pt-online-schema-change in the path."""

import json
import re
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.kit.check import expect
from tools import paths
from tools.server import PrivateServer
from tools.setup import client_tools

PYTHON = "/usr/bin/python3"
PROGRAM = paths.ROOT / "programs" / "migrate" / "basalt-migrate"
# for what takes a second or two on an idle machine
PATIENCE_SECONDS = 120


class Migrate:
    """`home` is a folder for it alone."""

    def __init__(self, home: Path, socket: Path | str):
        self.home = home
        self.socket = str(socket)

    def environment(self, **more: str) -> dict[str, str]:
        found = client_tools.environment()
        kept = {name: value for name, value in found.items() if not name.startswith("PYTHON")}
        path = f"{paths.basedir() / 'sbin'}:{kept['PATH']}"
        return {**kept, "PATH": path, "HOME": str(self.home), "LC_ALL": "C.UTF-8", **more}

    def command(self, action: str, *words: str, user: str = "root") -> list[str]:
        server = ["--no-defaults", f"--socket={self.socket}", f"--user={user}"]
        local = action in ("check", "dump-filter") or action.startswith("-")
        return [PYTHON, str(PROGRAM), action, *([] if local else server), *words]

    def run(
        self, action: str, *words: str, user: str = "root", data: bytes | None = None, **more: str
    ) -> subprocess.CompletedProcess:
        done = subprocess.run(
            self.command(action, *words, user=user),
            capture_output=True,
            timeout=PATIENCE_SECONDS,
            env=self.environment(**more),
            **({"input": data} if data is not None else {"stdin": subprocess.DEVNULL}),
        )
        done.stderr = done.stderr.decode(errors="replace")
        return done

    def told(self, status: int, action: str, *words: str, **more: str) -> dict[str, Any]:
        """What --json tells; it must end with the status."""
        done = self.run(action, "--json", *words, **more)
        expect(done.returncode == status, f"{action} ended with {done.returncode}: "
               f"{done.stdout.decode()[-1500:]}{done.stderr}")  # fmt: skip
        return json.loads(done.stdout)

    def refused(self, status: int, sentence: str, action: str, *words: str, **more: str) -> None:
        """It ends with the status and says this in one line, and nothing else."""
        done = self.run(action, *words, **more)
        said = done.stderr.strip()
        expect(done.returncode == status, f"status {done.returncode} instead of {status}: {said}")
        expect(sentence in said, f"'{sentence}' is not in '{said}'")
        expect(len(said.splitlines()) == 1 and not done.stdout, f"more than a line: {said}")

    def start(self, action: str, *words: str) -> subprocess.Popen:
        return subprocess.Popen(
            self.command(action, *words),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=self.environment(),
        )


def wait_until(true: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not true():
        expect(time.monotonic() < deadline, f"it never happens: {what}")
        time.sleep(0.01)


def kill_when(
    process: subprocess.Popen, true: Callable[[], bool], what: str, kill: Callable[[], None]
) -> str | None:
    """Calls `kill` as soon as it is true. What the program has said; None when it ended before."""
    try:
        wait_until(lambda: true() or process.poll() is not None, what)
        if process.poll() is not None:
            return None
        kill()
        return process.communicate(timeout=PATIENCE_SECONDS)[0]
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            process.wait()


def engines(server: PrivateServer, schema: str) -> dict[str, str]:
    return dict(
        server.query(
            "SELECT table_name, engine FROM information_schema.tables"
            f" WHERE table_schema='{schema}' AND engine IS NOT NULL"
        )
    )


def definitions(server: PrivateServer, schema: str) -> dict[str, str]:
    """Without counters, which a statement that fails moves on."""
    found = {}
    for name in engines(server, schema):
        shown = server.query(f"SHOW CREATE TABLE `{schema}`.`{name}`")[0][1]
        found[name] = re.sub(r" AUTO_INCREMENT=\d+", "", shown)
    return found


def contents(server: PrivateServer, schema: str) -> dict[str, list[tuple]]:
    """All rows, as SELECT gives them."""
    return {
        name: sorted(server.query(f"SELECT * FROM `{schema}`.`{name}`"), key=repr)
        for name in engines(server, schema)
    }


def expect_same(found: Any, expected: Any, what: str) -> None:
    if isinstance(found, dict) and isinstance(expected, dict) and set(found) == set(expected):
        unlike = [key for key in found if found[key] != expected[key]]
        found, expected = ({key: side[key] for key in unlike} for side in (found, expected))
    expect(found == expected, f"{what}: {found!r:.1500} instead of {expected!r:.1500}")
