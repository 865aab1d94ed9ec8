# SPDX-License-Identifier: GPL-2.0-only
"""Statements of many thousand rows, beyond what a transaction keeps in memory."""

from tests.kit.clients.client import Client, Problem

BATCHES = 4


class Large(Client):
    rows = 15000

    def __init__(self, number: int, seed: int, connect):
        super().__init__(number, seed, connect)
        self.batches: dict[int, int] = {}  # batch -> version of all its rows
        self.pending: tuple[int, int | None] | None = None  # batch, version it is getting

    def create(self) -> list[str]:
        return [
            "CREATE TABLE large (batch INT NOT NULL, n INT NOT NULL, version INT NOT NULL,"
            " filler CHAR(60) NOT NULL, PRIMARY KEY (batch, n), KEY v (version, n))"
        ]

    def step(self) -> None:
        batch = self.number * 1000 + self.rng.randrange(BATCHES)
        version = self.batches.get(batch)
        if version is None:
            sql = f"INSERT INTO large SELECT {batch}, seq, 1, MD5(seq) FROM seq_1_to_{self.rows}"
            target = 1
        elif self.rng.random() < 0.3:
            sql, target = f"DELETE FROM large WHERE batch={batch}", None
        else:
            target = version + 1
            sql = f"UPDATE large SET version={target} WHERE batch={batch}"
        self.pending = batch, target
        self.execute(sql)
        self.pending = None
        self.remember(batch, target)
        self.acknowledge()

    def remember(self, batch: int, version: int | None) -> None:
        self.batches.pop(batch, None)
        if version is not None:
            self.batches[batch] = version

    def check(self, execute) -> list[Problem]:
        low, high = self.number * 1000, self.number * 1000 + 999
        query = "SELECT batch, COUNT(*), MIN(version), MAX(version) FROM large {} GROUP BY batch"
        where = f"WHERE batch BETWEEN {low} AND {high}"
        rows = execute(query.format("FORCE INDEX (PRIMARY) " + where))
        problems = []
        if sorted(rows) != sorted(execute(query.format("FORCE INDEX (v) " + where))):
            problems.append(Problem("half", "large: the index v and the table disagree"))
        found = {}
        for batch, count, low, high in rows:
            if count != self.rows or low != high:
                text = f"large: batch {batch} has {count} rows of versions {low} to {high}"
                problems.append(Problem("half", text))
            found[batch] = high
        pending, self.pending = self.pending, None
        if pending:
            happened = found.get(pending[0]) == pending[1]
            self.settle(happened)
            if happened:
                self.remember(*pending)
        if found != self.batches:
            text = f"large: batches and versions {found} instead of {self.batches}"
            problems.append(Problem("lost", text))
        self.batches = found
        return problems
