# SPDX-License-Identifier: GPL-2.0-only
"""Tools that users run, from Debian's packages and unmodified, on servers under load.

Each line says what a tool has proved. `devtools/tools/` holds the scenarios.
"""

import shutil
import time
from random import SystemRandom

from devtools import paths
from devtools.replication.node import make_template
from devtools.replication.scenario import Scenario
from devtools.setup import tools
from devtools.tiers import TierResult
from devtools.tiers.replication import take
from devtools.tools.dumps import Dumps
from devtools.tools.metrics import Metrics
from devtools.tools.percona import Percona
from devtools.tools.physical import PhysicalBackups
from devtools.tools.stages import Stages

HELP = "backup tools, dumps, Percona's toolkit, the exporter: stock tools under load"
SCENARIOS: list[type[Scenario]] = [PhysicalBackups, Dumps, Percona, Metrics, Stages]


def run(args) -> TierResult:
    tools.install()
    seed = args.seed if args.seed is not None else SystemRandom().randrange(2**31)
    result = TierResult("tools", 0, 0)
    again = [f"--filter '{args.filter}'"] if args.filter else []
    result.repeat_command = " ".join([f"./dev test tools --seed {seed}", *again])
    print(f"   seed {seed}")
    folder = paths.scratch() / "tools"
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
