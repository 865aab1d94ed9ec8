# SPDX-License-Identifier: GPL-2.0-only
"""A bare root in which apt installs the server and the package of Basalt, as the page
docs/operate/install.md tells it."""

import time
from collections.abc import Iterable
from pathlib import Path

from tests.kit.check import expect, expect_in
from tests.package.bare_root import BareRoot

PIN = "/etc/apt/preferences.d/mariadb"
OPTION_FILE = "/etc/mysql/mariadb.conf.d/rocksdb.cnf"
APT = "apt-get -q -y"
TABLE = """CREATE DATABASE shop;
CREATE TABLE shop.orders (id INT PRIMARY KEY, note VARCHAR(20), KEY (note)) ENGINE=ROCKSDB;
INSERT INTO shop.orders VALUES (1, 'first'), (2, 'second');"""
NOTES = "SELECT GROUP_CONCAT(note ORDER BY id) FROM shop.orders"
AUTHOR = "SELECT plugin_author FROM information_schema.plugins WHERE plugin_name = 'ROCKSDB'"


class Installed(BareRoot):
    """`package` is the path of Basalt's package inside; `server_version` the one that it is for."""

    def __init__(
        self,
        folder: Path,
        template: Path,
        package: Path,
        server_version: str,
        enter: Iterable[str] = (),
    ):
        super().__init__(folder, template, enter)
        self.server_version = server_version
        self.package = self.bring(package)

    def pin(self, version: str) -> None:
        write_pin(self.folder, version)

    def unpin(self) -> None:
        (self.folder / PIN.lstrip("/")).unlink()

    def install(self) -> None:
        """Server and package by one call of apt, then the first query."""
        started = time.monotonic()
        self.pin(self.server_version)
        self.run(f"{APT} install mariadb-server {self.package}")
        self.restart()
        self.sql(TABLE)
        self.expect_notes("first,second")
        print(f"   from apt to the first query: {time.monotonic() - started:.0f} s", flush=True)

    def restart(self) -> None:
        self.run("service mariadb restart")

    def expect_notes(self, notes: str) -> None:
        found = self.sql(NOTES)
        expect(found == notes + "\n", f"the table has '{found.strip()}' instead of '{notes}'")

    def expect_version(self, package: str, version: str | None) -> None:
        """`version` None: not installed."""
        found = self.versions().get(package)
        expect(found == version, f"{package} has version {found} instead of {version}")

    def expect_refused(self, script: str, sentence: str) -> None:
        """The script fails with the sentence, and no package is half installed."""
        before = self.versions()
        done = self.attempt(script)
        expect(done.returncode != 0, f"it should have failed: {script}\n{done.stdout[-2000:]}")
        expect_in(sentence, done.stdout, script)
        expect(self.versions() == before, "other packages are installed than before")
        expect(self.run("dpkg --audit") == "", "a package is half installed")

    def candidate(self) -> str:
        """The version of mariadb-server-core that apt would take by itself."""
        policy = self.run("apt-cache policy mariadb-server-core")
        return policy.split("Candidate:")[1].split()[0]

    def is_file(self, path: str) -> bool:
        return (self.folder / path.lstrip("/")).is_file()


def write_pin(folder: Path, version: str) -> None:
    """Lets apt in the system below `folder` choose exactly this version of MariaDB's packages."""
    lines = ["Package: src:mariadb", f"Pin: version {version}", "Pin-Priority: 990"]
    (folder / PIN.lstrip("/")).write_text("\n".join(lines) + "\n")
