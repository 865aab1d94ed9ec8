# SPDX-License-Identifier: GPL-2.0-only
"""Counts what a GoogleTest binary reports."""

from tests.kit.tier_result import TierResult


def count_report(result: TierResult, report: dict, binary: str, variant: str) -> None:
    for suite in report.get("testsuites", []):
        for test in suite["testsuite"]:
            if test["status"] != "RUN":
                continue
            if test.get("failures"):
                result.failed += 1
                result.failures.append(f"{suite['name']}.{test['name']} ({binary}, {variant})")
            elif test.get("result") == "SKIPPED":
                result.skipped += 1
            else:
                result.passed += 1
