# SPDX-License-Identifier: GPL-2.0-only
"""Builds the plugin, incrementally, after the set-up if that is incomplete."""

import time

from tools import build, paths

HELP = "builds the plugin"


def add_arguments(parser) -> None:
    parser.add_argument("--tests", action="store_true", help="the unit tests too")
    parser.add_argument(
        "--variant",
        choices=tuple(build.SANITIZERS),
        default="release",
        help="asan/tsan: tests only",
    )


def run(args) -> int:
    started = time.monotonic()
    tests = args.tests or args.variant != "release"
    folder = build.build(plugin=True, tests=tests, variant=args.variant)
    what = paths.plugin() if args.variant == "release" else folder
    print(f"built {what} in {time.monotonic() - started:.1f} s")
    return 0
