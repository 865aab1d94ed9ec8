# SPDX-License-Identifier: GPL-2.0-only
"""The tree keeps the rules of the house, and each rule finds what it is for."""

import tempfile
import unittest
from pathlib import Path

from tools import paths, rules
from tools.rules import (
    budgets,
    cpp,
    database,
    imports,
    layers,
    links,
    messages,
    prose,
    rooms,
    words,
)


def layer_findings(path: str, text: str) -> list[str]:
    return layers.check_file(Path(path), text)


class TreeTest(unittest.TestCase):
    def test_tree_keeps_all_rules(self):
        findings = rules.check_all()
        self.assertFalse(findings, "\n" + "\n".join(findings))


class LayersTest(unittest.TestCase):
    def test_arrows_down_are_allowed(self):
        text = '#include "store/store.h"\n#include <rocksdb/db.h>\n#include <vector>\n'
        self.assertEqual([], layer_findings("src/catalog/catalog.cc", text))

    def test_arrow_up_is_found(self):
        found = layer_findings("src/store/store.cc", '\n#include "txn/cursor.h"\n')
        self.assertEqual(
            ["src/store/store.cc:2: layer store may not know txn (txn/cursor.h)"], found
        )

    def test_codec_knows_neither_rocksdb_nor_the_server(self):
        for header in ("<rocksdb/slice.h>", '"my_global.h"', "<mysql/plugin.h>", '"sql_class.h"'):
            self.assertEqual(1, len(layer_findings("src/codec/a.cc", f"#include {header}\n")))

    def test_private_headers_of_rocksdb_are_found(self):
        self.assertEqual(1, len(layer_findings("src/store/a.cc", '#include "util/coding.h"\n')))

    def test_server_headers_are_at_home_in_the_server_layer(self):
        self.assertEqual([], layer_findings("src/server/a.cc", '#include "sql_class.h"\n'))

    def test_calls_that_end_the_process_are_found(self):
        for call in ("abort();", "std::abort();", "::exit(1);", "_exit(2);", "std::terminate();"):
            self.assertEqual(1, len(layer_findings("src/base/a.cc", f"void F() {{ {call} }}\n")))

    def test_names_like_abort_are_not_calls_of_it(self):
        text = 'void F() { t->abort(); on_exit(1); /* abort() */ Log("exit(1)"); x.raise(2); }\n'
        self.assertEqual([], layer_findings("src/base/a.cc", text))


class RoomsTest(unittest.TestCase):
    def findings(self, path: str, header: str) -> list[str]:
        return rooms.check_file(Path(path), f'#include "{header}"\n')[0]

    def test_rooms_below_and_ones_own_are_allowed(self):
        self.assertEqual([], self.findings("src/store/wal/a.cc", "store/errors/b.h"))
        self.assertEqual([], self.findings("src/store/wal/a.cc", "store/wal/b.h"))
        self.assertEqual([], self.findings("src/store/store.cc", "store/opening/b.h"))
        self.assertEqual([], self.findings("src/engine/rows/a.cc", "store/reports/b.h"))

    def test_a_room_above_is_found(self):
        self.assertEqual(
            ["src/store/wal/a.cc:1: room store/wal may not know store/opening/b.h"],
            self.findings("src/store/wal/a.cc", "store/opening/b.h"),
        )
        self.assertEqual(1, len(self.findings("src/store/wal/a.cc", "store/store.h")))
        self.assertEqual(1, len(self.findings("src/engine/database.cc", "engine/rows/b.h")))

    def test_a_folder_that_is_no_room_is_found(self):
        self.assertEqual(1, len(self.findings("src/store/attic/a.cc", "base/b.h")))

    def test_no_room_includes_itself_in_a_circle(self):
        for layer, below in rooms.ROOMS.items():
            seen: set[str] = set()
            while rest := [r for r in below if r not in seen and below[r] <= seen]:
                seen.update(rest)
            self.assertEqual(set(below), seen, layer)

    def test_edges_that_nothing_uses_are_found(self):
        edges = rooms.allowed()
        self.assertEqual([], rooms.unused(edges))
        self.assertEqual(1, len(rooms.unused(edges - {("server", "store")})))

    def test_includes_use_edges(self):
        used = rooms.check_file(Path("src/server/a.cc"), '#include "store/wal/b.h"\n')[1]
        self.assertEqual({("server", "store")}, used)
        used = rooms.check_file(Path("src/store/wal/a.cc"), '#include "store/errors/b.h"\n')[1]
        self.assertEqual({("store/wal", "store/errors")}, used)

    def test_a_file_name_that_stands_twice_is_found(self):
        files = [Path("src/store/a.h"), Path("src/store/a.cc"), Path("src/server/b.h")]
        self.assertEqual([], rooms.twice(files))
        self.assertEqual(
            ["src/store/a.h:1: a.h stands in src/server/x and src/store"],
            rooms.twice([*files, Path("src/server/x/a.h")]),
        )

    def test_a_source_without_its_header_is_found(self):
        known = [Path(name) for name in rooms.WITHOUT_HEADER]
        self.assertEqual([], rooms.without_header(known))
        self.assertEqual(1, len(rooms.without_header([*known, Path("src/store/a.cc")])))
        files = [*known, Path("src/store/a.cc"), Path("src/store/a.h")]
        self.assertEqual([], rooms.without_header(files))
        self.assertEqual(1, len(rooms.without_header(known[1:])))


class DatabaseTest(unittest.TestCase):
    def test_calls_count_and_comments_do_not(self):
        text = "void F() {\n  G(*RunningDatabase());\n  // RunningDatabase()\n}\n"
        self.assertEqual(1, database.asks(text))
        self.assertEqual(0, database.asks('void F() { Log("RunningDatabase()"); }\n'))

    def test_a_new_call_is_found(self):
        allowed = {"src/server/a.cc": 2}
        self.assertEqual([], database.compare({"src/server/a.cc": 2}, allowed))
        self.assertEqual(1, len(database.compare({"src/server/a.cc": 3}, allowed)))
        found = database.compare({"src/server/a.cc": 2, "src/server/b.cc": 1}, allowed)
        self.assertEqual(
            ["src/server/b.cc:1: asks for the running database 1 times (allowed: 0); get it as a "
             "reference"], found
        )  # fmt: skip

    def test_a_number_that_could_shrink_is_found(self):
        found = database.compare({"src/server/a.cc": 1}, {"src/server/a.cc": 2, "src/gone.cc": 1})
        self.assertEqual(
            ["src/gone.cc:1: lower its number in ENTRY_POINTS to 0",
             "src/server/a.cc:1: lower its number in ENTRY_POINTS to 1"], found
        )  # fmt: skip

    def test_the_way_round_the_accessor_is_found(self):
        for text in ("\nauto& d = *State().database;\n", "\nauto* d = state.database.get();\n"):
            found = database.members(Path("src/server/a.cc"), text)
            self.assertEqual(["src/server/a.cc:2"], [f.split(": ")[0] for f in found])
        self.assertEqual([], database.members(Path("src/server/a.cc"), "// State().database\n"))

    def test_a_tree_with_a_hidden_call_fails(self):
        with tempfile.TemporaryDirectory() as name:
            source = Path("src/server/handler/handler_ddl.cc")
            (Path(name) / source).parent.mkdir(parents=True)
            (Path(name) / source).write_text("void F() { G(RunningDatabase(), State().database); }")
            found = [f for f in database.check(Path(name), [source]) if str(source) in f]
            self.assertEqual(2, len(found))


class FunctionsTest(unittest.TestCase):
    def lengths(self, text: str) -> list[tuple[str, int]]:
        return [(f.head, f.length) for f in cpp.functions(text)]

    def test_functions_in_namespaces_and_classes(self):
        text = "namespace a {\nclass B {\n  int C() const {\n    return 1;\n  }\n};\n}\n"
        self.assertEqual([("int C() const", 3)], self.lengths(text))

    def test_blocks_lambdas_and_initializers_are_not_functions(self):
        text = "void F() {\n  if (a) { b(); }\n  auto g = [](int x) {\n    return x;\n  };\n}\n"
        text += "int table[] = {\n  1,\n};\nenum class E { kA };\n"
        self.assertEqual([("void F()", 6)], self.lengths(text))

    def test_braces_in_comments_and_literals_do_not_count(self):
        text = "void F() {\n  // }\n  Log(\"}\");\n  char c = '}';\n}\nvoid G() {\n}\n"
        self.assertEqual([("void F()", 5), ("void G()", 2)], self.lengths(text))

    def test_constructor_with_brace_initializers(self):
        text = "A::A(int b)\n    : b_{b},\n      c_{1} {\n  Go();\n}\nvoid G() {\n}\n"
        self.assertEqual([5, 2], [n for _, n in self.lengths(text)])

    def test_template_and_trailing_return(self):
        text = "template <class T>\nauto F(T t) -> int {\n  return t;\n}\n"
        self.assertEqual([4], [n for _, n in self.lengths(text)])


class ClassesTest(unittest.TestCase):
    def members(self, body: str, key: str = "class") -> tuple[int, int]:
        (only,) = cpp.classes(f"{key} A {{\n{body}\n}};\n")
        return only.data, only.functions

    def test_public_functions_of_its_own_count(self):
        body = "public: A(); ~A(); int F() const { return a_; } static void G();\n"
        body += "virtual int H() = 0; bool operator==(const A&) const = default;\n"
        body += "int I() override; A(const A&) = delete; private: void J();"
        self.assertEqual((0, 3), self.members(body))

    def test_data_counts_wherever_it_stands(self):
        body = "int a = 0; static int b; std::function<void(int)> c; int d, e;\n"
        body += "std::map<int, std::string> f BASALT_GUARDED_BY(mutex_); const int* const g{};"
        self.assertEqual((6, 0), self.members(body))

    def test_members_of_a_struct_are_public(self):
        self.assertEqual((1, 1), self.members("int a; void F();", key="struct"))

    def test_nested_classes_stand_for_themselves(self):
        found = cpp.classes("class A { struct B { int a; int b; }; B b_; };")
        self.assertEqual([("A", 1), ("B", 2)], [(c.name, c.data) for c in found])

    def test_too_many_members_are_found(self):
        text = (
            "class A {\n" + "".join(f"  int a{i};\n" for i in range(22)) + " public: void F();\n};"
        )
        over = budgets.measure_cpp(Path("src/base/a.cc"), text)
        self.assertEqual({"src/base/a.cc: data members of A": 2}, over)
        text = "class A {\n public:\n" + "".join(f"  int F{i}();\n" for i in range(31)) + "};"
        over = budgets.measure_cpp(Path("src/base/a.cc"), text)
        self.assertEqual({"src/base/a.cc: public functions of A": 1}, over)


class BudgetsTest(unittest.TestCase):
    def test_long_function_and_file_are_found(self):
        body = "  x();\n" * 80
        over = budgets.measure_cpp(Path("src/base/a.cc"), f"void F() {{\n{body}}}\n")
        self.assertEqual({"src/base/a.cc: function void F()": 12}, over)
        over = budgets.measure_cpp(Path("src/base/a.cc"), "\n" * 803)
        self.assertEqual({"src/base/a.cc: lines": 3}, over)

    def test_header_without_comments_is_found(self):
        over = budgets.measure_cpp(Path("src/base/a.h"), "int a;\n" * 20)
        self.assertEqual({"src/base/a.h: missing comment": 30}, over)
        over = budgets.measure_cpp(Path("src/base/a.h"), "// why\nint a;  // unit\nint b;\n" * 9)
        self.assertEqual({}, over)

    def test_baseline_allows_and_must_shrink(self):
        self.assertEqual([], budgets.compare({"a: lines": 5}, {"a: lines": 5}))
        self.assertEqual(1, len(budgets.compare({"a: lines": 6}, {"a: lines": 5})))
        self.assertEqual(1, len(budgets.compare({"a: lines": 4}, {"a: lines": 5})))
        self.assertEqual(1, len(budgets.compare({}, {"a: lines": 5})))

    def test_shrink_never_raises(self):
        allowed = {"a: lines": 5, "b: lines": 5, "c: lines": 5}
        over = {"a: lines": 9, "b: lines": 2, "d: lines": 7}
        self.assertEqual({"a: lines": 5, "b: lines": 2}, budgets.shrink(over, allowed))


class WordsTest(unittest.TestCase):
    def test_machine_paths_and_registries_are_found(self):
        for text in ("see /wo" + "rk/main", "x = '/ro" + "ot/a'", "https://py" + "pi.org/"):
            self.assertEqual(1, len(words.check_file(Path("README.md"), text)))

    def test_ordinary_paths_are_not(self):
        text = "${HOME}/work/ /tmp/x usr/root/ $ROOT/root/usr /usr/lib/\n"
        self.assertEqual([], words.check_file(Path("README.md"), text))

    def test_licence_line_is_wanted(self):
        self.assertEqual(1, len(words.check_file(Path("a.py"), "import os\n")))

    def test_verbs_that_have_a_better_one_are_found(self):
        text = f"// {words.LICENCE}\n\nvoid GiveBack();\n  return other->Renew(1);\n"
        found = words.check_file(Path("src/a/b.cc"), text)
        self.assertEqual(
            ["src/a/b.cc:3: a function named by Give; say Release",
             "src/a/b.cc:4: a function named by Renew; say Refresh"], found
        )  # fmt: skip

    def test_other_uses_of_these_verbs_are_not(self):
        text = f"// {words.LICENCE}\n\n// Renew(1)\nbool GivesPlace();\nint Giver(); Give g;\n"
        self.assertEqual([], words.check_file(Path("src/a/b.cc"), text))


class ProseTest(unittest.TestCase):
    def lengths(self, text: str) -> list[int]:
        return [prose.words(s) for _, block in prose.blocks(text) for s in prose.sentences(block)]

    def test_sentences_end_at_points_and_blocks(self):
        self.assertEqual([2, 2, 3], self.lengths("One two. Three\nfour\n\n- five six seven"))
        self.assertEqual([7], self.lengths("About 1.5 of it, e.g. this, remains."))

    def test_tables_code_headings_and_names_do_not_count(self):
        text = "# A title\n\n| a | b |\n\n```\ncode here\n```\n\n    more code\n"
        self.assertEqual([], self.lengths(text))
        self.assertEqual([2], self.lengths("See `a b c`, `d`, `e f` and `g`."))
        self.assertEqual([3], self.lengths("See [the page](a/b c.md)."))

    def test_a_long_sentence_is_found_with_its_line(self):
        page = Path("docs/a.md")
        self.assertEqual([], prose.findings(page, "word " * 30 + "."))
        found = prose.findings(page, "short.\n\n" + "word " * 31 + ".")
        self.assertEqual(["3: 31 words"], [f.split(" in ")[0] for f in found])
        self.assertEqual({"docs/a.md: sentences": 1}, prose.measure(page, "word " * 31))

    def test_pages_are_those_of_the_project(self):
        for name in ("README.md", "docs/format/key.md", "src/txn/README.md"):
            self.assertTrue(prose.is_page(Path(name)), name)
        for name in ("CHANGELOG.md", "third_party/a.md", "docs/a.txt"):
            self.assertFalse(prose.is_page(Path(name)), name)

    def test_a_comment_that_leans_on_another_is_found(self):
        header = Path("src/base/a.h")
        for opening in ("Likewise, for b.", "The same for b."):
            text = f"int a;\n  // {opening}\nint b;\n"
            self.assertEqual(1, len(prose.findings(header, text)))
        text = "// Returns a: it is\n// the same for b.\n// The same holds for c.\nint a;\n"
        self.assertEqual([], prose.findings(header, text))


class LinksTest(unittest.TestCase):
    def test_missing_targets_are_found(self):
        with tempfile.TemporaryDirectory() as name:
            root = Path(name)
            (root / "docs").mkdir()
            (root / "docs/b.md").write_text("x")
            text = "[b](b.md#part) [web](https://example.org/x) [top](#here)\n[c](c.md) `src/a.h`\n"
            found = links.check_page(root, Path("docs/a.md"), text)
            self.assertEqual(["docs/a.md:2: names docs/c.md, which does not exist"], found)
            self.assertEqual(2, len(links.check_page(root, links.GLOSSARY, text)))


class MessagesTest(unittest.TestCase):
    """A message that the page lacks is found, whatever function prints it."""

    def found(self, text: str, page: str = "") -> list[str]:
        return messages.check_file(Path("src/store/a.cc"), text, messages.plain(page))

    def test_parts_between_what_is_filled_in_are_looked_for(self):
        text = (
            'void F() { sql_print_error("ROCKSDB: table %s has lost "\n"its file: %llu", a, b); }\n'
        )
        page = "| `ROCKSDB: table NAME has lost\nits file: N` |"
        self.assertEqual([], self.found(text, page))
        self.assertEqual(2, len(self.found(text)))
        self.assertTrue(self.found(text)[1].startswith("src/store/a.cc:1: "))
        self.assertIn("has lost its file", self.found(text)[1])

    def test_one_changed_word_is_found(self):
        text = 'Status F() { return Status(Code::kNoSpace, "the disk is full: " + name); }\n'
        self.assertEqual([], self.found(text, "`the disk is full: ...`"))
        self.assertEqual(1, len(self.found(text, "`the disk was full: ...`")))

    def test_functions_of_all_names_count(self):
        text = 'std::string G() { return Quoted(name) + " is used by somebody"; }\n'
        self.assertEqual(1, len(self.found(text)))

    def test_two_words_are_a_message_where_something_is_reported(self):
        self.assertEqual(
            1, len(self.found('Status s(Code::kIoError, "x"); F(Status(c, "is gone"));'))
        )
        self.assertEqual([], self.found('F("two words");'))

    def test_assertions_headers_and_comments_are_none(self):
        text = '#include "a b c.h"\n// "a b c"\nvoid F() { BASALT_ASSERT(x, "T1: a b c"); }\n'
        self.assertEqual([], self.found(text + 'static_assert(x, "a b c");\n'))

    def test_what_is_excepted_is_in_the_source(self):
        files = filter(messages.is_read, rules.files_of_project())
        texts = "\n".join((paths.ROOT / path).read_text() for path in files)
        for text in messages.NO_MESSAGES:
            self.assertIn(text, texts)


class ImportsTest(unittest.TestCase):
    def finding(self, path: str, text: str) -> str:
        return "\n".join(imports.check_file(Path(path), text, {"crash", "faults"}))

    def test_a_tier_may_not_know_another(self):
        for text in ("from tests.faults import writer", "from tests import faults"):
            self.assertIn(
                "crash may not know the tier faults", self.finding("tests/crash/a.py", text)
            )
        kit = self.finding("tests/kit/b.py", "def f():\n    import tests.crash.harness\n")
        self.assertIn("tests/kit/b.py:2: kit may not know the tier crash", kit)

    def test_what_is_below_may_be_known(self):
        for text in (
            "import os",
            "from tests.kit import lane",
            "import tests.crash.a",
            "import tools",
        ):
            self.assertEqual("", self.finding("tests/crash/b.py", text))

    def test_tools_and_benchmarks_know_no_tests(self):
        self.assertIn("tools know no tests", self.finding("tools/a.py", "import tests.kit.lane"))
        self.assertIn("tools know no tests", self.finding("tools/a.py", "from bench import page"))
        self.assertIn(
            "benchmarks know no tests", self.finding("bench/a.py", "from tests import kit")
        )
        self.assertIn("tests know no bench", self.finding("tests/kit/a.py", "import bench.page"))
        self.assertEqual("", self.finding("bench/a.py", "from tools import paths"))

    def test_programs_know_only_what_their_package_depends_on(self):
        for text in ("from tools import paths", "import psutil", "from tests.kit import lane"):
            self.assertIn("programs know only", self.finding("programs/top/a.py", text))
        for text in ("import json", "from programs.top import rates", "from rich.text import Text"):
            self.assertEqual("", self.finding("programs/top/a.py", text))

    def test_tiers_are_found_and_the_top_is_left_out(self):
        with tempfile.TemporaryDirectory() as name:
            root, text = Path(name), "from tests.crash import tier"
            files = [
                Path(n) for n in ("tests/crash/tier.py", "tests/kit/a.py", "tools/commands/b.py")
            ]
            for file in files:
                (root / file).parent.mkdir(parents=True)
                (root / file).write_text(text)
            found = imports.check(root, files)
        self.assertEqual(["tests/kit/a.py:1"], [f.split(": ")[0] for f in found])


if __name__ == "__main__":
    unittest.main()
