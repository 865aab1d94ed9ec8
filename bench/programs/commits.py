# SPDX-License-Identifier: GPL-2.0-only
"""Commits a second when every commit is on disk twice: binary log and engine.

sync_binlog=1 and flush_log_at_trx_commit=1 for every engine. Each event is one autocommitted
UPDATE of one row by its primary key, so an event is a commit; the rows are spread over four
tables, so that clients seldom want the same one. Rounds are interleaved, one server runs at a
time.
"""

import contextlib
import shutil
import signal
import statistics
import sys
import time
from pathlib import Path

from bench import sysbench_tool

HELP = "commits a second with sync_binlog=1, by the number of clients"
TEST = "oltp_update_non_index"
TABLES = 4


def add_arguments(parser) -> None:
    from bench.contenders import add_plugin_option

    parser.add_argument("--clients", default="1,8,32", metavar="N,N,...")
    parser.add_argument("--engines", default="rocksdb,myrocks,innodb", metavar="A,B,...")
    parser.add_argument("--rows", type=int, default=100_000, help="rows a table")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=5, help="length of a run")
    add_plugin_option(parser)


def run(args) -> int:
    from bench import harness
    from bench.results import machine
    from tools import build, paths

    engines = checked_engines(args)
    if "rocksdb" in engines:
        build.build()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the stopped servers must go on
    name = time.strftime("commits-%Y%m%d-%H%M%S")
    folder = paths.scratch() / f"bench-{name}"
    started = time.monotonic()
    try:
        rates = measure(args, engines, folder.absolute())
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    found = report(rates, size_text(args))
    found.facts = {**machine(), "command": "./dev bench " + " ".join(sys.argv[2:])}
    found.seconds = time.monotonic() - started
    return harness.publish([found], paths.build_root() / "bench" / name, raw=rates)


def checked_engines(args) -> list[str]:
    """The contenders in order. DevError for what cannot work, before anything is started."""
    from bench.contenders import with_plugins
    from tools.errors import DevError
    from tools.server import ENGINES as KNOWN

    engines = [name.strip() for name in args.engines.split(",") if name.strip()]
    unknown = [name for name in engines if name not in KNOWN]
    if unknown or not engines:
        raise DevError(f"no engine {unknown}; there are {', '.join(KNOWN)}")
    if args.rounds < 1 or args.seconds < 1 or min(clients_of(args)) < 1:
        raise DevError("rounds, seconds and clients must be at least 1")
    return with_plugins(engines, args)


def clients_of(args) -> list[int]:
    return [int(text) for text in args.clients.split(",")]


def measure(args, engines: list[str], folder: Path) -> dict[str, dict[str, list[float]]]:
    """clients -> engine -> commits a second of each round."""
    from bench.contenders import Contender, Settings, plugins_of

    folder.mkdir(parents=True, exist_ok=True)
    settings = Settings(2**28, sync_binlog=1, plugins=plugins_of(args))
    rates = {str(n): {engine: [] for engine in engines} for n in clients_of(args)}
    with contextlib.ExitStack() as stack:
        contenders: list[Contender] = []
        for engine in engines:
            contender = stack.enter_context(Contender(engine, folder, settings))
            contender.prepare(sysbench_tool.Load(TABLES, args.rows, TABLES))
            contender.pause()
            contenders.append(contender)
        for number in range(1, args.rounds + 1):
            for clients in clients_of(args):
                for contender in contenders:
                    rate = contender.while_running(lambda c, n=clients: one_run(args, c, n))
                    rates[str(clients)][contender.engine].append(rate)
                    print(
                        f"bench: round {number}, {clients} clients: {contender.title} "
                        f"{rate:,.0f} commits a second",
                        flush=True,
                    )
    return rates


def one_run(args, contender, clients: int) -> float:
    load = sysbench_tool.Load(TABLES, args.rows, clients, "uniform")
    target = (TEST, contender.server.socket, contender.storage_engine, load)
    return sysbench_tool.run(*target, args.seconds, clients).events_per_second


def size_text(args) -> str:
    return f"{args.rounds} rounds of {args.seconds:g} s, sync_binlog=1"


def report(rates: dict[str, dict[str, list[float]]], size: str):
    """The Report of what measure() found; `size` in words."""
    from bench import bars
    from bench.plot import Plot
    from bench.report import Report

    engines = list(next(iter(rates.values()), {}))
    found = Report("commits", "Commits a second", size, engines)
    for clients, by_engine in rates.items():
        found.add_rounds(f"{clients} clients", "1/s", by_engine, True, bars.COMMITS)
    medians = {
        engine: [(int(clients), statistics.median(rates[clients][engine])) for clients in rates]
        for engine in engines
    }
    title = "Commits by number of clients"
    found.plots.append(Plot(title, "clients", "commits a second", medians))
    return found
