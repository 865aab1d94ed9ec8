# SPDX-License-Identifier: GPL-2.0-only
"""The page of the manual, and the unit tests with Debian's versions of the packages."""

import re
import subprocess

from tests.console.program import PYTHON, Top
from tests.kit.check import Check, expect
from tests.kit.manual_page import differences
from tools import paths

PAGE = paths.ROOT / "programs" / "top" / "basalt-top.1"
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
        found = differences(PAGE, self.top.run("--help").stdout)
        expect(not found, f"not in both: {found}")

    def unit_tests(self) -> None:
        """What rich prints is the same with that of Debian as with that of ./dev."""
        command = [PYTHON, "-B", "-m", "unittest", "discover", "-s", str(UNIT_TESTS)]
        done = subprocess.run([*command, "-p", "top_test.py"], capture_output=True, text=True,
                              env={"PYTHONPATH": str(paths.ROOT)})  # fmt: skip
        expect(done.returncode == 0, done.stderr[-3000:])
        expect(re.search(r"^Ran [1-9]", done.stderr, re.M) is not None, done.stderr)
