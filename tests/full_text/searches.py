# SPDX-License-Identifier: GPL-2.0-only
"""Searches of a FULLTEXT index, compared with what the texts of the rows say."""

from random import Random

from tests.full_text.oracle import Node, Rows, is_in_index
from tests.full_text.texts import Row, Texts

OPERATORS = ("", "", "", "+", "+", "-", "~", "<", ">")
CREATE = (
    "CREATE TABLE {0} (id INT PRIMARY KEY, title VARCHAR(500), body TEXT,"
    " FULLTEXT KEY both_columns (title, body)) ENGINE={1} CHARSET=latin1"
)
AGAINST = "MATCH (title, body) AGAINST (%s{mode})"


class Queries:
    """Random queries."""

    def __init__(self, texts: Texts, rng: Random):
        self.texts = texts
        self.rng = rng

    def natural(self) -> list[str]:
        return [self.texts.word() for _ in range(self.rng.randint(1, 4))]

    def boolean(self, depth: int = 0) -> list[Node]:
        nodes = [self.node(depth) for _ in range(self.rng.randint(1, 4))]
        if all(node.op in "-~" and node.op for node in nodes) and self.rng.random() < 0.8:
            nodes[0].op = "+"
        return nodes

    def node(self, depth: int) -> Node:
        op = self.rng.choice(OPERATORS)
        roll = self.rng.random()
        if roll < 0.2 and depth < 2:
            return Node("list", op, children=self.boolean(depth + 1))
        if roll < 0.3:
            word = self.texts.word()
            return Node("beginning", op, [word[: self.rng.randint(1, len(word))]])
        if roll < 0.5:
            return self.phrase(op)
        return Node("word", op, [self.texts.word()])

    def phrase(self, op: str) -> Node:
        """With one word at least that the index has."""
        words = [self.texts.word() for _ in range(self.rng.randint(2, 3))]
        while not any(is_in_index(word.lower()) for word in words):
            words[0] = self.texts.word()
        if self.rng.random() < 0.6:
            return Node("phrase", op, words)
        return Node("near", op, words, distance=self.rng.randint(2, 12))


class Searches:
    """A table of one family of texts, and what searches of it have shown."""

    def __init__(self, link, family: str, rng: Random):
        self.link = link
        self.rng = rng
        self.texts = Texts(family, rng)
        self.queries = Queries(self.texts, rng)
        self.rows = Rows([])
        self.done = 0
        self.found = 0  # rows
        self.problems: list[str] = []

    def create(self, rows: int) -> list[Row]:
        values = [self.texts.row(number) for number in range(rows)]
        self.fill(values, "ROCKSDB", "t")
        self.rows = Rows(values)
        return values

    def fill(self, values: list[Row], engine: str, name: str) -> None:
        self.link.query(f"DROP TABLE IF EXISTS {name}")
        self.link.query(CREATE.format(name, engine))
        with self.link.cursor() as cursor:
            cursor.executemany(f"INSERT INTO {name} VALUES (%s, %s, %s)", values)

    def search(self) -> None:
        if self.rng.random() < 0.3:
            self.search_natural(self.queries.natural())
        else:
            self.search_boolean(self.queries.boolean())

    def search_boolean(self, query: list[Node]) -> None:
        text = " ".join(node.text() for node in query)
        condition = AGAINST.format(mode=" IN BOOLEAN MODE")
        found = {row[0] for row in self.ask(f"SELECT id FROM t WHERE {condition}", text)}
        self.compare(text, found, self.rows.search(query))

    def search_natural(self, words: list[str]) -> None:
        """By the index, with the rank of each row; and the rank of all rows."""
        text, condition = " ".join(words), AGAINST.format(mode="")
        expected = self.rows.ranks(words)
        found = self.ask(f"SELECT id, {condition} FROM t WHERE {condition}", text, text)
        self.compare(text, {row[0] for row in found}, set(expected))
        ranks = [rank for _, rank in found]
        if ranks != sorted(ranks, reverse=True):
            self.problems.append(f"{text}: ranks do not go down: {ranks[:20]}")
        every = self.ask(f"SELECT id, {condition} FROM t", text)
        for number, rank in (*found, *every):
            if not is_close(rank, expected.get(number, 0)):
                self.problems.append(
                    f"{text}: row {number} has rank {rank}: {expected.get(number)}"
                )

    def ask(self, query: str, *texts: str) -> list[tuple]:
        with self.link.cursor() as cursor:
            cursor.execute(query, texts)
            return list(cursor.fetchall())

    def compare(self, text: str, found: set[int], expected: set[int]) -> None:
        self.done += 1
        self.found += len(expected)
        if found != expected:
            missing, excess = sorted(expected - found)[:5], sorted(found - expected)[:5]
            self.problems.append(f"{text}: not found {missing}, found besides {excess}")


def is_close(rank: float, expected: float) -> bool:
    """Ranks are in single precision."""
    return abs(rank - expected) <= 1e-4 * max(1.0, abs(expected))
