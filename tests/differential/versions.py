# SPDX-License-Identifier: GPL-2.0-only
"""Tables versioned by transaction: what they hold of the past, and how that goes.

Ids of transactions are each engine's own, so statements have them in user variables, and what is
compared is rows and the order of the ids. AS OF TIMESTAMP is left out: an id says nothing about the
order of transactions in two engines, and the registry has both (docs/versioning.md).

The registry is asked outside transactions only: one that has asked holds locks there, which a
commit of the other engine would wait for."""

from random import Random

from tests.differential import queries
from tests.kit.side_by_side.schema import ENDED, STARTED, Key, Table
from tests.kit.side_by_side.statement import Statement

VARIABLES = ("@one", "@other")


def decide(rng: Random, table: Table) -> None:
    """Of a new table. It gets a primary key: of two rows with equal values one may have begun in
    this transaction, and then it matters which of them a LIMIT takes."""
    if table.temporary or rng.random() < 0.8:
        return
    table.versioned = True
    if not table.primary():
        table.keys.insert(0, Key("PRIMARY", [(table.column("id"), 0)], True))


def pick_transaction(rng: Random, table: Table, variable: str) -> Statement:
    """One in which a row began or ended; the variable stays as it is when there is none."""
    column = rng.choice([STARTED, STARTED, ENDED])
    return Statement(
        f"SELECT {column} FROM (SELECT DISTINCT {column} FROM {table.name} FOR SYSTEM_TIME ALL) d"
        f" ORDER BY {column} LIMIT {rng.choice([0, 1, 2, 3, 5, 8])}, 1 INTO {variable}"
    )


def period(rng: Random) -> str:
    one, other = VARIABLES
    return rng.choice(
        [
            "ALL",
            f"AS OF TRANSACTION {one}",
            f"AS OF TRANSACTION {one}",
            f"AS OF TRANSACTION {one}",
            f"FROM TRANSACTION {one} TO TRANSACTION {other}",
            f"BETWEEN TRANSACTION {one} AND TRANSACTION {other}",
        ]
    )


def read(rng: Random, table: Table) -> list[Statement]:
    """With what has to go before it."""
    picks = [pick_transaction(rng, table, name) for name in VARIABLES]
    return [*picks, read_of(rng, table, period(rng))]


def read_of(rng: Random, table: Table, when: str) -> Statement:
    names = rng.choice(["*", "COUNT(*)", ", ".join(queries.some_columns(rng, table))])
    head = f"SELECT {names} FROM {table.name} FOR SYSTEM_TIME {when}"
    where = queries.conditions(rng, table)
    found = Statement(f"{head}{queries.hint(rng, table)} WHERE ", where, " AND ", "", "multiset")
    found.asks_registry = "TRANSACTION" in when
    return found


def forget(rng: Random, table: Table) -> list[Statement]:
    one = VARIABLES[0]
    limit = rng.choice(["", f" BEFORE SYSTEM_TIME TRANSACTION {one}"])
    drop = Statement(f"DELETE HISTORY FROM {table.name}{limit}", asks_registry=bool(limit))
    return [pick_transaction(rng, table, one), drop]


def order_of_transactions(table: Table) -> Statement:
    """All rows, with the places of their ids among all ids of the table."""
    ids = " UNION ".join(
        f"SELECT {column} AS id FROM {table.name} FOR SYSTEM_TIME ALL"
        for column in (STARTED, ENDED)
    )
    places = (
        f"WITH ids AS ({ids}), places AS (SELECT id, ROW_NUMBER() OVER (ORDER BY id) n FROM ids)"
    )
    names = ", ".join(f"t.{c.name}" for c in table.columns)
    return Statement(
        f"{places} SELECT {names}, b.n, e.n FROM {table.name} FOR SYSTEM_TIME ALL t"
        f" JOIN places b ON b.id = t.{STARTED} JOIN places e ON e.id = t.{ENDED}",
        compare="multiset",
    )
