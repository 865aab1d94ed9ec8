# SPDX-License-Identifier: GPL-2.0-only
"""One module a benchmark, run by `./dev bench NAME`. It defines HELP, one line for
`./dev bench --list`, and either
NAME, TITLE, ENGINES, SIZES, measure(bench)   what bench/harness.py runs, or
def add_arguments(parser)                     its options, on an argparse parser
def run(args) -> int                          does it; returns the exit status
and imports what is heavy inside its functions."""
