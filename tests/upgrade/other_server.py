# SPDX-License-Identifier: GPL-2.0-only
"""A plugin that was built for another release of the server: refused, with nothing lost.

The other release is made of this one: in a copy of the plugin each number that the server compares
with its own becomes the next one.
"""

import re
import shutil
import struct
from collections.abc import Callable
from pathlib import Path

from tests.kit.tier_result import TierResult
from tools import paths
from tools.build import link_debian_plugins
from tools.errors import DevError
from tools.server import PrivateServer

SENTENCE = re.compile(
    r"\[ERROR\] ROCKSDB: this library was built for MariaDB '(\S+)', the server is '(\S+)'\. "
    r".*install the Basalt built for MariaDB (\S+), or the server '(\S+)' \(docs/(\S+)\)"
)
WITHOUT = "the server does not start without the engine"


class OtherServer:
    """run() fills `result`; the server is on `folder`."""

    def __init__(self, folder: Path, result: TierResult, say: Callable[[str], None]):
        self.folder, self.result, self.say = folder, result, say
        self.plugins = folder / "plugins"

    def check(self, what: str, good: bool) -> None:
        self.result.passed += good
        if not good:
            self.result.failed += 1
            self.result.failures.append(f"other server: {what}")
        self.say(f"{what}: {'yes' if good else 'NO'}")

    def server(self, *options: str, other: bool = False) -> PrivateServer:
        plugins = self.plugins if other else None
        return PrivateServer(self.folder / "data", "rocksdb", options, plugin_dir=plugins)

    def run(self) -> None:
        self.folder.mkdir()
        make_plugins_for_another_release(self.plugins)
        with self.server() as server:
            server.sql("CREATE DATABASE d; CREATE TABLE d.t (id INT PRIMARY KEY)")
            server.sql("INSERT INTO d.t VALUES (7)")
        self.refused_at_start()
        self.refused_while_it_runs()
        with self.server() as server:
            rows = server.sql("SELECT id FROM d.t")
            self.check("the right plugin finds every row", rows == "7\n")

    def refused_at_start(self) -> None:
        try:
            self.server("--version=10.11.99-disguise", other=True).start().stop()
            self.check("the server does not start", False)
        except DevError:
            self.check("the server does not start", True)
        log = self.server().error_log.read_text()
        found = SENTENCE.search(log)
        self.check("the error log says what to install", found is not None)
        if found:
            built_for, running, wanted, server, page = found.groups()
            release = running.split("-")[0]
            self.check("it names what is there", (built_for, wanted) == (server, release))
            self.check("it names a page that exists", (paths.ROOT / "docs" / page).is_file())
        self.check("it says why the server stops", WITHOUT in log)

    def refused_while_it_runs(self) -> None:
        options = ["--rocksdb-start-server-without-engine=1", "--default-storage-engine=innodb"]
        with self.server(*options, other=True) as server:
            count = (
                "SELECT COUNT(*) FROM information_schema.plugins WHERE plugin_name LIKE 'ROCKSDB%'"
            )
            self.check("when told so, it starts without the engine", server.sql(count) == "0\n")
            reason = ""
            try:
                server.sql("INSTALL SONAME 'ha_rocksdb'")
            except DevError as error:
                reason = str(error)
            refused = "Plugin initialization function failed" in reason
            self.check("INSTALL SONAME fails", refused and server.sql(count) == "0\n")


def make_plugins_for_another_release(folder: Path) -> None:
    """A plugin folder as the build's, with a changed ha_rocksdb.so."""
    folder.mkdir()
    link_debian_plugins(folder)
    changed = folder / "ha_rocksdb.so"
    shutil.copy2(paths.plugin(), changed)
    release = paths.server_version().split("-")[0].split(".")
    number = int(release[0]) * 10000 + int(release[1]) * 100 + int(release[2])
    content = changed.read_bytes()
    ours, other = (struct.pack("<i", n << 8) for n in (number, number + 1))
    if content.count(ours) < 2:
        raise DevError(f"the plugin does not hold the number {number} of its server")
    changed.write_bytes(content.replace(ours, other))
