# SPDX-License-Identifier: GPL-2.0-only
"""What the scenario `metrics` says of numbers before and after a load."""

import unittest

from tests.client_tools import dashboard
from tests.client_tools.metrics import COUNTERS, numbers, restless, still_standing


def counters(value: float) -> dict[str, float]:
    return {name: 0.0 if name in dashboard.STILL else value for name in dashboard.NAMES}


PAGE = f"""\
# HELP go_goroutines Number of goroutines that currently exist.
# TYPE go_goroutines gauge
go_goroutines 9
# HELP {COUNTERS}wal_bytes Generic metric from SHOW GLOBAL STATUS.
# TYPE {COUNTERS}wal_bytes untyped
{COUNTERS}wal_bytes 1.2345678e+07
# TYPE {COUNTERS}keys_total counter
{COUNTERS}keys_total 3
# TYPE {COUNTERS}stall_micros untyped
{COUNTERS}stall_micros{{command="a\\"b}}",why="x"}} 0
"""


class PageTest(unittest.TestCase):
    def test_numbers_of_a_page_by_their_names(self):
        found = numbers(PAGE, COUNTERS)
        self.assertEqual({"wal_bytes": 12345678.0, "keys_total": 3.0, "stall_micros": 0.0}, found)

    def test_what_is_no_number_is_an_error(self):
        with self.assertRaises(ValueError):
            numbers(PAGE.replace("} 0", "} many"), COUNTERS)


class DashboardTest(unittest.TestCase):
    def setUp(self):
        self.before, self.after = counters(5.0), counters(6.0)

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
