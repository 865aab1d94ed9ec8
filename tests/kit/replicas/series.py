# SPDX-License-Identifier: GPL-2.0-only
"""The scenarios of one tier, one after the other, with a seed and a folder for all of them."""

import shutil
import time
from collections.abc import Callable, Iterable
from random import SystemRandom

from tests.kit.replicas.node import make_template
from tests.kit.replicas.scenario import Scenario, take
from tests.kit.tier_result import TierResult
from tools import paths

Report = Callable[[list[Scenario], TierResult], None]


def chosen(kinds: Iterable[type[Scenario]], args) -> list[type[Scenario]]:
    return [kind for kind in kinds if not args.filter or args.filter in kind.NAME]


def play(
    tier: str, kinds: Iterable[type[Scenario]], args, report: Report | None = None
) -> TierResult:
    """Those whose names contain the filter. `report` prints more at the end. What they leave goes
    unless one of them has failed."""
    seed = args.seed if args.seed is not None else SystemRandom().randrange(2**31)
    result = TierResult(tier, 0, 0, repeat_command=repeat_command(tier, seed, args))
    print(f"   seed {seed}")
    engine = getattr(args, "engine", None) or "rocksdb"
    folder = paths.scratch() / tier
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    template = folder / "template"
    make_template(template, engine, "INNODB" if engine == "innodb" else "ROCKSDB")
    played = []
    for kind in chosen(kinds, args):
        played.append(kind(folder, template, engine, seed, args.long))
        play_one(played[-1], result)
    if report is not None:
        report(played, result)
    if not result.failed:
        shutil.rmtree(folder, ignore_errors=True)
    return result


def play_one(scenario: Scenario, result: TierResult) -> None:
    started = time.monotonic()
    scenario.run()
    print(f"   {scenario.NAME}: {time.monotonic() - started:.0f} s")
    take(scenario, result)


def repeat_command(tier: str, seed: int, args) -> str:
    again = [f"--filter '{args.filter}'"] if args.filter else []
    again += ["--long"] if args.long else []
    return " ".join([f"./dev test {tier} --seed {seed}", *again])
