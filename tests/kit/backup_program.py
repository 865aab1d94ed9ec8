# SPDX-License-Identifier: GPL-2.0-only
"""Runs basalt-backup as a user does, with Debian's Python and the server's own programs."""

import fnmatch
import json
import os
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.kit.replicas.node import Broken
from tools import build, paths
from tools.setup import debian

PROGRAM = paths.ROOT / "programs" / "backup" / "basalt-backup"
PACKAGES = ["python3", "python3-click", "python3-rich", "python3-pymysql", "zstd"]
SECONDS = 120.0
REACH_SECONDS, POLL_SECONDS = 60.0, 0.0005
PYTHON = "/usr/bin/python3"
HELP_OF_ALL = """
import json
from click.testing import CliRunner
from programs.backup.cli import commands
helped = {n: CliRunner().invoke(commands, [n, "--help"]).output for n in commands.commands}
print(json.dumps(helped))
"""


def install() -> None:
    debian.install(PACKAGES, "what basalt-backup is made with")


def build_helpers() -> None:
    build.build(plugin=False, more=("basalt_check_table_files", "basalt_keep_databases"))


def path() -> str:
    """Where a user finds basalt-backup, and it its programs."""
    return f"{PROGRAM.parent}:{environment()['PATH']}"


def environment() -> dict[str, str]:
    programs = [paths.basedir() / "bin", paths.basedir() / "sbin", paths.build_dir() / "programs"]
    kept = {n: v for n, v in os.environ.items() if not n.startswith(("MYSQL_", "PYTHON"))}
    path = ":".join([*map(str, programs), os.environ.get("PATH", "")])
    return {**kept, "PATH": path, "HOME": str(paths.scratch())}


@dataclass
class Answer:
    status: int
    output: bytes
    said: str

    def json(self):
        return json.loads(self.output)


def start(*words: str | Path, **options) -> subprocess.Popen:
    options.setdefault("stdin", subprocess.DEVNULL)
    command = [str(PROGRAM), *map(str, words)]
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        cwd=paths.scratch(),
        **options,
    )


def wait_for(process: subprocess.Popen, reached: Callable[[], bool], what: str) -> None:
    """Until `reached()`. Broken, with `what` was waited for, when the program ends before."""
    deadline = time.monotonic() + REACH_SECONDS
    while not reached():
        if process.poll() is not None or time.monotonic() > deadline:
            process.kill()
            raise Broken(f"not seen: {what}: {process.stderr.read().decode(errors='replace')}")
        time.sleep(POLL_SECONDS)


def names_in(folder: Path, pattern: str = "*") -> set[str]:
    """None for a folder that is not there. A program that is beginning may just be removing the
    folder of a run before it; Path.glob() would raise."""
    try:
        return set(fnmatch.filter(os.listdir(folder), pattern))
    except FileNotFoundError:
        return set()


def help_of_all() -> dict[str, str]:
    """What each command says with --help, in one process."""
    command = [PYTHON, "-B", "-c", HELP_OF_ALL]
    found = {"PYTHONPATH": str(paths.ROOT)}
    done = subprocess.run(command, env=environment() | found, capture_output=True, text=True)
    if done.returncode:
        raise Broken(f"--help: {done.stderr}")
    return json.loads(done.stdout)


def run(*words: str | Path, data: bytes | None = None) -> Answer:
    process = start(*words, stdin=subprocess.DEVNULL if data is None else subprocess.PIPE)
    try:
        output, said = process.communicate(data, timeout=SECONDS)
    except subprocess.TimeoutExpired as error:
        process.kill()
        raise Broken(f"basalt-backup {words[0]} did not end in {SECONDS:.0f} s") from error
    return Answer(process.returncode, output, said.decode(errors="replace"))


def must(*words: str | Path, data: bytes | None = None) -> Answer:
    """Raises Broken when it does not do it."""
    answer = run(*words, data=data)
    if answer.status:
        raise Broken(f"basalt-backup {words[0]} ended with {answer.status}: {answer.said}")
    return answer
