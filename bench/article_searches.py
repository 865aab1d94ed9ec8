# SPDX-License-Identifier: GPL-2.0-only
"""Full-text searches for words that articles have, and which articles each must find.

A word is a run of letters, digits and `_` of 3 to 84 characters that is none of InnoDB's stop
words, in any case; the texts are ASCII. What a search must find is told from the texts alone, by a
regular expression, so that it is no engine's opinion.
"""

import random
import re
from collections import Counter
from dataclasses import dataclass

SHORTEST, LONGEST = 3, 84  # characters of a word that is indexed
# information_schema.INNODB_FT_DEFAULT_STOPWORD
STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        "a about an are as at be by com de en for from how i in is it la of on or that the this to "
        "was what when where who will with und the www",
    )
)
WORD = re.compile(r"\w+", re.ASCII)
PLAIN = re.compile(r"[a-z]{4,20}")  # what is searched for: no numbers, no names of variables
FREQUENT = (0.02, 0.2)  # parts of the articles that have a frequent word
USUAL = (0.001, 0.2)  # .. that have a word of the other searches
BEGINNING = 5  # characters of a word of which only the beginning is given
TRIES = 10_000

KINDS = ("frequent word", "two words", "phrase", "beginning")


@dataclass(frozen=True)
class Search:
    """`against` is what stands in AGAINST( ); an article is found when it has all `patterns`."""

    against: str
    patterns: tuple[str, ...]

    def condition(self) -> str:
        return f"MATCH (body) AGAINST ({self.against})"

    def found_in(self, articles: list[str]) -> set[int]:
        """Numbers of the articles, from 1."""
        wanted = [re.compile(pattern, re.ASCII | re.IGNORECASE) for pattern in self.patterns]
        return {
            number
            for number, text in enumerate(articles, 1)
            if all(pattern.search(text) for pattern in wanted)
        }


class Searches:
    """Makes searches for what is in some articles."""

    def __init__(self, articles: list[str]):
        self.articles = articles
        self.counts: Counter[str] = Counter()
        for text in articles:
            self.counts.update(set(words(text)))
        self.frequent = self._between(*FREQUENT)
        self.usual = set(self._between(*USUAL))

    def _between(self, least: float, most: float) -> list[str]:
        number = len(self.articles)
        return sorted(
            word
            for word, count in self.counts.items()
            if least * number <= count <= most * number and is_indexed(word)
            and PLAIN.fullmatch(word)
        )  # fmt: skip

    def make(self, kind: str, seed: str, number: int) -> list[Search]:
        """So many of one of KINDS; the same for the same articles and seed. ValueError when the
        articles are too few to have what is asked for."""
        rng = random.Random(f"{kind} {seed}")
        one = {
            "frequent word": self._frequent_word,
            "two words": self._two_words,
            "phrase": self._phrase,
            "beginning": self._beginning,
        }[kind]
        return [drawn(kind, one, rng) for _ in range(number)]

    def _frequent_word(self, rng: random.Random) -> Search | None:
        if not self.frequent:
            return None
        word = rng.choice(self.frequent)
        return Search(f"'{word}'", (rf"\b{word}\b",))

    def _two_words(self, rng: random.Random) -> Search | None:
        """Two of one article, so that there is something to be found."""
        known = sorted(self.usual.intersection(words(rng.choice(self.articles))))
        if len(known) < 2:
            return None
        one, other = rng.sample(known, 2)
        return Search(f"'+{one} +{other}' IN BOOLEAN MODE", (rf"\b{one}\b", rf"\b{other}\b"))

    def _phrase(self, rng: random.Random) -> Search | None:
        """Two neighbours of an article. Neither is a stop word: InnoDB passes over those."""
        found = words(rng.choice(self.articles))
        pairs = [
            (one, other)
            for one, other in zip(found, found[1:], strict=False)
            if one in self.usual and other in self.usual
        ]
        if not pairs:
            return None
        one, other = rng.choice(pairs)
        return Search(f"'\"{one} {other}\"' IN BOOLEAN MODE", (rf"\b{one}\W+{other}\b",))

    def _beginning(self, rng: random.Random) -> Search | None:
        known = [w for w in words(rng.choice(self.articles)) if w in self.usual]
        known = [w for w in known if len(w) > BEGINNING and not begins_stop_word(w[:BEGINNING])]
        if not known:
            return None
        start = rng.choice(known)[:BEGINNING]
        rest = LONGEST - BEGINNING
        return Search(f"'{start}*' IN BOOLEAN MODE", (rf"\b{start}\w{{0,{rest}}}\b",))


def drawn(kind: str, one, rng: random.Random) -> Search:
    for _ in range(TRIES):
        if search := one(rng):
            return search
    raise ValueError(f"too few articles for searches of the kind '{kind}'")


def words(text: str) -> list[str]:
    """All of them in order, also those that no index has."""
    return WORD.findall(text.lower())


def is_indexed(word: str) -> bool:
    return SHORTEST <= len(word) <= LONGEST and word not in STOP_WORDS


def begins_stop_word(start: str) -> bool:
    return any(word.startswith(start) for word in STOP_WORDS)
