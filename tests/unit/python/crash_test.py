# SPDX-License-Identifier: GPL-2.0-only
"""What the crash tier does without a server: its reading of an error log, the rules of foreign keys
by which it knows rows, and its judgement of constraints."""

import sqlite3
import unittest
from unittest import mock

from tests.crash.constraints import contradictions
from tests.crash.ddl import Ddl, check_log
from tests.crash.ddl_points import Script
from tests.crash.neighbour import Neighbour, raised
from tests.kit.clients.family import Refused, Rows
from tests.kit.clients.prepared_family import Open, judge

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


class Table:
    """A cursor on a real table; the questions about the build have the answers `numbers`."""

    def __init__(self, numbers: tuple[int, int]):
        self.link = sqlite3.connect(":memory:", isolation_level=None)
        self.numbers, self.said, self.answer = numbers, [], None
        self.link.executescript(
            "CREATE TABLE d1_b (id INT, v INT); INSERT INTO d1_b VALUES (1, 10)"
        )

    def execute(self, statement: str) -> None:
        self.said.append(statement)
        if "information_schema" in statement:
            self.answer = (self.numbers["ROCKSDB_DDL" in statement],)
        else:
            self.link.execute(statement)

    def fetchone(self):
        return self.answer


class NeighbourTest(unittest.TestCase):
    def transaction(self, numbers: tuple[int, int]) -> tuple[Neighbour, Table]:
        """One, when there were two indexes before and the largest number was 300."""
        neighbour, table = Neighbour(None, "d1_b", []), Table(numbers)
        neighbour._before = (300, 2)
        neighbour._transaction(table)
        return neighbour, table

    def test_rows_are_high_and_low_in_turn(self):
        neighbour, table = self.transaction((302, 2))
        rows = table.link.execute("SELECT id, v FROM d1_b").fetchall()
        self.assertEqual((raised(frozenset([(1, 10)])), True), (frozenset(rows), neighbour.high))
        neighbour._transaction(table)
        self.assertEqual([(1, 10)], table.link.execute("SELECT id, v FROM d1_b").fetchall())
        self.assertEqual((2, False), (neighbour.logged, neighbour.high))

    def test_it_changes_nothing_before_the_build_and_after_it(self):
        for numbers in ((300, 2), (302, 3)):
            neighbour, table = self.transaction(numbers)
            self.assertEqual((0, False), (neighbour.logged, neighbour.high))
            self.assertEqual("COMMIT", table.said[-1])
            self.assertFalse([text for text in table.said if "UPDATE" in text])

    def test_what_a_statement_with_a_neighbour_may_leave(self):
        script = Script(1, 1, connect=None)
        script.tables = script.fresh()
        low = script.altered("b", "ADD KEY k (v)", indexed=True)[1][-1]
        for high, last in ((False, low), (True, script.raised(low, "d1_b"))):
            script.statement, script.pending = "ALTER", [low]
            neighbour = mock.MagicMock(table="d1_b", logged=3, high=high, errors=[])
            with mock.patch.object(script, "execute"), mock.patch.object(script, "compare") as seen:
                script.run_beside(neighbour)
            seen.assert_called_once_with("d1_b", last["d1_b"])
            self.assertEqual(last, script.pending[-1])
            self.assertEqual(frozenset([(1, 17), (2, 27)]), script.pending[0]["d1_b"].rows)
        self.assertEqual((2, 6), (script.builds, script.logged))

    def test_statements_with_a_neighbour_have_their_table(self):
        script = Script(1, 1, connect=None)
        texts = {text for text, _ in script.statements().values()}
        self.assertEqual({f"d1_{letter}" for letter in "bqgtap"}, set(script.beside.values()))
        self.assertEqual(set(script.beside), texts & set(script.beside))
        self.assertEqual(len(script.statements()), len(texts))


def family() -> Rows:
    """A parent with a row in each table, and the next generation."""
    rows = Rows()
    rows.put("parent", 1, None)
    for table in ("child", "note", "mark"):
        rows.put(table, 5, 1)
    rows.put("grandchild", 7, 5)
    return rows


class RowsTest(unittest.TestCase):
    def test_delete_cascades(self):
        rows = family()
        rows.delete("parent", 1)
        self.assertEqual("{'note': {5: None}}", str(rows))

    def test_a_child_that_is_held_keeps_its_parent(self):
        rows = family()
        rows.put("hold", 1, 5)
        self.assertRaises(Refused, rows.copy().delete, "parent", 1)
        self.assertRaises(Refused, rows.renumber, "child", 5, 6)

    def test_other_numbers_are_followed_or_forgotten(self):
        rows = family()
        rows.renumber("parent", 1, 2)
        rows.renumber("child", 5, 6)
        wanted = {"parent": {2: None}, "child": {6: 2}, "grandchild": {7: 6}}
        self.assertEqual(str(wanted | {"note": {5: 2}, "mark": {5: None}}), str(rows))

    def test_there_is_no_child_without_a_parent(self):
        self.assertRaises(Refused, family().put, "child", 6, 2)

    def test_what_is_seen_of_a_prepared_transaction_is_half_of_it(self):
        for kind in ("delete", "renumber", "child", "hold"):
            one = Open(kind, 8)
            before, after = one.before(), one.after()
            self.assertEqual("prepared", judge(one, True, before))
            self.assertEqual("half", judge(one, True, after))
            self.assertEqual("committed", judge(one, False, after))
            self.assertEqual("rolled back", judge(one, False, before))
        after.tables["child"].popitem()
        self.assertEqual("half", judge(one, False, after))


class ConstraintsTest(unittest.TestCase):
    def test_a_view_that_lacks_a_constraint_is_told(self):
        row = ("d", "c", "k")
        table = ("CREATE TABLE `c` (.. CONSTRAINT `k` FOREIGN KEY (`a`) ..", [], {}, [])
        state = {"d.c": table, "ROCKSDB_FOREIGN_KEYS": [row], "KEY_COLUMN_USAGE": [row]}
        self.assertEqual([], contradictions({**state, "REFERENTIAL_CONSTRAINTS": [row]}))
        found = contradictions({**state, "REFERENTIAL_CONSTRAINTS": []})
        self.assertEqual(1, len(found))
        self.assertIn("REFERENTIAL_CONSTRAINTS", found[0])
