# SPDX-License-Identifier: GPL-2.0-only
"""The package basalt-tools: what is in it, and that its programs start from where it puts them."""

import os
import subprocess
from pathlib import Path

from tests.kit.check import Check, expect, expect_in
from tests.package.built import BuiltPackages, field_of
from tools import paths, targets

FOLDER = "usr/share/basalt-tools"
# and a word of what each says with --help
PROGRAMS = {
    "basalt-backup": "extract",
    "basalt-console": "--json",
    "basalt-migrate": "undo",
    "basalt-top": "--json",
}
CHECKER = "basalt-check-table-files"
KEEPER = "basalt-keep-databases"
TABLE_FILE = paths.ROOT / "tests/unit/python/testdata/backup/table_file.sst"
# what its programs import and call, and the reader of option files
DEPENDS = (
    "libc6",
    "mariadb-backup",
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
            Check("basalt-tools: blocks of table files", self.check_blocks),
            Check("basalt-tools: databases out of a checkpoint", self.keep_databases),
        ]

    def fields(self) -> None:
        depends = field_of(self.built.tools, "Depends")
        for package in DEPENDS:
            expect_in(package, depends, "Depends")
        expect("mariadb-server" not in depends, f"it is bound to a server: {depends}")
        architecture = field_of(self.built.tools, "Architecture")
        expect(architecture == targets.host().name, architecture)
        expect(field_of(self.built.tools, "Recommends") == "zstd", "it does not recommend zstd")

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
        page = Path("console/page")
        shown = {f.name for f in (packed / page).iterdir()}
        wanted = {f.name for f in (source / page).iterdir()}
        expect(shown == wanted, f"the page of basalt-console: not in both: {shown ^ wanted}")
        left = [f for f in packed.rglob("*") if f.name in LEFT_OUT]
        expect(not left, f"too many: {left}")

    def start(self) -> None:
        for name, word in PROGRAMS.items():
            program = self.built.programs / "usr/bin" / name
            done = subprocess.run([program, "--help"], capture_output=True, text=True)
            expect(done.returncode == 0, done.stderr)
            expect_in(word, done.stdout, f"{name} --help")
            expect(not list(self.built.programs.rglob("__pycache__")), "a start writes files")

    def beside(self, name: str) -> Path:
        """Where basalt-backup looks for a program in C++: a link to it."""
        beside = self.built.programs / FOLDER / "programs/backup" / name
        target = (self.built.programs / "usr/lib/basalt-tools" / name).resolve()
        expect(beside.resolve() == target, f"{beside} leads to {beside.resolve()}")
        return beside

    def keep_databases(self) -> None:
        """It runs with what the package depends on; the tier `backup` has what it does."""
        nowhere = self.built.programs / "nowhere"
        command = [self.beside(KEEPER), nowhere]
        done = subprocess.run(command, input="", capture_output=True, text=True)
        expect(done.returncode == 1 and str(nowhere) in done.stderr, f"{done.stderr}")

    def check_blocks(self) -> None:
        """Where basalt-backup looks for the program, which says what RocksDB says."""
        beside = self.beside(CHECKER)
        done = subprocess.run([beside], input=f"{TABLE_FILE}\n", capture_output=True, text=True)
        expect((done.returncode, done.stdout) == (0, "ok\n"), f"{done.stdout}{done.stderr}")
        done = subprocess.run([beside], input=f"{beside}\n", capture_output=True, text=True)
        expect(done.returncode == 1, f"a file that is no table file: {done.stdout}")
