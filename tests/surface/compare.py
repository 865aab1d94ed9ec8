# SPDX-License-Identifier: GPL-2.0-only
"""Our picture beside that of stock MyRocks: each finding is a line, none means all is well."""

from dataclasses import fields

from tests.surface import differences
from tests.surface.picture import Picture, Variable

# "text" is our own; a default is a word of differences.DEFAULTS
COMPARED = [f.name for f in fields(Variable) if f.name not in ("name", "text", "default")]


def variables(ours: Picture, theirs: Picture) -> list[str]:
    found = []
    for name, their in theirs.variables.items():
        our = ours.variables.get(name)
        if (our is None) != (name in differences.MISSING):
            found.append(f"{name} is missing" if our is None else f"{name} is there, but listed")
        if our is None:
            continue
        for what in COMPARED:
            a, b = getattr(our, what), getattr(their, what)
            if a != b and (name, what) not in differences.VARIABLES:
                found.append(f"{name}: {what} is {a}, in MyRocks {b}")
        if our.default != their.default and name not in differences.DEFAULTS:
            found.append(f"{name}: the default is {our.default}, in MyRocks {their.default}")
    for name, what in differences.VARIABLES:
        same = getattr(ours.variables[name], what) == getattr(theirs.variables[name], what)
        found += [f"{name}: {what} is the same as in MyRocks, but listed"] if same else []
    for name in differences.DEFAULTS:
        if ours.variables[name].default == theirs.variables[name].default:
            found.append(f"{name}: the default is the same as in MyRocks, but listed")
    return found


def counters(ours: Picture, theirs: Picture) -> list[str]:
    found = [f"{name} is missing" for name in theirs.counters if name not in ours.counters]
    for name, value in ours.counters.items():
        if not value.isdigit():
            found.append(f"{name} is {value!r}, which collectors drop")
    return found


def tables(ours: Picture, theirs: Picture) -> list[str]:
    found = []
    for name, their in theirs.tables.items():
        our = ours.tables.get(name)
        if our is None:
            found.append(f"{name} is missing")
        elif our.columns != their.columns:
            found.append(f"{name} has {our.columns}, in MyRocks {their.columns}")
    return found


def names(ours: Picture, theirs: Picture) -> list[str]:
    found = []
    for table, their in theirs.names.items():
        our = ours.names[table]
        found += [] if their else [f"{table} of MyRocks has no names to compare"]
        found += [f"{table} has no {name}" for name in sorted(their - our)]
        found += [f"{table}: a space at an end of '{n}'" for n in sorted(our) if n != n.strip()]
    return found


def all_of(ours: Picture, theirs: Picture) -> dict[str, list[str]]:
    return {
        "variables": variables(ours, theirs),
        "counters": counters(ours, theirs),
        "information_schema": tables(ours, theirs),
        "names": names(ours, theirs),
    }
