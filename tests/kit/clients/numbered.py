# SPDX-License-Identifier: GPL-2.0-only
"""A client whose transactions are numbered from 1 on, each with a row that has its number."""

from tests.kit.clients.client import Client, Problem


class Numbered(Client):
    def __init__(self, number: int, seed: int, connect):
        super().__init__(number, seed, connect)
        self.sequence = 0  # of the last transaction that was acknowledged
        self.pending = False

    def commit(self) -> None:
        self.pending = True
        self.execute("COMMIT")
        self.pending, self.sequence = False, self.sequence + 1
        self.acknowledge()

    def abandon(self) -> None:
        self.pending = False
        super().abandon()

    def check_numbers(self, what: str, count: int, last: int) -> list[Problem]:
        """How many such rows there are, and the last number."""
        problems = []
        name = type(self).__name__.lower()
        text = f"{name} {self.number}: {count} {what}, last {last}, acknowledged {self.sequence}"
        if self.pending:
            self.settle(last == self.sequence + 1)
        if count != last or last < self.sequence:
            problems.append(Problem("lost", text))
        elif last > self.sequence + self.pending:
            problems.append(Problem("extra", text))
        self.pending, self.sequence = False, last
        return problems
