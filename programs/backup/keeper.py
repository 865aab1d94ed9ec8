# SPDX-License-Identifier: GPL-2.0-only
"""Takes databases out of a checkpoint, by the engine's own dictionary: basalt-keep-databases."""

import subprocess
from collections.abc import Iterable
from pathlib import Path

from programs.backup import checker
from programs.backup.child import end_with_parent
from programs.backup.errors import BackupError

PROGRAM = "basalt-keep-databases"


def find() -> str:
    return checker.find(PROGRAM)


def keep(checkpoint: Path, folders: Iterable[str]) -> None:
    """Only these databases are in the checkpoint when this returns. BackupError with the program's
    words when that cannot be: then the checkpoint is no good."""
    done = subprocess.run(
        [find(), str(checkpoint)],
        input="".join(f"{folder}\n" for folder in folders),
        capture_output=True,
        text=True,
        preexec_fn=end_with_parent,
    )
    if done.returncode:
        said = done.stderr.strip().removeprefix(f"{PROGRAM}: ")
        raise BackupError(said or f"{PROGRAM} ended with {done.returncode}")
