# SPDX-License-Identifier: GPL-2.0-only
"""Runs one of the users' tools and keeps what it says."""

import subprocess
from pathlib import Path

from tests.kit.replicas.node import Broken
from tools.setup import client_tools

SECONDS = 120.0


def run(log: Path, command: list[str], good: tuple[int, ...] = (0,), **options) -> str:
    """Returns its output (the errors go to `log` beside it). Raises Broken when it ends with a
    status that is not `good`, or does not end."""
    log.parent.mkdir(parents=True, exist_ok=True)
    command = [str(word) for word in command]
    name = Path(command[0]).name
    options.setdefault("stdin", subprocess.DEVNULL)
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            env=client_tools.environment(),
            timeout=SECONDS,
            **options,
        )
    except subprocess.TimeoutExpired as error:
        raise Broken(f"{name} did not end in {SECONDS:.0f} s") from error
    errors = done.stderr.decode(errors="replace")
    output = done.stdout.decode(errors="replace")
    log.write_text(f"$ {' '.join(command)}\n{errors}\n--- output\n{output}")
    if done.returncode not in good:
        tail = "\n".join(f"      {line}" for line in (errors or output).splitlines()[-6:])
        raise Broken(f"{name} ended with status {done.returncode} (see {log})\n{tail}")
    return output
