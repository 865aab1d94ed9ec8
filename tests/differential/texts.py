# SPDX-License-Identifier: GPL-2.0-only
"""Histories of tables with FULLTEXT keys, whose searches must find the same rows.

InnoDB finds no words of a transaction that has not ended: searches come outside of transactions.
Left out are ranks, and what docs/full-text.md says is different; the tier `full-text` has both.
So is where InnoDB is wrong by itself: a phrase beside other words, lists in brackets, and a phrase
behind an empty text, which it misses in an index that ADD built: here such a text is a blank. And
savepoints: a DELETE after ROLLBACK TO SAVEPOINT may end InnoDB's server. Nor is an ALTER made of an
empty table: InnoDB's next ADD FULLTEXT may find no rows then. The primary key has no column that
UPDATE changes without the texts: InnoDB then loses the words of a row of the same transaction."""

from dataclasses import dataclass, field

from tests.differential.generator import SESSION, SWITCHES
from tests.kit.side_by_side.history import History
from tests.kit.side_by_side.statement import Statement

# Words that an index has: beginnings of each other, others by case or accents only.
WORDS = ("apple", "apples", "app", "Apple", "pear", "PEAR", "plum", "plum2", "x1y", "2024", "crème")
# What it has not stands in texts only.
NOISE = ("a", "ap", "the", "about", "with", "...", "--", "(")
COLLATIONS = ("latin1_swedish_ci", "utf8mb4_general_ci", "utf8mb4_unicode_ci", "utf8mb3_general_ci")
COLUMNS = {"title": "VARCHAR(200)", "body": "TEXT", "more": "MEDIUMTEXT NOT NULL"}
KEYS = (("title",), ("body",), ("title", "body"), ("more", "body"), ("body", "more", "title"))
MODES = ("", " IN NATURAL LANGUAGE MODE")
BOOLEAN = " IN BOOLEAN MODE"


@dataclass
class TextTable:
    """`keys`: the FULLTEXT ones, by name."""

    name: str
    collation: str
    keys: dict[str, tuple[str, ...]] = field(default_factory=dict)
    next_id: int = 1

    def create(self) -> Statement:
        items = ["id INT NOT NULL PRIMARY KEY", "n INT NOT NULL", "KEY n (n)"]
        items += [f"{name} {kind}" for name, kind in COLUMNS.items()]
        items += [key_ddl(*key) for key in self.keys.items()]
        return Statement(f"CREATE TABLE {self.name} (", items, tail=f") COLLATE={self.collation}")


def key_ddl(name: str, columns: tuple[str, ...]) -> str:
    return f"FULLTEXT KEY {name} ({', '.join(columns)})"


class TextGenerator(History):
    def __init__(self, seed: int, length: int):
        super().__init__(seed, length)
        self.queue = [Statement(text) for text in (*SESSION, self.rng.choice(SWITCHES)) if text]
        self.tables = [self.new_table(f"t{n}") for n in range(self.rng.choice([1, 2]))]
        for table in self.tables:
            self.queue.append(table.create())
            self.queue += [self.insert(table, self.rng.randint(1, 15)) for _ in range(4)]

    def draw(self) -> Statement:
        roll = self.rng.random()
        table = self.rng.choice(self.tables)
        if self.in_transaction:
            return self.end_transaction() if roll < 0.2 else self.write(table)
        if roll < 0.55:
            return self.search(table)
        if roll < 0.6:
            self.in_transaction = True
            return Statement("START TRANSACTION")
        if roll < 0.75:
            return self.write_by_search(table)
        return self.write(table) if roll < 0.93 else self.change_schema(table)

    # --- tables, rows and texts

    def new_table(self, name: str) -> TextTable:
        table = TextTable(name, self.rng.choice(COLLATIONS))
        for number, columns in enumerate(self.rng.sample(KEYS, self.rng.choice([1, 2, 3]))):
            table.keys[f"f{number}"] = columns
        return table

    def text(self, column: str) -> str:
        lengths = [0, 1, 3, 6, 12] if column == "title" else [0, 2, 6, 12, 60]
        words = [
            self.rng.choice(WORDS if self.rng.random() < 0.7 else NOISE)
            for _ in range(self.rng.choice(lengths))
        ]
        return quoted(" ".join(words) or " ")

    def value(self, column: str) -> str:
        if "NOT NULL" not in COLUMNS[column] and self.rng.random() < 0.1:
            return "NULL"
        return self.text(column)

    def row(self, table: TextTable) -> list[str]:
        number = table.next_id
        if self.rng.random() < 0.15:
            number = self.rng.randint(1, table.next_id)
        table.next_id = max(table.next_id, number + 1)
        return [str(number), str(self.rng.randint(0, 9)), *map(self.value, COLUMNS)]

    def insert(self, table: TextTable, count: int, verb: str = "INSERT IGNORE") -> Statement:
        rows = [self.row(table) for _ in range(count)]
        return Statement(f"{verb} INTO {table.name}", columns=["id", "n", *COLUMNS], rows=rows)

    # --- searches

    def match(self, table: TextTable, alias: str = "") -> str:
        """Of the columns of a key most often, else error 1191."""
        dot = f"{alias}." if alias else ""
        columns = self.rng.choice(list(table.keys.values()) or KEYS)
        if self.rng.random() < 0.02:
            columns = self.rng.choice(KEYS)
        names = ", ".join(dot + name for name in columns)
        if self.rng.random() < 0.4:
            words = " ".join(self.rng.choices(WORDS, k=self.rng.randint(1, 3)))
            return f"MATCH ({names}) AGAINST ({quoted(words)}{self.rng.choice(MODES)})"
        return f"MATCH ({names}) AGAINST ({quoted(self.boolean())}{BOOLEAN})"

    def boolean(self) -> str:
        if self.rng.random() < 0.2:
            return f'"{" ".join(self.rng.choices(WORDS, k=2))}"'
        parts = [self.rng.choice(["", "+"]) + self.word()]
        for _ in range(self.rng.randint(0, 2)):
            parts.append(self.rng.choice(["", "+", "+", "-"]) + self.word())
        return " ".join(parts)

    def word(self) -> str:
        word = self.rng.choice(WORDS)
        return word if self.rng.random() < 0.7 else word[: self.rng.randint(3, len(word))] + "*"

    def conditions(self, table: TextTable, alias: str = "") -> list[str]:
        """One search at least, and what other keys are for."""
        dot = f"{alias}." if alias else ""
        found = [self.match(table, alias)]
        roll = self.rng.random()
        if roll < 0.15:
            found.append(self.match(table, alias))
        elif roll < 0.35:
            found.append(f"{dot}n = {self.rng.randint(0, 9)}")
        elif roll < 0.5:
            found.append(f"{dot}id BETWEEN {self.rng.randint(0, 9)} AND {self.rng.randint(9, 60)}")
        return found

    def search(self, table: TextTable) -> Statement:
        rng = self.rng
        roll = rng.random()
        if roll < 0.2:
            other = rng.choice(self.tables)
            head = f"SELECT a.id, b.id FROM {table.name} a JOIN {other.name} b ON a.n = b.n WHERE "
            conditions = self.conditions(table, "a")
            if rng.random() < 0.3:
                conditions += self.conditions(other, "b")
            return Statement(head, conditions, " AND ", compare="multiset")
        if roll < 0.35:
            inner = f"SELECT n FROM {table.name} WHERE {self.match(table)}"
            head = f"SELECT id, n FROM {rng.choice(self.tables).name} WHERE "
            word = rng.choice(["IN", "NOT IN"])
            return Statement(head, [f"n {word} ({inner})"], compare="multiset")
        if roll < 0.45:
            either = f"({self.match(table)} OR n = {rng.randint(0, 9)})"
            return Statement(f"SELECT id FROM {table.name} WHERE ", [either], compare="multiset")
        fields = rng.choice(["*", "id, n", "COUNT(*), MIN(id), MAX(n)", "id, body"])
        tail, compare = "", "multiset"
        if fields != "COUNT(*), MIN(id), MAX(n)" and rng.random() < 0.3:
            tail, compare = f" ORDER BY n, id LIMIT {rng.choice([1, 3, 50])}", "ordered"
        conditions = self.conditions(table)
        head = f"SELECT {fields} FROM {table.name} WHERE "
        return Statement(head, conditions, " AND ", tail, compare)

    # --- writes

    def write(self, table: TextTable) -> Statement:
        rng = self.rng
        roll = rng.random()
        if roll < 0.4:
            verb = rng.choice(["INSERT IGNORE", "REPLACE", "INSERT"])
            return self.insert(table, 1 if verb == "INSERT" else rng.choice([1, 1, 4]), verb)
        where = [rng.choice([f"n = {rng.randint(0, 9)}", f"id = {rng.randint(1, 60)}"])]
        if roll < 0.8:
            return Statement(f"UPDATE {table.name} SET {self.assignment()} WHERE ", where)
        return Statement(f"DELETE FROM {table.name} WHERE ", where)

    def assignment(self) -> str:
        if self.rng.random() < 0.2:
            return f"n = {self.rng.randint(0, 9)}"
        column = self.rng.choice(list(COLUMNS))
        if self.rng.random() < 0.3:
            return f"{column} = CONCAT_WS(' ', {column}, {self.text('title')})"
        return f"{column} = {self.value(column)}"

    def write_by_search(self, table: TextTable) -> Statement:
        conditions = self.conditions(table)
        if self.rng.random() < 0.6:
            head = f"UPDATE {table.name} SET {self.assignment()} WHERE "
            return Statement(head, conditions, " AND ")
        return Statement(f"DELETE FROM {table.name} WHERE ", conditions, " AND ")

    def end_transaction(self) -> Statement:
        self.in_transaction = False
        return Statement(self.rng.choice(["COMMIT", "COMMIT", "ROLLBACK"]))

    # --- DDL

    def change_schema(self, table: TextTable) -> Statement:
        if self.rng.random() < 0.1:
            return Statement(f"TRUNCATE TABLE {table.name}")
        self.queue.append(self.change_table(table))
        return self.insert(table, 4)

    def change_table(self, table: TextTable) -> Statement:
        rng = self.rng
        roll = rng.random()
        if roll < 0.4:
            name, columns = f"k{self.made}", rng.choice(KEYS)
            added = {name: columns}
            return alter(table, "ADD " + key_ddl(name, columns), lambda: table.keys.update(added))
        if roll < 0.7 and table.keys:
            name = rng.choice(list(table.keys))
            return alter(table, f"DROP KEY {name}", lambda: table.keys.pop(name))
        change = rng.choice(
            [
                "FORCE",
                f"ADD COLUMN c{self.made} INT NOT NULL DEFAULT {self.made}",
                f"MODIFY title VARCHAR({200 + self.made})",
                "MODIFY body MEDIUMTEXT",
                f"DROP PRIMARY KEY, ADD PRIMARY KEY (id{rng.choice(['', ' DESC'])})",
            ]
        )
        return alter(table, change)


def alter(table: TextTable, change: str, note=None) -> Statement:
    """How many rows it has copied is an engine's own affair."""
    return Statement(f"ALTER TABLE {table.name} {change}", compare="none", note=note)


def quoted(text: str) -> str:
    return f"'{text}'"
