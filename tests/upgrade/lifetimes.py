# SPDX-License-Identifier: GPL-2.0-only
"""Tables with a time to live go from stock to ours and back: both give every row and entry its time
stamp, hide what has expired, and drop it in compactions."""

from pathlib import Path

from tests.upgrade.pair import Link, new_server

DATABASE = "lifetimes"
# seconds since 1970: of rows that live, and of such that have expired
ALIVE, DEAD = "UNIX_TIMESTAMP()", "5"
COLUMNS = "id INT NOT NULL, a INT, b VARCHAR(20), ts BIGINT UNSIGNED NOT NULL"
KEYS = "PRIMARY KEY (id), KEY a (a), UNIQUE KEY b (b)"
PARTS = (
    " PARTITION BY LIST (id % 3) (PARTITION p0 VALUES IN (0), PARTITION p1 VALUES IN (1),"
    " PARTITION p2 VALUES IN (2))"
)
# name -> columns and keys, comment, partitions
SHAPES = {
    "by_column": (f"{COLUMNS}, {KEYS}", "ttl_duration=100000;ttl_col=ts", ""),
    "by_insert": (f"{COLUMNS}, {KEYS}", "ttl_duration=100000", ""),
    "backwards": (
        f"{COLUMNS}, PRIMARY KEY (id) COMMENT 'rev:life', KEY a (a) COMMENT 'rev:life',"
        " UNIQUE KEY b (b)",
        "x;ttl_col=ts;ttl_duration=0x10000;",
        "",
    ),
    "all_key": (
        "id INT NOT NULL, a INT NOT NULL, b INT NOT NULL, ts BIGINT UNSIGNED NOT NULL,"
        " PRIMARY KEY (id, a, b, ts), KEY a (a)",
        "ttl_duration=100000;ttl_col=ts",
        "",
    ),
    "parts": (
        f"{COLUMNS}, PRIMARY KEY (id), KEY a (a)",
        "ttl_duration=90000;p1_ttl_col=ts;p2_ttl_duration=80000;p0_ttl_col=ts",
        PARTS,
    ),
}
# where rows with a dead time stamp live all the same: it is no time stamp there
LIVES_ANYWAY = {"by_insert": "TRUE", "parts": "id % 3 = 2"}


class Lifetimes:
    """One data directory and the way of it. `report` takes lines for the user."""

    def __init__(self, folder: Path, report):
        self.folder, self.report = folder, report
        self.problems: list[str] = []
        self.checks = 0

    def run(self) -> None:
        with self.stock() as server, Link(server) as link:
            link.execute(f"CREATE DATABASE {DATABASE}")
            link.execute(f"USE {DATABASE}")
            self.make(link, "stock")
            self.read(link, "written and read by stock", ["stock"])
        with self.ours() as server, Link(server, DATABASE) as link:
            self.read(link, "written by stock, read by ours", ["stock"])
            self.check(link, ["stock"])
            self.change(link, "stock", 1000)
            self.make(link, "ours")
            self.change(link, "ours", 1000)
            self.read(link, "changed by ours", ["stock", "ours"])
            self.check(link, ["stock", "ours"])
            server.kill()
        with self.stock("--rocksdb-wal-recovery-mode=2") as server, Link(server, DATABASE) as link:
            self.same_dictionary(link)
            self.read(link, "changed by ours, read by stock", ["stock", "ours"])
            self.change(link, "stock", 2000)
            self.change(link, "ours", 2000)
            self.compact(link)
            self.read(link, "compacted by stock", ["stock", "ours"])
        with self.ours() as server, Link(server, DATABASE) as link:
            self.check(link, ["stock", "ours"])
            self.change(link, "ours", 3000)
            before = int(server.status("rocksdb_rows_expired"))
            self.compact(link)
            self.expect(
                "ours drops expired rows", int(server.status("rocksdb_rows_expired")) > before, ""
            )
            self.read(link, "compacted by ours", ["stock", "ours"])
            self.delete(link)
            self.compact(link)
            self.check(link, ["stock", "ours"])
        with self.stock() as server, Link(server, DATABASE) as link:
            self.read(link, "back again", ["stock", "ours"])
        self.report(f"{self.checks} comparisons of tables with a time to live")

    def ours(self):
        return new_server(self.folder, "rocksdb", ["--rocksdb-myrocks-compatible-format=ON"])

    def stock(self, *options: str):
        return new_server(self.folder, "myrocks", options)

    # --- making and changing ---

    def make(self, link: Link, maker: str) -> None:
        for name, (columns, comment, partitions) in SHAPES.items():
            link.execute(
                f"CREATE TABLE {maker}_{name} ({columns}) ENGINE=ROCKSDB COMMENT='{comment}'"
                f"{partitions}"
            )
            self.insert(link, f"{maker}_{name}", name, 0)

    def insert(self, link: Link, table: str, shape: str, first: int) -> None:
        """Of 60 rows every fourth has expired; all have their number in all columns."""
        text = "seq" if shape == "all_key" else "CONCAT('v', seq)"
        link.execute(
            f"INSERT INTO {table} SELECT seq, seq, {text}, IF(seq % 4 = 0, {DEAD}, {ALIVE})"
            f" FROM seq_{first + 1}_to_{first + 60}"
        )

    def change(self, link: Link, maker: str, first: int) -> None:
        """The live rows are moved, and one of the expired ones gets a successor."""
        for shape in SHAPES:
            table = f"{maker}_{shape}"
            self.insert(link, table, shape, first)
            link.execute(f"UPDATE {table} SET a = a + 1 WHERE id % 5 = 0")
            link.execute(f"UPDATE {table} SET id = id + 300 WHERE id % 1000 BETWEEN 31 AND 39")
            link.execute(f"DELETE FROM {table} WHERE id % 1000 IN (1, 2, 3)")
            if shape not in LIVES_ANYWAY and shape != "all_key":
                link.execute(f"INSERT INTO {table} VALUES ({first + 4}, 1, 'new{first}', {ALIVE})")
                link.execute(f"UPDATE {table} SET ts = 7 WHERE id = {first + 5}")

    def delete(self, link: Link) -> None:
        for maker in ("stock", "ours"):
            for shape in SHAPES:
                link.execute(f"DELETE FROM {maker}_{shape} WHERE id % 1000 > 40")

    def compact(self, link: Link) -> None:
        link.execute("SET GLOBAL rocksdb_force_flush_memtable_now=1")
        for family in ("default", "rev:life"):
            link.execute(f"SET GLOBAL rocksdb_compact_cf='{family}'")

    # --- comparing ---

    def read(self, link: Link, when: str, makers: list[str]) -> None:
        """Every way leads to the rows that live and to no other."""
        for maker in makers:
            for shape in SHAPES:
                table = f"{maker}_{shape}"
                rows = link.execute(f"SELECT id, a, b, ts FROM {table} FORCE INDEX (PRIMARY)")
                alive = link.execute(
                    f"SELECT COUNT(*) FROM {table} FORCE INDEX (PRIMARY)"
                    f" WHERE ts > 1000 OR {LIVES_ANYWAY.get(shape, 'FALSE')}"
                )
                self.expect(f"{when}: {table} has rows", len(rows) > 20, f"{len(rows)}")
                self.expect(
                    f"{when}: {table} hides", int(alive[0][0]) == len(rows), f"{alive} {len(rows)}"
                )
                for index in ("a", "b"):
                    if index == "b" and "KEY b" not in SHAPES[shape][0]:
                        continue
                    for columns in ("id, a, b, ts", f"id, {index}"):
                        want = rows if "ts" in columns else self.shortened(rows, index)
                        found = link.execute(
                            f"SELECT {columns} FROM {table} FORCE INDEX ({index})"
                            f" WHERE {index} IS NOT NULL"
                        )
                        self.expect(
                            f"{when}: {table} by {index}: {columns}",
                            sorted(found) == sorted(want),
                            f"{sorted(set(want) ^ set(found))[:5]}",
                        )

    def shortened(self, rows, index: str) -> list:
        position = {"a": 1, "b": 2}[index]
        return [(row[0], row[position]) for row in rows]

    def check(self, link: Link, makers: list[str]) -> None:
        for maker in makers:
            for shape in SHAPES:
                found = link.execute(f"CHECK TABLE {maker}_{shape} EXTENDED")
                self.expect(f"{maker}_{shape} is whole", found[-1][3] == b"OK", str(found)[:400])

    def same_dictionary(self, link: Link) -> None:
        """Stock reads the same of tables that ours has made as of its own."""
        rows = link.execute(
            "SELECT table_name, partition_name, index_name, ttl_duration, index_flags,"
            " kv_format_version FROM information_schema.rocksdb_ddl"
            f" WHERE table_schema = '{DATABASE}'"
        )
        of: dict[bytes, list] = {b"stock": [], b"ours": []}
        for row in rows:
            maker, _, shape = row[0].partition(b"_")
            of[maker].append((shape, *row[1:]))
        sortable = {maker: sorted(map(str, found)) for maker, found in of.items()}
        self.expect(
            "the dictionary says the same", sortable[b"stock"] == sortable[b"ours"], str(of)
        )

    def expect(self, what: str, holds: bool, seen: str) -> None:
        self.checks += 1
        if not holds:
            self.problems.append(f"not so: {what}: {seen[-600:]}")
