# SPDX-License-Identifier: GPL-2.0-only
"""Arrows go down only: which layer may include what, and calls no layer may make."""

import re
from pathlib import Path

from tools.rules import cpp

# layer -> the layers it may include besides itself
BELOW = {
    "base": set(),
    "codec": {"base"},
    "store": {"base"},
    "catalog": {"base", "store"},
    "txn": {"base", "store", "catalog"},
    "engine": {"base", "codec", "store", "catalog", "txn"},
    "server": {"base", "codec", "store", "catalog", "txn", "engine"},
}
# layers which know nothing of RocksDB
NO_ROCKSDB = {"base", "codec"}
# headers of the system that are not C++'s own (those have no dot in their name); xxhash.h is
# used inline, without its library
SYSTEM = re.compile(
    r"(?:(?:errno|fcntl|pthread|sched|signal|stdlib|string|time|unistd|dirent|immintrin|"
    r"nmmintrin|x86intrin|zlib|xxhash|malloc|linux/\w+)|sys/\w+)\.h"
)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)
# ends the process, but only in builds with a sanitizer
ASSERTIONS = Path("src/base/assert.h")
# an error must reach the user; nothing in the plugin may take the server down
DEADLY = re.compile(
    r"(?<![\w.>])(?:std::|::)?(abort|exit|_exit|_Exit|quick_exit|terminate|raise|__builtin_trap)\s*\("
)


def check(root: Path, files: list[Path]) -> list[str]:
    found = []
    for path in files:
        if not cpp.is_cpp(path) or path.parts[0] != "src":
            continue
        if len(path.parts) < 3 or path.parts[1] not in BELOW:
            found.append(f"{path}:1: not in the folder of a layer ({', '.join(BELOW)})")
            continue
        found += check_file(path, (root / path).read_text(errors="replace"))
    return found


def check_file(path: Path, text: str) -> list[str]:
    """Findings in one file src/LAYER/..., given its text."""
    layer, found = path.parts[1], []
    for match in INCLUDE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        why = include_error(layer, match.group(1) == '"', match.group(2))
        if why:
            found.append(f"{path}:{line}: {why}")
    if path == ASSERTIONS:
        return found
    code = cpp.code_only(text)
    for match in DEADLY.finditer(code):
        line = code.count("\n", 0, match.start()) + 1
        found.append(f"{path}:{line}: {match.group(1)}() would end the server")
    return found


def include_error(layer: str, quoted: bool, header: str) -> str:
    """Why a layer may not include a header; '' when it may."""
    folder = header.split("/")[0] if "/" in header else ""
    if quoted and folder in BELOW:
        allowed = folder == layer or folder in BELOW[layer]
        return "" if allowed else f"layer {layer} may not know {folder} ({header})"
    if folder == "rocksdb":
        if layer in NO_ROCKSDB:
            return f"layer {layer} may not know RocksDB ({header})"
        return "" if not quoted else f"RocksDB's headers are included as <{header}>"
    if folder == "jemalloc" and layer == "store":
        return ""
    if layer == "server":
        return ""  # the border: server headers are at home here
    if quoted or not (("." not in header and "/" not in header) or SYSTEM.fullmatch(header)):
        return f"layer {layer} may include layers below, C++ and system headers, not {header}"
    return ""
