# SPDX-License-Identifier: GPL-2.0-only
"""The pass of clang in ./dev lint: what it refuses, and when it reads a source again."""

import shutil
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from tools import build, clang, paths

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
"""
LOCKED = """
#include "counter.h"
int Add(Counter& c) { c.mutex.Lock(); int now = ++c.value; c.mutex.Unlock(); return now; }
"""
UNLOCKED = """
#include "counter.h"
int Add(Counter& c) { return ++c.value; }
"""


@unittest.skipIf(shutil.which(build.CLANG) is None, "./dev setup has not brought clang")
class ClangTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        root = mock.patch.object(paths, "ROOT", Path(folder.name))
        root.start()
        self.addCleanup(root.stop)
        self.source = paths.ROOT / "src" / "counter.cc"
        self.source.parent.mkdir()
        (self.source.parent / "counter.h").write_text(HEADER)

    def check(self, known: dict | None = None):
        command = clang.clang_command(
            f"/usr/bin/ccache /usr/bin/c++ -O2 -Wall -fno-gnu-unique -o x.o -c {self.source}"
        )
        entry = {"file": str(self.source), "directory": str(paths.ROOT), "command": command}
        return clang.check_source(entry, known or {}, clang.FileHashes())

    def test_a_guarded_member_without_its_mutex_is_an_error(self):
        self.source.write_text(UNLOCKED)
        record, findings = self.check()
        self.assertIsNone(record)
        self.assertRegex(findings[0], r"^src/counter.cc:3:.*requires holding mutex 'c.mutex'")

    def test_what_passed_is_not_read_again_before_it_or_a_header_changes(self):
        self.source.write_text(LOCKED)
        record, findings = self.check()
        self.assertEqual(findings, [])
        self.assertEqual(len(record["files"]), 2)
        known = {str(self.source): record}
        with mock.patch.object(clang.subprocess, "run", side_effect=AssertionError("read again")):
            self.assertEqual(self.check(known), (record, []))
        (self.source.parent / "counter.h").write_text(HEADER.replace("value", "count"))
        self.assertIsNone(self.check(known)[0])

    def test_commands_lose_what_is_for_gcc_or_for_code(self):
        command = clang.clang_command(
            "/usr/bin/c++ -DX -I/a -O2 -g1 -Wall -o b.o -std=c++20 -c c.cc"
        )
        self.assertEqual(
            command, [build.CLANG, *clang.CHECKS, "-DX", "-I/a", "-std=c++20", "-c", "c.cc"]
        )
