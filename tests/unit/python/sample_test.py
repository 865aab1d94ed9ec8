# SPDX-License-Identifier: GPL-2.0-only
"""The reader of the sample data set: control data, relations, tags, rows. No server."""

import contextlib
import gzip
import io
import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from tools.errors import DevError
from tools.sample import control, index_files, relations, rows, schema
from tools.sample.control import Complaints

PACKAGES = """\
Package: knapp
Source: größe-src (1.0)
Version: 1:1.0-1
Installed-Size: 12
Maintainer: Jörg Müßig <Joerg@Example.org>
Architecture: amd64
Pre-Depends: dpkg (>= 1.15.6~)
Depends: libc6 (>= 2.34), default-mta | mail-transport-agent, python3:any (<< 3.12)
Description: ein kleines Beispiel – mit Gedankenstrich
Description-md5: 00112233445566778899aabbccddeeff
Tag: role::program, uitoolkit::sdl,
 use::{gameplaying,learning}
Section: games
Priority: optional
Size: 345
SHA256: 53745ae74d05bccf6783400fa98f3932b21729ab9d2e86151aa2c331c3455178

Package: libknapp
Version: 1.0-1
Architecture: all
Maintainer: Joerg Muessig <joerg@example.org>
Description: tabs\tand \\backslashes
""".encode()


def parse(data: bytes) -> tuple[list[dict[str, str]], Complaints]:
    complaints = Complaints()
    return list(control.stanzas(io.BytesIO(data), complaints)), complaints


class ControlTest(unittest.TestCase):
    def test_fields_and_continuation_lines(self):
        found, complaints = parse(PACKAGES)
        self.assertEqual(["knapp", "libknapp"], [s["package"] for s in found])
        self.assertEqual(
            "role::program, uitoolkit::sdl,\nuse::{gameplaying,learning}", found[0]["tag"]
        )
        self.assertEqual("1:1.0-1", found[0]["version"])
        self.assertEqual("0", complaints.summary())

    def test_bad_lines_are_counted_and_the_stanza_stays(self):
        found, complaints = parse(
            b" of nothing\n\nPackage: a\nno colon here\nVersion: 1\nVersion: 2\n"
            b"Maintainer: \xff <x@y>\n# a comment\nSize: 1\0\n\n\n\n: no name\n"
        )
        expected = {"package": "a", "version": "1", "maintainer": "\ufffd <x@y>", "size": "1\ufffd"}
        self.assertEqual([expected], found)
        self.assertEqual(
            {
                "continuation of nothing": 1,
                "no field name": 2,
                "field given twice": 1,
                "not UTF-8": 1,
                "zero byte": 1,
            },
            dict(complaints.counts),
        )
        self.assertEqual(6, complaints.total)
        self.assertEqual(control.EXAMPLES_KEPT, len(complaints.examples))

    def test_windows_line_ends_and_missing_last_newline(self):
        found, _ = parse(b"Package: a\r\n\r\nPackage: b")
        self.assertEqual([{"package": "a"}, {"package": "b"}], found)


class RelationsTest(unittest.TestCase):
    def test_alternatives_versions_and_architectures(self):
        complaints = Complaints()
        text = "libc6 (>= 2.34), a | b:any (<<3) | c [amd64 !i386] <!nocheck>, d (> 1),"
        self.assertEqual(
            [
                (1, 1, "libc6", None, ">=", "2.34"),
                (2, 1, "a", None, None, None),
                (2, 2, "b", "any", "<<", "3"),
                (2, 3, "c", None, None, None),
                (3, 1, "d", None, ">=", "1"),
            ],
            [tuple(r) for r in relations.parse(text, complaints)],
        )
        self.assertEqual(0, complaints.total)

    def test_unreadable_ones_are_counted(self):
        complaints = Complaints()
        found = relations.parse("a (2.0), b (>=), ${misc:Depends}, ok", complaints)
        self.assertEqual([(4, "ok")], [(r.group, r.name) for r in found])
        self.assertEqual({"unreadable relation": 3}, dict(complaints.counts))


class TagsTest(unittest.TestCase):
    def test_plain_and_braced(self):
        complaints = Complaints()
        text = "role::program, implemented-in::{c,c++},\nuse::Gaming, nonsense"
        self.assertEqual(
            [
                ("role", "program"),
                ("implemented-in", "c"),
                ("implemented-in", "c++"),
                ("use", "gaming"),
            ],
            list(rows.tags(text, complaints)),
        )
        self.assertEqual({"unreadable tag": 1}, dict(complaints.counts))


class RowsTest(unittest.TestCase):
    def setUp(self):
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        self.folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        self.complaints = Complaints()

    def write(self, status: bytes = b"", **lists: bytes) -> dict[str, list[list[str]]]:
        """Rows by table. The keywords are suites."""
        for suite, data in lists.items():
            name = f"mirror_debian_dists_{suite.replace('_', '-')}_main_binary-amd64_Packages"
            (self.folder / name).write_bytes(data)
        status_file = self.folder / "status"
        if status:
            status_file.write_bytes(status)
        files = index_files.find([self.folder], status_file)
        rows.write(files, self.folder / "out", self.complaints)
        return {t.name: self.read(t.name) for t in schema.TABLES}

    def read(self, table: str) -> list[list[str]]:
        text = (self.folder / "out" / f"{table}.tsv").read_text()
        return [line.split("\t") for line in text.split("\n")[:-1]]

    def test_every_row_has_the_columns_of_its_table(self):
        found = self.write(bookworm=PACKAGES)
        for table in schema.TABLES:
            for row in found[table.name]:
                self.assertEqual(table.columns.count(",") + 1, len(row), (table.name, row))
        self.assertEqual("0", self.complaints.summary())

    def test_names_become_numbers(self):
        found = self.write(bookworm=PACKAGES)
        self.assertEqual([["1", "knapp"], ["2", "libknapp"]], found["packages"])
        # one address is one person, the first spelling stays
        self.assertEqual([["1", "Jörg Müßig", "joerg@example.org"]], found["maintainers"])
        self.assertEqual([["1", "größe-src"], ["2", "libknapp"]], found["sources"])
        self.assertEqual([["1", "bookworm/main"]], found["suites"])
        self.assertEqual(["1", "1", "1:1.0-1", "amd64"], found["versions"][0][:4])
        self.assertEqual(["1"] * 4, found["versions"][0][4:8])
        self.assertEqual(4, len(found["version_tags"]))
        self.assertEqual(
            ["1", "Depends", "2", "2", "mail-transport-agent", "\\N", "\\N", "\\N"],
            found["dependencies"][3],
        )

    def test_values_are_escaped_for_load_data(self):
        found = self.write(bookworm=PACKAGES)
        self.assertEqual("tabs\\tand \\\\backslashes", found["descriptions"][1][1])
        self.assertEqual("\\N", found["versions"][1][9], "no priority is NULL")

    def test_status_tells_what_is_installed_and_long_descriptions(self):
        status = b"""\
Package: libknapp
Status: install ok installed
Version: 1.0-1
Architecture: all
Description: tabs\tand \\backslashes
 A long text.
 .
 Its end.

Package: gone
Status: install ok installed
Version: 3
Architecture: all

Package: removed
Status: deinstall ok config-files
Version: 4
Architecture: all
"""
        listed = PACKAGES + b" A long text.\n .\n Its end.\n"
        found = self.write(status, bookworm=listed)
        self.assertEqual(["knapp", "libknapp", "gone"], [r[1] for r in found["packages"]])
        self.assertEqual(["0", "1", "1"], [r[11] for r in found["versions"]])
        self.assertEqual(["bookworm/main", "installed"], [r[1] for r in found["suites"]])
        self.assertEqual("A long text.\\n.\\nIts end.", found["descriptions"][1][2])

    def test_a_version_in_two_lists_counts_once_and_newer_suites_come_later(self):
        update = PACKAGES.replace(b"1.0-1", b"1.0-2")
        found = self.write(bookworm=PACKAGES, bookworm_updates=PACKAGES, bookworm_security=update)
        self.assertEqual(4, len(found["versions"]))
        self.assertEqual(
            ["1:1.0-1", "1.0-1", "1:1.0-2", "1.0-2"], [r[2] for r in found["versions"]]
        )
        self.assertEqual(2, len(found["descriptions"]))

    def test_rubbish_is_counted_never_fatal(self):
        found = self.write(
            bookworm=b"Package: nothing else\n\nPackage: a\nVersion: 1\nArchitecture: all\n"
            b"Size: many\nSHA256: 12\nPriority: urgent\nMaintainer: nobody\nDepends: ((\n",
        )
        self.assertEqual(1, len(found["versions"]))
        self.assertEqual(["\\N"] * 3, found["versions"][0][12:15])
        self.assertEqual(
            {
                "no package, version or architecture": 1,
                "unknown priority": 1,
                "size is no number": 1,
                "sha256 is no hash": 1,
                "maintainer without an address": 1,
                "unreadable relation": 1,
            },
            dict(self.complaints.counts),
        )

    def test_damaged_archive_is_a_complaint(self):
        name = "m_dists_sid_main_binary-amd64_Packages.gz"
        (self.folder / name).write_bytes(gzip.compress(PACKAGES)[:-20])
        found = self.write(bookworm=PACKAGES)
        self.assertEqual(2, len(found["versions"]))
        self.assertEqual({"unreadable file": 1}, dict(self.complaints.counts))


class IndexFilesTest(unittest.TestCase):
    def test_first_folder_with_lists_wins_and_status_is_the_last_resort(self):
        with tempfile.TemporaryDirectory() as name:
            empty, full = Path(name) / "empty", Path(name) / "full"
            empty.mkdir()
            full.mkdir()
            status = Path(name) / "status"
            with self.assertRaises(DevError):
                index_files.find([empty], status)
            status.write_text("")
            self.assertEqual((), index_files.find([empty], status).packages)
            (full / "x_dists_sid_main_binary-amd64_Packages.gz").write_bytes(b"")
            files = index_files.find([empty, full], status)
            self.assertEqual(1, len(files.packages))
            self.assertEqual("sid/main", index_files.suite_of(files.packages[0]))

    def test_compressed_lists_are_read_as_a_stream(self):
        with tempfile.TemporaryDirectory() as name:
            path = Path(name) / "a_Packages.gz"
            path.write_bytes(gzip.compress(PACKAGES))
            with index_files.opened(path) as lines:
                self.assertEqual(2, len(list(control.stanzas(lines, Complaints()))))

    def test_missing_program_is_named(self):
        absent = Path(os.devnull) / "absent"
        with (
            mock.patch.object(index_files, "APT_HELPER", absent),
            mock.patch.object(index_files.shutil, "which", return_value=None),
            self.assertRaises(DevError) as caught,
        ):
            index_files.decompressor(Path("a_Packages.zst"))
        self.assertIn("zstd", str(caught.exception))


class SchemaTest(unittest.TestCase):
    def test_each_table_names_its_engine_and_columns(self):
        for table in schema.TABLES:
            self.assertIn(") ENGINE=ROCKSDB DEFAULT CHARSET=utf8mb4", table.create("ROCKSDB"))
            self.assertIn(f"INTO TABLE debian.{table.name} ", table.load("/x"))


if __name__ == "__main__":
    unittest.main()
