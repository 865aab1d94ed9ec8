# SPDX-License-Identifier: GPL-2.0-only
"""What a table of the DDL load looks like: everything a statement can change, and the rows. Those
follow from the shape: every column that was added has its number as its default value."""

from dataclasses import dataclass, replace

from tests.kit.side_by_side.schema import EVERYWHERE

POINT = "POINT(id, v)"
TEXT = "CONCAT('all row', id, ' of', v)"


@dataclass(frozen=True)
class Shape:
    engine: str = "ROCKSDB"
    added: tuple[int, ...] = ()  # stored columns c1, c2, ..., wherever they stand
    virtual: tuple[int, ...] = ()  # virtual columns w1, w2, ... : v + number
    indexed: bool = False  # KEY k (v)
    placed: bool = False  # a column g, the point (id, v); not with partitions
    spatial: bool = False  # SPATIAL KEY s (g)
    texted: bool = False  # a column t, text with words for id and v; not with partitions
    searched: bool = False  # FULLTEXT KEY f (t)
    comment: int = 0
    partitions: int = 0  # by hash of id; 0: not partitioned
    rows: frozenset[tuple[int, int]] = frozenset()  # (id, v)

    def change(self, **parts) -> "Shape":
        return replace(self, **parts)

    def create(self, name: str, how: str = "CREATE TABLE") -> str:
        columns = ["id INT PRIMARY KEY", "v INT NOT NULL"]
        columns += [f"c{n} INT NOT NULL DEFAULT {n}" for n in self.added]
        columns += [f"w{n} INT AS (v + {n}) VIRTUAL" for n in self.virtual]
        columns += [f"g POINT NOT NULL DEFAULT ({POINT})"] if self.placed else []
        columns += ["KEY k (v)"] if self.indexed else []
        columns += ["SPATIAL KEY s (g)"] if self.spatial else []
        columns += [f"t TEXT NOT NULL DEFAULT ({TEXT})"] * self.texted
        columns += ["FULLTEXT KEY f (t)"] * self.searched
        text = f"{how} {name} ({', '.join(columns)}) ENGINE={self.engine} COMMENT='{self.comment}'"
        return text + (f" {self.partition_clause()}" if self.partitions else "")

    def partition_clause(self) -> str:
        return f"PARTITION BY HASH (id) PARTITIONS {self.partitions}"

    def insert(self, name: str, rows: list[tuple[int, int]]) -> str:
        return f"INSERT INTO {name} (id, v) VALUES " + ", ".join(f"({i}, {v})" for i, v in rows)

    def assignments(self) -> list[str]:
        """What an UPDATE of v must do besides."""
        return [f"g = {POINT}"] * self.placed + [f"t = {TEXT}"] * self.texted

    def contents(self) -> list[tuple]:
        return [(i, v, *self.added, *(v + n for n in self.virtual)) for i, v in sorted(self.rows)]

    def __str__(self) -> str:
        return (
            f"{self.engine} c{list(self.added)} w{list(self.virtual)} k{int(self.indexed)}"
            f" g{int(self.placed)} s{int(self.spatial)} t{int(self.texted)} f{int(self.searched)}"
            f" comment {self.comment} partitions {self.partitions} rows {len(self.rows)}"
        )


def read_shape(execute, database: str, name: str) -> Shape:
    """The shape of a table as the server tells it. Raises what a table that cannot be opened does;
    ValueError when the table contradicts itself."""
    where = f"table_schema = '{database}' AND table_name = '{name}'"
    columns = [
        r[0]
        for r in execute(
            f"SELECT column_name FROM information_schema.columns WHERE {where}"
            " ORDER BY ordinal_position"
        )
    ]
    found = execute(f"SELECT * FROM {name} ORDER BY id")  # also says why it cannot be opened
    engine, comment = execute(
        f"SELECT engine, table_comment FROM information_schema.tables WHERE {where}"
    )[0]
    keys = execute(f"SELECT DISTINCT index_name FROM information_schema.statistics WHERE {where}")
    parts = execute(
        f"SELECT COUNT(partition_name) FROM information_schema.partitions WHERE {where}"
    )
    shape = Shape(
        engine="ROCKSDB" if engine.upper() == "ROCKSDB" else "InnoDB",
        added=tuple(int(c[1:]) for c in columns if c[0] == "c"),
        virtual=tuple(int(c[1:]) for c in columns if c[0] == "w"),
        indexed=("k",) in keys,
        placed="g" in columns,
        spatial=("s",) in keys,
        texted="t" in columns,
        searched=("f",) in keys,
        comment=int(comment),
        partitions=parts[0][0],
        rows=frozenset((r[columns.index("id")], r[columns.index("v")]) for r in found),
    )
    names = ["id", "v", *(f"c{n}" for n in shape.added), *(f"w{n}" for n in shape.virtual)]
    given = [tuple(r[columns.index(n)] for n in names) for r in found]
    if given != shape.contents():
        raise ValueError(f"{name}: rows {given[:3]} instead of {shape.contents()[:3]}")
    if shape.indexed:
        through_key = execute(f"SELECT id, v FROM {name} FORCE INDEX (k) WHERE v >= 0")
        if set(through_key) != shape.rows:
            raise ValueError(f"{name}: {len(through_key)} entries for {len(shape.rows)} rows")
    if shape.placed:
        check_places(execute, name, shape)
    if shape.searched:
        check_words(execute, name, shape)
    return shape


def check_places(execute, name: str, shape: Shape) -> None:
    """Raises ValueError when the column g, or its index, is not that of the rows."""
    places = f"SELECT CAST(ST_X(g) AS INT), CAST(ST_Y(g) AS INT) FROM {name}"
    inside = f"WHERE MBRIntersects(g, {EVERYWHERE})"
    for source in [places] + [f"{places} FORCE INDEX (s) {inside}"] * shape.spatial:
        found = execute(source)
        if len(found) != len(shape.rows) or set(found) != shape.rows:
            raise ValueError(f"{source}: {len(found)} places for {len(shape.rows)} rows")


def check_words(execute, name: str, shape: Shape) -> None:
    """Raises ValueError when the words of the column t do not find the rows."""
    expected = {"all": shape.rows}
    for row in sorted(shape.rows)[:3]:
        expected[f"row{row[0]}"] = {row}
        expected[f"of{row[1]}"] = {other for other in shape.rows if other[1] == row[1]}
    for word, rows in expected.items():
        source = f"SELECT id, v FROM {name} WHERE MATCH (t) AGAINST ('{word}')"
        found = execute(source)
        if len(found) != len(rows) or set(found) != rows:
            raise ValueError(f"{source}: {len(found)} of {len(rows)} rows")
