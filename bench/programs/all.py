# SPDX-License-Identifier: GPL-2.0-only
"""All benchmarks, one after the other, into one table and one report.

--quick stays below 45 minutes on two cores that do nothing else; --full takes a day. A benchmark
that fails is named in the report and the others go on.
"""

import argparse
import shutil
import signal
import sys
import time
from pathlib import Path

from bench import harness

HELP = "all benchmarks into one report"
ORDER = (
    "sysbench",
    "sysbench-io",
    "commits",
    "foreign_keys",
    "tpcc",
    "linkbench",
    "insert",
    "olap",
    "delete",
    "ddl",
    "spatial",
    "space",
    "replica",
    # the last, as it may have to make its articles first
    "full_text",
)
# minutes; on a machine that is busy with other work too, the last ones are named as not run
QUICK_LIMIT = 41.0
# what the two older programs are asked for: (quick, full)
WORDS = {
    "sysbench": (
        "--rows 150000 --rounds 2 --seconds 3 --warmup 1",
        "--rows 500000 --rounds 5 --seconds 60 --warmup 10",
    ),
    # the rows take eight times the cache in InnoDB, at 240 bytes with the index
    "sysbench-io": (
        "--rows 150000 --rounds 1 --seconds 3 --warmup 1 --memory-mb 18 --direct",
        "--rows 10000000 --rounds 3 --seconds 120 --warmup 30 --memory-mb 1200 --direct",
    ),
    "commits": ("--rounds 3 --seconds 2", "--rounds 5 --seconds 30"),
}
# what a newer one is asked for with --quick, where its own --quick would take too long here
SHORTER = {"ddl": "--parts statements,index --index-rows 200000 --calm 2 --memory-mb 64"}


def add_arguments(parser) -> None:
    scale = parser.add_mutually_exclusive_group()
    scale.add_argument("--quick", action="store_true", help="below 45 minutes (default)")
    scale.add_argument("--full", action="store_true", help="a day")
    parser.add_argument("--only", default=",".join(ORDER), metavar="A,B,...")
    parser.add_argument("--engines", default="rocksdb,myrocks,innodb", metavar="A,B,...")
    parser.add_argument(
        "--with",
        dest="more",
        action="append",
        default=[],
        metavar="NAME:--OPTION=VALUE",
        help="an option for one of the benchmarks; may be repeated",
    )
    parser.add_argument(
        "--quick-limit",
        type=float,
        default=QUICK_LIMIT,
        metavar="MINUTES",
        help="with --quick: none begins later (default %(default)s; 0: no limit)",
    )
    parser.add_argument("--output", type=Path, metavar="DIR", help="folder of the report")


def run(args) -> int:
    from tools import build, paths
    from tools.errors import DevError

    names = [name.strip() for name in args.only.split(",") if name.strip()]
    for name in names:
        if name not in ORDER:
            raise DevError(f"no benchmark '{name}'; there are {', '.join(ORDER)}")
    build.build()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the stopped servers must go on
    stamp = time.strftime("all-%Y%m%d-%H%M%S")
    output = args.output or paths.build_root() / "bench" / stamp
    started = time.monotonic()
    reports = []
    for number, name in enumerate(names, 1):
        passed = (time.monotonic() - started) / 60
        print(f"bench: {passed:.0f} minutes; {number} of {len(names)}: {name}", flush=True)
        if args.quick_limit and not args.full and passed > args.quick_limit:
            reports.append(not_run(args, name, f"{passed:.0f} minutes had passed already"))
            continue
        reports.append(one(args, name, (paths.scratch() / f"bench-{stamp}-{name}").absolute()))
        # what there is so far, should the rest not come to an end
        harness.write(reports, output)
    status = harness.publish(reports, output)
    print(f"bench: {(time.monotonic() - started) / 60:.1f} minutes in all")
    return status


def one(args, name: str, folder: Path):
    """The Report of one benchmark; one that fails has nothing but its failure."""
    from bench.results import machine

    started = time.monotonic()
    try:
        if name in WORDS:
            report = older(args, name, folder)
            report.seconds = time.monotonic() - started
            options = WORDS[name][1 if args.full else 0]
            report.facts = {**machine(), "options": options, **report.facts}
            return report
        return newer(args, name, folder)
    except Exception as error:  # whatever it is, the other benchmarks go on
        return not_run(args, name, f"{type(error).__name__}: {error}")


def not_run(args, name: str, why: str):
    """A Report that has nothing but its failure."""
    from bench.report import Report

    print(f"bench: {name} failed: {why}", flush=True)
    return Report(name, name, "not ended", args.engines.split(","), failures=[why])


def words_for(args, name: str) -> list[str]:
    """What --with says for a benchmark."""
    pairs = (text.partition(":") for text in args.more)
    return [option for wanted, _, option in pairs if wanted == name]


def newer(args, name: str, folder: Path):
    from tools.commands.bench import load

    program = load(name)
    parser = argparse.ArgumentParser()
    harness.add_arguments(parser, program)
    words = ["--full"] if args.full else ["--quick", *SHORTER.get(name, "").split()]
    words += words_for(args, name)
    if args.engines != ",".join(harness.ENGINES):
        words += ["--engines", args.engines]
    return harness.measured(program, parser.parse_args(words), folder)


def older(args, name: str, folder: Path):
    """sysbench and commits, whose results become a Report."""
    from bench import sysbench_report
    from bench.programs import commits, sysbench

    program = commits if name == "commits" else sysbench
    parser = argparse.ArgumentParser()
    program.add_arguments(parser)
    words = [*WORDS[name][1 if args.full else 0].split(), *words_for(args, name)]
    chosen = parser.parse_args([*words, "--engines", args.engines])
    try:
        if program is commits:
            engines = commits.checked_engines(chosen)
            rates = commits.measure(chosen, engines, folder)
            return commits.report(rates, commits.size_text(chosen))
        sysbench.check(chosen)
        return sysbench_report.report(sysbench.measure(chosen, folder), name)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
