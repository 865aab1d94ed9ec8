# SPDX-License-Identifier: GPL-2.0-only
"""What clone and promote of basalt-backup decide without a server: positions, versions, the ends of
transactions in relay logs, folders that are not empty. `./dev test cluster` has the rest.
"""

import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from programs import connection
from programs.backup import clone, gtid, primary, promote
from programs.backup.errors import BackupError
from programs.backup.manifest import Archive, Manifest, Position
from programs.backup.target import WORK, Target
from programs.connection import BadOptions

HEAD = "#261127  3:20:31 server id 1  end_log_pos 159414 CRC32 0x5924e2d2 \t"
ROWS = [HEAD + "GTID 0-1-7 trans\n", "START TRANSACTION\n", HEAD + "Write_rows: table id 30\n"]
XID = [HEAD + "Xid = 23\n", "COMMIT/*!*/;\n"]
DDL = [HEAD + "GTID 0-1-8 ddl\n", "/*!100001 SET @@session.gtid_seq_no=8*//*!*/;\n"]
QUERY = [HEAD + "Query\tthread_id=281\texec_time=0\n", "CREATE TABLE t (id INT)\n"]


class GtidTest(unittest.TestCase):
    def test_the_last_of_each_domain(self):
        found = gtid.parse("1-5-3, 0-1-57,0-2-9")
        self.assertEqual(gtid.text_of(found), "0-1-57,1-5-3")
        self.assertEqual(gtid.parse(""), {})

    def test_what_is_no_position(self):
        for text in ("0-1", "0-1-x", "binlog.000001", "0-1-2;0-1-3", "-1-1-1"):
            with self.subTest(text), self.assertRaisesRegex(BackupError, "is no position"):
                gtid.parse(text)

    def test_beyond(self):
        reached = gtid.parse("0-1-57,1-5-3")
        self.assertEqual(gtid.beyond(gtid.parse("0-9-57,1-5-3"), reached), {})
        self.assertEqual(gtid.text_of(gtid.beyond(gtid.parse("0-1-58"), reached)), "0-1-58")
        self.assertEqual(gtid.text_of(gtid.beyond(gtid.parse("2-1-1"), reached)), "2-1-1")


class RelayLogTest(unittest.TestCase):
    def ends(self, lines: list[str]) -> str:
        return gtid.text_of(promote.whole(lines))

    def test_whole_transactions(self):
        self.assertEqual(self.ends([*ROWS, *XID]), "0-1-7")
        self.assertEqual(self.ends([*ROWS, *XID, *DDL, *QUERY]), "0-1-8")

    def test_each_domain_has_its_end(self):
        other = [line.replace("0-1-7", "1-1-3") for line in [*ROWS, *XID]]
        self.assertEqual(self.ends([*ROWS, *XID, *other]), "0-1-7,1-1-3")

    def test_one_that_is_cut_off_does_not_count(self):
        self.assertEqual(self.ends(ROWS), "")
        self.assertEqual(self.ends([*ROWS, *XID, *DDL]), "0-1-7")
        self.assertEqual(self.ends([HEAD + "Rotate to binlog.000002  pos: 4\n"]), "")


class PrimaryTest(unittest.TestCase):
    def named(self, *lines: str) -> primary.Primary:
        with mock.patch.object(connection, "option_files", return_value=list(lines)):
            return primary.Primary(Path("primary.cnf"), "basalt-backup")

    def test_without_a_host_a_new_server_cannot_reach_it(self):
        with self.assertRaisesRegex(BadOptions, "host="):
            self.named("--user=repl")

    def test_what_cannot_be_followed(self):
        there = self.named("--host=db1", "--user=repl")
        there.compare(1, 1, "10.11.18-MariaDB-log", 2, "10.11.17-MariaDB")
        with self.assertRaisesRegex(BackupError, "no binary log"):
            there.compare(1, 0, "10.11.18-MariaDB", 2, "10.11.18-MariaDB")
        with self.assertRaisesRegex(BackupError, "server_id 1 is the primary's"):
            there.compare(1, 1, "10.11.18-MariaDB", 1, "10.11.18-MariaDB")
        with self.assertRaisesRegex(BackupError, "which is older"):
            there.compare(1, 1, "11.4.2-MariaDB", 2, "10.11.18-MariaDB")

    def test_tls_is_passed_on(self):
        there = self.named("--host=db1", "--user=repl", "--ssl-ca=/ca.pem")
        statement, values = there.statement()
        self.assertIn("MASTER_SSL=%s, MASTER_SSL_CA=%s", statement)
        self.assertEqual(values, ["db1", 3306, "repl", "", 1, "/ca.pem", 0])

    def test_a_certificate_of_its_own_and_the_primary_s_name(self):
        there = self.named(
            "--host=db1", "--ssl-cert=c.pem", "--ssl-key=/k", "--ssl-verify-server-cert"
        )
        statement, values = there.statement()
        self.assertIn("MASTER_SSL_CERT=%s, MASTER_SSL_KEY=%s, MASTER_SSL_VERIFY", statement)
        self.assertEqual(values[4:], [1, str(Path("c.pem").absolute()), "/k", 1])

    def test_files_that_the_new_server_cannot_read(self):
        there = self.named("--host=db1", "--ssl-ca=/no/such/file")
        with self.assertRaisesRegex(BackupError, "the new server's user cannot read /no/such/file"):
            there.check_readable({})


class TargetTest(unittest.TestCase):
    def setUp(self):
        self.datadir = Path(self.enterContext(tempfile.TemporaryDirectory())) / "data"
        self.target = Target(self.datadir)

    def test_what_is_somebodys_stays(self):
        self.datadir.mkdir()
        (self.datadir / "file").touch()
        with self.assertRaisesRegex(BackupError, "is not empty"):
            self.target.check_empty()

    def test_what_a_killed_run_has_left_goes(self):
        (self.datadir / WORK / "full").mkdir(parents=True)
        (self.datadir / "ibdata1").touch()
        self.target.check_empty()
        self.target.begin()
        self.assertEqual(os.listdir(self.datadir), [WORK])
        self.assertEqual(os.listdir(self.datadir / WORK), [])

    def test_what_says_whose_it_is_goes_last(self):
        for name in ("aria_log_control", WORK, "ibdata1", "zz"):
            (self.datadir / name).mkdir(parents=True)
        self.assertEqual(self.target.there()[-1], self.target.work)

    def test_two_at_once(self):
        with self.target.locked(), self.assertRaisesRegex(BackupError, "another basalt-backup"):
            with Target(self.datadir).locked():
                self.fail("both are let in")


class CloneTest(unittest.TestCase):
    def test_where_the_copy_ends(self):
        def ends(position: Position) -> str:
            archive = Archive("0" * 64, 0, "none", 0, 42)
            return clone.position_of(Manifest("", "", "", archive, position))

        self.assertEqual(ends(Position("binlog.000001", 4, "0-1-7", "0-9-3,1-1-5")), "0-1-7,1-1-5")
        self.assertEqual(ends(Position("binlog.000001", 4, "", "")), "")
        self.assertEqual(ends(Position("", 0, "", "0-1-7")), "0-1-7")
        with self.assertRaisesRegex(BackupError, "no binary log"):
            ends(Position("", 0, "", ""))


if __name__ == "__main__":
    unittest.main()
