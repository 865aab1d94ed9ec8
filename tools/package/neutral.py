# SPDX-License-Identifier: GPL-2.0-only
"""A copy of the plugin, or of a program, that does not tell where it was compiled.

Its debug information names the folder of the build and that of the cache. Objects out of the
compiler cache name the folder of the clone that compiled them first, so two builds in one clone may
differ as well. debugedit puts one name in the place of all and computes the build number again. The
code has no such paths: __FILE__ is relative (tools/build.py, compiler_environment), and RocksDB is
compiled with names of its own (tools/setup/rocksdb.py).
"""

import shutil
import subprocess
import tempfile
from pathlib import Path

from tools import paths, targets
from tools.errors import DevError

DEBIAN_PACKAGES = ["debugedit", "binutils"]
BUILD = "/usr/src/basalt/build/release"
CACHE = "/usr/src/basalt/cache"
# the cross compilers' folders are beside the machine's
SYSTEM = ("/usr/include", "/usr/lib", *(f"/usr/{t.triple}" for t in targets.TARGETS.values()))


def make_copy(product: Path, copy: Path, target: targets.Target) -> None:
    """Writes `copy`. Products that differ in those folders only give the same bytes."""
    shutil.copy(product, copy)  # a program stays one that can be run
    for old, new in renames(folders(product, target)).items():
        edit(copy, "-n", "-b", old, "-d", new)
    # Paths of other lengths have left their ends in the gaps between sections.
    subprocess.run([target.tool("objcopy"), copy], check=True)
    # Without a seed the number is computed again only after a change of paths by the same command.
    edit(copy, "-i", "-s", "basalt")


def folders(product: Path, target: targets.Target) -> list[str]:
    """The absolute folders that the debug information names."""
    with tempfile.TemporaryDirectory() as scratch:
        section = Path(scratch, "section")
        objcopy = target.tool("objcopy")
        command = [objcopy, f"--dump-section=.debug_line_str={section}", product, "/dev/null"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0 or not section.is_file():
            raise DevError(f"{product} has no debug information; run ./dev build\n{done.stderr}")
        strings = section.read_bytes().split(b"\0")
    return sorted({s.decode() for s in strings if s.startswith(b"/")})


def renames(named: list[str]) -> dict[str, str]:
    """What to call them: below the cache as there; all others that are not the system's are folders
    of builds, since the build gives the paths of the clone relative to its own."""
    cache = str(paths.cache())
    others = [f for f in named if not below(f, cache) and not any(below(f, s) for s in SYSTEM)]
    return {cache: CACHE} | dict.fromkeys(others, BUILD)


def below(folder: str, above: str) -> bool:
    return folder == above or folder.startswith(above + "/")


def edit(file: Path, *options: str) -> None:
    done = subprocess.run(["debugedit", *options, file], capture_output=True, text=True)
    if done.returncode != 0:
        raise DevError(f"debugedit failed: {done.stderr.strip()}")
