# SPDX-License-Identifier: GPL-2.0-only
"""Bytes of table files are flipped under a stopped server: what it does when it meets the damage.

Each index lies in a column family, and so in files, of its own. Statements that meet the damage
fail and say where; everything else goes on; CHECK finds it, REPAIR mends what can be mended, DROP
gets rid of the rest. The same when RocksDB cannot even open a file.
"""

import re
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pymysql

from tests.damage import table_file
from tests.kit.tier_result import TierResult
from tools import paths
from tools.errors import DevError
from tools.server import PrivateServer

HELP = "damaged files: errors that name the place, a server that goes on"

ROWS = 20_000
# a table whose CHECK ... EXTENDED takes seconds
MANY_ROWS = 200_000
FAMILIES = {"by_a": "family_by_a", "rows": "family_rows"}
MIDDLE = "family_middle"  # damaged in the midst of its rows
FIRST_BLOCK = 100  # an offset in the first data block
# the lines of an error log that a damaged file may cost, at the most
LINES = 400
# of a file; with one of FATAL damaged RocksDB does not open it
BLOCKS = ("index", "metaindex", "properties", "filter", "magic number")
FATAL = ("index", "metaindex", "properties", "magic number")


def run(args) -> TierResult:
    result = TierResult("damage", 0, 0, repeat_command="./dev test damage")
    folder = paths.scratch() / "damage"
    shutil.rmtree(folder, ignore_errors=True)
    server = PrivateServer(folder / "data", "rocksdb")
    try:
        create_tables(server)
        shutil.copytree(server.datadir, folder / "copy")
        for family in FAMILIES.values():
            for path in files_of(server.datadir, family):
                flip(path, FIRST_BLOCK)
        for path in files_of(server.datadir, MIDDLE):
            flip(path, table_file.blocks(path.read_bytes())["index"][0] // 2)
        server.start()
        for test in (
            damaged_index,
            damaged_rows,
            damaged_middle,
            restart,
            killed_check,
            refused_start,
        ):
            if not args.filter or args.filter in test.__name__:
                one(test.__name__, test, server, result)
    finally:
        server.kill()
    damaged_blocks(folder, args.filter, result)
    if not result.failed:
        shutil.rmtree(folder, ignore_errors=True)
    return result


def one(name: str, test: Callable, server: PrivateServer, result: TierResult) -> None:
    try:
        test(server)
        if not server.running():
            raise AssertionError(f"the server died:\n{server.log_tail()}")
    except (AssertionError, DevError, pymysql.MySQLError) as error:
        result.failed += 1
        result.failures.append(f"{name}: {error}")
        print(f"   {name}: FAILED: {error}")
    else:
        result.passed += 1
        print(f"   {name}: passed")


def create_tables(server: PrivateServer) -> None:
    columns = (
        "id INT, a INT, b VARCHAR(30), PRIMARY KEY (id) COMMENT '{}', KEY by_a (a) COMMENT '{}'"
    )
    with server:
        server.sql("CREATE DATABASE d")
        for name, rows, index in (
            ("index_gone", "", FAMILIES["by_a"]),
            ("rows_gone", FAMILIES["rows"], ""),
            ("middle_gone", MIDDLE, ""),
            ("whole", "", ""),
        ):
            server.sql(
                f"CREATE TABLE {name} ({columns.format(rows, index)});"
                f"INSERT INTO {name} SELECT seq, seq % 1000, CONCAT('row ', seq)"
                f" FROM seq_1_to_{ROWS}",
                "d",
            )
        server.sql("SET GLOBAL rocksdb_force_flush_memtable_now = 1")


def files_of(folder: Path, family: str) -> list[Path]:
    """The table files of a column family, whose name stands in each file's properties."""
    found = [p for p in sorted(folder.rglob("*.sst")) if family.encode() in p.read_bytes()]
    assert found, f"no table file of {family} in {folder}"
    return found


def flip(path: Path, offset: int) -> None:
    content = bytearray(path.read_bytes())
    content[offset] ^= 0x40
    path.write_bytes(content)


def damaged_blocks(folder: Path, wanted: str | None, result: TierResult) -> None:
    """Each kind of block in a file of its own store."""
    for block in BLOCKS:
        name = f"damaged_{block.replace(' ', '_')}_block"
        if wanted and wanted not in name:
            continue
        data = folder / name
        shutil.copytree(folder / "copy", data)
        for path in files_of(data, FAMILIES["rows"]):
            offset, size = table_file.blocks(path.read_bytes())[block]
            flip(path, offset + size // 2)
        server = PrivateServer(data, "rocksdb")
        try:
            one(name, lambda s, fatal=block in FATAL: damaged_block(s, fatal), server, result)
        finally:
            server.kill()


def expect(condition: bool, text: object) -> None:
    if not condition:
        raise AssertionError(str(text))


def expect_error(server: PrivateServer, statement: str, *words: str) -> None:
    try:
        found = server.query(statement, "d")
    except pymysql.MySQLError as error:
        for word in words:
            expect(word in str(error), f"{statement}: '{error}' does not say '{word}'")
        return
    raise AssertionError(f"{statement}: no error, {found[:3]}")


def status_of(server: PrivateServer, statement: str) -> tuple[str, str]:
    """The last word of an administrative statement, and everything it says."""
    rows = server.query(statement, "d")
    return rows[-1][3], "\n".join(row[3] for row in rows)


def others_go_on(server: PrivateServer) -> None:
    expect(server.query("SELECT COUNT(*) FROM whole", "d")[0][0] >= ROWS, "rows are gone")
    server.sql("INSERT INTO whole (id, a) SELECT MAX(id) + 1, 5 FROM whole", "d")
    server.sql("CREATE TABLE new (a INT PRIMARY KEY, KEY (a)); DROP TABLE new", "d")


def corruption_errors(server: PrivateServer) -> int:
    return int(server.status("rocksdb_corruption_errors"))


def damaged_index(server: PrivateServer) -> None:
    query = "SELECT b FROM index_gone FORCE INDEX (by_a) WHERE a = 1"
    before = corruption_errors(server)
    expect_error(server, query, "d.index_gone", "by_a")
    expect(corruption_errors(server) > before, "damage that a read has met is not counted")
    expect_error(server, "SELECT COUNT(a) FROM index_gone FORCE INDEX (by_a) WHERE a < 900", "by_a")
    query = "SELECT COUNT(*), SUM(id) FROM index_gone IGNORE INDEX (by_a)"
    whole = (ROWS, ROWS * (ROWS + 1) // 2)
    expect(server.query(query, "d")[0] == whole, "rows are gone")
    others_go_on(server)
    for word in ("QUICK", "", "EXTENDED"):
        status, text = status_of(server, f"CHECK TABLE index_gone {word}")
        expect(status == "Corrupt" and "by_a" in text, f"CHECK {word}: {text}")
    status, text = status_of(server, "REPAIR TABLE index_gone QUICK")
    expect(status == "OK" and f"from {ROWS} rows: by_a" in text, text)
    status, text = status_of(server, "CHECK TABLE index_gone EXTENDED")
    expect(status == "OK", text)
    query = "SELECT COUNT(*), SUM(id) FROM index_gone FORCE INDEX (by_a) WHERE a >= 0"
    expect(server.query(query, "d")[0] == whole, "the index built anew lacks rows")


def damaged_rows(server: PrivateServer) -> None:
    words = ("d.rows_gone", "PRIMARY")
    expect_error(server, "SELECT * FROM rows_gone WHERE id = 1", *words, "80000001")
    expect_error(server, "SELECT COUNT(b) FROM rows_gone", *words)
    expect_error(server, "SELECT b FROM rows_gone FORCE INDEX (by_a) WHERE a < 3", *words)
    expect_error(server, "UPDATE rows_gone SET b = 'x' WHERE id = 1", *words)
    expect_error(server, "DELETE FROM rows_gone WHERE a = 1", *words)
    expect_error(server, "INSERT INTO rows_gone VALUES (1, 1, 'x')", *words)
    row = server.query(f"SELECT b FROM rows_gone WHERE id = {ROWS}", "d")
    expect(row == [(f"row {ROWS}",)], f"a row far from the damage: {row}")
    others_go_on(server)
    for word in ("QUICK", "", "EXTENDED"):
        status, text = status_of(server, f"CHECK TABLE rows_gone {word}")
        expect(status == "Corrupt" and "PRIMARY cannot be read" in text, f"CHECK {word}: {text}")
    for word in ("QUICK", "", "EXTENDED"):
        status, text = status_of(server, f"REPAIR TABLE rows_gone {word}")
        expect(status == "Corrupt" and "nothing was changed" in text, f"REPAIR {word}: {text}")
    # A compaction that meets the damage fails, and takes nothing else with it.
    expect_error(server, "ALTER TABLE rows_gone FORCE, ALGORITHM=COPY", *words)
    before = corruption_errors(server)
    status, text = status_of(server, "OPTIMIZE TABLE rows_gone")
    expect(corruption_errors(server) > before, "damage that a compaction has met is not counted")
    others_go_on(server)


def damaged_middle(server: PrivateServer) -> None:
    """A scan that runs into damage names the last key before it, in each direction; what lies
    before and behind can be read."""
    scan = "SELECT COUNT(b) FROM middle_gone"
    lock = "SELECT b FROM middle_gone ORDER BY id {} FOR UPDATE"
    last = id_in_error(server, scan, "reading on behind it")
    first = id_in_error(
        server, "SELECT b FROM middle_gone ORDER BY id DESC", "reading on before it"
    )
    expect(1 < last < first <= last + 1000, f"the damage is between {last} and {first}")
    expect(id_in_error(server, lock.format(""), "reading on behind it") == last, "locking")
    expect(id_in_error(server, lock.format("DESC"), "reading on before it") == first, "locking")
    expect_error(server, "UPDATE middle_gone SET b = 'x'", "d.middle_gone", "PRIMARY")
    found = server.query(f"{scan} WHERE id < {last}", "d")
    expect(found == [(last - 1,)], f"rows before the damage: {found}")
    found = server.query(f"{scan} WHERE id >= {first}", "d")
    expect(found == [(ROWS - first + 1,)], f"rows behind the damage: {found}")
    expect_error(server, f"SELECT b FROM middle_gone WHERE id = {last + 1}", "d.middle_gone")
    told = re.search(r"ROCKSDB: .*d\.middle_gone.*\.sst offset \d+", server.log_tail(100))
    expect(told, "the error log does not have the whole message")
    server.sql("DROP TABLE middle_gone", "d")


def id_in_error(server: PrivateServer, statement: str, words: str) -> int:
    """The id in the key that an error names: the last four bytes, with the sign bit turned."""
    try:
        server.query(statement, "d")
    except pymysql.MySQLError as error:
        pattern = rf"d\.middle_gone, index PRIMARY, key [0-9a-f]{{8}}([0-9a-f]{{8}}): {words}"
        key = re.search(pattern, str(error))
        expect(key, f"{statement}: '{error}'")
        expect(re.search(r"\d+\.sst, offset \d+: ", str(error)), f"{statement}: '{error}'")
        return int(key[1], 16) - 0x80000000
    raise AssertionError(f"{statement}: no error")


def damaged_block(server: PrivateServer, fatal: bool) -> None:
    """Of a file with rows: either it can be done without, or statements on the table fail."""
    server.start()
    said = "a table file is damaged" in server.log_tail(100)
    expect(said == fatal, f"the error log at start:\n{server.log_tail(100)}")
    others_go_on(server)
    for statement in ("SELECT COUNT(b) FROM rows_gone", "SELECT * FROM rows_gone WHERE id = 7"):
        if fatal:
            expect_error(server, statement, "d.rows_gone", "PRIMARY", ".sst")
        else:
            expect(server.query(statement, "d")[0][0] in (ROWS, 7), "rows are gone")
    if not fatal:
        return
    for word in ("QUICK", "", "EXTENDED"):
        status, text = status_of(server, f"CHECK TABLE rows_gone {word}")
        expect(status == "Corrupt" and "PRIMARY cannot be read" in text, f"CHECK {word}: {text}")
    server.restart()
    others_go_on(server)
    # Dropped for good, although nothing of it can be read. (Of a file in the first level the space
    # stays: RocksDB removes it by compaction only, and opens it when it is to be moved.)
    server.sql("DROP TABLE rows_gone", "d")
    wait_until_reclaimed(server)
    server.restart()
    others_go_on(server)
    status, text = status_of(server, "CHECK TABLE whole, index_gone EXTENDED")
    expect(status == "OK", text)
    lines = len((server.datadir / "error.log").read_text(errors="replace").splitlines())
    expect(lines < LINES, f"the error log has {lines} lines")


def restart(server: PrivateServer) -> None:
    server.restart()
    others_go_on(server)
    server.sql("DROP TABLE rows_gone", "d")
    wait_until_reclaimed(server)
    expect("Waiting after background" not in server.log_tail(1000), "the log is flooded")
    status, text = status_of(server, "CHECK TABLE whole, index_gone EXTENDED")
    expect(status == "OK", text)


def wait_until_reclaimed(server: PrivateServer) -> None:
    until = time.monotonic() + 60
    while server.query("SHOW GLOBAL STATUS LIKE 'rocksdb_dropped_indexes_waiting'")[0][1] != "0":
        expect(time.monotonic() < until, "the dropped table is not reclaimed")
        time.sleep(0.2)


def killed_check(server: PrivateServer) -> None:
    server.sql(
        "CREATE TABLE many (id INT PRIMARY KEY, a INT, b INT, KEY (a), KEY (b));"
        f"INSERT INTO many SELECT seq, seq % 7, -seq FROM seq_1_to_{MANY_ROWS}",
        "d",
    )
    answer: list = []

    def check(link) -> None:
        with link.cursor() as cursor:
            try:
                cursor.execute("CHECK TABLE many EXTENDED")
                answer.extend(cursor.fetchall())
            except pymysql.MySQLError as error:
                answer.append(error)

    with server.connect("d") as link:
        thread = threading.Thread(target=check, args=(link,))
        thread.start()
        progress = wait_for_progress(server, link.thread_id(), thread)
        server.sql(f"KILL QUERY {link.thread_id()}")
        thread.join()
    expect(progress > 0, "SHOW PROCESSLIST shows no progress")
    expect("interrupted" in str(answer) or "Operation failed" in str(answer), answer)
    others_go_on(server)


def refused_start(server: PrivateServer) -> None:
    """A store that is not opened stops the start of the server, unless an option says otherwise;
    afterwards nothing is missing."""
    server.sql("CREATE TABLE other (a INT PRIMARY KEY) ENGINE=InnoDB", "d")
    server.stop()
    marker = server.datadir / "#rocksdb" / "ROCKSDB_CORRUPTED"
    marker.write_text("")
    options = server.options
    try:
        for option, starts in (("OFF", False), ("ON", True)):
            server.options = [
                *options,
                "--default-storage-engine=InnoDB",
                f"--rocksdb-start-server-without-engine={option}",
            ]
            expect(try_start(server) == starts, f"{option}: the server starts: {not starts}")
            said = "the server does not start without the engine" in server.log_tail(100)
            expect(said != starts, f"{option}: {server.log_tail(100)}")
            if starts:
                server.sql("INSERT INTO other VALUES (1)", "d")
                expect_error(server, "SELECT * FROM whole")
            server.stop()
    finally:
        marker.unlink()
        server.options = options
    server.start()
    others_go_on(server)
    expect(server.query("SELECT * FROM other", "d") == [(1,)], "a row of InnoDB is gone")


def try_start(server: PrivateServer) -> bool:
    try:
        server.start()
    except DevError:
        return False
    return True


def wait_for_progress(server: PrivateServer, connection: int, thread: threading.Thread) -> float:
    query = f"SELECT progress FROM information_schema.processlist WHERE id = {connection}"
    while thread.is_alive():
        rows = server.query(query)
        if rows and rows[0][0]:
            return float(rows[0][0])
        time.sleep(0.005)
    return 0
