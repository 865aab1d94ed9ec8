# SPDX-License-Identifier: GPL-2.0-only
"""Random statements on the tables item and sale, which end the same way wherever the rows are."""

from collections.abc import Callable
from random import Random

ITEMS, SALES, DAYS = 60, 400, 89
AGGREGATES = ("COUNT(*)", "SUM(n)", "MIN(day)", "MAX(n)", "AVG(n)", "COUNT(DISTINCT item)")


class Statements:
    def __init__(self, rng: Random, all_kinds: bool):
        """`all_kinds`: with UPDATE of two tables, and groups of a list of values. Of thousands of
        them stock Spider gets one wrong: see docs/operate/shards.md."""
        self.rng, self.all_kinds = rng, all_kinds
        self.drawn = 0

    def draw(self) -> tuple[str, bool]:
        """A statement, and whether its rows have an order. The first ones fill the tables."""
        self.drawn += 1
        if self.drawn <= 4:
            return (self.fill_items() if self.drawn == 1 else self.insert(80)), False
        return self.rng.choice(self.kinds())()

    def kinds(self) -> list[Callable[[], tuple[str, bool]]]:
        reads = [self.point, self.range, self.aggregate, self.join, self.grouped, self.subquery]
        reads += [self.union, self.window]
        writes = [self.insert_more, self.update, self.delete]
        if self.all_kinds:
            writes.append(self.update_join)
        return [*reads, *reads, *writes]

    # --- values

    def day(self) -> str:
        return f"'2026-01-01' + INTERVAL {self.rng.randrange(DAYS)} DAY"

    def item(self) -> int:
        return self.rng.randint(1, ITEMS)

    def condition(self) -> str:
        rng = self.rng
        return rng.choice(
            [
                f"s.id = {rng.randint(1, SALES)}",
                f"s.id BETWEEN {rng.randint(1, 200)} AND {rng.randint(200, SALES)}",
                f"s.day < {self.day()}",
                f"s.day >= {self.day()} AND s.n > {rng.randint(0, 9)}",
                f"s.item IN ({self.item()}, {self.item()}, {self.item()})",
                "s.n IS NULL",
                f"s.note LIKE '%{rng.choice('abcäß')}%'",
                f"s.n % 3 = {rng.randrange(3)} OR s.item = {self.item()}",
            ]
        )

    def sale(self) -> str:
        rng = self.rng
        n = rng.choice(["NULL", str(rng.randint(-5, 50)), str(rng.randint(0, 9))])
        note = rng.choice(["NULL", "''", "'a b'", "'Ärger ''ß'''", "'back\\\\slash'", "'abc'"])
        return f"({rng.randint(1, SALES)}, {self.day()}, {self.item()}, {n}, {note})"

    # --- writes

    def fill_items(self) -> str:
        rows = (
            f"({n}, {n % 7}, IF({n} % 11, 'item {n}', NULL), {n}.{n % 90 + 10})"
            for n in range(1, ITEMS + 1)
        )
        return f"INSERT INTO item VALUES {', '.join(rows)}"

    def insert(self, rows: int) -> str:
        return f"INSERT IGNORE INTO sale VALUES {', '.join(self.sale() for _ in range(rows))}"

    def insert_more(self) -> tuple[str, bool]:
        kind = self.rng.randrange(4)
        if kind == 0:
            return self.insert(self.rng.randint(1, 6)), False
        if kind == 1:
            return f"INSERT INTO sale VALUES {self.sale()}", False
        if kind == 2:
            return f"REPLACE INTO sale VALUES {self.sale()}", False
        update = "ON DUPLICATE KEY UPDATE n = COALESCE(n, 0) + 1"
        return f"INSERT INTO sale VALUES {self.sale()} {update}", False

    def update(self) -> tuple[str, bool]:
        what = self.rng.choice(
            [
                f"s.n = {self.rng.randint(0, 60)}",
                "s.n = s.n + 1, s.note = CONCAT('x', s.n)",
                f"s.item = {self.item()}",
            ]
        )
        return f"UPDATE sale s SET {what} WHERE {self.condition()}", False

    def update_join(self) -> tuple[str, bool]:
        group = self.rng.randrange(7)
        what = f"s.n = i.id, i.price = i.price + 1 WHERE i.grp = {group} AND {self.condition()}"
        return f"UPDATE sale s JOIN item i ON i.id = s.item SET {what}", False

    def delete(self) -> tuple[str, bool]:
        return f"DELETE s FROM sale s WHERE {self.condition()} AND s.id % 5 = 1", False

    # --- reads

    def point(self) -> tuple[str, bool]:
        return f"SELECT * FROM item WHERE id = {self.item()}", True

    def range(self) -> tuple[str, bool]:
        way = self.rng.choice(["", " DESC"])
        limit = self.rng.choice(["", " LIMIT 7", " LIMIT 5 OFFSET 3"])
        order = f"ORDER BY s.day{way}, s.id{way}{limit}"
        return f"SELECT s.* FROM sale s WHERE {self.condition()} {order}", True

    def aggregate(self) -> tuple[str, bool]:
        wanted = ", ".join(self.rng.sample(AGGREGATES, 3))
        return f"SELECT {wanted} FROM sale s WHERE {self.condition()}", True

    def grouped(self) -> tuple[str, bool]:
        wanted = ", ".join(self.rng.sample(AGGREGATES, 2))
        tail = self.rng.choice(["", " HAVING COUNT(*) > 2"])
        where = self.condition()
        while " IN " in where and not self.all_kinds:
            where = self.condition()
        return f"SELECT item, {wanted} FROM sale s WHERE {where} GROUP BY item{tail}", False

    def join(self) -> tuple[str, bool]:
        kind = self.rng.choice(["JOIN", "LEFT JOIN"])
        wanted = "i.grp, COUNT(*), SUM(s.n * i.price), COUNT(s.note)"
        where = self.condition().replace(" OR ", " AND ")
        source = f"sale s {kind} item i ON i.id = s.item AND i.grp < 5"
        return f"SELECT {wanted} FROM {source} WHERE {where} GROUP BY i.grp", False

    def subquery(self) -> tuple[str, bool]:
        exists = self.rng.choice(["EXISTS", "NOT EXISTS"])
        inner = f"SELECT 1 FROM sale s WHERE s.item = i.id AND {self.condition()}"
        return f"SELECT i.id, i.name FROM item i WHERE {exists} ({inner})", False

    def union(self) -> tuple[str, bool]:
        one, other = (f"SELECT item FROM sale s WHERE {self.condition()}" for _ in range(2))
        return f"{one} {self.rng.choice(['UNION', 'EXCEPT', 'INTERSECT'])} {other}", False

    def window(self) -> tuple[str, bool]:
        ranked = "RANK() OVER (PARTITION BY item ORDER BY day, id)"
        return f"SELECT id, day, {ranked} FROM sale s WHERE {self.condition()}", False
