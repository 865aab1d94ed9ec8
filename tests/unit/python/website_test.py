# SPDX-License-Identifier: GPL-2.0-only
"""What `./dev docs` makes of the pages, as far as it needs no MkDocs."""

import re
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from tools import paths, rules
from tools.website import builder, commonmark, dictionary, staging


class DictionaryTest(unittest.TestCase):
    def findings(self, pages: dict[str, str], known: set[str]) -> list[str]:
        """As with a dictionary of four words."""
        there = {"the", "tree", "A", "grows"}
        with mock.patch.object(dictionary, "unknown", side_effect=lambda words: words - there):
            return dictionary.findings(pages, known)

    def test_only_words_of_sentences_are_looked_up(self):
        page = (
            "# the tree\n\nA `varriable` to/setupp.py SELECTT, in rocksdb_blok 5th\n\n    exmaple\n"
        )
        self.assertEqual({"the": 1, "tree": 1, "in": 3}, dictionary.words(page))

    def test_a_wrong_word_is_named_with_its_place(self):
        page = "the tree\n\n| A |\n| --- |\n| the treee grows |\n"
        self.assertEqual(
            ["a.md:5: 'treee' is in no dictionary"], self.findings({"a.md": page}, set())
        )

    def test_terms_may_begin_a_sentence_and_have_a_genitive(self):
        self.assertEqual(
            [], self.findings({"a.md": "Memtable grows, the memtable's tree"}, {"memtable"})
        )

    def test_a_term_that_no_page_needs_is_named(self):
        found = self.findings({"a.md": "the tree"}, {"memtable", "tree"})
        self.assertEqual([f"terms.txt: no page needs '{w}'" for w in ("memtable", "tree")], found)

    def test_terms_stand_once_and_in_order(self):
        lines = [x for x in dictionary.TERMS.read_text().splitlines() if not x.startswith("#")]
        self.assertEqual(sorted({line.lower() for line in lines}), lines)


class CommonMarkTest(unittest.TestCase):
    def check(self, expected: str, page: str) -> None:
        self.assertEqual(expected, commonmark.python_markdown(page))

    def test_text_without_lists_stays(self):
        page = "# A\n\ntext\n\n    code\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n"
        self.check(page, page)

    def test_what_belongs_to_an_item_is_indented_by_four(self):
        self.check("-   a\n    b\n\n    | t |\n", "- a\n  b\n\n  | t |\n")
        self.check("1.  a\n\n        code\n", "1. a\n\n       code\n")

    def test_items_in_items(self):
        self.check("-   a\n    -   b\n        c\n-   d\n", "- a\n  - b\n    c\n- d\n")

    def test_a_list_right_behind_text(self):
        self.check("text\n\n-   a\n-   b\n", "text\n- a\n- b\n")

    def test_an_item_right_behind_one_of_two_paragraphs(self):
        self.check("1.  a\n\n    b\n\n2.  c\n", "1. a\n\n   b\n2. c\n")

    def test_bars_in_the_code_of_a_table(self):
        table = "| a |\n| --- |\n| `x%sy` |\n"
        self.check(table % "|", table % "\\|")
        self.check("`x\\|y`\n", "`x\\|y`\n")

    def test_code_that_looks_like_a_list_stays(self):
        self.check("    - a\n      b\n", "    - a\n      b\n")

    def test_differences_are_told(self):
        page = "# A\n\n- a\n- b\n"
        self.assertEqual([], commonmark.differences(page, "<h1>A</h1><li>a</li><li>b</li>"))
        found = commonmark.differences(page, "<h1>A</h1><p>- a - b</p>")
        self.assertEqual(["li: 0 shown, 2 written"], found)


class StagingTest(unittest.TestCase):
    def test_files_that_a_page_links_to(self):
        with tempfile.TemporaryDirectory() as name:
            root = Path(name).resolve()
            (root / "docs").mkdir()
            for file in ("Dockerfile", "docs/a.svg", "docs/other.md"):
                (root / file).write_text("")
            text = "[d](../Dockerfile) ![](a.svg) [o](other.md#x) [w](https://example.org) [n](no)"
            (root / "docs/page.md").write_text(text)
            found = staging.linked(root, Path("docs/page.md"))
        self.assertEqual([Path("Dockerfile"), Path("docs/a.svg")], found)

    def test_every_page_for_users_is_in_the_navigation_once(self):
        """MkDocs finds it too, but later."""
        listed = re.findall(r"^ *- (?:.*: )?(\S+\.md)$", builder.CONFIGURATION.read_text(), re.M)
        self.assertEqual(len(set(listed)), len(listed))
        pages = staging.pages(rules.files_of_project())
        wanted = {str(page) for page in pages if page.parts[0] == "docs"}
        self.assertEqual(wanted, {name for name in listed if name.startswith("docs/")})
        self.assertEqual([], [name for name in listed if not (paths.ROOT / name).exists()])


class FetchedTest(unittest.TestCase):
    def test_what_a_browser_would_fetch_elsewhere(self):
        pages = {
            "script.html": '<script defer src="https://example.org/a.js"></script>',
            "style.html": '<link href="//example.org/a.css" rel="stylesheet">',
            "font.css": "@font-face{src:url(https://example.org/a.woff)}",
            "fine.html": '<a href="https://example.org">x</a><img src="a.svg">'
            '<link rel="canonical" href="https://example.org">',
        }
        with tempfile.TemporaryDirectory() as name:
            for file, text in pages.items():
                (Path(name) / file).write_text(text)
            found = [line.split(":")[0] for line in builder.fetched(Path(name))]
        self.assertEqual(["font.css", "script.html", "style.html"], found)


if __name__ == "__main__":
    unittest.main()
