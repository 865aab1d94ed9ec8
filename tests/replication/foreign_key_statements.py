# SPDX-License-Identifier: GPL-2.0-only
"""Random statements on the tables of foreign_key_tables.py.

A statement of several rows has an order that is total: rows are checked one by one, and a replica
may have the rows in another order. What the server cannot repeat from the statement alone stands
apart, for the formats with rows."""

from pathlib import Path
from random import Random

from tests.replication.foreign_key_tables import KEYS, ROWS

FILES = 4  # for LOAD DATA
NEW_KEYS = range(KEYS + 1, 3 * KEYS)


class RandomWrites:
    """`folder` has files for LOAD DATA. `repeats`: the replica repeats the statement."""

    def __init__(self, rng: Random, folder: Path):
        self.rng, self.folder = rng, folder
        self.repeats = False

    def statement(self, tables: str) -> str:
        """`tables`: the beginning of their names."""
        kinds = [self.children, self.children, self.parents, self.parents, self.several_tables]
        kinds += [self.of_itself, self.without_keys]
        kinds += [] if self.repeats else [self.two_unique_keys]
        return self.rng.choice(self.rng.choice(kinds)(tables))

    def key(self) -> int:
        return self.rng.randint(1, KEYS)

    def row(self) -> int:
        return self.rng.randint(1, ROWS)

    def child(self) -> str:
        other = self.rng.choice(["NULL", str(self.key())])
        return f"({self.row()}, {self.key()}, {other}, {self.rng.randrange(9)})"

    def children(self, s: str) -> list[str]:
        n, key, other = self.row(), self.key(), self.key()
        file = self.folder / f"{self.rng.randrange(FILES)}.tsv"
        word = self.rng.choice(["", "IGNORE", "IGNORE", "REPLACE"])
        return [
            f"INSERT INTO {s}_c VALUES {self.child()}",
            f"INSERT IGNORE INTO {s}_c VALUES {self.child()}, {self.child()}, {self.child()}",
            f"REPLACE INTO {s}_c VALUES {self.child()}, {self.child()}",
            f"INSERT INTO {s}_c VALUES {self.child()}, {self.child()}"
            " ON DUPLICATE KEY UPDATE a = VALUES(a), b = VALUES(b), v = v + 1",
            f"LOAD DATA INFILE '{file}' {word} INTO TABLE {s}_c",
            f"INSERT IGNORE INTO {s}_g VALUES ({n}, {key}), ({self.row()}, {other})",
            f"INSERT IGNORE INTO {s}_g SELECT id, a FROM {s}_c WHERE a >= {key} ORDER BY id",
            f"REPLACE INTO {s}_g VALUES ({n}, {key}), ({self.row()}, {other})",
            f"INSERT IGNORE INTO {s}_h SELECT id, a FROM {s}_g ORDER BY id",
            f"INSERT IGNORE INTO {s}_r VALUES ({n}, {key})",
            f"REPLACE INTO {s}_n VALUES ({n}, {key}, 'u{other}')",
            f"UPDATE {s}_c SET a = {key}, b = {other} WHERE id = {n}",
            f"UPDATE IGNORE {s}_c SET a = a + 1 WHERE b = {key} ORDER BY id",
            f"UPDATE {s}_n SET a = {key}, t = 'u{other}' WHERE id > {n} ORDER BY id",
            f"DELETE FROM {s}_c WHERE id BETWEEN {n} AND {n + 9} ORDER BY id",
            f"DELETE FROM {s}_r WHERE a = {key} ORDER BY id",
        ]

    def parents(self, s: str) -> list[str]:
        key, other, new = self.key(), self.key(), self.rng.choice(NEW_KEYS)
        return [
            f"INSERT IGNORE INTO {s}_p VALUES ({key}, {key}, 'u{key}', 0),"
            f" ({other}, {other}, 'u{other}', 0)",
            f"INSERT IGNORE INTO {s}_q VALUES ({key}, {key}), ({other}, {other})",
            f"INSERT IGNORE INTO {s}_p SELECT seq, seq, NULL, 0 FROM seq_1_to_{KEYS}",
            f"UPDATE {s}_p SET v = v + 1 WHERE k = {key} ORDER BY id",
            f"UPDATE {s}_p SET id = {new} WHERE id = {key}",
            f"UPDATE {s}_p SET k = {new}, u = CONCAT(u, 'x') WHERE k = {key} ORDER BY id",
            f"UPDATE {s}_p SET id = id + {KEYS} WHERE id > {key} ORDER BY id DESC",
            f"UPDATE IGNORE {s}_p SET id = {key} WHERE id > {KEYS} ORDER BY id",
            f"UPDATE {s}_q SET u = {new} WHERE u = {key}",
            f"UPDATE IGNORE {s}_q SET id = {new}, u = {new} WHERE id = {key}",
            f"DELETE FROM {s}_p WHERE id = {key}",
            f"DELETE FROM {s}_p WHERE k IN ({key}, {other}, {new}) ORDER BY id",
            f"DELETE FROM {s}_q WHERE id = {key}",
            f"DELETE IGNORE FROM {s}_q WHERE u > {key} ORDER BY id",
        ]

    def several_tables(self, s: str) -> list[str]:
        n, key = self.row(), self.key()
        return [
            f"DELETE p, c FROM {s}_p p JOIN {s}_c c ON c.a = p.id WHERE p.id = {key}",
            f"DELETE g, c FROM {s}_c c JOIN {s}_g g ON g.a = c.a WHERE c.id = {n}",
            f"UPDATE {s}_c c JOIN {s}_p p ON p.id = c.a SET c.v = c.v + 1, p.v = p.v + 1"
            f" WHERE c.id = {n}",
        ]

    def of_itself(self, s: str) -> list[str]:
        """A row's parent has half its number, so that no chain is longer than a cascade may be."""
        n, m, key = self.row(), self.row(), self.key()
        return [
            f"INSERT IGNORE INTO {s}_t VALUES ({n}, NULLIF({n // 2}, 0))",
            f"INSERT IGNORE INTO {s}_t SELECT seq, NULLIF(seq DIV 2, 0) FROM seq_1_to_{n}",
            f"REPLACE INTO {s}_t VALUES ({m}, NULLIF({m // 2}, 0)), ({n}, NULLIF({n // 2}, 0))",
            f"DELETE FROM {s}_t WHERE id = {key}",
            f"DELETE FROM {s}_t WHERE id BETWEEN {n} AND {n + 5} ORDER BY id",
            f"INSERT IGNORE INTO {s}_s SELECT seq, NULLIF(seq DIV 2, 0) FROM seq_1_to_{n}",
            f"REPLACE INTO {s}_s VALUES ({m}, NULL), ({n}, NULL)",
            f"UPDATE IGNORE {s}_s SET a = {key} WHERE id BETWEEN {n} AND {n + 9} ORDER BY id",
            f"DELETE FROM {s}_s WHERE id = {key}",
            f"DELETE FROM {s}_s WHERE id >= {n} ORDER BY id DESC",
        ]

    def without_keys(self, s: str) -> list[str]:
        """Tables without a primary key, with rows that are equal."""
        key, other, new = self.key(), self.key(), self.rng.choice(NEW_KEYS)
        v = self.rng.randrange(3)
        return [
            f"INSERT INTO {s}_np VALUES ({key}, {v}), ({key}, {v})",
            f"INSERT IGNORE INTO {s}_nc VALUES ({key}, {v}), ({key}, {v}), ({other}, NULL)",
            f"INSERT IGNORE INTO {s}_ng SELECT a, v FROM {s}_nc WHERE a <= {key} ORDER BY a, v",
            f"UPDATE {s}_np SET v = {v} WHERE k = {key} ORDER BY k, v",
            f"UPDATE {s}_np SET k = {new} WHERE k = {key} ORDER BY k, v",
            f"UPDATE {s}_nc SET v = v + 1 WHERE a = {key} ORDER BY a, v",
            f"UPDATE IGNORE {s}_nc SET a = {other} WHERE a = {key} ORDER BY a, v",
            f"DELETE FROM {s}_np WHERE k = {key} AND v = {v} ORDER BY k, v",
            f"DELETE FROM {s}_np WHERE k > {KEYS} ORDER BY k, v",
            f"DELETE FROM {s}_ng WHERE a = {key} ORDER BY a, v",
        ]

    def two_unique_keys(self, s: str) -> list[str]:
        """Which of the keys is a row's duplicate depends on who else writes."""
        key, other, new = self.key(), self.key(), self.rng.choice(NEW_KEYS)
        rows = f"({new}, {new}, 'u{new}', 1), ({key}, {other}, 'u{key}', 2), ({other}, 1, NULL, 3)"
        return [
            f"REPLACE INTO {s}_p VALUES {rows}",
            f"INSERT INTO {s}_p VALUES {rows} ON DUPLICATE KEY UPDATE k = VALUES(k), v = v + 1",
            f"INSERT INTO {s}_p VALUES {rows} ON DUPLICATE KEY UPDATE id = id + {KEYS}",
            f"REPLACE INTO {s}_q VALUES ({new}, {key}), ({key}, {new})",
            f"INSERT INTO {s}_q VALUES ({new}, {new}), ({key}, {key})"
            f" ON DUPLICATE KEY UPDATE u = {new}",
        ]


def make_files(folder: Path, rng: Random) -> None:
    """What LOAD DATA reads: rows of the child with two parents."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(FILES):
        rows = [
            (row, rng.randint(1, KEYS), rng.choice(["\\N", rng.randint(1, KEYS)]), number)
            for row in rng.sample(range(1, ROWS + 1), 10)
        ]
        text = "".join("\t".join(map(str, row)) + "\n" for row in rows)
        (folder / f"{number}.tsv").write_text(text)
