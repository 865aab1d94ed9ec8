# SPDX-License-Identifier: GPL-2.0-only
"""The pages for those who run a server name variables and counters that exist. `./dev test surface`
compares the lists they are looked up in with a running server. Pictures and figures of
README.md and docs/performance.md are those of the notes in docs/lab."""

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
        files = [p for p in sorted(PAGES.iterdir()) if p.suffix in (".md", ".yml", ".json")]
        self.assertTrue(files)
        unknown = {p.name: sorted(names(p.read_text()) - known()) for p in files}
        self.assertEqual({}, {name: found for name, found in unknown.items() if found})


class AlertsTest(unittest.TestCase):
    def test_every_rule_fires_in_its_test(self):
        """`./dev test tools --filter prometheus` lets promtool run them."""
        rules = re.findall(r"- alert: (\w+)", (PAGES / "alerts.yml").read_text())
        tests = (PAGES / "alerts_test.yml").read_text()
        fired = re.findall(r"alertname: (\w+)\n +exp_alerts:\n +- exp_labels", tests)
        self.assertTrue(rules)
        self.assertEqual(sorted(rules), sorted(set(fired)))


class PicturesTest(unittest.TestCase):
    def test_the_files_are_what_the_figures_make(self):
        for file, text in pictures.made().items():
            self.assertEqual(text, file.read_text(), "python3 -m tools.pictures")

    def test_every_figure_stands_in_its_notes(self):
        for name, picture in pictures.read(pictures.DATA.read_text()).items():
            rows = cells(picture.notes.read_text())
            for group in picture.groups:
                self.assertTrue(row_with(rows, group.figures), f"{name}: {group}")

    def test_a_wrong_figure_is_found(self):
        rows = cells("| disk | 465 | 597 | 930 |\n| written, read | 37, 99 | 24, 41 | 326, 426 |")
        self.assertTrue(row_with(rows, ("37", "24", "326")))
        self.assertFalse(row_with(rows, ("37", "24", "930")))
        self.assertFalse(row_with(rows, ("46", "597", "930")))

    def test_other_figures_make_another_picture(self):
        text = pictures.DATA.read_text()
        other = pictures.read(text.replace('"274"', '"275"'))
        first = pictures.read(text)
        self.assertNotEqual(pictures.draw(first["disk.svg"]), pictures.draw(other["disk.svg"]))
        self.assertEqual(pictures.draw(first["limited.svg"]), pictures.draw(other["limited.svg"]))

    def test_the_page_shows_all_of_them(self):
        page = (paths.ROOT / "docs/performance.md").read_text()
        shown = set(re.findall(r"!\[[^]]*\]\(([\w.]+)\)", page))
        self.assertEqual({file.name for file in pictures.made()}, shown)


def cells(page: str) -> list[list[str]]:
    return [[c.strip() for c in line.split("|")] for line in page.splitlines() if "|" in line]


def row_with(rows: list[list[str]], figures: tuple[str, ...]) -> bool:
    """Is there a row with these figures, side by side? A cell may hold more, behind a comma."""
    found = [[cell.split(", ")[0] for cell in row] for row in rows]
    count = len(figures)
    return any(
        tuple(row[start : start + count]) == figures for row in found for start in range(len(row))
    )


class FirstPagesTest(unittest.TestCase):
    def check(self, page: str, table: str, fewest: int) -> None:
        """Each figure of that table stands in the notes of TPC-C or of the quick run."""
        text = (paths.ROOT / page).read_text()
        table = re.search(rf"^\| {table}.*?\n\n", text, re.S | re.M).group()
        numbers = re.findall(r"(?<=\| )[\d.,]+(?= \|)", table)
        self.assertGreaterEqual(len(numbers), fewest)
        lab = paths.ROOT / "docs/lab"
        notes = (lab / "tpcc.md").read_text().partition("## A pace")[0] + (
            lab / "quick-run.md"
        ).read_text()
        for number in numbers:
            self.assertRegex(notes, rf"(?<![\d.]){re.escape(number)}(?![\d.])")

    def test_the_figures_of_the_readme_stand_in_the_notes(self):
        self.check("README.md", "TPC-C", 12)

    def test_the_figures_of_the_page_for_users_stand_in_the_notes(self):
        self.check("docs/performance.md", "what ", 22)


if __name__ == "__main__":
    unittest.main()
