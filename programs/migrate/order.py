# SPDX-License-Identifier: GPL-2.0-only
"""Which tables move together, and in which order. Tables that foreign keys connect are one group:
a child and its parent must be in one engine."""

from collections.abc import Iterable

from programs.migrate.catalog import ForeignKey
from programs.migrate.names import Name


def groups(names: Iterable[Name], keys: list[ForeignKey]) -> list[list[Name]]:
    """All names, each in one group, parents before their children where that is possible."""
    near: dict[Name, set[Name]] = {name: set() for name in names}
    for key in keys:
        near.setdefault(key.child, set()).add(key.parent)
        near.setdefault(key.parent, set()).add(key.child)
    found: list[list[Name]] = []
    seen: set[Name] = set()
    for name in sorted(near):
        if name not in seen:
            group = reachable(name, near)
            seen |= group
            found.append(parents_first(group, keys))
    return found


def reachable(start: Name, near: dict[Name, set[Name]]) -> set[Name]:
    found, waiting = {start}, [start]
    while waiting:
        for name in near[waiting.pop()] - found:
            found.add(name)
            waiting.append(name)
    return found


def parents_first(group: set[Name], keys: list[ForeignKey]) -> list[Name]:
    """In a cycle the first name goes first; later_keys() tells what that leaves."""
    parents = {
        name: {k.parent for k in keys if k.child == name and k.parent != name} for name in group
    }
    done: list[Name] = []
    waiting = sorted(group)
    while waiting:
        ready = [name for name in waiting if parents[name] <= set(done)]
        chosen = ready[0] if ready else waiting[0]
        done.append(chosen)
        waiting.remove(chosen)
    return done


def later_keys(ordered: list[Name], keys: list[ForeignKey]) -> list[ForeignKey]:
    """Those that cannot be added when their child moves: of a table to itself, and to a parent
    that moves behind it."""
    place = {name: number for number, name in enumerate(ordered)}
    return [
        key for key in keys if key.child in place and place.get(key.parent, -1) >= place[key.child]
    ]
