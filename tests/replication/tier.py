# SPDX-License-Identifier: GPL-2.0-only
"""Primaries and replicas with the server's own machinery: killed under load, promoted, compared.

The seed fixes what the clients do and when servers are killed, but not how the threads fall.
"""

from tests.kit.replicas import series
from tests.kit.replicas.scenario import Scenario
from tests.kit.tier_result import TierResult
from tests.replication.alters import Alters
from tests.replication.checksums import Checksums
from tests.replication.commit_order import CommitOrder
from tests.replication.failover import Failover
from tests.replication.foreign_key_kills import ForeignKeyKills
from tests.replication.foreign_keys import ForeignKeys
from tests.replication.hot_rows import HotRows
from tests.replication.kinds import Kinds
from tests.replication.read_free import ReadFree
from tests.replication.replica_kills import ReplicaKills
from tests.replication.replica_power_cuts import ReplicaPowerCuts
from tests.replication.statements import Statements
from tests.replication.versions import Versions
from tools import paths

HELP = "crash-safe and parallel replicas, semi-sync fail-over, checksums: nothing is lost"
SCENARIOS: list[type[Scenario]] = [
    Kinds,
    Statements,
    CommitOrder,
    ReplicaKills,
    ReplicaPowerCuts,
    HotRows,
    Failover,
    Checksums,
    ReadFree,
    ForeignKeys,
    ForeignKeyKills,
    Alters,
    Versions,
]


def run(args) -> TierResult:
    return series.play("replication", SCENARIOS, args, report)


def report(played: list[Scenario], result: TierResult) -> None:
    for scenario in played:
        counts = ", ".join(f"{name}: {n}" for name, n in sorted(scenario.counts.items()))
        print(f"   {scenario.NAME}: {counts}")
    problems = [p for s in played for p in s.problems]
    for kind, text in (("extra", "extra"), ("half", "by half"), ("broken", "broken")):
        print(f"   {text}: {sum(p.kind == kind for p in problems)}")
    if result.failed:
        print(f"   data directories are kept in {paths.scratch() / 'replication'}")
    print(f"   lost: {sum(p.kind == 'lost' for p in problems)}")
