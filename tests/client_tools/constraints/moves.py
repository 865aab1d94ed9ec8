# SPDX-License-Identifier: GPL-2.0-only
"""Tools that move rows between tables with constraints: pt-archiver within a database,
pt-table-sync from one to a copy of it. Each run ends in the same way on both engines, also where a
constraint stops it, and leaves the same rows."""

from collections.abc import Sequence
from dataclasses import dataclass

from tests.client_tools.constraints.writer import CUSTOMERS

REFUSED = "a foreign key constraint fails"
FAILED = range(1, 256)  # pt-archiver dies with whatever errno it had last


@dataclass(frozen=True)
class Move:
    """`before`: statements that come first, with {near} and {far} for the databases. `arguments`:
    of the tool; {first} and {second} stand for how it finds the two databases. `says`: what it must
    say. `arrived`: a table, and how many rows it must have then, where that is known. `status`: how
    it may end, on every engine."""

    name: str
    tool: str
    arguments: tuple[str, ...]
    before: tuple[str, ...] = ()
    says: str = ""
    arrived: tuple[str, int] | None = None
    status: Sequence[int] = (0,)


def archive(name: str, table: str, where: str, *options: str, **others) -> Move:
    source = f"--source={{first}},t={table}"
    arguments = (source, f"--where={where}", "--limit=50", "--no-check-charset", *options)
    return Move(name, "pt-archiver", arguments, **others)


def bulk(target: str) -> tuple[str, ...]:
    """LOAD DATA LOCAL into the archive, and one DELETE for each part."""
    return ("--bulk-insert", "--bulk-delete", f"--dest={{first}},t={target}")


ARCHIVES = (
    archive(
        "parents that may not go", "customer", "id <= 10", "--purge", says=REFUSED, status=FAILED
    ),
    archive(
        "parents, whose children go too",
        "customer",
        "id > 500",
        "--txn-size=20",
        "--dest={first},t=customer_archive",
        before=("CREATE TABLE {near}.customer_archive LIKE {near}.customer",),
        arrived=("customer_archive", CUSTOMERS - 500),
    ),
    archive(
        "children in bulk, into a child of the same parent",
        "orders,L=1",
        "customer BETWEEN 11 AND 200",
        *bulk("orders_archive"),
        before=(
            "CREATE TABLE {near}.orders_archive (id INT PRIMARY KEY, customer INT NOT NULL,"
            " code VARCHAR(30), FOREIGN KEY (customer) REFERENCES {near}.customer (id))",
        ),
        arrived=("orders_archive", 2 * 190),
    ),
    archive(
        "children in bulk, into a child of a parent that has half of them; the others are lost",
        "orders,L=1",
        "customer BETWEEN 201 AND 300",
        *bulk("half_archive"),
        before=(
            "CREATE TABLE {near}.half (id INT PRIMARY KEY)",
            "INSERT INTO {near}.half SELECT id FROM {near}.customer WHERE id <= 250",
            "CREATE TABLE {near}.half_archive (id INT PRIMARY KEY, customer INT NOT NULL,"
            " code VARCHAR(30), FOREIGN KEY (customer) REFERENCES {near}.half (id))",
        ),
        arrived=("half_archive", 2 * 50),
    ),
    archive(
        "children, into a child of another parent that has not all of them",
        "player",
        "id > 50",
        "--dest={first},t=player_archive",
        before=(
            "CREATE TABLE {near}.team_archive (id INT PRIMARY KEY)",
            "INSERT INTO {near}.team_archive SELECT id FROM {near}.team WHERE id <= 12",
            "CREATE TABLE {near}.player_archive (id INT PRIMARY KEY, team INT NOT NULL,"
            " FOREIGN KEY (team) REFERENCES {near}.team_archive (id))",
        ),
        says=REFUSED,
        arrived=("player_archive", 1),
        status=FAILED,
    ),
)


def synchronise(name: str, table: str, *options: str, **others) -> Move:
    """Makes the table of the second database as that of the first."""
    between = (f"{{first}},t={table}", f"{{second}},t={table}")
    arguments = ("--execute", "--no-check-slave", *options, *between)
    return Move(f"{name} ({table})", "pt-table-sync", arguments, **{"status": (2,), **others})


DAMAGE = (
    "DELETE FROM {near}.customer WHERE id > 590",
    "UPDATE {near}.customer SET note = 'not the same' WHERE id = 300",
    "DELETE FROM {near}.orders WHERE customer = 301",
)
UNCHECKED = "--no-foreign-key-checks"
SYNCHRONISED = (
    synchronise("children before their parents", "item", before=DAMAGE, says=REFUSED, status=(1,)),
    *(synchronise("parents first", table) for table in ("customer", "orders", "item")),
    synchronise("children first, without checks", "item", UNCHECKED, before=DAMAGE),
    *(synchronise("and parents", table, UNCHECKED) for table in ("orders", "customer")),
)
