# SPDX-License-Identifier: GPL-2.0-only
"""Asks a server for snapshots. What is dear is asked for more seldom: sizes of tables, statements
that have ended, and locks (held_locks.py)."""

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import replace

from programs.top import waits
from programs.top.held_locks import REST_FACTOR, HeldLocks
from programs.top.snapshot import (
    Compaction,
    Deadlock,
    Digest,
    EndedCompaction,
    Level,
    Memtables,
    Server,
    Snapshot,
    Statement,
    Table,
    Transaction,
)

MOST_TABLES = 20
MOST_TEXT = 300
NO_PRIVILEGE = 1227
NO_TABLE_PRIVILEGE = 1142

# the server's own counters that are shown besides
COUNTERS = (
    "Com_commit",
    "Com_rollback",
    "Questions",
    "Slow_queries",
    "Threads_connected",
    "Threads_running",
    "Uptime",
)

PLUGIN = (
    "SELECT plugin_author, plugin_auth_version FROM information_schema.PLUGINS"
    " WHERE plugin_name = 'ROCKSDB' AND plugin_status = 'ACTIVE'"
)
SERVER = "SELECT VERSION(), @@hostname, @@rocksdb_block_cache_size, @@performance_schema"
# refused without PROCESS, where the engine's tables are just empty
PRIVILEGE = "SELECT 1 FROM information_schema.INNODB_TRX LIMIT 1"
# no row in the slow log, and an end, whatever happens
SESSION = "SET SESSION slow_query_log = OFF, max_statement_time = 20"
ANSWER_SECONDS = 30  # longer than that

STATUS = (
    "SHOW GLOBAL STATUS WHERE variable_name LIKE 'rocksdb\\_%' OR variable_name IN "
    f"({', '.join(repr(name) for name in COUNTERS)})"
)
STORE = "SELECT stat_type, value FROM information_schema.ROCKSDB_DBSTATS"
LEVELS = """
SELECT cf_name, level, type, value FROM information_schema.ROCKSDB_COMPACTION_STATS
WHERE type IN ('NumFiles', 'SizeBytes', 'Score') AND level LIKE 'L%'"""
MEMTABLES = """
SELECT cf_name, stat_type, value FROM information_schema.ROCKSDB_CFSTATS
WHERE stat_type IN ('CUR_SIZE_ALL_MEM_TABLES', 'NUM_IMMUTABLE_MEM_TABLE')"""
COMPACTIONS = """
SELECT job_id, cf_name, input_level, output_level, compaction_reason, input_files, start_timestamp
FROM information_schema.ROCKSDB_ACTIVE_COMPACTIONS"""
ENDED = """
SELECT job_id, cf_name, input_level, output_level, compaction_reason, input_bytes, output_bytes,
       end_timestamp, elapsed_micros, status
FROM information_schema.ROCKSDB_COMPACTION_HISTORY ORDER BY end_timestamp DESC, job_id DESC LIMIT 5
"""
TRANSACTIONS = """
SELECT transaction_id, state, name, write_count, lock_count, waiting_key, waiting_column_family_id,
       thread_id
FROM information_schema.ROCKSDB_TRX"""
# whatever works, and the connections of transactions
CONNECTIONS = f"""
SELECT id, user, db, command, time_ms, state, LEFT(info, {MOST_TEXT}), examined_rows, memory_used,
       progress, stage, max_stage
FROM information_schema.PROCESSLIST
WHERE id <> CONNECTION_ID() AND (command NOT IN ('Sleep', 'Daemon', 'Binlog Dump') OR id IN (%s))"""
DEADLOCKS = """
SELECT deadlock_id, timestamp, transaction_id, table_name, index_name, waiting_key, lock_type,
       rolled_back
FROM information_schema.ROCKSDB_DEADLOCK ORDER BY deadlock_id DESC, rolled_back"""
# those of this program aside
DIGESTS = f"""
SELECT COALESCE(schema_name, ''), LEFT(digest_text, {MOST_TEXT}), count_star, sum_timer_wait / 1e12,
       max_timer_wait / 1e12, sum_rows_examined, sum_rows_sent
FROM performance_schema.events_statements_summary_by_digest
WHERE digest_text IS NOT NULL AND digest_text NOT LIKE '%`information_schema`%'
ORDER BY sum_timer_wait DESC LIMIT {MOST_TABLES}"""
DIGESTS_PRIVILEGE = "SELECT 1 FROM performance_schema.events_statements_summary_by_digest LIMIT 1"
# Each index of a table has one entry of each row, so the one with the fewest tells the rows.
TABLES = f"""
SELECT table_schema, table_name, SUM(files), SUM(IF(first_index, live, 0)), SUM(data_bytes),
       SUM(disk_bytes), SUM(memtable_bytes),
       SUM(IF(file_entries > 0, disk_bytes * GREATEST(0, 1 - live / file_entries), 0))
FROM (
  SELECT table_schema, table_name, files, file_entries, data_bytes, disk_bytes, memtable_bytes,
         GREATEST(0, MIN(file_entries - file_deletions) OVER indexes) AS live,
         ROW_NUMBER() OVER (indexes ORDER BY index_number) = 1 AS first_index
  FROM information_schema.ROCKSDB_INDEX_SIZES
  WINDOW indexes AS (PARTITION BY table_schema, table_name, partition_name)) AS sizes
GROUP BY table_schema, table_name ORDER BY SUM(disk_bytes + memtable_bytes) DESC LIMIT {MOST_TABLES}
"""


class NoEngine(Exception):
    """The server has no engine ROCKSDB, or not this one; the text is one sentence."""


class Collector:
    """On one connection of PyMySQL, whose errors it passes on. `hash_of`: see waits.py.
    `tables_every`: seconds between two looks at the sizes of tables."""

    def __init__(
        self,
        connection,
        hash_of: Callable[[bytes], str],
        tables_every: float = 60.0,
        clock: Callable[[], float] = time.monotonic,
    ):
        self.connection = connection
        self.tables_every = tables_every
        self.clock = clock
        self.cost: dict[str, float] = {}
        self.held = HeldLocks(self.ask, lambda name: self.cost[name], hash_of)
        self.tables: list[Table] = []
        self.digests: list[Digest] = []
        self.tables_due = -math.inf
        self.tables_time = 0
        self.server = self.look_at_server()

    def take(self) -> Snapshot:
        """NoEngine when the plugin has gone meanwhile."""
        self.cost = {}
        at = self.clock()
        rows = self.ask("status", STATUS)
        counters = {name.lower(): int(value) for name, value in rows if value.isdigit()}
        if "rocksdb_writing_allowed" not in counters:
            raise NoEngine("the engine ROCKSDB of this server does not work; see its error log")
        store = {name: int(value) for name, value in self.ask("store", STORE)}
        seen, steady, note = self.transactions(at)
        connections = self.connections(seen)
        seen = [connected(t, connections.get(t.thread)) for t in seen]
        now = self.ask("time", "SELECT UNIX_TIMESTAMP()")[0][0]
        self.refresh_tables(at, now)
        oldest = store["DB_OLDEST_SNAPSHOT_TIME"]
        return Snapshot(
            server=self.server,
            at=at,
            time=now,
            counters=counters,
            levels=levels(self.ask("levels", LEVELS)),
            memtables=memtables(self.ask("memtables", MEMTABLES)),
            compactions=[compaction(row) for row in self.ask("compactions", COMPACTIONS)],
            ended=[ended(row) for row in self.ask("ended", ENDED)],
            transactions=seen,
            waits=self.held.who_waits(seen, [t for t in seen if t.id in steady]),
            waits_note=note,
            statements=statements(connections, seen),
            deadlocks=[deadlock(row) for row in self.ask("deadlocks", DEADLOCKS)],
            digests=self.digests,
            tables=self.tables,
            tables_time=self.tables_time,
            snapshots=store["DB_NUM_SNAPSHOTS"],
            oldest_snapshot_seconds=max(0, now - oldest) if oldest else None,
            background_errors=store["DB_BACKGROUND_ERRORS"],
            background_write_limit=store.get("DB_BACKGROUND_WRITE_LIMIT", 0),
            cost=self.cost,
        )

    def ask(self, name: str, statement: str) -> list[tuple]:
        started = time.perf_counter()
        with self.connection.cursor() as cursor:
            cursor.execute(statement)
            rows = list(cursor.fetchall())
        taken = 1000 * (time.perf_counter() - started)
        self.cost[name] = round(self.cost.get(name, 0) + taken, 3)
        return rows

    def look_at_server(self) -> Server:
        self.ask("session", SESSION)
        plugin = self.ask("plugin", PLUGIN)
        if not plugin:
            raise NoEngine("this server has no engine ROCKSDB: its plugin is not loaded")
        author, version = plugin[0]
        if author != "Basalt":
            raise NoEngine(f"the engine ROCKSDB of this server is that of {author}, not Basalt")
        server, host, cache, keeps = self.ask("server", SERVER)[0]
        sees_all = self.may(PRIVILEGE)
        keeps_statements = bool(keeps) and self.may(DIGESTS_PRIVILEGE)
        return Server(server, host, version, int(cache), sees_all, keeps_statements)

    def may(self, question: str) -> bool:
        try:
            self.ask("privilege", question)
        except self.connection.Error as error:
            if error.args[0] in (NO_PRIVILEGE, NO_TABLE_PRIVILEGE):
                return False
            raise
        return True

    def transactions(self, at: float) -> tuple[list[Transaction], set[int], str]:
        """(all, those that have waited for one lock while locks were listed, what is to be said of
        the list). A wait that is over, or has just begun, has nothing in the list."""
        first = [transaction(row) for row in self.ask("transactions", TRANSACTIONS)]
        if not waits.waiting(first):
            return first, set(), ""
        note = self.held.refresh(first, at)
        before = {(t.id, t.waiting_key) for t in first}
        second = [transaction(row) for row in self.ask("transactions", TRANSACTIONS)]
        waiting = waits.waiting(second)
        return second, {t.id for t in waiting if (t.id, t.waiting_key) in before}, note

    def connections(self, transactions: list[Transaction]) -> dict[int, tuple]:
        """Rows of the process list by thread."""
        threads = numbers(t.thread for t in transactions)
        return {row[0]: row for row in self.ask("connections", CONNECTIONS % threads)}

    def refresh_tables(self, at: float, now: int) -> None:
        if at < self.tables_due:
            return
        rows = self.ask("tables", TABLES)
        self.tables = [Table(r[0], r[1], *(int(value) for value in r[2:])) for r in rows]
        if self.server.keeps_statements:
            self.digests = [digest(row) for row in self.ask("digests", DIGESTS)]
        rest = REST_FACTOR * (self.cost["tables"] + self.cost.get("digests", 0)) / 1000
        self.tables_due, self.tables_time = at + max(self.tables_every, rest), now


def numbers(values: Iterable[int]) -> str:
    """A list for IN, which must not be empty."""
    return ", ".join(str(int(value)) for value in {-1, *values})


def levels(rows: list[tuple]) -> list[Level]:
    """Levels with files, and level 0 of each family."""
    found: dict[tuple[str, int], dict[str, float]] = {}
    for family, level, kind, value in rows:
        found.setdefault((family, int(level[1:])), {})[kind] = value
    return [
        Level(family, number, int(of["NumFiles"]), int(of["SizeBytes"]), round(of["Score"], 2))
        for (family, number), of in sorted(found.items(), key=lambda item: order(*item[0]))
        if of["NumFiles"] or number == 0
    ]


def order(family: str, number: int) -> tuple:
    """The default family first, the engine's own last."""
    return family == "__system__", family != "default", family, number


def memtables(rows: list[tuple]) -> list[Memtables]:
    found: dict[str, dict[str, int]] = {}
    for family, kind, value in rows:
        found.setdefault(family, {})[kind] = int(value)
    return [
        Memtables(family, of["CUR_SIZE_ALL_MEM_TABLES"], of["NUM_IMMUTABLE_MEM_TABLE"])
        for family, of in sorted(found.items(), key=lambda item: order(item[0], 0))
    ]


def compaction(row: tuple) -> Compaction:
    job, family, above, below, reason, files, started = row
    return Compaction(job, family, above, below, reason, len(files.split(",")), started)


def ended(row: tuple) -> EndedCompaction:
    *before, micros, status = row
    return EndedCompaction(*before, micros / 1e6, status)


def deadlock(row: tuple) -> Deadlock:
    *before, rolled_back = row
    return Deadlock(*before, bool(rolled_back))


def digest(row: tuple) -> Digest:
    schema, text, count, seconds, longest, examined, sent = row
    times = float(seconds), float(longest)
    return Digest(schema, one_line(text), count, *times, examined, sent)


def transaction(row: tuple) -> Transaction:
    """Without what only the process list knows."""
    number, state, name, writes, locks, waiting_key, family, thread = row
    doing = f"XA {name}" if name else ""
    return Transaction(number, state, thread, "", None, writes, locks, waiting_key, family, doing)


def connected(its: Transaction, connection: tuple | None) -> Transaction:
    """With what its row of the process list says."""
    if connection is None:
        return its
    seconds = float(connection[4]) / 1000
    return replace(its, user=connection[1], seconds=seconds, doing=doing_of(connection))


def doing_of(connection: tuple) -> str:
    command, text = connection[3], connection[6]
    return one_line(text) if text else ("idle" if command == "Sleep" else command)


def statements(connections: dict[int, tuple], seen: list[Transaction]) -> list[Statement]:
    """What runs, the longest first."""
    by_thread = {t.thread: t for t in seen}
    found = []
    for row in connections.values():
        thread, user, database, command, milliseconds, state, text, rows, memory, *progress = row
        if command == "Sleep" or not text:
            continue
        its = by_thread.get(thread)
        found.append(
            Statement(
                thread=thread,
                user=user,
                database=database or "",
                seconds=float(milliseconds) / 1000,
                state=state or "",
                rows_examined=rows,
                memory_bytes=memory,
                progress_percent=progress_of(*progress),
                writes=its.writes if its else 0,
                locks=its.locks if its else 0,
                text=one_line(text),
            )
        )
    return sorted(found, key=lambda s: -s.seconds)


def progress_of(progress, stage: int, stages: int) -> float:
    """Of all stages, as the client program shows it."""
    if not stages:
        return 0.0
    return round((100 * (stage - 1) + float(progress)) / stages, 1) if stage else 0.0


def one_line(text: str) -> str:
    return " ".join(text.split())
