# SPDX-License-Identifier: GPL-2.0-only
"""kill -9 under load; afterwards every acknowledged commit must be there, and nothing else.

Half of the kills run with the binary log, half without. A third as many more meet a load of DDL,
and as many again single statements, each before a file operation of its own: DDL, and every way to
commit, with the binary log and without; and background threads while the space of dropped indexes
comes back. `--all-points` for all there are. The seed fixes what the
clients do and when the server is killed, but not how the threads fall: a failure need not repeat at
once.
"""

import shutil
from random import SystemRandom

from tests.crash.cascade_harness import CascadeHarness
from tests.crash.commit_points import CommitPoints
from tests.crash.ddl_harness import DdlHarness
from tests.crash.ddl_points import DdlPoints
from tests.crash.foreign_key_points import ForeignKeyPoints
from tests.crash.harness import Harness
from tests.crash.installed_points import InstalledPoints
from tests.crash.point_harness import PointHarness
from tests.crash.reclaim_points import ReclaimPoints
from tests.kit import kill_point
from tests.kit.tier_result import TierResult
from tools import paths
from tools.errors import DevError

HELP = "kill -9 under load: nothing acknowledged is lost"

KILLS, LONG_KILLS = 30, 200

# What other engines cannot be asked: InnoDB has no second engine to install, no reclaimer, and no
# view of foreign keys of its own; MyRocks has no foreign keys.
MISSING = {
    "innodb": (InstalledPoints, ReclaimPoints, ForeignKeyPoints),
    "myrocks": (CascadeHarness, ForeignKeyPoints),
}


def add_arguments(group) -> None:
    group.add_argument("--kills", type=int, help=f"how many (default {KILLS}, long {LONG_KILLS})")
    group.add_argument(
        "--seconds-per-kill", type=float, default=1.2, help="average load before a kill"
    )
    group.add_argument(
        "--all-points",
        action="store_true",
        help="statements are killed before each of their file operations, not before some",
    )


def run(args) -> TierResult:
    seed = args.seed if args.seed is not None else SystemRandom().randrange(2**31)
    kills = args.kills or (LONG_KILLS if args.long else KILLS)
    cascades = kills if args.long else (kills + 6) // 8
    engine = getattr(args, "engine", "rocksdb")
    repeat = f"./dev test crash --seed {seed} --kills {kills}"
    print(f"   seed {seed}: {kills} kills")
    result = TierResult("crash", 0, 0, repeat_command=repeat)
    folder = paths.scratch() / "crash"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    harnesses = []
    points = None if args.all_points else (kills + 2) // 3
    for name, kind, binlog, share in (
        ("binlog", Harness, True, (kills + 1) // 2),
        ("no-binlog", Harness, False, kills // 2),
        ("cascades-binlog", CascadeHarness, True, (cascades + 1) // 2),
        ("cascades-no-binlog", CascadeHarness, False, cascades // 2),
        ("ddl", DdlHarness, True, (kills + 2) // 3),
        ("ddl-points", DdlPoints, True, points),
        ("foreign-key-points", ForeignKeyPoints, True, points and (points + 1) // 2),
        ("commit-points", CommitPoints, True, points),
        ("commit-points-no-binlog", CommitPoints, False, points),
        ("reclaim-points", ReclaimPoints, False, points),
        ("installed-points", InstalledPoints, False, None),
    ):
        if args.filter and args.filter not in name:
            continue
        if engine in MISSING and kind in MISSING[engine]:
            continue
        if issubclass(kind, PointHarness) and not args.no_build:
            kill_point.build_library()
        harness = kind(folder / name, engine, binlog, seed + binlog, args.seconds_per_kill)
        harnesses.append(harness)
        run_harness(harness, name, share, result)
    report(harnesses, seed, result)
    return result


def run_harness(harness: Harness, name: str, kills: int | None, result: TierResult) -> None:
    try:
        harness.prepare()
        if isinstance(harness, PointHarness):
            kills = harness.plan_kills(kills)
        for number in range(1, kills + 1):
            known = len(harness.problems)
            print(f"   {name} {number}/{kills}: {harness.round()}")
            if len(harness.problems) == known:
                result.passed += 1
        harness.problems += harness.finish()
    except DevError as error:
        result.failed += 1
        result.failures.append(f"{name}: {str(error).splitlines()[0]}")
        print(f"   {name}: {error}")
    finally:
        harness.server.kill()
    result.failed += len(harness.problems)
    result.failures += [f"{name}: {p}".splitlines()[0] for p in harness.problems]


def report(harnesses: list[Harness], seed: int, result: TierResult) -> None:
    def total(name: str) -> int:
        return sum(h.total(name) for h in harnesses)

    problems = [p for h in harnesses for p in h.problems]
    kills = sum(h.kills for h in harnesses)
    double = sum(h.double_kills for h in harnesses)
    print(f"   seed: {seed}, kills: {kills}, and {double} more during the restart")
    print(f"   acknowledged: {total('acknowledged')}, lock conflicts: {total('retried')}")
    print(f"   in flight: {total('in_flight')}, of these whole: {total('in_flight_whole')}")
    for kind, text in (
        ("extra", "extra"),
        ("half", "by half"),
        ("orphan", "orphans"),
        ("broken", "broken"),
    ):
        print(f"   {text}: {sum(p.kind == kind for p in problems)}")
    if result.failed:
        print(
            f"   data directories are kept: {', '.join(str(h.server.datadir) for h in harnesses)}"
        )
    print(f"   lost: {sum(p.kind == 'lost' for p in problems)}")
