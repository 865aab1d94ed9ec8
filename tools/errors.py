# SPDX-License-Identifier: GPL-2.0-only
"""The one exception with which a command gives up."""


class DevError(Exception):
    """A clear message for the user; `status` becomes the exit status of ./dev."""

    def __init__(self, message: str, status: int = 1):
        super().__init__(message)
        self.status = status
