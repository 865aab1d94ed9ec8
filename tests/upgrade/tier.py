# SPDX-License-Identifier: GPL-2.0-only
"""Directories of stock MyRocks are opened in place, changed, and given back."""

import shutil
import time
from random import SystemRandom

from tests.kit.tier_result import TierResult
from tests.upgrade.accidents import Accidents
from tests.upgrade.inplace import InPlace
from tests.upgrade.lifetimes import Lifetimes
from tests.upgrade.other_server import OtherServer
from tests.upgrade.refusals import CASES, Refusals
from tests.upgrade.roundtrip import RoundTrip
from tests.upgrade.wayback import WayBack
from tools import paths
from tools.errors import DevError

HELP = "directories of stock MyRocks: opened in place, changed, given back"

# random tables that the round trip takes over the border each way, at the least
ROUND_TRIP, LONG_ROUND_TRIP = 200, 900


def run(args) -> TierResult:
    seed = args.seed if args.seed is not None else SystemRandom().randrange(2**31)
    result = TierResult("upgrade", 0, 0)
    result.repeat_command = f"./dev test upgrade --seed {seed}" + (" --long" if args.long else "")
    print(f"   seed {seed}")
    folder = paths.scratch() / "upgrade"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    parts = {
        "in place": lambda: in_place(folder / "inplace", seed, args.long, result),
        "accidents": lambda: accidents(folder / "accidents", result),
        "round trip": lambda: round_trip(folder / "roundtrip", seed, args.long, result),
        "lifetimes": lambda: lifetimes(folder / "lifetimes", result),
        "way back": lambda: way_back(folder / "wayback", result),
        "refusals": lambda: refusals(folder / "refusals", result),
        "other server": lambda: OtherServer(folder / "otherserver", result, say).run(),
    }
    for name, part in parts.items():
        if args.filter and args.filter not in name:
            continue
        start = time.monotonic()
        try:
            part()
        except DevError as error:
            result.failed += 1
            result.failures.append(f"{name}: {str(error).splitlines()[0]}")
            print(f"   {name}: {error}")
        print(f"   {name}: {time.monotonic() - start:.0f} s")
    if not result.failed:
        shutil.rmtree(folder, ignore_errors=True)
    return result


def in_place(folder, seed: int, long: bool, result: TierResult) -> None:
    part = InPlace(folder, seed, long, say)
    part.run()
    take(result, part.problems, part.total.tables)


def accidents(folder, result: TierResult) -> None:
    part = Accidents(folder, say)
    part.run()
    take(result, part.problems, part.total.tables + part.checks)


def refusals(folder, result: TierResult) -> None:
    part = Refusals(folder, say)
    part.run()
    take(result, part.problems, len(CASES))


def round_trip(folder, seed: int, long: bool, result: TierResult) -> None:
    part = RoundTrip(folder, seed, LONG_ROUND_TRIP if long else ROUND_TRIP, say)
    part.run()
    take(result, part.problems, sum(part.crossed.values()))


def lifetimes(folder, result: TierResult) -> None:
    part = Lifetimes(folder, say)
    part.run()
    take(result, part.problems, part.checks)


def way_back(folder, result: TierResult) -> None:
    part = WayBack(folder, say)
    part.run()
    take(result, part.problems, part.total.tables + part.checks)


def say(line: str) -> None:
    print(f"   {line}")


def take(result: TierResult, problems: list[str], looked_at: int) -> None:
    for problem in problems[:40]:
        print(f"   {problem}")
    result.failed += len(problems)
    result.failures += [p[:200] for p in problems]
    result.passed += max(0, looked_at - len(problems))
