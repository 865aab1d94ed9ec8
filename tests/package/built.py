# SPDX-License-Identifier: GPL-2.0-only
"""The packages of the release build, made twice and taken apart."""

import shutil
import subprocess
import threading
from pathlib import Path

from tools import paths, targets
from tools.package import neutral, origin, output, tarball

PLUGIN_PACKAGE = output.PACKAGE
TOOLS_PACKAGE = output.TOOLS
SYMBOLS_PACKAGE = "mariadb-plugin-basalt-dbgsym"
BUILD_NUMBER_BYTES = 20  # at the end of its note, as ld makes them by default: a SHA-1


class BuiltPackages:
    """`first` and `second` are the folders of two builds at different places, the second of what
    other clones have compiled; `root`, `symbols` and `programs` are the first one's
    packages, unpacked."""

    def __init__(self, folder: Path):
        self.first = folder / "first"
        self.second = folder / "another" / "second"
        self.root = folder / "root"
        self.symbols = folder / "symbols"
        self.programs = folder / "programs"
        self.version = origin.package_version()
        self.server_version = origin.server_version()
        self._build_both()
        for package, target in (
            (self.plugin, self.root),
            (self.symbols_package, self.symbols),
            (self.tools, self.programs),
        ):
            subprocess.run(["dpkg-deb", "-x", package, target], check=True)

    @property
    def plugin(self) -> Path:
        return output.deb(self.first, PLUGIN_PACKAGE)

    @property
    def symbols_package(self) -> Path:
        return output.deb(self.first, SYMBOLS_PACKAGE)

    @property
    def tools(self) -> Path:
        return output.deb(self.first, TOOLS_PACKAGE)

    @property
    def tarball(self) -> Path:
        return self.first / f"{tarball.name()}.tar.xz"

    @property
    def library(self) -> Path:
        """The plugin as it would be installed."""
        return self.root / "usr/lib/mysql/plugin/ha_rocksdb.so"

    def field(self, name: str) -> str:
        return field_of(self.plugin, name)

    def _build_both(self) -> None:
        """Two at a time, for two processors."""
        problems: list[Exception] = []

        def build(folder: Path, products: tuple[Path, ...]) -> None:
            try:
                output.build(folder, products)
            except Exception as problem:
                problems.append(problem)

        self.second.parent.mkdir(parents=True)
        moved = tuple(self.second.parent / product.name for product in paths.products())
        for product, copy in zip(paths.products(), moved, strict=True):
            move(product, copy)
        builds = ((self.first, paths.products()), (self.second, moved))
        threads = [threading.Thread(target=build, args=arguments) for arguments in builds]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if problems:
            raise problems[0]


def move(product: Path, target: Path) -> None:
    """A copy as if its objects came from clones at other places: with other folders and another
    build number."""
    shutil.copy(product, target)
    renumber(target)
    named = neutral.renames(neutral.folders(product, targets.host()))
    for number, old in enumerate(old for old, new in named.items() if new == neutral.BUILD):
        neutral.edit(target, "-n", "-b", old, "-d", f"/srv/somebody/clones/{number}/build/release")


def renumber(product: Path) -> None:
    """Turns each bit of the number by which debuggers find the symbols."""
    note = product.with_name("build-number")
    section = f".note.gnu.build-id={note}"
    subprocess.run(["objcopy", f"--dump-section={section}", product], check=True)
    head, number = note.read_bytes()[:-BUILD_NUMBER_BYTES], note.read_bytes()[-BUILD_NUMBER_BYTES:]
    note.write_bytes(head + bytes(255 - byte for byte in number))
    subprocess.run(["objcopy", f"--update-section={section}", product], check=True)
    note.unlink()


def field_of(package: Path, name: str) -> str:
    """A field of its control file."""
    command = ["dpkg-deb", "-f", package, name]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
