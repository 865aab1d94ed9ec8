# SPDX-License-Identifier: GPL-2.0-only
"""Basalt's lock table beside RocksDB's three lock managers, without a server.

Each run is a process of its own (bench/locks_bench.cc), the lock managers take turns, rounds are
interleaved. The figures are medians; docs/locking.md has a table of them and what follows from it.
"""

import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HELP = "lock managers: Basalt's own, RocksDB's point, per-key and range locks"
CONTENDERS = {
    "basalt": "Basalt",
    "basalt-unescalated": "Basalt, no escalation",
    "rocksdb-point": "RocksDB point",
    "rocksdb-per-key": "RocksDB per-key",
    "rocksdb-range": "RocksDB range",
}
SCENARIOS = {
    "point-1": "transactions of 10 row locks, 1 thread",
    "point-4": "transactions of 10 row locks, 4 threads",
    "range": "transactions of 10 range locks, 1 thread",
    "hot-64": "one row, 64 threads that want it",
    "many": "3,000,000 row locks of one transaction",
}
FAIR = "least served thread"
WITHOUT_RANGES = ("rocksdb-point", "rocksdb-per-key")


def add_arguments(parser) -> None:
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2, help="length of a run")
    parser.add_argument("--scenarios", default=",".join(SCENARIOS), metavar="A,B,...")


def run(args) -> int:
    from bench import harness
    from bench.results import machine
    from tools import build, paths
    from tools.errors import DevError

    scenarios = args.scenarios.split(",")
    unknown = [name for name in scenarios if name not in SCENARIOS]
    if unknown or args.rounds < 1:
        raise DevError(f"no scenario {unknown}; there are {', '.join(SCENARIOS)}; rounds >= 1")
    folder = build.build(plugin=False, more=("basalt_locks_bench",))
    started = time.monotonic()
    outcomes = measure(folder / "bench" / "basalt_locks_bench", scenarios, args)
    found = report(outcomes, f"{args.rounds} rounds of {args.seconds:g} s")
    found.facts = {**machine(), "command": "./dev bench " + " ".join(sys.argv[2:])}
    found.seconds = time.monotonic() - started
    output = paths.build_root() / "bench" / time.strftime("locks-%Y%m%d-%H%M%S")
    return harness.publish([found], output, raw=outcomes)


def measure(program: Path, scenarios: list[str], args) -> dict[str, dict[str, list[dict]]]:
    """scenario -> contender -> what each round printed."""
    outcomes = {s: {c: [] for c in contenders_of(s)} for s in scenarios}
    for number in range(1, args.rounds + 1):
        for scenario, by_contender in outcomes.items():
            for contender, rounds in by_contender.items():
                rounds.append(run_once(program, contender, scenario, args.seconds))
                print(f"bench: {scenario} round {number}: {CONTENDERS[contender]}", flush=True)
    return outcomes


def contenders_of(scenario: str) -> list[str]:
    return [c for c in CONTENDERS if scenario != "range" or c not in WITHOUT_RANGES]


def run_once(program: Path, contender: str, scenario: str, seconds: float) -> dict:
    from tools import paths
    from tools.errors import DevError

    paths.scratch().mkdir(parents=True, exist_ok=True)
    folder = tempfile.mkdtemp(dir=paths.scratch(), prefix="locks-")
    try:
        command = [str(program), contender, scenario, folder, str(seconds)]
        done = subprocess.run(command, capture_output=True, text=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if done.returncode != 0:
        raise DevError(f"{contender}, {scenario}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def report(outcomes: dict[str, dict[str, list[dict]]], size: str):
    """The Report of what measure() found; `size` in words."""
    from bench.plot import Plot
    from bench.report import Report

    found = Report("locks", "Lock managers", size, list(CONTENDERS), titles=CONTENDERS)
    for scenario, by_contender in outcomes.items():
        for title, unit, value in measures(scenario):
            rounds = {c: [value(r) for r in done] for c, done in by_contender.items()}
            found.add_rounds(title, unit, rounds, title == FAIR, part=SCENARIOS[scenario])
        times = {
            c: [(scenario, statistics.median(nanoseconds(r) for r in done))]
            for c, done in by_contender.items()
        }
        found.plots.append(Plot(SCENARIOS[scenario], "", "ns a lock", times, "bars"))
    return found


def nanoseconds(outcome: dict) -> float:
    return outcome["seconds"] * 1e9 / locks_of(outcome)


def locks_of(outcome: dict) -> int:
    return max(1, outcome["operations"])


def measures(scenario: str) -> list[tuple]:
    """(title, unit, value of a round) of all that a scenario measures."""
    found = [
        ("a lock", "ns", nanoseconds),
        ("CPU a lock", "ns", lambda r: r["cpu_seconds"] * 1e9 / locks_of(r)),
    ]
    if scenario == "many":
        found.append(("memory a lock", "B", lambda r: r["memory_bytes"] / locks_of(r)))
        found.append(("release of all", "ms", lambda r: r["release_seconds"] * 1e3))
    if scenario == "hot-64":
        # of the thread's fair share: 1 when all are served alike
        found.append((FAIR, "", lambda r: r["least"] * 64 / locks_of(r)))
    found.append(("failed", "%", lambda r: 100 * r["failures"] / locks_of(r)))
    return found
