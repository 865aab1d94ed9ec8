# SPDX-License-Identifier: GPL-2.0-only
"""One check of a tier: a name and a function that raises CheckFailed."""

import traceback
from collections.abc import Callable
from dataclasses import dataclass

from tests.kit.tier_result import TierResult
from tools.errors import DevError


class CheckFailed(Exception):
    """What a check found, for the reader of the list of failures."""


@dataclass
class Check:
    name: str
    run: Callable[[], None]


def expect(condition: bool, problem: str) -> None:
    if not condition:
        raise CheckFailed(problem)


def expect_in(part: str, text: str, where: str) -> None:
    expect(part in text, f"{where} lacks '{part}':\n{text[-2000:]}")


def run_checks(checks: list[Check], result: TierResult, chosen: str | None) -> None:
    """Runs those whose name contains `chosen`, and counts."""
    for check in checks:
        if chosen and chosen not in check.name:
            continue
        try:
            check.run()
        except (CheckFailed, DevError) as problem:
            count_failure(check.name, str(problem), result)
        except Exception:
            count_failure(check.name, traceback.format_exc(), result)
        else:
            result.passed += 1
            print(f"   {check.name}: ok", flush=True)


def count_failure(name: str, problem: str, result: TierResult) -> None:
    result.failed += 1
    result.failures.append(f"{name}: {problem}")
    print(f"   {name}: FAILED: {problem}", flush=True)
