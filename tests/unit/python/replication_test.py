# SPDX-License-Identifier: GPL-2.0-only
import unittest

from tests.replication import binlog_cut, binlog_numbers, row_events

LOG = (
    "2026-11-22  8:17:33 0 [Note] Successfully truncated binlog file:./binlog.000008 from previous"
    " file size 315586 to pos:314214 to remove transactions starting from GTID 0-1-8936\n"
)


class RowEventsTest(unittest.TestCase):
    def test_each_event_with_its_table(self):
        events = [
            ("Gtid", "BEGIN GTID 0-1-9"),
            ("Table_map", "table_id: 33 (rpl.parent)"),
            ("Table_map", "table_id: 34 (rpl.log)"),
            ("Delete_rows_v1", "table_id: 33"),
            ("Write_rows_v1", "table_id: 34 flags: STMT_END_F"),
            ("Xid", "COMMIT /* xid=7 */"),
        ]
        self.assertEqual(["Delete_rows parent", "Write_rows log"], row_events.described(events))


class BinlogCutTest(unittest.TestCase):
    def test_the_first_transaction_that_was_cut(self):
        self.assertEqual((0, 1, 8936), binlog_cut.last_cut(LOG))
        self.assertIsNone(binlog_cut.last_cut("[Note] Crash table recovery finished.\n"))

    def test_a_position_behind_the_cut(self):
        self.assertTrue(binlog_cut.counts_what_it_cut(LOG, "0-2-8522,0-1-8938"))
        self.assertTrue(binlog_cut.counts_what_it_cut(LOG, "0-1-8936"))

    def test_a_position_before_the_cut_and_others(self):
        self.assertFalse(binlog_cut.counts_what_it_cut(LOG, "0-2-9000,0-1-8935"))
        self.assertFalse(binlog_cut.counts_what_it_cut(LOG, "1-1-9000"))
        self.assertFalse(binlog_cut.counts_what_it_cut(LOG, ""))
        self.assertFalse(binlog_cut.counts_what_it_cut("", "0-1-8938"))


class BinlogNumbersTest(unittest.TestCase):
    def test_numbers_of_all_kinds_of_transactions_and_of_nothing_else(self):
        events = [
            ("Format_desc", "Server ver: 10.11.18-MariaDB-log, Binlog ver: 4"),
            ("Gtid_list", "[0-1-3]"),
            ("Gtid", "BEGIN GTID 0-1-4 cid=19"),
            ("Query", "SELECT 'GTID 0-1-99'"),
            ("Gtid", "GTID 0-1-5"),
        ]
        self.assertEqual([4, 5], binlog_numbers.numbers_of(events))

    def test_gaps(self):
        self.assertEqual((0, 0), binlog_numbers.gaps([1, 2, 3], 3))
        self.assertEqual((2, 0), binlog_numbers.gaps([2], 3))
        self.assertEqual((0, 3), binlog_numbers.gaps([1, 2, 1, 2, 2], 2))
        self.assertEqual((0, 0), binlog_numbers.gaps([], 0))


if __name__ == "__main__":
    unittest.main()
