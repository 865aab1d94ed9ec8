# SPDX-License-Identifier: GPL-2.0-only
"""A ledger of texts, with a FULLTEXT index."""

from tests.kit.clients.client import Problem
from tests.kit.clients.ledger import KEYS, Ledger

WORDS = ("amber", "basalt", "coral", "dolomite", "emerald", "feldspar", "garnet", "halite")


class Articles(Ledger):
    """Texts of a few words come, change and go; each word must find the rows that have it."""

    table, journal = "article", "article_progress"
    columns = "id, body"

    def create(self) -> list[str]:
        return [
            "CREATE TABLE article (id INT PRIMARY KEY, owner INT NOT NULL, body TEXT NOT NULL,"
            " KEY owner (owner), FULLTEXT KEY body (body))",
            "CREATE TABLE article_progress (owner INT PRIMARY KEY, sequence INT NOT NULL)",
            "INSERT INTO article_progress SELECT seq, 0 FROM seq_0_to_99",
        ]

    def change(self, rows: dict) -> str:
        rng = self.rng
        key = self.number * KEYS + rng.randrange(KEYS)
        if key in rows and rng.random() < 0.3:
            del rows[key]
            return f"DELETE FROM article WHERE id={key}"
        is_new, text = key not in rows, " ".join(rng.choices(WORDS, k=rng.randint(0, 40)))
        rows[key] = (text,)
        if is_new:
            return f"INSERT INTO article VALUES ({key}, {self.number}, '{text}')"
        return f"UPDATE article SET body='{text}' WHERE id={key}"

    def check(self, execute) -> list[Problem]:
        problems = super().check(execute)
        for word in WORDS:
            query = f"SELECT id FROM article WHERE MATCH (body) AGAINST ('{word}')"
            found = [row[0] for row in execute(f"{query} AND owner={self.number}")]
            expected = sorted(key for key, (text,) in self.rows.items() if word in text.split())
            if sorted(found) != expected:
                text = f"article {self.number}: {word} finds {len(found)} of {len(expected)} rows"
                problems.append(Problem("half", text))
        return problems
