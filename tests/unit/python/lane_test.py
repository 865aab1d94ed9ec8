# SPDX-License-Identifier: GPL-2.0-only
"""Tiers in processes of their own (tests/kit/lane.py): what becomes of one that ends badly."""

import contextlib
import io
import os
import unittest

from tests.kit.lane import apart
from tests.kit.tier_result import TierResult


def passes(name: str, args) -> TierResult:
    return TierResult(name, args, 0)


def raises(name: str, args) -> TierResult:
    raise FileNotFoundError(f"{name} misses a file")


def dies(name: str, args) -> TierResult:
    os._exit(3)


class ApartTest(unittest.TestCase):
    def test_the_result_comes_from_another_process(self):
        result = apart(passes, "quick", 7)
        self.assertEqual((result.name, result.passed, result.failed), ("quick", 7, 0))

    def test_an_exception_is_a_failure_with_its_words(self):
        with contextlib.redirect_stderr(io.StringIO()):
            result = apart(raises, "quick", None)
        self.assertEqual((result.passed, result.failed), (0, 1))
        self.assertEqual(result.failures, ["FileNotFoundError: quick misses a file"])

    def test_a_process_that_dies_is_a_failure(self):
        result = apart(dies, "quick", None)
        self.assertEqual(result.failures, ["the process of quick ended without a result"])


if __name__ == "__main__":
    unittest.main()
