# SPDX-License-Identifier: GPL-2.0-only
"""What is in the packages: files, fields, symbols, and what lintian says."""

import gzip
import re
import subprocess
from pathlib import Path

from tests.kit.check import Check, expect, expect_in
from tests.package.built import PLUGIN_PACKAGE, BuiltPackages
from tools import build as builder
from tools import paths
from tools.package import neutral, origin

LINTIAN = ["lintian"]
DOCUMENTS = f"./usr/share/doc/{PLUGIN_PACKAGE}"
FILES = {
    "./etc/mysql/mariadb.conf.d/rocksdb.cnf",
    "./lib/systemd/system/mariadb.service.d/basalt.conf",
    "./usr/lib/mysql/plugin/ha_rocksdb.so",
    f"{DOCUMENTS}/README.Debian",
    f"{DOCUMENTS}/changelog.Debian.gz",
    f"{DOCUMENTS}/copyright",
}
LIBRARIES = ("libc6", "libgcc-s1", "liblz4-1", "libsnappy1v5", "libstdc++6", "libzstd1", "zlib1g")


class Contents:
    def __init__(self, built: BuiltPackages):
        self.built = built

    def checks(self) -> list[Check]:
        return [
            Check("two builds, same bytes", self.same_bytes),
            Check("control fields", self.fields),
            Check("files", self.files),
            Check("no folder of this machine", self.folders_inside),
            Check("debug symbols", self.debug_symbols),
            Check("changelog", self.changelog),
            Check("lintian", self.lintian),
        ]

    def same_bytes(self) -> None:
        first, second = ({f.name: f for f in d.iterdir()} for d in self.folders())
        expect(len(first) == 4, f"not three packages and a tarball: {sorted(first)}")
        expect(set(first) == set(second), f"{sorted(first)} and {sorted(second)}")
        for name, file in first.items():
            expect(file.read_bytes() == second[name].read_bytes(), f"{name} differs")

    def folders_inside(self) -> None:
        """Of the clone and the cache, also in the debug symbols, which have other names instead."""
        (symbols,) = self.built.symbols.rglob("*.debug")
        folder = self.built.programs / "usr/lib/basalt-tools"
        ours = (folder / paths.table_file_checker().name, folder / paths.database_keeper().name)
        for file in (*ours, self.built.library, symbols):
            plain = file.with_suffix(".plain")
            self.output("objcopy", "--decompress-debug-sections", str(file), str(plain))
            content = plain.read_bytes()
            plain.unlink()
            for folder in (paths.ROOT, paths.cache()):
                expect(bytes(folder) not in content, f"{file.name} names {folder}")
        expect(neutral.BUILD.encode() in content, f"the debug symbols lack {neutral.BUILD}")

    def folders(self):
        return self.built.first, self.built.second

    def fields(self) -> None:
        field = self.built.field
        depends = field("Depends")
        expect_in(f"mariadb-server-core (= {self.built.server_version})", depends, "Depends")
        for library in LIBRARIES:
            expect(re.search(rf"(^|, ){re.escape(library)} \(>= ", depends) is not None,
                   f"Depends lacks {library}: {depends}")  # fmt: skip
        newer = f"mariadb-plugin-provider-lz4 (>> {self.built.server_version})"
        expect_in(newer, field("Breaks"), "Breaks")
        for name in ("Conflicts", "Replaces", "Provides"):
            expect(field(name) == "mariadb-plugin-rocksdb", f"{name}: {field(name)}")
        expect(field("Version") == self.built.version, field("Version"))
        expect(self.built.version.startswith(origin.basalt_version() + "+"), self.built.version)

    def files(self) -> None:
        """Exactly these files, all root's, none of which anybody else may write."""
        listing = self.output("dpkg-deb", "-c", str(self.built.plugin))
        rows = [line.split() for line in listing.splitlines()]
        names = {row[-1] for row in rows if not row[0].startswith("d")}
        expect(names == FILES, f"missing {FILES - names}, too many {names - FILES}")
        strange = [r for r in rows if r[1] != "root/root" or r[0][1:] not in
                   ("rw-r--r--", "rwxr-xr-x")]  # fmt: skip
        expect(not strange, f"owners or modes: {strange}")
        conffiles = self.output("dpkg-deb", "-I", str(self.built.plugin), "conffiles")
        expect(conffiles.split() == ["/etc/mysql/mariadb.conf.d/rocksdb.cnf"], conffiles)

    def debug_symbols(self) -> None:
        """The installed plugin has none and needs no other symbol than before; they stand in the
        other package, under the number that debuggers look for."""
        builder.check_symbols(self.built.library)
        sections = self.output("readelf", "-S", str(self.built.library))
        expect(".debug_info" not in sections, "the plugin has debug symbols")
        number = build_number(self.output("readelf", "-n", str(self.built.library)))
        file = f"usr/lib/debug/.build-id/{number[:2]}/{number[2:]}.debug"
        symbols = self.output("readelf", "-S", str(self.built.symbols / file))
        expect_in(".debug_info", symbols, "the package of debug symbols")

    def changelog(self) -> None:
        file = self.built.root / DOCUMENTS / "changelog.Debian.gz"
        with gzip.open(file, "rt") as text:
            content = text.read()
        expect(content.startswith(f"basalt ({self.built.version}) "), content[:200])
        done = subprocess.run(["dpkg-parsechangelog", "-l", "-", "--all"], input=content,
                              capture_output=True, text=True)  # fmt: skip
        expect(done.returncode == 0 and not done.stderr, done.stderr)

    def lintian(self) -> None:
        expect_no_lintian(self.built.plugin, self.built.symbols_package, self.built.tools)

    def output(self, *command: str) -> str:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def expect_no_lintian(*packages: Path) -> None:
    # words that stand twice in a row may do so: the changelog names Tiny Tiny RSS
    command = ["lintian", "--allow-root", "--suppress-tags", "spelling-error-in-changelog"]
    command += ["--fail-on", "error,warning", *map(str, packages)]
    done = subprocess.run(command, capture_output=True, text=True)
    expect(done.returncode == 0, done.stdout + done.stderr)


def build_number(notes: str) -> str:
    return re.search(r"Build ID: ([0-9a-f]+)", notes)[1]
