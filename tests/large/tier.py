# SPDX-License-Identifier: GPL-2.0-only
"""Statements of three million rows with default settings: they succeed, and memory stays bounded;
rolled back, ended by KILL or by kill -9 they leave nothing.

Runs alone (`./dev test large`) and in `./dev test full`. For each statement it prints rows, seconds
and the server's peak memory during it; after each the contents are checked by sums.
"""

import shutil
import threading
import time
from pathlib import Path

import pymysql
from pymysql.constants import CR, ER

from tests.kit.tier_result import TierResult
from tools import paths
from tools.server import PrivateServer

HELP = "statements of 3 million rows: done, undone, cut off, in bounded memory"

ROWS = 3_000_000
# How much the server's resident memory may exceed what it has before the first statement. The
# defaults explain: 512 MiB for blocks and memtables, spill threshold 32 MiB, row locks up to the
# escalation threshold, InnoDB's buffer pool; the rest is the allocator's.
MEMORY_BOUND_MIB = 1024

# what a statement that was cut off ends with: query interrupted; server gone
CUT_OFF = (ER.QUERY_INTERRUPTED, CR.CR_SERVER_GONE_ERROR, CR.CR_SERVER_LOST)

COLUMNS = "id INT PRIMARY KEY, a INT NOT NULL, b BIGINT NOT NULL, c VARCHAR(60) NOT NULL, KEY a (a)"
FILL = (
    "SELECT seq AS id, seq % 100000 AS a, seq * 7 AS b,"
    " CONCAT('row number ', seq, REPEAT('x', seq % 30)) AS c"
)


def add_arguments(group) -> None:
    group.add_argument("--rows", type=int, default=ROWS, help=f"default {ROWS}")


def run(args) -> TierResult:
    result = TierResult("large", 0, 0, repeat_command="./dev test large")
    if args.tier is None:
        print("   not in the short run (minutes); ./dev test large, or ./dev test full")
        result.skipped = 1
        return result
    folder = paths.scratch() / "large"
    shutil.rmtree(folder, ignore_errors=True)
    engine = getattr(args, "engine", "rocksdb")
    server = PrivateServer(folder, engine)
    try:
        with server:
            run_statements(server, args.rows, result)
    finally:
        server.kill()
        shutil.rmtree(folder, ignore_errors=True)
    return result


def statements(rows: int) -> list[tuple[str, str, tuple]]:
    """Statement, query that checks it, its right answer."""
    ids = rows * (rows + 1) // 2
    even = rows // 2
    even_ids = even * (even + 1)
    return [
        (
            f"CREATE TABLE source ENGINE=InnoDB {FILL} FROM seq_1_to_{rows}",
            "SELECT COUNT(*), SUM(id), SUM(b) FROM source",
            (rows, ids, 7 * ids),
        ),
        (
            "INSERT INTO t SELECT id, a, b, c FROM source",
            "SELECT COUNT(*), SUM(id), SUM(b) FROM t",
            (rows, ids, 7 * ids),
        ),
        (
            "UPDATE t SET b = b + 1",
            "SELECT COUNT(*), SUM(id), SUM(b) FROM t",
            (rows, ids, 7 * ids + rows),
        ),
        (
            "UPDATE t SET a = a + 1",
            "SELECT COUNT(*), SUM(a >= 1), COUNT(DISTINCT a) FROM t FORCE INDEX (a)",
            (rows, rows, min(rows, 100000)),
        ),
        (
            "DELETE FROM t WHERE id % 2 = 1",
            "SELECT COUNT(*), SUM(id), SUM(b) FROM t",
            (even, even_ids, 7 * even_ids + even),
        ),
        ("DELETE FROM t", "SELECT COUNT(*) FROM t", (0,)),
        *undone(rows),
        (
            "ALTER TABLE source ADD PRIMARY KEY (id), ADD KEY a (a), ENGINE=@default@",
            "SELECT COUNT(*), SUM(id), SUM(b) FROM source",
            (rows, ids, 7 * ids),
        ),
        (
            "ALTER TABLE source ADD COLUMN d INT NOT NULL DEFAULT 5",
            "SELECT COUNT(*), SUM(id), SUM(d) FROM source FORCE INDEX (PRIMARY)",
            (rows, ids, 5 * rows),
        ),
    ]


def undone(rows: int) -> list[tuple[str, str, tuple]]:
    """Like statements(). Fills the empty table t, and leaves it so, whatever is begun then. "KILL"
    and "KILL -9" before a statement: that is done in its middle."""
    ids = rows * (rows + 1) // 2
    sums = "SELECT COUNT(*), SUM(id), SUM(b), SUM(a) FROM t"
    full = (rows, ids, 7 * ids, sum(n % 100000 for n in range(1, rows + 1)))
    update, delete = "UPDATE t SET a = a + 1, b = 0", "DELETE FROM t"
    return [
        ("INSERT INTO t SELECT id, a, b, c FROM source", sums, full),
        ("BEGIN", sums, full),
        (update, "SELECT SUM(b = 0) FROM t", (rows,)),
        ("ROLLBACK", sums, full),
        (f"KILL: {update}", sums, full),
        (f"KILL: {delete}", sums, full),
        (f"KILL -9: {update}", sums, full),
        (f"KILL -9: {delete}", sums, full),
        ("CHECK TABLE t EXTENDED", sums, full),
    ]


class Client:
    """The connection that the statements go through; made anew after the server was killed."""

    def __init__(self, server: PrivateServer):
        self.server = server
        self.cursor = server.connect().cursor()

    def run(self, statement: str) -> str:
        """What went wrong, or nothing."""
        how, _, cut = statement.rpartition(": ")
        if how:
            return self.cut_off(cut, self.server.kill if how == "KILL -9" else None)
        try:
            self.cursor.execute(statement)
        except pymysql.Error as error:
            return str(error)
        last = self.cursor.fetchall()[-1:]
        return str(last) if statement.startswith("CHECK") and last[0][-1] != "OK" else ""

    def cut_off(self, statement: str, kill_server) -> str:
        """Begins the statement and cuts it off when it has made as many writes as it has rows."""
        self.cursor.execute("SELECT COUNT(*), CONNECTION_ID() FROM t")
        rows, number = self.cursor.fetchone()
        knife = threading.Thread(target=self.cut_in_the_middle, args=(number, rows, kill_server))
        knife.start()
        ended = 0
        try:
            self.cursor.execute(statement)
        except pymysql.Error as error:
            ended = error.args[0]
        knife.join()
        if kill_server:
            self.server.start()
            self.cursor = self.server.connect("large").cursor()
        return "" if ended in CUT_OFF else f"it was not cut off: {ended}"

    def cut_in_the_middle(self, number: int, rows: int, kill_server) -> None:
        view = "rocksdb_trx WHERE thread_id"
        column = "write_count"
        if self.server.engine == "innodb":
            view, column = "innodb_trx WHERE trx_mysql_thread_id", "trx_rows_modified * 2"
        with self.server.connect() as link, link.cursor() as cursor:
            query = f"SELECT COALESCE(MAX({column}), 0) FROM information_schema.{view} = {number}"
            deadline = time.monotonic() + 600
            while time.monotonic() < deadline:
                cursor.execute(query)
                if cursor.fetchone()[0] >= rows:
                    break
                time.sleep(0.05)
            if kill_server:
                kill_server()
            else:
                cursor.execute(f"KILL QUERY {number}")


def run_statements(server: PrivateServer, rows: int, result: TierResult) -> None:
    engine = "InnoDB" if server.engine == "innodb" else "ROCKSDB"
    client = Client(server)
    client.cursor.execute("CREATE DATABASE large")
    client.cursor.execute("USE large")
    client.cursor.execute(f"CREATE TABLE t ({COLUMNS})")
    before = resident(server.pid)
    print(f"   {rows} rows; resident memory before: {before} MiB, bound: +{MEMORY_BOUND_MIB}")
    for statement, query, answer in statements(rows):
        statement = statement.replace("@default@", engine)
        run_one(client, statement, query, answer, before, result)


def run_one(client: Client, statement, query, answer, before: int, result: TierResult) -> None:
    server = client.server
    reset_peak(server.pid)
    started = time.monotonic()
    problem = client.run(statement)
    seconds = time.monotonic() - started
    peak = resident(server.pid, "VmHWM") if server.running() else 0
    if not problem:
        client.cursor.execute(query)
        found = tuple(int(v) for v in client.cursor.fetchone())
        if found != answer:
            problem = f"{query}: {found} instead of {answer}"
        elif peak - before > MEMORY_BOUND_MIB:
            problem = f"{peak - before} MiB more memory than before"
    title = statement if len(statement) < 60 else statement[:57] + "..."
    print(f"   {title:<60} {seconds:7.1f} s, peak {peak:5} MiB {problem and 'FAILED: ' + problem}")
    if problem:
        result.failed += 1
        result.failures.append(f"{title}: {problem}")
    else:
        result.passed += 1


def resident(pid: int, field: str = "VmRSS") -> int:
    """MiB by /proc/PID/status (proc(5)): VmRSS now, VmHWM the peak, which psutil does not tell."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) // 1024
    return 0


def reset_peak(pid: int) -> None:
    """Makes VmHWM start anew (proc(5), clear_refs); where that is not allowed it only grows."""
    try:
        Path(f"/proc/{pid}/clear_refs").write_text("5")
    except OSError:
        pass
