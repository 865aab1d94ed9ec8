# SPDX-License-Identifier: GPL-2.0-only
"""Makes a failing history short: first without whole statements (delta debugging, ddmin), then
without rows, conditions, columns and keys, as long as the same kind of disagreement remains."""

import re
import time
from collections.abc import Callable

from tests.kit.side_by_side.runner import Mismatch
from tests.kit.side_by_side.statement import Statement

History = list[Statement]


class Shrinker:
    """`run` runs a history from an empty database. Stops after `seconds` with the best so far."""

    def __init__(self, run: Callable[[History], Mismatch | None], seconds: float):
        self.run = run
        self.deadline = time.monotonic() + seconds
        self.attempts = 0

    def shrink(self, history: History, mismatch: Mismatch) -> tuple[History, Mismatch]:
        self.best, self.mismatch = history[: mismatch.place + 1], mismatch
        if not self.fails(self.best):
            return history, mismatch  # it does not repeat; the caller says so
        size = None
        while size != self.size() and not self.late():
            size = self.size()
            self.drop_statements()
            self.drop_columns()
            self.drop_pieces()
        return self.best, self.mismatch

    def size(self) -> int:
        return sum(len(s.sql()) for s in self.best)

    def late(self) -> bool:
        return time.monotonic() > self.deadline

    def fails(self, history: History) -> bool:
        """Tries a candidate; keeps it as the best when it still disagrees in the same way."""
        if self.late() or not history:
            return False
        self.attempts += 1
        found = self.run(history)
        if found is None or found.kind != self.mismatch.kind:
            return False
        self.best, self.mismatch = history[: found.place + 1], found
        return True

    def drop_statements(self) -> None:
        parts = 2
        while len(self.best) >= 2 and not self.late():
            size = max(1, len(self.best) // parts)
            cuts = range(0, len(self.best), size)
            if any(self.fails(self.best[:i] + self.best[i + size :]) for i in cuts):
                parts = max(2, parts - 1)
            elif size == 1:
                return
            else:
                parts = min(len(self.best), parts * 2)

    def drop_pieces(self) -> None:
        place = 0
        while place < len(self.best) and not self.late():
            for smaller in self.best[place].smaller():
                if self.fails(self.best[:place] + [smaller] + self.best[place + 1 :]):
                    break
            else:
                place += 1

    def drop_columns(self) -> None:
        """A column goes from the CREATE TABLE, its keys and all INSERTs at once."""
        names = {i.split()[0] for s in self.best if is_create(s) for i in s.items}
        for name in sorted(n for n in names if re.fullmatch(r"[a-z]+\d*", n)):
            self.fails([without(s, name) for s in self.best])


def is_create(statement: Statement) -> bool:
    return statement.head.startswith(("CREATE TABLE", "CREATE TEMPORARY TABLE"))


def without(statement: Statement, column: str) -> Statement:
    if not is_create(statement):
        return statement.without_column(column)
    word = re.compile(rf"\b{column}\b")
    kept = []
    for item in statement.items:
        if item.split()[0] == column:
            continue
        if "FOREIGN KEY" in item and word.search(item):
            continue
        if "KEY" in item and word.search(item):
            head, _, inside = item.partition("(")
            inside = re.sub(rf"\b{column}(\(\d+\))?(, )?", "", inside[:-1]).rstrip(", ")
            if not inside:
                continue
            item = f"{head}({inside})"
        kept.append(item)
    copy = Statement(**{**statement.__dict__, "items": kept})
    return copy if kept else statement


def script(history: History, mismatch: Mismatch, title: str) -> str:
    """SQL to run by hand in two databases, one with each engine as the default."""
    lines = [f"-- {line}" for line in title.splitlines()]
    lines += [
        "-- run it once with each default_storage_engine, in InnoDB with stored columns and no"
    ]
    lines += ["-- TEMPORARY; answers that differ:"]
    lines += [f"--   {line}" for line in str(mismatch).splitlines()]
    several = len({s.connection for s in history}) > 1
    for statement in history:
        prefix = f"/* client {statement.connection} */ " if several else ""
        if statement.peer_first:
            lines.append(f"{prefix}{statement.peer_first}; -- only for the peer")
        lines.append(f"{prefix}{statement.sql()};")
    return "\n".join(lines) + "\n"
