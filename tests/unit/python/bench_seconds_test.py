# SPDX-License-Identifier: GPL-2.0-only
"""Seconds of long and short runs, copies of data, contenders that fail: on made-up turns."""

import argparse
import contextlib
import csv
import io
import json
import os
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

from bench import contenders, copies, harness, results, seconds, sysbench_report, turns
from bench.cgroup import Limits
from bench.contenders import Settings
from bench.process_usage import Usage
from bench.programs import linkbench, sysbench
from bench.programs import tpcc as tpcc_program
from bench.sampler import Sample
from bench.summary import Run
from bench.sysbench_tool import Interval, ScriptRun
from tests.unit.python import bench_reports
from tools.errors import DevError

LITTLE = Limits(2**25)


def turn(rates: list[float], length: float = 0.0) -> turns.Turn:
    """With a sample a second; of the disk 10 reads and 20 writes in each."""
    intervals = [Interval(float(n), rate, 0, 0, 5.0) for n, rate in enumerate(rates, 1)]
    outcome = bench_reports.outcome(100.0, length or len(rates))
    taken = [
        Sample(float(n), Usage(n / 2, 7 * n, n, 10 * n, 20 * n, background_read_bytes=n), 5, 7, 9)
        for n in range(1, len(rates) + 1)
    ]
    return turns.Turn(ScriptRun(outcome, intervals, {}), taken, taken[-1].used)


class EvennessTest(unittest.TestCase):
    def test_hours_are_compared_where_there_are_two(self):
        first, last = [100.0] * turns.HOUR, [80.0] * turns.HOUR
        found = turns.summed([turn([1.0, *first]), turn([1.0, *first]), turn([1.0, *last])])
        self.assertTrue(found.is_long)
        self.assertAlmostEqual(0.8, found.decay)
        short = turns.summed([turn([1.0, 100.0, 100.0, 100.0, 50.0])])
        self.assertFalse(short.is_long)
        self.assertAlmostEqual(0.5, short.decay)

    def test_figures(self):
        report = bench_reports.empty(linkbench)
        sums = {"rocksdb": turns.summed([turn([1.0, 100.0, 0.0, 100.0])])}
        seconds.add_evenness(report, "part", sums, what="operation")
        found = {figure.name: figure.values["rocksdb"] for figure in report.figures}
        self.assertEqual(
            {
                "lowest second / median second": 0.0,
                "slowest 1 % of the seconds / median": 0.0,
                "seconds without an operation": 1,
                "last quarter / first": 1.0,
            },
            found,
        )

    def test_a_long_run_says_hours(self):
        report = bench_reports.empty(linkbench)
        seconds.add_evenness(report, "", {"rocksdb": turns.summed([turn([1.0, 2.0], 7200.0)])})
        self.assertEqual("last hour / first", report.figures[-1].name)


class PlotsTest(unittest.TestCase):
    def test_short_runs_keep_all_points(self):
        points = [(float(n), 1.0) for n in range(seconds.MOST_POINTS)]
        self.assertEqual((points, 1), seconds.thinned(points))
        self.assertEqual(([], 1), seconds.thinned([]))

    def test_long_runs_have_averages_and_lowest(self):
        points = [(float(n), float(n % 2)) for n in range(seconds.MOST_POINTS * 2 + 1)]
        found, stretch = seconds.thinned(points)
        self.assertEqual(3, stretch)
        self.assertLessEqual(len(found), seconds.MOST_POINTS)
        self.assertEqual((2.0, 1 / 3), found[0])
        self.assertEqual(0.0, seconds.thinned(points, min)[0][1][1])
        report = bench_reports.empty(linkbench)
        many = turns.summed([turn([1.0, *[50.0, 100.0] * seconds.MOST_POINTS])])
        seconds.add_curve(report, "t", "u", {"rocksdb": many}, "rate")
        self.assertEqual(["t", "t, the lowest"], [plot.title for plot in report.plots])
        self.assertEqual({50.0}, {y for _, y in report.plots[1].series["rocksdb"]})

    def test_what_is_nothing_all_the_time_is_not_drawn(self):
        report = bench_reports.empty(linkbench)
        seconds.add_plots(report, "x", {"rocksdb": turns.summed([turn([1.0, 5.0, 6.0])])})
        titles = [plot.title for plot in report.plots]
        self.assertIn("x: disk operations by second", titles)
        self.assertIn("x: read from the disk, background work alone by second", titles)
        self.assertNotIn("x: written, background work alone by second", titles)

    def test_turn_by_turn(self):
        report = bench_reports.empty(linkbench)
        once = turns.summed([turn([1.0, 90.0, 110.0, 100.0])])
        seconds.add_turns(report, "x", {"rocksdb": once, "innodb": once})
        self.assertEqual([], report.tables)
        twice = turns.summed([turn([1.0, 90.0, 110.0, 100.0])] * 2)
        seconds.add_turns(report, "x", {"rocksdb": twice, "innodb": twice})
        rows = [[cell.text for cell in row] for row in report.tables[0].rows]
        self.assertEqual(["1", "Basalt", "4", "100", "100", "90", "90", "0"], rows[0])
        self.assertEqual(["1", "1", "2", "2"], [row[0] for row in rows])


class RowsTest(unittest.TestCase):
    def rows(self, text: str) -> list[dict]:
        return list(csv.DictReader(io.StringIO(text)))

    def test_each_second_has_what_it_used(self):
        sums = {"innodb": turns.summed([turn([5.0, 6.0]), turn([7.0])])}
        found = self.rows(seconds.table_text(seconds.rows_of("a, b", sums)))
        self.assertEqual(["1", "1", "2"], [row["turn"] for row in found])
        self.assertEqual(["5.00", "6.00", "7.00"], [row["transactions"] for row in found])
        self.assertEqual({"10"}, {row["disk_reads"] for row in found})
        self.assertEqual({"20"}, {row["disk_writes"] for row in found})
        self.assertEqual(("a, b", "innodb", "1", "9"),
                         tuple(found[1][name] for name in ("measured", "contender",
                               "background_read_bytes", "group_bytes")))  # fmt: skip

    def test_a_second_without_a_sample_is_left_out(self):
        one = turn([5.0, 6.0, 7.0])
        del one.samples[1]
        found = self.rows(seconds.table_text(seconds.rows_of("x", {"a": turns.summed([one])})))
        self.assertEqual([("1", "10"), ("3", "20")],
                         [(row["second"], row["disk_reads"]) for row in found])  # fmt: skip

    def test_they_are_a_file_of_their_own(self):
        report = bench_reports.of_linkbench()
        self.assertTrue(report.seconds_measured)
        with tempfile.TemporaryDirectory() as folder:
            harness.write([report], Path(folder))
            kept = json.loads((Path(folder) / "results.json").read_text())
            self.assertEqual([], kept[0]["seconds_measured"])
            found = self.rows((Path(folder) / "seconds.csv").read_text())
        self.assertEqual(len(report.seconds_measured), len(found))

    def test_without_seconds_there_is_no_file(self):
        with tempfile.TemporaryDirectory() as folder:
            harness.write([bench_reports.of_locks()], Path(folder))
            self.assertFalse((Path(folder) / "seconds.csv").exists())


class SysbenchTest(unittest.TestCase):
    def results(self) -> results.Results:
        found = bench_reports.sysbench_results()
        one = turn([1.0, 5.0, 6.0])
        for number, run in enumerate(found.runs):
            found.runs[number] = Run(
                run.test, run.engine, run.round, run.outcome, one.used, one.run.intervals,
                one.samples
            )  # fmt: skip
        return found

    def test_seconds_survive_the_file(self):
        first = self.results()
        again = results.Results.from_json(json.loads(json.dumps(first.as_json())))
        self.assertEqual(first.runs, again.runs)

    def test_seconds_are_reported(self):
        report = sysbench_report.report(self.results())
        part = "oltp_insert: evenness, and the disk"
        values = {f.name: f.values for f in report.figures if f.part == part}
        # two rounds of 20 transactions, each 90 operations
        self.assertEqual(180 / 40, values["disk operations a transaction"]["rocksdb"])
        titles = [plot.title for plot in report.plots]
        self.assertIn("oltp_insert: disk operations by second", titles)
        self.assertTrue(report.seconds_measured)

    def test_without_limits_there_are_none(self):
        self.assertEqual([], bench_reports.of_sysbench().seconds_measured)

    def test_only_servers_under_limits_are_looked_at(self):
        for limits, watched in ((None, False), (Limits(0, 5), True)):
            contender = mock.MagicMock(settings=Settings(2**20, limits=limits), engine="innodb")
            contender.server.pid = os.getpid()
            contender.usage.return_value = contender.usage_so_far.return_value = Usage()
            with (
                mock.patch.object(sysbench.sysbench_tool, "run") as run,
                mock.patch.object(sysbench.sysbench_tool, "run_watched") as run_watched,
            ):
                sysbench.one_run(contender, "oltp_insert", None, 1, 1)
            self.assertEqual((not watched, watched), (run.called, run_watched.called))


class CopiesTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.copies = copies.Copies(self.folder / "copies")

    def contender(self):
        return SimpleNamespace(engine="innodb", save=lambda copy: copy.mkdir(exist_ok=True))

    def test_what_was_loaded_is_known(self):
        self.assertIsNone(self.copies.known("innodb", {"warehouses": 1}))
        self.copies.keep(self.contender(), {"warehouses": 1}, {"seconds": 5})
        self.assertEqual({"seconds": 5}, self.copies.known("innodb", {"warehouses": 1}))
        self.assertIsNone(self.copies.known("innodb", {"warehouses": 2}))
        self.assertTrue(self.copies.of("innodb").is_dir())

    def test_half_a_copy_is_never_used(self):
        self.copies.keep(self.contender(), {"warehouses": 1}, {})
        broken = self.contender()
        broken.save = mock.Mock(side_effect=DevError("no room"))
        with self.assertRaises(DevError):
            self.copies.keep(broken, {"warehouses": 1}, {})
        self.assertIsNone(self.copies.known("innodb", {"warehouses": 1}))

    def test_logs_of_an_engine_are_copied_and_the_servers_own_files_are_not(self):
        source, target = self.folder / "data", self.folder / "other"
        (source / "#rocksdb").mkdir(parents=True)
        (source / "#tmp").mkdir()
        for name in ("#rocksdb/000004.log", "ibdata1", "error.log", "server.pid"):
            (source / name).write_text(name)
        target.mkdir()
        (target / "old").touch()
        contenders.copy_data(source, target)
        found = {str(f.relative_to(target)) for f in target.rglob("*") if f.is_file()}
        self.assertEqual({"#rocksdb/000004.log", "ibdata1"}, found)
        self.assertFalse((target / "#tmp").exists())


class FailureTest(unittest.TestCase):
    def bench(self, *engines: str) -> harness.Bench:
        parser = argparse.ArgumentParser()
        harness.add_arguments(parser, tpcc_program)
        found = harness.Bench(tpcc_program, parser.parse_args([]), Path("/nowhere"))
        found.contenders = [self.contender(engine) for engine in engines]
        return found

    def contender(self, engine: str):
        made = SimpleNamespace(engine=engine, title=engine, revive=lambda: f"{engine} died")
        made.while_running = lambda action: action(made)
        return made

    def test_the_others_go_on(self):
        bench = self.bench("rocksdb", "innodb")
        report, calls = bench_reports.empty(tpcc_program), []

        def action(contender, number: int) -> int:
            calls.append((contender.engine, number))
            if (contender.engine, number) == ("rocksdb", 2):
                raise DevError("lost connection")
            return number

        with contextlib.redirect_stdout(io.StringIO()):
            found = bench.rounds(3, bench.tolerant(report, "here", action))
            self.assertEqual({"innodb": [1, 2, 3]}, found)
            self.assertEqual({"innodb": 5}, bench.each(lambda c: 5, "something"))
        self.assertNotIn(("rocksdb", 3), calls)
        self.assertEqual(["rocksdb, here: rocksdb died"], report.failures)

    def test_a_server_of_too_little_memory_is_started_again(self):
        with tempfile.TemporaryDirectory() as folder:
            found = contenders.Contender("innodb", Path(folder), Settings(2**24, limits=LITTLE))
            noted: list = []
            killed = iter((1, 1))
            found._group = SimpleNamespace(limit=noted.append, killed=lambda: next(killed))
            found.server.start = lambda: noted.append("start")
            with mock.patch.object(type(found.server), "pid", None):
                self.assertIn("for want of memory", found.revive())
        self.assertEqual([Limits(), "start"], noted)

    def test_a_server_that_lives_goes_on(self):
        with tempfile.TemporaryDirectory() as folder:
            found = contenders.Contender("innodb", Path(folder), Settings(2**24))
            with mock.patch.object(type(found.server), "running", lambda _: True):
                self.assertEqual("", found.revive())


class MallocTest(unittest.TestCase):
    def test_it_is_preloaded(self):
        with tempfile.TemporaryDirectory() as folder:
            known = Settings(2**24, malloc=Path("/a.so"))
            server = contenders.Contender("innodb", Path(folder), known).server
        self.assertEqual({"LD_PRELOAD": "/a.so"}, server.environment)

    def test_one_that_is_not_there_is_refused(self):
        with self.assertRaises(DevError):
            harness.malloc_of(argparse.Namespace(malloc=Path("/nothing/here.so")))
        self.assertIsNone(harness.malloc_of(argparse.Namespace()))


class BinlogTest(unittest.TestCase):
    def test_off_is_off(self):
        options = contenders.server_options("innodb", Settings(2**24, binlog=False))
        self.assertFalse([option for option in options if "log-bin" in option])
        self.assertIn("--log-bin=binlog", contenders.server_options("innodb", Settings(2**24)))

    def test_it_is_said(self):
        parser = argparse.ArgumentParser()
        linkbench.add_options(parser)
        self.assertEqual("no binary log", harness.binlog_shown(parser.parse_args(["--binlog=off"])))
        synced = parser.parse_args(["--sync-binlog=10000"])
        self.assertEqual("binary log, sync_binlog=10000", harness.binlog_shown(synced))


if __name__ == "__main__":
    unittest.main()
