# SPDX-License-Identifier: GPL-2.0-only
"""Foreign keys on ROCKSDB and InnoDB in one server; see README.md. --filter takes the name of a
part, or a piece of PART/CASE; --engine innodb runs InnoDB beside itself, which tests the tests."""

import shutil
import time
from pathlib import Path

from tests.foreign_keys import applications, cases, history, races, renames, schedules
from tests.foreign_keys.case_runner import CaseRunner
from tests.foreign_keys.schemas import Schemas
from tests.foreign_keys.sessions import Sessions
from tests.kit.printable import printable
from tests.kit.side_by_side.server_options import ENGINE_OPTIONS, OPTIONS
from tests.kit.tier_result import TierResult
from tools import paths
from tools.errors import DevError
from tools.server import PrivateServer

HELP = "foreign keys beside InnoDB: definitions, rows, random histories, sessions, applications"
HERE = Path(__file__).parent
HISTORIES, LONG_HISTORIES = 120, 10_000
SCHEDULES, LONG_SCHEDULES = 400, 10_000
SECONDS, LONG_SECONDS = 40, 7200  # for histories, and for schedules
RACE_SECONDS, LONG_RACE_SECONDS = 2.5, 60  # for each isolation level
MOST_FAULTS = 5
MORE_OPTIONS = ["--innodb-file-per-table=0", "--sync-frm=0"]  # makes tables in half of the time


def run(args) -> TierResult:
    result = TierResult("foreign-keys", 0, 0)
    if args.engine not in ("rocksdb", "innodb"):
        raise DevError("foreign keys are tested on rocksdb and innodb")
    folder = paths.scratch() / "foreign-keys"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    options = OPTIONS + ENGINE_OPTIONS[args.engine] + MORE_OPTIONS
    if args.seed is None:
        all_cases(args, options, result, folder)
    if chosen("random", args):
        run_random(args, options, result, folder)
    if any(chosen(part, args) for part in ("sessions", "races", "renames")):
        with PrivateServer(folder / "sessions", args.engine, options) as server:
            if chosen("sessions", args):
                run_sessions(server, args, result)
            if chosen("races", args):
                run_races(server, args, result)
            if chosen("renames", args):
                run_renames(server, args, result)
            look_at_log(server, result)
    if args.seed is None and not args.rewrite and applications.chosen(args.filter):
        run_applications(args, result, folder)
    return result


def all_cases(args, options: list[str], result: TierResult, folder: Path) -> None:
    parts = {part: choose(part, args) for part in ("definitions", "rows")}
    if any(parts.values()):
        with PrivateServer(folder / "data", args.engine, options) as server:
            for part, found in parts.items():
                run_cases(server, part, found, args, result, folder)


def chosen(part: str, args) -> bool:
    """Of a part without cases: is it to run? A seed is one of a history, unless --filter says
    otherwise."""
    if args.rewrite:
        return False
    if args.seed is not None and not args.filter:
        return part == "random"
    return not args.filter or args.filter in part


def repeat(args, name: str) -> str:
    engine = "" if args.engine == "rocksdb" else f" --engine {args.engine}"
    return f"./dev test foreign-keys{engine} --filter '{name}'"


def share(args, short: int, long: int) -> tuple[int, int, float]:
    """The first seed, how many, and for how many seconds at most."""
    seconds = args.seconds or (LONG_SECONDS if args.long else SECONDS)
    if args.seed is not None:
        return args.seed, args.cases or 1, seconds
    return 1, args.cases or (long if args.long else short), seconds


def run_random(args, options: list[str], result: TierResult, folder: Path) -> None:
    command = repeat(args, "random")
    first, count, seconds = share(args, HISTORIES, LONG_HISTORIES)
    campaign = history.Campaign(args.engine, options, folder, command)
    report = campaign.run(first, count, seconds, MOST_FAULTS)
    result.passed += report.histories - len(report.faults)
    for seed, why in campaign.known.items():
        if first <= seed < first + count:
            result.skipped += 1
            print(f"   random, seed {seed}: skipped: {why}")
    for seed, what, text in report.faults:
        fail(result, f"random, seed {seed}", f"{what}\n{text}", f"{command} --seed {seed}")
    print(
        f"   random: {report.histories} histories from seed {first}, {report.statements} statements"
        f" on each engine, {report.refused} of them refused; {report.cut_short} histories ended"
        " early, by what InnoDB is known to do"
    )


def run_sessions(server, args, result: TierResult) -> None:
    command = repeat(args, "sessions")
    first, count, seconds = share(args, SCHEDULES, LONG_SCHEDULES)
    sessions, deadline = Sessions(server, args.engine), time.monotonic() + seconds
    report = sessions.report
    for seed in range(first, first + count):
        sessions.run(schedules.make(seed, args.engine == "rocksdb"))
        if time.monotonic() > deadline or len(report.faults) >= MOST_FAULTS:
            break
    result.passed += report.schedules - len(report.faults)
    for seed, text in report.faults:
        fail(result, f"sessions, seed {seed}", text, f"{command} --seed {seed}")
    print(
        f"   sessions: {report.schedules} schedules from seed {first}: a session waited in"
        f" {report.waited}, was refused in {report.refused}, lost to a lock in {report.lost},"
        f" passed over a row because of one in {report.passed_over};"
        f" as on InnoDB: {report.alike}"
    )


def run_races(server, args, result: TierResult) -> None:
    seconds = args.seconds or (LONG_RACE_SECONDS if args.long else RACE_SECONDS)
    for level in races.settings(args.engine):
        race = races.Race(server, args.engine, level)
        race.run(args.seed or 1, seconds)
        if race.problems:
            what = "\n     ".join(race.problems[:10])
            fail(result, f"races, {level}", what, repeat(args, "races"))
        else:
            result.passed += 1
        print(f"   races, {level}: {race.told()}")


def run_renames(server, args, result: TierResult) -> None:
    part = renames.Renames(server, args.engine)
    part.run()
    if part.problems:
        fail(result, "renames", "\n     ".join(part.problems), repeat(args, "renames"))
    else:
        result.passed += len(renames.CASES) + len(renames.SWAPS)


def run_applications(args, result: TierResult, folder: Path) -> None:
    part = applications.Applications(
        folder / "applications",
        1,
        args.long,
        lambda line: print(f"   applications: {line}"),
        args.engine,
        args.filter,
    )
    part.run()
    result.passed += part.checks
    for name, text in part.problems:
        fail(result, name, text, repeat(args, name))


def look_at_log(server, result: TierResult) -> None:
    errors = [line for line in server.log().splitlines() if "[ERROR]" in line]
    for line in errors[:MOST_FAULTS]:
        fail(result, "the server's log", line, "./dev test foreign-keys --filter races")


def fail(result: TierResult, name: str, what: str, command: str) -> None:
    result.failed += 1
    result.failures.append(f"{name}: {printable(what.splitlines()[0][:150])}")
    result.repeat_command = result.repeat_command or command
    print(printable(f"   {name}: {what}\n     repeat: {command}"))


def choose(part: str, args) -> list[tuple[str, cases.Case]]:
    """The cases of a folder of files, with their names."""
    found = [(f"{part}/{case.name}", case) for case in cases.read_folder(HERE / part)]
    return [(name, case) for name, case in found if not args.filter or args.filter in name]


def run_cases(server, part: str, found, args, result: TierResult, folder: Path) -> None:
    sides = [
        Schemas(server, engine, f"fk_{place}", folder=folder / place)
        for place, engine in (("tested", args.engine), ("peer", "innodb"))
    ]
    runner = CaseRunner(*sides, rewrites=args.rewrite)
    for name, case in found:
        problem = runner.run(case)
        if problem is None:
            result.passed += 1
            continue
        fail(result, name, str(problem), repeat(args, name))
        if not server.running():
            print(server.log_tail(60))
            server.start()
    if args.rewrite:
        for file, answers in runner.answers.items():
            cases.rewrite(file, answers)
    print(f"   {part}: {len(found)} cases, {runner.statements} statements on each engine")
