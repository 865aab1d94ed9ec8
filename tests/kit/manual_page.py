# SPDX-License-Identifier: GPL-2.0-only
"""Whether a page of the manual describes the options that its program has."""

import re
from pathlib import Path

OPTION = r"--[a-z][a-z-]+"


def differences(page: Path, helped: str) -> list[str]:
    """What stands in only one of them: the page, and what the program says with --help."""
    options = set(re.findall(rf"(?<![\w-]){OPTION}", helped))
    text = page.read_text().replace(r"\-", "-")
    described = set(re.findall(rf"^\.TP\n\.B[RI]? .*?({OPTION})", text, re.M))
    return sorted(options ^ described)
