# SPDX-License-Identifier: GPL-2.0-only
"""Primaries and replicas with the server's own machinery: killed under load, promoted, compared.

The seed fixes what the clients do and when servers are killed, but not how the threads fall.
"""

import shutil
import time
from random import SystemRandom

from tests.kit.replicas.node import make_template
from tests.kit.replicas.scenario import Scenario, take
from tests.kit.tier_result import TierResult
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
]


def run(args) -> TierResult:
    seed = args.seed if args.seed is not None else SystemRandom().randrange(2**31)
    result = TierResult("replication", 0, 0)
    again = [f"--filter '{args.filter}'"] if args.filter else []
    again += ["--long"] if args.long else []
    result.repeat_command = " ".join([f"./dev test replication --seed {seed}", *again])
    print(f"   seed {seed}")
    engine = getattr(args, "engine", None) or "rocksdb"
    folder = paths.scratch() / "replication"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    template = folder / "template"
    make_template(template, engine, "INNODB" if engine == "innodb" else "ROCKSDB")
    played = []
    for kind in SCENARIOS:
        if args.filter and args.filter not in kind.NAME:
            continue
        scenario = kind(folder, template, engine, seed, args.long)
        started = time.monotonic()
        scenario.run()
        print(f"   {kind.NAME}: {time.monotonic() - started:.0f} s")
        take(scenario, result)
        played.append(scenario)
    report(played, result)
    if not result.failed:
        shutil.rmtree(folder, ignore_errors=True)
    return result


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
