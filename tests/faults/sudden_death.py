# SPDX-License-Identifier: GPL-2.0-only
"""The server dies, or its machine, while clients write and read: what is lost of what was
acknowledged, and of what others had seen? One case for each line of the first table in
docs/durability.md, which promises what is asserted here; the rest is counted and printed.

The death of the machine takes away what was not synced (LoopDisk): of the binary log, the store and
InnoDB's files at the same moment.
"""

import threading
import time
from dataclasses import dataclass

import pymysql

from tests.faults.full_disk import COLUMNS, expect
from tests.faults.writer import HANGS_AFTER, Writer
from tests.kit.loop_disk import LoopDisk
from tools.server import PrivateServer

WRITERS = 4
SECONDS, LONG_SECONDS = 1.5, 10
MEGABYTES = 512  # of the disk
SPAN = 1_000_000  # of ids, for each writer


@dataclass(frozen=True)
class Case:
    """A line of the table. What may not be lost: at the death of the process, of the machine."""

    binary_log: bool
    flush: int  # rocksdb_flush_log_at_trx_commit
    sync: int  # sync_binlog
    acknowledged: tuple[bool, bool]
    visible: tuple[bool, bool]

    @property
    def name(self) -> str:
        log = f"binlog, sync_binlog={self.sync}" if self.binary_log else "no binlog"
        return f"{log}, flush={self.flush}"


CASES = (
    Case(False, 1, 0, (True, True), (False, False)),
    Case(False, 2, 0, (True, False), (False, False)),
    Case(False, 0, 0, (False, False), (False, False)),
    Case(True, 1, 1, (True, True), (True, True)),
    Case(True, 1, 0, (True, False), (True, False)),
    Case(True, 2, 1, (True, False), (True, False)),
    Case(True, 2, 0, (True, False), (True, False)),
    Case(True, 1, 10, (True, False), (True, False)),
    Case(True, 0, 1, (False, False), (False, False)),
    Case(True, 0, 0, (False, False), (False, False)),
)


class Reader(threading.Thread):
    """Keeps book of the last row of each writer that somebody else has seen."""

    def __init__(self, server: PrivateServer):
        super().__init__(daemon=True)
        self.server = server
        self.seen = dict.fromkeys(range(1, WRITERS + 1), 0)

    def run(self) -> None:
        query = "SELECT MAX(id) FROM w WHERE id BETWEEN {} AND {}"
        try:
            with self.server.connect("d", read_timeout=HANGS_AFTER) as link:
                with link.cursor() as cursor:
                    while True:
                        for number in self.seen:
                            first = number * SPAN
                            cursor.execute(query.format(first, first + SPAN - 1))
                            self.seen[number] = cursor.fetchone()[0] or 0
        except pymysql.MySQLError:
            return  # the death that everybody waits for


def die(case: Case, machine: bool, seconds: float, server: PrivateServer, disk: LoopDisk) -> str:
    """One death under load, and what came of it, in words. Raises AssertionError."""
    begin(case, server, disk)
    writers = [Writer(server, "w", number, dies=True) for number in range(1, WRITERS + 1)]
    reader = Reader(server)
    for thread in (*writers, reader):
        thread.start()
    time.sleep(seconds)
    if machine:
        disk.cut_power(server)
    else:
        server.kill()
    for thread in (*writers, reader):
        thread.join()
    server.start()
    return judge(case, machine, server, writers, reader)


def begin(case: Case, server: PrivateServer, disk: LoopDisk) -> None:
    server.sql(
        f"CREATE DATABASE IF NOT EXISTS d; USE d; CREATE OR REPLACE TABLE w {COLUMNS};"
        f"SET GLOBAL rocksdb_flush_log_at_trx_commit = {case.flush};"
        f"SET GLOBAL sync_binlog = {case.sync};" + ("RESET MASTER" if case.binary_log else "")
    )
    disk.sync()


def transactions(number: int, found: set[int]) -> int:
    """How many transactions of a writer (Writer.run) `found` is; raises when it is not the first
    ones, or when one is there in part."""
    first, count = number * SPAN, 0
    left = len(found)
    while left > 0:
        ids = range(first, first + 1 + first % 5)
        expect(found.issuperset(ids), f"of {ids} only a part, or none and later rows, is there")
        first, count, left = ids[-1] + 1, count + 1, left - len(ids)
    return count


def judge(case, machine: bool, server, writers: list[Writer], reader: Reader) -> str:
    rows = {row[0] for row in server.query("SELECT id FROM w FORCE INDEX (PRIMARY)", "d")}
    entries = server.query("SELECT COUNT(*) FROM w FORCE INDEX (by_a)", "d")[0][0]
    expect(entries == len(rows), f"{len(rows)} rows, {entries} index entries")
    acknowledged = set().union(*(w.acknowledged for w in writers))
    expect(acknowledged, "nothing was written")
    expect(any(reader.seen.values()), "nothing was read")
    committed = sum(
        transactions(w.number, {row for row in rows if row // SPAN == w.number}) for w in writers
    )
    lost = len(acknowledged - rows)
    unseen = sum(seen not in rows for seen in reader.seen.values() if seen)
    expect(not lost or not case.acknowledged[machine], f"{lost} acknowledged rows are lost")
    expect(not unseen or not case.visible[machine], f"{unseen} rows that were read are lost")
    text = f"{len(acknowledged)} acknowledged, lost: {lost}; last ones read, lost: {unseen}"
    return text + (judge_log(case, machine, server, committed) if case.binary_log else "")


def judge_log(case: Case, machine: bool, server: PrivateServer, committed: int) -> str:
    """Each transaction has one number in the binary log, from 1 on."""
    position = server.query("SELECT @@gtid_binlog_pos")[0][0]
    logged = int(position.rpartition("-")[2]) if position else 0
    expect(
        logged == committed or not case.acknowledged[machine] or case.flush == 0,
        f"{committed} transactions in the table, {logged} in the binary log",
    )
    return f"; transactions in the table {committed}, in the binary log {logged}"
