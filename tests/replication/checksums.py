# SPDX-License-Identifier: GPL-2.0-only
"""Checksums by statement, as pt-table-checksum takes them: under load, in chunks, each one
statement that both sides execute at the same place of their history, so that the results must
agree. On the primary this needs that what the statement has read stays so until it commits."""

import time

import pymysql

from tests.kit.clients.client import RETRY, Problem
from tests.kit.replicas.load import SHORT, Load
from tests.kit.replicas.scenario import Scenario
from tests.replication.hot_rows import Hot

TABLES = {"ledger": "id", "account": "id", "transfer": "id", "event": "id", "hot": "id"}
CHUNKS = 4


class Checksums(Scenario):
    NAME = "checksums"

    def play(self) -> None:
        self.primary, self.replica = self.node(1, binlog=True), self.node(2, binlog=True)
        timeout = "--loose-rocksdb-lock-wait-timeout=5"
        self.primary.start("--binlog-format=ROW", timeout)
        self.replica.start("--slave-parallel-mode=optimistic", "--slave-parallel-threads=4")
        self.replica.follow(self.primary)
        load = Load([*SHORT, Hot, Hot], self.seed, self.primary)
        load.create()
        self.primary.one(
            "CREATE TABLE rpl.checksums (tbl VARCHAR(64), chunk INT, low BIGINT, high BIGINT,"
            " this_crc CHAR(40), this_cnt INT, master_crc CHAR(40), master_cnt INT,"
            " PRIMARY KEY (tbl, chunk))"
        )
        for format_ in ("ROW", "MIXED", "STATEMENT"):
            self.primary.one(f"SET GLOBAL binlog_format={format_}")
            found = [p for _ in range(8 if self.long else 2) for p in self.take(load)]
            self.step(found, f"load in {format_}: {self.counts['chunks']} chunks so far")

    def take(self, load: Load) -> list[Problem]:
        """Takes checksums of all tables under load, and compares them when the replica, which is
        slower than the clients, has them too."""
        load.start()
        time.sleep(0.7)
        with self.primary.connect() as link, link.cursor() as cursor:
            cursor.execute("SET SESSION binlog_format=STATEMENT")
            cursor.execute("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            for table, key in TABLES.items():
                self.table(cursor, table, key)
        found = load.stop()
        self.replica.catch_up(self.primary.position())
        return found + self.differences()

    def table(self, cursor, table: str, key: str) -> None:
        cursor.execute(f"SELECT COALESCE(MAX({key}), 0) FROM {table}")
        largest = cursor.fetchone()[0]
        cursor.execute(f"SHOW COLUMNS FROM {table}")
        columns = ", ".join(f"COALESCE({row[0]}, 'NULL')" for row in cursor.fetchall())
        width = largest // CHUNKS + 1
        for chunk in range(CHUNKS):
            low, high = chunk * width, (chunk + 1) * width - 1
            # the last one takes what comes while it is read
            where = f"{key} >= {low}" + ("" if chunk == CHUNKS - 1 else f" AND {key} <= {high}")
            crc = f"CONV(BIT_XOR(CAST(CRC32(CONCAT_WS('#', {columns})) AS UNSIGNED)), 10, 16)"
            self.retried(
                cursor,
                "REPLACE INTO checksums (tbl, chunk, low, high, this_cnt, this_crc)"
                f" SELECT '{table}', {chunk}, {low}, {high}, COUNT(*), {crc}"
                f" FROM {table} FORCE INDEX (PRIMARY) WHERE {where}",
            )
            self.retried(
                cursor,
                f"UPDATE checksums SET master_crc = '{{0}}', master_cnt = {{1}} WHERE"
                f" tbl = '{table}' AND chunk = {chunk}",
                f"SELECT this_crc, this_cnt FROM checksums WHERE tbl='{table}' AND chunk={chunk}",
            )
            self.count("chunks")

    def retried(self, cursor, statement: str, values: str | None = None) -> None:
        """Executes it, with what a query found as its values, again after a lock conflict."""
        if values:
            cursor.execute(values)
            statement = statement.format(*cursor.fetchone())
        while True:
            try:
                cursor.execute(statement)
                return
            except pymysql.Error as error:
                if error.args[0] not in RETRY:
                    raise
                self.count("lock conflicts")

    def differences(self) -> list[Problem]:
        rows = self.replica.server.query(
            "SELECT tbl, chunk, this_cnt, master_cnt, this_crc, master_crc FROM rpl.checksums"
            " WHERE this_cnt <> master_cnt OR this_crc <> master_crc"
        )
        return [Problem("lost", f"checksum of {r[0]}, chunk {r[1]}: {r[2:]}") for r in rows]
