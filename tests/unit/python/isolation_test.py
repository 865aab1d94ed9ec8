# SPDX-License-Identifier: GPL-2.0-only
import unittest

from tests.isolation import generator
from tests.isolation.campaign import Report, is_unsteady
from tests.isolation.deliberate import REASONS, UNSTEADY, Judge
from tests.isolation.pair import Course, Difference, closing, reads_index_alone
from tests.isolation.schedule import FORMATS, LEVELS, Probe, Schedule, Step, Table
from tests.isolation.shrink import Shrinker
from tests.kit.wire import Answer, innodb_waits, refused_indexes
from tools.paths import ROOT


def script(seed: int) -> str:
    return generator.make(seed).script("")


class GeneratorTest(unittest.TestCase):
    def test_a_schedule_is_a_function_of_its_seed(self):
        for seed in range(1, 50):
            self.assertEqual(script(seed), script(seed))
        self.assertEqual(49, len({script(seed) for seed in range(1, 50)}))

    def test_all_levels_formats_and_kinds_of_statements_come(self):
        many = [generator.make(seed) for seed in range(1, 1500)]
        self.assertEqual(set(LEVELS), {level for s in many for level in s.levels})
        self.assertEqual(set(FORMATS), {s.log for s in many})
        text = "\n".join(step.sql for s in many for step in s.steps)
        for words in (
            "LOCK IN SHARE MODE SKIP LOCKED",
            "FOR UPDATE NOWAIT",
            "INSERT IGNORE INTO",
            "ON DUPLICATE KEY UPDATE",
            "REPLACE INTO t1 VALUES",
            "REPLACE INTO t1 SELECT",
            "SET c = (SELECT",
            "DELETE t1, t2 FROM",
            "STRAIGHT_JOIN t2 ON t1.b = t2.b SET",
            "SELECT * FROM t1",
            "XA PREPARE",
            "SAVEPOINT p1",
            "ROLLBACK TO SAVEPOINT p1",
            "f1(",
            "LIMIT 2",
        ):
            self.assertIn(words, text)
        made = "\n".join(sql for s in many for sql in s.setup("X"))
        for words in ("AUTO_INCREMENT=", "a DESC", "UNIQUE KEY uc", "VARCHAR", "CREATE TRIGGER"):
            self.assertIn(words, made)

    def test_locks_of_a_statement_depend_on_the_level(self):
        read = Probe("t2", shared=True)
        copy = Step(0, "INSERT INTO t1 SELECT * FROM t2", (read,))
        self.assertEqual((), copy.locks_at("READ-COMMITTED"))
        self.assertEqual((read,), copy.locks_at("REPEATABLE-READ"))
        plain = Step(0, "SELECT * FROM t2", (read,))
        self.assertEqual((), plain.locks_at("REPEATABLE-READ"))
        self.assertEqual((read,), plain.locks_at("SERIALIZABLE"))


class FakeWire:
    """Answers at once: `answers` has what a statement says, a None is a wait."""

    number = 1

    def __init__(self, answers):
        self.answers, self.pending = answers, ""

    def ask(self, sql):
        self.pending = sql

    def run(self, sql):
        return Answer()


class FakeSide:
    def __init__(self, engine, answers, rows=()):
        self.engine, self.rows_at_end = engine, list(rows)
        self.wires = [FakeWire(answers), FakeWire(answers)]
        self.watcher = self

    def open(self, schedule):
        pass

    def close(self, schedule):
        pass

    def text(self, step):
        return step.sql

    def settle(self):
        answers = {}
        for number, wire in enumerate(self.wires):
            answer = wire.answers.get(wire.pending, Answer())
            if wire.pending and answer is not None:
                answers[number] = answer
                wire.pending = ""
        return answers

    def lock_of(self, wire):
        return "a lock"

    def rows(self, table):
        return self.rows_at_end


class FakePair:
    def __init__(self, ours=None, theirs=None, rows=((), ())):
        self.sides = {
            "innodb": FakeSide("innodb", theirs or {}, rows[0]),
            "rocksdb": FakeSide("rocksdb", ours or {}, rows[1]),
        }
        self.steps = self.waits = 0


def schedule(*statements: str) -> Schedule:
    table = Table("t1", ["a INT", "b INT", "c INT"], [("1", "2", "3")])
    steps = [Step(0, sql) for sql in statements]
    return Schedule(1, [table], [LEVELS[2]] * 2, "ROW", steps=steps)


class CourseTest(unittest.TestCase):
    def found(self, **planted) -> Difference | None:
        return Course(FakePair(**planted), schedule("A", "B")).run()

    def test_the_same_is_no_difference(self):
        self.assertIsNone(self.found())
        self.assertIsNone(self.found(ours={"B": Answer(1062)}, theirs={"B": Answer(1062)}))

    def test_planted_differences_are_caught(self):
        for kind, planted in (
            ("error", Answer(1062, "duplicate")),
            ("answer", Answer(rows=[(1,)])),
            ("answer", Answer(affected=1)),
            ("answer", Answer(insert_id=7)),
            ("wait", None),
            ("deadlock", Answer(1213)),
        ):
            found = self.found(ours={"B": planted})
            self.assertEqual((kind, 1, 0), (found.kind, found.place, found.session), kind)
        self.assertEqual("rocksdb", self.found(ours={"B": None}).waiting)
        self.assertEqual("innodb", self.found(theirs={"B": None}).waiting)

    def test_what_a_session_holds_ends_with_its_transaction(self):
        read = Probe("t1 WHERE a = 1")
        steps = [
            Step(0, "BEGIN"),
            Step(0, "UPDATE", (read,)),
            Step(0, "COMMIT"),
            Step(0, "DELETE", (read,)),
        ]
        course = Course(FakePair(), schedule().with_steps(steps))
        course.play(steps[:2])
        self.assertEqual([read], course.held[0])
        course.play(steps[2:])
        self.assertEqual([], course.held[0])

    def test_tables_at_the_end(self):
        found = self.found(rows=([(1, 2, 3)], [(1, 2, 4)]))
        self.assertEqual(("table", 2 + len(closing(schedule()))), (found.kind, found.place))


class ShrinkerTest(unittest.TestCase):
    def test_what_the_fault_needs_remains_and_nothing_else(self):
        long = schedule("A", "noise", "B", "noise", "C", "noise")
        long.tables[0].rows.append(("4", "5", "6"))
        long.tables[0].items.append("KEY kb (b)")

        def fault(candidate: Schedule) -> Difference | None:
            texts = [step.sql for step in candidate.steps]
            if "B" in texts and "A" in texts[: texts.index("B")]:
                return Difference("wait", texts.index("B"), 0, {}, waiting="innodb")
            return None

        small, found = Shrinker(fault, 30).shrink(long, fault(long))
        self.assertEqual(["A", "B"], [step.sql for step in small.steps])
        self.assertEqual(([], 3), (small.tables[0].rows, len(small.tables[0].items)))
        self.assertEqual(1, found.place)

    def test_another_fault_is_not_taken_for_it(self):
        start = schedule("A", "B")
        first = Difference("wait", 1, 0, {}, waiting="innodb")
        other = Difference("wait", 0, 0, {}, waiting="rocksdb")
        small, _ = Shrinker(lambda _: other, 30).shrink(start, first)
        self.assertIs(start, small)


class JudgeTest(unittest.TestCase):
    def test_a_key_that_is_not_there(self):
        step = Step(0, "SELECT * FROM t1 WHERE a = 5 FOR UPDATE")
        self.assertTrue(step.finds_no_key(Answer()))
        self.assertFalse(step.finds_no_key(Answer(rows=[(5, 1, 1)], affected=1)))
        self.assertFalse(Step(0, "SELECT * FROM t1 WHERE a > 5").finds_no_key(Answer()))

    def test_reads_besides_what_it_writes(self):
        for sql in (
            "INSERT INTO t1 VALUES (1, 2, f1(3))",
            "UPDATE t1 STRAIGHT_JOIN t2 ON t1.b = t2.b SET t1.c = 1",
            "DELETE FROM t1 WHERE b = (SELECT MAX(b) FROM t2)",
        ):
            self.assertTrue(Step(0, sql).reads_besides(), sql)
        for sql in ("INSERT INTO t1 SELECT a, b, c FROM t2", "SELECT f1(3) FROM t1"):
            self.assertFalse(Step(0, sql).reads_besides(), sql)

    def test_which_index_refused_a_row(self):
        messages = ["Duplicate entry '5-2' for key 'ubc'", "Data truncated for column 'c' at row 1"]
        self.assertEqual({"ubc"}, refused_indexes(messages))
        self.assertEqual({"PRIMARY"}, refused_indexes(["Duplicate entry '5' for key 'PRIMARY'"]))

    def test_an_index_alone(self):
        self.assertTrue(reads_index_alone("kb", "Using where; Using index"))
        self.assertTrue(reads_index_alone(None, "No matching min/max row"))
        self.assertFalse(reads_index_alone("kb", "Using index condition"))
        self.assertFalse(reads_index_alone("PRIMARY", "Using index"))
        self.assertFalse(reads_index_alone("kb", None))

    def test_a_statement_that_does_not_wait_says_who_met_a_lock(self):
        course = Course(FakePair(), schedule("SELECT * FROM t1 FOR UPDATE NOWAIT"))
        course.current[0] = course.schedule.steps[0]
        timeout, row, two = Answer(1205), Answer(rows=[(1,)]), Answer(rows=[(1,), (2,)])
        self.assertEqual("rocksdb", course.busy(0, row, timeout))
        self.assertEqual("innodb", course.busy(0, timeout, row))
        self.assertEqual("", course.busy(0, row, two))
        course.current[0] = Step(0, "SELECT * FROM t1 FOR UPDATE SKIP LOCKED")
        self.assertEqual("innodb", course.busy(0, row, two))
        self.assertEqual("rocksdb", course.busy(0, two, row))
        self.assertEqual("", course.busy(0, Answer(rows=[(3,)]), row))

    def test_a_difference_that_a_step_brings_in_is_gone_without_it(self):
        pair = FakePair(ours={"B": Answer(1062)})
        with_b = schedule("A", "B", "C")
        course = Course(pair, with_b)
        found = course.run()
        judge, (first, second, _) = Judge(pair), with_b.steps
        self.assertTrue(judge.agrees_without(with_b, found, course, [second]))
        self.assertFalse(judge.agrees_without(with_b, found, course, [first]))
        self.assertFalse(judge.agrees_without(with_b, found, course, []))

    def test_what_differs_only_once_is_bounded(self):
        report = Report(schedules=400)
        report.reasons[UNSTEADY] = 3
        self.assertFalse(is_unsteady(report))
        report.reasons[UNSTEADY] = 4
        self.assertTrue(is_unsteady(report))

    def test_every_reason_is_a_line_of_the_page(self):
        page = (ROOT / "docs" / "compatibility.md").read_text()
        for why in REASONS.values():
            words = why[why.rindex("(") + 1 : -1]
            self.assertIn(words, page)


STATUS = """
LATEST DETECTED DEADLOCK
LOCK WAIT 2 lock struct(s)
MariaDB thread id 5, OS thread handle 1
LIST OF TRANSACTIONS FOR EACH SESSION:
---TRANSACTION 917, ACTIVE 0 sec starting index read
LOCK WAIT 2 lock struct(s), heap size 1128, 1 row lock(s)
MariaDB thread id 8, OS thread handle 2, query id 561 localhost root Updating
update t1 set b=6 where a=1
------- TRX HAS BEEN WAITING 4804 us FOR THIS LOCK TO BE GRANTED:
RECORD LOCKS space id 105 lock_mode X waiting
Record lock, heap no 2
---TRANSACTION 916, ACTIVE 0 sec
MariaDB thread id 6, OS thread handle 3, query id 560 localhost root
"""


class WaitsTest(unittest.TestCase):
    def test_who_waits_on_innodb(self):
        self.assertEqual({8: "RECORD LOCKS space id 105 lock_mode X waiting"}, innodb_waits(STATUS))


if __name__ == "__main__":
    unittest.main()
