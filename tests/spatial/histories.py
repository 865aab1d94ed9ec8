# SPDX-License-Identifier: GPL-2.0-only
"""Random changes of two tables, of ROCKSDB and of InnoDB, by the same statements: what searches
find within the transaction, after rollbacks and after ALTERs has to be the same.

ROCKSDB's searches are made by its SPATIAL indexes, InnoDB's by scans. InnoDB's index cannot be the
measure: now and then it gives a row twice, or misses one."""

from random import Random

import pymysql

from tests.spatial import geometries

ENGINES = ("ROCKSDB", "InnoDB")
IDS = 60
SCAN = "IGNORE INDEX (g, h)"


class History:
    """A transaction after the other. Stops at the first difference."""

    def __init__(self, link, family: str, rng: Random):
        self.link = link
        self.family = family
        self.rng = rng
        self.statements = 0
        self.problems: list[str] = []

    def create(self) -> None:
        for engine in ENGINES:
            self.link.query(f"DROP TABLE IF EXISTS {engine}")
            self.link.query(
                f"CREATE TABLE {engine} (id INT PRIMARY KEY, g GEOMETRY NOT NULL, h POINT NOT NULL,"
                f" n INT NOT NULL DEFAULT 0, SPATIAL KEY g (g), SPATIAL KEY h (h)) ENGINE={engine}"
            )

    def transaction(self) -> None:
        self.both("BEGIN")
        for _ in range(self.rng.randint(1, 8)):
            self.both(self.change())
            if self.rng.random() < 0.5:
                self.compare()
        self.both(self.rng.choice(("COMMIT", "COMMIT", "ROLLBACK")))
        self.compare()

    def alter(self) -> None:
        self.both(
            self.rng.choice(
                (
                    "ALTER TABLE {t} DROP INDEX g, ADD SPATIAL INDEX g (g)",
                    "ALTER TABLE {t} DROP INDEX h, ADD SPATIAL INDEX h (h), ADD INDEX n (n)",
                    "ALTER TABLE {t} DROP INDEX IF EXISTS n, FORCE",
                    "ALTER TABLE {t} ADD COLUMN more INT DEFAULT 7 FIRST",
                    "ALTER TABLE {t} DROP COLUMN IF EXISTS more",
                )
            )
        )
        self.compare()

    def change(self) -> str:
        g, h = self.geometry(), geometries.sql(geometries.point(*self.box()[:2]))
        first, last = sorted((self.id(), self.id()))
        return self.rng.choice(
            (
                f"INSERT IGNORE INTO {{t}} (id, g, h) VALUES ({self.id()}, {g}, {h})",
                f"INSERT INTO {{t}} (id, g, h) VALUES ({self.id()}, {g}, {h}),"
                f" ({self.id()}, {g}, {h})",
                f"REPLACE INTO {{t}} (id, g, h) VALUES ({self.id()}, {g}, {h})",
                f"INSERT INTO {{t}} (id, g, h) VALUES ({self.id()}, {g}, {h})"
                " ON DUPLICATE KEY UPDATE g = VALUES(g), n = n + 1",
                f"UPDATE {{t}} SET g = {g} WHERE id BETWEEN {first} AND {last}",
                f"UPDATE {{t}} {{by g}} SET h = {h}, n = n + 1"
                f" WHERE MBRIntersects(g, {self.window()})",
                f"DELETE FROM {{t}} WHERE id = {self.id()}",
                "DELETE FROM {t} USING {t} {by h}"
                f" WHERE MBRWithin(h, {self.window()}) AND id < {last}",
                "SAVEPOINT s",
                "ROLLBACK TO s",
            )
        )

    def compare(self) -> None:
        """One search by each index, on both tables."""
        for column in ("g", "h"):
            name = self.rng.choice(("MBRIntersects", "MBRWithin", "MBRContains", "MBRDisjoint"))
            condition = f"{name}({column}, {self.window()})"
            self.both(f"SELECT id, n FROM {{t}} {{by {column}}} WHERE {condition} ORDER BY id")

    def check_tables(self) -> None:
        for engine in ENGINES:
            with self.link.cursor() as cursor:
                cursor.execute(f"CHECK TABLE {engine} EXTENDED")
                said = cursor.fetchall()
            if said[-1][3] != "OK":
                self.problems.append(f"CHECK TABLE {engine}: {said}")

    def both(self, statement: str) -> None:
        """BEGIN and the like come twice, which does no harm. `{by g}` and `{by h}` are how the
        rows are found."""
        answers = [
            self.answer(statement.replace("{by g}", g).replace("{by h}", h).replace("{t}", engine))
            for engine, g, h in (
                ("ROCKSDB", "FORCE INDEX (g)", "FORCE INDEX (h)"),
                ("InnoDB", SCAN, SCAN),
            )
        ]
        self.statements += 1
        if answers[0] != answers[1]:
            self.problems.append(f"{statement}: {answers[0]!r} and {answers[1]!r}")

    def answer(self, statement: str):
        try:
            with self.link.cursor() as cursor:
                affected = cursor.execute(statement)
                return (affected, cursor.fetchall())
        except pymysql.Error as error:
            return error.args[0]

    def id(self) -> int:
        return self.rng.randrange(IDS)

    def box(self) -> geometries.Box:
        return geometries.box(self.rng, self.family)

    def geometry(self) -> str:
        return geometries.sql(geometries.geometry(self.rng, self.family))

    def window(self) -> str:
        return geometries.sql(geometries.window(self.rng, self.family, []))
