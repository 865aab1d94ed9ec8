# SPDX-License-Identifier: GPL-2.0-only
"""The same rows and queries on ROCKSDB and InnoDB: the same rows are found. Ranks are not compared
here: InnoDB's depend on its estimate of how many rows there are.

Left out are phrases with words that no index has, and `@` (docs/full-text.md says how they differ).
So are lists in brackets: InnoDB loses rows that they find behind `-` ("-w16 +(+w319)"). So are
phrases beside other words: InnoDB finds rows with a word behind `-` by the phrase that follows it
('apple -pear* "app apple"'). The part `searches` has all of these.

On a busy machine InnoDB may lose all rows of a word for a moment, soon after they were inserted. So
it is asked again where the answers differ. ROCKSDB is asked once."""

import time
from random import Random

from tests.full_text.oracle import Node, is_in_index
from tests.full_text.searches import AGAINST, Queries, Searches
from tests.full_text.texts import Texts

TABLES = {"ROCKSDB": "t", "InnoDB": "u"}
PATIENCE = 10.0  # seconds


def is_compared(query: list[Node]) -> bool:
    has_phrase = any(node.kind == "phrase" for node in query)
    return can_match(query) and all(map(is_common, query)) and not (has_phrase and len(query) > 1)


def is_common(node: Node) -> bool:
    if node.kind in ("near", "list"):
        return False
    return all(is_in_index(word.lower()) for word in node.words)


def can_match(nodes: list[Node]) -> bool:
    return any(node.op in ("", "+", "<", ">") for node in nodes)


class Neighbour:
    def __init__(self, link, family: str, rng: Random):
        self.rng = rng
        self.tables = Searches(link, family, rng)
        self.queries = Queries(Texts(family, rng), rng)
        self.done = 0
        self.problems: list[str] = []

    def create(self, rows: int) -> None:
        values = self.tables.create(rows)
        self.tables.fill(values, "InnoDB", TABLES["InnoDB"])

    def search(self) -> None:
        if self.rng.random() < 0.4:
            self.compare(" ".join(self.queries.natural()), "")
            return
        query = self.queries.boolean()
        if is_compared(query):
            self.compare(" ".join(node.text() for node in query), " IN BOOLEAN MODE")

    def compare(self, text: str, mode: str) -> None:
        here = self.answer("ROCKSDB", text, mode)
        there = self.answer("InnoDB", text, mode)
        self.done += 1
        if "<" in text or "~" in text:
            here &= there  # a rank that comes to 0 hides a row from InnoDB
        ends = time.monotonic() + PATIENCE
        while here != there and time.monotonic() < ends:
            time.sleep(0.5)
            there = self.answer("InnoDB", text, mode)
        if here != there:
            missing, excess = sorted(there - here)[:5], sorted(here - there)[:5]
            self.problems.append(f"{text}: not found {missing}, found besides {excess}")

    def answer(self, engine: str, text: str, mode: str) -> set[int]:
        query = f"SELECT id FROM {TABLES[engine]} WHERE {AGAINST.format(mode=mode)}"
        return {row[0] for row in self.tables.ask(query, text)}
