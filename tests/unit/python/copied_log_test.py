# SPDX-License-Identifier: GPL-2.0-only
"""Which copies of a binary log the scenario `physical` starts a server on."""

import tempfile
import unittest
from pathlib import Path

from tests.client_tools.copied_log import FLAGS_AT, IN_USE, is_whole

OPEN, CLOSED = bytes(FLAGS_AT) + bytes([IN_USE]), bytes(FLAGS_AT + 1)


class CopiedLogTest(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)

    def copy(self, index: str, **files: bytes) -> None:
        (self.folder / "binlog.index").write_text(index)
        for number, head in files.items():
            (self.folder / f"binlog.{number.removeprefix('n')}").write_bytes(head)

    def test_the_newest_file_is_still_written(self):
        self.copy("./binlog.000001\n./binlog.000002\n", n000001=CLOSED, n000002=OPEN)
        self.assertTrue(is_whole(self.folder))

    def test_the_newest_file_was_closed_before_it_was_copied(self):
        self.copy("./binlog.000001\n", n000001=CLOSED)
        self.assertFalse(is_whole(self.folder))

    def test_the_index_was_copied_after_a_rotation(self):
        self.copy("./binlog.000001\n./binlog.000002\n", n000001=OPEN)
        self.assertFalse(is_whole(self.folder))

    def test_the_file_is_cut_off_before_its_flags(self):
        self.copy("./binlog.000001\n", n000001=OPEN[:-1])
        self.assertFalse(is_whole(self.folder))

    def test_there_is_no_index_or_no_file(self):
        self.assertFalse(is_whole(self.folder))
        self.copy("")
        self.assertFalse(is_whole(self.folder))


if __name__ == "__main__":
    unittest.main()
