# SPDX-License-Identifier: GPL-2.0-only
"""Tools that users run, from Debian's packages and unmodified, on servers under load.

Each line says what a tool has proved. `tests/client_tools/` holds the scenarios.
"""

from tests.client_tools.constraints.scenario import Constraints
from tests.client_tools.dumps import Dumps
from tests.client_tools.metrics import Metrics
from tests.client_tools.percona import Percona
from tests.client_tools.physical import PhysicalBackups
from tests.client_tools.prometheus import Prometheus
from tests.client_tools.server_programs import ServerPrograms
from tests.client_tools.stages import Stages
from tests.kit.replicas import series
from tests.kit.replicas.scenario import Scenario
from tests.kit.tier_result import TierResult
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
    ServerPrograms,
]


def run(args) -> TierResult:
    client_tools.install()
    return series.play("tools", SCENARIOS, args)
