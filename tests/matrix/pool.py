# SPDX-License-Identifier: GPL-2.0-only
"""The values tried for one type, and their order as the server's own comparison sees it."""

from random import Random

from tests.kit.side_by_side.runner import Answer
from tests.matrix.types import ColumnType
from tools.errors import DevError

# probes to search for, and values kept out of the table so that some are absent
PROBES, ABSENT = 5, 3


class Pool:
    """`literals`: what goes into the tables; `absent`: what does not; `probes`: what is searched
    for, ascending, of both kinds. `rank` says where among them a shown value stands; values that
    are equal have the same rank. `problem`: why the server takes no such values, or ''."""

    def __init__(self, side, table: str, kind: ColumnType, rng: Random, count: int):
        self.kind = kind
        self.problem = ""
        literals = kind.values(rng, count)
        rng.shuffle(literals)
        self.absent = literals[:ABSENT] if len(literals) > 2 * ABSENT else literals[-1:]
        self.literals = [v for v in literals if v not in self.absent or len(literals) <= 2 * ABSENT]
        self._ranks: dict[tuple, int] = {}
        self._read(side, table, literals)
        self.probes = self._choose(literals, rng)

    def rank(self, shown: tuple) -> int | tuple:
        """A number that orders values; NULL is before all; a value nobody knows is itself."""
        if all(part is None for part in shown):
            return -1
        return self._ranks.get(shown, shown)

    def _read(self, side, table: str, literals: list[str]) -> None:
        """Ranks by comparing each value with each, in a table without an index."""
        rows = ", ".join(f"({n}, {v})" for n, v in enumerate(literals))
        create = f"CREATE TABLE {table} (n INT, v {self.kind.ddl} NULL) ENGINE=InnoDB"
        for sql in (create, f"INSERT INTO {table} VALUES {rows}"):
            answer = side.execute(sql)
            if answer.error:
                self.problem = f"error {answer.error}: {answer.text}"
                return
        shown = self._must(side, f"SELECT n, {self.kind.shown} FROM {table} ORDER BY n")
        self._less = [0] * len(literals)
        if self.kind.searchable:
            less = self.kind.as_key("b.v < a.v")
            join = f"SELECT a.n, COUNT(b.n) FROM {table} a LEFT JOIN {table} b ON {less}"
            for n, less in self._must(side, f"{join} GROUP BY a.n"):
                self._less[int(n)] = int(less)
        for n, *value in shown:
            self._ranks[tuple(value)] = self._less[int(n)]
        side.execute(f"DROP TABLE {table}")

    @staticmethod
    def _must(side, sql: str) -> list[tuple]:
        answer: Answer = side.execute(sql)
        if answer.error:
            raise DevError(f"{sql}: error {answer.error}: {answer.text}")
        return answer.rows

    def _choose(self, literals: list[str], rng: Random) -> list[str]:
        """Some literals in ascending order, from low to high, an absent one among them."""
        if self.problem or not self.kind.searchable:
            return literals[:PROBES]
        order = sorted(range(len(literals)), key=lambda n: (self._less[n], n))
        count = min(PROBES, len(order))
        places = {round(i * (len(order) - 1) / max(1, count - 1)) for i in range(count)}
        # not the very ends alone: what lies just inside them is as good
        chosen = {order[p] for p in places} | {literals.index(self.absent[0])}
        if rng.random() < 0.5 and len(order) > 4:
            chosen.discard(order[-1])
            chosen.add(order[-2])
        return [literals[n] for n in order if n in chosen]
