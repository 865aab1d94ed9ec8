# SPDX-License-Identifier: GPL-2.0-only
"""What the generator believes of its tables: columns of few kinds, so that they match, keys of all
shapes, constraints between them."""

from dataclasses import dataclass, field
from random import Random

# Few values each, so that parents are often there: equal ones, and such as are equal under a
# collation only.
KINDS = {
    "int": ("INT", ["1", "2", "3", "4", "5", "6", "7"]),
    "tiny": ("TINYINT UNSIGNED", ["0", "1", "2", "3", "4", "255"]),
    "big": ("BIGINT", ["-1", "0", "1", "2", "3", "9223372036854775807"]),
    "decimal": ("DECIMAL(8,2)", ["0", "1", "1.5", "-2.25", "100", "3"]),
    "double": ("DOUBLE", ["0", "1", "1.5", "-2.25", "1e30", "3"]),
    "date": ("DATE", ["'2020-01-01'", "'2020-01-02'", "'1999-12-31'", "'2024-02-29'"]),
    "time": ("DATETIME(3)", ["'2020-01-01 00:00:00.125'", "'2020-01-01'", "'2024-02-29 23:59:59'"]),
    "ci": (
        "VARCHAR(10) COLLATE utf8mb4_general_ci",
        ["'a'", "'A'", "'b'", "'ä'", "'c'", "''", "'d'"],
    ),
    "unicode": ("VARCHAR(10) COLLATE utf8mb4_unicode_ci", ["'ss'", "'ß'", "'b'", "'b '", "'c'"]),
    "bin": ("VARCHAR(10) COLLATE utf8mb4_bin", ["'a'", "'A'", "'b'", "'b '", "'c'", "'d'"]),
    "latin": ("CHAR(6) CHARACTER SET latin1", ["'a'", "'A'", "'b'", "'c '", "'d'", "'e'"]),
    "bytes": ("BINARY(4)", ["x'00'", "x'0001'", "x'ff'", "x'61626364'", "x'20'"]),
}
NUMBERS = ("int", "tiny", "big", "decimal", "double")
ACTIONS = ("RESTRICT", "NO ACTION", "CASCADE", "CASCADE", "CASCADE", "SET NULL", "SET DEFAULT")


@dataclass
class Column:
    """`expression`: of a generated column, which nothing writes."""

    name: str
    kind: str
    nullable: bool = True
    expression: str = ""

    def ddl(self) -> str:
        if self.expression:
            return f"{self.name} {KINDS[self.kind][0]} AS ({self.expression[1:]})" + (
                " STORED" if self.expression[0] == "!" else ""
            )
        return f"{self.name} {KINDS[self.kind][0]} {'NULL' if self.nullable else 'NOT NULL'}"

    @property
    def is_virtual(self) -> bool:
        return self.expression.startswith(".")

    def literal(self, rng: Random) -> str:
        if self.nullable and rng.random() < 0.15:
            return "NULL"
        return rng.choice(KINDS[self.kind][1])


@dataclass
class Key:
    """`parts`: names of columns, with those of `descending` among them; unique when `head` says
    so."""

    name: str
    head: str
    parts: list[str]
    descending: set[str] = field(default_factory=set)

    def ddl(self) -> str:
        parts = ", ".join(p + " DESC" * (p in self.descending) for p in self.parts)
        return f"{self.head} {self.name} ({parts})".replace("PRIMARY KEY PRIMARY", "PRIMARY KEY")


@dataclass
class Table:
    """`name` as in a statement: with a database when that is the other one."""

    name: str
    columns: list[Column]
    keys: list[Key]
    constraints: list[str] = field(default_factory=list)  # names that it may have

    def column(self, name: str) -> Column | None:
        return next((c for c in self.columns if c.name == name), None)

    def writable(self) -> list[Column]:
        return [c for c in self.columns if not c.expression]

    def total_order(self, prefix: str = "", direction: str = "") -> str:
        """For ORDER BY: no two rows are equal in it, unless in all their bytes."""
        primary = next((key for key in self.keys if key.name == "PRIMARY"), None)
        if primary:
            return ", ".join(prefix + part + direction for part in primary.parts)
        parts = [f"HEX({prefix}{c.name}){direction}" for c in self.columns]
        return ", ".join(parts)

    def bare_name(self) -> str:
        return self.name.rpartition(".")[2]


def random_table(rng: Random, name: str, kinds: list[str]) -> Table:
    columns = [Column("id", kinds[0], False)]
    for letter in "abc"[: rng.randint(1, 3)]:
        columns.append(Column(letter, rng.choice(kinds), rng.random() < 0.75))
    columns.append(Column("v", "int"))
    if rng.random() < 0.2:
        base = rng.choice([c for c in columns if c.kind in NUMBERS])
        columns.append(Column("g", base.kind, True, rng.choice("!.") + f"{base.name} + 0"))
    return Table(name, columns, random_keys(rng, columns))


def random_keys(rng: Random, columns: list[Column]) -> list[Key]:
    keys = []
    names = [c.name for c in columns]
    plain = [c.name for c in columns if not c.nullable and c.name != "v" and not c.expression]
    if rng.random() < 0.9:
        parts = ["id"]
        if len(plain) > 1 and rng.random() < 0.25:
            parts = rng.sample(plain, 2)
        keys.append(random_key(rng, "PRIMARY", "PRIMARY KEY", parts))
    for number in range(rng.choice([0, 1, 1, 2, 3])):
        parts = rng.sample([n for n in names if n != "v"], rng.choice([1, 1, 2]))
        head = "UNIQUE KEY" if rng.random() < 0.35 else "KEY"
        keys.append(random_key(rng, f"i{number}", head, parts))
    return keys


def random_key(rng: Random, name: str, head: str, parts: list[str]) -> Key:
    return Key(name, head, parts, {p for p in parts if rng.random() < 0.1})


def random_constraint(rng: Random, child: Table, parent: Table) -> tuple[str, str] | None:
    """A constraint's text and name, '' for one without. Most match; None when none can."""
    key = rng.choice(parent.keys) if parent.keys else None
    if key is None:
        return None
    if any(parent.column(part).is_virtual for part in key.parts):
        return None  # InnoDB does not see an UPDATE of such a parent (docs/compatibility.md)
    columns, named = [], []
    for part in key.parts[: rng.randint(1, len(key.parts))]:
        kind = parent.column(part).kind
        fitting = [c for c in child.columns if c.kind == kind and c.name not in columns]
        if rng.random() < 0.04:
            fitting = [c for c in child.columns if c.name not in columns]
        free = [c for c in fitting if c.name not in ("id", "v")]
        if not fitting:
            return None
        columns.append(rng.choice(free or fitting).name)
        named.append(part if rng.random() < 0.97 else rng.choice(parent.columns).name)
    if goes_on_with_primary(parent, named):
        return None
    name = f"k{rng.randint(0, 40)}" if rng.random() < 0.5 else ""
    return constraint_text(rng, name, columns, parent, named), name


def goes_on_with_primary(parent: Table, columns: list[str]) -> bool:
    """Does only the row's own key, at the end of an index, serve them? InnoDB takes that and
    ROCKSDB does not (docs/compatibility.md)."""
    count = len(columns)
    primary = next((key.parts for key in parent.keys if key.name == "PRIMARY"), [])
    declared = [key.parts for key in parent.keys]
    whole = [parts + [part for part in primary if part not in parts] for parts in declared]
    return all(parts[:count] != columns for parts in declared) and any(
        parts[:count] == columns for parts in whole
    )


def constraint_text(rng: Random, name: str, columns, parent: Table, named) -> str:
    text = f"CONSTRAINT {name} " if name else ""
    text += f"FOREIGN KEY ({', '.join(columns)}) REFERENCES {parent.name} ({', '.join(named)})"
    for event in rng.choice([[], ["DELETE"], ["UPDATE"], ["DELETE", "UPDATE"]]):
        text += f" ON {event} {rng.choice(ACTIONS)}"
    return text
