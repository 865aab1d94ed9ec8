# SPDX-License-Identifier: GPL-2.0-only
"""Several servers at once, under load. Each line says what was proved. What the servers have said
is in `build/scratch/cluster` after a failure.

A scenario is a Scenario with a NAME, in SCENARIOS. `needs_backup` says that it runs basalt-backup,
`needs_programs` all of programs/, `needs_ssh` Debian's sshd, `needs_spider` Debian's engine Spider,
`only_long` that it measures and needs --long.
"""

from tests.cluster.acknowledgements import Acknowledgements
from tests.cluster.clones import Clones
from tests.cluster.secured import Secured
from tests.cluster.spider import Spider
from tests.cluster.spider_cost import SpiderCost
from tests.cluster.spider_xa import SpiderXa
from tests.kit import backup_program
from tests.kit.replicas import series
from tests.kit.replicas.scenario import Scenario
from tests.kit.tier_result import TierResult
from tools.setup import debian, openssh
from tools.setup import spider as spider_engine

HELP = "several servers: clones killed and promoted, acknowledgements, shards by Spider"
SCENARIOS: list[type[Scenario]] = [Clones, Secured, Acknowledgements, Spider, SpiderXa, SpiderCost]


def run(args) -> TierResult:
    kinds = [kind for kind in SCENARIOS if args.long or not getattr(kind, "only_long", False)]
    prepare(series.chosen(kinds, args), args)
    return series.play("cluster", kinds, args)


def prepare(wanted: list[type[Scenario]], args) -> None:
    """Installs and builds what the scenarios want beside the server."""
    if any(getattr(kind, "needs_spider", False) for kind in wanted):
        spider_engine.install()
    if any(getattr(kind, "needs_ssh", False) for kind in wanted):
        openssh.install()
    if any(getattr(kind, "needs_programs", False) for kind in wanted):
        debian.install(debian.PROGRAM_PACKAGES, "to run programs/ as their users do")
    if not any(getattr(kind, "needs_backup", False) for kind in wanted):
        return
    backup_program.install()
    if not args.no_build:
        backup_program.build_helpers()
