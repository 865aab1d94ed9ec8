# SPDX-License-Identifier: GPL-2.0-only
"""Rooms: the folders inside a layer, which of them may include which, and names that stand once.

An edge that is allowed but that no file uses is a finding too, so that the tables here and in
layers.py say what is, not what once was.
"""

from collections import defaultdict
from pathlib import Path

from tools.rules import cpp, layers

# layer -> room -> the rooms of that layer it may include besides itself; "" are the files that
# stand in the layer's own folder
ROOMS = {
    "store": {
        "format": set(),
        "statistics": set(),
        "compaction": set(),
        "memtables": {"statistics"},
        "options": {"format", "statistics", "compaction"},
        "errors": {"options"},
        "wal": {"options", "errors"},
        "opening": {"format", "options", "errors", "wal"},
        "families": {"format", "options", "errors", "compaction"},
        "maintenance": {
            "format",
            "statistics",
            "compaction",
            "memtables",
            "options",
            "errors",
            "wal",
            "families",
        },
        "": {
            "format",
            "statistics",
            "compaction",
            "options",
            "errors",
            "wal",
            "opening",
            "families",
            "maintenance",
        },
        "reports": {"", "format", "statistics", "errors"},
    },
    "engine": {
        "": set(),
        "scans": {""},
        "rows": {"", "scans", "full_text"},
        "indexes": {""},
        "loads": {"", "indexes"},
        "checks": {"", "indexes"},
        "full_text": {""},
        "references": {"", "rows", "scans", "indexes"},
    },
    "server": {
        "measures": {""},
        "tables": {"", "measures", "variables"},
        "connections": {"", "measures", "variables", "tables"},
        "variables": {"", "measures"},
        "foreign_keys": {"", "tables"},
        "definitions": {"", "variables", "tables", "connections"},
        "handler": {
            "",
            "measures",
            "variables",
            "tables",
            "connections",
            "definitions",
            "foreign_keys",
        },
        "information_schema": {"", "measures", "tables"},
        "reports": {
            "",
            "measures",
            "variables",
            "tables",
            "connections",
            "information_schema",
            "foreign_keys",
        },
        "plugin": {
            "",
            "measures",
            "variables",
            "tables",
            "connections",
            "definitions",
            "foreign_keys",
            "handler",
            "information_schema",
            "reports",
        },
        "": set(),
    },
}

# sources without a header of their name: a class that is too large for one source, or a table that
# registers itself. The list may only shrink.
WITHOUT_HEADER = {
    "src/engine/checks/table_check_search.cc",
    "src/server/handler/handler_alter.cc",
    "src/server/handler/handler_check.cc",
    "src/server/handler/handler_ddl.cc",
    "src/server/handler/handler_info.cc",
    "src/server/handler/handler_lock.cc",
    "src/server/handler/handler_open.cc",
    "src/server/handler/handler_read.cc",
    "src/server/handler/handler_references.cc",
    "src/server/handler/handler_write.cc",
    "src/server/information_schema/column_family_views.cc",
    "src/server/information_schema/database_views.cc",
    "src/server/information_schema/file_views.cc",
    "src/server/information_schema/foreign_key_views.cc",
    "src/server/information_schema/index_views.cc",
    "src/server/information_schema/perf_views.cc",
    "src/server/plugin/plugin.cc",
    "src/server/variables/bulk_load_variables.cc",
    "src/server/variables/database_variables.cc",
    "src/server/variables/maintenance_variables.cc",
    "src/server/variables/session_variables.cc",
    "src/server/variables/table_file_variables.cc",
}

Edge = tuple[str, str]  # from, to: both "layer/room", or both "layer"


def check(root: Path, files: list[Path]) -> list[str]:
    sources = [p for p in files if cpp.is_cpp(p) and p.parts[0] == "src"]
    found, used = twice(sources) + without_header(sources), set()
    for path in sources:
        findings, edges = check_file(path, (root / path).read_text(errors="replace"))
        found += findings
        used |= edges
    return found + unused(used)


def check_file(path: Path, text: str) -> tuple[list[str], set[Edge]]:
    """Findings in one file src/LAYER/[ROOM/]NAME, and the edges that its includes use."""
    layer, room = path.parts[1], room_of(path.parts[2:])
    rooms = ROOMS.get(layer)
    if rooms is not None and room not in rooms:
        return [f"{path}:1: {room} is no room of {layer}"], set()
    found, used = [], set()
    for match in layers.INCLUDE.finditer(text):
        header = match.group(2)
        into, *rest = header.split("/")
        if match.group(1) != '"' or into not in layers.BELOW or not rest:
            continue
        if into != layer:
            used.add((layer, into))
            continue
        other = room_of(rest)
        if rooms is None or other == room:
            continue
        used.add((f"{layer}/{room}", f"{layer}/{other}"))
        if other not in rooms[room]:
            line = text.count("\n", 0, match.start()) + 1
            found.append(f"{path}:{line}: {name(layer, room)} may not know {header}")
    return found, used


def room_of(parts: tuple[str, ...] | list[str]) -> str:
    """The room of a file, given its path below the layer; '' for none."""
    return "/".join(parts[:-1])


def name(layer: str, room: str) -> str:
    return f"room {layer}/{room}" if room else f"{layer} outside of its rooms"


def allowed() -> set[Edge]:
    edges = {(layer, below) for layer, others in layers.BELOW.items() for below in others}
    for layer, rooms in ROOMS.items():
        edges |= {(f"{layer}/{a}", f"{layer}/{b}") for a, others in rooms.items() for b in others}
    return edges


def unused(used: set[Edge]) -> list[str]:
    """Edges that may be and are not."""
    return [
        f"src:1: no file uses the edge {above} -> {below}: take it out of the allowed ones"
        for above, below in sorted(allowed() - used)
    ]


def twice(sources: list[Path]) -> list[str]:
    """A file name tells which file is meant: in a stack trace, in an editor's tab."""
    places = defaultdict(set)
    for path in sources:
        places[path.name].add(path)
    return [
        f"{path}:1: {path.name} stands in {' and '.join(str(p.parent) for p in sorted(paths))}"
        for paths in places.values()
        if len(paths) > 1
        for path in [max(paths)]
    ]


def without_header(sources: list[Path]) -> list[str]:
    """The header of a source has its name, and stands beside it."""
    there = set(sources)
    alone = {str(p) for p in sources if p.suffix == ".cc" and p.with_suffix(".h") not in there}
    found = [f"{name}:1: no header of this name" for name in sorted(alone - WITHOUT_HEADER)]
    stale = sorted(WITHOUT_HEADER - alone)
    return found + [f"{name}:1: strike it from WITHOUT_HEADER" for name in stale]
