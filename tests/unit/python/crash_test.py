# SPDX-License-Identifier: GPL-2.0-only
"""The crash tier's reading of an error log, which needs no server."""

import unittest

from tests.crash.ddl import Ddl, check_log

FIRST_PAGE = (
    "2026-11-25 [ERROR] InnoDB: Expected tablespace id 125 but found 0 in the file ./crash/d2_9.ibd"
)


class LogTest(unittest.TestCase):
    def test_the_file_of_a_table_that_is_accounted_for_may_lack_its_first_page(self):
        self.assertEqual([], check_log(FIRST_PAGE, {"d2_9", "d1_1"}))

    def test_the_file_of_another_table_may_not(self):
        for accounted in (set(), {"d2_90"}, {"d2"}):
            self.assertEqual([FIRST_PAGE], [p.text for p in check_log(FIRST_PAGE, accounted)])

    def test_a_table_explains_no_other_error(self):
        line = "2026-11-25 [ERROR] InnoDB: Corrupted page in the file ./crash/d2_9.ibd"
        self.assertEqual(1, len(check_log(line, {"d2_9"})))

    def test_the_tables_in_flight_are_those_of_the_statement(self):
        client = Ddl(2, 1, connect=None)
        client.statement = "RENAME TABLE d2_9 TO d2_11"
        self.assertEqual(set(), client.names_in_flight())
        client.pending = [{}]
        self.assertEqual({"d2_9", "d2_11"}, client.names_in_flight())
