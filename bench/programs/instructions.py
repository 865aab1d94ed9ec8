# SPDX-License-Identifier: GPL-2.0-only
"""Instructions of the server for each statement of sysbench's tests, by engine and server.

Callgrind counts them (bench/callgrind.py), so what else the machine does makes no difference. Each
test runs with one client twice with the same keys, a few events and then many. The difference is
divided by the statements, so that connecting and preparing count nothing. Only threads that serve
clients count: neither flushes and compactions nor InnoDB's purge.
"""

import shutil
import subprocess
import time
from pathlib import Path

from bench import callgrind, sysbench_tool

HELP = "instructions a statement, the engine's and the server's, by callgrind"
ENGINES = ("rocksdb", "innodb")
ROWS = 100_000
MEMORY_BYTES = 2**28
# events that are subtracted again
FEW = 20
RANGE_OPTIONS = (
    "--skip-trx=on",
    "--point-selects=0",
    "--simple-ranges=1",
    "--sum-ranges=0",
    "--order-ranges=0",
    "--distinct-ranges=0",
)
# name -> sysbench's test, events that are counted, options; a range has 100 rows. The random tests
# search values of k, of which each has hundreds of rows.
TESTS = {
    "oltp_point_select": ("oltp_point_select", 400, ()),
    "range": ("oltp_read_only", 200, RANGE_OPTIONS),
    "oltp_read_only": ("oltp_read_only", 30, ()),
    "select_random_points": ("select_random_points", 10, ()),
    "select_random_ranges": ("select_random_ranges", 10, ()),
    "oltp_update_index": ("oltp_update_index", 300, ()),
    "oltp_update_non_index": ("oltp_update_non_index", 300, ()),
    "oltp_insert": ("oltp_insert", 300, ()),
    "oltp_write_only": ("oltp_write_only", 60, ()),
    "oltp_read_write": ("oltp_read_write", 30, ()),
}
# whose engine's part has a bar
BARS = ("oltp_point_select", "range", "oltp_update_non_index")
SHOWN = 25  # functions in each list


def add_arguments(parser) -> None:
    from bench.contenders import add_plugin_option

    parser.add_argument("--tests", default=",".join(TESTS), metavar="A,B,...")
    parser.add_argument("--engines", default=",".join(ENGINES), metavar="A,B,...")
    parser.add_argument("--rows", type=int, default=ROWS, help="rows of the table")
    parser.add_argument(
        "--warmup", type=int, default=5, metavar="N", help="so many times the events before"
    )
    parser.add_argument("--flush-log", type=int, choices=(1, 2), default=2)
    parser.add_argument("--functions", action="store_true", help="the engine's dearest functions")
    add_plugin_option(parser)
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep the data, use it again")
    parser.add_argument("--output", type=Path, metavar="DIR", help="folder of the report")


def run(args) -> int:
    from bench import harness
    from tools import build, paths
    from tools.setup import debian

    contenders = contenders_of(args)
    debian.install([callgrind.PACKAGE], "to count instructions")
    if "rocksdb" in contenders:
        build.build()
    name = time.strftime("instructions-%Y%m%d-%H%M%S")
    output = args.output or paths.build_root() / "bench" / name
    output.mkdir(parents=True, exist_ok=True)
    folder = (args.keep or paths.scratch() / name).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    try:
        found = {engine: measure(args, engine, folder) for engine in contenders}
    finally:
        if args.keep is None:
            shutil.rmtree(folder, ignore_errors=True)
    made = report(args, found)
    made.seconds = time.monotonic() - started
    return harness.publish([made], output)


def contenders_of(args) -> list[str]:
    """In order. DevError for what there is not."""
    from bench.contenders import with_plugins
    from tools.errors import DevError

    engines = [name.strip() for name in args.engines.split(",") if name.strip()]
    if unknown := [name for name in engines if name not in (*ENGINES, "myrocks")]:
        raise DevError(f"no engine {unknown}; there are rocksdb, myrocks, innodb")
    if unknown := [name for name in tests_of(args) if name not in TESTS]:
        raise DevError(f"no test {unknown}; there are {', '.join(TESTS)}")
    return with_plugins(engines, args)


def tests_of(args) -> list[str]:
    return [name.strip() for name in args.tests.split(",") if name.strip()]


def measure(args, engine: str, folder: Path) -> dict:
    """test -> (instructions a statement by part, functions of the engine). The rows are loaded by
    a server that runs by itself; a copy of its files then is what each server begins with."""
    from bench.contenders import Contender, Settings, base_of, plugins_of
    from tools import paths

    load = sysbench_tool.Load(1, args.rows, 1)
    extra = tuple((engine, option) for option in callgrind.innodb_options(MEMORY_BYTES))
    settings = Settings(
        MEMORY_BYTES, extra=extra, plugins=plugins_of(args), flush_log=args.flush_log
    )
    symbols = subprocess.run(
        ["nm", "-D", "--defined-only", str(paths.mariadbd())], capture_output=True, text=True
    )
    owners = callgrind.Owners(base_of(engine), symbols.stdout)
    loaded = Contender(engine, folder / "loaded", settings)
    loaded.folder.mkdir(exist_ok=True)
    with loaded:
        loaded.prepare(load)
    counted = Contender(engine, folder / "counted", settings)
    shutil.rmtree(counted.server.datadir, ignore_errors=True)
    counted.folder.mkdir(exist_ok=True)
    shutil.copytree(loaded.server.datadir, counted.server.datadir)
    dumps = folder / f"callgrind.{engine}"
    counted.server.wrapper = callgrind.wrapper(dumps)
    counted.server.environment |= callgrind.ENVIRONMENT
    with counted:
        counted.warm(load)
        return {test: measure_test(args, counted, load, test, owners) for test in tests_of(args)}


def measure_test(args, contender, load, test: str, owners: callgrind.Owners) -> tuple:
    name, events, options = TESTS[test]
    dumps = contender.folder.parent / f"callgrind.{contender.engine}"

    def go(count: int, seed: int):
        more = [f"--events={count}", "--time=0", f"--rand-seed={seed}", *options]
        target = contender.server.socket, contender.storage_engine, load
        return sysbench_tool.parse(
            sysbench_tool.call(sysbench_tool.command(name, "run", *target, *more))
        )

    if args.warmup:
        go(args.warmup * events, 1)
    callgrind.count(contender.server.pid)
    go(FEW, 2)
    callgrind.dump(contender.server.pid, dumps)  # what the instrumentation itself has to do once
    few = go(FEW, 3)
    less = callgrind.dump(contender.server.pid, dumps)
    many = go(FEW + events, 3)
    profile = callgrind.dump(contender.server.pid, dumps) - less
    callgrind.rest(contender.server.pid)
    queries = many.queries - few.queries
    parts = callgrind.parts(profile, owners)
    shown = {part: cost / queries for part, cost in parts.items()}
    told = ", ".join(f"{part} {cost:,.0f}" for part, cost in shown.items())
    print(f"instructions: {test}: {contender.title}: {told}", flush=True)
    return shown, callgrind.dearest(profile, owners, queries, SHOWN)


def report(args, found: dict):
    """The Report: a figure of each test for each part."""
    from bench import bars
    from bench.report import Report
    from bench.results import machine
    from bench.table import Table

    size = (
        f"one client, a table of {args.rows:,} rows, log at {args.flush_log}; instructions of the "
        "threads that serve clients"
    )
    made = Report("instructions", "Instructions a statement", size, list(found))
    for part in ("engine", "server"):
        for test in tests_of(args):
            values = {engine: tests[test][0][part] for engine, tests in found.items()}
            bar = bars.INSTRUCTIONS if part == "engine" and test in BARS else None
            where = f"Instructions a statement, the {part}'s part"
            made.add(test, "", values, False, bar, part=where)
    made.facts = machine()
    if not args.functions:
        return made
    for engine, tests in found.items():
        for test, (_, functions) in tests.items():
            table = Table(f"{made.title_of(engine)}, {test}", ["function", "itself", "with calls"])
            for name, own, whole in functions:
                table.add(name, f"{own:,.0f}", f"{whole:,.0f}")
            made.tables.append(table)
    return made
