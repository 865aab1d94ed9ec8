# SPDX-License-Identifier: GPL-2.0-only
"""The pages of the manual, and the unit tests with Debian's versions of the packages."""

import re
import subprocess
from pathlib import Path

from tests.console.program import PYTHON, Top, environment
from tests.kit.check import Check, expect
from tests.kit.manual_page import differences
from tools import paths

PROGRAMS = ("top/basalt-top", "console/basalt-console")
UNIT_TESTS = paths.ROOT / "tests" / "unit" / "python"


class Manual:
    def __init__(self, top: Top):
        self.top = top

    def checks(self) -> list[Check]:
        return [
            Check("manual: the options of --help", self.same_options),
            Check("unit tests with Debian's packages", self.unit_tests),
        ]

    def same_options(self) -> None:
        for name in PROGRAMS:
            program = paths.ROOT / "programs" / name
            found = differences(program.with_suffix(".1"), self.help_of(program))
            expect(not found, f"{name}: not in both: {found}")

    def help_of(self, program: Path) -> str:
        done = subprocess.run([PYTHON, program, "--help"], capture_output=True, text=True,
                              env=environment(self.top.home))  # fmt: skip
        expect(done.returncode == 0, done.stderr)
        return done.stdout

    def unit_tests(self) -> None:
        """What rich prints is the same with that of Debian as with that of ./dev."""
        command = [PYTHON, "-B", "-m", "unittest", "discover", "-s", str(UNIT_TESTS)]
        for tests in ("top_test.py", "console_test.py"):
            done = subprocess.run([*command, "-p", tests], capture_output=True, text=True,
                                  env={"PYTHONPATH": str(paths.ROOT)})  # fmt: skip
            expect(done.returncode == 0, done.stderr[-3000:])
            expect(re.search(r"^Ran [1-9]", done.stderr, re.M) is not None, done.stderr)
