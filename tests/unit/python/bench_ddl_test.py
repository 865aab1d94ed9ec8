# SPDX-License-Identifier: GPL-2.0-only
"""The parts of `./dev bench ddl`: what is computed, and what is asked of a server."""

import stat
import tempfile
import time
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import pymysql

from bench import figure_table, instant_reads, online_index
from bench.figure import Bar, Figure
from bench.programs import ddl
from bench.report import Report
from bench.sysbench_tool import Endless, Load
from tests.unit.python import bench_reports
from tools.errors import DevError

LINE = "[ 1s ] thds: 4 tps: 800.5 qps: 4800 (r/w/o: 0.00/3200.00/1600.00) lat (ms,99%): 9.5"


class Cursor:
    """Notes statements; `answers`: a part of a statement -> an error, or the rows."""

    def __init__(self, **answers):
        self.answers, self.said = answers, []

    def execute(self, statement: str) -> None:
        self.said.append(statement)
        for part, answer in self.answers.items():
            if part in statement:
                if isinstance(answer, Exception):
                    raise answer
                self.row = answer

    def fetchone(self):
        return self.row


def figures() -> dict[tuple[str, str], Figure]:
    """Of the made-up report, by part and name."""
    return {(f.part, f.name): f for f in bench_reports.of_ddl().figures}


class OnlineIndexTest(unittest.TestCase):
    def test_a_window_has_the_commits_and_the_time_of_an_action(self):
        cursor = Cursor(Com_commit=("Com_commit", "700"))

        def action():
            cursor.answers["Com_commit"] = ("Com_commit", "900")

        found = online_index.window(cursor, action)
        self.assertEqual(200, found.commits)
        self.assertAlmostEqual(200 / found.seconds, found.rate)

    def test_statements_count_in_the_window_that_they_overlap(self):
        found = bench_reports.beside(2.0)
        self.assertEqual(4.0, found.statement(found.before, 100))
        self.assertEqual(20.0, found.statement(found.meanwhile, 99))

    def test_seconds_begin_with_the_alter(self):
        found = bench_reports.beside(2.0)
        self.assertEqual((-9.0, 1000.0), found.rates()[0])
        self.assertIn((0.0, 20.0), found.worst())

    def test_the_bars_compare_with_innodb(self):
        found = figures()
        alone = found["ADD INDEX", "one index, no writers"]
        self.assertAlmostEqual(1 / 3, alone.ratio("rocksdb", "innodb"))
        self.assertTrue(alone.met)
        part = "ADD INDEX beside oltp_write_only"
        self.assertFalse(found[part, "transactions meanwhile"].met)  # 500 a second, both
        self.assertAlmostEqual(0.5, found[part, "meanwhile : before"].values["rocksdb"])
        self.assertTrue(found[part, "a statement, 99th percentile, meanwhile"].met)

    def test_who_lets_writers_wait_has_a_word_and_no_number(self):
        report = bench_reports.of_ddl()
        lines = [[cell.text for cell in row] for t in figure_table.tables(report) for row in t.rows]
        place = 2 + report.engines.index("myrocks")
        line = next(line for line in lines if line[0] == "transactions meanwhile")
        self.assertEqual("waits", line[place])
        kept = next(f for f in report.figures if f.name == "transactions meanwhile")
        self.assertEqual({"myrocks": "waits"}, kept.words)

    def test_an_engine_that_refuses_writers_is_not_asked_again(self):
        refused = pymysql.err.NotSupportedError(1846, "LOCK=NONE is not supported")
        cursor = Cursor(**{"LOCK=NONE": refused})
        self.assertFalse(online_index.accepts_writers(cursor))
        self.assertEqual("DROP TABLE IF EXISTS probe", cursor.said[-1])
        self.assertTrue(online_index.accepts_writers(Cursor()))
        with self.assertRaises(pymysql.Error):
            online_index.accepts_writers(Cursor(ALTER=pymysql.err.OperationalError(1114, "full")))

    def test_conflicts_of_the_writer_are_part_of_its_time(self):
        draw = SimpleNamespace(randint=lambda a, b: b)
        online_index.update(Cursor(UPDATE=pymysql.err.OperationalError(1213, "x")), draw, 9)
        with self.assertRaises(pymysql.Error):
            online_index.update(Cursor(UPDATE=pymysql.err.OperationalError(1114, "x")), draw, 9)


class KilledTest(unittest.TestCase):
    def contender(self, seconds: float, error: Exception | None) -> SimpleNamespace:
        """Its ALTER takes some seconds, and ends with an error `seconds` after the KILL if any."""
        self.was_killed, said = mock.Mock(), []

        class Link:
            def __enter__(link):
                return link

            def __exit__(link, *_):
                pass

            def cursor(link):
                return link

            def thread_id(link):
                return 7

            def execute(link, statement):
                time.sleep(seconds)
                if error:
                    raise error

        server = SimpleNamespace(
            connect=lambda _: Link(),
            query=said.append,
            sql=lambda statement, _: said.append(statement),
        )
        self.said = said
        return SimpleNamespace(server=server)

    def test_the_time_begins_with_the_kill(self):
        killed = pymysql.err.OperationalError(1317, "interrupted")
        found = online_index.killed(self.contender(0.3, killed), "ADD INDEX x (k)", 0.1)
        self.assertGreater(found, 0.1)
        self.assertLess(found, 0.3)
        self.assertEqual(["KILL QUERY 7", online_index.DROP], self.said)

    def test_an_alter_that_had_ended_has_no_time(self):
        found = online_index.killed(self.contender(0.0, None), "ADD INDEX x (k)", 0.2)
        self.assertIsNone(found)
        self.assertEqual(online_index.DROP, self.said[-1])


class EndlessTest(unittest.TestCase):
    def setUp(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.program = folder / "sysbench"
        self.enterContext(mock.patch("bench.sysbench_tool.program", return_value=str(self.program)))

    def run_script(self, text: str, seconds: float) -> list:
        self.program.write_text(f"#!/bin/sh\n{text}\n")
        self.program.chmod(stat.S_IRWXU)
        with Endless("oltp_write_only", Path("/s"), "innodb", Load(1, 10, 4), 1) as run:
            deadline = time.monotonic() + seconds
            while not run.seen and time.monotonic() < deadline:
                time.sleep(0.01)
        return run.seen

    def test_it_ends_with_its_context_and_has_each_second(self):
        seen = self.run_script(f"echo '{LINE}'\nexec sleep 60", 10)
        self.assertEqual([800.5], [one.events_per_second for _, one in seen])
        self.assertEqual([9.5], [one.latency for _, one in seen])

    def test_one_that_ends_by_itself_is_an_error(self):
        with self.assertRaisesRegex(DevError, "FATAL: no table"):
            self.run_script("echo 'FATAL: no table'; exit 1", 0.5)


class InstantReadsTest(unittest.TestCase):
    def shape(self, name: str) -> instant_reads.Shape:
        return next(shape for shape in instant_reads.SHAPES if shape.name == name)

    def test_rows_are_written_with_the_columns_that_are_there(self):
        create, first, others = self.shape("dropped_new").statements
        self.assertIn(" x INT NOT NULL", create)
        self.assertIn("(id, k, x, s)", first)
        self.assertIn("(id, k, s)", others)
        _, first, others = self.shape("dropped_old").statements
        self.assertIn("(id, k, x, s)", others)
        self.assertTrue(others.format(rows=9).endswith("FROM seq_2_to_9"))

    def test_rows_come_before_or_after_the_alter(self):
        for name, places in (("added_old", (3, 4)), ("added_new", (4, 3))):
            cursor = mock.MagicMock()
            contender = mock.MagicMock(table_options="ENGINE=x")
            contender.server.connect.return_value.__enter__.return_value.cursor.return_value = (
                cursor
            )
            cursor.__enter__.return_value = cursor
            self.assertTrue(instant_reads.fill(contender, self.shape(name), 100))
            said = [call.args[0] for call in cursor.execute.call_args_list]
            self.assertIn("seq_2_to_100", said[places[0]])
            self.assertIn("ALGORITHM=INSTANT", said[places[1]])

    def test_each_round_begins_with_another_table(self):
        self.assertEqual(["b", "c", "a"], instant_reads.turned(["a", "b", "c"], 4))

    def test_figures_are_multiples_round_by_round(self):
        part = "Reads of a table that was changed at once, as a multiple of one without an ALTER"
        found = figures()[part, "full scan: ADD COLUMN, rows from before"]
        self.assertAlmostEqual((0.51 / 0.5 + 1) / 2, found.values["rocksdb"])
        self.assertTrue(found.met)
        point = figures()[part, "point read: INT to BIGINT, rows written after"]
        self.assertAlmostEqual((1 + 1.3) / 2, point.values["rocksdb"])
        self.assertFalse(point.met)
        self.assertEqual({"innodb": "copies", "myrocks": "copies"}, point.words)

    def test_instructions_are_multiples_with_the_same_bar(self):
        part = "Instructions of reads of a table that was changed at once, as a multiple"
        all_figures = figures()
        for kind in ("point read", "full scan"):
            first = all_figures[part, f"{kind}: ADD COLUMN, rows from before"]
            self.assertAlmostEqual(1.01, first.values["rocksdb"])
            self.assertTrue(first.met)
            last = all_figures[part, f"{kind}: INT to BIGINT, rows written after"]
            self.assertAlmostEqual(1.06, last.values["rocksdb"])
            self.assertFalse(last.met)
            self.assertEqual("copies", last.words["innodb"])


class PartsTest(unittest.TestCase):
    def test_parts_come_in_their_order(self):
        args = SimpleNamespace(parts="reads, statements")
        self.assertEqual(["statements", "reads"], ddl.parts_of(args))
        for text in ("", "statements,x"):
            with self.assertRaises(DevError):
                ddl.parts_of(SimpleNamespace(parts=text))

    def test_words_are_kept_with_a_report(self):
        report = Report("x", "x", "", ["rocksdb", "myrocks"])
        report.add_rounds("a", "s", {"rocksdb": [1.0], "myrocks": [None]}, False,
                          Bar(2.0, at_least=False), words={"myrocks": "waits"})  # fmt: skip
        again = Report.from_json(report.as_json())
        self.assertEqual("waits", figure_table.value_text(again.figures[0], "myrocks"))
        self.assertTrue(again.figures[0].met)


if __name__ == "__main__":
    unittest.main()
