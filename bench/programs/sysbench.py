# SPDX-License-Identifier: GPL-2.0-only
"""sysbench's OLTP tests against Basalt, stock MyRocks and InnoDB, side by side.

Three private servers with equal memory and durability (bench/contenders.py) are filled
once. Then each test runs in short rounds A B C A B C, so that a drift of the machine meets all
alike; while one server runs the others are stopped. --iops and --memory-limit are in force from a
test's warm-up to the end of its rounds. Ends with a table, the raw numbers
(results.json) and a report (report.html) in build/bench/.
"""

import contextlib
import math
import shutil
import signal
import sys
import time
from dataclasses import asdict
from pathlib import Path

from bench import limits, sysbench_tool

HELP = "sysbench OLTP tests: Basalt, stock MyRocks, InnoDB side by side"
ENGINES = "rocksdb,myrocks,innodb"


def add_arguments(parser) -> None:
    from bench.contenders import add_plugin_option, add_server_option

    parser.add_argument("--tests", default=",".join(sysbench_tool.TESTS), metavar="A,B,...")
    parser.add_argument("--engines", default=ENGINES, metavar="A,B,...")
    parser.add_argument("--tables", type=int, default=4)
    parser.add_argument("--rows", type=int, default=500_000, help="rows a table")
    parser.add_argument("--threads", type=int, default=4, help="client threads")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=10, help="length of a round")
    parser.add_argument("--warmup", type=float, default=2, help="seconds before the first round")
    parser.add_argument(
        "--rand-type",
        default="special",
        choices=("special", "uniform", "gaussian", "pareto"),
        help="sysbench's distribution of the keys",
    )
    parser.add_argument(
        "--memory-mb", type=int, help="block cache or buffer pool; default: all data fits"
    )
    parser.add_argument("--sync-binlog", type=int, default=0, metavar="N")
    parser.add_argument(
        "--flush-log",
        type=int,
        default=1,
        choices=(1, 2),
        help="1: each engine syncs its log at every commit; 2: writes it, and syncs once a second",
    )
    parser.add_argument(
        "--direct", action="store_true", help="O_DIRECT for the RocksDB engines too"
    )
    limits.add_options(parser)
    add_plugin_option(parser)
    add_server_option(parser)
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep the data, use it again")
    parser.add_argument("--output", type=Path, metavar="DIR", help="folder of the report")


def run(args) -> int:
    from bench import harness, sysbench_report
    from tools import build, paths
    from tools.errors import DevError

    check(args)
    if "rocksdb" in contenders_of(args):
        build.build()
    started = time.monotonic()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the stopped servers must go on
    output = args.output or paths.build_root() / "bench" / time.strftime("sysbench-%Y%m%d-%H%M%S")
    output.mkdir(parents=True, exist_ok=True)
    folder = args.keep or paths.scratch() / f"bench-{output.name}"
    try:
        results = measure(args, folder.absolute())
    finally:
        if args.keep is None:
            shutil.rmtree(folder, ignore_errors=True)
    if not results.runs:
        raise DevError("no test ended:\n" + "\n".join(results.failures))
    report = sysbench_report.report(results)
    report.seconds = time.monotonic() - started
    return harness.publish([report], output, raw=results.as_json())


def engines_of(args) -> list[str]:
    return [name.strip() for name in args.engines.split(",") if name.strip()]


def contenders_of(args) -> list[str]:
    """The engines, and those with another plugin file, in order."""
    from bench.contenders import with_plugins

    return with_plugins(engines_of(args), args)


def tests_of(args) -> list[str]:
    return [name.strip() for name in args.tests.split(",") if name.strip()]


def check(args) -> None:
    """DevError for what cannot work, before anything is started."""
    from bench.contenders import extra_of
    from tools.errors import DevError
    from tools.server import ENGINES as KNOWN

    for name in engines_of(args):
        if name not in KNOWN:
            raise DevError(f"no engine '{name}'; there are {', '.join(KNOWN)}")
    for name in tests_of(args):
        if name not in sysbench_tool.TESTS:
            raise DevError(f"no test '{name}'; there are {', '.join(sysbench_tool.TESTS)}")
    if not engines_of(args) or not tests_of(args):
        raise DevError("at least one engine and one test are needed")
    if min(args.tables, args.rows, args.threads, args.rounds) < 1 or args.seconds < 1:
        raise DevError("tables, rows, threads, rounds and seconds must be at least 1")
    limits.limit_of(args)
    if args.keep and args.iops and not args.on_folder:
        raise DevError("--keep: a volume goes with its data; choose --on-folder, too")
    for engine, option in extra_of(args):
        if engine not in contenders_of(args):
            raise DevError(f"--server-option {engine}:{option}: not ENGINE:--OPTION")


def memory_bytes(args) -> int:
    """Enough for all rows of every engine with what the tests insert: 1 KiB a row (an InnoDB row
    with its index entry takes about 240 bytes), as a power of two, at least 256 MiB."""
    from bench import sysbench_report

    if args.memory_mb:
        return args.memory_mb * 2**20
    rows = args.tables * args.rows
    return max(2**28, 2 ** math.ceil(math.log2(rows * sysbench_report.BYTES_A_ROW)))


def settings_of(args):
    from bench.contenders import Settings, extra_of, plugins_of

    return Settings(
        memory_bytes(args),
        args.sync_binlog,
        extra_of(args),
        args.direct,
        plugins_of(args),
        limits=limits.limit_of(args),
        flush_log=args.flush_log,
    )


def load_of(args) -> sysbench_tool.Load:
    return sysbench_tool.Load(args.tables, args.rows, args.threads, args.rand_type)


def say(message: str) -> None:
    print(f"bench: {message}", flush=True)


def measure(args, folder: Path):
    """Starts the servers, fills them, runs all rounds; returns the Results."""
    from bench.contenders import Contender
    from bench.results import Results, machine, server_facts

    load, settings = load_of(args), settings_of(args)
    with contextlib.ExitStack() as stack:
        stack.enter_context(limits.disk(args, folder))
        contenders = []
        prepared = {}
        for engine in contenders_of(args):
            folder.mkdir(parents=True, exist_ok=True)
            contender = stack.enter_context(Contender(engine, folder, settings))
            say(f"{contender.title}: {load.tables} tables of {load.rows:,} rows")
            prepared[engine] = contender.prepare(load)
            say(f"{contender.title}: ready; filling took {prepared[engine]['seconds']:.1f} s")
            contender.pause()
            contenders.append(contender)
        facts = {c.engine: c.while_running(server_facts) for c in contenders}
        runs, afterwards, failures = run_tests(args, contenders, load)
        final = {c.engine: c.disk_bytes() for c in contenders}
    return Results(
        started=time.strftime("%Y-%m-%d %H:%M:%S"),
        command=sys.argv[1:],
        machine=machine(),
        load=asdict(load)
        | {"seconds": args.seconds, "rounds": args.rounds, "limits": limits.shown(settings.limits)}
        | {"flush_log": args.flush_log},
        memory_bytes=settings.memory_bytes,
        servers=facts,
        prepared=prepared,
        final_disk=final,
        runs=runs,
        afterwards=afterwards,
        failures=failures,
    )


def run_tests(args, contenders: list, load) -> tuple[list, dict, list[str]]:
    """(runs, what was used afterwards, failures). A test that fails is left out as a whole; the
    others go on as long as all servers live."""
    from tools.errors import DevError

    runs, afterwards, failures = [], {}, []
    for test in tests_of(args):
        fresh: list = []
        try:
            run_test(args, test, contenders, load, fresh, afterwards)
            runs += fresh
        except DevError as error:
            failures.append(f"{test}: {error}")
            say(f"failed: {failures[-1]}")
            if not all(c.server.running() for c in contenders):
                break
            for contender in contenders:
                contender.pause()
    return runs, afterwards, failures


def run_test(args, test: str, contenders: list, load, runs: list, afterwards: dict) -> None:
    """All rounds of one test; for a test that writes, then what each engine still owed."""
    from bench.summary import ratio

    for number in range(args.rounds):
        for contender in contenders:
            contender.resume()
            if number == 0:
                contender.limit()
            if number == 0 and args.warmup >= 1:
                one_run(contender, test, load, args.warmup, 0)
            runs.append(one_run(contender, test, load, args.seconds, number + 1))
            contender.pause()
            say(
                f"{test} round {number + 1}: {contender.title} "
                f"{runs[-1].outcome.events_per_second:,.0f} per second"
            )
    if test in sysbench_tool.WRITE_TESTS:
        for contender in contenders:
            contender.resume()
            afterwards[test, contender.engine] = contender.settle()
            contender.pause()
    first, *peers = (c.engine for c in contenders)
    compared = [f"{ratio(runs, test, first, p):.2f} x {p}" for p in peers]
    if compared:
        say(f"{test}: {first} is {', '.join(compared)}")


def one_run(contender, test: str, load, seconds: float, number: int):
    """One measured run, under limits with its seconds; number 0 is the warm-up. Each round draws
    its own keys, the same for all engines."""
    from bench.sampler import Sampler
    from bench.summary import Run

    asked = (test, contender.server.socket, contender.storage_engine, load, seconds, number + 1)
    if contender.settings.limits:
        with Sampler(contender) as sampler:
            found = sysbench_tool.run_watched(*asked)
        used, samples = sampler.used, sampler.samples
        return Run(
            test, contender.engine, number, found.outcome, used, found.intervals, samples
        )  # fmt: skip
    before = contender.usage()
    outcome = sysbench_tool.run(*asked)
    return Run(test, contender.engine, number, outcome, contender.usage() - before)
