# SPDX-License-Identifier: GPL-2.0-only
"""Transfers between accounts that all clients share: what is lost by half shows in the sums."""

from tests.kit.clients.client import Problem
from tests.kit.clients.numbered import Numbered

ACCOUNTS = 12
START = 1000


class Bank(Numbered):
    def create(self) -> list[str]:
        return [
            "CREATE TABLE account (id INT PRIMARY KEY, balance INT NOT NULL, KEY b (balance))",
            f"INSERT INTO account SELECT seq, {START} FROM seq_1_to_{ACCOUNTS}",
            "CREATE TABLE transfer (id BIGINT AUTO_INCREMENT PRIMARY KEY, client INT NOT NULL,"
            " sequence INT NOT NULL, source INT NOT NULL, target INT NOT NULL,"
            " amount INT NOT NULL, UNIQUE KEY c (client, sequence), KEY s (source, amount))",
        ]

    def step(self) -> None:
        rng = self.rng
        source, target = rng.sample(range(1, ACCOUNTS + 1), 2)
        amount, number = rng.randint(1, 20), self.sequence + 1
        self.execute("BEGIN")
        if rng.random() < 0.5:
            self.execute(f"SELECT balance FROM account WHERE id={source} FOR UPDATE")
        self.execute(f"UPDATE account SET balance = balance - {amount} WHERE id={source}")
        self.execute(f"UPDATE account SET balance = balance + {amount} WHERE id={target}")
        self.execute(
            "INSERT INTO transfer (client, sequence, source, target, amount) VALUES"
            f" ({self.number}, {number}, {source}, {target}, {amount})"
        )
        self.commit()

    def check(self, execute) -> list[Problem]:
        count, last = execute(
            f"SELECT COUNT(*), COALESCE(MAX(sequence), 0) FROM transfer WHERE client={self.number}"
        )[0]
        problems = self.check_numbers("transfers", count, last)
        return problems + self.check_sums(execute)

    def check_sums(self, execute) -> list[Problem]:
        problems = []
        total = execute("SELECT SUM(balance) FROM account")[0][0]
        if total != ACCOUNTS * START:
            problems.append(Problem("half", f"bank: the balances sum up to {total}"))
        wrong = execute(
            f"SELECT a.id, a.balance, {START} + COALESCE(i.s, 0) - COALESCE(o.s, 0) AS expected"
            " FROM account a"
            " LEFT JOIN (SELECT target, SUM(amount) s FROM transfer GROUP BY target) i"
            " ON i.target = a.id"
            " LEFT JOIN (SELECT source, SUM(amount) s FROM transfer GROUP BY source) o"
            " ON o.source = a.id HAVING a.balance <> expected"
        )
        if wrong:
            problems.append(Problem("half", f"bank: account, balance, transfers: {wrong[:4]}"))
        return problems
