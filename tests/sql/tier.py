# SPDX-License-Identifier: GPL-2.0-only
"""Our suite of the server's test runner: tests/sql, one file a topic, suite name `basalt`."""

import re
import subprocess

from tests.kit.tier_result import TierResult
from tools import mtr, paths
from tools.errors import DevError

HELP = "SQL suite in the server's test runner"

# "basalt.topic 'combination' w1 [ pass ]   123", also with skipped, fail, retry-pass, disabled
LINE = re.compile(r"^(\S+\.\S+(?: '[^']*')?)\s+(?:w\d+ )?\[ ([a-z-]+) \]")
WORKERS = 2
# of a failed topic: what mariadb-test and diff say ("mysqltest: At line 3: ...", "-0", "+1")
DIFFERENCE = re.compile(r"^(mysqltest: |[-+](?!-- |\+\+ |-{5}))")
# lines of a failed topic that are told again at the end
TOLD = 12


def run(args) -> TierResult:
    tests = sorted(p.stem for p in (mtr.SUITE / "t").glob("*.test"))
    if not tests:
        raise DevError("tests/sql/t holds no tests")
    options = ["--suite=basalt", "--force", "--max-test-fail=0", "--retry=0"]
    if args.filter:
        options.append(f"--do-test=.*{re.escape(args.filter)}.*")
    options.append("--record" if args.rewrite else f"--parallel={WORKERS}")
    vardir = paths.build_dir() / "mtr" / "var-sql"
    folder = mtr.make_installation()
    process = subprocess.Popen(
        mtr.command(options, vardir),
        cwd=folder,
        env=mtr.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    counts, failures = follow(process)
    if process.wait() != 0 and not failures:
        # the runner's own complaint (a warning in the server's log, a crash at shutdown)
        failures.append(f"mariadb-test-run.pl ended with status {process.returncode}")
    if args.filter and not (counts["pass"] or failures):
        failures.append(f"no test matches '{args.filter}'")
    result = TierResult("sql", counts["pass"], len(failures), counts["skipped"])
    result.failures = failures
    names = " ".join(dict.fromkeys(f.split()[0] for f in failures if f.startswith("basalt.")))
    result.repeat_command = f"./dev mtr {names}" if names else "./dev test sql"
    return result


def follow(process) -> tuple[dict[str, int], list[str]]:
    """Shows the runner's output; returns counts by kind, and each failed test with what differs."""
    counts = {"pass": 0, "skipped": 0}
    failures: dict[str, list[str]] = {}
    failed: list[str] | None = None
    for line in process.stdout:
        print(line, end="")
        match = LINE.match(line)
        if not match:
            if failed is not None and DIFFERENCE.match(line) and len(failed) < TOLD:
                failed.append(line.rstrip())
            continue
        name, verdict = match.groups()
        failed = None
        if verdict in ("pass", "retry-pass"):
            counts["pass"] += 1
        elif verdict in ("skipped", "disabled"):
            counts["skipped"] += 1
        elif name not in failures:
            failed = failures[name] = []
    return counts, ["\n    ".join([name, *told]) for name, told in failures.items()]
