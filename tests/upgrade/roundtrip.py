# SPDX-License-Identifier: GPL-2.0-only
"""Random tables, written by the stock plugin and read by ours, and the other way round."""

from pathlib import Path
from random import Random

from pymysql.constants import ER

from tests.kit.side_by_side import schema
from tests.upgrade.compare import Comparison, Difference, compare_database, compare_table, set_up
from tests.upgrade.cut_keys import KeysCutOff
from tests.upgrade.inplace import MULTI_LEVEL
from tests.upgrade.pair import TWIN, Link, create_databases, new_server, quoted

DATABASE, AGAIN = "round_trip", "again"
# What stock does not take, or what makes it write behind its buffers (the Czech collations).
NOT_FOR_STOCK = ("_nopad_", "czech_cs", " DESC", " AS (", "big5_chinese")
ROWS = 14
MOST_DRAWN = 3  # for each table that is wanted
# ours writes nothing that stock cannot read, and moves larger statements through files
OURS = [
    "--rocksdb-myrocks-compatible-format=ON",
    "--rocksdb-spill-threshold=65536",
]


class RoundTrip:
    """At least `count` tables cross the border each way: half of them are made by stock, half by
    ours, some more by stock after the swap back, and the plugin that runs changes all that there
    are. More are made than asked for, because some are left out on the way."""

    def __init__(self, folder: Path, seed: int, count: int, report):
        self.folder, self.rng, self.count, self.report = folder, Random(seed), count, report
        self.crossed = {"from stock to ours": 0, "from ours to stock": 0}
        self.problems: list[str] = []
        self.total = Comparison()
        self.tables: dict[str, schema.Table] = {}
        self.left_out: dict[str, str] = {}  # table -> why
        self.large = 0  # tables that are not random

    def run(self) -> None:
        half, few = self.count * 11 // 20, self.count // 20
        with new_server(self.folder, "myrocks") as server:
            create_databases(server, DATABASE)
            self.make(server, half)
        with new_server(self.folder, "rocksdb", OURS) as server:
            self.compare(server, "written by stock, read by ours")
            self.make(server, half)
            self.make_large(server)
            self.settle(server)  # writes to all tables
        with new_server(self.folder, "myrocks") as server:
            self.crossed["from ours to stock"] = self.compare_under_stock(server)
            self.change(server)
            self.make(server, few)
        with new_server(self.folder, "rocksdb", OURS) as server:
            self.crossed["from stock to ours"] = self.compare(server, "back again")
        self.report_crossed()

    def report_crossed(self) -> None:
        """A run that compares too little is a failure, too."""
        ways = ", ".join(f"{number} {way}" for way, number in self.crossed.items())
        self.report(
            f"random schemas: {ways}; {self.total.queries} queries; left out, because engines"
            f" took other rows: {len(self.left_out)}"
        )
        self.problems += [
            f"only {number} of {self.count} tables went {way}"
            for way, number in self.crossed.items()
            if number < self.count
        ]

    # --- making and changing ---

    def make(self, server, count: int) -> None:
        """`count` tables more than there are; those that are left out at once do not count."""
        wanted, most = len(self.tables) + count, MOST_DRAWN * count
        with Link(server, DATABASE) as tested, Link(server, DATABASE + TWIN) as twin:
            self.prepare(tested, twin)
            while len(self.tables) < wanted and most > 0:
                most -= 1
                table = self.draw(f"t{len(self.tables) + len(self.left_out)}")
                self.tables[table.name] = table
                error = [link.error_of(table.create().sql()) for link in (twin, tested)]
                if error[0] or error[1]:
                    self.leave_out(tested, twin, table.name, f"CREATE: {error}")
                    continue
                self.write(tested, twin, table, [self.insert(table) for _ in range(ROWS)])
                self.write(tested, twin, table, self.changes(table))

    def draw(self, name: str) -> schema.Table:
        while True:
            table = schema.random_table(self.rng, name)
            table.temporary = False  # would not live to the next start
            # what UPDATE does to a counter is each engine's own
            if table.automatic or any(p in table.create().sql() for p in NOT_FOR_STOCK):
                continue
            return table

    def change(self, server) -> None:
        with Link(server, DATABASE) as tested, Link(server, DATABASE + TWIN) as twin:
            self.prepare(tested, twin)
            for table in list(self.tables.values()):
                statements = self.changes(table) + [self.insert(table) for _ in range(3)]
                self.write(tested, twin, table, statements)

    def prepare(self, tested: Link, twin: Link) -> None:
        for link, engine in ((tested, "ROCKSDB"), (twin, "InnoDB")):
            link.execute(f"SET default_storage_engine={engine}, timestamp=1700000000")

    def insert(self, table: schema.Table) -> str:
        values = ", ".join(column.literal(self.rng) for column in table.columns)
        return f"INSERT INTO {table.name} VALUES ({values})"

    def changes(self, table: schema.Table) -> list[str]:
        rng, name = self.rng, table.name
        column = rng.choice(table.columns[1:])
        return [
            f"UPDATE {name} SET {column.name} = {column.literal(rng)}"
            f" WHERE id % {rng.randint(2, 5)} = {rng.randint(0, 1)}",
            f"DELETE FROM {name} WHERE id % {rng.randint(5, 9)} = {rng.randint(0, 4)}",
            f"UPDATE {name} SET id = id + 1000 WHERE id % 6 = {rng.randint(0, 5)}",
        ]

    def write(self, tested: Link, twin: Link, table: schema.Table, statements: list[str]) -> None:
        """Stock's unique checks err in some collations; then the tables are no twins any more."""
        for statement in statements:
            expected, error = twin.error_of(statement), tested.error_of(statement)
            if expected != error:
                self.leave_out(tested, twin, table.name, f"{error} for {expected}: {statement}")
                return

    def leave_out(self, tested: Link, twin: Link, name: str, why: str) -> None:
        self.left_out[name] = why
        del self.tables[name]
        for link in (tested, twin):
            link.execute(f"DROP TABLE IF EXISTS {name}")

    def make_large(self, server) -> None:
        """Commits by table files, with and without a primary key."""
        tables = {"large": "PRIMARY KEY (id), ", "large_hidden": ""}
        self.large = len(tables)
        with Link(server, DATABASE) as tested, Link(server, DATABASE + TWIN) as twin:
            self.prepare(tested, twin)
            for link in (tested, twin):
                for name, key in tables.items():
                    columns = f"id INT NOT NULL, a INT, b VARCHAR(60), {key}KEY a (a), KEY b (b)"
                    link.execute(f"CREATE TABLE {name} ({columns})")
                    rows = "seq, seq % 97, CONCAT('row ', seq % 501)"
                    link.execute(f"INSERT INTO {name} SELECT {rows} FROM seq_1_to_5000")
                    link.execute(f"UPDATE {name} SET a = a + 1 WHERE id % 3 = 0")
                    link.execute(f"DELETE FROM {name} WHERE id % 11 = 0")

    def settle(self, server) -> None:
        """Rows lie in the log, in new table files and in compacted ones."""
        with Link(server, DATABASE) as link:
            link.execute("SET GLOBAL rocksdb_force_flush_memtable_now=1")
            link.execute("SET GLOBAL rocksdb_compact_cf='default'")
            for name in list(self.tables)[::3]:
                link.execute(f"OPTIMIZE TABLE {name}")
        self.change(server)

    # --- comparing ---

    def compare(self, server, when: str) -> int:
        """The number of random tables that were there."""
        found = compare_database(server, DATABASE)
        self.total.take(found)
        with Link(server, DATABASE + TWIN) as twin:
            cut_off = KeysCutOff(twin)
            new = [
                d for d in found.differences if not self.is_expected(d) and not cut_off.explains(d)
            ]
        self.report(
            f"{when}: {found.tables} tables, {found.rows} rows; in the order of keys that the old"
            f" format cuts off: {cut_off.explained} queries"
        )
        self.problems += [f"{when}: {d}" for d in new]
        return found.tables - self.large

    def is_expected(self, difference: Difference) -> bool:
        """Indexes of the old format do not order and compare all strings as SQL does."""
        return "INDEX" in difference.query and self.is_multi_level(difference.table.split(".")[1])

    def is_multi_level(self, name: str) -> bool:
        table = self.tables.get(name)
        text = "" if table is None else table.create().sql()
        return any(part.rstrip("_") in text for part in MULTI_LEVEL)

    def compare_under_stock(self, server) -> int:
        found = compare_database(server, DATABASE, check=False)
        self.total.take(found)
        own = self.stocks_own(server, found.differences)
        new = [d for d in found.differences if (d.table.split(".")[1], d.query) not in own]
        self.report(
            f"written by ours, read by stock: {found.tables} tables, {found.rows} rows; stock"
            f" differs from InnoDB in {len(found.differences)} queries, in"
            f" {len(found.differences) - len(new)} of them also on what it has written itself"
        )
        self.problems += [f"read by stock: {d}" for d in new]
        return found.tables - self.large

    def stocks_own(self, server, differences: list[Difference]) -> set[tuple[str, str]]:
        """(table, query) in which stock differs from the twin on a copy that it has made itself."""
        own = set()
        tables = {d.table.split(".")[1] for d in differences}
        with Link(server) as link:
            link.execute(f"CREATE OR REPLACE DATABASE {AGAIN}")
        with Link(server, AGAIN) as copy, Link(server, DATABASE + TWIN) as twin:
            for link in (copy, twin):
                set_up(link)
            for name in sorted(tables):
                table = quoted(name)
                copy.execute(f"CREATE TABLE {table} LIKE {DATABASE}.{table}")
                rows = f"INSERT INTO {table} SELECT * FROM {DATABASE}{TWIN}.{table}"
                if self.stock_refuses(copy, name, rows):
                    own |= {(name, d.query) for d in differences if self.is_expected(d)}
                    continue
                result = Comparison()
                compare_table(copy, twin, AGAIN, name, False, result)
                own |= {(name, d.query) for d in result.differences}
            copy.execute(f"DROP DATABASE {AGAIN}")
        return own

    def stock_refuses(self, copy: Link, name: str, rows: str) -> bool:
        """Stock's unique checks err in collations with several levels of weights: it may take two
        values of the twin for one. Then it has no copy of its own to compare."""
        error = copy.error_of(rows)
        if error not in (0, ER.DUP_ENTRY) or (error and not self.is_multi_level(name)):
            raise AssertionError(f"stock does not copy its own rows, error {error}: {rows}")
        return error != 0
