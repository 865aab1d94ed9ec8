# SPDX-License-Identifier: GPL-2.0-only
"""The one kind of error that a user sees: a sentence that says what and where."""

import contextlib
from collections.abc import Iterator
from pathlib import Path


class BackupError(Exception):
    """What cannot be done, and why. The command line prints it and ends with `status`."""

    status = 1


class NoConnection(BackupError):
    status = 2


class Damaged(BackupError):
    """A backup, or a part of it, is not what was written; the message names it."""


@contextlib.contextmanager
def naming(path: Path | str) -> Iterator[None]:
    """Errors of the operating system become a BackupError with the path they are about."""
    try:
        yield
    except OSError as error:
        raise BackupError(f"{error.filename or path}: {error.strerror or error}") from error
