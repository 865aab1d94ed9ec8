# SPDX-License-Identifier: GPL-2.0-only
"""Finds the package lists on this machine and opens them, compressed or not.

apt keeps one file `HOST_PATH_dists_SUITE_COMPONENT_binary-ARCH_Packages[.lz4|.gz|...]` a list. The
system's own lists come first; where there are none (many containers), the private ones of
./dev setup; where there are none either, what is installed (dpkg's status file) is the index.
"""

import bz2
import contextlib
import gzip
import lzma
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tools import paths
from tools.errors import DevError

SYSTEM_LISTS = Path("/var/lib/apt/lists")
DPKG_STATUS = Path("/var/lib/dpkg/status")
APT_HELPER = Path("/usr/lib/apt/apt-helper")
# by file suffix: a module of Python's own or a program that reads a file to standard output
MODULES = {".gz": gzip, ".bz2": bz2, ".xz": lzma, ".lzma": lzma}
PROGRAMS = {".lz4": "lz4", ".zst": "zstd"}


@dataclass(frozen=True)
class IndexFiles:
    """`packages`: package lists; `translations`: long descriptions; `status`: what is installed.
    Any may be empty or None, but not both of the first and the last."""

    packages: tuple[Path, ...]
    translations: tuple[Path, ...]
    status: Path | None

    def fingerprint(self) -> str:
        """Changes when a package list does: names and sizes."""
        files = self.packages or ((self.status,) if self.status else ())
        return " ".join(f"{f.name}:{f.stat().st_size}" for f in files)


def private_lists() -> Path:
    return paths.cache() / "apt" / "state" / "lists"


def find(folders: Iterable[Path] = (), status: Path = DPKG_STATUS) -> IndexFiles:
    """The lists of the first folder that has any. DevError when this machine has no index."""
    there = status if status.is_file() else None
    for folder in folders or (SYSTEM_LISTS, private_lists()):
        packages = sorted(folder.glob("*_Packages*"), key=suite_order)
        if packages:
            translations = sorted(folder.glob("*_Translation-en*"))
            return IndexFiles(tuple(packages), tuple(translations), there)
    if there is None:
        raise DevError("missing: a Debian package index (no apt lists, no dpkg status file)")
    return IndexFiles((), (), there)


def suite_of(path: Path) -> str:
    """'bookworm-security/main' from the file name of a list; else the name itself."""
    match = re.search(r"_dists_(.+)_binary-[^_]+_Packages", path.name)
    return match.group(1).replace("_", "/") if match else path.name.partition("_Packages")[0][:100]


def suite_order(path: Path) -> tuple[int, str]:
    """Suites with newer versions come later: updates, then security."""
    return ("-updates" in path.name) + 2 * ("-security" in path.name), path.name


@contextlib.contextmanager
def opened(path: Path) -> Iterator[Iterable[bytes]]:
    """The decompressed lines of a file, as a stream. Raises OSError when it cannot be read, also
    late (a damaged archive); DevError when nothing on this machine can decompress it."""
    if path.suffix in MODULES:
        with MODULES[path.suffix].open(path, "rb") as stream:
            yield stream
    elif path.suffix in PROGRAMS:
        with subprocess.Popen(decompressor(path), stdout=subprocess.PIPE) as process:
            yield process.stdout
        if process.returncode != 0:
            raise OSError(f"cannot decompress {path}")
    else:
        with open(path, "rb") as stream:
            yield stream


def decompressor(path: Path) -> list[str]:
    """A command that writes the decompressed file; apt's own helper knows what apt wrote."""
    if APT_HELPER.exists():
        return [str(APT_HELPER), "cat-file", str(path)]
    program = shutil.which(PROGRAMS[path.suffix])
    if program is None:
        raise DevError(f"missing: {PROGRAMS[path.suffix]}, to read {path}")
    return [program, "-dc", str(path)]
