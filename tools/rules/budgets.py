# SPDX-License-Identifier: GPL-2.0-only
"""Budgets as a ratchet: a file or function may exceed its budget only as far as baseline.json
says, and what the baseline says may only shrink (`./dev lint --shrink` writes the lower number).
Classes have budgets, too: one that has too many members has more than one job."""

import ast
import json
import statistics
from pathlib import Path

from tools.rules import cpp, prose

HEADER_LINES = 250
SOURCE_LINES = 800
FUNCTION_LINES = 70
HEADER_COMMENT_PERCENT = 30
# of one class; functions of its own that are public
DATA_MEMBERS = 20
PUBLIC_FUNCTIONS = 30
# below this a header holds too little to be judged by its share of comment
SMALL_HEADER_LINES = 15

BASELINE = Path(__file__).with_name("baseline.json")


def measure(root: Path, files: list[Path]) -> dict[str, int]:
    """What exceeds a budget: 'PATH: what' -> by how much (lines, or percent points missing)."""
    over: dict[str, int] = {}
    for path in files:
        if cpp.is_cpp(path) and path.parts[0] in ("src", "tests"):
            over |= measure_cpp(path, (root / path).read_text(errors="replace"))
        elif path.suffix == ".py":
            over |= measure_python(path, (root / path).read_text(errors="replace"))
        if prose.is_read(path):
            over |= prose.measure(path, (root / path).read_text(errors="replace"))
    return over


def _excess(path: Path, sizes: dict[str, tuple[int, int]]) -> dict[str, int]:
    """Entries for those of {what: (size, budget)} that exceed their budget."""
    return {f"{path}: {what}": size - most for what, (size, most) in sizes.items() if size > most}


def measure_cpp(path: Path, text: str) -> dict[str, int]:
    lines = len(text.splitlines())
    is_header = path.suffix == ".h"
    sizes = {"lines": (lines, HEADER_LINES if is_header else SOURCE_LINES)}
    for function in cpp.functions(text):
        sizes[f"function {function.head}"] = (function.length, FUNCTION_LINES)
    for declared in cpp.classes(text) if path.parts[0] == "src" else []:
        if declared.functions:  # else it is a table of values
            sizes[f"data members of {declared.name}"] = (declared.data, DATA_MEMBERS)
        sizes[f"public functions of {declared.name}"] = (declared.functions, PUBLIC_FUNCTIONS)
    if is_header and path.parts[0] == "src" and lines >= SMALL_HEADER_LINES:
        percent = round(100 * cpp.comment_share(text))
        sizes["missing comment"] = (HEADER_COMMENT_PERCENT - percent, 0)
    return _excess(path, sizes)


def measure_python(path: Path, text: str) -> dict[str, int]:
    sizes = {"lines": (len(text.splitlines()), SOURCE_LINES)}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            sizes[f"function {node.name}"] = (node.end_lineno - node.lineno + 1, FUNCTION_LINES)
    return _excess(path, sizes)


def read_baseline() -> dict[str, int]:
    return json.loads(BASELINE.read_text())


def check(root: Path, files: list[Path]) -> list[str]:
    return compare(measure(root, files), read_baseline())


def compare(over: dict[str, int], allowed: dict[str, int]) -> list[str]:
    """Findings: what is over budget by more than allowed, and allowances that could shrink."""
    found = []
    for what, excess in over.items():
        if excess > allowed.get(what, 0):
            found.append(f"{what}: {excess} over the budget (allowed: {allowed.get(what, 0)})")
    for what, allowance in allowed.items():
        if over.get(what, 0) < allowance:
            found.append(f"{what}: got better; shrink the baseline with ./dev lint --shrink")
    return found


def shrink(over: dict[str, int], allowed: dict[str, int]) -> dict[str, int]:
    """The baseline with every allowance lowered to what is needed; nothing is ever raised."""
    return {what: min(n, over[what]) for what, n in allowed.items() if over.get(what, 0) > 0}


def write_baseline(allowed: dict[str, int]) -> None:
    BASELINE.write_text(json.dumps(dict(sorted(allowed.items())), indent=2) + "\n")


def overview(root: Path, files: list[Path]) -> str:
    """One line of numbers about the C++ sources, for the end of ./dev lint."""
    lengths = []
    for path in files:
        if cpp.is_cpp(path) and path.parts[0] == "src":
            lengths += [f.length for f in cpp.functions((root / path).read_text(errors="replace"))]
    if not lengths:
        return "no functions in src/ yet"
    return (
        f"{len(lengths)} functions in src/, median {statistics.median(lengths):.0f} lines, "
        f"longest {max(lengths)}"
    )
