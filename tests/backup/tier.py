# SPDX-License-Identifier: GPL-2.0-only
"""basalt-backup on a primary under load: what it makes, and what it refuses.

Each line says what was proved. What the servers have said is in `build/scratch/backup` after a
failure.
"""

from tests.backup.over_ssh import OverSsh
from tests.backup.refusals import Refusals
from tests.backup.some_databases import SomeDatabases
from tests.backup.under_load import UnderLoad
from tests.kit import backup_program as program
from tests.kit.replicas import series
from tests.kit.replicas.scenario import Scenario
from tests.kit.tier_result import TierResult
from tools.setup import openssh

HELP = "basalt-backup under load, and by ssh: restored, compared; damage, kills; --long: more"
SCENARIOS: list[type[Scenario]] = [UnderLoad, SomeDatabases, OverSsh, Refusals]


def run(args) -> TierResult:
    program.install()
    if OverSsh in series.chosen(SCENARIOS, args):
        openssh.install()
    if not args.no_build:
        program.build_helpers()
    return series.play("backup", SCENARIOS, args)
