# SPDX-License-Identifier: GPL-2.0-only
"""The pass of clang-tidy in ./dev lint: what it refuses, and when it reads a source again."""

import contextlib
import io
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from tools import clang, passed_sources, paths

CHOSEN_CHECKS = clang.chosen_checks().read_text()
HEADER = """
class __attribute__((capability("mutex"))) Mutex {
 public:
  void Lock() __attribute__((acquire_capability()));
  void Unlock() __attribute__((release_capability()));
};
struct Counter {
  Mutex mutex;
  int value __attribute__((guarded_by(mutex))) = 0;
};
int Add(Counter& c);
"""
LOCKED = """
#include "counter.h"
int Add(Counter& c) { c.mutex.Lock(); int now = ++c.value; c.mutex.Unlock(); return now; }
"""
UNLOCKED = """
#include "counter.h"
int Add(Counter& c) { return ++c.value; }
"""
HALVED = """
double Half(int whole);
double Half(int whole) { return whole / 2; }
"""


@unittest.skipIf(shutil.which(clang.TIDY) is None, "./dev setup has not brought clang-tidy")
class ClangTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.cache = Path(folder.name, "cache")
        cache = mock.patch.object(paths, "cache", return_value=self.cache)
        cache.start()
        self.addCleanup(cache.stop)
        self.enter_clone(Path(folder.name, "clone"))

    def enter_clone(self, root: Path) -> None:
        """Makes a clone there, whose sources are those of the first one."""
        change = mock.patch.object(paths, "ROOT", root)
        change.start()
        self.addCleanup(change.stop)
        self.source = paths.ROOT / "src" / "counter.cc"
        self.source.parent.mkdir(parents=True)
        (self.source.parent / "counter.h").write_text(HEADER)
        clang.chosen_checks().write_text(CHOSEN_CHECKS)

    def entry(self, source: Path) -> dict:
        command = clang.tidy_command(
            f"/usr/bin/ccache /usr/bin/c++ -O2 -Wall -fno-gnu-unique -o x.o -c {source}"
        )
        return {"file": str(source), "directory": str(paths.ROOT), "command": command}

    def check(self) -> list[str]:
        passed = passed_sources.PassedSources(clang.judge())
        return clang.check_source(self.entry(self.source), passed, passed_sources.FileHashes())

    def lint(self, *sources: Path) -> list[str]:
        """clang.check() over the sources."""
        with contextlib.ExitStack() as stack:
            for module, name, value in [
                (clang.setup, "ensure", None),
                (clang.debian, "install", None),
                (clang, "refreshed_commands", None),
                (clang, "read_commands", [self.entry(source) for source in sources]),
            ]:
                stack.enter_context(mock.patch.object(module, name, return_value=value))
            stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
            return clang.check()

    def assert_not_read(self, *sources: Path):
        with mock.patch.object(clang, "split_findings", side_effect=AssertionError("read again")):
            with mock.patch.object(clang, "our_files", side_effect=AssertionError("read again")):
                self.assertEqual(self.lint(*sources), [])

    def test_all_checks_that_are_chosen_exist(self):
        command = [clang.TIDY, "--verify-config", f"--config-file={clang.chosen_checks()}"]
        done = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_guarded_member_without_its_mutex_is_an_error(self):
        self.source.write_text(UNLOCKED)
        findings = self.check()
        self.assertRegex(findings[0], r"^src/counter.cc:3:.*requires holding mutex 'c.mutex'")

    def test_what_a_check_finds_is_an_error(self):
        self.source.write_text(HALVED)
        findings = self.check()
        self.assertEqual(len(findings), 1)
        self.assertRegex(findings[0], r"^src/counter.cc:3:.*bugprone-integer-division")

    def test_a_source_that_does_not_compile_is_an_error(self):
        self.source.write_text("int Add(Counter& c);")
        self.assertRegex(self.check()[0], r"^src/counter.cc:1:.*unknown type name 'Counter'")

    def test_a_clang_tidy_that_is_killed_is_an_error(self):
        self.source.write_text(LOCKED)
        entry = self.entry(self.source) | {"command": ["sh", "-c", "kill -9 $$"]}
        passed = passed_sources.PassedSources(clang.judge())
        findings = clang.check_source(entry, passed, passed_sources.FileHashes())
        self.assertEqual(findings, ["src/counter.cc:1: clang-tidy ended with status -9"])

    def test_a_finding_in_a_header_is_told_once(self):
        header = self.source.parent / "counter.h"
        header.write_text(HEADER + "inline double Half(int whole) { return whole / 2; }\n")
        self.source.write_text(LOCKED)
        other = self.source.parent / "other.cc"
        other.write_text('#include "counter.h"\n')
        findings = self.lint(self.source, other)
        self.assertEqual(len(findings), 1)
        self.assertRegex(findings[0], r"^src/counter.h:12:.*bugprone-integer-division")

    def test_what_passed_is_not_read_again_before_it_or_a_header_changes(self):
        self.source.write_text(LOCKED)
        self.assertEqual(self.lint(self.source), [])
        self.assert_not_read(self.source)
        header = self.source.parent / "counter.h"
        header.write_text(HEADER.replace("value", "count"))
        self.assertNotEqual(self.lint(self.source), [])
        header.write_text(HEADER)
        self.assert_not_read(self.source)

    def test_what_has_passed_with_a_finding_elsewhere_is_known_and_the_finding_is_told_again(self):
        other = self.source.parent / "other.cc"
        other.write_text(HALVED)
        self.source.write_text(LOCKED)
        self.assertEqual(self.lint(self.source, other), self.lint(self.source, other))
        self.assert_not_read(self.source)

    def test_what_passed_in_one_clone_is_not_read_in_another(self):
        self.source.write_text(LOCKED)
        self.assertEqual(self.lint(self.source), [])
        self.enter_clone(self.cache.parent / "second")
        self.source.write_text(LOCKED)
        self.assert_not_read(self.source)
        self.source.write_text(UNLOCKED)
        self.assertRegex(self.lint(self.source)[0], "requires holding mutex")

    def test_a_damaged_record_is_no_record(self):
        self.source.write_text(LOCKED)
        self.assertEqual(self.lint(self.source), [])
        for file in (self.cache / "clang-tidy").iterdir():
            file.write_text(file.read_text()[:-9])
        with self.assertRaisesRegex(AssertionError, "read again"):
            self.assert_not_read(self.source)

    def test_other_checks_read_all_sources_again(self):
        self.source.write_text(LOCKED)
        self.assertEqual(self.lint(self.source), [])
        self.assert_not_read(self.source)
        more = "  readability-identifier-length,\n  bugprone-argument-comment,"
        chosen = CHOSEN_CHECKS.replace("  bugprone-argument-comment,", more)
        clang.chosen_checks().write_text(chosen)
        self.assertRegex(self.lint(self.source)[0], "readability-identifier-length")

    def test_another_clang_tidy_reads_all_sources_again(self):
        self.source.write_text(LOCKED)
        self.assertEqual(self.lint(self.source), [])
        with mock.patch.object(clang, "judge", return_value=["another version", ""]):
            with self.assertRaisesRegex(AssertionError, "read again"):
                self.assert_not_read(self.source)

    def test_commands_lose_what_is_for_gcc_or_for_code(self):
        command = clang.tidy_command(
            "/usr/bin/c++ -DX -I/a -O2 -g1 -Wall -o b.o -std=c++20 -c c.cc"
        )
        checks = f"--config-file={paths.ROOT}/.clang-tidy"
        self.assertEqual(
            command, [clang.TIDY, "--quiet", checks, "c.cc", "--", "-DX", "-I/a", "-std=c++20"]
        )
