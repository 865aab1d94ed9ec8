# SPDX-License-Identifier: GPL-2.0-only
"""The way back to stock MyRocks as docs/upgrade.md describes it, from a store that ran with
Basalt's own defaults, with transactions left prepared, and after kill -9."""

import time
from pathlib import Path

from tests.upgrade.compare import Comparison, compare_server
from tests.upgrade.pair import TWIN, Link, create_databases, new_server, run_on_both
from tools.errors import DevError

DATABASE = "way_back"
COLUMNS = "id INT PRIMARY KEY, a INT, b VARCHAR(20), KEY a (a), KEY b (b)"
ROWS = "SELECT seq, seq % 10, CONCAT('v', seq % 7) FROM seq_1_to_300"
TABLES = [
    f"CREATE TABLE plain ({COLUMNS})",
    f"INSERT INTO plain {ROWS}",
    f"CREATE TABLE large ({COLUMNS})",
    "INSERT INTO large SELECT seq, seq, REPEAT('x', 20) FROM seq_1_to_4000",
    f"CREATE TABLE reverse ({COLUMNS.replace('KEY a (a)', 'KEY a (a) COMMENT ' + repr('rev:r'))})",
    f"INSERT INTO reverse {ROWS}",
    # in Basalt's own format version
    "CREATE TABLE descending (id INT, a INT, b VARCHAR(20), PRIMARY KEY (id DESC), KEY a (a DESC))",
    f"INSERT INTO descending {ROWS}",
    "CREATE TABLE words (id INT PRIMARY KEY, a INT, b VARCHAR(20), FULLTEXT KEY b (b))",
    f"INSERT INTO words {ROWS}",
    "CREATE TABLE nopad (id INT PRIMARY KEY, a INT, b VARCHAR(20) COLLATE utf8mb4_unicode_nopad_ci,"
    " KEY b (b))",
    f"INSERT INTO nopad {ROWS}",
]
# With columns that stock does not open, and a sequence; in a database without a twin.
OURS = "way_back_columns"
COLUMNS_OF_OURS = [
    "CREATE TABLE of_virtual (id INT PRIMARY KEY, a INT, v INT AS (a + 1) VIRTUAL, KEY v (v))",
    "INSERT INTO of_virtual (id, a) SELECT seq, seq % 9 FROM seq_1_to_50",
    "CREATE TABLE of_stored (id INT PRIMARY KEY, a INT, s INT AS (a * 2) STORED)"
    " PARTITION BY KEY (id) PARTITIONS 2",
    "INSERT INTO of_stored (id, a) VALUES (1, 1), (2, 2)",
    "CREATE TABLE of_hash (id INT PRIMARY KEY, b TEXT, UNIQUE (b))",
    "INSERT INTO of_hash VALUES (1, 'x'), (2, 'y')",
    "CREATE TABLE of_shapes (id INT PRIMARY KEY, g POINT)",
    "INSERT INTO of_shapes VALUES (1, POINT(1, 2)), (2, NULL)",
    "CREATE SEQUENCE of_numbers START WITH 10 INCREMENT BY 5",
    "INSERT INTO of_virtual (id) VALUES (100 + NEXT VALUE FOR of_numbers)",
]
# With a foreign key, which stock does not check; there too.
CONSTRAINED = [
    "CREATE TABLE fk_parent (id INT PRIMARY KEY)",
    "CREATE TABLE fk_child (id INT PRIMARY KEY, p INT,"
    " CONSTRAINT fk FOREIGN KEY (p) REFERENCES fk_parent (id))",
    "INSERT INTO fk_parent VALUES (1), (2)",
    "INSERT INTO fk_child VALUES (10, 1), (20, NULL)",
]
CANNOT_READ = "Tables with indexes that MyRocks cannot read"
NOT_CHECKED = "Tables with foreign keys, which MyRocks does not check"
CANNOT_OPEN = "Sequences and tables with columns that MyRocks cannot open"
# what docs/upgrade.md says of tables that use what MyRocks does not have; the others are made anew
# as they are
REPAIRS = {
    "descending": "DROP PRIMARY KEY, DROP KEY a, ADD PRIMARY KEY (id), ADD KEY a (a)",
    "words": "DROP KEY b",
    "nopad": "MODIFY b VARCHAR(20) COLLATE utf8mb4_unicode_ci",
}
# Rows that lie as another definition says; stock must not read one of them.
CHANGED = [
    f"CREATE TABLE changed ({COLUMNS}, c INT NOT NULL DEFAULT 3)",
    f"INSERT INTO changed (id, a, b) {ROWS}",
    "ALTER TABLE changed ADD COLUMN n INT NOT NULL DEFAULT 7 FIRST, DROP COLUMN c",
    "INSERT INTO changed (id, a, b, n) VALUES (1000, 1, 'new', 8)",
]
PREPARED = ["INSERT INTO plain VALUES (1000, 1, 'prepared')", "DELETE FROM reverse WHERE id < 9"]
# Tables whose definitions Basalt keeps in the dictionary, and what stock MyRocks, which does not
# know that, then does to them.
PARTS = "PARTITION BY HASH (id) PARTITIONS 3"
DEFINED = [
    statement
    for name in ("altered", "moved", "emptied", "gone", "remade", "kept", "parts", "parts_moved")
    for statement in (
        f"CREATE TABLE def_{name} ({COLUMNS}) {PARTS if name.startswith('parts') else ''}",
        f"INSERT INTO def_{name} {ROWS}",
    )
]
BY_STOCK = [
    "ALTER TABLE def_altered ADD COLUMN c INT DEFAULT 7, DROP KEY a",
    "RENAME TABLE def_moved TO def_here",
    "TRUNCATE TABLE def_emptied",
    "INSERT INTO def_emptied VALUES (5, 5, 'x')",
    "DROP TABLE def_gone",
    "DROP TABLE def_remade",
    "CREATE TABLE def_remade (id INT PRIMARY KEY, z VARCHAR(9))",
    "INSERT INTO def_remade VALUES (1, 'z')",
    "ALTER TABLE def_parts ADD PARTITION PARTITIONS 2",
    "RENAME TABLE def_parts_moved TO def_parts_here",
]


class WayBack:
    """One data directory and the way of it. `report` takes lines for the user."""

    def __init__(self, folder: Path, report):
        self.folder, self.report = folder, report
        self.problems: list[str] = []
        self.total = Comparison()
        self.checks = 0

    def run(self) -> None:
        with self.ours() as server:
            create_databases(server, DATABASE)
            run_on_both(server, DATABASE, [*TABLES, *DEFINED])
            self.columns_of_ours(server)
        error = self.start_stock()
        self.expect(
            "stock refuses indexes of versions of ours", "invalid key version" in error, error
        )
        with self.ours() as server:
            self.repair(server)
            self.rebuild(server)
        self.refuse_changed_rows()
        with self.ours() as server:
            self.prepare(server, "before a stop")
        with self.stock() as server:
            self.decide(server, "before a stop")
            self.compare(server, "stock after a clean stop", check=False)
            self.use_columns_of_ours(server)
            run_on_both(server, DATABASE, BY_STOCK)
            self.compare(server, "changed by stock", check=False)
        with self.ours() as server:
            self.compare(server, "ours again")
            lines = [t for t in server.log_tail(1000).splitlines() if "[ERROR]" in t]
            self.expect("definitions that stock made stale are renewed", not lines, str(lines))
        for file in (self.folder / DATABASE).iterdir():
            if file.suffix in (".frm", ".par"):
                file.unlink()
        with self.ours() as server:
            self.compare(server, "ours without its .frm files")
            self.prepare(server, "before kill -9")
            server.kill()
        with self.stock("--rocksdb-wal-recovery-mode=2") as server:
            self.decide(server, "before kill -9")
            self.compare(server, "stock after kill -9", check=False)
        with self.ours() as server:
            self.compare(server, "ours once more")

    def rebuild(self, server) -> None:
        """REPAIR TABLE builds indexes in the version they have had, which MyRocks can read."""
        for table in ("plain", "reverse"):
            rows = server.query(f"REPAIR TABLE {table}", DATABASE)
            self.expect(f"REPAIR of {table}", rows[-1][3] == "OK", str(rows))

    def refuse_changed_rows(self) -> None:
        """A table whose columns were changed without a copy keeps stock from its start."""
        with self.ours() as server:
            run_on_both(server, DATABASE, CHANGED)
            names = self.not_for_stock(server)
            self.expect("a table of changed rows is named", "changed" in names, str(names))
        error = self.start_stock()
        self.expect("stock refuses a layout of rows", "key version number (7," in error, error)
        self.report(f"stock says of it: {[t for t in error.splitlines() if 'ERROR' in t][:3]}")
        with self.ours() as server:
            with Link(server, DATABASE) as link:
                link.execute("SET GLOBAL rocksdb_myrocks_compatible_format=ON")
            run_on_both(server, DATABASE, ["ALTER TABLE changed FORCE"])
            names = self.not_for_stock(server)
            self.expect("FORCE is the way back of changed rows", not names, str(names))

    def ours(self):
        return new_server(self.folder, "rocksdb", ["--rocksdb-spill-threshold=65536"])

    def stock(self, *options: str):
        return new_server(self.folder, "myrocks", options)

    def start_stock(self) -> str:
        """The log of a start that fails; '' when it does not."""
        server = self.stock()
        try:
            server.start()
        except DevError:
            return server.log_tail(200)
        server.stop()
        return ""

    def repair(self, server) -> None:
        """Makes all tables what stock can read."""
        with Link(server, DATABASE) as link:
            link.execute("SET GLOBAL rocksdb_myrocks_compatible_format=ON")
        names = self.not_for_stock(server)
        self.expect("some tables have string indexes", len(names) > len(REPAIRS), str(names))
        run_on_both(server, DATABASE, [f"ALTER TABLE {n} {REPAIRS.get(n, 'FORCE')}" for n in names])
        self.expect("all tables are for stock", not self.not_for_stock(server), "")
        self.move_columns_of_ours(server)
        self.drop_constraints(server)
        deadline = time.monotonic() + 30
        while server.status("rocksdb_dropped_indexes_waiting") != "0":
            if time.monotonic() > deadline:
                self.problems.append("dropped indexes are not reclaimed")
                break
            time.sleep(0.1)

    def columns_of_ours(self, server) -> None:
        with Link(server) as link:
            link.execute(f"CREATE DATABASE {OURS}")
        with Link(server, OURS) as link:
            for statement in [*COLUMNS_OF_OURS, *CONSTRAINED]:
                link.execute(statement)

    def move_columns_of_ours(self, server) -> None:
        """To InnoDB, where stock can use them."""
        names = self.not_for_stock(server, CANNOT_OPEN)
        due = ["of_hash", "of_numbers", "of_shapes", "of_stored", "of_virtual"]
        self.expect("tables with columns of ours are named", names == due, str(names))
        with Link(server, OURS) as link:
            for name in names:
                link.execute(f"ALTER TABLE {name} ENGINE = InnoDB")
        left = self.not_for_stock(server, CANNOT_OPEN)
        self.expect("no table with columns of ours is left", not left, str(left))

    def drop_constraints(self, server) -> None:
        names = self.not_for_stock(server, NOT_CHECKED)
        self.expect("tables with foreign keys are named", names == ["fk_child"], str(names))
        with Link(server, OURS) as link:
            link.execute("ALTER TABLE fk_child DROP FOREIGN KEY fk")
        left = self.not_for_stock(server, NOT_CHECKED)
        self.expect("no foreign key is left", not left, str(left))

    def use_columns_of_ours(self, server) -> None:
        with Link(server, OURS) as link:
            found = link.execute(
                "SELECT (SELECT SUM(v) FROM of_virtual), (SELECT SUM(s) FROM of_stored),"
                " (SELECT COUNT(b) FROM of_hash), (SELECT SUM(ST_X(g)) FROM of_shapes)"
            )
            self.expect(
                "stock reads them", [int(n) for n in found[0]] == [245, 6, 2, 1], str(found)
            )
            value = int(link.execute("SELECT NEXT VALUE FOR of_numbers")[0][0])
            link.execute("INSERT INTO fk_child VALUES (30, 99)")
            children = link.execute("SELECT COUNT(*) FROM fk_child WHERE p > 0")
            self.expect("stock has the child's rows", int(children[0][0]) == 2, str(children))
        self.expect("a sequence goes on behind what it has given", value > 10, str(value))

    def not_for_stock(self, server, title: str = CANNOT_READ) -> list[str]:
        """Tables that SHOW ENGINE ROCKSDB STATUS names as such."""
        with Link(server) as link:
            rows = link.execute("SHOW ENGINE ROCKSDB STATUS")
        text = next(row[2] for row in rows if row[0] == b"FORMAT").decode()
        names = text.split(f"{title}: ")[1].splitlines()[0]
        return [] if names == "none" else [n.split(".")[1] for n in names.split(", ")]

    def prepare(self, server, name: str) -> None:
        with Link(server, DATABASE) as link:
            link.execute(f"XA START '{name}'")
            for statement in PREPARED:
                link.execute(statement)
            link.execute(f"XA END '{name}'")
            link.execute(f"XA PREPARE '{name}'")

    def decide(self, server, name: str) -> None:
        with Link(server) as link:
            link.execute(f"XA COMMIT '{name}'")
        statements = [*PREPARED, "UPDATE plain SET a = a + 1", "DELETE FROM plain WHERE id >= 1000"]
        with Link(server, DATABASE + TWIN) as link:
            for statement in statements:
                link.execute(statement)
        with Link(server, DATABASE) as link:
            for statement in statements[len(PREPARED) :]:
                link.execute(statement)

    def compare(self, server, when: str, check: bool = True) -> None:
        found = compare_server(server, check)
        self.total.take(found)
        self.report(f"{when}: {found.tables} tables, {found.queries} queries, {found.rows} rows")
        self.problems += [f"{when}: {d}" for d in found.differences]

    def expect(self, what: str, holds: bool, seen: str) -> None:
        self.checks += 1
        if not holds:
            self.problems.append(f"not so: {what}: {seen[-600:]}")
