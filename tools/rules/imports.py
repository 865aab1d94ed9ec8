# SPDX-License-Identifier: GPL-2.0-only
"""Arrows of Python go down only: commands -> tiers, benchmarks -> kit of the tests -> tools.

A tier (a folder tests/TIER with a tier.py) imports no other tier: what two of them need stands in
tests/kit. Benchmarks import no test. What is left of tools/ imports neither; its commands, on top
of all, and the unit tests of Python code may import everything. programs/ runs on the servers of
its users: it imports itself and what its Debian package depends on.
"""

import ast
import sys
from pathlib import Path

ON_TOP = (Path("tools/commands"), Path("tests/unit/python"))
# modules of the packages in tools/setup/debian.py, PROGRAM_PACKAGES
PROGRAMS_KNOW = ("programs", "click", "pymysql", "rich", "xxhash")


def check(root: Path, files: list[Path]) -> list[str]:
    tiers = {path.parts[1] for path in files if is_tier(path)}
    found = []
    for path in files:
        if path.suffix == ".py" and not any(path.is_relative_to(top) for top in ON_TOP):
            found += check_file(path, (root / path).read_text(), tiers)
    return found


def is_tier(path: Path) -> bool:
    return len(path.parts) == 3 and path.parts[0] == "tests" and path.name == "tier.py"


def check_file(path: Path, text: str, tiers: set[str]) -> list[str]:
    found = []
    for line, module in imported(text):
        why = import_error(path.parts, module.split("."), tiers)
        if why:
            found.append(f"{path}:{line}: {why} ({module})")
    return found


def imported(text: str) -> list[tuple[int, str]]:
    """(line, full name) of everything that is imported; names of a module count as modules."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found += [(node.lineno, name.name) for name in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found += [(node.lineno, f"{node.module}.{name.name}") for name in node.names]
    return found


def import_error(mine: tuple[str, ...], theirs: list[str], tiers: set[str]) -> str:
    """Why a file may not import a module; '' when it may."""
    if mine[0] == "tools" and theirs[0] in ("tests", "bench"):
        return "tools know no tests and no benchmarks"
    if mine[0] == "bench" and theirs[0] == "tests":
        return "benchmarks know no tests"
    if mine[0] == "programs" and not available_to_programs(theirs[0]):
        return "programs know only themselves and what their package depends on"
    if mine[0] != "tests":
        return ""
    if theirs[0] == "bench":
        return "tests know no benchmarks"
    if theirs[0] == "tests" and theirs[1] in tiers and theirs[1] != mine[1]:
        return f"{mine[1]} may not know the tier {theirs[1]}: what both need stands in tests/kit"
    return ""


def available_to_programs(module: str) -> bool:
    return module in PROGRAMS_KNOW or module in sys.stdlib_module_names
