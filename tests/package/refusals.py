# SPDX-License-Identifier: GPL-2.0-only
"""`./dev package` where it cannot go on: one sentence, status 1, and nothing is written."""

import os
import subprocess
import sys
from pathlib import Path

from tests.kit.check import Check, expect, expect_in
from tools import paths


class Refusals:
    def __init__(self, folder: Path):
        self.folder = folder

    def checks(self) -> list[Check]:
        return [
            Check("refuses: nothing is built", self.not_built),
            Check("refuses: built for another server", self.another_server),
            Check("refuses: a folder with other files", self.other_files),
        ]

    def not_built(self) -> None:
        empty = {"BASALT_BUILD": str(self.folder / "empty")}
        self.refused(empty, "ha_rocksdb.so; run ./dev build", self.folder / "output")

    def another_server(self) -> None:
        wanted = {"BASALT_MARIADB_VERSION": "10.11.1-1"}
        sentence = f"was built for MariaDB {paths.server_version()}, the package is wanted for"
        self.refused(wanted, sentence, self.folder / "output")

    def other_files(self) -> None:
        output = self.folder / "mine"
        output.mkdir(parents=True)
        (output / "letter.txt").write_text("keep")
        self.refused({}, "holds more than packages", output)
        expect((output / "letter.txt").read_text() == "keep", "the file is gone")

    def refused(self, variables: dict[str, str], sentence: str, output: Path) -> None:
        before = sorted(self.folder.rglob("*"))
        done = subprocess.run(
            [sys.executable, "-P", "-m", "tools", "package", "--output", str(output)],
            cwd=paths.ROOT,
            env=os.environ | variables,
            capture_output=True,
            text=True,
        )
        expect(done.returncode == 1, f"status {done.returncode}\n{done.stdout}{done.stderr}")
        expect_in(sentence, done.stderr, "the message")
        expect(len(done.stderr.splitlines()) == 1, f"not one line:\n{done.stderr}")
        expect(sorted(self.folder.rglob("*")) == before, "something was written")
