# SPDX-License-Identifier: GPL-2.0-only
"""Several servers at once, under load. Each line says what was proved. What the servers have said
is in `build/scratch/cluster` after a failure.

A scenario is a Scenario with a NAME, in SCENARIOS. `needs_backup` says that it runs basalt-backup,
`needs_spider` that it needs Debian's engine Spider, `only_long` that it measures and needs --long.
"""

import shutil
import time
from random import SystemRandom

from tests.cluster.acknowledgements import Acknowledgements
from tests.cluster.clones import Clones
from tests.cluster.spider import Spider
from tests.cluster.spider_cost import SpiderCost
from tests.cluster.spider_xa import SpiderXa
from tests.kit import backup_program
from tests.kit.replicas.node import make_template
from tests.kit.replicas.scenario import Scenario, take
from tests.kit.tier_result import TierResult
from tools import paths
from tools.setup import spider as spider_engine

HELP = "several servers: clones killed and promoted, acknowledgements, shards by Spider"
SCENARIOS: list[type[Scenario]] = [Clones, Acknowledgements, Spider, SpiderXa, SpiderCost]


def run(args) -> TierResult:
    wanted = [kind for kind in SCENARIOS if args.long or not getattr(kind, "only_long", False)]
    wanted = [kind for kind in wanted if not args.filter or args.filter in kind.NAME]
    prepare(wanted, args)
    seed = args.seed if args.seed is not None else SystemRandom().randrange(2**31)
    result = TierResult("cluster", 0, 0)
    again = [f"--filter '{args.filter}'"] if args.filter else []
    again += ["--long"] if args.long else []
    result.repeat_command = " ".join([f"./dev test cluster --seed {seed}", *again])
    print(f"   seed {seed}")
    folder = paths.scratch() / "cluster"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    make_template(folder / "template", "rocksdb", "ROCKSDB")
    for kind in wanted:
        scenario = kind(folder, folder / "template", "rocksdb", seed, args.long)
        started = time.monotonic()
        scenario.run()
        print(f"   {kind.NAME}: {time.monotonic() - started:.0f} s")
        take(scenario, result)
    if not result.failed:
        shutil.rmtree(folder, ignore_errors=True)
    return result


def prepare(wanted: list[type[Scenario]], args) -> None:
    """Installs and builds what the scenarios want beside the server."""
    if any(getattr(kind, "needs_spider", False) for kind in wanted):
        spider_engine.install()
    if not any(getattr(kind, "needs_backup", False) for kind in wanted):
        return
    backup_program.install()
    if not args.no_build:
        backup_program.build_checker()
