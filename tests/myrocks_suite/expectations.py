# SPDX-License-Identifier: GPL-2.0-only
"""The kept list: how each test ends here, and why when it is not as MyRocks has it.

tests/myrocks_suite/expected.txt, one test a line, columns separated by blanks:

    NAME  OUTCOME[:DIGEST]  quick|-  REASON

    pass     the result is MyRocks'
    won      passes here, and MyRocks' own list switches it off
    differs  a deliberate difference; the digest of its story tells it from another one
    fails    a fault to mend; the reason names it
    broken   ends in the same way with MyRocks' own plugin here: the reason is in the test
    skipped  does not run, for the reason given

`quick` tests are those of the short choice.
"""

from dataclasses import dataclass

from tools import paths
from tools.errors import DevError

FILE = paths.ROOT / "tests" / "myrocks_suite" / "expected.txt"
OUTCOMES = ("pass", "won", "differs", "fails", "broken", "skipped")
HEAD = """\
# How each of MyRocks' own tests ends with Basalt: NAME OUTCOME[:DIGEST] quick|- REASON.
# `./dev test myrocks-suite` compares; --record writes outcomes anew and keeps the reasons.
# tests/myrocks_suite/expectations.py says what the words mean.
"""


@dataclass
class Expectation:
    name: str
    outcome: str
    digest: str = ""
    quick: bool = False
    reason: str = ""

    def line(self) -> str:
        outcome = f"{self.outcome}:{self.digest}" if self.digest else self.outcome
        text = f"{self.name:<56} {outcome:<16} {'quick' if self.quick else '-':<5} {self.reason}"
        return text.rstrip() + "\n"


def load() -> dict[str, Expectation]:
    """The list by test name. DevError for a line that is none."""
    found = {}
    for number, line in enumerate(FILE.read_text().splitlines() if FILE.exists() else [], 1):
        if not line.strip() or line.startswith("#"):
            continue
        columns = line.split(None, 3)
        outcome, _, digest = columns[1].partition(":") if len(columns) > 2 else ("", "", "")
        if outcome not in OUTCOMES or columns[2] not in ("quick", "-"):
            raise DevError(f"{FILE.name}, line {number} is no test: {line}")
        if outcome not in ("pass", "won") and len(columns) < 4:
            raise DevError(f"{FILE.name}, line {number}: '{outcome}' without a reason")
        reason = columns[3] if len(columns) > 3 else ""
        found[columns[0]] = Expectation(columns[0], outcome, digest, columns[2] == "quick", reason)
    return found


def save(expectations: dict[str, Expectation]) -> None:
    lines = [expectations[name].line() for name in sorted(expectations)]
    FILE.write_text(HEAD + "".join(lines))
