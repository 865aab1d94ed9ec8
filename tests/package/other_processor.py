# SPDX-License-Identifier: GPL-2.0-only
"""The package for ARM64, made by the cross compiler; its plugin in Debian's server for ARM64 under
an emulator, and its codec against the kept bytes of MyRocks."""

import functools
import json
import subprocess
from pathlib import Path

from tests.kit.check import Check, expect, expect_in
from tests.kit.gtest_report import count_report
from tests.kit.tier_result import TierResult
from tests.package import emulation
from tests.package.bare_root import make_template
from tests.package.built import PLUGIN_PACKAGE, field_of
from tests.package.contents import LIBRARIES, expect_no_lintian
from tests.package.installed import Installed
from tools import build as builder
from tools import paths
from tools.package import origin, output, tarball
from tools.server import PrivateServer
from tools.setup import cross, debian
from tools.targets import ARM64

# the format of keys and values, with the collations of Debian's embedded server for ARM64
CODEC_TESTS = ("basalt_base_test", "basalt_codec_test", "basalt_codec_embedded_test")
# every way to store a column, with values that a wrong sign or order of bytes would show
TABLE = """CREATE TABLE d.t (
  id INT PRIMARY KEY, small TINYINT, amount DECIMAL(20,6), ratio DOUBLE, half FLOAT,
  day DATETIME(3), name VARCHAR(60) CHARACTER SET utf8mb4,
  code CHAR(8) CHARACTER SET latin1, data BLOB,
  KEY (small), KEY (amount, ratio), KEY (name), KEY (code, half), KEY (day), UNIQUE KEY (name, id)
) ENGINE=ROCKSDB"""
ROWS = """INSERT INTO d.t SELECT {first} + seq, seq % 251 - 125, (seq - 700) * 1234.567891,
  (seq - 900) / 7, -seq / 3, '2026-01-01' + INTERVAL seq * 1001 MINUTE,
  CONCAT(CHAR(0xC3A4 + seq % 20 USING utf8mb4), '-', seq % 37, '  '), CHAR(200 + seq % 50),
  UNHEX(SHA2(seq, 256)) FROM (SELECT CAST(seq AS SIGNED) AS seq FROM d.seq_1_to_{count}) AS n"""
# The emulator has no kind of asynchronous I/O, and takes minutes to reserve the 8 TiB of addresses
# that InnoDB's buffer pool could grow to.
INNODB = ("innodb_use_native_aio=0", "innodb_buffer_pool_size_max=64M")
KEYS = ("PRIMARY", "small", "amount", "name", "code", "day")


class OtherProcessor:
    def __init__(self, folder: Path):
        self.folder = folder

    def checks(self) -> list[Check]:
        return [
            Check("arm64: the package", self.package),
            Check("arm64: bytes of keys and rows", self.codec),
            Check("arm64: create, load, kill, recover, and to this machine and back", self.server),
            Check("arm64: apt in a bare Debian, to the first query", self.bare_debian),
        ]

    @functools.cached_property
    def packages(self) -> Path:
        """The folder with the packages."""
        _ = self.built
        output.build(self.folder / "packages", target=ARM64)
        return self.folder / "packages"

    @property
    def deb(self) -> Path:
        return output.deb(self.packages, PLUGIN_PACKAGE, ARM64)

    @functools.cached_property
    def built(self) -> Path:
        """The folder of the compiler's build. The first time RocksDB is compiled, too: minutes."""
        debian.install(emulation.DEBIAN_PACKAGES, "to run programs for arm64")
        return builder.build(variant=ARM64.name, more=CODEC_TESTS)

    def emulator(self) -> list[str]:
        """The command that runs a program for ARM64 with the libraries of the unpacked packages."""
        return [emulation.EMULATOR, "-L", str(cross.root(ARM64))]

    def package(self) -> None:
        made = sorted(self.packages.iterdir())
        expect(len(made) == 4, f"not three packages and a tarball: {made}")
        architecture = field_of(self.deb, "Architecture")
        expect(architecture == "arm64", architecture)
        depends = field_of(self.deb, "Depends")
        expect_in(f"mariadb-server-core (= {origin.server_version()})", depends, "Depends")
        for library in LIBRARIES:
            expect_in(f"{library} (>= ", depends, "Depends")
        expect(len(depends.split(",")) == len(LIBRARIES) + 1, depends)
        subprocess.run(["dpkg-deb", "-x", self.deb, self.folder / "root"], check=True)
        plugin = self.folder / "root/usr/lib/mysql/plugin/ha_rocksdb.so"
        builder.check_symbols(plugin, ARM64)
        said = subprocess.run(["readelf", "-h", plugin], capture_output=True, text=True).stdout
        expect_in("AArch64", said, "readelf -h")
        expect_in("machine=aarch64\n", tarball.facts(ARM64), "BUILD")
        expect_no_lintian(*(file for file in made if file.suffix == ".deb"))

    def codec(self) -> None:
        result = TierResult("codec", 0, 0)
        for name in CODEC_TESTS:
            report = self.folder / f"{name}.json"
            program = self.built / "tests" / name
            done = subprocess.run(
                [*self.emulator(), program, "--gtest_brief=1", f"--gtest_output=json:{report}"],
                capture_output=True, text=True, errors="replace",
            )  # fmt: skip
            expect(done.returncode == 0, f"{name}: {(done.stdout + done.stderr)[-3000:]}")
            count_report(result, json.loads(report.read_text()), name, ARM64.name)
        expect(result.failed == 0 and result.passed > 60, f"{result.passed} passed")

    def server(self) -> None:
        there, here = self.server_for_arm(), PrivateServer(self.datadir)
        try:
            with there:
                there.sql(f"CREATE DATABASE d; {TABLE}; {ROWS.format(first=0, count=1500)};")
                before = self.contents(there)
                with there.connect() as connection, connection.cursor() as cursor:
                    cursor.execute("BEGIN")
                    cursor.execute("DELETE FROM d.t WHERE id > 10")
                    there.kill()
            with there:
                expect(self.contents(there) == before, "the rows differ after the recovery")
                expect_in("Basalt", there.log(), "the error log")
            self.move(here, before)
            with there:
                after = self.contents(there)
                expect(after != before, "the rows of this machine are missing")
                there.sql(ROWS.format(first=5000, count=100))
                self.contents(there)
        finally:
            there.kill()
            here.kill()

    @property
    def datadir(self) -> Path:
        return self.folder / "data"

    def server_for_arm(self) -> PrivateServer:
        return PrivateServer(
            self.datadir,
            options=[f"--{option}" for option in INNODB],
            plugin_dir=paths.plugin_dir(self.built.name),
            wrapper=self.emulator(),
            root=cross.root(ARM64),
        )

    def move(self, here: PrivateServer, before: str) -> None:
        """The same data directory on this machine's processor."""
        with here:
            expect(self.contents(here) == before, "this machine reads other rows")
            here.sql(ROWS.format(first=3000, count=200) + "; DELETE FROM d.t WHERE id % 7 = 3")
            self.contents(here)

    def bare_debian(self) -> None:
        """What the page tells: packages by apt, a first query. Then a kill and a recovery."""
        template = self.folder / "template.tar"
        with emulation.Namespaces() as emulated:
            make_template(template, ARM64, emulated.enter)
            arguments = self.deb, origin.server_version(), emulated.enter
            with Installed(self.folder / "bare", template, *arguments) as root:
                options = root.folder / "etc/mysql/mariadb.conf.d/99-emulated.cnf"
                options.write_text("\n".join(["[mariadb]", *INNODB, ""]))
                root.install()
                expect(root.run("uname -m") == "aarch64\n", root.run("uname -m"))
                root.sql("INSERT INTO shop.orders VALUES (3, 'third')")
                root.run("kill -KILL $(cat /run/mysqld/mysqld.pid); service mariadb restart")
                root.expect_notes("first,second,third")

    def contents(self, server: PrivateServer) -> str:
        """A digest of the rows in the order of each key, after a check of the table."""
        found = server.sql("CHECK TABLE d.t EXTENDED")
        expect(found.endswith("\tstatus\tOK\n"), found)
        digests = ""
        for key in KEYS:
            columns = {"PRIMARY": "id", "amount": "amount, ratio", "code": "code, half"}
            order = columns.get(key, key)
            digests += server.sql(
                "SET group_concat_max_len = 100000000; SELECT COUNT(*), MD5(GROUP_CONCAT(CONCAT_WS("
                "'|', id, small, amount, ratio, half, day, HEX(name), HEX(code), HEX(data))"
                f" ORDER BY {order}, id)) FROM d.t FORCE INDEX ({key}) WHERE {order.split(',')[0]}"
                " IS NOT NULL"
            )
        return digests
