# SPDX-License-Identifier: GPL-2.0-only
"""A history of statements for two engines, made from a seed, one at a time."""

from random import Random

from tests.kit.side_by_side.statement import Statement


class History:
    """A subclass draws statements; it may put more than one into `queue`. `made` counts draws, of
    which there are `length`."""

    def __init__(self, seed: int, length: int):
        self.rng = Random(seed)
        self.length = length
        self.made = 0
        self.in_transaction = False
        self.queue: list[Statement] = []

    def next(self) -> Statement | None:
        """The next statement; None at the end."""
        if self.queue:
            return self.queue.pop(0)
        if self.made >= self.length:
            return self.end_transaction() if self.in_transaction else self.last()
        self.made += 1
        return self.draw()

    def observe(self, statement: Statement, succeeded: bool) -> None:
        """A statement that fails must not change what the subclass believes of the schema."""
        if succeeded and callable(statement.note):
            statement.note()

    def draw(self) -> Statement:
        raise NotImplementedError

    def end_transaction(self) -> Statement:
        raise NotImplementedError

    def last(self) -> Statement | None:
        """Outside of transactions, behind all draws, until it gives None."""
        return None
