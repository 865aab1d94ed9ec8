# SPDX-License-Identifier: GPL-2.0-only
"""Debian packages, as far as they need no build: the changelog, versions, times."""

import gzip
import os
import re
import subprocess
import tempfile
import unittest
from datetime import UTC, datetime
from pathlib import Path
from unittest import mock

from tools import paths, targets
from tools.errors import DevError
from tools.package import changelog, neutral, origin, output, source

NOW = datetime(2026, 11, 26, 13, 5, tzinfo=UTC)
WHO = "Nobody <nobody@basalt.invalid>"


def made(text: str) -> str:
    return changelog.debian_changelog(text, "0.2+10.11.18-0", NOW, WHO)


class ChangelogTest(unittest.TestCase):
    def test_newest_section_has_the_version_of_the_package(self):
        expected = (
            "basalt (0.2+10.11.18-0) bookworm; urgency=medium\n\n"
            "  [ Added ]\n  * One thing that goes on.\n  * Another.\n\n"
            f" -- {WHO}  Thu, 26 Nov 2026 13:05:00 +0000\n"
        )
        text = (
            "# Changelog\n\n## Unreleased\n\n### Added\n- One thing\n  that goes on.\n- Another.\n"
        )
        self.assertEqual(expected, made(text))

    def test_older_sections_have_their_own_version_and_day(self):
        text = made("## Unreleased\n- New.\n\n## 0.1 - 2026-01-02\n- Old.\n")
        self.assertIn("basalt (0.1) bookworm; urgency=medium\n\n  * Old.\n", text)
        self.assertTrue(text.endswith("Fri, 02 Jan 2026 00:00:00 +0000\n"), text)

    def test_long_items_are_wrapped_and_names_are_not_cut(self):
        text = made(f"## Unreleased\n- {'word ' * 40}`--a-long-option-name-with-many-hyphens`\n")
        self.assertLess(max(map(len, text.splitlines())), 80)
        self.assertIn("`--a-long-option-name-with-many-hyphens`", text)

    def test_headings_that_name_no_version_are_errors(self):
        for text in ("no section\n", "## Unreleased\n- a\n## Later\n- b\n"):
            with self.assertRaisesRegex(DevError, "CHANGELOG.md"):
                made(text)

    def test_of_this_project(self):
        made((paths.ROOT / "CHANGELOG.md").read_text())


class OriginTest(unittest.TestCase):
    def test_version_is_that_of_cmake(self):
        self.assertRegex(origin.basalt_version(), r"^\d+\.\d+(\.\d+)?$")

    def test_server_version_has_the_epoch_of_its_package(self):
        with tempfile.TemporaryDirectory() as folder:
            self.write_changelog(folder, "mariadb (1:10.11.7-1) unstable; urgency=low\n")
            with mock.patch.dict(os.environ, self.environment(folder, "10.11.7-1")):
                self.assertEqual("1:10.11.7-1", origin.server_version())
                self.assertEqual(f"{origin.basalt_version()}+10.11.7-1", origin.package_version())

    def test_server_of_another_version_or_none_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            with mock.patch.dict(os.environ, self.environment(folder, "10.11.7-1")):
                with self.assertRaisesRegex(DevError, "does not name the version 10.11.7-1"):
                    origin.server_version()
                self.write_changelog(folder, "mariadb (1:10.11.8-1) unstable; urgency=low\n")
                with self.assertRaisesRegex(DevError, "does not name the version 10.11.7-1"):
                    origin.server_version()

    def test_plugin_of_another_server_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            environment = self.environment(folder, "10.11.7-1") | {"BASALT_BUILD": folder}
            with mock.patch.dict(os.environ, environment):
                with self.assertRaisesRegex(DevError, r"missing: .*; run \./dev build"):
                    origin.check_products(targets.host())
                for product in paths.products():
                    product.parent.mkdir(parents=True, exist_ok=True)
                    product.touch()
                settings = paths.build_dir() / "basalt-settings"
                settings.write_text("A=B\nBASALT_SERVER_HOME=/c/10.11.6-1\n")
                with self.assertRaisesRegex(DevError, "built for MariaDB 10.11.6-1, .* 10.11.7-1"):
                    origin.check_products(targets.host())
                settings.write_text(f"BASALT_SERVER_HOME={paths.server_home()}\n")
                origin.check_products(targets.host())

    def test_time_is_the_given_one_or_that_of_the_commit(self):
        with mock.patch.dict(os.environ, {"SOURCE_DATE_EPOCH": "12345"}):
            self.assertEqual(12345, origin.source_date())
        with mock.patch.dict(os.environ, {"SOURCE_DATE_EPOCH": ""}):
            with tempfile.TemporaryDirectory() as folder:
                with mock.patch.object(paths, "ROOT", Path(folder)):
                    with self.assertRaisesRegex(DevError, "set SOURCE_DATE_EPOCH"):
                        origin.source_date()

    def environment(self, cache: str, version: str) -> dict[str, str]:
        return {"BASALT_CACHE": cache, "BASALT_MARIADB_VERSION": version}

    def write_changelog(self, cache: str, text: str) -> None:
        folder = Path(cache, "server/10.11.7-1/root/usr/share/doc/mariadb-server-core")
        folder.mkdir(parents=True, exist_ok=True)
        with gzip.open(folder / "changelog.Debian.gz", "wt") as file:
            file.write(text)


class PackageTest(unittest.TestCase):
    def test_everything_that_is_installed_is_laid_out(self):
        listed = "".join(
            (source.PACKAGING / f"debian/{package}.install").read_text()
            for package in (output.PACKAGE, output.TOOLS)
        )
        names = {line.split()[0] for line in listed.splitlines()}
        ours = {name for name in names if not name.startswith("programs/")}
        self.assertEqual({*source.FILES, *(product.name for product in paths.products())}, ours)

    def test_maintainer_is_a_name_with_an_address(self):
        self.assertTrue(re.fullmatch(r"[^<>]+ <[^<>@ ]+@[^<>@ ]+>", source.maintainer()))

    def test_only_a_name_below_invalid_reaches_nobody(self):
        for address, reaches in (("a@b.invalid", False), ("a@invalid.org", True)):
            with mock.patch.object(source, "maintainer", return_value=f"A <{address}>"):
                self.assertEqual(reaches, source.has_address())

    def test_folder_with_other_files_is_not_replaced(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "letter.txt").touch()
            with (
                mock.patch.object(origin, "check_products"),
                mock.patch.object(origin, "server_version"),
                self.assertRaisesRegex(DevError, "holds more than packages"),
            ):
                output.check(Path(folder), targets.host())


class NeutralTest(unittest.TestCase):
    def test_folders_of_builds_and_of_the_cache_get_one_name(self):
        with mock.patch.dict(os.environ, {"BASALT_CACHE": "/srv/me/cache"}):
            named = [
                "/clone/build/release",
                "/srv/me/cache/rocksdb/include",
                "/srv/me/caches/build/release",
                "/usr/include/c++/12",
                "/usr/lib/gcc/x86_64-linux-gnu/12/include",
                "/usr/aarch64-linux-gnu/include",
            ]
            expected = {
                "/srv/me/cache": neutral.CACHE,
                "/clone/build/release": neutral.BUILD,
                "/srv/me/caches/build/release": neutral.BUILD,
            }
            self.assertEqual(expected, neutral.renames(named))

    def test_plugin_without_debug_information_is_an_error(self):
        with self.assertRaisesRegex(DevError, "has no debug information"):
            neutral.folders(Path("/bin/true"), targets.host())


class SourceTest(unittest.TestCase):
    def test_all_files_have_the_time_of_the_commit(self):
        with (
            tempfile.TemporaryDirectory() as scratch,
            mock.patch.dict(os.environ, {"SOURCE_DATE_EPOCH": "4000000000"}),
            mock.patch.object(neutral, "make_copy"),
            mock.patch.object(origin, "package_version", return_value="0.2+10.11.18-0"),
        ):
            source.lay_out((Path("plugin.so"),), Path(scratch, "debs"), targets.host())
            times = {f.stat().st_mtime for f in Path(scratch, "debs").rglob("*")}
        self.assertEqual({4e9}, times)


class ReleaseTest(unittest.TestCase):
    def test_commit_with_the_tag_of_another_version_is_refused(self):
        for tags, refused in (("", False), ("v0.3\n", True), ("v0.2\nv0.3\n", False)):
            done = subprocess.CompletedProcess([], 0, stdout=tags)
            with (
                mock.patch.object(origin, "basalt_version", return_value="0.2"),
                mock.patch.object(subprocess, "run", return_value=done),
            ):
                if not refused:
                    origin.check_tag()
                    continue
                with self.assertRaisesRegex(DevError, "tagged v0.3, CMakeLists.txt says v0.2"):
                    origin.check_tag()

    def test_newest_section_of_the_changelog_is_this_version_or_none_yet(self):
        text = (paths.ROOT / "CHANGELOG.md").read_text()
        newest = re.search(r"^## (.*)$", text, re.M)[1]
        self.assertIn(newest.split(" - ")[0], (changelog.UNRELEASED, origin.basalt_version()))

    def test_the_page_of_releases_has_a_row_for_this_version(self):
        page = (paths.ROOT / "docs/operate/releases.md").read_text()
        row = re.search(rf"^\| {re.escape(origin.basalt_version())} \| (.*)$", page, re.M)
        self.assertIsNotNone(row, "no row")
        self.assertEqual(5, len(row[1].strip(" |").split(" | ")), row[1])
