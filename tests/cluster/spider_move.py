# SPDX-License-Identifier: GPL-2.0-only
"""A partition moves to another shard while clients read and write it, by the statements of
docs/operate/shards.md: the server's own replication copies, and the writers stop for the moment in
which Spider's table changes over."""

import re
import subprocess
import threading
import time

import pymysql

from tests.cluster.spider_nodes import (
    PASSWORD,
    USER,
    Sharded,
    execute,
    host_of,
    partition,
    spider_table,
    wait_until,
)
from tests.kit.check_tables import check_table
from tests.kit.clients.client import Problem
from tests.kit.replicas.node import DATABASE, Node
from tools.errors import DevError

STOCK = "id INT PRIMARY KEY, client INT NOT NULL, n INT NOT NULL, note VARCHAR(120), KEY (client)"
SPLIT, ROWS = 1_000_000, 4000  # ids of the second partition begin at SPLIT
CLIENTS = 3
TRANSACTIONS = 20
SWAP = "RENAME TABLE stock TO stock_old, stock_new TO stock"
WAITS = (
    "SELECT id FROM information_schema.PROCESSLIST"
    " WHERE info LIKE 'RENAME TABLE stock %' AND state = 'Waiting for table metadata lock'"
)
SPAN = 10_000  # new ids of a client, in each partition


class Writer(threading.Thread):
    """Changes rows of its own in both partitions, and knows what each must be."""

    def __init__(self, number: int, cluster: Sharded):
        super().__init__(daemon=True)
        self.number, self.cluster = number, cluster
        self.rows: dict[int, int] = {}
        self.errors: list[str] = []
        self.ended = threading.Event()
        self.longest, self.done = 0.0, 0

    def run(self) -> None:
        try:
            with self.cluster.spider.connect() as link, link.cursor() as cursor:
                while not self.ended.is_set():
                    started = time.monotonic()
                    self.step(cursor)
                    self.longest = max(self.longest, time.monotonic() - started)
        except (pymysql.Error, OSError) as error:
            self.errors.append(f"client {self.number}: {error}")

    def step(self, cursor) -> None:
        """A transaction with a row in each partition, new or changed, and a look at both."""
        low = SPAN * (self.number + 1) + self.done % 400
        self.done += 1
        cursor.execute("BEGIN")
        for key in (low, SPLIT + low):
            if key in self.rows:
                cursor.execute(f"UPDATE stock SET n = n + 1 WHERE id = {key}")
            else:
                note = "x" * (self.done % 100)
                cursor.execute(f"INSERT INTO stock VALUES ({key}, {self.number}, 1, '{note}')")
        cursor.execute("COMMIT")
        for key in (low, SPLIT + low):
            self.rows[key] = self.rows.get(key, 0) + 1
        cursor.execute(f"SELECT id, n FROM stock WHERE id IN ({low}, {SPLIT + low})")
        seen = dict(cursor.fetchall())
        if seen != {key: self.rows[key] for key in (low, SPLIT + low)}:
            self.errors.append(f"client {self.number}: {seen} read back")


class Move:
    """Partition p1 from the second shard to the third."""

    def __init__(self, cluster: Sharded):
        self.cluster = cluster
        self.spider = cluster.spider
        self.stays, self.old, self.new = cluster.shards

    def play(self) -> None:
        rows = ROWS * (25 if self.cluster.long else 1)
        self.fill(rows)
        writers = [Writer(n, self.cluster) for n in range(CLIENTS)]
        for writer in writers:
            writer.start()
        try:
            go_on(writers)
            self.copy()
            stopped = self.change_over()
            go_on(writers)
        finally:
            for writer in writers:
                writer.ended.set()
        for writer in writers:
            writer.join(60)
        done, longest = sum(w.done for w in writers), max(w.longest for w in writers)
        line = f"{done} transactions while a partition of {rows} rows moved"
        line += f"; writers were stopped for {stopped:.2f} s, the longest waited {longest:.2f} s"
        self.cluster.step(self.check(writers), line)

    def fill(self, rows: int) -> None:
        for node in (self.stays, self.old):
            execute(node, f"CREATE TABLE stock ({STOCK})")
        execute(self.spider, self.spider_table("stock", self.old))
        for first in (SPAN * 9, SPLIT + SPAN * 9):
            fill = f"SELECT seq, 9, 0, REPEAT('y', 90) FROM seq_{first}_to_{first + rows - 1}"
            execute(self.spider, f"INSERT INTO stock {fill}")

    def spider_table(self, table: str, second: Node) -> str:
        """On the Spider node, with its second partition on that shard."""
        parts = [
            partition("p0", self.stays, f"VALUES LESS THAN ({SPLIT})"),
            partition("p1", second, "VALUES LESS THAN MAXVALUE"),
        ]
        return spider_table(table, STOCK, "RANGE (id)", parts, remote="stock")

    def copy(self) -> None:
        """What is there, and then what is written: the new shard is a replica of the old one, for
        this table only."""
        dump = self.old.server.client_command(
            "--single-transaction", "--master-data=2", "--gtid", DATABASE, "stock",
            program="mariadb-dump",
        )  # fmt: skip
        done = subprocess.run(dump, capture_output=True, text=True)
        position = re.search(r"^-- SET GLOBAL gtid_slave_pos='(.*)';", done.stdout, re.M)
        if done.returncode or not position:
            raise DevError(f"mariadb-dump ended with {done.returncode}: {done.stderr}")
        self.new.server.sql(done.stdout, DATABASE)
        start = f"CONCAT('{position[1]},', @@gtid_binlog_pos)"  # with what it has written itself
        for statement in (
            f"SET GLOBAL gtid_slave_pos = {start}",
            f"SET GLOBAL replicate_do_table = '{DATABASE}.stock'",
            f"CHANGE MASTER TO MASTER_HOST='{host_of(self.old)}',"
            f" MASTER_PORT={self.old.server.port}, MASTER_USER='{USER}',"
            f" MASTER_PASSWORD='{PASSWORD}', MASTER_USE_GTID=slave_pos",
            "START SLAVE",
        ):
            execute(self.new, statement)
        self.new.catch_up(self.old.position())

    def change_over(self) -> float:
        """Seconds for which nobody can write. RENAME TABLE waits for the lock of this session, and
        goes before all that wait to write: so nobody writes between the lock and it."""
        execute(self.spider, self.spider_table("stock_new", self.new))
        swap = threading.Thread(target=execute, args=(self.spider, SWAP))
        with self.spider.connect() as link, link.cursor() as cursor:
            started = time.monotonic()
            cursor.execute("LOCK TABLES stock WRITE")
            self.new.catch_up(self.old.position())
            swap.start()
            wait_until(lambda: bool(execute(self.spider, WAITS)), "RENAME TABLE waits")
            cursor.execute("UNLOCK TABLES")
            swap.join()
            stopped = time.monotonic() - started
        execute(self.spider, "DROP TABLE stock_old")
        for statement in ("STOP SLAVE", "RESET SLAVE ALL", "SET GLOBAL replicate_do_table = ''"):
            execute(self.new, statement)
        execute(self.old, "DROP TABLE stock")
        return stopped

    def check(self, writers: list[Writer]) -> list[Problem]:
        found = [Problem("broken", error) for writer in writers for error in writer.errors]
        for writer in writers:
            sql = f"SELECT id, n FROM stock WHERE client = {writer.number}"
            there = dict(execute(self.spider, sql))
            wrong = {k for k in there | writer.rows if there.get(k) != writer.rows.get(k)}
            if wrong:
                text = f"client {writer.number}: {len(wrong)} rows differ, e.g. {min(wrong)}"
                found.append(Problem("lost", text))
        for node, part in ((self.stays, f"id >= {SPLIT}"), (self.new, f"id < {SPLIT}")):
            if execute(node, f"SELECT COUNT(*) FROM stock WHERE {part}")[0][0]:
                found.append(Problem("extra", f"{node.number} has rows of another shard"))
            found += check_table(lambda sql, node=node: execute(node, sql), "stock")
        return found


def go_on(writers: list[Writer]) -> None:
    """Waits until each client has done something since, or has ended with an error."""
    wanted = [(writer, writer.done + TRANSACTIONS) for writer in writers]
    wait_until(lambda: all(w.done > done or w.errors for w, done in wanted), "the load goes on")
