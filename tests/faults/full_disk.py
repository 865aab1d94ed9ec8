# SPDX-License-Identifier: GPL-2.0-only
"""The disk of the store is full while something is under way. Each time: the statement fails and
says so, reading goes on, InnoDB's tables (on another disk) go on, and when there is space again the
same statement works, in the same server process."""

import contextlib
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pymysql
from pymysql.constants import ER

from tests.faults.writer import HANGS_AFTER, Writer, check_rows, says_full
from tests.kit.small_disk import SmallDisk
from tools.server import PrivateServer

MEGABYTES = 192
ROWS = 30_000
OPTIONS = (
    "--rocksdb-spill-threshold=1048576",
    "--rocksdb-default-cf-options=write_buffer_size=4m;target_file_size_base=4m",
)
COLUMNS = "(id INT, a INT, b DOUBLE, c VARCHAR(200), PRIMARY KEY (id), KEY by_a (a))"
FILL = "REPEAT(MD5({}), 4)"
RESUMES_WITHIN = 30  # seconds
# of a transaction whose second phase has failed, and when it is made up for
KEPT, ENDED = "it is tried again every second", "a transaction whose "


def expect(condition: bool, text: object) -> None:
    if not condition:
        raise AssertionError(str(text))


def set_up(server: PrivateServer) -> None:
    server.sql(
        f"CREATE DATABASE d; USE d; CREATE TABLE t {COLUMNS}; CREATE TABLE w {COLUMNS};"
        f"INSERT INTO t SELECT seq, seq % 100, seq, {FILL.format('seq')} FROM seq_1_to_{ROWS};"
        "CREATE TABLE i (id INT PRIMARY KEY AUTO_INCREMENT) ENGINE=InnoDB"
    )


def fails_full(link, statement: str) -> None:
    """The statement must fail, in time, and say that the disk is full."""
    try:
        with link.cursor() as cursor:
            cursor.execute(statement)
            answer = cursor.fetchall()
    except pymysql.MySQLError as error:
        expect(says_full(error), f"{statement}: {error}")
        return
    # administrative statements put it into their result
    expect(any("full" in str(row) for row in answer), f"{statement}: no error, {answer}")


def build_fails(server: PrivateServer, link, statement: str) -> None:
    """As fails_full; or the build has met a commit that the full disk has cut off between its two
    phases, and waited for it in vain."""
    try:
        with link.cursor() as cursor:
            cursor.execute(statement)
    except pymysql.MySQLError as error:
        waited = error.args[0] == ER.LOCK_WAIT_TIMEOUT and KEPT in server.log()
        expect(waited or says_full(error), f"{statement}: {error}")
        return
    raise AssertionError(f"{statement}: no error")


def decided(server: PrivateServer) -> None:
    """What was cut off between its two phases has ended."""
    end = time.monotonic() + RESUMES_WITHIN
    while server.log().count(ENDED) < server.log().count(KEPT):
        expect(time.monotonic() < end, "a transaction stays between its phases")
        time.sleep(0.1)


def others_go_on(server: PrivateServer) -> None:
    """Reading goes on, by every index, and so does the other engine."""
    rows = server.query("SELECT COUNT(*), SUM(id) FROM t FORCE INDEX (PRIMARY)", "d")
    expect(rows == [(ROWS, ROWS * (ROWS + 1) // 2)], f"reading the rows of t: {rows}")
    rows = server.query("SELECT COUNT(*), SUM(a) FROM t FORCE INDEX (by_a) WHERE a >= 0", "d")
    expect(rows == [(ROWS, ROWS // 100 * 4950)], f"reading an index of t: {rows}")
    server.sql("INSERT INTO i VALUES (NULL)", "d")


def resumes(server: PrivateServer, statement: str) -> None:
    """The statement works within some seconds."""
    end = time.monotonic() + RESUMES_WITHIN
    while True:
        try:
            server.query(statement, "d")
            return
        except pymysql.MySQLError as error:
            expect(time.monotonic() < end, f"{statement} after there is space: {error}")
            expect(says_full(error), f"{statement} after there is space: {error}")
        time.sleep(0.1)


def checked(server: PrivateServer, table: str) -> None:
    rows = server.query(f"CHECK TABLE {table} EXTENDED", "d")
    expect(rows[-1][3] == "OK", rows)


QUIET = (
    "SELECT (SELECT COUNT(*) FROM information_schema.ROCKSDB_ACTIVE_COMPACTIONS) +"
    " (SELECT variable_value FROM information_schema.global_status"
    " WHERE variable_name = 'rocksdb_dropped_indexes_waiting')"
)


INDEXES = "SELECT index_name FROM information_schema.ROCKSDB_DDL WHERE table_schema = 'd'"
UNDER_WAY = "SELECT COUNT(*) FROM information_schema.ROCKSDB_PROGRESS WHERE done > 0"


def settle(server: PrivateServer) -> None:
    """Until nothing is compacted or reclaimed any more: files that are removed on a full disk would
    make room for what is to fail."""
    server.sql("SET GLOBAL rocksdb_force_flush_memtable_now = 1")
    end = time.monotonic() + RESUMES_WITHIN
    quiet = 0
    while quiet < 15:
        quiet = quiet + 1 if server.query(QUIET) == [(0,)] else 0
        expect(time.monotonic() < end, "compactions do not come to an end")
        time.sleep(0.1)


def while_full(server: PrivateServer, disk: SmallDisk, statement: str, leave: int = 0) -> None:
    """`statement` fails on a disk with `leave` free kilobytes and works when there is space."""
    settle(server)
    with server.connect("d", read_timeout=HANGS_AFTER) as link:
        disk.fill(leave)
        try:
            fails_full(link, statement)
            others_go_on(server)
        finally:
            disk.free()
    resumes(server, statement)
    checked(server, "t")


# --- what is under way ---


def commits(server: PrivateServer, disk: SmallDisk) -> None:
    writers = [Writer(server, "w", number) for number in range(1, 5)]
    for writer in writers:
        writer.start()
    for _ in range(2):
        time.sleep(0.5)
        disk.fill()
        end = time.monotonic() + HANGS_AFTER
        before = [len(writer.errors) for writer in writers]
        while any(len(w.errors) <= n for w, n in zip(writers, before, strict=True)):
            expect(time.monotonic() < end, "a writer neither fails nor goes on")
            time.sleep(0.02)
        others_go_on(server)
        done = [len(writer.acknowledged) for writer in writers]
        disk.free()
        end = time.monotonic() + RESUMES_WITHIN
        while any(len(w.acknowledged) <= n for w, n in zip(writers, done, strict=True)):
            expect(time.monotonic() < end, f"writing does not resume: {writers[0].errors[-1]}")
            time.sleep(0.02)
    for writer in writers:
        writer.stop()
    for writer in writers:
        expect(not writer.wrong, f"an error that does not say it: {writer.wrong[:1]}")
    expect_rows(server, writers)
    server.kill()
    server.start()
    expect_rows(server, writers)


def expect_rows(server: PrivateServer, writers: list[Writer]) -> None:
    finding = check_rows(server, "w", writers)
    expect(not finding, finding)


def alter_table(server: PrivateServer, disk: SmallDisk) -> None:
    while_full(server, disk, "ALTER TABLE t ADD COLUMN x INT, ADD KEY by_c (c)", 512)
    resumes(server, "ALTER TABLE t DROP COLUMN x, DROP KEY by_c")


def rebuild(server: PrivateServer, disk: SmallDisk) -> None:
    """All rows anew: refused before the first one, where the disk cannot hold them twice."""
    statement = "ALTER TABLE t FORCE, ALGORITHM=INPLACE, LOCK=NONE"
    settle(server)
    disk.fill(512)
    try:
        end = time.monotonic() + HANGS_AFTER
        while "writing the rows anew takes about" not in (answer := refusal(server, statement)):
            expect("full" in answer, answer)  # the engine looks at the disk now and then
            expect(time.monotonic() < end, f"{statement} is not refused: {answer}")
        others_go_on(server)
    finally:
        disk.free()
    resumes(server, statement)
    checked(server, "t")


def refusal(server: PrivateServer, statement: str) -> str:
    try:
        server.query(statement, "d")
    except pymysql.MySQLError as error:
        return str(error)
    raise AssertionError(f"{statement}: no error")


def online_build(server: PrivateServer, disk: SmallDisk) -> None:
    """An index is built while others write: its files, and the log of their changes."""
    fails_beside_writers(server, disk, "ALGORITHM=NOCOPY")


def online_rebuild(server: PrivateServer, disk: SmallDisk) -> None:
    """The same of all rows."""
    fails_beside_writers(server, disk, "FORCE, ALGORITHM=INPLACE")


def fails_beside_writers(server: PrivateServer, disk: SmallDisk, how: str) -> None:
    server.sql(f"CREATE OR REPLACE TABLE o {COLUMNS}; INSERT INTO o SELECT * FROM t", "d")
    settle(server)
    alter = (
        "ALTER TABLE o ADD COLUMN v CHAR(128) AS (SHA2(REPEAT(id, 5000), 512)) VIRTUAL,"
        f" ADD KEY v (v), {how}, LOCK=NONE"
    )
    writers = [Writer(server, "o", number) for number in range(1, 4)]
    with ThreadPoolExecutor() as pool, server.connect("d", read_timeout=HANGS_AFTER) as link:
        for writer in writers:
            writer.start()
        build = pool.submit(build_fails, server, link, alter)
        while not build.done() and server.query(UNDER_WAY) == [(0,)]:
            time.sleep(0.01)
        disk.fill()
        try:
            build.result()
            others_go_on(server)
        finally:
            disk.free()
            for writer in writers:
                writer.stop()
    for writer in writers:
        expect(not writer.wrong, f"an error that does not say it: {writer.wrong[:1]}")
    finding = check_rows(server, "o", writers, range(1, ROWS + 1))
    expect(not finding, finding)
    indexes = sorted(server.query(f"{INDEXES} AND table_name = 'o'"))
    expect(indexes == [("PRIMARY",), ("by_a",)], f"indexes are left: {indexes}")
    decided(server)
    resumes(server, alter)
    checked(server, "o")
    server.sql("DROP TABLE o", "d")


def create_table(server: PrivateServer, disk: SmallDisk) -> None:
    with server.connect("d", read_timeout=HANGS_AFTER) as link:
        disk.fill()
        try:
            fill_log(link)
            fails_full(link, "CREATE TABLE n (id INT PRIMARY KEY)")
            fails_full(link, "RENAME TABLE w TO w2")
            others_go_on(server)
        finally:
            disk.free()
    resumes(server, "CREATE TABLE n (id INT PRIMARY KEY)")
    server.sql("RENAME TABLE w TO w2, w2 TO w; DROP TABLE n", "d")


def new_family(server: PrivateServer, disk: SmallDisk) -> None:
    """What makes a column family works or says that the disk is full, and works afterwards: RocksDB
    makes the family and then fails at the file with the options of all."""
    statements = (
        "CREATE OR REPLACE TABLE f (id INT, PRIMARY KEY (id) COMMENT 'rev:first')",
        "CREATE OR REPLACE TEMPORARY TABLE f (id INT PRIMARY KEY)",
    )
    disk.fill()
    try:
        for statement in statements:
            try:
                server.query(statement, "d")
            except pymysql.MySQLError as error:
                expect(says_full(error), f"{statement}: {error}")
        others_go_on(server)
    finally:
        disk.free()
    for statement in statements:
        resumes(server, statement)
    server.sql("INSERT INTO f VALUES (1); DROP TABLE f", "d")


def rotation(server: PrivateServer, disk: SmallDisk) -> None:
    """The engine owes the server the end of a checkpoint, which lets it remove binary logs: that
    comes when there is space again."""
    with server.connect("d", read_timeout=HANGS_AFTER) as link:
        disk.fill()
        try:
            fill_log(link)
            server.sql("INSERT INTO i VALUES (NULL); FLUSH BINARY LOGS", "d")
            others_go_on(server)
        finally:
            disk.free()
    end = time.monotonic() + RESUMES_WITHIN
    while True:
        log = server.query("SHOW MASTER STATUS")[0][0]
        events = server.query(f"SHOW BINLOG EVENTS IN '{log}' LIMIT 10")
        if any(event[2] == "Binlog_checkpoint" and event[5] == log for event in events):
            return
        expect(time.monotonic() < end, f"no checkpoint of {log}: {events}")
        time.sleep(0.1)


def fill_log(link) -> None:
    """Small changes fit into the space that the log has already taken; so this uses it up."""
    end = time.monotonic() + HANGS_AFTER
    while time.monotonic() < end:
        try:
            with link.cursor() as cursor:
                cursor.execute("UPDATE t SET b = b + 1 WHERE id <= 2000")
        except pymysql.MySQLError as error:
            expect(says_full(error), error)
            return
    raise AssertionError("writing goes on on a full disk")


def large_insert(server: PrivateServer, disk: SmallDisk) -> None:
    server.sql(f"CREATE OR REPLACE TABLE l {COLUMNS}", "d")
    insert = f"INSERT INTO l SELECT seq, 1, 1, {FILL.format('seq')} FROM seq_1_to_{ROWS}"
    while_full(server, disk, insert, 128)
    checked(server, "l")
    expect(server.query("SELECT COUNT(*) FROM l", "d") == [(ROWS,)], "not all rows, or twice")
    server.sql("DROP TABLE l", "d")


def bulk_load(server: PrivateServer, disk: SmallDisk) -> None:
    file = server.datadir / "rows.txt"
    server.sql(f"CREATE OR REPLACE TABLE l {COLUMNS}; SELECT * INTO OUTFILE '{file}' FROM t", "d")
    while_full(server, disk, f"LOAD DATA INFILE '{file}' INTO TABLE l", 128)
    checked(server, "l")
    expect(server.query("SELECT COUNT(*) FROM l", "d") == [(ROWS,)], "not all rows, or twice")
    server.sql("DROP TABLE l", "d")


def load_among_rows(server: PrivateServer, disk: SmallDisk) -> None:
    """The checked load of docs/bulk-load.md."""
    server.sql(f"CREATE OR REPLACE TABLE l {COLUMNS}; INSERT INTO l VALUES (0, 0, 0, '')", "d")
    insert = f"INSERT INTO l SELECT seq * 7919 % 30011, 1, 1, {FILL.format('seq')} FROM"
    before = checked_loads(server)
    while_full(server, disk, f"{insert} seq_1_to_{ROWS}", 128)
    expect(checked_loads(server) >= before + 2, "the statement was no load")
    checked(server, "l")
    rows = server.query("SELECT COUNT(*) FROM l", "d")
    expect(rows == [(ROWS + 1,)], "not all rows, or twice")
    server.sql("DROP TABLE l", "d")


def checked_loads(server: PrivateServer) -> int:
    return int(server.status("rocksdb_bulk_loads_checked"))


def flush(server: PrivateServer, disk: SmallDisk) -> None:
    """A flush may just fit. What counts is that it ends, and that it works when there is space."""
    server.sql("UPDATE t SET b = b + 1 WHERE id < 10000", "d")
    statement = "SET GLOBAL rocksdb_force_flush_memtable_now = 1"
    with server.connect("d", read_timeout=HANGS_AFTER) as link, link.cursor() as cursor:
        disk.fill()
        try:
            cursor.execute(statement)
        except pymysql.MySQLError as error:
            expect(says_full(error), error)
        finally:
            others_go_on(server)
            disk.free()
    resumes(server, statement)
    checked(server, "t")


def compaction(server: PrivateServer, disk: SmallDisk) -> None:
    server.sql("UPDATE t SET b = b + 1; SET GLOBAL rocksdb_force_flush_memtable_now = 1", "d")
    with server.connect("d", read_timeout=HANGS_AFTER) as link:
        disk.fill(256)
        try:
            with link.cursor() as cursor:
                cursor.execute("OPTIMIZE TABLE t")
                answer = cursor.fetchall()
            expect(any("full" in str(row) for row in answer), f"OPTIMIZE: {answer}")
            others_go_on(server)
        finally:
            disk.free()
    resumes(server, "UPDATE t SET b = 0 WHERE id = 1")
    resumes(server, "OPTIMIZE TABLE t")
    checked(server, "t")


def rollback(server: PrivateServer, disk: SmallDisk) -> None:
    with server.connect("d", autocommit=False, read_timeout=HANGS_AFTER) as link:
        with link.cursor() as cursor:
            cursor.execute("UPDATE t SET b = -1, a = a + 1")  # spills
            disk.fill()
            try:
                with server.connect("d", read_timeout=HANGS_AFTER) as other:
                    fails_full(other, "INSERT INTO w SELECT seq, 1, 1, '' FROM seq_1_to_300000")
                cursor.execute("ROLLBACK")
                others_go_on(server)
            finally:
                disk.free()
    resumes(server, "UPDATE t SET b = 0 WHERE id = 1")
    checked(server, "t")


def prepare_large(cursor) -> None:
    """A flush that met the full disk of the scenario before may tell of it only now: then writing
    is off for another moment."""
    end = time.monotonic() + RESUMES_WITHIN
    while True:
        cursor.execute("XA START 'x'")
        try:
            cursor.execute("UPDATE t SET b = -1, a = a + 1")
            cursor.execute("XA END 'x'")
            cursor.execute("XA PREPARE 'x'")
            return
        except pymysql.MySQLError as error:
            expect(says_full(error) and time.monotonic() < end, error)
            for statement in ("XA END 'x'", "XA ROLLBACK 'x'"):
                with contextlib.suppress(pymysql.MySQLError):
                    cursor.execute(statement)
            time.sleep(0.2)


def prepared_rollback(server: PrivateServer, disk: SmallDisk) -> None:
    with server.connect("d", autocommit=False, read_timeout=HANGS_AFTER) as link:
        with link.cursor() as cursor:
            prepare_large(cursor)
            disk.fill()
            try:
                cursor.execute("XA ROLLBACK 'x'")
            except pymysql.MySQLError as error:
                expect(says_full(error), error)
            try:
                others_go_on(server)
            finally:
                disk.free()
    resumes(server, "UPDATE t SET b = 0 WHERE id = 1")
    server.kill()
    server.start()
    for _, _, _, name in server.query("XA RECOVER"):
        server.sql(f"XA ROLLBACK '{name}'")
    others_go_on(server)
    checked(server, "t")


def start(server: PrivateServer, disk: SmallDisk) -> None:
    """A start on a full disk: reading at once, writing when there is space."""
    server.sql("UPDATE t SET b = b + 1 WHERE id < 1000", "d")
    disk.fill()
    disk.hold()
    server.kill()
    try:
        server.start()
        expect("trying again without" in server.log_tail(200), "it did not meet the full disk")
        others_go_on(server)
        # The start has given some space back; the disk fills up again.
        disk.fill()
        with server.connect("d", read_timeout=HANGS_AFTER) as link:
            fill_log(link)
        others_go_on(server)
    finally:
        disk.free()
    resumes(server, "UPDATE t SET b = 0 WHERE id = 1")
    checked(server, "t")


def low_space(server: PrivateServer, disk: SmallDisk) -> None:
    """Below the reserve nothing is written, but what frees space is."""
    server.sql(f"CREATE TABLE l {COLUMNS}; INSERT INTO l SELECT * FROM t", "d")
    disk.fill(2048)
    end = time.monotonic() + RESUMES_WITHIN
    with server.connect("d", read_timeout=HANGS_AFTER) as link:
        while True:
            try:
                with link.cursor() as cursor:
                    cursor.execute("UPDATE t SET b = b + 1 WHERE id = 3")
            except pymysql.MySQLError as error:
                expect("almost full" in str(error), error)
                break
            expect(time.monotonic() < end, "writing goes on below the reserve")
            time.sleep(0.05)
        others_go_on(server)
        server.sql("DROP TABLE l", "d")
    disk.free()
    resumes(server, "UPDATE t SET b = 0 WHERE id = 3")


SCENARIOS: tuple[Callable[[PrivateServer, SmallDisk], None], ...] = (
    new_family,
    commits,
    create_table,
    alter_table,
    online_build,
    rebuild,
    online_rebuild,
    large_insert,
    bulk_load,
    load_among_rows,
    flush,
    compaction,
    rollback,
    prepared_rollback,
)
