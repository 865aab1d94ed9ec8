# SPDX-License-Identifier: GPL-2.0-only
"""basalt-backup on a primary under load: what it makes, and what it refuses.

Each line says what was proved. What the servers have said is in `build/scratch/backup` after a
failure.
"""

import shutil
import time
from random import SystemRandom

from tests.backup.refusals import Refusals
from tests.backup.under_load import UnderLoad
from tests.kit import backup_program as program
from tests.kit.replicas.node import make_template
from tests.kit.replicas.scenario import Scenario, take
from tests.kit.tier_result import TierResult
from tools import paths

HELP = "basalt-backup under load: restored, compared; damage, kills, full disks; --long: more"
SCENARIOS: list[type[Scenario]] = [UnderLoad, Refusals]


def run(args) -> TierResult:
    program.install()
    if not args.no_build:
        program.build_checker()
    seed = args.seed if args.seed is not None else SystemRandom().randrange(2**31)
    result = TierResult("backup", 0, 0)
    again = [f"--filter '{args.filter}'"] if args.filter else []
    again += ["--long"] if args.long else []
    result.repeat_command = " ".join([f"./dev test backup --seed {seed}", *again])
    print(f"   seed {seed}")
    folder = paths.scratch() / "backup"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    make_template(folder / "template", "rocksdb", "ROCKSDB")
    for kind in SCENARIOS:
        if args.filter and args.filter not in kind.NAME:
            continue
        scenario = kind(folder, folder / "template", "rocksdb", seed, args.long)
        started = time.monotonic()
        scenario.run()
        print(f"   {kind.NAME}: {time.monotonic() - started:.0f} s")
        take(scenario, result)
    if not result.failed:
        shutil.rmtree(folder, ignore_errors=True)
    return result
