# SPDX-License-Identifier: GPL-2.0-only
"""The pages for those who run a server name variables and counters that exist. `./dev test surface`
compares the lists they are looked up in with a running server."""

import re
import unittest

from tools import paths

PAGES = paths.ROOT / "docs/operate"
LISTS = ("docs/variables.md", "docs/status.md")

# whole names only: `rocksdb_stall_*`, `rocksdb_b%`, `rocksdb_NAME` and `rocksdb_...` stand for many
NAME = re.compile(
    r"(?<![\w.])(?:mysql_global_(?:status|variables)_)?(rocksdb_[a-z0-9_]*[a-z0-9])\b(?![*%])"
)


def names(text: str) -> set[str]:
    return set(NAME.findall(text))


def known() -> set[str]:
    texts = [(paths.ROOT / page).read_text() for page in LISTS]
    return {name for text in texts for name in re.findall(r"`(rocksdb_[a-z0-9_]+)`", text)}


class OperateTest(unittest.TestCase):
    def test_names_are_found_wherever_they_stand(self):
        text = "rate(mysql_global_status_rocksdb_wal_bytes[5m]), `rocksdb_datadir`, rocksdb_stall_*"
        self.assertEqual({"rocksdb_wal_bytes", "rocksdb_datadir"}, names(text))

    def test_every_name_exists(self):
        files = [p for p in sorted(PAGES.iterdir()) if p.suffix in (".md", ".yml")]
        self.assertTrue(files)
        unknown = {p.name: sorted(names(p.read_text()) - known()) for p in files}
        self.assertEqual({}, {name: found for name, found in unknown.items() if found})


if __name__ == "__main__":
    unittest.main()
