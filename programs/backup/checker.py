# SPDX-License-Identifier: GPL-2.0-only
"""Checksums of every block of table files, by RocksDB itself: basalt-check-table-files."""

import os
import shutil
import subprocess
from pathlib import Path

from programs.backup.errors import BackupError, Damaged

PROGRAM = "basalt-check-table-files"


def find(name: str = PROGRAM) -> str:
    """One of our own programs: beside this one, or in PATH."""
    beside = Path(__file__).resolve().parent / name
    found = str(beside) if os.access(beside, os.X_OK) else shutil.which(name)
    if found is None:
        raise BackupError(f"the program {name} is missing: install the package basalt-tools")
    return found


class BlockChecker:
    """Context manager. One process reads all files that it is told."""

    def __enter__(self) -> "BlockChecker":
        self.process = subprocess.Popen(
            [find()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        return self

    def __exit__(self, *_) -> None:
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()

    def check(self, path: Path, name: str) -> None:
        """Damaged with the path and RocksDB's words when a block is not what was written."""
        self.process.stdin.write(f"{path}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().rstrip("\n")
        if answer == "ok":
            return
        raise Damaged(f"{path} ({name}): {answer or 'the check of its blocks died'}")
