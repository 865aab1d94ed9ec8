# SPDX-License-Identifier: GPL-2.0-only
"""Basalt's lock table beside RocksDB's three lock managers, without a server.

Each run is a process of its own (bench/locks_bench.cc), the lock managers take turns, rounds are
interleaved. The figures are medians; docs/locking.md has a table of them and what follows from it.
"""

import json
import shutil
import statistics
import subprocess
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
WITHOUT_RANGES = ("rocksdb-point", "rocksdb-per-key")


def add_arguments(parser) -> None:
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2, help="length of a run")
    parser.add_argument("--scenarios", default=",".join(SCENARIOS), metavar="A,B,...")


def run(args) -> int:
    from tools import build, paths
    from tools.errors import DevError

    scenarios = args.scenarios.split(",")
    unknown = [name for name in scenarios if name not in SCENARIOS]
    if unknown or args.rounds < 1:
        raise DevError(f"no scenario {unknown}; there are {', '.join(SCENARIOS)}; rounds >= 1")
    folder = build.build(plugin=False, more=("basalt_locks_bench",))
    outcomes = measure(folder / "bench" / "basalt_locks_bench", scenarios, args)
    output = paths.build_root() / "bench" / time.strftime("locks-%Y%m%d-%H%M%S.json")
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps(outcomes, indent=1))
    show(outcomes)
    print(f"raw numbers: {output}")
    return 0


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


def show(outcomes: dict[str, dict[str, list[dict]]]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title="Lock managers: medians of the rounds")
    columns = ("ns a lock", "CPU ns a lock", "bytes a lock", "release ms", "least served", "failed")
    table.add_column("scenario")
    table.add_column("lock manager")
    for name in columns:
        table.add_column(name, justify="right", no_wrap=True)
    for scenario, by_contender in outcomes.items():
        for number, (contender, rounds) in enumerate(by_contender.items()):
            first = SCENARIOS[scenario] if number == 0 else ""
            table.add_row(first, CONTENDERS[contender], *cells(scenario, rounds))
        table.add_section()
    Console(width=150).print(table)


def cells(scenario: str, rounds: list[dict]) -> list[str]:
    """The texts of one row; what a scenario does not measure is left empty."""

    def median(value) -> float:
        return statistics.median(value(r) for r in rounds)

    many, hot = scenario == "many", scenario == "hot-64"
    per_lock = median(lambda r: r["seconds"] * 1e9 / max(1, r["operations"]))
    cpu = median(lambda r: r["cpu_seconds"] * 1e9 / max(1, r["operations"]))
    size = median(lambda r: r["memory_bytes"] / r["operations"]) if many else None
    release = median(lambda r: r["release_seconds"] * 1e3) if many else None
    # of the thread's fair share: 1 when all are served alike
    least = median(lambda r: r["least"] * 64 / max(1, r["operations"])) if hot else None
    failed = median(lambda r: r["failures"] / max(1, r["operations"]))
    return [
        f"{per_lock:,.0f}",
        f"{cpu:,.0f}",
        "" if size is None else f"{size:,.0f}",
        "" if release is None else f"{release:,.0f}",
        "" if least is None else f"{least:.2f}",
        f"{failed:.1%}" if failed else "0",
    ]
