# SPDX-License-Identifier: GPL-2.0-only
"""The processor families: what several files say of them must agree."""

import os
import platform
import re
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from tools import build, paths, targets
from tools.errors import DevError
from tools.package import output, source, tarball
from tools.setup import cross, debian, jemalloc, rocksdb


class TargetsTest(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.enterContext(mock.patch.dict(os.environ, {"BASALT_CACHE": self.folder}))

    def on(self, machine: str):
        return mock.patch.object(platform, "machine", return_value=machine)

    def test_this_machine_is_one_of_them_or_refused(self):
        with self.on("aarch64"):
            self.assertIs(targets.ARM64, targets.host())
            self.assertFalse(targets.is_host(targets.AMD64))
            self.assertEqual("aarch64-linux-gnu", paths.library_dir().name)
        with self.on("riscv64"), self.assertRaisesRegex(DevError, "this machine is 'riscv64'"):
            targets.host()

    def test_cmake_compiles_for_the_same_processors(self):
        text = (paths.ROOT / "cmake/Options.cmake").read_text()
        found = re.findall(r"STREQUAL (\w+)\)\n  set\(BASALT_MARCH ([\w+-]+)\)", text)
        self.assertEqual({t.machine: t.march for t in targets.TARGETS.values()}, dict(found))

    def test_the_packages_script_wants_what_the_compiler_is_told(self):
        script = (source.PACKAGING / "debian/mariadb-plugin-basalt.preinst").read_text()
        for target in targets.TARGETS.values():
            self.assertIn(f'flags="{" ".join(target.processor_flags)}"', script)
            self.assertIn(f'processors="{target.processors}"', script)

    def test_a_package_may_be_of_each(self):
        control = (source.PACKAGING / "debian/control").read_text()
        named = re.search(r"^Architecture: (.*)$", control, re.M)[1]
        self.assertEqual(list(targets.TARGETS), named.split())

    def test_each_has_libraries_of_its_own(self):
        with self.on("x86_64"):
            self.assertNotEqual(rocksdb.prefix(), rocksdb.prefix(target=targets.ARM64))
            self.assertNotEqual(jemalloc.prefix(), jemalloc.prefix(targets.ARM64))
            self.assertEqual(rocksdb.prefix(), rocksdb.prefix(target=targets.AMD64))
            flags = jemalloc.flags(targets.ARM64)
            self.assertIn("--host=aarch64-linux-gnu", flags)
            self.assertIn("--with-lg-page=16", flags)
            self.assertIn("-DPORTABLE=haswell", rocksdb.recipe("", False))
        with self.on("aarch64"):
            self.assertNotIn("--host=aarch64-linux-gnu", jemalloc.flags(targets.ARM64))
            self.assertIn("-DPORTABLE=1", rocksdb.recipe("", False))

    def test_lists_of_another_machine_are_apart(self):
        with self.on("x86_64"):
            options = debian.PrivateApt(targets.ARM64).options()
            self.assertIn("APT::Architecture=arm64", options)
            self.assertIn(f"Dir::State::status={self.folder}/apt-arm64/status", options)
            self.assertEqual(
                debian.PrivateApt().options(), debian.PrivateApt(targets.AMD64).options()
            )

    def test_builds_and_packages_have_names_of_their_own(self):
        with self.on("x86_64"):
            self.assertEqual("arm64", build.variant_of(targets.ARM64))
            self.assertEqual("release", build.variant_of(targets.AMD64))
            self.assertIs(targets.AMD64, build.target_of("asan"))
            self.assertIs(targets.ARM64, build.target_of("arm64"))
            self.assertEqual("package", output.default(targets.AMD64).name)
            self.assertEqual("package-arm64", output.default(targets.ARM64).name)


class TarballTest(unittest.TestCase):
    def test_its_script_finds_the_machine_and_what_to_look_for(self):
        with mock.patch.object(tarball, "server_build", return_value="10.11.7-MariaDB-1"):
            facts = tarball.facts(targets.ARM64)
        self.assertIn("machine=aarch64\nprocessor_flags=crc32\nprocessors=the CRC32 ", facts)


class CrossRootTest(unittest.TestCase):
    def test_links_stay_inside(self):
        with tempfile.TemporaryDirectory() as name:
            root = Path(name)
            (root / "lib").mkdir()
            (root / "lib/libz.so.1").write_text("z")
            (root / "usr/lib").mkdir(parents=True)
            (root / "usr/lib/libz.so").symlink_to("/lib/libz.so.1")
            (root / "usr/lib/near").symlink_to("libz.so")
            cross.mend_links(root)
            self.assertEqual("z", (root / "usr/lib/near").read_text())
            self.assertEqual("../../lib/libz.so.1", os.readlink(root / "usr/lib/libz.so"))

    def test_a_server_that_is_not_listed_there_is_an_error(self):
        apt = mock.Mock(target=targets.ARM64)
        apt.output.return_value = " mariadb-server-core | 1:10.11.7-1 | http://mirror Packages\n"
        with mock.patch.dict(os.environ, {"BASALT_MARIADB_VERSION": "10.11.7-1"}):
            self.assertEqual("1:10.11.7-1", cross.server_version(apt))
        with mock.patch.dict(os.environ, {"BASALT_MARIADB_VERSION": "10.11.8-1"}):
            with self.assertRaisesRegex(DevError, "lists for arm64 have no MariaDB 10.11.8-1"):
                cross.server_version(apt)


if __name__ == "__main__":
    unittest.main()
