# SPDX-License-Identifier: GPL-2.0-only
"""A disk that fails: the 1st, 2nd, 3rd ... I/O of every operation that writes, until it succeeds.

No server: the engine runs on a file system that fails on demand (tests/faults). The short form takes
the later I/Os of an operation in growing steps, --long every one. Each line says what was tried and
how many I/Os failed it.
"""

import json
import os
import subprocess

from devtools import paths
from devtools.errors import DevError
from devtools.tiers import TierResult
from devtools.tiers.quick import count_report

HELP = "failing I/Os: nothing acknowledged is lost, a full disk heals in place"

BINARY = "basalt_faults_test"
TIMEOUT, LONG_TIMEOUT = 300, 3600  # seconds; an operation that hangs is a failure


def run(args) -> TierResult:
    binary = paths.build_dir() / "tests" / BINARY
    if not binary.is_file():
        raise DevError(f"missing: {binary}; run ./dev build --tests")
    again = [f"--filter {args.filter}"] if args.filter else []
    again += ["--long"] if args.long else []
    result = TierResult("faults", 0, 0, repeat_command=" ".join(["./dev test faults", *again]))
    report = binary.with_suffix(".json")
    report.unlink(missing_ok=True)
    command = [str(binary), f"--gtest_output=json:{report}"]
    if args.filter:
        command.append(f"--gtest_filter=*{args.filter}*")
    environment = {**os.environ, **({"BASALT_LONG": "1"} if args.long else {})}
    limit = LONG_TIMEOUT if args.long else TIMEOUT
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, env=environment, timeout=limit
        )
    except subprocess.TimeoutExpired as error:
        raise DevError(f"{BINARY} did not end in {limit} s") from error
    if report.is_file():
        count_report(result, json.loads(report.read_text()), BINARY, "release")
    if done.returncode != 0 and not result.failed:
        result.failed += 1
        result.failures.append(f"{BINARY} ended with status {done.returncode}")
    show(done.stdout, bool(result.failed))
    print(f"   lost: {'see above' if result.failed else 0}")
    return result


def show(output: str, failed: bool) -> None:
    """The lines of the loops; after a failure everything."""
    for line in output.splitlines():
        if failed or line.startswith("   io: "):
            print(line)
