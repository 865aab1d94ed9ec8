# SPDX-License-Identifier: GPL-2.0-only
"""Benchmarks side by side with the peers, in one run on this machine.

./dev bench --list
./dev bench sysbench [--tests A,B] [--tables 4] [--rows 500000] [--threads 4] [--rounds 3]
                     [--seconds 10] [--engines rocksdb,myrocks,innodb] [--keep DIR]
                     [--also-plugin PATH[=NAME]]
./dev bench profile --test oltp_point_select [--engine rocksdb]
./dev bench tpcc [--quick | --full] [--warehouses 2] [--memory-mb 16,48,256] ...
./dev bench tpcc --iops 1000 --memory-limit 450M [--texts words] [--buffered-reads]
                 [--sweep iops=500,1000] [--copies [DIR]] [--hours N] ...
./dev bench all [--quick | --full]
./dev bench show RESULTS.JSON...
"""

import argparse
import importlib
import pkgutil

from bench import harness

HELP = "benchmarks, side by side with MyRocks and InnoDB"


def program_names() -> list[str]:
    import bench.programs

    return sorted(m.name for m in pkgutil.iter_modules(bench.programs.__path__))


def load(name: str):
    return importlib.import_module(f"bench.programs.{name}")


def add_options(module, parser) -> None:
    """A program that ends in a Report has its options from its sizes."""
    if hasattr(module, "SIZES"):
        harness.add_arguments(parser, module)
    else:
        module.add_arguments(parser)


def add_arguments(parser) -> None:
    parser.add_argument("--list", action="store_true", help="list the benchmarks")
    programs = parser.add_subparsers(dest="program", metavar="NAME")
    for name in program_names():
        module = load(name)
        chosen = programs.add_parser(
            name,
            help=module.HELP,
            description=module.__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        add_options(module, chosen)


def run(args) -> int:
    if args.list or args.program is None:
        for name in program_names():
            print(f"{name:<10} {load(name).HELP}")
        return 0 if args.list else 2
    module = load(args.program)
    return harness.run(module, args) if hasattr(module, "SIZES") else module.run(args)
