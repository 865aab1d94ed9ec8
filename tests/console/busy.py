# SPDX-License-Identifier: GPL-2.0-only
"""A server with all that the program shows."""

import contextlib
import threading
import time
from collections.abc import Callable

import pymysql

from tests.console.program import PATIENCE_SECONDS
from tests.kit.check import CheckFailed
from tools.server import PrivateServer

ROWS, DELETED = 40_000, 8_000
LOCKED_ROW = 30_000
FLUSH = "SET GLOBAL rocksdb_force_flush_memtable_now = 1"
# a compaction of all rows takes many seconds with it
SLOW = "SET GLOBAL rocksdb_rate_limiter_bytes_per_sec = 65536"
# and soon at its end with this. A tenth of a second's bytes is left for the next compaction, which
# must not be all that it writes.
FAST = "SET GLOBAL rocksdb_rate_limiter_bytes_per_sec = 10000000"
SCHEMA = (
    "CREATE DATABASE shop",
    "CREATE TABLE shop.orders (id INT PRIMARY KEY, note VARCHAR(200), grp INT, KEY (grp))",
    f"INSERT INTO shop.orders SELECT seq, SHA2(seq, 512), seq % 100 FROM shop.seq_1_to_{ROWS}",
    "CREATE TABLE shop.events (id INT PRIMARY KEY AUTO_INCREMENT, note VARCHAR(200))",
    FLUSH,
)


def create(server: PrivateServer) -> None:
    for statement in SCHEMA:
        server.query(statement)


class Busy:
    """Begins with `with`. `holder` and `waiter` are the connections in the lock wait."""

    def __init__(self, server: PrivateServer):
        self.server = server
        self.stopping = threading.Event()
        self.threads: list[threading.Thread] = []
        self.links: list[pymysql.Connection] = []

    def __enter__(self) -> "Busy":
        self.reader = self.link("START TRANSACTION WITH CONSISTENT SNAPSHOT")
        self.start(self.write)
        holder = self.link("BEGIN", f"UPDATE shop.orders SET note = 'held' WHERE id = {LOCKED_ROW}")
        waiter = self.link("SET rocksdb_lock_wait_timeout = 600", "BEGIN")
        self.holder, self.waiter = holder.thread_id(), waiter.thread_id()
        self.start(execute, waiter, f"DELETE FROM shop.orders WHERE id = {LOCKED_ROW}")
        wait_until(
            self.server,
            "SELECT COUNT(*) FROM information_schema.ROCKSDB_TRX WHERE waiting_key <> ''",
        )
        self.begin_compaction()
        return self

    def __exit__(self, *_) -> None:
        self.stopping.set()
        self.server.query(FAST)
        for link in self.links:
            with contextlib.suppress(pymysql.Error):
                self.server.query(f"KILL {link.thread_id()}")
        for thread in self.threads:
            thread.join()
        for link in self.links:
            with contextlib.suppress(pymysql.Error):
                link.close()

    def link(self, *statements: str) -> pymysql.Connection:
        self.links.append(self.server.connect())
        with self.links[-1].cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
        return self.links[-1]

    def start(self, work: Callable, *arguments) -> None:
        self.threads.append(threading.Thread(target=work, args=arguments))
        self.threads[-1].start()

    def write(self) -> None:
        link = self.server.connect()
        with link, link.cursor() as cursor:
            while not self.stopping.is_set():
                cursor.execute("INSERT INTO shop.events (note) VALUES (MD5(RAND()))")

    def begin_compaction(self) -> None:
        """It begins with a flush, which must not take minutes as well."""
        self.server.query(f"DELETE FROM shop.orders WHERE id <= {DELETED}")
        self.server.query(FLUSH)
        self.server.query(SLOW)
        asking = self.link()
        self.start(execute, asking, "SET GLOBAL rocksdb_compact_cf = 'default'")
        wait_until(
            self.server,
            "SELECT COUNT(*) FROM information_schema.ROCKSDB_ACTIVE_COMPACTIONS",
            f"SELECT STATE, INFO, TIME FROM information_schema.PROCESSLIST WHERE ID = "
            f"{asking.thread_id()}",
        )


def wait_until(server: PrivateServer, question: str, *more: str) -> None:
    """Until the answer is not 0. What `more` ask is told if that never comes."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not server.query(question)[0][0]:
        if time.monotonic() > deadline:
            raise CheckFailed(f"never: {question}; {[server.query(one) for one in more]}")
        time.sleep(0.02)


def execute(link: pymysql.Connection, statement: str) -> None:
    """Until it ends or is killed."""
    with contextlib.suppress(pymysql.Error), link.cursor() as cursor:
        cursor.execute(statement)
