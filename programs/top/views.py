# SPDX-License-Identifier: GPL-2.0-only
"""Which panels a picture has."""

from rich.console import Group, RenderableType
from rich.text import Text

from programs.top import panels
from programs.top.rates import Rates
from programs.top.snapshot import Snapshot

# by the key that chooses it in the live picture
VIEWS = {
    "o": "overview",
    "c": "compactions",
    "l": "locks",
    "s": "statements",
    "t": "tables",
    "a": "all",
}
NARROWEST = 80
FEW, MANY = 5, 20


def parts(view: str, snapshot: Snapshot, rates: Rates) -> list[RenderableType]:
    work = panels.work(snapshot, rates)
    cache = panels.cache(snapshot, rates)
    disk = panels.disk(snapshot, rates)
    stalls = panels.stalls(snapshot, rates)
    tree = panels.tree(snapshot)
    compactions = panels.compactions(snapshot)
    waits = panels.lock_waits(snapshot, rates)
    few = FEW if view in ("overview", "all") else MANY
    transactions = panels.transactions(snapshot, few)
    statements = panels.statements(snapshot, few)
    tables = panels.tables(snapshot, few)
    deadlocks = panels.deadlocks(snapshot)
    digests = panels.digests(snapshot, few)
    return {
        "overview": [work, cache, disk, waits, transactions, statements],
        "compactions": [disk, stalls, tree, compactions],
        "locks": [waits, transactions, deadlocks],
        "statements": [work, statements, digests],
        "tables": [tables],
        "all": [work, cache, disk, stalls, tree, compactions, waits, transactions, deadlocks]
        + [statements, digests, tables],
    }[view]


def picture(view: str, snapshot: Snapshot, rates: Rates, sentences: list[str], where: str) -> Group:
    head = panels.header(snapshot, rates, where)
    return Group(head, panels.warnings(sentences, snapshot), *parts(view, snapshot, rates))


def too_narrow(width: int) -> str:
    """'' when a picture fits."""
    if width >= NARROWEST:
        return ""
    return f"the terminal has {width} columns, and the picture needs {NARROWEST}"


def keys() -> Text:
    shown = "  ".join(f"{key} {name}" for key, name in VIEWS.items())
    return Text(f"{shown}  q end", style="dim", no_wrap=True, overflow="ellipsis")
