# SPDX-License-Identifier: GPL-2.0-only
"""A stock server that was killed in the middle of everything, continued with our plugin: prepared
transactions, drops and builds of indexes under way, bulk loads that never ended."""

import threading
import time
from pathlib import Path

import pymysql
from pymysql.constants import ER

from tests.upgrade.compare import Comparison, compare_server
from tests.upgrade.pair import Link, create_databases, new_server, run_on_both
from tools.errors import DevError

DATABASE = "accidents"
TABLES = [
    "CREATE TABLE plain (id INT PRIMARY KEY, a INT, b VARCHAR(20), KEY a (a), KEY b (b))",
    "INSERT INTO plain SELECT seq, seq % 10, CONCAT('v', seq % 7) FROM seq_1_to_200",
    "CREATE TABLE counted (id INT AUTO_INCREMENT PRIMARY KEY, a INT)",
    "INSERT INTO counted (a) VALUES (1), (2), (3)",
    "CREATE TABLE hidden (a INT, KEY a (a))",
    "INSERT INTO hidden VALUES (1), (2), (3)",
    "CREATE TABLE reverse (id INT, a INT,"
    " PRIMARY KEY (id) COMMENT 'rev:r', KEY a (a) COMMENT 'rev:r')",
    "INSERT INTO reverse SELECT seq, seq % 10 FROM seq_1_to_100",
    "CREATE TABLE slow (id INT PRIMARY KEY, a INT, b VARCHAR(100))",
    "INSERT INTO slow SELECT seq, seq % 1000, REPEAT('x', 90) FROM seq_1_to_20000",
    "CREATE TABLE loses_index (id INT PRIMARY KEY, a INT, b INT, KEY a (a), KEY b (b))",
    "INSERT INTO loses_index SELECT seq, seq % 10, seq % 7 FROM seq_1_to_1000",
    "CREATE TABLE dropped (id INT PRIMARY KEY, a INT, KEY a (a))",
    "INSERT INTO dropped SELECT seq, seq % 10 FROM seq_1_to_1000",
    "CREATE TABLE emptied (id INT PRIMARY KEY, a INT, KEY a (a))",
    "INSERT INTO emptied SELECT seq, seq % 10 FROM seq_1_to_1000",
    "CREATE TABLE uniques (id INT PRIMARY KEY, a INT, UNIQUE a (a))",
    "CREATE TABLE locked (id INT PRIMARY KEY, a INT)",
    "INSERT INTO locked VALUES (1, 1)",
]
DROPS = [
    "DROP TABLE dropped",
    "ALTER TABLE loses_index DROP KEY a",
    "TRUNCATE TABLE emptied",
    "INSERT INTO emptied VALUES (5, 5)",
]
# XA transactions by name; 'kept' is committed afterwards, and then done to the twin
PREPARED = {
    "kept": [
        "INSERT INTO plain VALUES (1001, 1, 'kept'), (1002, 2, 'kept')",
        "UPDATE plain SET a = a + 100 WHERE id BETWEEN 10 AND 20",
        "DELETE FROM plain WHERE id = 50",
        "INSERT INTO counted (a) VALUES (100), (101)",
        "INSERT INTO hidden VALUES (100), (101)",
        "INSERT INTO uniques VALUES (1, 5)",
        "UPDATE reverse SET id = id + 1000, a = 77 WHERE id < 5",
    ],
    "undone": [
        "INSERT INTO plain VALUES (2001, 1, 'undone')",
        "UPDATE plain SET b = 'undone' WHERE id BETWEEN 100 AND 110",
        "DELETE FROM reverse WHERE id > 90",
        "INSERT INTO hidden VALUES (200)",
        "UPDATE locked SET a = 2",
    ],
}
XA_UNKNOWN = ER.XAER_NOTA
LOCK_TIMEOUT = ER.LOCK_WAIT_TIMEOUT


class Accidents:
    """One data directory and what happens to it. `report` takes lines for the user."""

    def __init__(self, folder: Path, report):
        self.folder, self.report = folder, report
        self.store = folder / "#rocksdb"
        self.problems: list[str] = []
        self.total = Comparison()
        self.checks = 0

    def run(self) -> None:
        self.make()
        leftovers = list(self.store.glob("*.bulk_load.tmp"))
        self.expect("stock left bulk load files behind", bool(leftovers), str(leftovers))
        server = new_server(self.folder, "rocksdb")
        with server:
            self.look(server)
            self.decide(server)
            self.compare(server, "after the decisions")
            self.write(server)
            self.wait_for_drops(server)
            self.compare(server, "after writes")
            server.kill()
        with server:
            self.compare(server, "after kill -9")
            self.expect("no transaction is left", not self.recovered(server), "")

    # --- under the stock plugin ---

    def make(self) -> None:
        server = new_server(self.folder, "myrocks").start()
        try:
            create_databases(server, DATABASE)
            run_on_both(server, DATABASE, TABLES)
            with Link(server) as link:
                # from here on nothing is reclaimed; the index build stays for a while at its end
                link.execute("SET GLOBAL rocksdb_pause_background_work=1")
            run_on_both(server, DATABASE, DROPS)
            for name, statements in PREPARED.items():
                self.prepare(server, name, statements)
            links = [self.start_build(server), self.start_bulk_load(server)]
            self.wait_for_leftovers()
            server.kill()
            del links
        finally:
            server.kill()

    def prepare(self, server, name: str, statements: list[str]) -> None:
        with Link(server, DATABASE) as link:
            link.execute("SET default_storage_engine=ROCKSDB")
            link.execute(f"XA START '{name}'")
            for statement in statements:
                link.execute(statement)
            link.execute(f"XA END '{name}'")
            link.execute(f"XA PREPARE '{name}'")

    def start_build(self, server) -> threading.Thread:
        def build() -> None:
            try:
                with Link(server, DATABASE) as link:
                    link.execute("SET rocksdb_merge_tmp_file_removal_delay_ms=20000")
                    link.execute("SET rocksdb_merge_buf_size=100000")
                    link.execute(
                        "ALTER TABLE slow ADD KEY a (a), ADD KEY ba (b, a), ALGORITHM=INPLACE"
                    )
            except (DevError, pymysql.Error):
                pass  # the server is killed under it

        thread = threading.Thread(target=build, daemon=True)
        thread.start()
        return thread

    def start_bulk_load(self, server) -> Link:
        link = Link(server, DATABASE)
        link.execute("CREATE TABLE loaded (id INT PRIMARY KEY, a INT) ENGINE=ROCKSDB")
        link.execute("SET rocksdb_bulk_load=1")
        link.execute("INSERT INTO loaded SELECT seq, seq FROM seq_1_to_50000")
        return link

    def wait_for_leftovers(self) -> None:
        deadline = time.monotonic() + 15
        while time.monotonic() < deadline and not list(self.store.glob("*.bulk_load.tmp")):
            time.sleep(0.05)
        time.sleep(1)

    # --- under ours ---

    def look(self, server) -> None:
        names = self.recovered(server)
        self.expect("both XA transactions are found", names == {"kept", "undone"}, str(names))
        leftovers = list(self.store.glob("*.bulk_load.tmp"))
        self.expect("bulk load files are removed", not leftovers, str(leftovers))
        with Link(server, DATABASE) as link:
            self.expect_rows(link, "SELECT COUNT(*) FROM plain WHERE id > 1000", b"0")
            self.expect_rows(link, "SELECT COUNT(*) FROM hidden", b"3")
            self.expect_rows(link, "SELECT COUNT(*) FROM loaded", b"0")
            link.execute("SET rocksdb_lock_wait_timeout=1")
            error = link.error_of("UPDATE locked SET a = 3")
            self.expect(
                "rows of prepared transactions are locked", error == LOCK_TIMEOUT, str(error)
            )
            error = link.error_of("INSERT INTO uniques VALUES (2, 5)")
            self.expect(
                "unique values of prepared ones are taken", error == LOCK_TIMEOUT, str(error)
            )
            # new hidden rows must not take the places of undecided ones
            link.execute("INSERT INTO hidden VALUES (50), (51)")
            link.execute("DROP TABLE loaded")
        with Link(server, DATABASE + "_twin") as link:
            link.execute("INSERT INTO hidden VALUES (50), (51)")

    def decide(self, server) -> None:
        with Link(server) as link:
            link.execute("XA COMMIT 'kept'")
            link.execute("XA ROLLBACK 'undone'")
            error = link.error_of("XA COMMIT 'undone'")
            self.expect("a decided transaction is gone", error == XA_UNKNOWN, str(error))
        with Link(server, DATABASE + "_twin") as link:
            for statement in PREPARED["kept"]:
                link.execute(statement)

    def write(self, server) -> None:
        statements = [
            "INSERT IGNORE INTO uniques VALUES (2, 5), (3, 6)",
            "INSERT INTO counted (a) VALUES (7), (8)",
            "INSERT INTO hidden SELECT a + 1000 FROM hidden",
            "UPDATE plain SET a = a + 1",
            "UPDATE locked SET a = 4",
            "ALTER TABLE slow ADD KEY a (a)",
            "ALTER TABLE loses_index ADD KEY a (a, b)",
            "CREATE TABLE dropped (id INT PRIMARY KEY, b INT)",
            "INSERT INTO dropped VALUES (1, 1)",
            "DELETE FROM reverse WHERE a = 77",
        ]
        run_on_both(server, DATABASE, statements)

    def wait_for_drops(self, server) -> None:
        """Dropped indexes disappear for good."""
        deadline = time.monotonic() + 30
        left = "?"
        while time.monotonic() < deadline:
            left = server.status("rocksdb_dropped_indexes_waiting")
            if left == "0":
                break
            time.sleep(0.1)
        self.expect("dropped indexes are reclaimed", left == "0", left)

    # --- helpers ---

    def recovered(self, server) -> set[str]:
        with Link(server) as link:
            return {row[3].decode() for row in link.execute("XA RECOVER")}

    def compare(self, server, when: str) -> None:
        found = compare_server(server)
        self.total.take(found)
        self.report(f"{when}: {found.tables} tables, {found.queries} queries, {found.rows} rows")
        self.problems += [f"{when}: {d}" for d in found.differences]

    def expect(self, what: str, holds: bool, seen: str) -> None:
        self.checks += 1
        if not holds:
            self.problems.append(f"not so: {what}: {seen}")

    def expect_rows(self, link: Link, query: str, value: bytes) -> None:
        rows = link.execute(query)
        self.expect(query, rows == [(value,)], str(rows))
