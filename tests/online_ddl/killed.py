# SPDX-License-Identifier: GPL-2.0-only
"""KILL QUERY, KILL CONNECTION, kill -9 of the server in the middle of each kind of long statement:
it ends, the table is as before, and nothing is left. How long the end, or the start after it, took
is printed; docs/ddl.md has the figures."""

import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pymysql
from pymysql.constants import ER

from tests.kit.tier_result import TierResult
from tools.server import PrivateServer

DATABASE = "killed"
ROWS, LONG_ROWS = 300_000, 3_000_000
LONGEST = 60  # seconds; a statement that goes on after its KILL is a failure
QUERY, CONNECTION, CRASH = "KILL QUERY", "KILL CONNECTION", "kill -9"
ER_CONNECTION_KILLED, CR_SERVER_LOST = 1927, 2013
# what the statement's connection may be told
ENDS = {
    QUERY: (ER.QUERY_INTERRUPTED,),
    CONNECTION: (ER.QUERY_INTERRUPTED, ER_CONNECTION_KILLED, CR_SERVER_LOST),
    CRASH: (CR_SERVER_LOST,),
}
COLUMNS = "id INT PRIMARY KEY, a INT NOT NULL, b BIGINT NOT NULL, c VARCHAR(60) NOT NULL, KEY a (a)"
FILL = "SELECT seq, seq % 1000, seq * 7, CONCAT(MD5(seq), REPEAT('x', seq % 28)) FROM seq_1_to_{}"
# what is in the dictionary: the tables of this module, with their indexes
DICTIONARY = (
    "SELECT table_name, index_name FROM information_schema.ROCKSDB_DDL"
    f" WHERE table_schema = '{DATABASE}' ORDER BY 1, 2"
)
DROPPED = (
    "SELECT COUNT(*) FROM information_schema.ROCKSDB_GLOBAL_INFO"
    " WHERE type = 'DDL_DROP_INDEX_ONGOING'"
)


@dataclass
class Case:
    """`at`: what ROCKSDB_PROGRESS has to say of the statement when the KILL comes. `before`: run
    by the same connection. `after`: by another one, when that has ended."""

    statement: str
    at: str = "done > 0"
    before: str = ""
    after: str = ""

    def __str__(self) -> str:
        return f"{self.statement[:60]}, {self.at}"


def cases(rows: int, file: str) -> list[Case]:
    some = f"rows_written > {rows // 10}"
    return [
        Case("ALTER TABLE t ADD INDEX c (c)"),
        Case("ALTER TABLE t ADD INDEX c (c)", "stage = 2"),
        Case("ALTER TABLE t ADD UNIQUE b (b), ADD INDEX c (c)", "done > expected / 2"),
        Case("ALTER TABLE t FORCE, ALGORITHM=COPY"),
        Case("ALTER TABLE t FORCE, ALGORITHM=INPLACE"),
        Case("ALTER TABLE t DROP PRIMARY KEY, ADD PRIMARY KEY (b)", "stage = 2"),
        Case("ALTER TABLE t MODIFY c TEXT CHARACTER SET utf16"),
        Case("ALTER TABLE t ADD CHECK (LENGTH(SHA2(REPEAT(c, 100), 512)) > 0), ALGORITHM=NOCOPY"),
        Case("ALTER TABLE t MODIFY a BIGINT NULL, ALGORITHM=NOCOPY"),
        Case("ALTER TABLE child ADD FOREIGN KEY (a) REFERENCES parent (id)"),
        Case(f"INSERT INTO empty {FILL.format(rows)}", some),
        Case("INSERT INTO t SELECT id + 10000000, a, b, c FROM t", some),
        Case("REPLACE INTO t SELECT id, a + 1, b, c FROM t", some),
        Case(f"CREATE TABLE made AS {FILL.format(rows)}", some),
        Case("UPDATE t SET a = a + 1, b = b + 1", some),
        Case("DELETE FROM t", some),
        Case("DELETE t FROM t JOIN child ON t.id = child.id", "rows_read > 1000"),
        Case(f"LOAD DATA INFILE '{file}' INTO TABLE empty", some),
        Case("SELECT COUNT(DISTINCT c), SUM(LENGTH(REPEAT(c, 500))) FROM t", "rows_read > 1000"),
        Case("CHECK TABLE t EXTENDED"),
        Case("CHECK TABLE t EXTENDED", "stage = 2"),
        Case("REPAIR TABLE t"),
        Case("OPTIMIZE TABLE t", "seconds > 0.05"),
        Case("ANALYZE TABLE t PERSISTENT FOR ALL", "rows_read > 1000"),
        Case("SET GLOBAL rocksdb_compact_cf = 'default'", "seconds > 0.05"),
        # rows of such a load stay when its statement fails, as in MyRocks
        Case(
            f"INSERT INTO empty {FILL.format(rows)}",
            some,
            before="SET rocksdb_bulk_load = 1",
            after="TRUNCATE TABLE empty",
        ),
    ]


class Killed:
    """Statements that an ending cuts off. The endings: KILL QUERY, KILL CONNECTION, and CRASH."""

    def __init__(self, server: PrivateServer, result: TierResult, long: bool):
        self.server, self.result = server, result
        self.rows = LONG_ROWS if long else ROWS
        self.file = server.datadir / "rows.txt"
        self.link = server.connect()
        self.longest = 0.0
        self.make_tables()

    def run(self, ending: str, of: Iterable[Case]) -> None:
        self.longest = 0.0
        for case in of:
            problem = "; ".join(self.play(case, ending))
            self.result.passed += not problem
            self.result.failed += bool(problem)
            if problem:
                self.result.failures.append(f"{ending}: {case}: {problem}")
                print(f"   FAILED: {ending}: {case}: {problem}")
        what = "start after a kill -9" if ending == CRASH else f"end after a {ending}"
        print(f"   killed: the longest {what} took {self.longest:.2f} s")

    def cases(self) -> list[Case]:
        return cases(self.rows, str(self.file))

    def make_tables(self) -> None:
        self.execute(f"CREATE DATABASE {DATABASE}")
        self.execute(f"USE {DATABASE}")
        self.execute(f"CREATE TABLE t ({COLUMNS})")
        self.execute(f"INSERT INTO t {FILL.format(self.rows)}")
        self.execute(f"SELECT * INTO OUTFILE '{self.file}' FROM t")
        self.execute("CREATE TABLE empty LIKE t")
        self.execute("CREATE TABLE parent (id INT PRIMARY KEY)")
        self.execute("INSERT INTO parent SELECT seq FROM seq_0_to_999")
        self.execute("CREATE TABLE child LIKE t")
        self.execute("INSERT INTO child SELECT * FROM t")
        self.before = self.state()

    def play(self, case: Case, ending: str) -> Iterator[str]:
        """What is wrong."""
        worker = self.server.connect(DATABASE)
        with worker.cursor() as cursor:
            if case.before:
                cursor.execute(case.before)
            number = worker.thread_id()
            killer = threading.Thread(target=self.kill, args=(number, case.at, ending))
            self.killed_at = 0.0
            killer.start()
            ended = run(cursor, case.statement)
            seconds = time.monotonic() - self.killed_at
            killer.join()
        if self.killed_at == 0 or ended not in ENDS[ending]:
            yield f"ended with {ended or 'success'}, and not by the {ending}"
        yield from self.go_on(worker, number, ending)
        if ending == CRASH:
            begun = time.monotonic()
            self.server.start()
            self.link = self.server.connect(DATABASE)
            seconds = time.monotonic() - begun
        elif ending == CONNECTION:  # is told at once; the statement ends when its connection does
            seconds = time.monotonic() - self.killed_at
        if self.killed_at != 0:
            self.longest = max(self.longest, seconds)
            print(f"   {seconds:6.3f} s: {case}")
        if case.after:
            self.execute(case.after)
        if self.state() != self.before:
            yield f"{self.state()} instead of {self.before}"
        yield from self.left()

    def go_on(self, worker, number: int, ending: str) -> Iterator[str]:
        """A connection goes on after KILL QUERY, and is gone soon after a KILL of its own."""
        if ending == QUERY:
            with worker.cursor() as cursor:
                cursor.execute("SELECT 1")
            worker.close()
        if ending != CONNECTION:
            return
        question = f"SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE id = {number}"
        deadline = time.monotonic() + LONGEST
        while self.ask(question) != ((0,),):
            if time.monotonic() > deadline:
                yield "the connection is still there"
                return
            time.sleep(0.01)

    def kill(self, number: int, at: str, ending: str) -> None:
        question = f"SELECT 1 FROM information_schema.ROCKSDB_PROGRESS WHERE thread_id = {number}"
        with self.server.connect() as link, link.cursor() as cursor:
            deadline = time.monotonic() + LONGEST
            while not cursor.execute(f"{question} AND ({at})"):
                if time.monotonic() > deadline:
                    return
                time.sleep(0.002)
            self.killed_at = time.monotonic()
            if ending != CRASH:
                cursor.execute(f"{ending} {number}")
        if ending == CRASH:
            self.server.kill()

    def left(self) -> Iterator[str]:
        """Files of loads, and indexes whose space does not come back."""
        files = [file.name for file in self.server.datadir.rglob("*.ingest")]
        if files:
            yield f"files are left: {files}"
        deadline = time.monotonic() + LONGEST
        while self.ask(DROPPED) != ((0,),):
            if time.monotonic() > deadline:
                yield "a dropped index is not reclaimed"
                return
            time.sleep(0.05)

    def state(self) -> tuple:
        sums = "SELECT COUNT(*), SUM(a), SUM(b), BIT_XOR(CRC32(c)) FROM"
        tables = tuple(self.ask(f"{sums} {name}") for name in ("t", "empty", "child"))
        checked = self.ask("CHECK TABLE t, empty, child")
        return tables, checked, self.ask(DICTIONARY), self.ask("SHOW CREATE TABLE t")

    def execute(self, statement: str) -> None:
        with self.link.cursor() as cursor:
            cursor.execute(statement)

    def ask(self, statement: str) -> tuple:
        with self.link.cursor() as cursor:
            cursor.execute(statement)
            return cursor.fetchall()


def run(cursor, statement: str) -> int:
    """The number of its error, 0 for none. CHECK and ANALYZE tell a KILL in their last row."""
    try:
        cursor.execute(statement)
    except pymysql.Error as error:
        return error.args[0]
    last = str(cursor.fetchall()[-1:])
    ended = "interrupted" in last or "Operation failed" in last
    return ER.QUERY_INTERRUPTED if ended else 0
