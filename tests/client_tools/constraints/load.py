# SPDX-License-Identifier: GPL-2.0-only
"""A client that writes tables with constraints while tools copy them. It has customers of its own,
so that it knows which orders are left when cascades have run."""

from collections.abc import Callable

import pymysql
from pymysql.constants import ER

from tests.client_tools.constraints.schema import Pair
from tests.kit.clients.client import Client, Problem
from tests.kit.replicas.node import DATABASE

PAIR = Pair(DATABASE, f"{DATABASE}_far")
STANDING = 20  # customers whom no client changes
IDS = 1_000_000  # of a client, in each table
CUSTOMERS = 12  # of a client at a time, about

Orders = dict[int, dict[int, int]]  # customer -> order -> its items


class Constrained(Client):
    """Transactions over parents and children, and statements that must fail."""

    def __init__(self, number: int, seed: int, connect):
        super().__init__(number, seed, connect)
        self.orders: Orders = {}
        self.pending: Orders | None = None
        self.first = (number + 1) * IDS
        self.made = 0

    def create(self) -> list[str]:
        return PAIR.statements(STANDING)

    def step(self) -> None:
        orders = {customer: dict(items) for customer, items in self.orders.items()}
        self.execute("BEGIN")
        self.rng.choice(STEPS)(self, orders)
        self.pending = orders
        self.execute("COMMIT")
        self.orders, self.pending = orders, None
        self.acknowledge()

    def abandon(self) -> None:
        self.pending = None
        super().abandon()

    def new_id(self) -> int:
        self.made += 1
        return self.first + self.made % IDS

    def some(self, orders: Orders) -> int:
        """A customer of this client; a new one while there are few."""
        if len(orders) >= CUSTOMERS:
            return self.rng.choice(sorted(orders))
        customer = self.new_id()
        region = self.rng.randint(1, 9)
        self.execute(f"INSERT INTO customer VALUES ({customer}, 'c{customer:06}', {region}, '')")
        orders[customer] = {}
        return customer

    def order(self, orders: Orders) -> None:
        customer, order, items = self.some(orders), self.new_id(), self.rng.randint(1, 3)
        code = f"(SELECT code FROM customer WHERE id = {customer})"
        self.execute(f"INSERT INTO orders VALUES ({order}, {customer}, {code})")
        for line in range(items):
            self.execute(f"INSERT INTO item VALUES ({order}, {line})")
        orders[customer][order] = items

    def drop(self, orders: Orders) -> None:
        customer = self.some(orders)
        self.execute(f"DELETE FROM customer WHERE id = {customer}")
        del orders[customer]

    def move(self, orders: Orders) -> None:
        customer, other = self.some(orders), self.new_id()
        self.execute(f"UPDATE customer SET id = {other} WHERE id = {customer}")
        orders[other] = orders.pop(customer)

    def rename(self, orders: Orders) -> None:
        customer = self.some(orders)
        self.execute(f"UPDATE customer SET code = 'c{self.new_id():06}b' WHERE id = {customer}")

    def region(self, orders: Orders) -> None:
        """A region that customers lose again, after it got another number."""
        customer, region, other = self.some(orders), self.new_id(), self.new_id()
        self.execute(f"INSERT INTO {PAIR.far}.region VALUES ({region}, 'passing')")
        self.execute(f"UPDATE customer SET region = {region} WHERE id = {customer}")
        self.execute(f"UPDATE {PAIR.far}.region SET id = {other} WHERE id = {region}")
        self.execute(f"DELETE FROM {PAIR.far}.region WHERE id = {other}")

    def tree(self, orders: Orders) -> None:
        """A branch that goes as a whole, but for now and then."""
        nodes = [self.new_id() for _ in range(4)]
        for node, parent in zip(nodes, [1, *nodes], strict=False):
            self.execute(f"INSERT INTO category VALUES ({node}, {parent})")
        if self.rng.random() < 0.8:
            self.execute(f"DELETE FROM category WHERE id = {nodes[0]}")

    def team(self, orders: Orders) -> None:
        team, captain = self.new_id(), self.new_id()
        self.execute(f"INSERT INTO team VALUES ({team}, NULL)")
        self.execute(f"INSERT INTO player VALUES ({captain}, {team})")
        self.execute(f"UPDATE team SET captain = {captain} WHERE id = {team}")
        if self.rng.random() < 0.8:
            self.execute(f"DELETE FROM team WHERE id = {team}")

    def refused(self, orders: Orders) -> None:
        order = self.new_id()
        self.must_fail(ER.ROW_IS_REFERENCED_2, "DELETE FROM customer WHERE id = 3")
        self.must_fail(ER.NO_REFERENCED_ROW_2, f"INSERT INTO orders VALUES ({order}, -1, NULL)")

    def must_fail(self, number: int, statement: str) -> None:
        try:
            self.execute(statement)
        except pymysql.IntegrityError as error:
            if error.args[0] == number:
                return
            raise
        self.counts.errors.append(f"not refused with {number}: {statement}")

    def check(self, execute) -> list[Problem]:
        """Nothing is in flight here but a commit that was perhaps never sent."""
        found: Orders = {}
        rows = execute(
            "SELECT c.id, o.id, COUNT(i.line) FROM customer c LEFT JOIN orders o ON"
            " o.customer = c.id LEFT JOIN item i ON i.ordered = o.id WHERE c.id BETWEEN"
            f" {self.first} AND {self.first + IDS - 1} GROUP BY c.id, o.id"
        )
        for customer, order, items in rows:
            found.setdefault(customer, {}).update({order: items} if order else {})
        expected, pending = self.orders, self.pending
        self.orders, self.pending = found, None
        if found in (expected, pending):
            return []
        text = f"constrained {self.number}: orders {found} instead of {expected}"
        return [Problem("lost", text)]


STEPS: tuple[Callable[[Constrained, Orders], None], ...] = (
    Constrained.order,
    Constrained.order,
    Constrained.drop,
    Constrained.move,
    Constrained.rename,
    Constrained.region,
    Constrained.tree,
    Constrained.team,
    Constrained.refused,
)
