# SPDX-License-Identifier: GPL-2.0-only
"""The plugin out of the package, in a private server with every line of its option file."""

import re
import shutil
from pathlib import Path

from tests.kit.check import Check, expect
from tests.package.built import BuiltPackages
from tools import build as builder
from tools.package import origin
from tools.server import PrivateServer


class Loading:
    def __init__(self, built: BuiltPackages, folder: Path):
        self.built = built
        self.folder = folder

    def checks(self) -> list[Check]:
        return [Check("loads, with all its options", self.loads)]

    def loads(self) -> None:
        options = self.options()
        expect(len(options) >= 3, f"too few options in the file: {options}")
        builder.link_debian_plugins(self.built.library.parent)
        plugin_dir = self.built.library.parent
        server = PrivateServer(self.folder, "rocksdb", options, plugin_dir=plugin_dir)
        try:
            with server:
                server.sql("CREATE DATABASE d; CREATE TABLE d.t (a INT PRIMARY KEY) ENGINE=ROCKSDB")
                server.sql("INSERT INTO d.t VALUES (1), (2)")
                expect(server.sql("SELECT SUM(a) FROM d.t") == "3\n", "the sum of 1 and 2")
                self.names_its_version(server)
        finally:
            server.kill()
            shutil.rmtree(self.folder, ignore_errors=True)

    def names_its_version(self, server: PrivateServer) -> None:
        versions = server.sql(
            "SELECT plugin_auth_version, plugin_version FROM information_schema.plugins"
            " WHERE plugin_name = 'ROCKSDB'"
        )
        expected = origin.basalt_version()
        two_parts = ".".join(expected.split(".")[:2])
        expect(versions == f"{expected}\t{two_parts}\n", f"{versions} instead of {expected}")

    def options(self) -> list[str]:
        """What the file sets and what it shows as a comment. Without `loose_`, so that the server
        refuses a name that it does not know."""
        text = (self.built.root / "etc/mysql/mariadb.conf.d/rocksdb.cnf").read_text()
        lines = re.findall(r"^#?([a-z][\w-]*) = (\S+)$", text, re.M)
        return [f"--{name.removeprefix('loose_')}={value}" for name, value in lines]
