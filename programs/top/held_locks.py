# SPDX-License-Identifier: GPL-2.0-only
"""The locks that may be in somebody's way, as the server lists them. Listing is dear, so it is done
only when somebody waits, and for a twentieth of the time at most."""

import math
from collections.abc import Callable, Iterable

from programs.top import waits
from programs.top.snapshot import Lock, Transaction, Wait
from programs.top.units import duration

# The server makes a temporary table of all of them, with about 2 KB and 4 us for each.
MOST_LOCKS = 20_000
# how many times what it took a dear question waits
REST_FACTOR = 20

# rows of no use become one for each transaction
LOCKS = """
SELECT DISTINCT column_family_id, transaction_id,
       IF(mode IN ('X', 'S') AND `key` NOT IN (%s), LEFT(`key`, 8), `key`), mode
FROM information_schema.ROCKSDB_LOCKS WHERE LEFT(`key`, 8) IN (%s)"""
NAMES = """
SELECT column_family, index_number, table_schema, table_name, index_name
FROM information_schema.ROCKSDB_DDL WHERE index_number IN (%s)"""


class HeldLocks:
    """`ask(name, statement)` gives the rows of a statement, `cost()` the milliseconds that a
    question took, by its name. `hash_of`: see waits.py."""

    def __init__(
        self,
        ask: Callable[[str, str], list[tuple]],
        cost: Callable[[str], float],
        hash_of: Callable[[bytes], str],
    ):
        self.ask = ask
        self.cost = cost
        self.hash_of = hash_of
        self.names: dict[tuple[int, str], str] = {}
        self.locks: list[Lock] = []
        self.looked = self.due = -math.inf

    def refresh(self, transactions: list[Transaction], at: float) -> str:
        """Lists the locks, unless there are too many or it is too early; what is to be said of
        that. `at`: the client's clock."""
        waiting = waits.waiting(transactions)
        self.learn_names({(t.waiting_family, waits.index_of(t.waiting_key)) for t in waiting})
        held = sum(t.locks for t in transactions)
        if held > MOST_LOCKS:
            self.locks = []
            return f"{held} locks are held: too many to look through for who holds which"
        if at < self.due:
            return f"who holds what was looked at {duration(round(at - self.looked, 1))} ago"
        wanted = texts(waits.row_lock_key(t.waiting_key, self.hash_of) for t in waiting)
        indexes = texts(waits.index_of(t.waiting_key) for t in waiting)
        self.locks = [Lock(*row) for row in self.ask("locks", LOCKS % (wanted, indexes))]
        self.looked, self.due = at, at + REST_FACTOR * self.cost("locks") / 1000
        return ""

    def who_waits(self, transactions: list[Transaction], waiters: list[Transaction]) -> list[Wait]:
        return waits.who_waits(transactions, waiters, self.locks, self.names, self.hash_of)

    def learn_names(self, keys: set[tuple[int, str]]) -> None:
        unknown = [int(index, 16) for family, index in keys if (family, index) not in self.names]
        if not unknown:
            return
        numbers = ", ".join(map(str, unknown))
        for family, number, schema, table, index in self.ask("names", NAMES % numbers):
            self.names[family, f"{number:08x}"] = f"{schema}.{table}.{index}"


def texts(values: Iterable[str]) -> str:
    """A list for IN of hexadecimal digits and #, which need no escape."""
    return ", ".join(f"'{value}'" for value in sorted(set(values)))
