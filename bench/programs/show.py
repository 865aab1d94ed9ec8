# SPDX-License-Identifier: GPL-2.0-only
"""Shows again what a benchmark has found, from the results.json that it has kept.

The tables come onto the terminal, and report.html is written beside the first file, or into the
folder of --output. Several files become one report.
"""

import json
from pathlib import Path

HELP = "table and page again, from results.json"


def add_arguments(parser) -> None:
    parser.add_argument("files", nargs="+", type=Path, metavar="RESULTS.JSON")
    parser.add_argument("--output", type=Path, metavar="DIR", help="folder of the report")


def run(args) -> int:
    from bench import page, screen

    reports = [report for file in args.files for report in read(file)]
    output = args.output or args.files[0].parent
    output.mkdir(parents=True, exist_ok=True)
    (output / "report.html").write_text(page.page(reports))
    for report in reports:
        screen.print_report(report)
    print(f"report: {output / 'report.html'}")
    return 0


def read(file: Path) -> list:
    """The Reports of a file. DevError when it is no such file."""
    from tools.errors import DevError

    try:
        return reports_of(json.loads(file.read_text()))
    except OSError as error:
        raise DevError(f"{file}: {error.strerror}") from error
    except (ValueError, TypeError, KeyError, LookupError) as error:
        raise DevError(f"{file} holds no results of a benchmark: {error!r}") from error


def reports_of(plain) -> list:
    """What each kind of program keeps: reports; sysbench's raw runs; rounds by number of clients;
    rounds by scenario of the lock managers."""
    from bench import sysbench_report
    from bench.programs import commits, locks
    from bench.report import Report
    from bench.results import Results

    if isinstance(plain, list):
        return [Report.from_json(one) for one in plain]
    if "runs" in plain:
        return [sysbench_report.report(Results.from_json(plain))]
    if plain and all(key.isdigit() for key in plain):
        return [commits.report(plain, "kept rounds, sync_binlog=1")]
    if plain and set(plain) <= set(locks.SCENARIOS):
        return [locks.report(plain, "kept rounds")]
    raise ValueError("unknown")
