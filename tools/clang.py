# SPDX-License-Identifier: GPL-2.0-only
"""Clang over our sources, for what gcc cannot see: the rules of the annotated mutexes.

The commands are those of the release build, with clang in the place of gcc and without code being
made. A source that clang has passed is not read again while its command, its own bytes and those
of the headers of ours that it includes are the same. Headers of the system, of the server and of
RocksDB are not compared: the last two stand in folders named by their version, in the command.
"""

import hashlib
import json
import shlex
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tools import build, paths, setup
from tools.errors import DevError
from tools.setup import debian
from tools.setup.step import parallel_jobs

# In the place of the build's own -W options: the other warnings remain gcc's, which has compiled
# each file already. (-w would silence what is asked for, too.)
CHECKS = ["-fsyntax-only", "-Wno-everything", "-Wthread-safety", "-Werror"]
COMPILER_OF_BUILD = ("c++", "g++", "gcc")
# Options with no meaning to clang, or none without code.
DROPPED = ("-W", "-O", "-g", "-fno-gnu-unique", "-fdiagnostics-color")


def check() -> list[str]:
    """The findings, each the message of clang with its place; none when all sources pass."""
    setup.ensure()
    debian.install([debian.CLANG_PACKAGE], "to check with clang")
    commands = read_commands(refreshed_commands())
    known = read_cache()
    hashes = FileHashes()
    with ThreadPoolExecutor(parallel_jobs(1.0)) as pool:
        results = list(pool.map(lambda c: check_source(c, known, hashes), commands))
    passed = {record["source"]: record for record, _ in results if record}
    write_cache(passed)
    return [finding for _, found in results for finding in found]


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
    """One entry (file, directory, command as a list for clang) for each source below src/."""
    found = {}
    for entry in json.loads(file.read_text()):
        source = Path(entry["file"])
        if source.is_relative_to(paths.ROOT / "src"):
            found[entry["file"]] = entry | {"command": clang_command(entry["command"])}
    return list(found.values())


def clang_command(command: str) -> list[str]:
    """The command of the build with clang for gcc, checks for code."""
    words = shlex.split(command)
    compiler = next(i for i, word in enumerate(words) if Path(word).name in COMPILER_OF_BUILD)
    options = words[compiler + 1 :]
    if "-o" in options:
        at = options.index("-o")
        del options[at : at + 2]
    kept = [o for o in options if not o.startswith(DROPPED)]
    return [build.CLANG, *CHECKS, *kept]


class FileHashes:
    """Hashes of files, each read once a run."""

    def __init__(self):
        self._known: dict[str, str] = {}

    def of(self, path: str) -> str:
        """'' when there is no such file."""
        if path not in self._known:
            file = Path(path)
            content = file.read_bytes() if file.is_file() else None
            self._known[path] = "" if content is None else hashlib.sha256(content).hexdigest()
        return self._known[path]


def check_source(entry: dict, known: dict, hashes: FileHashes) -> tuple[dict | None, list[str]]:
    """(what to remember, None when the source did not pass; findings)."""
    record = known.get(entry["file"])
    if record and still_true(record, entry["command"], hashes):
        return record, []
    started = time.time()
    command = [*entry["command"], "-MD", "-MF", "/dev/stdout"]
    done = subprocess.run(command, cwd=entry["directory"], capture_output=True, text=True)
    if done.returncode != 0:
        return None, [done.stderr.replace(f"{paths.ROOT}/", "").rstrip()]
    files = {path: hashes.of(path) for path in our_files(done.stdout)}
    if any(Path(path).stat().st_mtime >= started for path in files):
        return None, []  # somebody has written to it meanwhile: clang may have read what was before
    return {"source": entry["file"], "command": entry["command"], "files": files}, []


def still_true(record: dict, command: list[str], hashes: FileHashes) -> bool:
    if record["command"] != command:
        return False
    return all(hashes.of(path) == value for path, value in record["files"].items())


def our_files(rule: str) -> list[str]:
    """Those of a make rule's prerequisites that are below this clone's src/."""
    names = rule.replace("\\\n", " ").partition(": ")[2].split()
    return [name for name in names if Path(name).is_relative_to(paths.ROOT / "src")]


def cache_file() -> Path:
    return paths.build_root() / "clang-passed.json"


def read_cache() -> dict:
    """What has passed, by source; nothing when the file is missing, damaged or of another clang."""
    try:
        content = json.loads(cache_file().read_text())
    except (OSError, ValueError):
        return {}
    return content["sources"] if content.get("compiler") == compiler_version() else {}


def write_cache(records: dict) -> None:
    fresh = cache_file().with_suffix(".new")
    fresh.write_text(json.dumps({"compiler": compiler_version(), "sources": records}))
    fresh.replace(cache_file())


def compiler_version() -> str:
    return subprocess.run(
        [build.CLANG, "--version"], capture_output=True, text=True, check=True
    ).stdout
