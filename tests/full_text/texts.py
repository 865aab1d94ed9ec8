# SPDX-License-Identifier: GPL-2.0-only
"""Random texts of two families: of a few words, which stand in many rows, and of many words, of
which most are rare. Words are letters and digits: what else is a word, the SQL topics say."""

from dataclasses import dataclass
from random import Random

FAMILIES = ("few words", "many words")
COLUMNS = ("title", "body")
STOP_WORDS = ("the", "about", "with", "of")
# beginnings of each other, short ones, words in other cases
FEW = (
    "apple",
    "apples",
    "app",
    "ap",
    "a",
    "pear",
    "PEAR",
    "plum",
    "Plum2",
    "x1y",
    "2024",
    *STOP_WORDS,
)
MANY = 3000
SEPARATORS = (" ", " ", " ", ", ", ". ", "-", "\n", " (", ") ", "...")
LENGTHS = {"few words": (6, 14), "many words": (8, 120)}  # most words of the columns

Row = tuple[int, str | None, str | None]


@dataclass
class Texts:
    family: str
    rng: Random

    def word(self) -> str:
        if self.family == "few words":
            return self.rng.choice(FEW)
        if self.rng.random() < 0.1:
            return self.rng.choice(STOP_WORDS)
        # the n-th word about n times as rare as the first
        number = int(MANY ** self.rng.random())
        return f"w{number}" if number % 3 else f"Word{number}"

    def text(self, most: int) -> str | None:
        if self.rng.random() < 0.05:
            return None
        parts = []
        for _ in range(self.rng.randint(0, most)):
            parts += [self.word(), self.rng.choice(SEPARATORS)]
        return "".join(parts)

    def row(self, number: int) -> Row:
        title, body = LENGTHS[self.family]
        return number, self.text(title), self.text(body)
