# SPDX-License-Identifier: GPL-2.0-only
"""The package basalt-tools: what is in it, and that its programs start from where it puts them."""

import os
import subprocess

from tests.kit.check import Check, expect, expect_in
from tests.package.built import BuiltPackages, field_of
from tools import paths

FOLDER = "usr/share/basalt-tools"
PROGRAMS = ("basalt-top",)
# what its programs import, and the reader of option files
DEPENDS = (
    "mariadb-client-core",
    "python3-click",
    "python3-pymysql",
    "python3-rich",
    "python3-xxhash",
    "python3:any",
)
# for readers of the repository
LEFT_OUT = ("README.md", "__pycache__")


class Programs:
    def __init__(self, built: BuiltPackages):
        self.built = built

    def checks(self) -> list[Check]:
        return [
            Check("basalt-tools: fields", self.fields),
            Check("basalt-tools: files", self.files),
            Check("basalt-tools: its programs start", self.start),
        ]

    def fields(self) -> None:
        depends = field_of(self.built.tools, "Depends")
        for package in DEPENDS:
            expect_in(package, depends, "Depends")
        expect("mariadb-server" not in depends, f"it is bound to a server: {depends}")
        expect(field_of(self.built.tools, "Architecture") == "all", "it is for one processor only")

    def files(self) -> None:
        """All modules of programs/, the programs in the path, their pages of the manual."""
        packed = self.built.programs / FOLDER / "programs"
        modules = {f.relative_to(packed) for f in packed.rglob("*.py")}
        source = paths.ROOT / "programs"
        expected = {f.relative_to(source) for f in source.rglob("*.py")}
        expect(modules == expected, f"not in both: {sorted(modules ^ expected)}")
        for name in PROGRAMS:
            link = self.built.programs / "usr/bin" / name
            expect(link.is_symlink() and os.access(link, os.X_OK), f"no program {name}")
            page = self.built.programs / f"usr/share/man/man1/{name}.1.gz"
            expect(page.is_file(), f"no page of the manual of {name}")
        left = [f for f in packed.rglob("*") if f.name in LEFT_OUT]
        expect(not left, f"too many: {left}")

    def start(self) -> None:
        for name in PROGRAMS:
            program = self.built.programs / "usr/bin" / name
            done = subprocess.run([program, "--help"], capture_output=True, text=True)
            expect(done.returncode == 0, done.stderr)
            expect_in("--json", done.stdout, f"{name} --help")
            expect(not list(self.built.programs.rglob("__pycache__")), "a start writes files")
