# SPDX-License-Identifier: GPL-2.0-only
"""Where the time of a server goes during one sysbench test: by shared object, by function.

Samples the server with Linux' perf while sysbench runs. Where the machine has no hardware
counters (most virtual ones), perf's software clock takes the samples; it does not see inside
sections with interrupts off.
"""

import shutil
import subprocess
import sys
import time
from pathlib import Path

from bench import sysbench_tool

HELP = "perf profile of the server during one sysbench test"
EVENTS = ("cycles", "cpu-clock")


def add_arguments(parser) -> None:
    parser.add_argument("--test", default="oltp_point_select", choices=sysbench_tool.TESTS)
    parser.add_argument("--engine", default="rocksdb", choices=("rocksdb", "myrocks", "innodb"))
    parser.add_argument("--tables", type=int, default=4)
    parser.add_argument("--rows", type=int, default=500_000, help="rows a table")
    parser.add_argument("--threads", type=int, default=4, help="client threads")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--functions", type=int, default=40, help="how many to show")
    parser.add_argument("--frequency", type=int, default=999, help="samples a second and thread")
    parser.add_argument("--callers", action="store_true", help="keep call chains in the data file")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="data as of bench sysbench --keep")


def run(args) -> int:
    from bench import harness
    from bench.contenders import Contender, Settings
    from bench.results import machine
    from tools import build, paths

    event = usable_event()
    if args.engine == "rocksdb":
        build.build()
    name = time.strftime(f"profile-{args.engine}-{args.test}-%Y%m%d-%H%M%S")
    output = paths.build_root() / "bench" / name
    output.mkdir(parents=True, exist_ok=True)
    data = output / "perf.data"
    folder = (args.keep or paths.scratch() / name).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    load = sysbench_tool.Load(args.tables, args.rows, args.threads)
    settings = Settings(max(2**28, args.tables * args.rows * 1024))
    try:
        with Contender(args.engine, folder, settings) as contender:
            contender.prepare(load)
            target = (args.test, contender.server.socket, contender.storage_engine, load)
            sysbench_tool.run(*target, 1, 1)  # warm
            outcome, used = sample(args, contender, target, event, data)
    finally:
        if args.keep is None:
            shutil.rmtree(folder, ignore_errors=True)
    shares = samples(data, "dso"), samples(data, "dso", "symbol")[: args.functions]
    size = f"{args.test}, {args.threads} threads, event {event}; the sampling itself included"
    found = report(args.engine, size, outcome, used, *shares)
    found.facts = {**machine(), "command": "./dev bench " + " ".join(sys.argv[2:])}
    found.seconds = args.seconds
    status = harness.publish([found], output)
    print(f"more: perf report -i {data}")
    return status


def usable_event() -> str:
    """The best event that perf may count here. DevError that says why there is none."""
    from tools.errors import DevError

    if shutil.which("perf") is None:
        raise DevError("missing: perf; install Debian's package linux-perf")
    said = ""
    for event in EVENTS:
        # an event the machine lacks is quietly replaced by `perf record`; `perf stat` tells
        counted = perf("stat", "-x", ",", "-e", event, "--", "true")
        recorded = perf("record", "-q", "-e", event, "-o", "/dev/null", "--", "true")
        if "<not supported>" not in counted.stderr and recorded.returncode == 0:
            return event
        said = recorded.stderr.strip() or said
    level = Path("/proc/sys/kernel/perf_event_paranoid")
    paranoid = level.read_text().strip() if level.exists() else "unknown"
    raise DevError(
        f"perf events are not permitted on this machine (perf_event_paranoid = {paranoid}):\n{said}"
    )


def perf(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run(["perf", *arguments], capture_output=True, text=True)


def sample(args, contender, target: tuple, event: str, data: Path):
    """Runs the test under perf; returns its outcome and the server's usage."""
    command = ["perf", "record", "-q", "-e", event, "-F", str(args.frequency)]
    command += ["-g"] if args.callers else []
    command += ["-o", str(data), "-p", str(contender.server.pid)]
    before = contender.usage()
    sampler = subprocess.Popen([*command, "--", "sleep", f"{args.seconds + 2:.0f}"])
    try:
        outcome = sysbench_tool.run(*target, args.seconds, 2)
        used = contender.usage() - before
    finally:
        if sampler.wait() != 0:
            print(f"perf ended with status {sampler.returncode}")
    return outcome, used


def report(engine: str, size: str, outcome, used, objects: list, functions: list):
    """The Report: what the test reached meanwhile, and where the samples fell."""
    from bench.report import Report
    from bench.table import Table

    found = Report("profile", "Where one server spends its time", size, [engine])
    found.add("events", "1/s", {engine: outcome.events_per_second})
    found.add("CPU a query", "us", {engine: used.cpu_seconds * 1e6 / outcome.queries}, False)
    by_object = Table("By shared object", ["object", "share"])
    for share, (name,) in objects[:12]:
        by_object.add(name, f"{share:.1f} %")
    by_function = Table("Functions, by the time in themselves", ["object", "function", "share"])
    by_function.left = 2
    for share, (name, symbol) in functions:
        by_function.add(name, demangled(symbol)[:110], f"{share:.2f} %")
    found.tables = [by_object, by_function]
    return found


def samples(data: Path, *sort: str) -> list[tuple[float, list[str]]]:
    """(percent, values of the sort keys) of perf report, the largest first."""
    from tools.errors import DevError

    keys = ",".join(sort)
    command = ["report", "-i", str(data), "--stdio", "--no-children", "-g", "none"]
    done = perf(*command, "-q", "-F", f"overhead,{keys}", "-s", keys, "-t", "|")
    if done.returncode != 0:
        raise DevError(f"perf report failed\n{done.stderr.strip()}")
    return parse_report(done.stdout, len(sort))


def parse_report(text: str, keys: int) -> list[tuple[float, list[str]]]:
    """Lines `12.34%|object|[.] symbol|more columns`; others are perf's remarks."""
    rows = []
    for line in text.splitlines():
        percent, *values = (part.strip() for part in line.split("|"))
        if len(values) >= keys and percent.endswith("%"):
            rows.append((float(percent[:-1]), values[:keys]))
    return sorted(rows, key=lambda row: -row[0])


def demangled(symbol: str) -> str:
    """`[.] _ZN...` -> the C++ name, where perf has not done it."""
    mark, _, name = symbol.partition(" ")
    if not name.startswith("_Z") or shutil.which("c++filt") is None:
        return symbol
    done = subprocess.run(["c++filt", name], capture_output=True, text=True)
    return f"{mark} {done.stdout.strip() or name}"
