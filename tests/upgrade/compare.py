# SPDX-License-Identifier: GPL-2.0-only
"""Compares ROCKSDB tables with their InnoDB twins: definitions, contents, every index forward,
backward, alone and by look-ups of each of its values, and CHECK TABLE EXTENDED."""

import re
from collections import Counter
from dataclasses import dataclass, field

from tests.upgrade.pair import TWIN, Link, pairs, quoted
from tools.errors import DevError
from tools.server import PrivateServer

ORDER_DIFFERS = "the order differs"
TEXTUAL = ("char", "text", "binary", "blob", "bit")


@dataclass
class Difference:
    table: str
    query: str
    text: str

    @property
    def place(self) -> tuple[str, str]:
        return self.table, self.query

    @property
    def only_the_order(self) -> bool:
        return self.text.startswith(ORDER_DIFFERS)

    def __str__(self) -> str:
        return f"{self.table}: {self.text}: {self.query}"


@dataclass
class Comparison:
    """What was looked at, and what differs."""

    tables: int = 0
    queries: int = 0
    rows: int = 0
    differences: list[Difference] = field(default_factory=list)

    def add(self, table: str, query: str, text: str) -> None:
        self.differences.append(Difference(table, query, text))

    def take(self, other: "Comparison") -> None:
        self.tables += other.tables
        self.queries += other.queries
        self.rows += other.rows
        self.differences += other.differences


@dataclass
class Query:
    sql: str  # with TABLE in the place of the table's name
    ordered: bool


def compare_server(server: PrivateServer, check: bool = True) -> Comparison:
    """All databases that have a twin."""
    result = Comparison()
    for database in pairs(server):
        result.take(compare_database(server, database, check))
    return result


def compare_database(server: PrivateServer, database: str, check: bool = True) -> Comparison:
    result = Comparison()
    with Link(server, database) as tested, Link(server, database + TWIN) as twin:
        for link in (tested, twin):
            set_up(link)
        names = [[r[0] for r in link.execute("SHOW TABLES")] for link in (tested, twin)]
        if names[0] != names[1]:
            result.add(database, "SHOW TABLES", f"{names[0]} / {names[1]}")
        for name in names[0]:
            compare_table(tested, twin, database, name.decode(), check, result)
    return result


def set_up(link: Link) -> None:
    """Scans read the index they are forced to use, also when a sort would be cheaper; and end:
    stock returns some rows of multi-level collations for ever."""
    link.execute("SET optimizer_switch='index_merge=off', join_cache_level=0")
    link.execute("SET sql_select_limit=20000, max_statement_time=3")


def compare_table(
    tested: Link, twin: Link, database: str, table: str, check: bool, result: Comparison
) -> None:
    result.tables += 1
    label = f"{database}.{table}"
    a, b = (definition(link, table) for link in (tested, twin))
    if a != b:
        result.add(label, "SHOW CREATE TABLE", f"{a} / {b}")
    if check:
        answer = tested.execute(f"CHECK TABLE {quoted(table)} EXTENDED")
        if answer[-1][-1] != b"OK":
            result.add(label, "CHECK TABLE EXTENDED", str(answer))
    for query in queries(twin, table):
        sql = query.sql.replace("TABLE", quoted(table))
        result.queries += 1
        try:
            a, b = tested.execute(sql), twin.execute(sql)
        except DevError as error:
            result.add(label, query.sql, str(error)[:200])
            continue
        result.rows += len(a)
        if a == b if query.ordered else Counter(a) == Counter(b):
            continue
        result.add(label, query.sql, difference(a, b))


def definition(link: Link, table: str) -> str:
    text = link.execute(f"SHOW CREATE TABLE {quoted(table)}")[0][1].decode(errors="replace")
    return re.sub(r"ENGINE[ =]*\w+", "ENGINE", text)


def difference(a: list[tuple], b: list[tuple]) -> str:
    only_a, only_b = Counter(a) - Counter(b), Counter(b) - Counter(a)
    if not only_a and not only_b:
        return f"{ORDER_DIFFERS}, of {len(a)} rows"
    return f"only here {list(only_a)[:3]}, only in the twin {list(only_b)[:3]}"


def columns_of(link: Link, table: str) -> list[tuple[str, str]]:
    """(column, expression that shows its bytes) in the table's order."""
    columns = []
    for row in link.execute(f"SHOW COLUMNS FROM {quoted(table)}"):
        name, kind = quoted(row[0].decode()), row[1].decode().lower()
        columns.append((name, f"HEX({name})" if any(t in kind for t in TEXTUAL) else name))
    return columns


def queries(link: Link, table: str) -> list[Query]:
    shown = dict(columns_of(link, table))
    everything = ", ".join(shown.values())
    found = [Query(f"SELECT {everything} FROM TABLE", False)]
    keys: dict[str, list[tuple[str, bool]]] = {}
    for row in link.execute(f"SHOW KEYS FROM {quoted(table)}"):
        keys.setdefault(row[2].decode(), []).append((quoted(row[4].decode()), row[7] is not None))
    primary = [column for column, _ in keys.get("PRIMARY", [])]
    for key, parts in keys.items():
        found += queries_of_key(key, parts, primary, shown, everything)
    return found


def digest(shown: dict[str, str], alias: str) -> str:
    """The number of rows and a sum over all their bytes, whatever their order."""
    cells = ", ".join(f"COALESCE(HEX({alias}.{column}), '~')" for column in shown)
    return f"COUNT(*), SUM(CRC32(CONCAT_WS(',', {cells})))"


def queries_of_key(key, parts, primary, shown, everything) -> list[Query]:
    source = f"FROM TABLE FORCE INDEX ({quoted(key)})"
    first = parts[0][0]
    # every value of the first part is looked up
    values = f"SELECT DISTINCT {first} AS v FROM TABLE IGNORE INDEX ({quoted(key)})"
    join = f"({values}) a STRAIGHT_JOIN TABLE b FORCE INDEX ({quoted(key)}) ON b.{first} = a.v"
    found = [Query(f"SELECT {digest(shown, 'b')} FROM {join}", False)]
    if any(prefix for _, prefix in parts):
        found.append(Query(f"SELECT {everything} {source} WHERE {first} > ''", False))
        return found
    columns = [c for c, _ in parts] + [c for c in primary if c not in [c for c, _ in parts]]
    total = bool(primary)
    forward, backward = ", ".join(columns), ", ".join(f"{c} DESC" for c in columns)
    found.append(Query(f"SELECT {everything} {source} ORDER BY {forward}", total))
    # the first column tells rows apart
    found.append(Query(f"SELECT {next(iter(shown.values()))} {source} ORDER BY {backward}", total))
    only = ", ".join(shown[c] for c, _ in parts)
    found.append(Query(f"SELECT {only} {source} ORDER BY {forward}", total))
    found.append(Query(f"SELECT COUNT(*) {source} WHERE {first} IS NULL", False))
    return found
