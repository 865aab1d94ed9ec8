# SPDX-License-Identifier: GPL-2.0-only
"""The server's own test runner with our plugin in the place of MyRocks'.

  ./dev mtr --suite=basalt           our suite, tests/sql
  ./dev mtr basalt.TEST --record     write one expected result
  ./dev mtr main.select --mysqld=--default-storage-engine=rocksdb ...

All arguments go to mariadb-test-run.pl.
"""

HELP = "the server's test runner with our plugin"
REST = "all"


def add_arguments(parser) -> None:
    pass


def run(args) -> int:
    from tools import build, mtr

    if args.rest in (["-h"], ["--help"], []):
        print(__doc__)
        return 0 if args.rest else 2
    build.build()
    return mtr.run(args.rest)
