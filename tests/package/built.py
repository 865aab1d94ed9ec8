# SPDX-License-Identifier: GPL-2.0-only
"""The packages of the release build, made twice and taken apart."""

import subprocess
import threading
from pathlib import Path

from tools.package import debs, origin

PLUGIN_PACKAGE = "mariadb-plugin-basalt"
SYMBOLS_PACKAGE = "mariadb-plugin-basalt-dbgsym"


class BuiltPackages:
    """`first` and `second` are the folders of two builds at different places; `root` and `symbols`
    are the first one's packages, unpacked."""

    def __init__(self, folder: Path):
        self.first = folder / "first"
        self.second = folder / "another" / "second"
        self.root = folder / "root"
        self.symbols = folder / "symbols"
        self.version = origin.package_version()
        self.server_version = origin.server_version()
        self._build_both()
        for package, target in ((self.plugin, self.root), (self.symbols_package, self.symbols)):
            subprocess.run(["dpkg-deb", "-x", package, target], check=True)

    @property
    def plugin(self) -> Path:
        return self.first / f"{PLUGIN_PACKAGE}_{self.version}_amd64.deb"

    @property
    def symbols_package(self) -> Path:
        return self.first / f"{SYMBOLS_PACKAGE}_{self.version}_amd64.deb"

    @property
    def library(self) -> Path:
        """The plugin as it would be installed."""
        return self.root / "usr/lib/mysql/plugin/ha_rocksdb.so"

    def field(self, name: str) -> str:
        command = ["dpkg-deb", "-f", self.plugin, name]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    def _build_both(self) -> None:
        """Two at a time, for two processors."""
        problems: list[Exception] = []

        def build(output: Path) -> None:
            try:
                debs.build(output)
            except Exception as problem:
                problems.append(problem)

        self.second.parent.mkdir(parents=True)
        threads = [threading.Thread(target=build, args=(f,)) for f in (self.first, self.second)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if problems:
            raise problems[0]
