# SPDX-License-Identifier: GPL-2.0-only
"""Programs that this one starts: where they are, and that they end with it."""

import ctypes
import shutil
import signal

from programs.backup.errors import BackupError

PR_SET_PDEATHSIG = 1  # prctl(2)


def end_with_parent() -> None:
    """In the child: it ends when this program is killed."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def find(name: str, package: str) -> str:
    """Also where Debian puts servers, which is not in everybody's PATH."""
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin")
    if found is None:
        raise BackupError(f"the program {name} is missing: install the package {package}")
    return found
