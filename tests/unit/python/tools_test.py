# SPDX-License-Identifier: GPL-2.0-only
"""The tools of ./dev, as far as they need neither network nor server."""

import argparse
import contextlib
import io
import os
import tempfile
import time
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

from tests.differential import tier as differential
from tests.fuzz import tier as fuzz
from tests.kit.side_by_side.runner import Runner
from tests.kit.side_by_side.statement import Statement
from tests.kit.side_by_side.time_limit import OutOfTime, at_most
from tests.kit.tier_result import TierResult
from tests.sql import tier as sql
from tests.unit import tier as quick
from tools import main, paths, server
from tools.commands import test as test_command
from tools.errors import DevError
from tools.setup import crates, debian, jemalloc, mariadb, rocksdb, step


def run_main(*argv: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    out.reconfigure = lambda **_: None
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main.main(list(argv))
    return status, out.getvalue(), err.getvalue()


class MainTest(unittest.TestCase):
    def test_every_command_has_a_line_of_help(self):
        for name in main.command_names():
            self.assertTrue(main.load(name).HELP, name)

    def test_unknown_command_is_an_error(self):
        status, _, err = run_main("nonsense")
        self.assertEqual(2, status)
        self.assertIn("no command 'nonsense'", err)

    def test_env_prints_the_promised_names(self):
        status, out, _ = run_main("env")
        self.assertEqual(0, status)
        names = [line.partition("=")[0] for line in out.splitlines()]
        promised = ["MARIADBD", "CLIENT", "PLUGIN_DIR", "BASEDIR", "MTR", "MYROCKS_PLUGIN_DIR"]
        self.assertEqual([f"BASALT_{n}" for n in promised], names)


class QuickTierTest(unittest.TestCase):
    def test_what_a_sanitizer_found_is_in_the_list_of_failures(self):
        with tempfile.TemporaryDirectory() as folder:
            binary = Path(folder) / "basalt_txn_test"
            race = "SUMMARY: ThreadSanitizer: data race in Append"
            binary.write_text(f"#!/bin/sh\necho '{race}' >&2; echo '{race}' >&2; exit 66\n")
            binary.chmod(0o755)
            result = TierResult("quick", 0, 0)
            arguments = SimpleNamespace(filter=None, rewrite=False)
            with contextlib.redirect_stdout(io.StringIO()):
                quick.count_binary(result, quick.run_binary(arguments, binary, "tsan"))
        self.assertEqual(1, result.failed)
        expected = [f"basalt_txn_test (tsan) ended with status 66\n    {race}"]
        self.assertEqual(expected, result.failures)

    def test_what_tsan_leaves_out_is_there(self):
        sources = [file.read_text() for file in quick.paths.ROOT.glob("tests/unit/*/**/*_test.cc")]
        for pattern in quick.ONE_THREAD:
            suite, _, test = pattern.strip("*").partition(".")
            self.assertTrue(any(suite in text and test in text for text in sources), pattern)


class PathsTest(unittest.TestCase):
    def test_cache_folder_order(self):
        with mock.patch.dict(os.environ, {"BASALT_CACHE": "/a", "XDG_CACHE_HOME": "/b"}):
            self.assertEqual(Path("/a"), paths.cache())
        with mock.patch.dict(os.environ, {"BASALT_CACHE": "", "XDG_CACHE_HOME": "/b"}):
            self.assertEqual(Path("/b/basalt"), paths.cache())

    def test_cache_folder_has_its_real_path(self):
        with tempfile.TemporaryDirectory() as folder:
            link, real = Path(folder, "link"), Path(folder).resolve() / "real"
            link.symlink_to(real)
            for variables in ({"BASALT_CACHE": str(link)}, {"XDG_CACHE_HOME": str(link)}):
                with mock.patch.dict(os.environ, {"BASALT_CACHE": ""} | variables):
                    self.assertIn(paths.cache(), (real, real / "basalt"))

    def test_version_override_loses_its_epoch(self):
        with mock.patch.dict(os.environ, {"BASALT_MARIADB_VERSION": "1:10.11.7-1"}):
            self.assertEqual("10.11.7-1", paths.server_version())


class ServerTest(unittest.TestCase):
    def test_socket_path_always_fits(self):
        self.assertEqual(Path("/a/server.sock"), server.socket_path(Path("/a")))
        long = server.socket_path(Path("/" + "a" * 200))
        self.assertLessEqual(len(str(long)), server.MAX_SOCKET_PATH)

    def test_no_network_unless_a_port_is_asked_for(self):
        command = server.PrivateServer("/a", "innodb").command()
        self.assertIn("--skip-networking", command)
        command = server.PrivateServer("/a", "innodb", port=4000).command()
        self.assertIn("--bind-address=127.0.0.1", command)

    def test_options_come_last_and_so_win(self):
        command = server.PrivateServer("/a", "myrocks", ["--port=1"]).command()
        self.assertEqual("--port=1", command[-1])

    def test_folder_with_other_files_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "precious").touch()
            with self.assertRaises(DevError):
                server.install_data_directory(Path(folder))
            self.assertTrue((Path(folder) / "precious").exists())

    def test_unknown_engine_is_refused(self):
        with self.assertRaises(DevError):
            server.PrivateServer("/a", "tokudb")


class ReportTest(unittest.TestCase):
    def last_line(self, *results: TierResult) -> str:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            test_command.report(list(results))
        return out.getvalue().splitlines()[-1]

    def test_last_line_is_plain(self):
        results = (TierResult("quick", 3, 0), TierResult("sql", 4, 1))
        self.assertEqual("7 passed, 1 failed", self.last_line(*results))

    def test_skipped_follow(self):
        self.assertEqual("3 passed, 0 failed, 2 skipped", self.last_line(TierResult("a", 3, 0, 2)))

    def test_tier_that_cannot_run_counts_as_failed(self):
        tier = SimpleNamespace(HELP="", run=mock.Mock(side_effect=DevError("no server")))
        with mock.patch.object(test_command, "load", return_value=tier):
            with contextlib.redirect_stdout(io.StringIO()):
                result = test_command.run_tier("sql", SimpleNamespace())
        self.assertEqual((0, 1, ["no server"]), (result.passed, result.failed, result.failures))

    def test_filter_that_nothing_matches_is_an_error(self):
        tier = SimpleNamespace(HELP="", run=lambda args: TierResult("sql", 0, 0))
        with mock.patch.object(test_command, "load", return_value=tier):
            status, _, err = run_main("test", "sql", "--no-build", "--filter", "nonsense")
        self.assertEqual(1, status)
        self.assertIn("no test matches 'nonsense'", err)


class SecondsTest(unittest.TestCase):
    def parse(self, *words: str):
        parser = argparse.ArgumentParser()
        test_command.add_arguments(parser)
        return parser.parse_args(words)

    def test_fuzz_takes_seconds_for_each_target(self):
        self.assertEqual(fuzz.SHORT_SECONDS, fuzz.seconds(self.parse("fuzz")))
        self.assertEqual(fuzz.LONG_SECONDS, fuzz.seconds(self.parse("fuzz", "--long")))
        self.assertEqual(90, fuzz.seconds(self.parse("fuzz", "--seconds", "90")))
        # libFuzzer takes 0 for "without end"
        self.assertEqual(1, fuzz.seconds(self.parse("fuzz", "--seconds", "0.1")))

    def test_differential_takes_seconds_in_all(self):
        with contextlib.redirect_stdout(io.StringIO()):
            started = time.monotonic()
            seeds = differential.seeds(
                self.parse("differential", "--seed", "3", "--seconds", "0.05")
            )
            self.assertEqual(3, next(iter(seeds)))
            for _ in seeds:
                self.assertLess(time.monotonic() - started, 10)


class TimeLimitTest(unittest.TestCase):
    def test_endless_work_ends(self):
        with self.assertRaises(OutOfTime), at_most(0.05):
            while True:
                pass

    def test_work_in_time_is_left_alone(self):
        with at_most(0.05):
            pass
        time.sleep(0.1)

    def test_history_without_end_is_a_hang_with_its_statement(self):
        stuck = mock.Mock(**{"running.return_value": True, "log_tail.return_value": "the log"})
        runner = Runner(stuck, "rocksdb")
        for side in runner.sides:
            side.open = lambda: None

        def sleep(statement, place, observe):
            runner.tested.asking = statement.sql()
            time.sleep(10)

        runner.step = sleep
        history = []
        with at_most(0.05):
            found = runner.run([Statement("SELECT 1"), Statement("NEVER")], history=history)
        self.assertEqual("hung", found.kind)
        self.assertIn("rocksdb: SELECT 1", found.what)
        self.assertEqual(["SELECT 1"], [s.sql() for s in history])
        stuck.write_stacks.assert_called_once()
        stuck.start.assert_called_once()


class RunnerOutputTest(unittest.TestCase):
    def test_lines_of_the_test_runner(self):
        lines = [
            "basalt.one                               w2 [ pass ]     28\n",
            "basalt.two 'mix'                         w1 [ fail ]\n",
            "--- kept\n",
            "+++ seen\n",
            " SELECT 1;\n",
            "-0\n",
            "+1\n",
            "basalt.three                             [ skipped ]  Needs debug\n",
            "basalt.two 'mix'                         w1 [ retry-fail ]\n",
        ]
        with contextlib.redirect_stdout(io.StringIO()):
            counts, failures = sql.follow(SimpleNamespace(stdout=lines))
        self.assertEqual({"pass": 1, "skipped": 1}, counts)
        self.assertEqual(["basalt.two 'mix'\n    -0\n    +1"], failures)


class AptSourcesTest(unittest.TestCase):
    def sources(self, **files: str) -> str:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "sources.list.d").mkdir()
            for file, text in files.items():
                (folder / "sources.list.d" / file.replace("_", ".")).write_text(text)
            with mock.patch.object(debian, "codename", return_value="bookworm"):
                return debian.debian_sources(folder)

    def test_debian_is_taken_and_third_parties_are_not(self):
        text = self.sources(
            debian_sources="Types: deb\n# old\nURIs: http://mirror/debian\n"
            "Suites: bookworm bookworm-updates bookworm-backports\nComponents: main contrib\n"
            "Signed-By: /k.gpg\n\nTypes: deb\nEnabled: no\nURIs: http://off/\nSuites: bookworm\n"
            "Components: main\n",
            other_list="deb http://other/ nodistro main\ndeb http://sdk/ sdk-bookworm main\n",
        )
        self.assertEqual(
            "Types: deb deb-src\nURIs: http://mirror/debian\nSuites: bookworm bookworm-updates\n"
            "Components: main\nSigned-By: /k.gpg\n",
            text,
        )

    def test_one_line_format_with_options(self):
        text = self.sources(
            a_list="deb [arch=amd64 signed-by=/k.gpg] http://m/debian bookworm main\n"
        )
        self.assertIn("URIs: http://m/debian\nSuites: bookworm\n", text)
        self.assertIn("Signed-By: /k.gpg\n", text)

    def test_no_debian_source_is_an_error(self):
        with self.assertRaises(DevError):
            self.sources(a_list="deb http://m/ubuntu noble main\n")


class SetupTest(unittest.TestCase):
    def test_versions_are_ordered_as_dpkg_does(self):
        self.assertEqual(1, mariadb.compare("1:10.11.18-0+deb12u1", "1:10.11.9-0+deb12u2"))
        self.assertEqual(-1, mariadb.compare("1:10.11.9-1", "1:10.11.18-1"))

    def test_differing_versions_are_refused(self):
        with tempfile.TemporaryDirectory() as name:
            fresh = Path(name)
            header = fresh / "root/usr/include/mariadb/server/mysql_version.h"
            header.parent.mkdir(parents=True)
            header.write_text('#define MYSQL_SERVER_VERSION       "10.11.18-MariaDB"\n')
            (fresh / "source").mkdir()
            version = "MYSQL_VERSION_MAJOR=10\nMYSQL_VERSION_MINOR=11\nMYSQL_VERSION_PATCH="
            (fresh / "source" / "VERSION").write_text(version + "18\n")
            mariadb.check_versions(fresh)
            (fresh / "source" / "VERSION").write_text(version + "17\n")
            with self.assertRaises(DevError):
                mariadb.check_versions(fresh)

    def test_interrupted_step_leaves_no_result(self):
        with tempfile.TemporaryDirectory() as name:
            final = Path(name) / "result"
            with self.assertRaises(KeyboardInterrupt), step.new_folder(final) as fresh:
                (fresh / "half").touch()
                raise KeyboardInterrupt
            self.assertFalse(final.exists())
            with step.new_folder(final) as fresh:
                self.assertEqual([], list(fresh.iterdir()))
            self.assertTrue(final.is_dir())

    def test_sources_are_locked_with_a_checksum(self):
        for crate, library in ((rocksdb.CRATE, "+11.8.1"), (jemalloc.CRATE, "+5.3.1-")):
            version, checksum = crates.locked(crate)
            self.assertIn(library, version)
            self.assertEqual(64, len(checksum))
        with self.assertRaises(DevError):
            crates.locked("no-such-crate")

    def test_missing_packages_are_named_without_root(self):
        with (
            mock.patch.object(debian, "missing", return_value=["cmake", "g++"]),
            mock.patch.object(os, "geteuid", return_value=1000),
            self.assertRaises(DevError) as caught,
        ):
            debian.install(["cmake", "g++"], "to build")
        self.assertIn("cmake g++", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
