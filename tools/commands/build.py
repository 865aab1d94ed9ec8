# SPDX-License-Identifier: GPL-2.0-only
"""Builds the plugin, incrementally, after the set-up if that is incomplete."""

import time

from tools import build, paths, targets
from tools.errors import DevError

HELP = "builds the plugin"


def add_arguments(parser) -> None:
    parser.add_argument("--tests", action="store_true", help="the unit tests too")
    parser.add_argument(
        "--variant",
        choices=tuple(build.SANITIZERS),
        default="release",
        help="asan, tsan: tests only; fuzz: the targets of ./dev test fuzz only",
    )
    parser.add_argument(
        "--target",
        choices=tuple(targets.TARGETS),
        help="the processor family; another than this machine's is built by a cross compiler",
    )


def run(args) -> int:
    started = time.monotonic()
    tests = args.variant in ("asan", "tsan") or (args.tests and args.variant != "fuzz")
    variant = args.variant
    if args.target and not targets.is_host(targets.TARGETS[args.target]):
        if variant != "release":
            raise DevError(f"--variant {variant} is for this machine only")
        variant = args.target
    folder = build.build(plugin=True, tests=tests, variant=variant)
    what = folder if args.variant != "release" else paths.plugin(variant)
    print(f"built {what} in {time.monotonic() - started:.1f} s")
    return 0
