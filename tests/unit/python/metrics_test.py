# SPDX-License-Identifier: GPL-2.0-only
"""What the scenario `metrics` says of numbers before and after a load."""

import unittest

from tests.client_tools import dashboard
from tests.client_tools.metrics import restless, still_standing


def numbers(value: float) -> dict[str, float]:
    return {name: 0.0 if name in dashboard.STILL else value for name in dashboard.NAMES}


class DashboardTest(unittest.TestCase):
    def setUp(self):
        self.before, self.after = numbers(5.0), numbers(6.0)

    def test_all_that_can_move_has_moved(self):
        self.assertEqual([], still_standing(self.before, self.after))
        self.assertEqual([], restless(self.after))

    def test_what_stands_still_is_named(self):
        self.after["wal_bytes"] = self.before["wal_bytes"]
        self.assertEqual(["wal_bytes"], still_standing(self.before, self.after))

    def test_a_missing_counter_has_not_moved(self):
        del self.before["wal_bytes"], self.after["get_hit_l1"]
        self.assertEqual(["get_hit_l1", "wal_bytes"], still_standing(self.before, self.after))

    def test_what_goes_down_has_not_moved(self):
        self.after["wal_bytes"] = 1.0
        self.assertEqual(["wal_bytes"], still_standing(self.before, self.after))

    def test_what_cannot_move_must_be_there_and_0(self):
        self.after["no_file_closes"] = 1.0
        del self.after["write_timeout"]
        self.assertEqual(["no_file_closes", "write_timeout"], restless(self.after))

    def test_the_lists_agree(self):
        self.assertEqual(64, len(set(dashboard.NAMES)))
        self.assertLessEqual(set(dashboard.STILL), set(dashboard.NAMES))


if __name__ == "__main__":
    unittest.main()
