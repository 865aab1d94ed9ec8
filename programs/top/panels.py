# SPDX-License-Identifier: GPL-2.0-only
"""Each part of the picture, as something that rich prints. Plain letters only: no lines of boxes,
so that a copy of the picture is as good as the picture."""

from collections.abc import Iterable

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from programs.top import rates as measures
from programs.top.rates import Rates
from programs.top.snapshot import Compaction, EndedCompaction, Snapshot, Transaction, Wait
from programs.top.units import NONE, count, duration, milliseconds, percent, size

NUMBER = "number"
WORD = "word"
# a word of any length
NAME = "name"
# takes what is left of the line
REST = "rest"
BAR_WIDTH = 20
NAME_WIDTH = 14
LEAST_REST = 16
STALLS = (
    ("files in level 0", "l0_file_count_limit"),
    ("of these, while compacted", "locked_l0_file_count_limit"),
    ("bytes to compact", "pending_compaction_limit"),
    ("full memtables", "memtable_limit"),
)


def section(title: str, body: RenderableType, note: str = "") -> Group:
    head = Text(title, style="bold", no_wrap=True, overflow="ellipsis")
    if note:
        head.append(f"  {note}", style="not bold dim")
    return Group(Text(""), head, body)


def grid(columns: Iterable[tuple[str, str]], rows: list[tuple], nothing: str) -> RenderableType:
    """A table without lines; `nothing` is said where it has no row."""
    if not rows:
        return Text(f"  {nothing}", style="dim")
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    for name, kind in columns:
        table.add_column(
            name,
            justify="right" if kind == NUMBER else "left",
            no_wrap=True,
            overflow="ellipsis",
            ratio=1 if kind == REST else None,
            min_width=LEAST_REST if kind == REST else None,
            max_width=NAME_WIDTH if kind == NAME else None,
        )
    table.expand = any(kind == REST for _, kind in columns)
    for row in rows:
        table.add_row(*map(cell, row))
    return table


def cell(value) -> Text:
    """What comes from others, such as statements, must not command the terminal."""
    if isinstance(value, Text):
        return value
    return Text("".join(c if c.isprintable() else "?" for c in str(value)))


def header(snapshot: Snapshot, rates: Rates, where: str) -> Group:
    server = snapshot.server
    up = duration(snapshot.counters.get("uptime", 0))
    first = f"{server.host}  MariaDB {server.version}  Basalt {server.plugin_version}  up {up}"
    span = "since the start" if rates.since_start else f"over {duration(round(rates.seconds, 1))}"
    cost = sum(snapshot.cost.values())
    second = f"{where}; rates {span}; this look took {cost:.1f} ms"
    lines = [Text(first, style="bold"), Text(second, style="dim")]
    for line in lines:
        line.no_wrap, line.overflow = True, "ellipsis"
    return Group(*lines)


def warnings(sentences: list[str], snapshot: Snapshot) -> Group:
    shown = [Text(f"! {sentence}", style="bold red") for sentence in sentences]
    if not snapshot.server.sees_all:
        sentence = "Without the privilege PROCESS the server hides transactions, locks and sizes."
        shown.append(Text(f"? {sentence}", style="yellow"))
    return Group(*shown)


def work(snapshot: Snapshot, rates: Rates) -> Group:
    """What clients do, a second."""
    of = rates.of
    names = ("questions", "commits", "slow", "look-ups", "ranges", "read", "inserted", "updated")
    values = (
        of("questions"),
        of("com_commit"),
        of("slow_queries"),
        of("rocksdb_queries_point"),
        of("rocksdb_queries_range"),
        of("rocksdb_rows_read"),
        of("rocksdb_rows_inserted"),
        of("rocksdb_rows_updated"),
        of("rocksdb_rows_deleted"),
    )
    columns = [(name, NUMBER) for name in (*names, "deleted")]
    running = snapshot.counters.get("threads_running", 0)
    note = f"{snapshot.counters.get('threads_connected', 0)} connections, {running} working"
    return section("Work a second", grid(columns, [tuple(map(count, values))], ""), note)


def cache(snapshot: Snapshot, rates: Rates) -> Group:
    """The block cache and the memtables, which take their memory from it."""
    counters = snapshot.counters
    used, room = counters.get("rocksdb_block_cache_usage", 0), snapshot.server.cache_bytes
    row = (
        size(room),
        percent(used / room if room else None),
        percent(measures.cache_hits(rates)),
        count(rates.of("rocksdb_block_cache_data_miss")),
        percent(measures.filter_use(rates)),
        size(counters.get("rocksdb_memtable_total", 0)),
        size(counters.get("rocksdb_memtable_unflushed", 0)),
        sum(m.full for m in snapshot.memtables),
    )
    names = ("cache", "used", "hits", "misses/s", "filters", "memtables", "unflushed", "full")
    return section("Cache and memtables", grid([(name, NUMBER) for name in names], [row], ""))


def disk(snapshot: Snapshot, rates: Rates) -> Group:
    """Bytes and syncs a second, and what writes cost."""
    again = measures.written_again(rates)
    limit = snapshot.background_write_limit
    row = (
        size(rates.of("rocksdb_wal_bytes")),
        count(rates.of("rocksdb_wal_synced")),
        size(rates.of("rocksdb_flush_write_bytes")),
        size(rates.of("rocksdb_compact_read_bytes")),
        size(rates.of("rocksdb_compact_write_bytes")),
        NONE if again is None else f"{again:.1f}",
        size(limit) if limit else "none",
    )
    names = ("log", "syncs", "flushed", "compacted from", "to", "times the log", "limit")
    return section("Disk, bytes a second", grid([(name, NUMBER) for name in names], [row], ""))


def stalls(snapshot: Snapshot, rates: Rates) -> Group:
    """Writes that waited for flushes and compactions."""

    def row(name: str, counter: str) -> tuple:
        words = [f"rocksdb_stall_{counter}_{kind}" for kind in ("slowdowns", "stops")]
        now = [NONE if rates.since_start else rates.grown.get(word, 0) for word in words]
        return name, *now, *(snapshot.counters.get(word, 0) for word in words)

    rows = [row(name, counter) for name, counter in STALLS]
    rows = [r for r in rows if any(r[3:])] + [row("all", "total")]
    columns = [("for", WORD), ("slowed", NUMBER), ("stopped", NUMBER)]
    columns += [("slowed since start", NUMBER), ("stopped since start", NUMBER)]
    note = f"writers wait {percent(measures.stalled(rates))} of a thread's time"
    return section("Stalls", grid(columns, rows, ""), note)


def tree(snapshot: Snapshot) -> Group:
    """Levels with files; the bar is the share of all bytes."""
    total = sum(level.bytes for level in snapshot.levels)
    busy = {(c.family, level) for c in snapshot.compactions for level in range_of(c)}
    rows = []
    for level in snapshot.levels:
        bar = "#" * round(BAR_WIDTH * level.bytes / total) if total else ""
        state = "compacting" if (level.family, level.number) in busy else ""
        score = Text(f"{level.score:.2f}", style="yellow" if level.score >= 1 else "")
        rows.append((level.family, level.number, level.files, size(level.bytes), score, bar, state))
    columns = [("family", WORD), ("level", NUMBER), ("files", NUMBER), ("size", NUMBER)]
    columns += [("score", NUMBER), ("share".ljust(BAR_WIDTH), WORD), ("", WORD)]
    files = sum(level.files for level in snapshot.levels)
    note = f"{files} files, {size(total)}"
    return section("Tree", grid(columns, rows, "no table file yet"), note)


def range_of(compaction: Compaction) -> Iterable[int]:
    """The levels that it reads or writes."""
    return compaction.input_level, compaction.output_level


def compactions(snapshot: Snapshot) -> Group:
    rows = [running(c, snapshot.time) for c in snapshot.compactions]
    rows += [done(c, snapshot.time) for c in snapshot.ended]
    columns = [("job", NUMBER), ("family", WORD), ("levels", WORD), ("for", REST)]
    columns += [("files", NUMBER), ("read", NUMBER), ("written", NUMBER), ("took", NUMBER)]
    columns += [("ended", NUMBER)]
    asked = snapshot.counters.get("rocksdb_manual_compactions_running", 0)
    note = f"{len(snapshot.compactions)} running, {asked} asked for by hand; the last that ended"
    return section("Compactions", grid(columns, rows, "none since the start"), note)


def running(compaction: Compaction, now: int) -> tuple:
    levels = f"{compaction.input_level} > {compaction.output_level}"
    took = duration(max(0, now - compaction.started))
    return (compaction.job, compaction.family, levels, compaction.reason, compaction.files,
            "", "", took, "running")  # fmt: skip


def done(compaction: EndedCompaction, now: int) -> tuple:
    levels = f"{compaction.input_level} > {compaction.output_level}"
    reason = compaction.reason if compaction.status == "OK" else compaction.status
    ago = f"{duration(max(0, now - compaction.ended))} ago"
    return (compaction.job, compaction.family, levels, reason, "", size(compaction.input_bytes),
            size(compaction.output_bytes), duration(round(compaction.seconds, 1)), ago)  # fmt: skip


def lock_waits(snapshot: Snapshot, rates: Rates) -> Group:
    rows = [waiting_row(wait) for wait in snapshot.waits]
    columns = [("waits", NUMBER), ("for", WORD), ("held", WORD), ("time", NUMBER)]
    columns += [("index", WORD), ("key", REST)]
    counters = snapshot.counters
    waits = count(rates.of("rocksdb_row_lock_waits"))
    note = f"{waits} waits/s; since the start {counters.get('rocksdb_row_lock_deadlocks', 0)}"
    note += f" deadlocks, {counters.get('rocksdb_row_lock_wait_timeouts', 0)} timeouts"
    body = grid(columns, rows, "nobody waits")
    if snapshot.waits_note:
        body = Group(body, Text(f"  {snapshot.waits_note}", style="yellow"))
    return section("Who waits for whom", body, note)


def waiting_row(wait: Wait) -> tuple:
    if wait.blocker is None:
        blocker = "?"
    elif wait.blocker_thread is None:  # it has ended since
        blocker = f"transaction {wait.blocker}"
    elif not wait.blocker_thread:
        blocker = "prepared, no connection"
    else:
        blocker = str(wait.blocker_thread) if wait.sure else f"perhaps {wait.blocker_thread}"
    return (wait.thread, blocker, wait.mode, duration(wait.seconds), wait.index, wait.key)


def transactions(snapshot: Snapshot, most: int) -> Group:
    """The oldest snapshot in the title; below it those that wait, hold or write most."""
    chosen = sorted(snapshot.transactions, key=weight)[:most]
    rows = [
        (
            t.thread or NONE,
            t.user or NONE,
            "waits" if t.waiting_key else t.state.lower(),
            duration(t.seconds),
            count(t.writes),
            count(t.locks),
            t.doing,
        )
        for t in chosen
    ]
    columns = [("thread", NUMBER), ("user", NAME), ("state", WORD), ("time", NUMBER)]
    columns += [("writes", NUMBER), ("locks", NUMBER), ("does", REST)]
    note = f"{len(snapshot.transactions)} open, {snapshot.snapshots} snapshots"
    if snapshot.oldest_snapshot_seconds is not None:
        note += f", the oldest taken {duration(snapshot.oldest_snapshot_seconds)} ago"
    return section("Transactions", grid(columns, rows, "none"), note)


def weight(transaction: Transaction) -> tuple:
    t = transaction
    return not t.waiting_key, -(t.writes + t.locks), -(t.seconds or 0), t.id


def statements(snapshot: Snapshot, most: int) -> Group:
    """The slowest of those that run."""
    rows = [
        (
            s.thread,
            s.user,
            s.database or NONE,
            duration(round(s.seconds, 1)),
            count(s.rows_examined),
            count(s.writes),
            count(s.locks),
            f"{s.progress_percent:.0f} %" if s.progress_percent else "",
            f"{s.state}: {s.text}" if s.state else s.text,
        )
        for s in snapshot.statements[:most]
    ]
    columns = [("thread", NUMBER), ("user", NAME), ("database", NAME), ("time", NUMBER)]
    columns += [("rows", NUMBER), ("writes", NUMBER), ("locks", NUMBER)]
    columns += [("done", NUMBER), ("state: statement", REST)]
    note = f"{snapshot.counters.get('slow_queries', 0)} slow ones since the start"
    return section("Statements that run", grid(columns, rows, "none"), note)


def digests(snapshot: Snapshot, most: int) -> Group:
    """What has taken most time since the start, by the performance schema."""
    rows = [
        (
            d.schema or NONE,
            count(d.count),
            duration(round(d.seconds, 1)),
            milliseconds(d.seconds / d.count if d.count else 0),
            milliseconds(d.longest_seconds),
            count(d.rows_examined / d.count if d.count else 0),
            count(d.rows_sent / d.count if d.count else 0),
            d.text,
        )
        for d in snapshot.digests[:most]
    ]
    columns = [("database", NAME), ("times", NUMBER), ("in all", NUMBER), ("mean", NUMBER)]
    columns += [("longest", NUMBER), ("rows", NUMBER), ("sent", NUMBER), ("statement", REST)]
    nothing = "none" if snapshot.server.keeps_statements else "performance_schema is off or hidden"
    age = duration(max(0, snapshot.time - snapshot.tables_time))
    return section("Statements that ended", grid(columns, rows, nothing), f"looked at {age} ago")


def deadlocks(snapshot: Snapshot) -> Group:
    rows = [
        (
            d.number,
            duration(max(0, snapshot.time - d.time)),
            d.transaction,
            "rolled back" if d.rolled_back else "",
            d.mode.lower(),
            f"{d.table}.{d.index}" if d.table else NONE,
            d.key,
        )
        for d in snapshot.deadlocks
    ]
    columns = [("number", NUMBER), ("ago", NUMBER), ("transaction", NUMBER), ("", WORD)]
    columns += [("wanted", WORD), ("index", WORD), ("key", REST)]
    return section("Last deadlocks", grid(columns, rows, "none since the start"))


def tables(snapshot: Snapshot, most: int) -> Group:
    rows = [
        (
            f"{t.schema}.{t.name}",
            t.files,
            count(t.rows),
            size(t.data_bytes),
            size(t.disk_bytes),
            size(t.memtable_bytes),
            size(t.free_bytes),
            percent(t.free_bytes / t.disk_bytes if t.disk_bytes else None),
        )
        for t in snapshot.tables[:most]
    ]
    columns = [("table", WORD), ("files", NUMBER), ("rows", NUMBER), ("data", NUMBER)]
    columns += [("on disk", NUMBER), ("in memory", NUMBER), ("a compaction frees", NUMBER)]
    columns += [("", NUMBER)]
    age = duration(max(0, snapshot.time - snapshot.tables_time))
    return section("Largest tables", grid(columns, rows, "none"), f"looked at {age} ago")
