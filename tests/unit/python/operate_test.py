# SPDX-License-Identifier: GPL-2.0-only
"""The pages for those who run a server name variables and counters that exist. `./dev test surface`
compares the lists they are looked up in with a running server. The first page's picture and figures
are those of docs/performance.md."""

import re
import unittest

from tools import paths, pictures

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


class FirstPageTest(unittest.TestCase):
    def test_the_picture_has_the_figures_of_the_page(self):
        self.assertEqual(pictures.made(), pictures.PICTURE.read_text(), "python3 -m tools.pictures")

    def test_other_figures_make_another_picture(self):
        page = f"{pictures.ROW} 465 | 597 | 930 | 0.50 | |\n"
        sizes = pictures.figures(page)
        self.assertEqual([465, 597, 930], sizes)
        self.assertNotEqual(pictures.draw(sizes), pictures.draw([464, 597, 930]))

    def test_the_figures_of_the_first_page_stand_in_the_page_of_figures(self):
        first = (paths.ROOT / "README.md").read_text()
        table = re.search(r"^\| TPC-C.*?\n\n", first, re.S | re.M).group()
        page = pictures.SOURCE.read_text()
        numbers = re.findall(r"(?<=\| )[\d.]+(?= \|)", table)
        self.assertEqual(12, len(numbers))
        part = page[page.index("TPC-C in the size") : page.index("That is with the pace")]
        for number in numbers:
            self.assertRegex(part, rf"(?<![\d.]){re.escape(number)}(?![\d.])")


if __name__ == "__main__":
    unittest.main()
