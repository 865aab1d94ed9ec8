# SPDX-License-Identifier: GPL-2.0-only
"""What the tier foreign-keys rests on: files of cases, random histories and schedules, and the
judgement of what a schedule leaves."""

import tempfile
import unittest
from pathlib import Path

from pymysql.constants import ER

from tests.foreign_keys import cases, schedules
from tests.foreign_keys.case_runner import Problem, compare, judge
from tests.foreign_keys.cases import CaseStatement
from tests.foreign_keys.definitions import difference
from tests.foreign_keys.generator import Generator
from tests.foreign_keys.schedules import CHILD, PARENT
from tests.foreign_keys.sessions import Course, Judge
from tests.foreign_keys.tier import HERE
from tests.kit import orphans
from tests.kit.side_by_side.runner import Answer
from tests.kit.wire import Answer as WireAnswer

CASES = """-- what it is about

## first
CREATE TABLE c (a INT,
  b INT);
INSERT INTO c VALUES (1); -- error 1452

## second
CREATE TABLE d (a INT); -- error 1005 errno 150
DROP TABLE d; -- error 1050 | ROCKSDB error 1025 errno 121: the name is not a table's
DROP TABLE e; -- | ROCKSDB error 1846: it copies
DROP TABLE f; -- error 1832 | ROCKSDB text: other names
"""


class CaseFiles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "cases.sql"
        self.file.write_text(CASES)

    def test_statements_and_their_answers(self):
        first, second = cases.read(self.file)
        self.assertEqual([first.name, second.name], ["first", "second"])
        self.assertEqual(first.statements[0].sql, "CREATE TABLE c (a INT,\n  b INT)")
        self.assertEqual([s.error for s in first.statements], [0, 1452])
        self.assertEqual((second.statements[0].error, second.statements[0].errno), (1005, 150))

    def test_meant_differences(self):
        _, *differ = cases.read(self.file)[1].statements
        found = [(s.error, s.differs, s.our_error, s.our_errno) for s in differ]
        expected = [(1050, "error", 1025, 121), (0, "error", 1846, 0), (1832, "text", 0, 0)]
        self.assertEqual(found, expected)

    def test_a_file_is_rewritten_to_itself(self):
        read = [s for case in cases.read(self.file) for s in case.statements]
        cases.rewrite(self.file, {s.lines[1]: (s.error, s.errno) for s in read})
        self.assertEqual(self.file.read_text(), CASES)

    def test_an_answer_is_written_and_taken_away(self):
        cases.rewrite(self.file, {4: (1005, 121), 5: (0, 0)})
        lines = self.file.read_text().splitlines()
        self.assertEqual(lines[4], "  b INT); -- error 1005 errno 121")
        self.assertEqual(lines[5], "INSERT INTO c VALUES (1);")

    def test_two_cases_of_one_name(self):
        self.file.write_text(CASES.replace("second", "first"))
        self.assertRaises(ValueError, cases.read, self.file)

    def test_a_statement_without_an_end(self):
        self.file.write_text("## first\nSELECT 1\n")
        self.assertRaises(ValueError, cases.read, self.file)

    def test_each_case_of_the_tier_does_something(self):
        for part in ("definitions", "rows"):
            found = cases.read_folder(HERE / part)
            self.assertGreater(len(found), 100)
            self.assertEqual([case.name for case in found if not case.statements], [])


class Comparison(unittest.TestCase):
    def test_an_error_with_another_text(self):
        ours, theirs = Answer(1452, "CONSTRAINT a"), Answer(1452, "CONSTRAINT b")
        self.assertIsNotNone(compare("INSERT INTO c VALUES (1)", ours, theirs))
        self.assertIsNone(compare("INSERT INTO c VALUES (1)", theirs, theirs))

    def test_affected_rows(self):
        one, two = Answer(affected=1), Answer(affected=2)
        self.assertIsNotNone(compare("DELETE FROM p", one, two))
        self.assertIsNone(compare("ALTER TABLE p FORCE", one, two))

    def test_definitions(self):
        theirs = {"tables": ["c"], "views": [("k", "c")]}
        self.assertIsNone(difference(theirs, theirs))
        found = difference({"tables": ["c"], "views": [("l", "c")]}, theirs)
        self.assertEqual(found, ("views", [("l", "c")], [("k", "c")]))


class MeantDifferences(unittest.TestCase):
    def judge(self, differs, tested, peer, found=True, ours=0):
        statement = CaseStatement("DROP TABLE p", peer.error, 0, (0, 0), differs, ours)
        return judge(statement, Problem("DROP TABLE p", "", "") if found else None, tested, peer)

    def test_the_answer_that_is_meant(self):
        theirs = Answer(1451, "a")
        self.assertIsNone(self.judge("error", Answer(1217), theirs, ours=1217))
        self.assertIsNone(self.judge("text", Answer(1451, "b"), theirs))
        self.assertIsNone(self.judge("success", Answer(), theirs))

    def test_another_answer(self):
        theirs = Answer(1451, "a")
        self.assertIsNotNone(self.judge("error", Answer(1451), theirs, ours=1217))
        self.assertIsNotNone(self.judge("text", Answer(1217, "b"), theirs))
        self.assertIsNotNone(self.judge("success", Answer(1451), theirs))
        self.assertIsNotNone(self.judge("warnings", Answer(1451, "a"), theirs))

    def test_a_difference_that_is_gone(self):
        self.assertIsNotNone(self.judge("text", Answer(1451, "a"), Answer(1451, "a"), False))


class Histories(unittest.TestCase):
    def test_a_seed_makes_one_history(self):
        first, second = (texts(7), texts(7))
        self.assertEqual(first, second)
        self.assertNotEqual(first, texts(8))

    def test_each_kind_of_statement_comes(self):
        words = {text.split()[0] for seed in range(40) for text in texts(seed)}
        for word in ("INSERT", "REPLACE", "UPDATE", "DELETE", "ALTER", "RENAME", "DROP", "COMMIT"):
            self.assertIn(word, words)


def texts(seed: int) -> list[str]:
    source, found = Generator(seed, 60), []
    while statement := source.next():
        found.append(statement.sql())
        source.observe(statement, True)
    return found


class Schedules(unittest.TestCase):
    def test_a_seed_makes_one_schedule(self):
        self.assertEqual(schedules.make(3, True), schedules.make(3, True))

    def test_an_order_has_each_step_once(self):
        for seed in range(200):
            schedule = schedules.make(seed, True)
            for session in (CHILD, PARENT):
                steps = schedule.steps(session, "'x'")
                self.assertEqual(schedule.order.count(session), len(steps))
                self.assertNotIn("{", "".join(steps))


class FakeInnoDB:
    """Leaves the order in which it was asked."""

    def serially(self, schedule, sessions):
        return {"order": list(sessions)}


class Judgement(unittest.TestCase):
    def setUp(self):
        self.schedule = next(
            s
            for s in (schedules.make(seed, False) for seed in range(100))
            if s.ends == ("COMMIT", "COMMIT") and max(map(len, s.writes)) == 1
        )
        self.judge = Judge(FakeInnoDB())

    def problems(self, state, child=0, parent=0, orphan=()):
        answers = ([WireAnswer(child)], [WireAnswer(parent)])
        course = Course(answers, {"order": state}, 1, list(orphan))
        return self.judge.problems(self.schedule, course)

    def test_either_order_is_allowed(self):
        self.assertEqual(self.problems([CHILD, PARENT]), [])
        self.assertEqual(self.problems([PARENT, CHILD]), [])

    def test_a_transaction_that_was_lost_left_nothing(self):
        self.assertEqual(self.problems([PARENT], child=ER.LOCK_DEADLOCK), [])
        self.assertEqual(len(self.problems([CHILD, PARENT], child=ER.LOCK_DEADLOCK)), 1)

    def test_a_transaction_that_was_not_lost_counts(self):
        self.assertEqual(len(self.problems([PARENT])), 1)

    def test_orphans_and_other_errors(self):
        self.assertEqual(len(self.problems([CHILD, PARENT], orphan=["c has 1"])), 1)
        self.assertEqual(len(self.problems([CHILD, PARENT], parent=ER.NO_SUCH_TABLE)), 1)


class Orphans(unittest.TestCase):
    def test_a_query_for_each_constraint(self):
        asked = []
        keys = [("k", "c", "x", "db", "p", "a"), ("k", "c", "y", "db", "p", "b")]

        def ask(query):
            asked.append(query)
            return keys if "KEY_COLUMN_USAGE" in query else [(1, 2)]

        self.assertEqual(orphans.find(ask, "db"), (1, ["k: c has (1, 2) without a parent"]))
        self.assertIn("p.`a` = c.`x` AND p.`b` = c.`y`", asked[1])
        self.assertIn("c.`x` IS NOT NULL AND c.`y` IS NOT NULL", asked[1])


if __name__ == "__main__":
    unittest.main()
