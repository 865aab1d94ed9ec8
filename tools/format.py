# SPDX-License-Identifier: GPL-2.0-only
"""clang-format for C++ and ruff for Python, to write or only to check."""

import shutil
import subprocess
import sys
from pathlib import Path

from tools import paths, rules
from tools.errors import DevError
from tools.rules import cpp

RUFF = [sys.executable, "-m", "ruff"]
RUFF_CONFIG = ["--config", str(paths.ROOT / "tools" / "ruff.toml"), "--no-cache"]


def chosen_files(only: list[str]) -> tuple[list[str], list[str]]:
    """(C++ files, Python files) of the project, those below the paths `only` when there are any."""
    files = rules.files_of_project()
    if only:
        roots = [Path(p).resolve() for p in only]
        files = [
            f for f in files if any((paths.ROOT / f).resolve().is_relative_to(r) for r in roots)
        ]
    return (
        [str(f) for f in files if cpp.is_cpp(f)],
        [str(f) for f in files if f.suffix == ".py"],
    )


def clang_format(files: list[str], *options: str) -> bool:
    if shutil.which("clang-format") is None:
        raise DevError("missing: clang-format; run ./dev setup")
    command = ["clang-format", *options, *files]
    return not files or subprocess.run(command, cwd=paths.ROOT).returncode == 0


def ruff(files: list[str], *options: str) -> bool:
    command = [*RUFF, *options, *RUFF_CONFIG, "--quiet", *files]
    return not files or subprocess.run(command, cwd=paths.ROOT).returncode == 0


def write(only: list[str]) -> bool:
    """Formats the files and mends what ruff can mend by itself."""
    cpp_files, python_files = chosen_files(only)
    done = clang_format(cpp_files, "-i")
    ruff(python_files, "check", "--fix-only")
    return ruff(python_files, "format") and done


def check(only: list[str]) -> bool:
    """True when `write` would change nothing and ruff has nothing to say."""
    cpp_files, python_files = chosen_files(only)
    results = [
        clang_format(cpp_files, "--dry-run", "-Werror", "--ferror-limit=1"),
        ruff(python_files, "format", "--check"),
        ruff(python_files, "check"),
    ]
    return all(results)
