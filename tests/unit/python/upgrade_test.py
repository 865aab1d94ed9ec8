# SPDX-License-Identifier: GPL-2.0-only
"""What the tests of upgrades leave out, because stock's format has lost it."""

import unittest

from tests.upgrade.matrix import loses_its_end


class LosesItsEndTest(unittest.TestCase):
    def test_only_what_lies_behind_full_segments_and_sorts_like_spaces(self):
        for text in ("BBaaBaab`", "BBaaBaab ` ", "BBaaBaabBBaaBaab``", "BBaaBaa`````"):
            self.assertTrue(loses_its_end(text, "`"), text)
        for text in ("", "`", "BBaaBaa`", "BBaaBaab  ", "BBaaBaab`b", "BBaaBaab`~"):
            self.assertFalse(loses_its_end(text, "`"), text)
        self.assertFalse(loses_its_end("BBaaBaab`", ""))


if __name__ == "__main__":
    unittest.main()
