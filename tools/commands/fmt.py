# SPDX-License-Identifier: GPL-2.0-only
"""Formats C++ with clang-format and Python with ruff: everything, or only the PATHS."""

HELP = "formats the sources"


def add_arguments(parser) -> None:
    parser.add_argument("paths", nargs="*", metavar="PATH")


def run(args) -> int:
    from tools import format as formatter

    return 0 if formatter.write(args.paths) else 1
