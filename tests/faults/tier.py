# SPDX-License-Identifier: GPL-2.0-only
"""Disks that fail or fill, without a server and under one.

The engine alone runs on a file system that fails on demand (tests/faults): the 1st, 2nd, 3rd ...
I/O of every operation that writes, until it succeeds; the short form takes the later I/Os of an
operation in growing steps, --long every one. Servers run on a small file system that fills up while
something is under way (tests/faults), and on damaged logs. Each line says what was tried.
"""

import json
import os
import random
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pymysql

from tests.faults import broken_disk, damaged_files, ddl_power_cuts, full_disk, sudden_death
from tests.faults.cascade_power_cuts import CUTS, LONG_CUTS, CascadePowerCuts
from tests.faults.constraint_power_cuts import cut_constraints
from tests.faults.ddl_sync_points import SHORT, SyncPoints
from tests.kit import kill_point
from tests.kit.gtest_report import count_report
from tests.kit.loop_disk import LoopDisk
from tests.kit.small_disk import SmallDisk
from tests.kit.tier_result import TierResult
from tools import paths
from tools.errors import DevError
from tools.server import PrivateServer

HELP = "disks that fail or fill: nothing acknowledged is lost, a full disk heals in place"

BINARY = "basalt_faults_test"
TIMEOUT, LONG_TIMEOUT = 400, 3600  # seconds; an operation that hangs is a failure
SHARDS = 5


def run(args) -> TierResult:
    again = [f"--filter {args.filter}"] if args.filter else []
    again += ["--long"] if args.long else []
    result = TierResult("faults", 0, 0, repeat_command=" ".join(["./dev test faults", *again]))
    shards = start_failing_ios(args)
    run_full_disk(args, result)
    run_damaged_files(args, result)
    run_broken_disk(args, result)
    run_sudden_deaths(args, result)
    run_ddl_power_cuts(args, result)
    for binary_log in (False, True):
        run_cascade_power_cuts(binary_log, args, result)
        run_ddl_sync_points(binary_log, args, result)
    for shard in shards:
        shard.finish(result)
    print(f"   lost: {'see above' if result.failed else 0}")
    return result


# --- without a server ---


def start_failing_ios(args) -> list["Shard"]:
    """The tests wait most of the time, so they run in several processes, beside the servers."""
    binary = paths.build_dir() / "tests" / BINARY
    if not binary.is_file():
        raise DevError(f"missing: {binary}; run ./dev build --tests")
    return [Shard(binary, number, args) for number in range(SHARDS)]


class Shard:
    """One process with a part of the tests."""

    def __init__(self, binary: Path, number: int, args):
        self.end = time.monotonic() + (LONG_TIMEOUT if args.long else TIMEOUT)
        self.report = binary.with_name(f"{BINARY}-{number}.json")
        self.report.unlink(missing_ok=True)
        self.output = binary.with_name(f"{BINARY}-{number}.txt")
        command = [str(binary), f"--gtest_output=json:{self.report}"]
        if args.filter:
            command.append(f"--gtest_filter=*{args.filter}*")
        environment = {
            **os.environ,
            "GTEST_TOTAL_SHARDS": str(SHARDS),
            "GTEST_SHARD_INDEX": str(number),
            **({"BASALT_LONG": "1"} if args.long else {}),
        }
        with open(self.output, "w") as output:
            self.process = subprocess.Popen(
                command, stdout=output, stderr=subprocess.STDOUT, env=environment
            )

    def finish(self, result: TierResult) -> None:
        failed_before = result.failed
        try:
            status = self.process.wait(max(1.0, self.end - time.monotonic()))
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait()
        if self.report.is_file():
            count_report(result, json.loads(self.report.read_text()), BINARY, "release")
        if status != 0 and result.failed == failed_before:
            result.failed += 1
            result.failures.append(f"{BINARY} ended with status {status}, see {self.output}")
        for line in self.output.read_text(errors="replace").splitlines():
            if result.failed > failed_before or line.startswith("   io: "):
                print(line)


# --- under a server ---


def run_full_disk(args, result: TierResult) -> None:
    """Every scenario with the binary log, which means two-phase commit; the commits without too."""
    why_not = SmallDisk.why_not()
    for name, options, scenarios in (
        (
            "binlog",
            ("--log-bin", "--server-id=1", *NO_RESERVE),
            (*full_disk.SCENARIOS, full_disk.rotation),
        ),
        ("no binlog", NO_RESERVE, (full_disk.commits, full_disk.large_insert)),
        ("reserve", (), (full_disk.low_space, full_disk.start)),
    ):
        chosen = [s for s in scenarios if not args.filter or args.filter in s.__name__]
        if chosen and why_not:
            result.skipped += len(chosen)
            print(f"   full disk, {name}: skipped: {why_not}")
        elif chosen:
            run_scenarios(name, options, chosen, result)


NO_RESERVE = ("--rocksdb-reserved-free-space=0",)


def run_scenarios(
    name: str, options: tuple[str, ...], scenarios: list[Callable], result: TierResult
) -> None:
    folder = paths.scratch() / "faults" / name.replace(" ", "-")
    shutil.rmtree(folder, ignore_errors=True)
    with SmallDisk(folder / "disk", full_disk.MEGABYTES) as disk:
        store = f"--rocksdb-datadir={disk.path}/store"
        server = PrivateServer(folder / "data", "rocksdb", [*full_disk.OPTIONS, store, *options])
        with ending(f"full disk, {name}", server, result):
            server.start()
            full_disk.set_up(server)
            for scenario in scenarios:
                run_one(f"full disk, {name}: {scenario.__name__}", scenario, server, disk, result)
    if not result.failed:
        shutil.rmtree(folder, ignore_errors=True)


def run_damaged_files(args, result: TierResult) -> None:
    scenarios = [s for s in damaged_files.SCENARIOS if not args.filter or args.filter in s.__name__]
    if not scenarios:
        return
    folder = paths.scratch() / "faults" / "damaged"
    shutil.rmtree(folder, ignore_errors=True)
    server = PrivateServer(folder, "rocksdb")
    with ending("damaged files", server, result):
        server.start()
        damaged_files.set_up(server)
        for scenario in scenarios:
            run_one(f"damaged files: {scenario.__name__}", scenario, server, None, result)
    if not result.failed:
        shutil.rmtree(folder, ignore_errors=True)


def run_broken_disk(args, result: TierResult) -> None:
    scenarios = [s for s in broken_disk.SCENARIOS if not args.filter or args.filter in s.__name__]
    why_not = LoopDisk.why_not() if scenarios else ""
    if why_not:
        result.skipped += len(scenarios)
        print(f"   broken disk: skipped: {why_not}")
        return
    for scenario in scenarios:  # each on a disk of its own: an I/O error may leave traces in it
        folder = paths.scratch() / "faults" / "broken"
        shutil.rmtree(folder, ignore_errors=True)
        with broken_disk.BrokenDisk(folder / "disk") as disk:
            options = [f"--rocksdb-datadir={disk.path}/store"]
            server = PrivateServer(folder / "data", "rocksdb", options)
            try:
                server.start()
                broken_disk.set_up(server)
                run_one(f"broken disk: {scenario.__name__}", scenario, server, disk, result)
            finally:
                server.kill()
        if not result.failed:
            shutil.rmtree(folder, ignore_errors=True)


def run_sudden_deaths(args, result: TierResult) -> None:
    """Each case of sudden_death twice, on a disk whose power can be cut."""
    chosen = [
        (case, machine, f"death of the {'machine' if machine else 'process'}, {case.name}")
        for case in sudden_death.CASES
        for machine in (False, True)
    ]
    chosen = [c for c in chosen if not args.filter or args.filter in c[2]]
    why_not = LoopDisk.why_not() if chosen else ""
    if why_not:
        result.skipped += len(chosen)
        print(f"   sudden deaths: skipped: {why_not}")
        return
    for binary_log in (False, True):
        cases = [c for c in chosen if c[0].binary_log == binary_log]
        if cases:
            run_deaths(cases, binary_log, args, result)


def run_deaths(cases: list, binary_log: bool, args, result: TierResult) -> None:
    folder = paths.scratch() / "faults" / "deaths"
    shutil.rmtree(folder, ignore_errors=True)
    seconds = sudden_death.LONG_SECONDS if args.long else sudden_death.SECONDS
    options = ("--log-bin=log", "--server-id=1") if binary_log else ()
    with LoopDisk(folder / "disk", sudden_death.MEGABYTES) as disk:
        server = PrivateServer(disk.path / "data", "rocksdb", options)
        try:
            server.start()
            for case, machine, name in cases:
                found = sudden_death.die(case, machine, seconds, server, disk)
                result.passed += 1
                print(f"   {name}: {found}")
        except (AssertionError, DevError, pymysql.MySQLError) as error:
            fail(name, error, result)
        finally:
            server.kill()
    if not result.failed:
        shutil.rmtree(folder, ignore_errors=True)


def run_ddl_power_cuts(args, result: TierResult) -> None:
    """Each statement of ddl_power_cuts; in the long form its cuts at any moment, too."""
    cuts = ddl_power_cuts
    chosen = [
        (f"power cut after {case.name}", partial(cuts.cut_after, case))
        for case in cuts.CASES
        if args.long or case.short
    ]
    for number in range(cuts.ROUNDS if args.long else 0):
        table = (cuts.PLAIN, cuts.HASHED)[number % 2]
        anywhere = partial(cuts.cut_anywhere, table, random.Random(number))
        chosen.append((f"power cut during DDL, {number}", anywhere))
        constraints = partial(cut_constraints, random.Random(number))
        chosen.append((f"power cut during DDL of foreign keys, {number}", constraints))
    chosen = [c for c in chosen if not args.filter or args.filter in c[0]]
    why_not = LoopDisk.why_not() if chosen else ""
    if why_not:
        result.skipped += len(chosen)
        print(f"   power cuts and DDL: skipped: {why_not}")
    if why_not or not chosen:
        return
    folder = paths.scratch() / "faults" / "ddl-power-cuts"
    shutil.rmtree(folder, ignore_errors=True)
    with LoopDisk(folder / "disk", cuts.MEGABYTES) as disk:
        server = PrivateServer(disk.path / "data", "rocksdb")
        with ending("power cuts and DDL", server, result):
            server.start()
            for name, cut in chosen:
                run_one(name, cut, server, disk, result)
    if not result.failed:
        shutil.rmtree(folder, ignore_errors=True)


def run_cascade_power_cuts(binary_log: bool, args, result: TierResult) -> None:
    """Power cuts under a load of cascades; half of them with a binary log."""
    title = "power cuts under cascades" + (", binary log" if binary_log else "")
    if args.filter and args.filter not in title:
        return
    if why_not := LoopDisk.why_not():
        result.skipped += 1
        print(f"   {title}: skipped: {why_not}")
        return
    folder = paths.scratch() / "faults" / f"cascade-power-cuts-{binary_log:d}"
    shutil.rmtree(folder, ignore_errors=True)
    seed = args.seed if args.seed is not None else random.SystemRandom().randrange(2**31)
    cuts = (LONG_CUTS if args.long else CUTS) // 2
    with LoopDisk(folder / "disk", sudden_death.MEGABYTES) as disk:
        load = CascadePowerCuts(disk, binary_log, seed)
        with ending(title, load.server, result):
            load.prepare()
            for number in range(1, cuts + 1):
                run_one(f"{title}, seed {seed}, {number}", load.cut, load.server, disk, result)
            print(f"   {title}: {load.told()}")
    if not result.failed:
        shutil.rmtree(folder, ignore_errors=True)


def run_ddl_sync_points(binary_log: bool, args, result: TierResult) -> None:
    """Power cuts before each sync of the statements of ddl_power_cuts."""
    title = "power cuts before syncs" + (", binary log" if binary_log else "")
    chosen = [
        (f"{title}: {case.name}", case)
        for case in ddl_power_cuts.CASES
        if (args.long or case.name in SHORT[binary_log])
        and (not args.filter or args.filter in f"{title}: {case.name}")
    ]
    why_not = LoopDisk.why_not() if chosen else ""
    if why_not:
        result.skipped += len(chosen)
        print(f"   {title}: skipped: {why_not}")
    if why_not or not chosen:
        return
    if not args.no_build:
        kill_point.build_library()
    folder = paths.scratch() / "faults" / f"ddl-sync-points-{binary_log:d}"
    shutil.rmtree(folder, ignore_errors=True)
    with LoopDisk(folder / "disk", ddl_power_cuts.MEGABYTES) as disk:
        points = SyncPoints(folder, binary_log)
        data = disk.path / "data"
        server = PrivateServer(data, "rocksdb", points.options, environment=points.environment)
        with ending(title, server, result):
            server.start()
            for name, case in chosen:
                run_one(name, partial(points.cut_before_each, case), server, disk, result)
    if not result.failed:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def ending(name: str, server: PrivateServer, result: TierResult) -> Iterator[None]:
    """Kills the server at the end; what no scenario has caught is a failure of `name`."""
    try:
        yield
    except DevError as error:
        fail(name, error, result)
    finally:
        server.kill()


def run_one(
    name: str,
    scenario: Callable[..., str | None],
    server: PrivateServer,
    disk: SmallDisk | LoopDisk | broken_disk.BrokenDisk | None,
    result: TierResult,
) -> None:
    started = time.monotonic()
    try:
        tried = scenario(*((server, disk) if disk else (server,)))
        if not server.running():
            raise AssertionError(f"the server died:\n{server.log_tail()}")
    except (AssertionError, DevError, pymysql.MySQLError) as error:
        fail(name, error, result)
        if isinstance(disk, broken_disk.BrokenDisk):
            return  # the next scenario has a server of its own
        if isinstance(disk, SmallDisk):
            disk.free()
        server.kill()
        server.start()
    else:
        result.passed += 1
        what = f"{tried}, " if tried else ""
        print(f"   {name}: {what}passed in {time.monotonic() - started:.1f} s")


def fail(name: str, error: Exception, result: TierResult) -> None:
    result.failed += 1
    result.failures.append(f"{name}: {str(error).splitlines()[0]}")
    print(f"   {name}: FAILED: {error}")
