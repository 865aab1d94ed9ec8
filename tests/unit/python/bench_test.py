# SPDX-License-Identifier: GPL-2.0-only
"""The benchmarks as far as they need no server: reading outputs, medians, ratios."""

import argparse
import contextlib
import io
import itertools
import os
import sqlite3
import subprocess
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import pymysql

from bench import (
    clients,
    contenders,
    disk_counter,
    harness,
    olap_data,
    process_usage,
    summary,
    sysbench_tool,
    tpcc,
    turns,
)
from bench.contenders import Settings
from bench.process_usage import Usage
from bench.programs import commits, profile, replica, sysbench
from bench.programs import tpcc as tpcc_program
from bench.sampler import Sample
from bench.summary import Run
from bench.sysbench_tool import Load
from tests.unit.python.bench_reports import outcome, rounds
from tools.commands import bench
from tools.errors import DevError

RECORDED = (Path(__file__).parent / "testdata" / "sysbench_read_write.txt").read_text()


class SysbenchOutputTest(unittest.TestCase):
    def test_recorded_output(self):
        found = sysbench_tool.parse(RECORDED)
        self.assertEqual((606, 12120, 2.0199), (found.events, found.queries, found.seconds))
        self.assertEqual((3, 0), (found.ignored_errors, found.reconnects))
        self.assertEqual((6.64, 19.46), (found.latency_average, found.latency_maximum))
        self.assertEqual(
            [(1.579, 1), (7.842, 15), (8.277, 13), (10.09, 4), (120.1, 1)], found.histogram
        )
        self.assertAlmostEqual(300.01, found.events_per_second, places=2)

    def test_output_without_numbers_is_an_error(self):
        with self.assertRaises(DevError):
            sysbench_tool.parse("sysbench 1.0.20\n\nThreads started!\n")

    def test_run_without_events_is_an_error(self):
        text = RECORDED.replace("number of events:              606", "number of events: 0")
        with self.assertRaises(DevError):
            sysbench_tool.parse(text)

    def test_hanging_run_is_an_error(self):
        with self.assertRaises(DevError):
            sysbench_tool.call(["sleep", "30"], timeout=0.05)

    def test_failure_shows_what_sysbench_said(self):
        script = "echo 'FATAL: error 1049: Unknown database' ; echo noise; exit 1"
        with self.assertRaises(DevError) as caught:
            sysbench_tool.call(["sh", "-c", script, "run"])
        self.assertIn("Unknown database", str(caught.exception))
        self.assertNotIn("noise", str(caught.exception))


class UsageTest(unittest.TestCase):
    def test_process_with_a_difficult_name(self):
        name = Path("/proc/self/comm")
        before = name.read_text()
        name.write_text("a) b ) R 1 7")
        try:
            self.burn_cpu()
        finally:
            name.write_text(before)

    def test_written_bytes_are_those_of_the_storage_layer(self):
        counters = SimpleNamespace(
            read_count=1,
            write_count=2,
            read_bytes=512,
            write_bytes=4096,
            read_chars=3,
            write_chars=4,
        )
        with mock.patch("psutil.Process.io_counters", return_value=counters):
            usage = process_usage.read(os.getpid())
        self.assertEqual((4096, 512), (usage.written_bytes, usage.read_bytes))

    def test_a_process_that_has_ended_is_an_error(self):
        ended = subprocess.Popen(["true"])
        ended.wait()
        for pid in (None, ended.pid):
            for ask in (process_usage.read, process_usage.resident_bytes):
                with self.assertRaises(OSError):
                    ask(pid)

    def test_memory_in_use(self):
        held = b"x" * 2**26
        self.assertGreater(process_usage.resident_bytes(os.getpid()), len(held))

    def test_own_process_uses_cpu_and_readings_subtract(self):
        self.burn_cpu()

    def burn_cpu(self):
        before = process_usage.read(os.getpid())
        while process_usage.read(os.getpid()).cpu_seconds < before.cpu_seconds + 0.03:
            sum(range(10000))
        self.assertGreaterEqual((process_usage.read(os.getpid()) - before).cpu_seconds, 0.02)


class DiskCounterTest(unittest.TestCase):
    def test_operations_and_sectors_written(self):
        # /sys/dev/block/254:0/stat of a disk that was asked to write 5,000 sectors
        text = "  812  10 41000  93  77  9 5000 120 0 88 213 0 0 0 0 0 0\n"
        self.assertEqual(disk_counter.DiskCount(812 + 77, 5000 * 512), disk_counter.from_stat(text))

    def test_what_is_synced_is_counted_where_there_is_a_disk(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            before = disk_counter.count(folder)
            if before is None:
                self.skipTest("no single disk below the folder for temporary files")
            with (folder / "file").open("wb") as file:
                file.write(os.urandom(2**20))
                os.fsync(file.fileno())
            after = disk_counter.count(folder)
            self.assertGreaterEqual(after.written_bytes - before.written_bytes, 2**20)
            self.assertGreater(after.operations, before.operations)


class SummaryTest(unittest.TestCase):
    def test_percentiles(self):
        histogram = [(1.0, 50), (2.0, 45), (3.0, 4), (9.0, 1)]
        self.assertEqual(1.0, summary.percentile(histogram, 50))
        self.assertEqual(2.0, summary.percentile(histogram, 95))
        self.assertEqual(3.0, summary.percentile(histogram, 99))
        self.assertEqual(9.0, summary.percentile(histogram, 100))
        self.assertEqual(0.0, summary.percentile([], 50))

    def test_histograms_merge(self):
        self.assertEqual(
            [(1.0, 3), (2.0, 1), (3.0, 4)],
            summary.merged([[(1.0, 1), (3.0, 4)], [(1.0, 2), (2.0, 1)]]),
        )

    def test_ratio_is_the_median_of_the_rounds_ratios(self):
        # the machine slows down threefold; pairs of one round still compare 2 : 1
        runs = rounds("t", rocksdb=[300.0, 200.0, 100.0], myrocks=[150.0, 100.0, 50.0])
        self.assertEqual(2.0, summary.ratio(runs, "t", "rocksdb", "myrocks"))
        runs = rounds("t", rocksdb=[100.0, 100.0, 100.0], innodb=[50.0, 100.0, 400.0])
        self.assertEqual(1.0, summary.ratio(runs, "t", "rocksdb", "innodb"))

    def test_ratios_only_of_pairs_that_ran(self):
        runs = rounds("t", rocksdb=[100.0], innodb=[50.0])
        self.assertEqual({"t": {"rocksdb/innodb": 2.0}}, summary.ratios(runs))
        self.assertIsNone(summary.ratio(runs, "t", "rocksdb", "myrocks"))

    def test_ratios_to_another_plugin_file(self):
        runs = rounds("t", **{"rocksdb": [4.0], "rocksdb-before": [2.0]})
        self.assertEqual({"t": {"rocksdb/rocksdb-before": 2.0}}, summary.ratios(runs))

    def test_summary(self):
        runs = rounds("t", rocksdb=[100.0, 300.0, 200.0])
        found = summary.summaries(runs, {("t", "rocksdb"): Usage(3.0, 9000)})["t"]["rocksdb"]
        self.assertEqual(
            (200.0, 100.0, 300.0), (found.events_per_second, found.lowest, found.highest)
        )
        self.assertEqual((1.0, 2.0, 2.0), (found.p50, found.p95, found.p99))
        # 3 rounds of 1 s and 1000 bytes, and what was owed, over 12000 queries
        self.assertAlmostEqual(500.0, found.cpu_microseconds_per_query)
        self.assertAlmostEqual(1.0, found.bytes_per_query)


class ContendersTest(unittest.TestCase):
    def test_memory_and_durability_are_equal(self):
        settings = Settings(2**30, 1, (("innodb", "--innodb-io-capacity=900"),))
        options = {e: contenders.server_options(e, settings) for e in contenders.TITLES}
        for engine in contenders.TITLES:
            self.assertIn("--log-bin=binlog", options[engine])
            self.assertIn("--binlog-format=ROW", options[engine])
            self.assertIn("--sync-binlog=1", options[engine])
        self.assertEqual(options["rocksdb"], options["myrocks"])
        self.assertIn(f"--rocksdb-block-cache-size={2**30}", options["rocksdb"])
        self.assertIn("--rocksdb-flush-log-at-trx-commit=1", options["rocksdb"])
        self.assertIn(f"--innodb-buffer-pool-size={2**30}", options["innodb"])
        self.assertIn("--innodb-flush-log-at-trx-commit=1", options["innodb"])
        self.assertEqual("--innodb-io-capacity=900", options["innodb"][-1])

    def test_files_that_are_about_to_go_do_not_count(self):
        sizes = iter([70, 70, 24, 24, 23] + [23] * 100)
        contender = SimpleNamespace(disk_bytes=lambda: next(sizes))
        with mock.patch.object(contenders, "time") as clock:
            clock.monotonic.side_effect = itertools.count()  # a second at each look
            self.assertEqual(23, contenders.Contender.disk_at_rest(contender))

    def test_command_line_of_sysbench(self):
        words = sysbench_tool.command(
            "oltp_insert", "run", Path("/s"), "rocksdb", Load(4, 9, 2), "--time=3"
        )
        self.assertEqual("run", words[-1])
        for word in ("--mysql-socket=/s", "--tables=4", "--table-size=9", "--threads=2"):
            self.assertIn(word, words)


class ArgumentsTest(unittest.TestCase):
    def arguments(self, *words: str):
        import argparse

        parser = argparse.ArgumentParser()
        bench.add_arguments(parser)
        return parser.parse_args(["sysbench", *words])

    def test_defaults_are_those_of_the_comparison(self):
        args = self.arguments()
        sysbench.check(args)
        self.assertEqual(["rocksdb", "myrocks", "innodb"], sysbench.engines_of(args))
        self.assertEqual(9, len(sysbench.tests_of(args)))
        self.assertEqual(2**31, sysbench.memory_bytes(args))

    def test_what_cannot_work_is_refused(self):
        for words in (
            ["--engines", "tokudb"],
            ["--tests", "oltp_nothing"],
            ["--tests", ""],
            ["--rounds", "0"],
            ["--server-option", "innodb:innodb-io-capacity=1"],
        ):
            with self.assertRaises(DevError, msg=words):
                sysbench.check(self.arguments(*words))

    def test_list_names_every_benchmark(self):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            self.assertEqual(0, bench.run(SimpleNamespace(list=True, program=None)))
        names = [line.split()[0] for line in out.getvalue().splitlines()]
        self.assertEqual(
            ["all", "commits", "ddl", "delete", "foreign_keys", "full_text", "insert",
             "instructions", "linkbench", "locks", "olap", "profile", "replica", "show", "space",
             "spatial", "sysbench", "tpcc"],
            names,
        )  # fmt: skip


class FakeContender:
    """Answers like a contender; `broken` is the test it fails."""

    def __init__(self, engine: str, broken: str = "", lives: bool = True):
        self.engine = self.title = engine
        self.broken = broken
        self.server = SimpleNamespace(running=lambda: lives)
        self.running = False

    def limit(self):
        pass

    def resume(self):
        self.running = True

    def pause(self):
        self.running = False

    def settle(self) -> Usage:
        return Usage(0.5, 10)


class RoundsTest(unittest.TestCase):
    def run_tests(self, *fakes: FakeContender, tests: str):
        def one_run(contender, test, load, seconds, number):
            self.assertEqual([contender], [f for f in fakes if f.running], "alone")
            self.order.append((test, number, contender.engine))
            if test == contender.broken:
                raise DevError("sysbench said no")
            return Run(test, contender.engine, number, outcome(10.0), Usage())

        self.order: list = []
        args = SimpleNamespace(tests=tests, rounds=2, warmup=1, seconds=1)
        with (
            mock.patch.object(sysbench, "one_run", one_run),
            contextlib.redirect_stdout(io.StringIO()),
        ):
            return sysbench.run_tests(args, list(fakes), None)

    def test_rounds_are_interleaved_and_warm_ups_not_counted(self):
        fakes = FakeContender("rocksdb"), FakeContender("innodb")
        runs, afterwards, failures = self.run_tests(*fakes, tests="oltp_insert")
        self.assertEqual(
            ["rocksdb", "rocksdb", "innodb", "innodb", "rocksdb", "innodb"],
            [engine for _, _, engine in self.order],
        )
        self.assertEqual(4, len(runs))
        self.assertNotIn(0, [r.round for r in runs])
        self.assertEqual({("oltp_insert", "rocksdb"), ("oltp_insert", "innodb")}, set(afterwards))
        self.assertEqual([], failures)

    def test_failed_test_is_left_out_and_the_others_go_on(self):
        fakes = FakeContender("rocksdb", broken="oltp_insert"), FakeContender("innodb")
        tests = "oltp_insert,oltp_point_select"
        runs, _, failures = self.run_tests(*fakes, tests=tests)
        self.assertEqual({"oltp_point_select"}, {r.test for r in runs})
        self.assertEqual(["oltp_insert: sysbench said no"], failures)

    def test_dead_server_ends_the_benchmark(self):
        fakes = FakeContender("rocksdb", broken="oltp_insert", lives=False), FakeContender("innodb")
        runs, _, failures = self.run_tests(*fakes, tests="oltp_insert,oltp_point_select")
        self.assertEqual(([], 1), (runs, len(failures)))


class ProfileTest(unittest.TestCase):
    def test_lines_of_perf_report(self):
        text = "  1.50%  |[kernel.kallsyms]  |[k] __schedule   |-   -\n# remark\n\n"
        text += " 20.25%  |ha_rocksdb.so      |[.] Get\n"
        self.assertEqual(
            [(20.25, ["ha_rocksdb.so", "[.] Get"]), (1.5, ["[kernel.kallsyms]", "[k] __schedule"])],
            profile.parse_report(text, 2),
        )
        self.assertEqual([(20.25, ["ha_rocksdb.so"]), (1.5, ["[kernel.kallsyms]"])],
                         profile.parse_report(text, 1))  # fmt: skip


INTERVALS = """\
[ 1s ] thds: 4 tps: 404.40 qps: 11035.59 (r/w/o: 4897.72/5325.08/812.79) lat (ms,99%): 31.37 err/s: 0.00 reconn/s: 0.00
kinds: new_order=284 payment=283 order_status=28 delivery=28 stock_level=28 rolled_back=2
kinds: payment=17 new_order=14
"""  # noqa: E501


class ScriptOutputTest(unittest.TestCase):
    def test_interval(self):
        first, second, _ = INTERVALS.splitlines()
        found = sysbench_tool.interval(first)
        self.assertEqual((1.0, 404.4, 4897.72, 5325.08, 31.37), tuple(vars(found).values()))
        self.assertIsNone(sysbench_tool.interval(second))

    def test_kinds_are_summed_over_the_threads(self):
        found = sysbench_tool.kinds(INTERVALS)
        self.assertEqual((298, 300, 2), tuple(found[k] for k in ("new_order", "payment",
                                                                 "rolled_back")))  # fmt: skip

    def test_a_short_run_has_a_point_too(self):
        short = sysbench_tool.ScriptRun(outcome(50.0, 0.5), [], {})
        self.assertEqual([(0.5, 50.0)], short.curve(lambda i: i.events_per_second))

    def test_mix_counts_rolled_back_orders_as_new_orders(self):
        mix = tpcc.mix([{"new_order": 98, "rolled_back": 2}, {"payment": 100}])
        self.assertEqual((0.5, 0.5, 0), (mix["new_order"], mix["payment"], mix["delivery"]))


class TpccTest(unittest.TestCase):
    def turn(self, rates: list[float]) -> turns.Turn:
        intervals = [sysbench_tool.Interval(n, r, 0, 0, 5.0) for n, r in enumerate(rates, 1)]
        run = sysbench_tool.ScriptRun(outcome(100.0, len(rates)), intervals, {})
        samples = [Sample(float(n), Usage(), n * 100, 2**20 * n) for n in range(1, 4)]
        return turns.Turn(run, samples, Usage(1.0, 1000, 500), 77)

    def test_sum_of_turns(self):
        found = turns.summed([self.turn([1, 90, 100, 110])] * 2, Usage(2.0, 6000, 0))
        self.assertEqual(800, found.transactions)
        self.assertEqual(Usage(4.0, 8000, 1000), found.used)
        self.assertEqual(154, found.binlog_bytes)
        self.assertEqual(10.0, found.per_transaction(found.used.written_bytes))
        self.assertEqual(300, found.resident)

    def test_first_second_of_a_turn_does_not_count(self):
        found = turns.summed([self.turn([1, 90, 100, 110])] * 2, Usage())
        self.assertEqual(0.9, found.steadiness)
        self.assertEqual([2, 3, 4, 6, 7, 8], [x for x, _ in found.curve("rate")])
        self.assertEqual([1.0, 2.0, 3.0] * 2, [y for _, y in found.curve("disk")])
        self.assertEqual([(1.0, 0.1)], found.slower())

    def test_violated_conditions_are_named(self):
        counts = iter([(0,)] * 2 + [(3,)] + [(0,)] * 9)
        asked = []

        def query(statement, database):
            asked.append(statement)
            return [next(counts)]

        found = tpcc.conditions(SimpleNamespace(query=query))
        self.assertEqual(12, len(asked))
        self.assertFalse([q for q in asked if "{" in q])
        self.assertEqual(1, len(found.broken))
        self.assertTrue(found.broken[0].startswith("3: "))
        self.assertTrue(found.broken[0].endswith("3 times not"))
        self.assertEqual([], found.unanswered)

    def test_conditions_that_take_too_long_are_named(self):
        def query(statement, database):
            if "new_order" in statement:
                raise pymysql.OperationalError(1969, "max_statement_time exceeded")
            return [(0,)]

        found = tpcc.conditions(SimpleNamespace(query=query))
        self.assertEqual([], found.broken)
        self.assertEqual(["2", "3", "5", "11"], [c.partition(":")[0] for c in found.unanswered])

        def broken(statement, database):
            raise pymysql.OperationalError(1030, "the disk is full")

        with self.assertRaises(pymysql.OperationalError):
            tpcc.conditions(SimpleNamespace(query=broken))

    def test_bars_hold_for_the_small_caches(self):
        self.assertEqual({"rate", "memory"}, tpcc_program.wanted((16, 48, 256), 16))
        self.assertEqual({"rate", "written", "steady"}, tpcc_program.wanted((16, 48, 256), 48))
        self.assertEqual(set(), tpcc_program.wanted((16, 48, 256), 256))
        everything = {"rate", "written", "steady", "memory"}
        self.assertEqual(everything, tpcc_program.wanted((64,), 64))


class TpccConditionsTest(unittest.TestCase):
    """The conditions on a small consistent population, which is then damaged in one place. SQLite
    runs the queries; its IS is MariaDB's <=>."""

    TABLES = """
    CREATE TABLE warehouse (w_id, w_ytd); CREATE TABLE district (d_w_id, d_id, d_ytd, d_next_o_id);
    CREATE TABLE customer (c_w_id, c_d_id, c_id, c_balance, c_ytd_payment, c_delivery_cnt);
    CREATE TABLE history (h_c_w_id, h_c_d_id, h_c_id, h_w_id, h_d_id, h_amount);
    CREATE TABLE new_order (no_w_id, no_d_id, no_o_id);
    CREATE TABLE orders (o_w_id, o_d_id, o_id, o_c_id, o_carrier_id, o_ol_cnt);
    CREATE TABLE order_line (ol_w_id, ol_d_id, ol_o_id, ol_amount, ol_delivery_d);
    """
    DELIVERED, NEW = 2100, 3

    def setUp(self):
        self.link = sqlite3.connect(":memory:")
        self.link.executescript(self.TABLES)
        self.link.execute("INSERT INTO warehouse VALUES (1, 30)")
        last = self.DELIVERED + self.NEW
        self.link.execute("INSERT INTO district VALUES (1, 1, 30, ?)", (last + 1,))
        for c in (1, 2, 3):
            self.link.execute("INSERT INTO customer VALUES (1, 1, ?, -10, 10, 0)", (c,))
            self.link.execute("INSERT INTO history VALUES (1, 1, ?, 1, 1, 10)", (c,))
        for o in range(1, last + 1):
            old = o <= self.DELIVERED
            order = (o, o % 3 + 1, 7 if old else None)
            self.link.execute("INSERT INTO orders VALUES (1, 1, ?, ?, ?, 1)", order)
            line = (o, 0 if old else 5, "day" if old else None)
            self.link.execute("INSERT INTO order_line VALUES (1, 1, ?, ?, ?)", line)
            if not old:
                self.link.execute("INSERT INTO new_order VALUES (1, 1, ?)", (o,))

    def broken(self) -> list[int]:
        """Numbers of the conditions that do not hold."""

        def query(statement, database):
            return self.link.execute(statement.replace("<=>", "IS")).fetchall()

        found = tpcc.conditions(SimpleNamespace(query=query))
        return [int(text.partition(":")[0]) for text in found.broken]

    def test_consistent_population(self):
        self.assertEqual([], self.broken())

    def test_each_damage_is_found(self):
        for damage, expected in (
            ("UPDATE warehouse SET w_ytd = 31", [1, 8]),
            ("UPDATE district SET d_ytd = 31", [1, 9]),
            ("UPDATE district SET d_next_o_id = 9", [2]),
            ("DELETE FROM new_order", [5, 11]),
            ("DELETE FROM new_order WHERE no_o_id = 2102", [3, 5, 11]),
            ("DELETE FROM order_line WHERE ol_o_id = 7", [4, 6]),
            ("UPDATE orders SET o_ol_cnt = 2 WHERE o_id = 7", [4, 6]),
            ("UPDATE orders SET o_carrier_id = NULL WHERE o_id = 7", [5, 7]),
            ("UPDATE order_line SET ol_delivery_d = NULL WHERE ol_o_id = 7", [7]),
            ("DELETE FROM history WHERE h_c_id = 2", [8, 9, 10]),
            ("UPDATE customer SET c_balance = 0 WHERE c_id = 2", [10, 12]),
            ("UPDATE customer SET c_delivery_cnt = 1 WHERE c_id = 2", [11]),
            ("UPDATE customer SET c_ytd_payment = 0 WHERE c_id = 2", [12]),
        ):
            self.setUp()
            self.link.execute(damage)
            self.assertEqual(expected, self.broken(), damage)


class HarnessTest(unittest.TestCase):
    def program_arguments(self, name: str, *words: str):
        import argparse

        parser = argparse.ArgumentParser()
        bench.add_arguments(parser)
        return parser.parse_args([name, *words])

    def test_sizes(self):
        args = self.program_arguments("tpcc", "--full", "--memory-mb", "5,6", "--warehouses", "3")
        found = harness.sizes_of(args, tpcc_program)
        self.assertEqual(((5, 6), 3), (found["memory_mb"], found["warehouses"]))
        self.assertEqual(tpcc_program.SIZES["seconds"].full, found["seconds"])

    def test_quick_is_the_default(self):
        found = harness.sizes_of(self.program_arguments("tpcc"), tpcc_program)
        self.assertEqual({n: s.quick for n, s in tpcc_program.SIZES.items()}, found)

    def test_engines(self):
        args = self.program_arguments("space", "--engines", "rocksdb,innodb-8k")
        program = bench.load("space")
        self.assertEqual(["rocksdb", "innodb-8k"], harness.engines_of(args, program))
        with self.assertRaises(DevError):
            harness.engines_of(args, tpcc_program)

    def test_every_program_says_what_it_is(self):
        for name in bench.program_names():
            module = bench.load(name)
            self.assertTrue(module.HELP and module.__doc__, name)
            if hasattr(module, "SIZES"):
                self.assertEqual(name, module.NAME)
                self.assertTrue(module.TITLE and module.ENGINES, name)
                self.assertTrue(callable(module.measure), name)

    def test_all_knows_every_benchmark(self):
        from bench.programs import all as everything

        own = {n for n in bench.program_names() if hasattr(bench.load(n), "SIZES")}
        self.assertEqual(own, set(everything.ORDER) - set(everything.WORDS))

    def test_direct_io_only_when_asked(self):
        plain = contenders.server_options("rocksdb", Settings(1))
        direct = contenders.server_options("rocksdb", Settings(1, direct=True))
        self.assertFalse([o for o in plain if "direct" in o])
        self.assertEqual(2, len([o for o in direct if "direct" in o]))
        buffered = contenders.server_options(
            "rocksdb", Settings(1, direct=True, buffered_reads=True)
        )
        self.assertEqual(plain, buffered)

    def test_compressed_innodb_is_innodb(self):
        options = contenders.server_options("innodb-8k", Settings(5))
        self.assertIn("--innodb-buffer-pool-size=5", options)


class OtherPluginTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.file = self.folder / "old.so"
        self.file.write_text("old")
        (self.folder / "ha_rocksdb.so").write_text("folder's")

    def arguments(self, name: str, *words: str):
        parser = argparse.ArgumentParser()
        bench.add_options(bench.load(name), parser)
        return parser.parse_args([str(word) for word in words])

    def refused(self, *words: str) -> str:
        args = self.arguments("sysbench", *(f"--also-plugin={word}" for word in words))
        with self.assertRaises(DevError) as caught:
            contenders.plugins_of(args)
        return str(caught.exception)

    def test_it_follows_basalt(self):
        words = ("--engines=rocksdb,innodb", f"--also-plugin={self.file}",
                 f"--also-plugin={self.folder}=folder")  # fmt: skip
        wanted = ["rocksdb", "rocksdb-before", "rocksdb-folder", "innodb"]
        args = self.arguments("sysbench", *words)
        self.assertEqual(wanted, sysbench.contenders_of(args))
        files = (("rocksdb-before", self.file),
                 ("rocksdb-folder", self.folder / "ha_rocksdb.so"))  # fmt: skip
        self.assertEqual(files, sysbench.settings_of(args).plugins)
        sysbench.check(args)
        args = self.arguments("commits", *words)
        self.assertEqual(wanted, commits.checked_engines(args))
        args = self.arguments("tpcc", *words)
        self.assertEqual(wanted, harness.engines_of(args, tpcc_program))
        self.assertEqual(files, harness.settings_of(args, 1).plugins)

    def test_without_basalt_it_begins(self):
        words = ("--engines=innodb", f"--also-plugin={self.file}")
        args = self.arguments("sysbench", *words)
        self.assertEqual(["rocksdb-before", "innodb"], sysbench.contenders_of(args))

    def test_what_is_refused(self):
        self.assertIn("no file", self.refused(self.folder / "none.so"))
        self.assertIn("letters and digits", self.refused(f"{self.file}=a b"))
        self.assertIn("two have this name", self.refused(self.file, self.folder))

    def test_its_server_takes_a_copy_of_the_file(self):
        settings = Settings(1, plugins=(("rocksdb-before", self.file),))
        contender = contenders.Contender("rocksdb-before", self.folder / "run", settings)
        self.assertEqual("Basalt before", contender.title)
        self.assertEqual("rocksdb", contender.storage_engine)
        self.assertEqual("rocksdb", contender.server.engine)
        self.assertEqual(contenders.server_options("rocksdb", settings), contender.server.options)
        self.file.write_text("built again")
        self.assertEqual("old", (contender.server.plugin_dir / "ha_rocksdb.so").read_text())
        basalt = contenders.Contender("rocksdb", self.folder / "run", settings)
        self.assertNotEqual(contender.server.plugin_dir, basalt.server.plugin_dir)
        self.assertNotEqual(contender.server.datadir, basalt.server.datadir)

    def test_options_by_its_name(self):
        args = self.arguments("sysbench", f"--also-plugin={self.file}",
                              "--server-option=rocksdb-before:--x=1")  # fmt: skip
        sysbench.check(args)
        settings = sysbench.settings_of(args)
        self.assertEqual("--x=1", contenders.server_options("rocksdb-before", settings)[-1])
        self.assertNotIn("--x=1", contenders.server_options("rocksdb", settings))


class FlushLogTest(unittest.TestCase):
    def options(self, engine: str, *words: str) -> list[str]:
        parser = argparse.ArgumentParser()
        sysbench.add_arguments(parser)
        settings = sysbench.settings_of(parser.parse_args(words))
        return contenders.server_options(engine, settings)

    def test_all_engines_sync_at_each_commit_or_once_a_second(self):
        for engine, option in (
            ("rocksdb", "--rocksdb-flush-log-at-trx-commit"),
            ("myrocks", "--rocksdb-flush-log-at-trx-commit"),
            ("innodb", "--innodb-flush-log-at-trx-commit"),
        ):
            self.assertIn(f"{option}=1", self.options(engine))
            self.assertIn(f"{option}=2", self.options(engine, "--flush-log", "2"))


class ClientsTest(unittest.TestCase):
    points = [(0.5, 10.0), (1.2, 30.0), (1.9, 20.0), (3.0, 5.0)]

    def test_percentile_and_worst(self):
        self.assertEqual(30.0, clients.percentile(self.points, 100))
        self.assertEqual(20.0, clients.percentile(self.points, 50))
        self.assertIsNone(clients.percentile([], 50))
        self.assertEqual([(0.0, 10.0), (1.0, 30.0), (3.0, 5.0)],
                         clients.worst_by_second(self.points))  # fmt: skip

    def test_what_overlaps_a_statement(self):
        # one that began before the end and ended after it counts
        found = clients.between([(1.0, 10), (2.5, 1000), (2.5, 100)], 1.5, 2.0)
        self.assertEqual([(2.5, 1000)], found)


class FactTableTest(unittest.TestCase):
    def test_a_day_is_always_the_same(self):
        first, second = olap_data.Generator(50), olap_data.Generator(50)
        self.assertEqual(list(first.day(3)), list(second.day(3)))
        self.assertNotEqual(list(first.day(3)), list(first.day(3, version=1)))

    def test_a_row_fills_every_column(self):
        columns = [c for c in olap_data.COLUMNS.split(",") if "NULL" in c]
        for row in olap_data.Generator(100).day(0):
            self.assertEqual(len(columns), row.rstrip("\n").count("\t") + 1)

    def test_days_do_not_share_keys(self):
        generator = olap_data.Generator(10)
        keys = [row.split("\t")[1] for n in range(3) for row in generator.day(n)]
        self.assertEqual(30, len(set(keys)))


class ReplicaTest(unittest.TestCase):
    def test_sequence_of_a_position(self):
        self.assertEqual([0, 17], [replica.sequence(p) for p in ("", "0-1-17")])


if __name__ == "__main__":
    unittest.main()
