# SPDX-License-Identifier: GPL-2.0-only
"""The tier that runs MyRocks' own tests: reading the runner's output, judging by the kept list."""

import argparse
import unittest

from tests.myrocks_suite import expectations, runner, tolerant, verdicts
from tests.myrocks_suite import tier as tier_module
from tests.myrocks_suite.expectations import Expectation
from tests.myrocks_suite.runner import Outcome
from tests.myrocks_suite.suite import SuiteTest
from tools import paths

OUTPUT = """\
rocksdb.first 'write_committed'          w1 [ pass ]    196
worker[02] mysql-test-run: WARNING: something else
rocksdb.second 'row,write_committed'     w2 [ fail ]
        Test ended at 2030-01-01 10:00:00

CURRENT_TEST: rocksdb.second
--- /a/r/second.result	2030-01-01
+++ /a/r/second.reject	2030-01-01
@@ -1,2 +1,2 @@
-count 17
+count 18

Result content mismatch

rocksdb.third                            w1 [ fail ]
mysqltest: At line 8: query 'SELECT 1' failed: 1234
rocksdb.fourth                           [ skipped ]  Requires debug build
The servers were restarted 2 times
"""
TEST = SuiteTest("rocksdb", "first", "")


class ReadTest(unittest.TestCase):
    def test_outcomes(self):
        found = {o.name: o for o in runner.read(OUTPUT.splitlines(keepends=True))}
        verdict = {name: outcome.verdict for name, outcome in found.items()}
        expected = {
            "rocksdb.first": "pass",
            "rocksdb.second[row]": "differs",
            "rocksdb.third": "fails",
            "rocksdb.fourth": "skipped",
        }
        self.assertEqual(expected, verdict)
        self.assertAlmostEqual(0.196, found["rocksdb.first"].seconds)
        self.assertEqual("Requires debug build", found["rocksdb.fourth"].story)

    def test_a_digest_knows_words_and_not_numbers(self):
        story = "+count 18\n-count 17\n+++ /a/b 2030\n"
        self.assertEqual(runner.digest(story), runner.digest(story.replace("18", "20")))
        self.assertNotEqual(runner.digest(story), runner.digest(story.replace("count", "sum")))

    def test_a_digest_knows_the_query_in_an_included_file_and_not_the_folder(self):
        story = (
            'mysqltest: In included file "/a/b/wait.inc": \n'
            "included from /a/b/case.test at line 6:\n"
            "At line 61: query 'UPDATE t' failed: ER_X (1205): Lock wait\n"
        )
        self.assertEqual(runner.digest(story), runner.digest(story.replace("/a/b/", "/c/")))
        self.assertNotEqual(runner.digest(story), runner.digest(story.replace("ER_X", "ER_Y")))
        self.assertNotEqual(runner.digest(story), runner.digest(story.replace("wait", "hold")))

    def test_a_server_that_does_not_start_is_known_by_its_errors(self):
        story = "2026-11-22  7:57:49 0 [ERROR] ROCKSDB: newer\n2026-11-22  7:57:50 0 [Note] x\n"
        later = story.replace("22  7:57", "23 17:01").replace("[Note] x", "[Note] y")
        self.assertEqual(runner.digest(story), runner.digest(later))
        self.assertNotEqual(runner.digest(story), runner.digest(story.replace("newer", "damaged")))


class TolerantTest(unittest.TestCase):
    def test_errors_are_not_demanded(self):
        text = "--error ER_DUP_ENTRY\n--error 0,ER_X\n  error ER_Y;\n--echo error ER_Z\n"
        also = tolerant.ALSO
        expected = (
            f"--error {also}ER_DUP_ENTRY\n--error 0,ER_X\n  error {also}ER_Y;\n--echo error ER_Z\n"
        )
        self.assertEqual(expected, tolerant.tolerate(text))


class JudgeTest(unittest.TestCase):
    def judge(self, word: str, listed: str, digest: str = "") -> str:
        outcome, _, known = listed.partition(":")
        return verdicts.judge(word, digest, Expectation("rocksdb.x", outcome, known))

    def test_every_way(self):
        self.assertEqual("new", verdicts.judge("pass", "", None))
        self.assertEqual("same", self.judge("pass", "pass"))
        self.assertEqual("better", self.judge("pass", "differs:1"))
        self.assertEqual("better", self.judge("pass", "fails"))
        self.assertEqual("same", self.judge("differs", "differs:1", "1"))
        self.assertEqual("same", self.judge("fails", "differs:1", "1"))
        self.assertEqual("changed", self.judge("differs", "differs:1", "2"))
        self.assertEqual("same", self.judge("differs", "fails"))
        self.assertEqual("same", self.judge("fails", "broken"))
        for listed in ("pass", "won", "skipped"):
            self.assertEqual("worse", self.judge("fails", listed))
        self.assertEqual("worse", self.judge("skipped", "pass"))

    def test_a_new_difference_is_a_fault_until_someone_says_otherwise(self):
        outcome = Outcome("rocksdb.first", "differs", 0.1, "+x\n")
        line = verdicts.renewed("differs", outcome, TEST, None)
        self.assertEqual(("fails", "to be looked at"), (line.outcome, line.reason))
        old = Expectation("rocksdb.first", "differs", "1", reason="a better message")
        line = verdicts.renewed("differs", outcome, TEST, old)
        self.assertEqual(("differs", outcome.digest), (line.outcome, line.digest))
        self.assertEqual("a better message", line.reason)


def ended(passes: int, wins: int, differences: int, others: int) -> dict[str, str]:
    words = ["pass"] * passes + ["won"] * wins + ["differs"] * differences + ["fails"] * others
    return {f"rocksdb.t{number}": word for number, word in enumerate(words)}


class StockTest(unittest.TestCase):
    def test_as_many_as_stock_passes_are_enough(self):
        self.assertEqual("", verdicts.shortfall(ended(verdicts.STOCK_PASSES - 30, 10, 20, 9)))

    def test_one_less_is_a_shortfall(self):
        words = ended(verdicts.STOCK_PASSES - 31, 10, 20, 9)
        self.assertTrue(verdicts.shortfall(words).endswith(": 1 too few"))

    def test_tests_of_other_suites_do_not_help(self):
        words = ended(verdicts.STOCK_PASSES - 1, 0, 0, 0) | {"rocksdb_rpl.x": "pass"}
        self.assertNotEqual("", verdicts.shortfall(words))

    def test_a_shortfall_fails_a_run_of_all_tests_only(self):
        def whole(tier="myrocks-suite", **other):
            args = {"filter": "", "short_suite": False, "switched_off": False, "tier": tier}
            return tier_module.is_whole(argparse.Namespace(**(args | other)))

        self.assertTrue(whole())
        self.assertTrue(whole(tier="full"))
        self.assertFalse(whole(tier=None))
        for option in ("filter", "short_suite", "switched_off"):
            self.assertFalse(whole(**{option: "x"}))


class ListTest(unittest.TestCase):
    def test_the_kept_list_answers_for_as_many_as_stock_passes(self):
        words = {name: known.outcome for name, known in expectations.load().items()}
        self.assertEqual("", verdicts.shortfall(words))
        page = (paths.ROOT / "tests" / "myrocks_suite" / "README.md").read_text()
        self.assertIn(f"`{verdicts.as_stock_counts(words)}`", page)

    def test_the_kept_list_can_be_read(self):
        found = expectations.load()
        self.assertGreater(len(found), 400)
        for expectation in found.values():
            self.assertTrue(expectation.outcome in ("pass", "won") or expectation.reason)


if __name__ == "__main__":
    unittest.main()
