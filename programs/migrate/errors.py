# SPDX-License-Identifier: GPL-2.0-only
"""What a user is told when something cannot be done: one sentence."""


class MigrateError(Exception):
    """The command line prints it and ends with `status`."""

    status = 1


class BadUse(MigrateError):
    """Wrong options, or no connection."""

    status = 2


class SqlError(MigrateError):
    """The server has refused a statement. `number` is its error, 0 of a tool; `text` its words."""

    def __init__(self, number: int, text: str):
        super().__init__(f"{text} ({number})" if number else text)
        self.number = number
        self.text = text


class Stopped(MigrateError):
    """Somebody has ended the program; the message says how things stand."""
