# SPDX-License-Identifier: GPL-2.0-only
"""The units for systemd that docs/operate/services.md tells users to copy."""

import re
import shlex
import subprocess
from pathlib import Path

from tests.kit.check import Check, expect, expect_in
from tests.package.built import BuiltPackages
from tools import paths

PAGE = paths.ROOT / "docs/operate/services.md"
PACKAGES = ["systemd"]  # for systemd-analyze; nothing of it is started
UNIT = re.compile(r"^`/etc/systemd/system/([\w.-]+)`:\n\n((?:    .*\n|\n)+)", re.M)
COMMAND = re.compile(r"^ExecStart=(.*)$", re.M)
NAMES = ["basalt-backup.service", "basalt-backup.timer", "basalt-console.service"]
# for both programs: wrong options, or no connection
NO_CONNECTION = 2


class Units:
    def __init__(self, built: BuiltPackages, folder: Path):
        self.built, self.folder = built, folder
        self.units = {name: plain(text) for name, text in UNIT.findall(PAGE.read_text())}

    def checks(self) -> list[Check]:
        return [
            Check("units of the page: systemd-analyze verify", self.verify),
            Check("units of the page: a wrong one is found", self.find_wrong),
            Check("units of the page: their commands", self.commands),
        ]

    def analyze(self, units: dict[str, str]) -> subprocess.CompletedProcess:
        """With the programs where the package's files lie here."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for name, text in units.items():
            text = text.replace("/usr/bin/basalt-", f"{self.built.programs}/usr/bin/basalt-")
            (self.folder / name).write_text(text)
        command = ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no"]
        files = [str(self.folder / name) for name in units]
        return subprocess.run([*command, *files], capture_output=True, text=True)

    def verify(self) -> None:
        expect(sorted(self.units) == NAMES, f"the page has {sorted(self.units)}")
        done = self.analyze(self.units)
        expect(done.returncode == 0, f"status {done.returncode}: {done.stderr}")
        about = [line for line in done.stderr.splitlines() if "basalt" in line]
        expect(not about, f"it says: {about}")

    def find_wrong(self) -> None:
        """So the check above can fail."""
        wrong = self.units["basalt-backup.service"].replace("/usr/bin/basalt-b", "/usr/bin/b")
        done = self.analyze({"basalt-wrong.service": wrong.replace("Nice=", "Nicer=")})
        expect_in("not executable", done.stderr, "systemd-analyze")
        expect_in("Nicer", done.stderr, "systemd-analyze")

    def commands(self) -> None:
        """Up to the connection, which nobody answers: their options are known."""
        nowhere = ["--no-defaults", f"--socket={self.folder / 'none.sock'}"]
        for text in self.units.values():
            for line in COMMAND.findall(text):
                program, *words = shlex.split(line)
                words = [self.here(word) for word in words]
                done = subprocess.run(
                    [self.built.programs / program.lstrip("/"), *words, *nowhere],
                    capture_output=True,
                    text=True,
                )
                expect(done.returncode == NO_CONNECTION, f"{line}: {done.stderr}")
                expect_in("no connection", done.stderr, line)

    def here(self, word: str) -> str:
        """Files of the machine are files of the test."""
        if not word.startswith("/"):
            return word
        path = self.folder / word.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".key":
            path.write_text("0123456789abcdef0123456789abcdef\n")
            path.chmod(0o600)
        return str(path)


def plain(text: str) -> str:
    return "".join(line.removeprefix("    ") for line in text.splitlines(keepends=True))
