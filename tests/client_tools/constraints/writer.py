# SPDX-License-Identifier: GPL-2.0-only
"""The client beside pt-online-schema-change: single statements, of which it remembers those that
worked. Done again on tables that no tool has touched, they must give the same rows.

The tool has a moment in which children still refer to the old table while writes go to the new one,
on every engine. From that moment on the writer leaves out what deletes or moves rows of that table
that others refer to: the documented weakness of the tool would show, and not the engine.
"""

import random
from collections.abc import Callable

import pymysql
from pymysql.constants import ER

from tests.client_tools.constraints.schema import NODES, REGIONS, TEAMS, VISITED, Pair
from tests.kit.clients.client import RETRY

CUSTOMERS = 600  # those with even numbers stay, the others go and move
MAKERS: list[tuple[str, Callable[["Writer"], str]]] = []


def insert(table: str, **values: object) -> str:
    """With the names of the columns: the tool may have added one."""
    names, texts = ", ".join(values), ", ".join(map(str, values.values()))
    return f"INSERT INTO {{near}}.{table} ({names}) VALUES ({texts})"


def cascades_from(table: str):
    """Marks what makes a statement; `table`: whose children it changes, '' for none."""

    def register(make: Callable[["Writer"], str]):
        MAKERS.append((table, make))
        return make

    return register


class Writer:
    """Statements for one connection. `altered`: the table that the tool works on."""

    def __init__(self, seed: str, pair: Pair, altered: str):
        self.rng = random.Random(seed)
        self.pair, self.altered = pair, altered
        self.careful = False
        self.allowed = RETRY
        self.journal: list[tuple[str, int]] = []  # a statement with {near} and {far}, rows
        self.made = 1_000_000
        self.failed: list[str] = []

    def write(self, cursor) -> None:
        """One statement. An error that may not be is kept in `failed`."""
        makers = [m for table, m in MAKERS if not (self.careful and table == self.altered)]
        statement = self.rng.choice(makers)(self)
        try:
            self.journal.append((statement, cursor.execute(self.pair.format(statement))))
        except pymysql.Error as error:
            if error.args[0] not in self.allowed:
                self.failed.append(f"{statement}: {error}")

    def be_careful(self, missing: bool) -> None:
        """The tool is about to swap the tables. `missing`: for a moment there will be none."""
        self.careful = True
        if missing:
            self.allowed = (*RETRY, ER.NO_SUCH_TABLE, ER.NO_REFERENCED_ROW_2)

    def new_id(self) -> int:
        self.made += 1
        return self.made

    def standing(self) -> int:
        return 2 * self.rng.randint(1, CUSTOMERS // 2)

    def passing(self) -> int:
        return 2 * self.rng.randint(VISITED, CUSTOMERS // 2) - 1

    @cascades_from("")
    def customer(self) -> str:
        new, region = self.new_id(), self.rng.randint(1, REGIONS // 2)
        return insert("customer", id=new, code=f"'n{new}'", region=region, note="''")

    @cascades_from("")
    def order(self) -> str:
        new, customer = self.new_id(), self.standing()
        code = self.rng.choice(["NULL", f"'c{customer:06}'"])
        return insert("orders", id=new, customer=customer, code=code)

    @cascades_from("")
    def item(self) -> str:
        """For the order of a customer that stays: its number is one less."""
        return insert("item", ordered=self.standing() - 1, line=self.new_id())

    @cascades_from("")
    def note(self) -> str:
        row = self.rng.randint(1, CUSTOMERS)
        return f"UPDATE {{near}}.customer SET note = 'n{self.new_id()}' WHERE id = {row}"

    @cascades_from("")
    def player(self) -> str:
        return insert("player", id=self.new_id(), team=self.rng.randint(1, 9))

    @cascades_from("")
    def branch(self) -> str:
        return insert("category", id=self.new_id(), parent=self.rng.randint(1, 3))

    @cascades_from("orders")
    def drop_order(self) -> str:
        return f"DELETE FROM {{near}}.orders WHERE id = {self.passing() - 1}"

    @cascades_from("orders")
    def move_order(self) -> str:
        order = CUSTOMERS + self.passing() - 1
        return f"UPDATE {{near}}.orders SET id = {self.new_id()} WHERE id = {order}"

    @cascades_from("customer")
    def drop_customer(self) -> str:
        return f"DELETE FROM {{near}}.customer WHERE id = {self.passing()}"

    @cascades_from("customer")
    def move_customer(self) -> str:
        return f"UPDATE {{near}}.customer SET id = {self.new_id()} WHERE id = {self.passing()}"

    @cascades_from("customer")
    def rename_customer(self) -> str:
        code = f"'r{self.new_id()}'"
        return f"UPDATE {{near}}.customer SET code = {code} WHERE id = {self.passing()}"

    @cascades_from("region")
    def drop_region(self) -> str:
        region = self.rng.randint(REGIONS // 2 + 1, REGIONS)
        return f"DELETE FROM {{far}}.region WHERE id = {region}"

    @cascades_from("region")
    def move_region(self) -> str:
        region = self.rng.randint(REGIONS // 2 + 1, REGIONS)
        return f"UPDATE {{far}}.region SET id = {self.new_id()} WHERE id = {region}"

    @cascades_from("category")
    def drop_branch(self) -> str:
        return f"DELETE FROM {{near}}.category WHERE id = {self.rng.randint(4, NODES - 2)}"

    @cascades_from("team")
    def drop_team(self) -> str:
        return f"DELETE FROM {{near}}.team WHERE id = {self.rng.randint(10, TEAMS - 1)}"


def replay(cursor, journal: list[tuple[str, int]], pair: Pair) -> list[str]:
    """Does the statements again; tells which of them change another number of rows."""
    different = []
    for statement, rows in journal:
        try:
            found = cursor.execute(pair.format(statement))
        except pymysql.Error as error:
            found = error
        if found != rows:
            different.append(f"{statement}: {rows} rows, done again {found}")
    return different
