# SPDX-License-Identifier: GPL-2.0-only
"""Runs the tests. Without a word: every tier, as CI does. `full`: every tier, the long way; those
that wait more than they compute run beside the others.

Ends with a table and, as the very last line, `N passed, N failed` (`, N skipped` when some were).
The exit status is 0 only when nothing failed and something passed.
"""

import importlib
import time

from tests.kit.lane import Lane, apart, failed_tier
from tests.kit.tier_result import TierResult
from tools import paths
from tools.errors import DevError

HELP = "runs the tests: all, or one tier"
# the order in which all tiers run: what fails fastest comes first
ORDER = (
    "quick",
    "sql",
    "surface",
    "matrix",
    "package",
    "damage",
    "faults",
    "tools",
    "console",
    "backup",
    "migrate",
    "fuzz",
    "differential",
    "foreign-keys",
    "spatial",
    "full-text",
    "crash",
    "replication",
    "cluster",
    "online-ddl",
)
# killed servers, slow disks, replicas that catch up: in the long form they leave a core idle
WAITING = ("faults", "crash", "replication", "cluster")


def tier_folders() -> dict[str, str]:
    """The tiers: name -> folder of tests/ with a tier.py. The name is the folder's, unless tier.py
    says NAME."""
    folders = sorted(file.parent.name for file in (paths.ROOT / "tests").glob("*/tier.py"))
    return {getattr(tier_module(f), "NAME", f.replace("_", "-")): f for f in folders}


def tier_names() -> list[str]:
    return sorted(tier_folders(), key=lambda n: (ORDER.index(n) if n in ORDER else len(ORDER), n))


def tier_module(folder: str):
    return importlib.import_module(f"tests.{folder}.tier")


def load(name: str):
    return tier_module(tier_folders()[name])


def add_arguments(parser) -> None:
    names = tier_names()
    parser.add_argument("tier", nargs="?", choices=[*names, "full"], help="default: every tier")
    parser.add_argument("--filter", help="only tests whose name contains this")
    parser.add_argument("--seed", type=int, help="seed of the random tiers (default: a new one)")
    parser.add_argument(
        "--seconds",
        type=float,
        help="how long: differential in all, fuzz for each target (defaults: see the tiers below)",
    )
    parser.add_argument(
        "--sanitize", action="store_true", help="quick: also under ASan+UBSan and TSan"
    )
    parser.add_argument("--rewrite", action="store_true", help="write the expected results anew")
    parser.add_argument("--long", action="store_true", help="the long form of the random tiers")
    parser.add_argument("--no-build", action="store_true", help="test the build as it is")
    for name in names:
        module = load(name)
        if hasattr(module, "add_arguments"):
            module.add_arguments(parser.add_argument_group(f"{name}: {module.HELP}"))


def run(args) -> int:
    if args.tier == "full":
        args.long = True
    one = args.tier not in (None, "full")
    names = [args.tier] if one else tier_names()
    if not one:
        args.sanitize = True
    if not args.no_build:
        build(names)
    results = run_tiers(names, args)
    if args.filter and not any(r.passed or r.failed or r.skipped for r in results):
        raise DevError(f"no test matches '{args.filter}'")
    report(results)
    failed = sum(r.failed for r in results)
    return 1 if failed or not any(r.passed for r in results) else 0


def build(names: list[str]) -> None:
    """Builds what the tiers need; a test of an old build would tell nothing."""
    from tools import build as builder

    if names == ["fuzz"]:
        return  # has a build of its own
    with_server = set(names) - {"quick", "fuzz"}
    builder.build(tests=bool({"quick", "faults"} & set(names)), plugin=bool(with_server))


def run_tiers(names: list[str], args) -> list[TierResult]:
    if len(names) == 1:
        return [run_tier(names[0], args)]
    beside = [name for name in names if name in WAITING] if args.tier == "full" else []
    lane = Lane(beside, run_tier, args, paths.scratch() / "beside.log") if beside else None
    results = [apart(run_tier, name, args) for name in names if name not in beside]
    return results + (lane.finish() if lane else [])


def run_tier(name: str, args) -> TierResult:
    print(f"== {name}: {load(name).HELP}")
    started = time.monotonic()
    try:
        result = load(name).run(args)
    except DevError as error:
        print(f"{name}: {error}")
        result = failed_tier(name, str(error).splitlines()[0])
    if not result.seconds:
        result.seconds = time.monotonic() - started
    return result


def report(results: list[TierResult]) -> None:
    for result in (r for r in results if r.failed):
        print(f"\n{result.name} failed:")
        for failure in result.failures[:40]:
            print(f"  {failure}")
        if len(result.failures) > 40:
            print(f"  ... and {len(result.failures) - 40} more")
        print(f"  repeat: {result.repeat_command}")
    print(f"\n{'tier':<14}{'passed':>8}{'failed':>8}{'skipped':>9}{'seconds':>9}")
    for r in results:
        print(f"{r.name:<14}{r.passed:>8}{r.failed:>8}{r.skipped:>9}{r.seconds:>9.1f}")
    passed = sum(r.passed for r in results)
    failed = sum(r.failed for r in results)
    skipped = sum(r.skipped for r in results)
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
