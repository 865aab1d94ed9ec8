# SPDX-License-Identifier: GPL-2.0-only
"""What a search must find, and by which rank, worked out from the texts of all rows
(docs/decisions/full-text.md says the rules)."""

import math
import re
from collections import Counter
from dataclasses import dataclass, field

from tests.full_text.texts import STOP_WORDS, Row

LEAST, MOST = 3, 84
WORD = re.compile(r"[0-9A-Za-z_]+")


def words_of(text: str | None) -> list[str]:
    return [word.lower() for word in WORD.findall(text or "")]


def is_in_index(word: str) -> bool:
    return LEAST <= len(word) <= MOST and word not in STOP_WORDS


@dataclass
class Node:
    """A part of a boolean query. `op` stands before it. `kind`: word, beginning, phrase, near,
    list."""

    kind: str
    op: str = ""
    words: list[str] = field(default_factory=list)
    distance: int = 0
    children: list["Node"] = field(default_factory=list)

    def text(self) -> str:
        match self.kind:
            case "word":
                inner = self.words[0]
            case "beginning":
                inner = self.words[0] + "*"
            case "phrase":
                inner = f'"{" ".join(self.words)}"'
            case "near":
                inner = f'"{" ".join(self.words)}" @{self.distance}'
            case _:
                inner = f"({' '.join(child.text() for child in self.children)})"
        return self.op + inner


class Rows:
    """The words of the rows of a table."""

    def __init__(self, rows: list[Row]):
        self.columns = {row[0]: [words_of(text) for text in row[1:]] for row in rows}
        self.counts = {number: Counter(sum(texts, [])) for number, texts in self.columns.items()}

    def having(self, word: str) -> list[int]:
        return [number for number, words in self.counts.items() if words[word]]

    # --- boolean queries

    def search(self, query: list[Node]) -> set[int]:
        return {number for number in self.columns if self.matches_list(number, query)}

    def matches_list(self, number: int, nodes: list[Node]) -> bool:
        found = {op: [] for op in ("", "+", "-", "~", "<", ">")}
        for node in nodes:
            found[node.op].append(self.matches(number, node))
        if any(found["-"]) or not all(found["+"]):
            return False
        return bool(found["+"]) or any(found[""] + found["<"] + found[">"])

    def matches(self, number: int, node: Node) -> bool:
        words = [word.lower() for word in node.words]
        match node.kind:
            case "word":
                return is_in_index(words[0]) and self.counts[number][words[0]] > 0
            case "beginning":
                return any(is_in_index(w) and w.startswith(words[0]) for w in self.counts[number])
            case "phrase":
                return any(has_phrase(text, words) for text in self.columns[number])
            case "near":
                return any(has_near(text, words, node.distance) for text in self.columns[number])
            case _:
                return self.matches_list(number, node.children)

    # --- natural queries

    def ranks(self, words: list[str]) -> dict[int, float]:
        """Of the rows that have any of the words."""
        ranks: Counter[int] = Counter()
        for word in {word.lower() for word in words if is_in_index(word.lower())}:
            having = self.having(word)
            if having:
                rarity = rarity_of(len(self.columns), len(having))
                for number in having:
                    ranks[number] += self.counts[number][word] * rarity * rarity
        return dict(ranks)


def rarity_of(rows: int, having: int) -> float:
    return math.log10(1.0001 if rows == having else rows / having)


def has_phrase(text: list[str], words: list[str]) -> bool:
    return any(text[at : at + len(words)] == words for at in range(len(text)))


def has_near(text: list[str], words: list[str], distance: int) -> bool:
    return any(set(words) <= set(text[at : at + distance]) for at in range(len(text)))
