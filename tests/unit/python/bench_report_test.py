# SPDX-License-Identifier: GPL-2.0-only
"""The model of a report: ratios, bars, tables, the terminal, and what is kept as JSON."""

import argparse
import contextlib
import io
import json
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

from bench import figure_table, harness, screen
from bench.figure import Bar, Figure
from bench.process_usage import Usage
from bench.programs import commits, locks, profile, show, sysbench
from bench.report import Report
from bench.results import Results
from tests.unit.python import bench_reports
from tools.commands import bench
from tools.errors import DevError

VALUES = {"rocksdb": 20.0, "myrocks": 5.0, "innodb": 10.0}


def shown(report: Report) -> str:
    from rich.console import Console

    out = io.StringIO()
    screen.print_report(report, Console(file=out, width=250))
    return out.getvalue()


class FigureTest(unittest.TestCase):
    def test_limits(self):
        for bar, met in (
            (Bar(2.0, against="innodb"), True),
            (Bar(2.1, against="innodb"), False),
            (Bar(20.0), True),
            (Bar(19.0, at_least=False), False),
            (Bar(4.0, at_least=False, against="myrocks"), True),
        ):
            self.assertEqual(met, Figure("f", "", VALUES, True, bar).met, bar)

    def test_no_verdict_without_a_value(self):
        for values in ({}, {"rocksdb": 1.0}, {"rocksdb": None, "innodb": 1.0},
                       {"rocksdb": 1.0, "innodb": 0.0}):  # fmt: skip
            self.assertIsNone(Figure("f", "", values, True, Bar(1.0, against="innodb")).met)
        self.assertIsNone(Figure("f", "", VALUES).met)

    def test_a_ratio_is_the_median_of_the_ratios_of_the_rounds(self):
        report = Report("r", "r", "", ["rocksdb", "innodb"])
        # the machine becomes slower: the medians alone would say 2 / 3
        slower = {"rocksdb": [8.0, 2.0, 1.0], "innodb": [4.0, 1.0, 3.0]}
        report.add_rounds("f", "1/s", slower, bar=Bar(2.0, against="innodb"))
        (figure,) = report.figures
        self.assertEqual({"rocksdb": 2.0, "innodb": 3.0}, figure.values)
        self.assertEqual(2.0, figure.ratio("rocksdb", "innodb"))
        self.assertTrue(figure.met)
        self.assertEqual((1.0, 8.0), figure.range("rocksdb"))

    def test_a_round_without_a_number_has_no_ratio(self):
        report = Report("r", "r", "", ["rocksdb", "innodb"])
        report.add_rounds("f", "ms", {"rocksdb": [1.0, None, 3.0], "innodb": [4.0, 4.0, 8.0]})
        (figure,) = report.figures
        self.assertEqual(2.0, figure.values["rocksdb"])
        self.assertEqual(0.5, figure.ratio("rocksdb", "innodb"))  # of the medians
        self.assertIsNone(figure.range("rocksdb"))

    def test_texts(self):
        self.assertEqual(">= 2 x InnoDB", figure_table.bar_text(Bar(2.0, against="innodb")))
        self.assertEqual("<= 11", figure_table.bar_text(Bar(11.0, at_least=False)))
        texts = [figure_table.number_text(v) for v in (None, 1234.6, 12.34, 0.1234)]
        self.assertEqual(["-", "1,235", "12.3", "0.123"], texts)
        ratios = [figure_table.ratio_text(v) for v in (0.0123, 0.944, 2.125, 1234.0)]
        self.assertEqual(["0.0123", "0.94", "2.12", "1,234"], ratios)


class TablesTest(unittest.TestCase):
    def test_what_is_missed_is_marked(self):
        report = Report("tpcc", "TPC-C", "2 warehouses", list(VALUES))
        report.add("rate", "1/s", VALUES, True, Bar(3.0, against="innodb", at="10 houses"))
        report.add("p99", "ms", {"rocksdb": 1.0, "innodb": None}, False)
        report.failures = ["it has [broken]"]
        text = shown(report)
        for word in (
            "rate",
            ">= 3 x InnoDB",
            "10 houses",
            "MISSED",
            "4.00",
            "-",
            "it has [broken]",
        ):
            self.assertIn(word, text)

    def test_parts_are_tables_and_have_bars_only_where_there_are_some(self):
        report = Report("r", "r", "", list(VALUES))
        report.add("a", "1/s", VALUES, True, Bar(3.0), part="first")
        report.add("b", "1/s", VALUES, part="second")
        first, second = figure_table.tables(report)
        self.assertEqual(("first", "second"), (first.title, second.title))
        self.assertIn("bar", first.head)
        self.assertNotIn("bar", second.head)
        for table in (first, second):
            self.assertEqual([len(table.head)], [len(row) for row in table.rows])

    def test_ratios_are_coloured_by_what_is_better(self):
        tones = {True: "good", False: "bad", None: ""}
        for better, tone in tones.items():
            figure = Figure("f", "", VALUES, better)
            self.assertEqual(tone, figure_table.ratio_cell(figure, "rocksdb", "innodb").tone)

    def test_without_basalt_the_first_is_compared(self):
        report = Report("r", "r", "", ["myrocks", "innodb"])
        report.add("f", "", {"myrocks": 6.0, "innodb": 4.0})
        self.assertEqual(("myrocks", ["innodb"]), (report.mine, report.peers))
        self.assertIn("1.50", shown(report))
        self.assertEqual({"innodb": 1.5}, report.as_json()["figures"][0]["ratios"])

    def test_every_program_on_the_terminal(self):
        for name, made in bench_reports.OF_PROGRAMS.items():
            report = made()
            text = shown(report)
            self.assertIn(report.title, text)
            for figure in report.figures:
                self.assertIn(figure.name, text, name)

    def test_sysbench_on_the_terminal(self):
        text = shown(bench_reports.of_sysbench())
        for word in ("oltp_insert", "Basalt", ": MyRocks", "2.12", "0.94", "8.5 (8-9)", "p99"):
            self.assertIn(word, text)

    def test_basalt_with_another_plugin_file(self):
        report = Report("r", "r", "", ["rocksdb", "rocksdb-before", "innodb"])
        report.add("rate", "1/s", {"rocksdb": 3.0, "rocksdb-before": 2.0, "innodb": 1.0})
        text = shown(report)
        for word in ("Basalt before", ": Basalt before", "1.50", "3.00"):
            self.assertIn(word, text)

    def test_names_of_functions_are_shown_as_they_are(self):
        self.assertIn("[.] Get<int> [x]", shown(bench_reports.of_profile()))

    def test_contenders_that_are_no_engines_have_their_titles(self):
        text = shown(bench_reports.of_locks())
        self.assertIn(": RocksDB range", text)
        self.assertIn("least served thread", text)


class KeptTest(unittest.TestCase):
    def test_every_report_comes_back(self):
        for name, made in bench_reports.OF_PROGRAMS.items():
            report = made()
            kept = json.loads(json.dumps(report.as_json()))
            again = json.loads(json.dumps(Report.from_json(kept).as_json()))
            self.assertEqual(kept, again, name)

    def test_ratios_and_verdicts_are_kept(self):
        report = Report("r", "r", "", list(VALUES))
        report.add("rate", "1/s", VALUES, True, Bar(3.0, against="innodb"))
        report.add("p99", "ms", {"rocksdb": 1.0, "innodb": None}, False)
        plain = json.loads(json.dumps(report.as_json()))
        self.assertEqual({"myrocks": 4.0, "innodb": 2.0}, plain["figures"][0]["ratios"])
        self.assertEqual([False, None], [f["met"] for f in plain["figures"]])

    def test_a_report_of_an_older_version(self):
        old = {
            "name": "space", "title": "Bytes on disk", "size": "small", "engines": list(VALUES),
            "figures": [{"name": "f", "unit": "s", "values": VALUES, "more_is_better": False,
                         "bar": {"limit": 1.0, "at_least": False, "against": None, "at": ""},
                         "met": False, "ratios": {"innodb": 2.0}}],
            "plots": [{"title": "p", "x_label": "", "y_label": "s", "kind": "bars", "note": "",
                       "series": {"rocksdb": [["a", 1.0]]}, "log_y": False, "log_x": False}],
            "failures": [], "facts": {"kernel": "6"}, "seconds": 3.0,
        }  # fmt: skip
        (report,) = show.reports_of([old])
        self.assertEqual((False, 2.0), (report.figures[0].met,
                                        report.figures[0].ratio("rocksdb", "innodb")))  # fmt: skip
        self.assertEqual(old["plots"][0]["series"], report.plots[0].series)

    def test_raw_runs_of_sysbench(self):
        results = bench_reports.sysbench_results()
        plain = json.loads(json.dumps(results.as_json()))
        self.assertEqual(12, len(plain["runs"]))
        self.assertEqual(2.125, plain["ratios"]["oltp_point_select"]["rocksdb/myrocks"])
        self.assertEqual(4.0, plain["cells"]["oltp_point_select"]["myrocks"]["events_per_second"])
        self.assertEqual(100, plain["afterwards"][0]["written_bytes"])
        self.assertEqual(results, Results.from_json(plain))

    def test_raw_runs_that_did_not_know_what_was_read(self):
        plain = json.loads(json.dumps(bench_reports.sysbench_results().as_json()))
        for used in [run["usage"] for run in plain["runs"]] + plain["afterwards"]:
            del used["read_bytes"]
        self.assertEqual(
            bench_reports.sysbench_results().summaries, Results.from_json(plain).summaries
        )  # fmt: skip


class ShowTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_show(self, *files: Path) -> tuple[int, str]:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            status = show.run(SimpleNamespace(files=list(files), output=None))
        return status, out.getvalue()

    def kept(self, plain, name: str = "results.json") -> Path:
        file = self.folder / name
        file.write_text(json.dumps(plain))
        return file

    def test_what_a_benchmark_has_kept_is_shown_again(self):
        for raw, word in (
            (bench_reports.sysbench_results().as_json(), "oltp_insert"),
            (bench_reports.COMMIT_RATES, "8 clients"),
            (bench_reports.lock_outcomes(), "RocksDB range"),
            ([bench_reports.of_ddl().as_json()], "ADD COLUMN"),
        ):
            status, text = self.run_show(self.kept(raw))
            self.assertEqual(0, status)
            self.assertIn(word, text)
            self.assertIn("<svg", (self.folder / "report.html").read_text())

    def test_several_files_are_one_report(self):
        first = self.kept([bench_reports.of_ddl().as_json()])
        _, text = self.run_show(first, self.kept(bench_reports.COMMIT_RATES, "other.json"))
        self.assertIn("8 clients", text)
        page = (self.folder / "report.html").read_text()
        self.assertIn('<h2 id="ddl">', page)
        self.assertIn('<h2 id="commits">', page)

    def test_what_is_no_result_is_an_error(self):
        for text in ("{}", "[1]", '[{"name": "x"}]', "no JSON", '{"runs": []}', '{"a": 1}', "3"):
            file = self.folder / "results.json"
            file.write_text(text)
            with self.assertRaises(DevError, msg=text):
                self.run_show(file)
        with self.assertRaises(DevError):
            self.run_show(self.folder / "missing")

    def test_published_reports_can_be_shown(self):
        for name in ("ddl", "locks", "profile"):
            report = bench_reports.OF_PROGRAMS[name]()
            with contextlib.redirect_stdout(io.StringIO()):
                harness.publish([report], self.folder)
            (again,) = show.read(self.folder / "results.json")
            self.assertEqual(report.title, again.title, name)

    def test_failures_are_the_status(self):
        report = bench_reports.of_commits()
        report.failures = ["innodb: gone"]
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(1, harness.publish([report], self.folder, raw={"1": {}}))
        self.assertEqual({"1": {}}, json.loads((self.folder / "results.json").read_text()))


class ProgramsTest(unittest.TestCase):
    """The programs without their servers: what was measured ends in the page and the JSON file."""

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        for name in ("tools.paths.build_root", "tools.paths.scratch"):
            self.enterContext(mock.patch(name, return_value=self.folder))
        self.enterContext(mock.patch("tools.build.build", return_value=self.folder))
        self.enterContext(mock.patch("signal.signal"))

    def run_program(self, *words: str) -> tuple[int, str, dict | list]:
        """The status, what was printed, and the JSON file."""
        parser = argparse.ArgumentParser()
        bench.add_arguments(parser)
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            status = bench.run(parser.parse_args(words))
        (file,) = self.folder.glob("bench/*/results.json")
        self.assertIn("<svg" if words[0] != "profile" else "Get&lt;int&gt;",
                      file.with_name("report.html").read_text())  # fmt: skip
        return status, out.getvalue(), json.loads(file.read_text())

    def test_sysbench(self):
        results = bench_reports.sysbench_results()
        results.failures = ["oltp_read_only: sysbench said no"]
        with mock.patch.object(sysbench, "measure", return_value=results):
            status, text, plain = self.run_program("sysbench")
        self.assertEqual(1, status)
        self.assertIn("FAILED: oltp_read_only: sysbench said no", text)
        self.assertEqual(results, Results.from_json(plain))

    def test_commits(self):
        rates = bench_reports.COMMIT_RATES
        with mock.patch.object(commits, "measure", return_value=rates):
            status, text, plain = self.run_program("commits", "--rounds", "7")
        self.assertEqual((0, rates), (status, plain))
        self.assertIn("7 rounds of 5 s", text)

    def test_locks(self):
        outcomes = bench_reports.lock_outcomes()
        with mock.patch.object(locks, "measure", return_value=outcomes):
            status, text, plain = self.run_program("locks")
        self.assertEqual((0, outcomes), (status, plain))
        self.assertIn("3 rounds of 2 s", text)

    def test_profile(self):
        found = {
            "usable_event": "cycles",
            "sample": (bench_reports.outcome(5.0), Usage(1.0)),
            "samples": [(9.5, ["ha_rocksdb.so", "[.] Get<int> [x]"])],
        }
        by_object = [(60.0, ["ha_rocksdb.so"])]
        for name in ("usable_event", "sample"):
            self.enterContext(mock.patch.object(profile, name, return_value=found[name]))
        answers = {1: by_object, 2: found["samples"]}
        self.enterContext(
            mock.patch.object(profile, "samples", lambda data, *sort: answers[len(sort)])
        )  # fmt: skip
        self.enterContext(mock.patch("bench.contenders.Contender"))
        self.enterContext(mock.patch("bench.sysbench_tool.run"))
        status, text, plain = self.run_program("profile", "--engine", "innodb")
        self.assertEqual(0, status)
        self.assertIn("60.0 %", text)
        self.assertEqual("profile", plain[0]["name"])

    def test_one_that_ends_in_a_report(self):
        program = bench.load("ddl")
        made = bench_reports.of_ddl()
        with mock.patch.object(program, "measure", return_value=made):
            status, text, plain = self.run_program("ddl", "--quick")
        self.assertEqual((0, "ddl"), (status, plain[0]["name"]))
        self.assertIn("command", plain[0]["facts"])

    def test_all(self):
        everything = bench.load("all")
        with (
            mock.patch.object(sysbench, "measure", return_value=bench_reports.sysbench_results()),
            mock.patch.object(commits, "measure", return_value=bench_reports.COMMIT_RATES),
            mock.patch.object(bench.load("ddl"), "measure", side_effect=DevError("no server")),
        ):
            words = "sysbench,sysbench-io,commits,ddl"
            status, text, plain = self.run_program("all", "--only", words)
        self.assertEqual(1, status)
        self.assertEqual(words.split(","), [report["name"] for report in plain])
        self.assertEqual(["DevError: no server"], plain[3]["failures"])
        self.assertEqual(everything.WORDS["commits"][0], plain[2]["facts"]["options"])

    def test_every_program_that_measures_has_a_report_here(self):
        self.assertEqual(
            set(bench.program_names()) - {"all", "show"}, set(bench_reports.OF_PROGRAMS)
        )  # fmt: skip


if __name__ == "__main__":
    unittest.main()
