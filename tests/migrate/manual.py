# SPDX-License-Identifier: GPL-2.0-only
"""The page of the manual, and the unit tests with Debian's versions of the packages."""

import re
import subprocess

from tests.kit.check import Check, expect
from tests.migrate.program import PYTHON, Migrate
from tools import paths

PAGE = paths.ROOT / "programs" / "migrate" / "basalt-migrate.1"
UNIT_TESTS = paths.ROOT / "tests" / "unit" / "python"
COMMANDS = ("plan", "run", "undo", "status", "dump-filter", "check")


class Manual:
    def __init__(self, program: Migrate):
        self.program = program

    def checks(self) -> list[Check]:
        return [
            Check("manual: the commands and options of --help", self.same_options),
            Check("unit tests with Debian's packages", self.unit_tests),
        ]

    def same_options(self) -> None:
        page = PAGE.read_text().replace(r"\-", "-")
        described = set(re.findall(r"^\.B[RI]? .*?(--[a-z][a-z-]+)", page, re.M))
        options = set()
        for command in COMMANDS:
            helped = self.program.run(command, "--help")
            options |= set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", helped.stdout.decode()))
            expect(f".B {command}" in page, f"the page has no command {command}")
        expect(options == described, f"not in both: {sorted(options ^ described)}")

    def unit_tests(self) -> None:
        command = [PYTHON, "-B", "-m", "unittest", "discover", "-s", str(UNIT_TESTS)]
        done = subprocess.run([*command, "-p", "migrate_test.py"], capture_output=True, text=True,
                              env={"PYTHONPATH": str(paths.ROOT)})  # fmt: skip
        expect(done.returncode == 0, done.stderr[-3000:])
        expect(re.search(r"^Ran [1-9]", done.stderr, re.M) is not None, done.stderr)
