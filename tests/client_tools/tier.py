# SPDX-License-Identifier: GPL-2.0-only
"""Tools that users run, from Debian's packages and unmodified, on servers under load.

Each line says what a tool has proved. `tests/client_tools/` holds the scenarios.
"""

import shutil
import time
from random import SystemRandom

from tests.client_tools.constraints.scenario import Constraints
from tests.client_tools.dumps import Dumps
from tests.client_tools.metrics import Metrics
from tests.client_tools.percona import Percona
from tests.client_tools.physical import PhysicalBackups
from tests.client_tools.prometheus import Prometheus
from tests.client_tools.stages import Stages
from tests.kit.replicas.node import make_template
from tests.kit.replicas.scenario import Scenario, take
from tests.kit.tier_result import TierResult
from tools import paths
from tools.setup import client_tools

NAME = "tools"
HELP = "backup tools, dumps, Percona's toolkit, the exporter: stock tools under load"
SCENARIOS: list[type[Scenario]] = [
    PhysicalBackups,
    Dumps,
    Percona,
    Constraints,
    Metrics,
    Prometheus,
    Stages,
]


def run(args) -> TierResult:
    client_tools.install()
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
