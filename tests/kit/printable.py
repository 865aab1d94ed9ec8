# SPDX-License-Identifier: GPL-2.0-only
"""Random text, as a terminal can show it."""


def printable(text: str) -> str:
    return text.encode(errors="backslashreplace").decode()
