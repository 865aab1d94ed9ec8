# SPDX-License-Identifier: GPL-2.0-only
"""The articles of ./dev bench full_text: what of a package is prose, how it is cut, and what a
search must find in it."""

import gzip
import io
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

from bench import article_searches
from bench.article_searches import KINDS, Search, Searches
from bench.programs import full_text
from tools.errors import DevError
from tools.setup import articles, prose

PROSE = (
    "This is the first of the sentences that a manual has, and it is long enough to be one of "
    "the paragraphs which are read."
)
GERMAN = (
    "Dies ist ein deutscher Satz, der lang genug ist, um als Absatz zu gelten, aber nicht "
    "hierher gehoert, weil er kein Englisch ist."
)
CONTROL = """Package: sample
Version: 1:2.0-1
Architecture: all
Maintainer: Nobody <nobody@example.org>
Description: made by a test
"""


class ProseTest(unittest.TestCase):
    def of(self, name: str, text: str) -> list[str]:
        return prose.prose(f"./usr/share/doc/x/{name}", text.encode())

    def test_pages_lose_their_tags_and_programs(self):
        page = (
            f"<html><head><title>{PROSE}</title></head><body><pre>{PROSE}</pre><script>{PROSE}"
            f"</script><p>One <b>caf&eacute;</b> &lt;\n more. {PROSE}</p><div>{PROSE}<br>short"
        )
        self.assertEqual([f"One cafe < more. {PROSE}", PROSE], self.of("a.html", page))

    def test_what_is_no_prose_is_left_out(self):
        for text in (
            GERMAN,
            "for (i = 0; i < n; ++i) { a[i] = b[i] + c[i]; if (a[i] > 5) return a[i]; } /* to */;",
            "Too short to be one.",
            PROSE.rstrip("."),
            PROSE * 40,
        ):
            self.assertEqual([], self.of("a.txt", text), text)

    def test_texts(self):
        self.assertEqual([PROSE, PROSE], self.of("a.txt", f"{PROSE}\n \n  {PROSE}\n\nTitle\n"))
        pod = PROSE.replace("sentences", "I<sentences>").replace("long", "B<< long >>")
        self.assertEqual([PROSE], self.of("a.pod", pod))
        entries = f"word\n   n : {PROSE}\nother\n   {{v}} : {PROSE[:-1]}\n"
        self.assertEqual(
            [f"word n : {PROSE}.", f"other v : {PROSE}"], self.of("wn.dict", entries)
        )  # fmt: skip

    def test_what_is_compressed_and_what_is_damaged(self):
        packed = gzip.compress(PROSE.encode())
        self.assertEqual([PROSE], prose.prose("./usr/share/doc/x/a.txt.gz", packed))
        self.assertEqual([], prose.prose("./usr/share/doc/x/a.txt.gz", packed[:-9]))
        self.assertEqual([], prose.prose("./usr/share/doc/x/a.txt", b"\0" + PROSE.encode()))

    def test_only_files_that_may_have_some_are_read(self):
        self.assertEqual("markup", prose.kind("./usr/share/doc/x/index.html.en"))
        self.assertEqual("text", prose.kind("./usr/share/dictd/wn.dict.dz"))
        for name in ("share/doc/x/a.png", "share/doc/x/genindex.html", "bin/x"):
            self.assertIsNone(prose.kind(f"./usr/{name}"), name)

    def test_texts_are_ascii_without_tabs_and_backslashes(self):
        self.assertEqual("naive 'x' - a b c", prose.one_line("naïve ‘x’ –\ta\\b\n 漢 c"))


class ArticlesTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.enterContext(mock.patch.object(articles.paths, "cache", lambda: self.folder))
        self.enterContext(mock.patch.object(articles, "PACKAGES", ("sample",)))
        self.enterContext(mock.patch.object(articles, "ARTICLES", 3))
        self.enterContext(mock.patch.object(articles, "SHORTEST", 100))
        self.said = self.enterContext(mock.patch.object(articles, "say"))

    def package(self, paragraphs: list[str], folder: Path) -> bool:
        """A real one, of dpkg-deb."""
        root = self.folder / "root"
        (root / "DEBIAN").mkdir(parents=True)
        (root / "DEBIAN" / "control").write_text(CONTROL)
        (root / "usr/share/doc/sample").mkdir(parents=True)
        (root / "usr/share/doc/sample/a.txt").write_text("\n\n".join(paragraphs))
        target = folder / "sample_1%3a2.0-1_all.deb"
        subprocess.run(["dpkg-deb", "--build", root, target], check=True, capture_output=True)
        shutil.rmtree(root)
        return True

    def apt(self, paragraphs: list[str], known: str = "Package: sample\n"):
        return SimpleNamespace(
            update=lambda: None,
            output=lambda *_: known,
            get=lambda *_, folder, log: self.package(paragraphs, folder),
        )

    def install(self, apt) -> dict[str, str]:
        with mock.patch.object(articles.debian, "PrivateApt", lambda: apt):
            return articles.install()

    def test_articles_of_a_package(self):
        numbered = [PROSE.replace("first", name) for name in ("one", "two", "three", "four")]
        facts = self.install(self.apt([*numbered, *numbered]))
        self.assertEqual("sample=1:2.0-1", facts["packages"])
        self.assertIn("3 articles", facts["text"])
        found = articles.read(3)
        self.assertEqual(3, len(set(found) & set(numbered)))
        self.assertEqual(found[:2], articles.read(2))
        with self.assertRaisesRegex(DevError, "there are 3"):
            articles.read(4)
        names = sorted(file.name for file in articles.home().iterdir())
        self.assertEqual(["articles.gz", "facts.json"], names)
        # the second time nothing is fetched
        self.assertEqual(facts, self.install(None))

    def test_another_recipe_makes_them_anew(self):
        numbered = [PROSE.replace("first", name) for name in ("one", "two", "three")]
        self.install(self.apt(numbered))
        with mock.patch.object(articles, "SHORTEST", 101):
            with self.assertRaises(AttributeError):
                self.install(None)

    def test_a_package_that_is_gone_is_named(self):
        with self.assertRaisesRegex(DevError, "(?s)missing: sample;.*PACKAGES"):
            self.install(self.apt([], known=""))

    def test_a_mirror_that_gives_nothing(self):
        apt = self.apt([])
        apt.get = lambda *_, **__: False
        with self.assertRaisesRegex(DevError, "(?s)missing: packages of articles.*try again"):
            self.install(apt)

    def test_too_little_text(self):
        with self.assertRaisesRegex(DevError, "(?s)give 1 articles.*Add packages"):
            self.install(self.apt([PROSE]))
        self.assertFalse(articles.home().exists())

    def test_what_is_no_package(self):
        file = self.folder / "x.deb"
        file.write_text("not a package")
        with self.assertRaisesRegex(DevError, "x.deb is no Debian package"):
            list(prose.documents(file))

    def test_cut(self):
        parts = ["a" * 60, "b" * 60, "c" * 10, "a" * 60, "d" * 95]
        found = list(articles.cut([parts[:2], parts[2:]]))
        self.assertEqual(["a" * 60 + " " + "b" * 60, "c" * 10 + " " + "d" * 95], found)

    def test_the_order_is_that_of_digests(self):
        texts = [f"article {n}" for n in range(20)]
        made = []
        for order in (texts, texts[::-1]):
            with io.BytesIO() as spooled:
                places = articles.spool(order, spooled)
                facts = articles.write(spooled, places, self.folder / "x.gz")
            made.append((facts, gzip.decompress((self.folder / "x.gz").read_bytes())))
        self.assertEqual(made[0], made[1])
        self.assertEqual(3, made[0][1].count(b"\n"))


TEXTS = ["The storage engine has an index.", "An index of the ENGINE; storage, too.", "indexes"]


class SearchesTest(unittest.TestCase):
    def test_what_must_be_found(self):
        for search, found in (
            (Search("", (r"\bengine\b",)), {1, 2}),
            (Search("", (r"\bindex\b", r"\bstorage\b")), {1, 2}),
            (Search("", (r"\bstorage\W+engine\b",)), {1}),
            (Search("", (r"\bengine\W+storage\b",)), {2}),
            (Search("", (r"\binde\w{0,80}\b",)), {1, 2, 3}),
        ):
            self.assertEqual(found, search.found_in(TEXTS), search)

    def test_each_kind_finds_something_and_is_always_the_same(self):
        texts = [f"one plain other{'x' * (n % 7)} two plain words" for n in range(50)]
        texts += ["nothing of this is there"] * 200
        searches = Searches(texts)
        for kind in KINDS:
            made = searches.make(kind, "1", 5)
            self.assertEqual(made, Searches(texts).make(kind, "1", 5))
            for search in made:
                self.assertTrue(search.found_in(texts), search)

    def test_words_that_no_index_has_are_not_searched_for(self):
        self.assertEqual(
            ["for", "it", "a" * 85],
            [w for w in ("for", "it", "tree", "a" * 85) if not article_searches.is_indexed(w)],
        )
        self.assertTrue(article_searches.begins_stop_word("whe"))
        self.assertEqual(36 - 1, len(article_searches.STOP_WORDS))  # `the` is there twice

    def test_too_few_articles(self):
        with self.assertRaisesRegex(ValueError, "too few articles"):
            Searches(["x"]).make("two words", "1", 1)

    def test_inserts_wait_for_the_first_search(self):
        full_text.wait_for_first(SimpleNamespace(latencies=[(0.1, 1.0)], errors=[]))
        full_text.wait_for_first(SimpleNamespace(latencies=[], errors=["lost"]))
        with mock.patch.object(full_text, "SECONDS_TO_BEGIN", 0.05):
            with self.assertRaisesRegex(DevError, "no search ended"):
                full_text.wait_for_first(SimpleNamespace(latencies=[], errors=[]))

    def test_differences_are_named(self):
        search = Search("'engine'", (r"\bengine\b",))
        for rows, text in (
            ("1\n2\n", None),
            ("1\n3\n", r"2 rows instead of 2; missing \[2\], too many \[3\]"),
            ("1\n2\n2\n", "3 rows instead of 2"),
        ):
            contender = SimpleNamespace(server=SimpleNamespace(sql=lambda *_, r=rows: r))
            found = full_text.differences(contender, [(search, {1, 2})])
            self.assertEqual(int(text is not None), len(found), rows)
            if text:
                self.assertRegex(found[0], text)


if __name__ == "__main__":
    unittest.main()
