# SPDX-License-Identifier: GPL-2.0-only
"""Tables, keys and partitions, drawn at random."""

from dataclasses import dataclass, field
from random import Random

from tests.kit.side_by_side import values
from tests.kit.side_by_side.statement import Statement

# Columns of tables versioned by transaction, which SELECT * does not show
STARTED, ENDED = "vs", "ve"
# Every finite geometry is in it.
EVERYWHERE = "ST_GeomFromText('POLYGON((-9e9 -9e9, 9e9 -9e9, 9e9 9e9, -9e9 9e9, -9e9 -9e9))')"


@dataclass
class Column:
    """`expression`: what a generated column is computed from, with `sources` as its columns."""

    name: str
    type: values.ColumnType
    nullable: bool
    expression: str = ""
    sources: tuple[str, ...] = ()
    stored: bool = False

    def ddl(self) -> str:
        if self.expression:
            kind = "STORED" if self.stored else "VIRTUAL"
            return f"{self.name} {self.type.sql} AS ({self.expression}) {kind}"
        return f"{self.name} {self.type.sql}{'' if self.nullable else ' NOT NULL'}"

    def literal(self, rng: Random) -> str:
        if self.nullable and rng.random() < 0.15:
            return "NULL"
        return self.type.literal(rng)


@dataclass
class Key:
    """`parts`: (column, prefix length or 0); `descending`: names of columns. `spatial`: a SPATIAL
    key, of one geometry column that is NOT NULL."""

    name: str
    parts: list[tuple[Column, int]]
    unique: bool = False
    descending: set[str] = field(default_factory=set)
    spatial: bool = False

    def ddl(self) -> str:
        parts = ", ".join(
            (f"{c.name}({n})" if n else c.name) + (" DESC" if c.name in self.descending else "")
            for c, n in self.parts
        )
        if self.name == "PRIMARY":
            return f"PRIMARY KEY ({parts})"
        kind = "SPATIAL " if self.spatial else "UNIQUE " if self.unique else ""
        return f"{kind}KEY {self.name} ({parts})"

    def has_order(self) -> bool:
        """That of whole values of its columns."""
        return not self.spatial and not any(n for _, n in self.parts)

    def column_names(self) -> list[str]:
        return [c.name for c, _ in self.parts]


@dataclass
class Table:
    """`automatic`: id is AUTO_INCREMENT, and only statements whose use of the counter is the same
    on all engines are made (see generator.py). `temporary`: of one connection, so that the check at
    the end cannot see it; a plain one with the peer (see statement.py). `versioned`: by
    transaction, with the columns STARTED and ENDED."""

    name: str
    columns: list[Column]
    keys: list[Key] = field(default_factory=list)
    partitions: str = ""
    automatic: bool = False
    temporary: bool = False
    next_id: int = 1
    versioned: bool = False

    def primary(self) -> Key | None:
        return next((k for k in self.keys if k.name == "PRIMARY"), None)

    def column(self, name: str) -> Column:
        return next(c for c in self.columns if c.name == name)

    def writable(self) -> list[Column]:
        """Columns that a statement may give values."""
        return [c for c in self.columns if not c.expression]

    def needed(self) -> set[str]:
        """Columns that cannot go or change: keys, generated columns and the generator use them."""
        keyed = {n for k in self.keys for n in k.column_names()}
        return keyed | {n for c in self.columns for n in c.sources} | {"id"}

    def unique_columns(self) -> set[str]:
        return {c.name for k in self.keys if k.unique for c, _ in k.parts}

    def create(self) -> Statement:
        items = [c.ddl() for c in self.columns] + [k.ddl() for k in self.keys]
        if self.automatic:
            items[0] += " AUTO_INCREMENT"
        end = ")"
        if self.versioned:
            kind = "BIGINT UNSIGNED GENERATED ALWAYS AS ROW"
            items += [f"{STARTED} {kind} START INVISIBLE", f"{ENDED} {kind} END INVISIBLE"]
            items.append(f"PERIOD FOR SYSTEM_TIME ({STARTED}, {ENDED})")
            end += " WITH SYSTEM VERSIONING"
        kind = "TEMPORARY " if self.temporary else ""
        return Statement(f"CREATE {kind}TABLE {self.name} (", items, ", ", end + self.partitions)

    def total_order(self, alias: str = "") -> list[str]:
        """Expressions after which no two rows that differ are tied."""
        dot = f"{alias}." if alias else ""
        if self.primary():
            return [f"{dot}{c.name}" for c, _ in self.primary().parts]
        return [f"{dot}id"] + [f"HEX({dot}{c.name})" for c in self.columns if c.name != "id"]


def contents(table: Table) -> list[Statement]:
    """Queries that show all rows of a table, through each key as well."""
    queries = [Statement(f"SELECT * FROM {table.name}", compare="multiset")]
    for key in table.keys:
        source = f"FROM {table.name} FORCE INDEX ({key.name})"
        if key.spatial:
            where = f"MBRIntersects({key.column_names()[0]}, {EVERYWHERE})"
            queries.append(Statement(f"SELECT * {source} WHERE {where}", compare="multiset"))
        elif key.has_order():
            columns = ", ".join(key.column_names())
            queries.append(Statement(f"SELECT {columns} {source}", compare="multiset"))
            queries.append(Statement(f"SELECT * {source} ORDER BY {columns}", compare="multiset"))
    return queries


def id_column(rng: Random) -> Column:
    sql = rng.choice(["INT", "INT", "BIGINT", "INT UNSIGNED", "SMALLINT UNSIGNED"])
    kind = values.ColumnType(sql, "number")
    kind.make = lambda r: str(r.randint(1, 60))
    kind.pool = [str(n) for n in range(1, 40)]
    return Column("id", kind, False)


def add_generated_column(rng: Random, table: Table, name: str) -> None:
    column = generated_column(rng, table, name)
    if column:
        table.columns.append(column)


def generated_column(rng: Random, table: Table, name: str) -> Column | None:
    """A column computed from one of the others, in a way that cannot fail."""
    # not allowed: automatic columns, and CHAR, whose length depends on the session
    sources = [c for c in keyable(table) if not c.type.sql.startswith("CHAR(")]
    if table.automatic:
        sources = [c for c in sources if c.name != "id"]
    if not sources:
        return None
    source = rng.choice(sources)
    kind, sql = source.type, source.name
    number = values.ColumnType("BIGINT", "number")
    number.make = lambda r: str(r.randint(-6, 6))
    number.pool = [str(n) for n in range(-2, 6)]
    choices = [(f"{sql} IS NULL", number), (f"LENGTH({sql})", number)]
    if kind.family == "number":
        choices += [(f"{sql} MOD {rng.choice([2, 3, 7])}", number)] * 4
        choices += [(f"NULLIF({sql}, {kind.pool[0]})", kind)]
    if kind.family in ("text", "bytes") and kind.sql != "JSON":
        choices += [(f"LEFT({sql}, {rng.choice([1, 2, 5])})", kind), (f"REVERSE({sql})", kind)] * 2
        choices += [(f"COALESCE({sql}, {kind.pool[0]})", kind)]
    expression, type_ = rng.choice(choices)
    return Column(name, type_, True, expression, (source.name,), rng.random() < 0.25)


def random_table(rng: Random, name: str) -> Table:
    columns = [id_column(rng)]
    for n in range(rng.randint(1, 7)):
        columns.append(Column(f"c{n}", values.random_type(rng), rng.random() < 0.6))
    table = Table(name, columns)
    table.automatic = rng.random() < 0.15
    for n in range(rng.choice([0, 0, 0, 1, 1, 2])):
        add_generated_column(rng, table, f"g{n}")
    if table.automatic:
        columns[0].type.sql = "INT"  # wide enough for the jumps of explicit values
    partitioned = not table.automatic and rng.random() < 0.15
    table.temporary = not partitioned and rng.random() < 0.12
    if table.automatic or rng.random() < 0.8:
        table.keys.append(random_primary(rng, table, table.automatic or partitioned))
    for n in range(rng.choice([0, 1, 1, 2, 2, 3, 4])):
        key = random_key(rng, table, f"k{n}")
        key.unique = not table.automatic and rng.random() < 0.3
        if key.unique and partitioned and "id" not in key.column_names():
            key.parts.append((columns[0], 0))
        table.keys.append(key)
    if partitioned:
        table.partitions = random_partitions(rng)
    return table


def random_primary(rng: Random, table: Table, plain: bool) -> Key:
    """PRIMARY KEY (id), or, unless `plain`, sometimes over other NOT NULL columns."""
    parts = [(table.columns[0], 0)]
    others = [c for c in keyable(table)[1:] if not c.nullable and not c.expression]
    if not plain and others and rng.random() < 0.4:
        id_part = parts[0]
        parts = [part(rng, c) for c in rng.sample(others, min(len(others), rng.choice([1, 1, 2])))]
        if rng.random() < 0.6:
            parts.insert(rng.randint(0, len(parts)), id_part)
    return Key("PRIMARY", parts, True, some_descending(rng, parts))


def random_key(rng: Random, table: Table, name: str) -> Key:
    columns = keyable(table)
    count = min(len(columns), rng.choice([1, 1, 1, 2, 2, 3]))
    parts = [part(rng, c) for c in rng.sample(columns, count)]
    return Key(name, parts, False, some_descending(rng, parts))


def keyable(table: Table) -> list[Column]:
    """Columns for keys that are not SPATIAL."""
    return [c for c in table.columns if c.type.family != "geometry"]


def some_descending(rng: Random, parts: list[tuple[Column, int]]) -> set[str]:
    if rng.random() < 0.6:
        return set()
    return {c.name for c, _ in parts if rng.random() < 0.6}


def part(rng: Random, column: Column) -> tuple[Column, int]:
    kind = column.type
    if kind.is_blob:
        return column, rng.choice([1, 3, 10, 20])
    if kind.length > 2 and rng.random() < 0.2:
        return column, rng.randint(1, min(kind.length - 1, 12))
    return column, 0


def random_partitions(rng: Random) -> str:
    choice = rng.randint(0, 2)
    if choice == 0:
        return f" PARTITION BY HASH (id) PARTITIONS {rng.randint(1, 5)}"
    if choice == 1:
        return f" PARTITION BY KEY (id) PARTITIONS {rng.randint(2, 4)}"
    return (
        " PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (10),"
        " PARTITION p1 VALUES LESS THAN (30), PARTITION p2 VALUES LESS THAN MAXVALUE)"
    )
