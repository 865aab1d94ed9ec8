# SPDX-License-Identifier: GPL-2.0-only
"""clang-tidy over our sources, for what gcc cannot see: the checks that `.clang-tidy` chooses, and
the rules of the annotated mutexes (-Wthread-safety), both in one reading of a source.

The commands are those of the release build. A source that has passed is not read again, in any
clone, while its command, its own bytes and those of the headers of ours that it includes are the
same. Headers of the system, of the server and of RocksDB are not compared: the last two stand in
folders named by their version, in the command. Another clang-tidy or another `.clang-tidy` reads
all sources again.
"""

import hashlib
import json
import re
import shlex
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tools import build, paths, setup
from tools.errors import DevError
from tools.passed_sources import FileHashes, PassedSources, relative
from tools.setup import debian
from tools.setup.step import parallel_jobs, show_progress

TIDY = "clang-tidy-19"  # of debian.TIDY_PACKAGE
COMPILER_OF_BUILD = ("c++", "g++", "gcc")
# Options with no meaning to clang, or none without code. `.clang-tidy` chooses the warnings.
DROPPED = ("-W", "-O", "-g", "-fno-gnu-unique", "-fdiagnostics-color")
FINDING = re.compile(r"^\S+:\d+:\d+: (?:warning|error): ", re.M)
SECONDS_BETWEEN_PROGRESS = 15


def check() -> list[str]:
    """The findings, each the message of clang-tidy with its place; none when all sources pass."""
    setup.ensure()
    debian.install([debian.TIDY_PACKAGE], "to check with clang-tidy")
    commands = read_commands(refreshed_commands())
    findings: dict[str, None] = {}  # a header's finding comes once a source that includes it
    for found in check_sources(commands, PassedSources(judge())):
        findings.update(dict.fromkeys(found))
    return list(findings)


def check_sources(commands: list[dict], passed: PassedSources):
    """What check_source says of each command, in their order, several at a time; shows progress."""
    hashes = FileHashes()
    terminal = sys.stdout.isatty()
    shown = time.monotonic()
    pool = ThreadPoolExecutor(parallel_jobs(1.0))
    try:
        results = pool.map(lambda c: check_source(c, passed, hashes), commands)
        for number, result in enumerate(results, 1):
            if time.monotonic() - shown >= (0.2 if terminal else SECONDS_BETWEEN_PROGRESS):
                shown = time.monotonic()
                show_progress(f"lint: clang-tidy, {number} of {len(commands)} sources", terminal)
            yield result
    finally:
        pool.shutdown(cancel_futures=True)
        if terminal:
            print("\r\033[K", end="", flush=True)


def refreshed_commands() -> Path:
    """compile_commands.json of the release build, with sources that came since the last build."""
    folder = paths.build_dir()
    build.configure(folder, "release")
    done = subprocess.run(
        ["ninja", "-C", str(folder), "--quiet", "build.ninja"], capture_output=True, text=True
    )
    if done.returncode != 0:
        raise DevError(f"CMake failed\n{done.stdout}{done.stderr}")
    return folder / "compile_commands.json"


def read_commands(file: Path) -> list[dict]:
    """One entry (file, directory, command as a list for clang-tidy) for each source below src/."""
    found = {}
    for entry in json.loads(file.read_text()):
        source = Path(entry["file"])
        if source.is_relative_to(paths.ROOT / "src"):
            found[entry["file"]] = entry | {"command": tidy_command(entry["command"])}
    return list(found.values())


def tidy_command(command: str) -> list[str]:
    """The command of the build as one of clang-tidy: behind '--' stand the compiler's options."""
    words = shlex.split(command)
    compiler = next(i for i, word in enumerate(words) if Path(word).name in COMPILER_OF_BUILD)
    options = words[compiler + 1 :]
    if "-o" in options:
        at = options.index("-o")
        del options[at : at + 2]
    at = options.index("-c")
    source = options[at + 1]
    del options[at : at + 2]
    kept = [o for o in options if not o.startswith(DROPPED)]
    return [TIDY, "--quiet", f"--config-file={chosen_checks()}", source, "--", *kept]


def chosen_checks() -> Path:
    return paths.ROOT / ".clang-tidy"


def check_source(entry: dict, passed: PassedSources, hashes: FileHashes) -> list[str]:
    """The findings. A source without any is remembered as soon as it is read, so that an interrupt
    loses nothing."""
    if passed.has(entry, hashes):
        return []
    started = time.time()
    with tempfile.NamedTemporaryFile("r", suffix=".d") as includes:
        # clang-tidy strips the compiler's -M options, except where they are the preprocessor's
        command = [*entry["command"], f"-Wp,-MMD,{includes.name}"]
        done = subprocess.run(command, cwd=entry["directory"], capture_output=True, text=True)
        rule = includes.read()
    if done.returncode != 0:
        source, status = relative(entry["file"]), done.returncode
        ended = f"{source}:1: clang-tidy ended with status {status}\n{done.stderr}"
        return split_findings(done.stdout) or [ended.rstrip()]
    files = {path: hashes.of(path) for path in our_files(rule)}
    # what somebody has written to meanwhile clang may have read as it was before
    if all((paths.ROOT / path).stat().st_mtime < started for path in files):
        passed.add(entry, files)
    return []


def split_findings(output: str) -> list[str]:
    """What clang-tidy has printed, one finding with its notes each, paths from the root."""
    text = relative(output)
    starts = [match.start() for match in FINDING.finditer(text)]
    ends = [*starts[1:], len(text)]
    return [text[start:end].rstrip() for start, end in zip(starts, ends, strict=False)]


def our_files(rule: str) -> list[str]:
    """Those of a make rule's prerequisites that are below this clone's src/, from its root."""
    names = rule.replace("\\\n", " ").partition(": ")[2].split()
    ours = (name for name in names if Path(name).is_relative_to(paths.ROOT / "src"))
    return [relative(name) for name in ours]


def judge() -> list[str]:
    """Who says that a source passes: the version of clang-tidy and the checks."""
    version = subprocess.run([TIDY, "--version"], capture_output=True, text=True, check=True).stdout
    return [version, hashlib.sha256(chosen_checks().read_bytes()).hexdigest()]
