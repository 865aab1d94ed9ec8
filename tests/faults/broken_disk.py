# SPDX-License-Identifier: GPL-2.0-only
"""The disk of the store answers writes with I/O errors while clients write, then is mended.

The disk is an image (LoopDisk) on a file system that fills up: to the one in the image that is a
device which cannot write. InnoDB's tables are on another disk and go on.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pymysql

from tests.faults.full_disk import COLUMNS, FILL, expect
from tests.faults.writer import HANGS_AFTER, Writer, check_rows
from tests.kit.loop_disk import LoopDisk
from tests.kit.small_disk import SmallDisk
from tools.errors import DevError
from tools.server import PrivateServer

MEGABYTES, IMAGE_MEGABYTES = 128, 512
ROWS = 10_000
WRITERS = 4
EIO = "Input/output error"


class BrokenDisk:
    """Mounted on `path` between __enter__ and __exit__."""

    def __init__(self, path: Path):
        self.below = SmallDisk(path.with_name(path.name + ".below"), MEGABYTES)
        self.loop = LoopDisk(path, IMAGE_MEGABYTES, self.below.path)
        self.path = path

    def __enter__(self) -> "BrokenDisk":
        self.below.__enter__()
        self.loop.__enter__()
        return self

    def __exit__(self, *error) -> None:
        self.below.free()
        self.loop.__exit__(*error)
        self.below.__exit__(*error)

    @contextmanager
    def broken(self) -> Iterator[None]:
        """Inside of `with`, writes to places of the disk that were not used before fail."""
        self.below.fill()
        try:
            yield
        finally:
            self.below.free()


def set_up(server: PrivateServer) -> None:
    server.sql(
        f"CREATE DATABASE d; USE d; CREATE TABLE t {COLUMNS}; CREATE TABLE w {COLUMNS};"
        f"INSERT INTO t SELECT seq, seq % 100, seq, {FILL.format('seq')} FROM seq_1_to_{ROWS};"
        "CREATE TABLE i (id INT PRIMARY KEY AUTO_INCREMENT) ENGINE=InnoDB"
    )


def others_go_on(server: PrivateServer) -> None:
    rows = server.query("SELECT COUNT(*), SUM(a) FROM t FORCE INDEX (by_a) WHERE a >= 0", "d")
    expect(rows == [(ROWS, ROWS // 100 * 4950)], f"reading t: {rows}")
    server.sql("INSERT INTO i VALUES (NULL)", "d")


def refused(server: PrivateServer, statement: str) -> str:
    """The message of the error that `statement` must end with."""
    try:
        server.query(statement, "d")
    except pymysql.MySQLError as error:
        return str(error)
    raise AssertionError(f"{statement}: no error on a disk that does not write")


def refuses_to_start(server: PrivateServer) -> None:
    """A file system that has met an I/O error in its journal is read-only until it is repaired."""
    try:
        server.start()
    except DevError as error:
        expect("cannot be written" in str(error), error)
        expect("Read-only file system" in str(error), error)
    else:
        raise AssertionError("the server starts on a disk that cannot be written")


def log(server: PrivateServer, disk: BrokenDisk) -> None:
    """The log cannot be made durable: what meets it fails, and nothing is written from then on,
    also when the disk is well again, until a restart. What was acknowledged is there then."""
    writers = [Writer(server, "w", number, dies=True) for number in range(1, WRITERS + 1)]
    for writer in writers:
        writer.start()
    time.sleep(0.5)
    with disk.broken():
        for writer in writers:
            writer.join(HANGS_AFTER)
            expect(not writer.is_alive(), "a writer neither fails nor goes on")
        others_go_on(server)
    message = refused(server, "INSERT INTO w VALUES (1, 1, 1, '')")
    for words in (EIO, ".log", "check the disk", "restart"):
        expect(words in message, f"'{words}' is not in: {message}")
    others_go_on(server)
    server.kill()
    refuses_to_start(server)
    disk.loop.repair()
    server.start()
    finding = check_rows(server, "w", writers)
    expect(not finding, finding)
    expect(sum(len(w.acknowledged) for w in writers), "nothing was written before")
    server.sql("INSERT INTO w VALUES (1, 1, 1, '')", "d")


def flush(server: PrivateServer, disk: BrokenDisk) -> None:
    """A memtable cannot be written out: writing is off, reading goes on. (That writing is on again
    when a disk is well again is tried without a server: this file system stays read-only.)"""
    server.sql("UPDATE t SET b = b + 1; INSERT INTO w VALUES (1, 1, 1, '')", "d")
    with disk.broken():
        message = refused(server, "SET GLOBAL rocksdb_force_flush_memtable_now = 1")
        expect(EIO in message, f"'{EIO}' is not in: {message}")
        others_go_on(server)
        refused(server, "INSERT INTO w VALUES (2, 1, 1, '')")
        others_go_on(server)
    server.kill()
    disk.loop.repair()
    server.start()
    expect(server.query("SELECT id FROM w", "d") == [(1,)], "another row than the acknowledged")
    others_go_on(server)


SCENARIOS: tuple[Callable, ...] = (log, flush)
