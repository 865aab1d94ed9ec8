# SPDX-License-Identifier: GPL-2.0-only
"""SELECTs and WHERE clauses. A query with LIMIT has an order without ties; the rest is compared as
a multiset. Of values that are equal only under a collation none is picked out (no bare MIN, no
GROUP BY in the output): which one appears is free."""

from random import Random

from tests.differential import geometries
from tests.kit.side_by_side.schema import Column, Key, Table
from tests.kit.side_by_side.statement import Statement


def select(rng: Random, tables: list[Table]) -> Statement:
    makers = [plain] * 5 + [ordered] * 4 + [covering] * 4 + [aggregate] * 3 + [grouped] * 2
    makers += [extreme] * 2 + [joined] * 4 + [subquery] * 2 + [key_range] * 3
    return rng.choice(makers)(rng, rng.choice(tables), tables)


def plain(rng: Random, table: Table, tables) -> Statement:
    names = rng.choice(["*", ", ".join(some_columns(rng, table))])
    lock = rng.choice(["", "", "", "", " FOR UPDATE", " LOCK IN SHARE MODE"])
    head = f"SELECT {names} FROM {table.name}{hint(rng, table)} WHERE "
    return Statement(head, conditions(rng, table), " AND ", lock, "multiset")


def ordered(rng: Random, table: Table, tables) -> Statement:
    """ORDER BY the columns of a key, made total, forwards or backwards, with LIMIT."""
    direction = rng.choice(["", " DESC"])
    order = list(table.total_order())
    key = any_key(rng, table)
    if key and key.has_order():
        order = key.column_names() + order
    by = ", ".join(e + direction for e in order)
    limit = rng.choice(["", f" LIMIT {rng.choice([1, 2, 5, 20])}", " LIMIT 3 OFFSET 2"])
    head = f"SELECT * FROM {table.name}{hint(rng, table, key)} WHERE "
    return Statement(
        head, conditions(rng, table, keyed=key), " AND ", f" ORDER BY {by}{limit}", "ordered"
    )


def covering(rng: Random, table: Table, tables) -> Statement:
    """Only columns of one key (and the primary key): the index alone can answer."""
    key = any_key(rng, table)
    if not key:
        return plain(rng, table, tables)
    names = key.column_names()
    if table.primary():
        names += table.primary().column_names()
    names = list(dict.fromkeys(names))
    limited = [n for n in names if table.column(n) in [c for c, _ in key.parts]]
    where = conditions(rng, table, keyed=key, only=[table.column(n) for n in limited])
    head = f"SELECT {', '.join(names)} FROM {table.name} FORCE INDEX ({key.name}) WHERE "
    return Statement(head, where, " AND ", "", "multiset")


def key_range(rng: Random, table: Table, tables) -> Statement:
    """Equality on the first parts of a key, a range on the next, and the order of the key."""
    key = any_key(rng, table)
    if not key:
        return plain(rng, table, tables)
    depth = rng.randint(0, len(key.parts) - 1)
    where = [equality(rng, c) for c, _ in key.parts[:depth]]
    where.append(interval(rng, key.parts[depth][0]))
    direction = rng.choice(["", " DESC"])
    order = ([] if key.spatial else key.column_names()) + table.total_order()
    by = ", ".join(e + direction for e in order)
    limit = rng.choice(["", " LIMIT 1", " LIMIT 4"])
    head = f"SELECT * FROM {table.name}{hint(rng, table, key)} WHERE "
    return Statement(head, where, " AND ", f" ORDER BY {by}{limit}", "ordered")


def aggregate(rng: Random, table: Table, tables) -> Statement:
    parts = ["COUNT(*)"]
    column = rng.choice(table.columns)
    parts.append(f"COUNT({column.name})")
    parts.append(f"COUNT(DISTINCT {rng.choice(table.columns).name})")
    numbers = [c for c in table.columns if c.type.family == "number" and "BIGINT" not in c.type.sql]
    if numbers:
        parts.append(f"SUM({rng.choice(numbers).name})")
    head = f"SELECT {', '.join(parts)} FROM {table.name}{hint(rng, table)} WHERE "
    return Statement(head, conditions(rng, table), " AND ", "", "ordered")


def extreme(rng: Random, table: Table, tables) -> Statement:
    """MIN and MAX, which may come from the ends of an index."""
    key = any_key(rng, table)
    column = rng.choice(key.parts)[0] if key and rng.random() < 0.8 else rng.choice(table.columns)
    function = rng.choice(["MIN", "MAX"])
    if geometries.is_geometry(column):  # which have no order
        return plain(rng, table, tables)
    where = conditions(rng, table, keyed=key)
    if not column.type.exact:
        clause = " AND ".join(where)
        return Statement(
            f"SELECT COUNT(*) FROM {table.name} WHERE {column.name} ="
            f" (SELECT {function}({column.name}) FROM {table.name} WHERE {clause})",
            compare="ordered",
        )
    return Statement(
        f"SELECT {function}({column.name}) FROM {table.name} WHERE ", where, " AND ", "", "ordered"
    )


def grouped(rng: Random, table: Table, tables) -> Statement:
    key = any_key(rng, table)
    column = key.parts[0][0] if key and rng.random() < 0.7 else rng.choice(table.columns)
    shown = f"{column.name}, " if column.type.exact else ""
    second = rng.choice([c for c in table.columns if c.type.exact])
    # MIN and MAX of a BIT column come as a number or as bytes, as the server's plan happens to be
    # (with or without a temporary table); as a number they are the same either way.
    number = "+0" if second.type.family == "bit" else ""
    having = rng.choice(["", " HAVING COUNT(*) > 1", " HAVING MAX(id) > 5"])
    direction = rng.choice(["", " DESC"])
    return Statement(
        f"SELECT {shown}COUNT(*), MIN({second.name}{number}), MAX({second.name}{number})"
        f" FROM {table.name}"
        f"{hint(rng, table, key)} WHERE ",
        conditions(rng, table),
        " AND ",
        f" GROUP BY {column.name}{having} ORDER BY {column.name}{direction}"
        if column.type.exact
        else f" GROUP BY {column.name}{having}",
        "ordered" if column.type.exact else "multiset",
    )


def joined(rng: Random, table: Table, tables) -> Statement:
    other = rng.choice(tables)
    kind = rng.choice(["JOIN", "JOIN", "LEFT JOIN", "STRAIGHT_JOIN"])
    names = [f"a.{n}" for n in some_columns(rng, table)]
    names += [f"b.{n}" for n in some_columns(rng, other)]
    tail, compare = "", "multiset"
    if rng.random() < 0.3:
        order = table.total_order("a") + other.total_order("b")
        tail, compare = f" ORDER BY {', '.join(order)} LIMIT {rng.choice([1, 5, 30])}", "ordered"
    return Statement(
        f"SELECT {', '.join(names)} FROM {table.name} a {kind} {other.name} b"
        f" ON {join(rng, table, other)} WHERE ",
        conditions(rng, table, "a", 2) + (conditions(rng, other, "b") if "L" not in kind else []),
        " AND ",
        tail,
        compare,
    )


def has_prefix_key(table: Table, column: str) -> bool:
    return any(c.name == column and length for key in table.keys for c, length in key.parts)


def subquery(rng: Random, table: Table, tables) -> Statement:
    other = rng.choice(tables)
    left, right = join_columns(rng, table, other)
    inner = " AND ".join(conditions(rng, other, "b"))
    # An index over the beginnings of values: where its plan is index_subquery, the server takes
    # equal beginnings for equal values, with any engine.
    found = f"CONCAT(b.{right})" if has_prefix_key(other, right) else f"b.{right}"
    test = rng.choice(
        [
            f"a.{left} IN (SELECT {found} FROM {other.name} b WHERE {inner})",
            # (with NULLs on the right the server's answer depends on statistics)
            f"a.{left} NOT IN (SELECT {found} FROM {other.name} b WHERE {inner}"
            f" AND b.{right} IS NOT NULL)",
            f"EXISTS (SELECT 1 FROM {other.name} b WHERE b.{right} = a.{left} AND {inner})",
            f"NOT EXISTS (SELECT 1 FROM {other.name} b WHERE b.{right} = a.{left})",
            f"a.id >= (SELECT AVG(b.id) FROM {other.name} b)",
        ]
    )
    where = [test] + conditions(rng, table, "a", 1)
    return Statement(f"SELECT a.* FROM {table.name} a WHERE ", where, " AND ", "", "multiset")


# --- pieces


def some_columns(rng: Random, table: Table) -> list[str]:
    names = [c.name for c in table.columns]
    return rng.sample(names, rng.randint(1, len(names)))


def any_key(rng: Random, table: Table) -> Key | None:
    return rng.choice(table.keys) if table.keys else None


def hint(rng: Random, table: Table, key: Key | None = None) -> str:
    key = key or any_key(rng, table)
    if not key or rng.random() < 0.55:
        return ""
    return f" {rng.choice(['FORCE', 'FORCE', 'IGNORE', 'USE'])} INDEX ({key.name})"


def join_columns(rng: Random, table: Table, other: Table) -> tuple[str, str]:
    """Two columns that compare in the same way whatever index is used: the same type, or ids."""
    pairs = [
        (a.name, b.name)
        for a in table.columns
        for b in other.columns
        if a.type.sql == b.type.sql and a.name != "id"
    ]
    if pairs and rng.random() < 0.6:
        return rng.choice(pairs)
    integers = [c.name for c in other.columns if is_integer(c)]
    return "id", rng.choice(integers or ["id"])


def is_integer(column: Column) -> bool:
    return column.type.family == "number" and "INT" in column.type.sql


def join(rng: Random, table: Table, other: Table) -> str:
    left, right = join_columns(rng, table, other)
    return f"a.{left} = b.{right}"


def conditions(
    rng: Random,
    table: Table,
    alias: str = "",
    at_most: int = 3,
    keyed: Key | None = None,
    only: list[Column] | None = None,
) -> list[str]:
    """Conditions that a WHERE joins with AND; never empty."""
    dot = f"{alias}." if alias else ""
    found, taken = [], set()
    if keyed and rng.random() < 0.6:
        taken.add(keyed.parts[0][0].name)
        found.append(condition(rng, keyed.parts[0][0], dot))
    for _ in range(rng.choice([0, 1, 1, 2, at_most])):
        columns = [c for c in only or table.columns if not (c.name in taken and has_odd_ranges(c))]
        if not columns:
            break
        chosen = [rng.choice(columns) for _ in range(2 if rng.random() < 0.15 else 1)]
        taken |= {c.name for c in chosen}
        parts = [condition(rng, c, dot) for c in chosen]
        found.append(parts[0] if len(parts) == 1 else f"({' OR '.join(parts)})")
    return found[:at_most] or ["TRUE"]


def has_odd_ranges(column: Column) -> bool:
    """Where the server, with any engine, may intersect ranges to less than they have in common:
    its range of a LIKE ends before characters beyond U+FFFF, and begins behind those below the
    space where a collation by code pads with spaces; and over an index of beginnings it takes the
    ends of a range that differ in spaces for equal, also where spaces count."""
    if column.type.family != "text":
        return False
    characters = {c for literal in column.type.pool for c in literal}
    beyond = any(ord(c) > 0xFFFF for c in characters)
    below = any(c < " " for c in characters) and column.type.collation.endswith("_bin")
    return beyond or below or "nopad" in column.type.collation


def condition(rng: Random, column: Column, dot: str = "") -> str:
    if rng.random() < 0.45:
        return equality(rng, column, dot)
    return interval(rng, column, dot)


def equality(rng: Random, column: Column, dot: str = "") -> str:
    if geometries.is_geometry(column):
        return geometries.condition(rng, column, dot)
    name, kind = dot + column.name, column.type
    roll = rng.random()
    if roll < 0.55:
        return f"{name} = {kind.literal(rng)}"
    if roll < 0.65:
        return f"{name} <=> {column.literal(rng)}"
    if roll < 0.75:
        return f"{name} IS NULL"
    values = ", ".join(kind.literal(rng) for _ in range(rng.randint(1, 6)))
    return f"{name} IN ({values})"


def interval(rng: Random, column: Column, dot: str = "") -> str:
    if geometries.is_geometry(column):
        return geometries.condition(rng, column, dot)
    name, kind = dot + column.name, column.type
    roll = rng.random()
    if kind.family == "text" and roll < 0.25:
        start = kind.literal(rng)[1:-1]
        if "\\" not in start and "''" not in start:
            return f"{name} LIKE '{start[: rng.randint(0, 2)]}%'"
    if roll < 0.5:
        return f"{name} {rng.choice(['<', '<=', '>', '>='])} {kind.literal(rng)}"
    if roll < 0.75:
        low, high = kind.literal(rng), kind.literal(rng)
        if has_odd_ranges(column) and low.rstrip(" '") == high.rstrip(" '"):
            high = low
        return f"{name} BETWEEN {low} AND {high}"
    if roll < 0.85:
        return f"{name} IS NOT NULL"
    if roll < 0.92:
        return f"{name} <> {kind.literal(rng)}"
    return f"NOT ({name} <=> {kind.literal(rng)})"
