# SPDX-License-Identifier: GPL-2.0-only
"""Tests without a server: GoogleTest binaries of the layers, the rules of the house, the tools.

With --sanitize the GoogleTest binaries run twice more: from a build under ASan and UBSan, and from
one under TSan, whose RocksDB is instrumented too, so that no race has to be left out.
--rewrite writes the expected values of data-driven cases anew (environment BASALT_REWRITE=1).
"""

import io
import json
import os
import subprocess
import sys
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.kit.gtest_report import count_report
from tests.kit.tier_result import TierResult
from tools import build, paths

NAME = "quick"
HELP = "unit tests, layer rules and budgets, no server"

# Tests wait for flushes, locks and clocks most of the time, so one binary leaves processors idle.
AT_ONCE = 2
PYTHON_TESTS = paths.ROOT / "tests" / "unit" / "python"
SANITIZER_OPTIONS = {
    # RocksDB itself is not instrumented, which the container checks would take for an error
    "ASAN_OPTIONS": "detect_container_overflow=0:detect_leaks=1:abort_on_error=0",
    "UBSAN_OPTIONS": "print_stacktrace=1",
}
SANITIZED_VARIANTS = {"asan": "ASan+UBSan", "tsan": "TSan"}
# Long ones of one thread, and the binaries of a layer that starts none: TSan has nothing to look
# for in them, and takes up to twenty times as long. ASan runs them all.
ONE_THREAD = (
    "WalSyncDelayTest.*",  # a clock of its own
    "*RowAccessTest.AnEstimate*",
    "TableStatisticsTest.DeletionsInMemoryAreEstimatedWell",
    "RefusalTest.EachDamagedRecordOfTheDictionary",
    "WordSearch.FindsWhatAScanFinds",
)
WITHOUT_THREADS = ("basalt_codec_test", "basalt_codec_embedded_test")


def run(args) -> TierResult:
    result = TierResult("quick", 0, 0)
    run_binaries(result, args, "release")
    for variant, name in SANITIZED_VARIANTS.items() if args.sanitize else ():
        began = time.monotonic()
        build.build(plugin=False, tests=True, variant=variant)
        print(f"-- under {name}, built in {time.monotonic() - began:.0f} s", flush=True)
        run_binaries(result, args, variant)
    run_python_tests(result, args)
    again = [f"--filter {args.filter}"] if args.filter else []
    again += ["--sanitize"] if args.sanitize else []
    result.repeat_command = " ".join(["./dev test quick", *again])
    return result


def run_binaries(result: TierResult, args, variant: str) -> None:
    """Runs every unit-test binary of a build and adds to `result`."""
    folder = paths.build_dir(variant) / "tests"
    # the largest takes longest, and begins first
    binaries = sorted(
        (binary for binary in folder.glob("basalt_*_test") if is_wanted(binary.name, variant)),
        key=lambda binary: -binary.stat().st_size,
    )
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for one in pool.map(lambda binary: run_binary(args, binary, variant), binaries):
            count_binary(result, one)


def is_wanted(name: str, variant: str) -> bool:
    return name in current_binaries() and not (variant == "tsan" and name in WITHOUT_THREADS)


def current_binaries() -> set[str]:
    """Names of the binaries the sources make; an old build may hold more."""
    names = set()
    unit = paths.ROOT / "tests" / "unit"
    for file in unit.rglob("*_test.cc"):
        embedded = "embedded_" if file.name.startswith("embedded_") else ""
        names.add(f"basalt_{file.relative_to(unit).parts[0]}_{embedded}test")
    return names


@dataclass
class BinaryRun:
    """How a binary ended; its report is beside it."""

    binary: Path
    variant: str
    done: subprocess.CompletedProcess
    seconds: float


def run_binary(args, binary: Path, variant: str) -> BinaryRun:
    report = binary.with_suffix(".json")
    report.unlink(missing_ok=True)
    command = [str(binary), "--gtest_brief=1", f"--gtest_output=json:{report}"]
    left_out = "-" + ":".join(ONE_THREAD) if variant == "tsan" else ""
    command.append(f"--gtest_filter=*{args.filter or ''}*{left_out}")
    environment = {**os.environ, **SANITIZER_OPTIONS}
    if args.rewrite:
        environment["BASALT_REWRITE"] = "1"
    began = time.monotonic()
    done = subprocess.run(
        command, capture_output=True, text=True, errors="replace", env=environment
    )
    return BinaryRun(binary, variant, done, time.monotonic() - began)


def count_binary(result: TierResult, run: BinaryRun) -> None:
    report = run.binary.with_suffix(".json")
    name, done = f"{run.binary.name} ({run.variant})", run.done
    before = result.passed, result.failed
    if report.is_file():
        count_report(result, json.loads(report.read_text()), run.binary.name, run.variant)
    if done.returncode != 0 and result.failed == before[1]:
        # died, or a sanitizer spoke after the last test
        result.failed += 1
        ended = f"{name} ended with status {done.returncode}"
        result.failures.append("\n    ".join([ended, *sanitizer_summaries(done.stderr)]))
    print(f"   {name}: {result.passed - before[0]} passed", end="")
    failed = f", {result.failed - before[1]} failed" if result.failed > before[1] else ""
    print(f"{failed}, {run.seconds:.0f} s", flush=True)
    if done.returncode != 0:
        print("\n".join((done.stdout + done.stderr).splitlines()[-80:]))


def sanitizer_summaries(output: str) -> list[str]:
    """What sanitizers found, a line each: kind and place, for who sees the end of a log only."""
    lines = [line for line in output.splitlines() if line.startswith("SUMMARY: ")]
    return list(dict.fromkeys(lines))


def run_python_tests(result: TierResult, args) -> None:
    """Rules of the house and tests of the tools: unittest files *_test.py in tests/unit/python."""
    sys.path.insert(0, str(PYTHON_TESTS))
    loader = unittest.TestLoader()
    if args.filter:
        loader.testNamePatterns = [f"*{args.filter}*"]
    suite = loader.discover(str(PYTHON_TESTS), pattern="*_test.py")
    stream = io.StringIO()
    outcome = unittest.TextTestRunner(stream=stream, verbosity=0).run(suite)
    bad = [*outcome.failures, *outcome.errors]
    passed = outcome.testsRun - len(bad) - len(outcome.skipped)
    result.passed += passed
    result.failed += len(bad)
    result.skipped += len(outcome.skipped)
    result.failures += [test.id() for test, _ in bad]
    print(f"   rules and tools: {passed} passed" + (f", {len(bad)} failed" if bad else ""))
    for test, why in bad:
        print(f"{test.id()}\n{why}")
