# SPDX-License-Identifier: GPL-2.0-only
"""Limits of the disk and of memory, on made-up trees of control groups: no root is needed."""

import argparse
import contextlib
import io
import os
import subprocess
import tempfile
import unittest
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import pymysql

from bench import (
    bars,
    cgroup,
    contenders,
    engine_counters,
    limits,
    prices,
    sysbench_tool,
    tpcc,
    tpcc_limited,
    turns,
)
from bench.cgroup import Limits, Traffic
from bench.client_threads import ClientThreads
from bench.contenders import Settings
from bench.process_usage import Usage
from bench.programs import insert, sysbench
from bench.programs import tpcc as tpcc_program
from bench.sampler import Sample
from bench.sysbench_tool import Interval, ScriptRun
from tests.unit.python import bench_reports
from tools.commands import bench
from tools.errors import DevError

ALL = Limits(450 * 2**20, 1000, 900, 16_384_000, 14_745_600)


class FakeTree(unittest.TestCase):
    """A folder that stands for the root of a machine. Its disk is 9:0, and the folder's own device
    is the first partition of that."""

    def setUp(self):
        self.root = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.top = self.root / "sys/fs/cgroup"
        self.data = self.root / "data"
        self.data.mkdir()
        number = self.data.stat().st_dev
        self.partition = self.root / "sys/devices/disk/part1"
        self.put("sys/devices/disk/dev", "9:0\n")
        self.put("sys/devices/disk/part1/partition", "1\n")
        link = self.root / f"sys/dev/block/{os.major(number)}:{os.minor(number)}"
        link.parent.mkdir(parents=True)
        link.symlink_to(self.partition)

    def put(self, name: str, text: str = "") -> None:
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def new_group(self) -> cgroup.Group:
        return cgroup.new_group("bench-1", self.data, self.root)

    def written(self, folder: Path) -> dict[str, str]:
        return {file.name: file.read_text() for file in folder.iterdir()}

    def refused(self) -> str:
        with self.assertRaises(DevError) as caught:
            self.new_group()
        return str(caught.exception)


class Version1Test(FakeTree):
    def setUp(self):
        super().setUp()
        self.put("proc/self/cgroup", "7:cpu,blkio:/\n4:memory:/own/deep\n0::/\n")
        self.put("sys/fs/cgroup/blkio/blkio.throttle.read_iops_device")
        (self.top / "memory/own/deep").mkdir(parents=True)
        self.memory = self.top / "memory/own/deep/bench-1"
        self.blkio = self.top / "blkio/bench-1"

    def test_groups_lie_below_the_own_ones(self):
        group = self.new_group()
        self.assertIsInstance(group, cgroup.GroupV1)
        self.assertEqual([self.memory, self.blkio], group.folders)
        self.assertTrue(self.memory.is_dir() and self.blkio.is_dir())

    def test_an_own_group_that_is_not_seen(self):
        self.put("proc/self/cgroup", "7:blkio:/docker/x\n4:memory:/docker/x\n")
        self.assertEqual([self.top / "memory/bench-1", self.top / "blkio/bench-1"],
                         self.new_group().folders)  # fmt: skip

    def test_limits_are_written_for_the_whole_disk(self):
        self.new_group().limit(ALL)
        self.assertEqual({"memory.limit_in_bytes": str(450 * 2**20)}, self.written(self.memory))
        wanted = {
            "blkio.throttle.read_iops_device": "9:0 1000",
            "blkio.throttle.write_iops_device": "9:0 900",
            "blkio.throttle.read_bps_device": "9:0 16384000",
            "blkio.throttle.write_bps_device": "9:0 14745600",
        }
        self.assertEqual(wanted, self.written(self.blkio))

    def test_limits_are_lifted(self):
        group = self.new_group()
        (self.memory / "memory.memsw.limit_in_bytes").touch()
        group.limit(ALL)
        self.assertEqual(str(450 * 2**20), self.written(self.memory)["memory.memsw.limit_in_bytes"])
        group.limit(Limits())
        self.assertEqual({"-1"}, set(self.written(self.memory).values()))
        self.assertEqual({"9:0 0"}, set(self.written(self.blkio).values()))

    def test_traffic_of_the_own_disk_counts(self):
        group = self.new_group()
        (self.blkio / "blkio.throttle.io_serviced").write_text(
            "8:0 Read 1000\n9:0 Read 7\n9:0 Write 5\n9:0 Sync 11\n9:0 Total 12\nTotal 1012\n"
        )
        (self.blkio / "blkio.throttle.io_service_bytes").write_text(
            "9:0 Read 28672\n9:0 Write 4096\n9:0 Total 32768\nTotal 32768\n"
        )
        self.assertEqual(Traffic(7, 5, 28672, 4096), group.traffic())
        (self.blkio / "blkio.throttle.io_serviced").write_text("Total 0\n")
        (self.blkio / "blkio.throttle.io_service_bytes").write_text("Total 0\n")
        self.assertEqual(Traffic(), group.traffic())

    def test_memory_and_kills(self):
        group = self.new_group()
        (self.memory / "memory.usage_in_bytes").write_text("4096\n")
        (self.memory / "memory.oom_control").write_text(
            "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n"
        )
        self.assertEqual((4096, 2), (group.memory_bytes(), group.killed()))

    def test_what_is_missing_is_named(self):
        self.put("proc/self/cgroup", "4:memory:/\n")
        self.assertIn("'blkio'", self.refused())
        self.put("proc/self/cgroup", "7:blkio:/\n4:memory:/\n")
        (self.top / "blkio/blkio.throttle.read_iops_device").unlink()
        self.assertIn("no throttle", self.refused())

    def test_a_group_that_cannot_be_made_leaves_nothing(self):
        self.blkio.touch()
        self.assertIn("root", self.refused())
        self.assertFalse(self.memory.exists())

    def test_what_the_kernel_refuses_is_said(self):
        group = self.new_group()
        (self.memory / "memory.limit_in_bytes").mkdir()
        with self.assertRaises(DevError) as caught:
            group.limit(ALL)
        self.assertIn("memory.limit_in_bytes", str(caught.exception))

    def test_it_is_removed(self):
        group = self.new_group()
        group.remove()
        group.remove()
        self.assertFalse(self.memory.exists() or self.blkio.exists())

    def test_a_group_that_is_not_empty_is_an_error(self):
        group = self.new_group()
        (self.blkio / "left").touch()
        with mock.patch.object(cgroup, "SECONDS_TO_EMPTY", 0.1), self.assertRaises(DevError):
            group.remove()


class Version2Test(FakeTree):
    def setUp(self):
        super().setUp()
        self.put("proc/self/cgroup", "0::/user.slice/session\n")
        for name in ("", "user.slice/", "user.slice/session/"):
            self.put(f"sys/fs/cgroup/{name}cgroup.controllers", "cpu io memory pids\n")
            self.put(f"sys/fs/cgroup/{name}cgroup.subtree_control", "cpu memory\n")

    def test_the_own_group_hands_the_controllers_down(self):
        group = self.new_group()
        self.assertIsInstance(group, cgroup.GroupV2)
        self.assertEqual([self.top / "user.slice/session/bench-1"], group.folders)
        control = self.top / "user.slice/session/cgroup.subtree_control"
        self.assertEqual("+io +memory", control.read_text())

    def test_one_above_where_the_own_group_has_processes(self):
        busy = self.top / "user.slice/session/cgroup.subtree_control"
        busy.unlink()
        busy.mkdir()  # it cannot be written to
        self.assertEqual([self.top / "user.slice/bench-1"], self.new_group().folders)

    def test_what_is_handed_down_already_is_left_alone(self):
        self.put("sys/fs/cgroup/user.slice/session/cgroup.subtree_control", "io memory pids\n")
        self.new_group()
        control = self.top / "user.slice/session/cgroup.subtree_control"
        self.assertEqual("io memory pids\n", control.read_text())

    def test_without_the_controllers_all_places_are_named(self):
        for name in ("", "user.slice/", "user.slice/session/"):
            self.put(f"sys/fs/cgroup/{name}cgroup.controllers", "cpu\n")
        text = self.refused()
        self.assertEqual(3, text.count("only the controllers cpu"))
        self.assertIn("root", text)

    def test_limits(self):
        group = self.new_group()
        folder = group.folders[0]
        (folder / "memory.swap.max").touch()
        group.limit(ALL)
        wanted = {
            "memory.max": str(450 * 2**20),
            "memory.swap.max": "0",
            "io.max": "9:0 riops=1000 wiops=900 rbps=16384000 wbps=14745600",
        }
        self.assertEqual(wanted, self.written(folder))
        group.limit(Limits())
        lifted = {
            "memory.max": "max",
            "memory.swap.max": "max",
            "io.max": "9:0 riops=max wiops=max rbps=max wbps=max",
        }
        self.assertEqual(lifted, self.written(folder))

    def test_traffic_memory_and_kills(self):
        group = self.new_group()
        folder = group.folders[0]
        (folder / "io.stat").write_text("")
        self.assertEqual(Traffic(), group.traffic())
        (folder / "io.stat").write_text(
            "8:0 rbytes=1 wbytes=1 rios=1 wios=1 dbytes=0 dios=0\n"
            "9:0 rbytes=28672 wbytes=4096 rios=7 wios=5 dbytes=0 dios=0\n"
        )
        (folder / "memory.current").write_text("4096\n")
        (folder / "memory.events").write_text("low 0\nmax 7\noom 1\noom_kill 2\n")
        self.assertEqual(Traffic(7, 5, 28672, 4096), group.traffic())
        self.assertEqual((4096, 2), (group.memory_bytes(), group.killed()))


class GroupTest(FakeTree):
    def test_a_whole_disk_is_itself(self):
        (self.partition / "partition").unlink()
        number = self.data.stat().st_dev
        self.assertEqual(f"{os.major(number)}:{os.minor(number)}",
                         cgroup.device_of(self.data, self.root))  # fmt: skip

    def test_no_single_disk(self):
        next((self.root / "sys/dev/block").iterdir()).unlink()
        self.assertIn("no single disk", self.refused())

    def test_a_command_enters_all_folders_first(self):
        folders = [self.root / "a b", self.root / "c"]
        for folder in folders:
            folder.mkdir()
        group = cgroup.Group(folders, "9:0")
        command = [*group.command(), "sh", "-c", 'echo $$ "$@"', "sh", "--x", "two words"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        pid, words = done.stdout.rstrip("\n").split(" ", 1)
        self.assertEqual("--x two words", words)
        self.assertEqual({pid}, {(f / "cgroup.procs").read_text().strip() for f in folders})

    def test_a_command_that_cannot_enter_does_not_run(self):
        group = cgroup.Group([self.root / "none"], "9:0")
        done = subprocess.run([*group.command(), "echo", "ran"], capture_output=True, text=True)
        self.assertEqual((1, ""), (done.returncode, done.stdout))


def arguments(name: str, *words: str):
    parser = argparse.ArgumentParser()
    bench.add_options(bench.load(name), parser)
    return parser.parse_args(words)


class OptionsTest(unittest.TestCase):
    def test_an_operation_is_16_kilobytes_each_way(self):
        args = arguments("tpcc", "--iops", "1000", "--memory-limit", "450M")
        wanted = Limits(450 * 2**20, 1000, 1000, 16_384_000, 16_384_000)
        self.assertEqual([wanted], limits.limits_of(args))
        self.assertEqual("1,000 operations/s, 450 MB", limits.shown(wanted))

    def test_each_pair_is_one(self):
        args = arguments("tpcc", "--iops=500,1000", "--memory-limit=256M,1g")
        found = [(one.memory_bytes >> 20, one.reads) for one in limits.limits_of(args)]
        self.assertEqual([(256, 500), (256, 1000), (1024, 500), (1024, 1000)], found)

    def test_one_option_is_enough(self):
        only = limits.limits_of(arguments("tpcc", "--memory-limit", "4096K"))
        self.assertEqual([Limits(4 * 2**20)], only)
        only = limits.limits_of(arguments("tpcc", "--iops", "500"))
        self.assertEqual([Limits(0, 500, 500, 8_192_000, 8_192_000)], only)
        self.assertEqual([], limits.limits_of(arguments("tpcc")))

    def test_what_is_no_size_is_refused(self):
        for words in (["--iops", "0"], ["--iops", "1k"], ["--memory-limit", "12Q"],
                      ["--memory-limit", "0"], ["--iops", "5,,6"]):  # fmt: skip
            with (
                self.assertRaises(SystemExit, msg=words),
                contextlib.redirect_stderr(io.StringIO()),
            ):
                arguments("tpcc", *words)

    def test_only_tpcc_takes_lists(self):
        for name in ("sysbench", "linkbench", "insert"):
            one = arguments(name, "--iops", "500", "--memory-limit", "64M")
            self.assertEqual((500, 2**26), (limits.limit_of(one).reads,
                                            limits.limit_of(one).memory_bytes))  # fmt: skip
            self.assertIsNone(limits.limit_of(arguments(name)))
            with self.assertRaises(DevError):
                limits.limit_of(arguments(name, "--iops", "500,600"))
            with self.assertRaises(DevError):
                limits.limit_of(arguments(name, "--memory-limit", "1/2"))
        with self.assertRaises(DevError):
            sysbench.check(arguments("sysbench", "--iops", "500,600"))

    def test_a_cache_larger_than_the_limit_is_refused(self):
        for memory in (2**26, 2**27):
            with self.assertRaises(DevError):
                Settings(memory, limits=Limits(2**26))
        Settings(2**25, limits=Limits(2**26))
        Settings(2**30, limits=Limits(0, 1000))

    def test_sysbench_takes_them(self):
        args = arguments("sysbench", "--memory-mb=32", "--memory-limit=64M", "--iops=7")
        self.assertEqual(7, sysbench.settings_of(args).limits.reads)


FILES = 240 * 2**20


class PointsTest(unittest.TestCase):
    def points(self, *words: str):
        args = arguments("tpcc", *words)
        return tpcc_limited.points(args, args.memory_mb or (16, 48), FILES), args

    def test_without_limits_the_caches_are_swept(self):
        found, args = self.points()
        self.assertEqual([2**24, 48 * 2**20], [p.cache_bytes for p in found])
        self.assertEqual(["16 MB", "48 MB"], [p.label for p in found])
        self.assertEqual("caches of 16,48 MB", tpcc_limited.shown(found, args))

    def test_the_cache_is_a_part_of_the_limit(self):
        (direct,), _ = self.points("--memory-limit=448M")
        (buffered,), args = self.points("--memory-limit=448M", "--buffered-reads")
        sizes = [(p.cache_of("rocksdb") >> 20, p.cache_of("innodb") >> 20)
                 for p in (direct, buffered)]  # fmt: skip
        self.assertEqual([(192, 192), (64, 192)], sizes)
        self.assertEqual("limits (448 MB, cache 64 MB (InnoDB 192 MB)), buffered reads",
                         tpcc_limited.shown([buffered], args))  # fmt: skip

    def test_caches_that_were_asked_for_are_taken(self):
        found, _ = self.points("--memory-limit=448M", "--iops=5,6", "--memory-mb=32,64")
        self.assertEqual([(5, 32), (5, 64), (6, 32), (6, 64)],
                         [(p.limits.reads, p.cache_bytes >> 20) for p in found])  # fmt: skip
        with self.assertRaises(DevError):
            self.points("--memory-limit=64M", "--memory-mb=64")

    def test_a_part_of_the_files_is_memory_for_data(self):
        own = limits.SERVER_BYTES
        (direct,), _ = self.points("--memory-limit=1/2")
        self.assertEqual((own + FILES // 2, FILES // 2, FILES // 2),
                         (direct.limits.memory_bytes, direct.cache_bytes,
                          direct.innodb_bytes))  # fmt: skip
        (buffered,), _ = self.points("--memory-limit=1/2", "--buffered-reads")
        self.assertEqual(FILES // 6, buffered.cache_bytes)
        (least,), _ = self.points("--memory-limit=1/16")
        self.assertEqual(2**24, least.cache_bytes)
        self.assertIn("memory for 1/16 of the files", least.label)

    def test_sweeps(self):
        found, args = self.points("--sweep=iops=5,6", "--sweep", "memory=1/4,1/1", "--sweep=data=8")
        self.assertEqual((8,), args.data)
        wanted = [(part, n) for part in (Fraction(1, 4), Fraction(1)) for n in (5, 6)]
        self.assertEqual(wanted, [(p.part, p.limits.reads) for p in found])

    def test_sweeps_of_nothing_are_refused(self):
        for word in ("iops", "iops=", "cache=5", "memory=1/0", "memory=0/4", "data=0"):
            with (
                self.assertRaises(SystemExit, msg=word),
                contextlib.redirect_stderr(io.StringIO()) as said,
            ):
                arguments("tpcc", "--sweep", word)
            self.assertIn("--sweep", said.getvalue())

    def test_more_data_than_memory_is_for_a_part(self):
        known, limited = bars.TPCC_LIMITED_RATE, Limits(limits.SERVER_BYTES + FILES, 1000)
        for data, name in ((1, "whole"), (8, "part")):
            point = tpcc_limited.Point(1, 1, limited, Fraction(1), data)
            self.assertIs(known[name], tpcc_limited.rate_bars(point, FILES * data))

    def test_cold_starts_have_no_bars(self):
        point = tpcc_limited.Point(1, 1, ALL, cold=True)
        self.assertEqual({}, tpcc_limited.rate_bars(point, FILES))
        self.assertTrue(point.label.endswith("after a start"))

    def test_cold_starts_need_limits_and_copies(self):
        for words in (["--copies"], ["--iops=1000"], ["--iops=1000", "--copies", "--hours=1"]):
            with self.assertRaises(DevError, msg=words):
                tpcc_program.check(arguments("tpcc", "--cold", *words), (64,))
        tpcc_program.check(arguments("tpcc", "--cold", "--iops=1000", "--copies"), (64,))

    def test_what_cannot_be_measured_is_refused_before_the_load(self):
        args = arguments("tpcc", "--sweep=data=1,8")
        with self.assertRaises(DevError):
            tpcc_program.check(args, (16,))
        tpcc_program.check(arguments("tpcc"), (16,))
        args = arguments("tpcc", "--iops=5", "--prices=/nothing/here")
        with self.assertRaises(DevError):
            tpcc_program.check(args, (16,))
        args = arguments("tpcc", "--memory-limit=64M", "--memory-mb=64")
        with self.assertRaises(DevError):
            tpcc_program.check(args, (64,))

    def test_bars_by_operations_and_memory(self):
        known, files = bars.TPCC_LIMITED_RATE, 200 * 2**20
        for name, one in (
            ("whole", Limits(files, 1000)),
            ("whole", Limits(0, 1000)),
            ("part", Limits(files // 2, 1000)),
            ("part", Limits(files // 4, 3000)),
            ("few operations", Limits(files, 500)),
            ("memory alone", Limits(2**26)),
        ):
            self.assertIs(known[name], tpcc_limited.rate_bars(tpcc_limited.Point(1, 1, one), files))


class LimitedFiguresTest(unittest.TestCase):
    def turn(self, rates: list[float]) -> turns.Turn:
        intervals = [Interval(n, rate, 0, 0, 5.0) for n, rate in enumerate(rates, 1)]
        run = ScriptRun(bench_reports.outcome(100.0, len(rates)), intervals, {})
        samples = [
            Sample(1.0, Usage(0, 0, 0, 10, 20, 2**20, 2**21), 5, 7, 11),
            Sample(2.0, Usage(0, 0, 0, 30, 40, 2**22, 2**21), 5, 7, 13),
            Sample(2.0, Usage(0, 0, 0, 30, 40, 2**22, 2**21), 5, 7, 12),
        ]
        return turns.Turn(run, samples, samples[-1].used, 77)

    def test_the_disk_second_by_second(self):
        found = turns.summed([self.turn([1, 100, 100])], Usage())
        self.assertEqual([(1.0, 30.0), (2.0, 40.0)], found.curve("operations"))
        self.assertEqual([(1.0, 1.0), (2.0, 3.0)], found.curve("read"))
        self.assertEqual([(1.0, 2.0), (2.0, 0.0)], found.curve("written"))
        self.assertEqual(13, found.group_bytes)

    def test_how_even_the_seconds_are(self):
        found = turns.summed([self.turn([1, *[100.0] * 4, 40.0, 0.0, *[50.0] * 2])], Usage())
        self.assertEqual((0.0, 0.0, 1), (found.steadiness, found.slowest, found.empty_seconds))
        self.assertEqual(0.5, found.decay)
        many = turns.summed([self.turn([1, 0.0, 50.0, *[100.0] * 98])], Usage())
        self.assertEqual((0.0, 0.5), (many.steadiness, many.slowest))

    def test_the_first_seconds(self):
        cold = [self.turn([1, 10.0, 20.0, 90.0]), self.turn([1, 30.0, 40.0, 80.0])]
        found = turns.summed(cold, Usage())
        self.assertEqual((25.0, 45.0), (found.first(3), found.first(10)))

    def test_an_engine_that_stands_still(self):
        found = turns.summed([self.turn([1, 0.0, 0.0, 0.0])], Usage())
        self.assertEqual((0.0, 0.0, 3), (found.steadiness, found.decay, found.empty_seconds))

    def test_operations_a_transaction_with_what_was_owed(self):
        found = turns.summed([self.turn([1, 100])], Usage(0, 0, 0, 0, 130))
        self.assertEqual(1.0, found.per_transaction(found.used.operations))

    def test_what_the_engine_has_counted_itself(self):
        report = bench_reports.empty(tpcc_program)
        before = {"rocksdb_wal_synced": 10, "rocksdb_flush_write_bytes": 0}
        after = {"rocksdb_wal_synced": 60, "rocksdb_flush_write_bytes": 400_000}
        grown = engine_counters.grown(before, after)
        found = [replace(self.turn([1, 100]), counters=grown)] * 2
        sums = {"rocksdb": turns.summed(found, Usage()),
                "innodb": turns.summed([self.turn([1, 100])], Usage())}  # fmt: skip
        engine_counters.add(report, "x", sums)
        values = {figure.name: figure.values for figure in report.figures}
        self.assertEqual({"rocksdb": 0.25, "innodb": None},
                         values["syncs of the log, a transaction"])  # fmt: skip
        self.assertEqual(2.0, values["written by flushes, a transaction"]["rocksdb"])

    def test_both_bars_of_the_throughput_are_shown(self):
        report = bench_reports.empty(tpcc_program)
        bench_reports.add_limited(report)
        label = "1,000 operations/s, 450 MB, cache 64 MB (InnoDB 192 MB)"
        judged = [f.bar.against for f in report.figures
                  if f.part == label and f.name.startswith("transactions")]  # fmt: skip
        self.assertEqual(["innodb", "myrocks"], judged)
        sweep = report.plots[-1]
        self.assertEqual([(500, 500.0), (1000, 1000.0)], sweep.series["rocksdb"])
        self.assertIn("450 MB", sweep.title)

    def test_other_programs_show_operations_only_under_limits(self):
        report = bench_reports.empty(insert)
        limits.add_operations(report, "a row", {"rocksdb": (Usage(1.0, 5), 10)})
        self.assertEqual([], report.figures)
        limits.add_operations(report, "a row", {"rocksdb": (Usage(0, 0, 0, 5, 15), 10)})
        self.assertEqual({"rocksdb": 2.0}, report.figures[0].values)


class ClientThreadsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.threads = ClientThreads()

    def thread(self, pid: int, thread: int, read: int, written: int) -> None:
        file = self.root / f"proc/{pid}/task/{thread}/io"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(
            f"rchar: 1\nsyscr: 2\nsyscw: {written}\nread_bytes: {read}\nwrite_bytes: {written}\n"
        )

    def look(self, pid: int, *threads: int) -> tuple[int, int]:
        server = SimpleNamespace(pid=pid, query=lambda _: [(thread,) for thread in threads])
        self.threads.look(server, self.root)
        return self.threads.total.read_bytes, self.threads.total.written_bytes

    def test_only_threads_that_have_served_a_client_count(self):
        for number in (1, 2, 3):
            self.thread(100, number, 10 * number, number)
        self.assertEqual((40, 4), self.look(100, 1, 3))
        self.assertEqual(8, self.threads.total.calls)
        self.thread(100, 1, 15, 1)
        self.thread(100, 2, 28, 2)
        self.assertEqual((45, 4), self.look(100, 3))

    def test_what_one_did_before_it_served_a_client_was_background_work(self):
        self.thread(100, 1, 1000, 1000)
        self.assertEqual((0, 0), self.look(100))
        self.thread(100, 1, 1007, 1001)
        self.assertEqual((7, 1), self.look(100, 1))

    def test_one_that_has_ended_keeps_what_it_had(self):
        self.thread(100, 1, 10, 1)
        self.look(100, 1)
        (self.root / "proc/100/task/1/io").unlink()
        self.assertEqual((10, 1), self.look(100))

    def test_a_server_that_is_gone_is_an_error_that_the_sampler_knows(self):
        def query(_):
            raise pymysql.err.OperationalError(2013, "lost")

        with self.assertRaises(OSError):
            self.threads.look(SimpleNamespace(pid=100, query=query), self.root)

    def test_another_process_begins_anew(self):
        self.thread(100, 1, 10, 1)
        self.thread(200, 1, 3, 4)
        self.look(100, 1)
        self.assertEqual((3, 4), self.look(200, 1))


def rate_in(part: str) -> str:
    """Of the title of a table of prices."""
    return part.partition("volume for ")[2].split()[0].replace(",", "")


class PricesTest(unittest.TestCase):
    def test_steps(self):
        volume = prices.Volume("v", 0.1, ((3000, 0.0), (5000, 0.01)))
        self.assertEqual(1.0, volume.dollars(10 * 10**9, 2000))
        self.assertAlmostEqual(11.0, volume.dollars(10 * 10**9, 4000))
        self.assertAlmostEqual(20.0, volume.dollars(0, 5000))
        self.assertIsNone(volume.dollars(0, 5001))

    def test_the_price_list(self):
        by_name = {volume.name: volume for volume in prices.volumes()}
        self.assertAlmostEqual(0.8 + 35, by_name["AWS gp3"].dollars(10**10, 10_000))
        for volume in by_name.values():
            ends = [most for most, _ in volume.steps]
            self.assertEqual(sorted(set(ends)), ends)

    def test_large_operations_are_several(self):
        self.assertEqual(30, prices.operations(Usage(0, 0, 0, 10, 20, 16384, 16384)))
        self.assertEqual(96, prices.operations(Usage(0, 0, 0, 10, 20, 2**20, 2**19)))

    def test_each_engine_is_priced_for_the_rate_of_the_first(self):
        report = bench_reports.empty(tpcc_program)
        bench_reports.add_limited(report)
        found = [f for f in report.figures if f.name == "AWS gp3"]
        self.assertEqual([500, 1000], [int(rate_in(f.part)) for f in found])
        self.assertEqual(set(report.engines), set(found[0].values))

    def test_without_the_first_there_are_no_prices(self):
        report = bench_reports.empty(tpcc_program)
        point = tpcc_limited.Point(1, 1, Limits(2, 5, 5))
        tpcc_limited.add_prices(report, point, {}, prices.FILE)
        self.assertEqual([], report.figures)

    def test_a_list_of_ones_own(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "prices.json"
            file.write_text('{"volumes": [{"name": "v", "gigabyte": 1, "steps": [[9, 2]]}]}')
            self.assertEqual(13.0, prices.volumes(file)[0].dollars(3 * 10**9, 5))
            for text in ("{}", "no", '{"volumes": [{"name": "v"}]}', '{"volumes": 1}'):
                file.write_text(text)
                with self.assertRaises(DevError, msg=text):
                    prices.volumes(file)
        with self.assertRaises(DevError):
            prices.volumes(file)


class LimitedContenderTest(unittest.TestCase):
    """The order of what happens, with a server and a group that note it."""

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.noted: list = []
        self.group = SimpleNamespace(
            command=lambda: ["enter"],
            limit=lambda one: self.noted.append(one),
            remove=lambda: self.noted.append("remove"),
        )
        self.enterContext(mock.patch.object(cgroup, "new_group", return_value=self.group))

    def contender(self, limited: Limits | None) -> contenders.Contender:
        made = contenders.Contender("innodb", self.folder, Settings(2**24, limits=limited))
        server = made.server
        server.start = lambda: self.noted.append(server.command()[0])
        server.stop = lambda: self.noted.append("stop")
        return made

    def test_limits_hold_only_from_limit_on(self):
        with self.contender(ALL) as found:
            found.limit()
            found.restart(2**23, Limits(2**25))
            found.limit()
        nothing = Limits()
        self.assertEqual(
            ["enter", ALL, nothing, "stop", "enter", Limits(2**25), nothing, "stop", "remove"],
            self.noted,
        )

    def test_a_cold_start_is_under_the_limits(self):
        with self.contender(Limits()) as found:
            found.restart(2**23, Limits(2**25), limited=True)
        nothing = Limits()
        self.assertEqual(
            ["enter", nothing, "stop", Limits(2**25), "enter", nothing, "stop", "remove"],
            self.noted,
        )

    def test_a_server_that_does_not_start_leaves_no_group(self):
        found = self.contender(ALL)
        found.server.start = mock.Mock(side_effect=DevError("no"))
        with self.assertRaises(DevError), found:
            pass
        self.assertEqual(["remove"], self.noted)

    def test_without_limits_there_is_no_group(self):
        with self.contender(None) as found:
            found.limit()
            self.assertEqual(0, found.group_bytes())
        self.assertEqual(2, len(self.noted))
        self.assertNotIn("enter", self.noted)

    def test_files_leave_the_page_cache(self):
        file = self.folder / "file"
        file.write_bytes(b"x" * 8192)
        contenders.forget(file)
        self.assertEqual(b"x" * 8192, file.read_bytes())


class WordsTest(unittest.TestCase):
    def test_words_have_the_asked_lengths_and_compress(self):
        script = (
            f"package.path = '{sysbench_tool.SCRIPTS}/?.lua;' .. package.path\n"
            "local random = require('random')\n"
            "function event()\n"
            "  random.seed(1, 0)\n"
            "  for i = 1, 200 do\n"
            "    print('words: ' .. random.words(24) .. '|' .. random.words(300, 500) .. '|')\n"
            "    print('random: ' .. random.text(24) .. '|' .. random.text(300, 500) .. '|')\n"
            "  end\n"
            "end\n"
        )
        with tempfile.NamedTemporaryFile("w", suffix=".lua") as file:
            file.write(script)
            file.flush()
            output = sysbench_tool.call(
                [sysbench_tool.program(), file.name, "--events=1", "--time=0", "run"]
            )
        for kind in ("words", "random"):
            lines = [line for line in output.splitlines() if line.startswith(kind)]
            self.assertEqual(200, len(lines))
            for line in lines:
                short, long, _ = line.partition(": ")[2].split("|")
                self.assertEqual(24, len(short))
                self.assertTrue(300 <= len(long) <= 500)
        self.assertLess(self.packed(output, "words"), 0.4)
        self.assertGreater(self.packed(output, "random"), 0.7)

    def packed(self, output: str, kind: str) -> float:
        """Compressed over plain."""
        import zlib

        plain = "".join(line for line in output.splitlines() if line.startswith(kind)).encode()
        return len(zlib.compress(plain)) / len(plain)

    def test_the_load_is_told(self):
        called: list[list[str]] = []
        contender = SimpleNamespace(
            new_database=lambda: None, server=SimpleNamespace(socket=Path("/s"))
        )
        with mock.patch.object(sysbench_tool, "call", called.append):
            tpcc.create_and_fill(contender, 1, 1, "", "words")
            tpcc.create_and_fill(contender, 1, 1, "")
        texts = [word for words in called for word in words if word.startswith("--texts")]
        self.assertEqual(["--texts=words", "--texts=random"], texts)


if __name__ == "__main__":
    unittest.main()
