# SPDX-License-Identifier: GPL-2.0-only
"""What users and dashboards see, compared with stock MyRocks: variables, status counters, tables of
INFORMATION_SCHEMA; and whether the pages of docs/ that are made from them are up to date.
"""

import shutil

from tests.kit.tier_result import TierResult
from tests.surface import compare, pages
from tests.surface.picture import Picture, take
from tools import paths
from tools.server import PrivateServer

HELP = "variables, counters and INFORMATION_SCHEMA beside stock MyRocks; made pages of docs/"


def pictures() -> tuple[Picture, Picture]:
    """Ours, and that of stock MyRocks."""
    folder = paths.scratch() / "surface"
    shutil.rmtree(folder, ignore_errors=True)
    found = []
    for engine in ("rocksdb", "myrocks"):
        with PrivateServer(folder / engine, engine) as server:
            found.append(take(server))
    shutil.rmtree(folder, ignore_errors=True)
    return found[0], found[1]


def run(args) -> TierResult:
    result = TierResult("surface", 0, 0, repeat_command="./dev test surface")
    ours, theirs = pictures()
    tests = compare.all_of(ours, theirs)
    for name, text in pages.pages(ours, theirs).items():
        same = (paths.ROOT / name).is_file() and (paths.ROOT / name).read_text() == text
        tests[name] = [] if same else ["is not what ./dev docs --generate writes"]
    for name, findings in tests.items():
        if args.filter and args.filter not in name:
            continue
        result.passed += not findings
        result.failed += bool(findings)
        result.failures += [f"{name}: {finding}" for finding in findings]
        for finding in findings:
            print(f"  {name}: {finding}")
    return result
