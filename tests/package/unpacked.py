# SPDX-License-Identifier: GPL-2.0-only
"""The tarball in a bare Debian: its script beside the installed server, as root."""

from pathlib import Path

from tests.kit.check import Check, expect, expect_in
from tests.package.bare_root import BareRoot
from tests.package.built import BuiltPackages
from tests.package.installed import APT, AUTHOR, TABLE, Installed

SCRIPT = "/srv/basalt-*/install"
DROP_IN = "/etc/systemd/system/mariadb.service.d/basalt.conf"
# what the script may change
STATE = "find /etc/mysql /etc/systemd /usr/lib/mysql -type f | sort | xargs -d '\\n' sha256sum"


class Unpacked:
    """`root` makes a bare root."""

    def __init__(self, built: BuiltPackages, root):
        self.built = built
        self.root = root

    def checks(self) -> list[Check]:
        return [Check("bare root: the tarball", self.whole_life)]

    def whole_life(self) -> None:
        with self.root() as root:
            self.unpack(root, self.built.tarball)
            self.refused(root, "no server: /usr/sbin/mariadbd")
            root.pin(self.built.server_version)
            root.run(f"{APT} install mariadb-server; mkdir -p /etc/systemd/system")
            before = root.run(STATE)
            self.old_processor(root)
            expect(root.run(STATE) == before, "a refusal changed a file")
            root.run(SCRIPT)
            root.restart()
            root.sql(TABLE)
            root.expect_notes("first,second")
            expect(root.is_file(DROP_IN), f"no {DROP_IN}")
            self.remove(root, before)
            self.beside_a_package(root)
            root.run(SCRIPT)
            root.restart()
            root.expect_notes("first,second")

    def unpack(self, root: BareRoot, tarball: Path) -> None:
        file = root.bring(tarball)
        root.run(f"{APT} install xz-utils && tar -C /srv -xf {file}")

    def refused(self, root: BareRoot, sentence: str) -> None:
        done = root.attempt(SCRIPT)
        expect(done.returncode == 1, f"status {done.returncode}: {done.stdout}")
        expect_in(sentence, done.stdout, SCRIPT)

    def old_processor(self, root: BareRoot) -> None:
        root.run("(grep -v ^flags /proc/cpuinfo; echo 'flags : fpu sse2') > /tmp/old")
        root.mount_over("/tmp/old", "/proc/cpuinfo")
        self.refused(root, "this processor lacks avx2")
        root.unmount("/proc/cpuinfo")

    def remove(self, root: Installed, before: str) -> None:
        """All files are as before the tables were made, and the tables stay."""
        root.run(f"{SCRIPT} --uninstall")
        expect(root.run(STATE) == before, "a file is not as it was before")
        root.restart()
        expect(root.sql(AUTHOR) == "", "the engine is still there")

    def beside_a_package(self, root: Installed) -> None:
        root.run("service mariadb stop")
        root.run(f"{APT} install mariadb-plugin-rocksdb; service mariadb stop")
        self.refused(root, "belongs to the package mariadb-plugin-rocksdb")
        root.run(f"{APT} purge mariadb-plugin-rocksdb")
