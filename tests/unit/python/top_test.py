# SPDX-License-Identifier: GPL-2.0-only
"""basalt-top without a server: rates, waits, sentences, options, and each panel of a made snapshot
beside testdata/top. BASALT_REWRITE=1 writes these files anew. The tier `console` runs this with
Debian's version of rich as well."""

import io
import json
import os
import unittest
from dataclasses import replace
from pathlib import Path
from unittest import mock

from programs.top import (
    attention,
    collector,
    output,
    panels,
    rates,
    units,
    views,
    waits,
)
from programs.top.held_locks import HeldLocks
from programs.top.snapshot import (
    Compaction,
    Deadlock,
    Digest,
    EndedCompaction,
    Level,
    Lock,
    Memtables,
    Server,
    Snapshot,
    Statement,
    Table,
    Transaction,
    Wait,
)

EXPECTED = Path(__file__).parent / "testdata" / "top"
SERVER = Server("10.11.18-MariaDB", "db1", "0.1", 512 << 20, True, True)
IDLE = Snapshot(
    SERVER,
    100.0,
    1_800_000_000,
    {"uptime": 7384, "rocksdb_writing_allowed": 1},
    tables_time=1_800_000_000,
)
KEY = "0000010080000001"


def transaction(number: int, **more) -> Transaction:
    found = Transaction(number, "STARTED", number + 40, "shop", 12.5, 0, 0, "", 0, "idle")
    return replace(found, **more)


def counted(snapshot: Snapshot, seconds: float = 0.0, **counters: int) -> Snapshot:
    """The snapshot some time later, with these counters of the engine."""
    named = {f"rocksdb_{name}": value for name, value in counters.items()}
    uptime = snapshot.counters["uptime"] + int(seconds)
    return replace(
        snapshot,
        at=snapshot.at + seconds,
        counters={**snapshot.counters, "uptime": uptime, **named},
    )


BEFORE = replace(
    IDLE,
    counters={
        **IDLE.counters,
        "questions": 1000,
        "slow_queries": 3,
        "rocksdb_stall_total_slowdowns": 4,
        "rocksdb_stall_l0_file_count_limit_slowdowns": 4,
    },
)
AFTER = replace(
    BEFORE,
    at=102.0,
    time=1_800_000_002,
    counters={
        **BEFORE.counters,
        "uptime": 7386,
        "questions": 26000,
        "slow_queries": 5,
        "com_commit": 2400,
        "threads_connected": 14,
        "threads_running": 3,
        "rocksdb_rows_read": 3_456_789,
        "rocksdb_rows_inserted": 2400,
        "rocksdb_rows_updated": 801,
        "rocksdb_queries_point": 20000,
        "rocksdb_queries_range": 90,
        "rocksdb_block_cache_usage": 500 << 20,
        "rocksdb_block_cache_data_hit": 9990,
        "rocksdb_block_cache_data_miss": 10,
        "rocksdb_bloom_filter_useful": 900,
        "rocksdb_bloom_filter_full_positive": 100,
        "rocksdb_bloom_filter_full_true_positive": 99,
        "rocksdb_memtable_total": 70 << 20,
        "rocksdb_memtable_unflushed": 60 << 20,
        "rocksdb_wal_bytes": 2 << 20,
        "rocksdb_wal_synced": 300,
        "rocksdb_flush_write_bytes": 1 << 20,
        "rocksdb_compact_read_bytes": 9 << 20,
        "rocksdb_compact_write_bytes": 8 << 20,
        "rocksdb_stall_micros": 400_000,
        "rocksdb_stall_total_slowdowns": 6,
        "rocksdb_stall_l0_file_count_limit_slowdowns": 6,
        "rocksdb_row_lock_waits": 7,
        "rocksdb_row_lock_deadlocks": 1,
        "rocksdb_row_lock_wait_timeouts": 2,
    },
    levels=[
        Level("default", 0, 21, 300 << 20, 5.25),
        Level("default", 5, 12, 900 << 20, 0.98),
        Level("default", 6, 110, 9 << 30, 0.0),
        Level("rev:by_time", 0, 0, 0, 0.0),
    ],
    memtables=[Memtables("default", 60 << 20, 2), Memtables("rev:by_time", 2048, 0)],
    compactions=[Compaction(71, "default", 0, 5, "LevelL0FilesNum", 21, 1_799_999_960)],
    ended=[
        EndedCompaction(69, "default", 5, 6, "LevelMaxLevelSize", 800 << 20, 700 << 20,
                        1_799_999_900, 31.25, "OK"),
        EndedCompaction(68, "rev:by_time", 0, 6, "ManualCompaction", 4 << 20, 3 << 20,
                        1_799_999_880, 0.2, "IO error: No space left on device"),
    ],
    transactions=[
        transaction(1, locks=2, writes=1, doing="idle"),
        transaction(2, waiting_key=KEY, doing="UPDATE stock SET pieces = 4 WHERE item = 1"),
        transaction(3, state="PREPARED", thread=0, user="", seconds=None, doing="XA 78"),
        *(transaction(n, locks=n) for n in range(4, 8)),
    ],
    waits=[
        Wait(42, 2, 1, 41, "shop.stock.PRIMARY", KEY, "X", 12.5, True),
        Wait(43, 9, 3, 0, "shop.stock.PRIMARY", KEY, "RANGE", None, True),
        Wait(44, 10, 1, 41, "shop.stock.PRIMARY", KEY, "X", 0.25, False),
        Wait(44, 10, 12, None, "shop.stock.PRIMARY", KEY, "S", 0.25, True),
        Wait(45, 11, None, None, "index 300", KEY, "", 3600, True),
    ],
    statements=[
        Statement(45, "root", "shop", 4123.0, "copy to tmp table", 12_345_678, 900_000, 37.4,
                  0, 0, "ALTER TABLE orders ADD COLUMN a INT, ALGORITHM=COPY"),
        Statement(42, "shop", "", 12.5, "Waiting for row lock", 1, 60_000, 0, 0, 2,
                  "UPDATE stock SET note = '\x1b[2J' WHERE item = 1"),
    ],
    digests=[
        Digest("shop", "SELECT * FROM `orders` WHERE `customer` = ?", 12_345, 617.25, 4.0, 98_765,
               12_345),
        Digest("", "DO SLEEP (?)", 1, 0.004, 0.004, 0, 0),
    ],
    deadlocks=[
        Deadlock(7, 1_799_999_000, 12, "shop.stock", "PRIMARY", KEY, "EXCLUSIVE", False),
        Deadlock(7, 1_799_999_000, 11, "shop.stock", "by_pieces", KEY, "RANGE", True),
    ],
    tables=[
        Table("shop", "orders", 143, 81_234_567, 30 << 30, 9 << 30, 61 << 20, 3 << 30),
        Table("shop", "empty", 0, 0, 0, 0, 2048, 0),
    ],
    tables_time=1_799_999_970,
    snapshots=2,
    oldest_snapshot_seconds=4000,
    background_write_limit=8 << 20,
    cost={"status": 0.75, "levels": 0.5},
)  # fmt: skip
PANELS = {
    "header": lambda s, r: panels.header(s, r, "/run/mysqld/mysqld.sock"),
    "work": panels.work,
    "cache": panels.cache,
    "disk": panels.disk,
    "stalls": panels.stalls,
    "tree": lambda s, r: panels.tree(s),
    "compactions": lambda s, r: panels.compactions(s),
    "waits": panels.lock_waits,
    "transactions": lambda s, r: panels.transactions(s, 5),
    "statements": lambda s, r: panels.statements(s, 5),
    "digests": lambda s, r: panels.digests(s, 5),
    "deadlocks": lambda s, r: panels.deadlocks(s),
    "tables": lambda s, r: panels.tables(s, 5),
    "warnings": lambda s, r: panels.warnings(attention.attention(s, r), s),
}


def printed(picture, width: int) -> str:
    file = io.StringIO()
    output.as_text(picture, width, file, colours=False)
    return file.getvalue()


class PanelsTest(unittest.TestCase):
    maxDiff = None

    def compare(self, name: str, text: str) -> None:
        file = EXPECTED / f"{name}.txt"
        if os.environ.get("BASALT_REWRITE"):
            EXPECTED.mkdir(exist_ok=True)
            file.write_text(text)
        self.assertEqual(file.read_text(), text)

    def test_a_busy_server(self):
        measured = rates.between(BEFORE, AFTER)
        for name, panel in PANELS.items():
            with self.subTest(name):
                self.compare(name, printed(panel(AFTER, measured), 120))

    def test_a_server_that_does_nothing(self):
        measured = rates.between(None, IDLE)
        picture = views.picture("all", IDLE, measured, [], "db1:3306")
        self.compare("idle", printed(picture, 100))

    def test_no_line_is_wider_than_the_terminal(self):
        measured = rates.between(BEFORE, AFTER)
        for view in views.VIEWS.values():
            text = printed(views.picture(view, AFTER, measured, [], "here"), views.NARROWEST)
            self.assertLessEqual(max(map(len, text.splitlines())), views.NARROWEST, view)
        self.compare("narrow", text)

    def test_statements_do_not_command_the_terminal(self):
        text = printed(panels.statements(AFTER, 5), 150)
        self.assertNotIn("\x1b", text)
        self.assertIn("'?[2J'", text)

    def test_a_terminal_that_is_too_narrow(self):
        self.assertEqual("", views.too_narrow(80))
        self.assertIn("has 79 columns, and the picture needs 80", views.too_narrow(79))

    def test_without_the_privilege_that_is_said(self):
        hidden = replace(IDLE, server=replace(SERVER, sees_all=False))
        self.assertIn("PROCESS", printed(panels.warnings([], hidden), 100))
        self.assertEqual("\n", printed(panels.warnings([], IDLE), 100))


class RatesTest(unittest.TestCase):
    def test_between_two_looks(self):
        measured = rates.between(BEFORE, AFTER)
        self.assertEqual(2.0, measured.seconds)
        self.assertEqual(12500, measured.of("questions"))
        self.assertEqual(0, measured.of("no_such_counter"))
        self.assertAlmostEqual(0.2, rates.stalled(measured))
        self.assertAlmostEqual(4.5, rates.written_again(measured))
        self.assertAlmostEqual(0.999, rates.cache_hits(measured))
        self.assertAlmostEqual(0.9, rates.filter_use(measured))
        self.assertAlmostEqual(1 / 901, rates.filter_errors(measured))

    def test_the_first_look_is_since_the_start(self):
        measured = rates.between(None, AFTER)
        self.assertTrue(measured.since_start)
        self.assertEqual(7386, measured.seconds)
        self.assertEqual(26000, measured.grown["questions"])

    def test_a_server_that_has_started_anew(self):
        anew = replace(AFTER, counters={**AFTER.counters, "uptime": 5, "questions": 10})
        measured = rates.between(BEFORE, anew)
        self.assertTrue(measured.since_start)
        self.assertEqual(2, measured.of("questions"))

    def test_counters_that_were_set_to_zero(self):
        measured = rates.between(counted(IDLE, wal_bytes=900), counted(IDLE, 3.0, wal_bytes=60))
        self.assertEqual(20, measured.of("rocksdb_wal_bytes"))

    def test_what_is_no_counter_has_no_rate(self):
        measured = rates.between(BEFORE, AFTER)
        self.assertEqual(set(), set(rates.GAUGES) & set(measured.grown))

    def test_shares_of_nothing(self):
        measured = rates.between(IDLE, counted(IDLE, 2.0))
        self.assertIsNone(rates.cache_hits(measured))
        self.assertIsNone(rates.written_again(measured))


class WaitsTest(unittest.TestCase):
    """The hash of a key is its digits turned round, here."""

    def found(self, *locks: Lock, key: str = KEY, others: tuple[Transaction, ...] = ()):
        waiter = transaction(2, waiting_key=key)
        seen = [transaction(1), waiter, transaction(3, thread=0), *others]
        names = {(0, "00000100"): "shop.stock.PRIMARY"}
        return waits.who_waits(seen, [waiter], list(locks), names, lambda k: k.hex()[::-1])

    def pairs(self, *locks: Lock, **more):
        return [(w.blocker, w.mode, w.sure) for w in self.found(*locks, **more)]

    def row(self, transaction: int, key: str = KEY, mode: str = "X") -> Lock:
        return Lock(0, transaction, f"{key[:8]}#{key[::-1]}", mode)

    def test_the_row_that_is_waited_for(self):
        other = self.row(3, "0000010080000002")
        self.assertEqual([(1, "X", True)], self.pairs(self.row(1), other))
        (wait,) = self.found(self.row(1))
        self.assertEqual(
            (42, 41, "shop.stock.PRIMARY"), (wait.thread, wait.blocker_thread, wait.index)
        )

    def test_all_who_share_it(self):
        shared = [self.row(n, mode="S") for n in (1, 2, 3)]
        self.assertEqual([(1, "S", True), (3, "S", True)], self.pairs(*shared))

    def test_a_range_with_the_key_in_it(self):
        inside = Lock(0, 1, "0000010080000000..0000010080000005", "RANGE")
        behind = Lock(0, 3, "0000010080000002..0000010080000005", "RANGE")
        ends = Lock(0, 3, f"0000010080000000..{KEY}", "RANGE")
        self.assertEqual([(1, "RANGE", True)], self.pairs(inside, behind, ends))

    def test_a_whole_index(self):
        self.assertEqual([(1, "X,INDEX", True)], self.pairs(Lock(0, 1, "00000100", "X,INDEX")))

    def test_other_indexes_and_families_are_none_of_it(self):
        elsewhere = (self.row(1, "0000010180000001"), replace(self.row(1), family=2))
        self.assertEqual([(None, "", False)], self.pairs(*elsewhere))

    def test_others_in_the_index_only_may_be_it(self):
        other = Lock(0, 1, "00000100", "X")  # rows that were cut to their index
        self.assertEqual([(1, "X", False)], self.pairs(other, replace(other, mode="S")))

    def test_no_hash_is_had_of_a_key_that_is_cut(self):
        key = KEY + "00" * 248
        self.assertEqual("", waits.row_lock_key(key, lambda k: "x"))
        self.assertEqual([(1, "X", False)], self.pairs(self.row(1, key), key=key))


class AttentionTest(unittest.TestCase):
    def said(self, after: Snapshot, before: Snapshot = IDLE, errors: int | None = 0) -> str:
        return " ".join(attention.attention(after, rates.between(before, after), errors))

    def test_nothing(self):
        self.assertEqual("", self.said(counted(IDLE, 2.0)))

    def test_each_sentence(self):
        level = [Level("default", 0, 20, 1, 5.0)]
        lost = [transaction(3, state="PREPARED", thread=0)]
        cases = {
            "Writing is off": counted(IDLE, 2.0, writing_allowed=0),
            "Background work has failed": replace(counted(IDLE, 2.0), background_errors=1),
            "A table file cannot be opened": counted(IDLE, 2.0, no_file_errors=1),
            "Damaged data was met": counted(IDLE, 2.0, corruption_errors=1),
            "Writes had to stop": counted(IDLE, 2.0, stall_total_stops=1),
            "10 % of a thread": counted(IDLE, 2.0, stall_micros=200_001),
            "Level 0 of default has 20 files": replace(counted(IDLE, 2.0), levels=level),
            "A snapshot of 1:00:01 ago": replace(counted(IDLE, 2.0), oldest_snapshot_seconds=3601),
            "without a connection: 1": replace(counted(IDLE, 2.0), transactions=lost),
        }
        for sentence, after in cases.items():
            with self.subTest(sentence):
                said = self.said(after)
                self.assertIn(sentence, said)
                self.assertEqual(1, said.count(". ") + said.endswith("."), said)

    def test_what_does_not_fit_the_load(self):
        """Now, and since the start: a moment, or what was once, tells nothing."""
        cases = {
            "deadlock": {"row_lock_deadlocks": 3},
            "25 % of the blocks": {"block_cache_data_miss": 2500, "block_cache_data_hit": 7500},
            "Filters are wrong in 10 %": {
                "bloom_filter_useful": 900,
                "bloom_filter_full_positive": 100,
            },
        }
        for sentence, grown in cases.items():
            with self.subTest(sentence):
                since_start = {name: 5000 * number for name, number in grown.items()}
                before = counted(IDLE, **since_start)
                now = {name: number + grown[name] for name, number in since_start.items()}
                self.assertIn(sentence, self.said(counted(before, 2.0, **now), before))
                self.assertEqual("", self.said(counted(before, 2.0, **since_start), before))
                self.assertEqual("", self.said(counted(IDLE, 2.0, **grown)))

    def test_what_has_been_long_ago(self):
        old = counted(IDLE, stall_total_stops=9, no_file_errors=1, corruption_errors=1)
        after = replace(counted(old, 2.0), background_errors=3)
        self.assertEqual("", self.said(after, old, errors=3))
        self.assertEqual("", " ".join(attention.attention(after, rates.between(None, after))))


class UnitsTest(unittest.TestCase):
    def check(self, function, cases: dict) -> None:
        for value, text in cases.items():
            self.assertEqual(text, function(value), value)

    def test_sizes(self):
        self.check(units.size, {0: "0", 999: "999", 1536: "1.5K", 1 << 20: "1.0M", 23 << 20: "23M",
                                1 << 50: "1024T"})  # fmt: skip

    def test_counts(self):
        self.check(units.count, {0: "0", 0.5: "0.5", 9999: "9999", 12345: "12.3k", 2.5e6: "2.5m",
                                 999_949: "999.9k", 999_960: "1.0m"})  # fmt: skip

    def test_times_of_statements(self):
        self.check(units.milliseconds, {0: "0.0 ms", 0.00034: "0.3 ms", 0.012: "12 ms", 4: "4.0 s"})

    def test_shares(self):
        self.check(units.percent, {None: "-", 0: "0 %", 0.005: "0.5 %", 0.5: "50 %",
                                   0.9991: "99.9 %", 1: "100 %"})  # fmt: skip

    def test_times(self):
        self.check(units.duration, {None: "-", 0: "0 s", 0.25: "0.2 s", 59.9: "59 s", 60: "1:00",
                                    3723: "1:02:03", 200_000: "2 d 07 h"})  # fmt: skip


class CollectorTest(unittest.TestCase):
    def test_levels_without_files_are_left_out_but_level_0(self):
        rows = [
            (family, level, kind, value)
            for family, level, files in (("__system__", "L0", 1), ("default", "L6", 3),
                                         ("default", "L5", 0), ("default", "L0", 0))
            for kind, value in (("NumFiles", files), ("SizeBytes", 10.0), ("Score", 0.333))
        ]  # fmt: skip
        expected = [
            Level("default", 0, 0, 10, 0.33),
            Level("default", 6, 3, 10, 0.33),
            Level("__system__", 0, 1, 10, 0.33),
        ]
        self.assertEqual(expected, collector.levels(rows))

    def test_progress_is_that_of_all_stages(self):
        self.assertEqual(0.0, collector.progress_of(0.0, 0, 0))
        self.assertEqual(75.0, collector.progress_of(50.0, 2, 2))

    def test_an_engine_of_others_is_refused(self):
        for rows, sentence in (((), "no engine ROCKSDB"), ((("Someone", "1"),), "that of Someone")):
            with (
                mock.patch.object(collector.Collector, "ask", return_value=list(rows)),
                self.assertRaisesRegex(collector.NoEngine, sentence),
            ):
                collector.Collector(None, str)

    def test_locks_are_looked_at_for_a_twentieth_of_the_time(self):
        asked = []

        def ask(name, statement):
            asked.append(name)
            return [(0, 1, "00000100", "X,INDEX")] if name == "locks" else []

        held = HeldLocks(ask, lambda name: 100.0, lambda key: "x")
        waiter = transaction(2, waiting_key=KEY)
        seen = [transaction(1, locks=1), waiter]
        notes = [held.refresh(seen, at) for at in (10.0, 11.9, 12.0)]
        self.assertEqual(["", "who holds what was looked at 1.9 s ago", ""], notes)
        self.assertEqual(2, asked.count("locks"))
        self.assertEqual([1], [w.blocker for w in held.who_waits(seen, [waiter])])
        note = held.refresh([transaction(1, locks=20_001), waiter], 20.0)
        self.assertIn("20001 locks are held: too many", note)
        self.assertEqual([None], [w.blocker for w in held.who_waits(seen, [waiter])])

    def test_a_wait_that_is_over_is_not_shown(self):
        """Between two looks at the transactions the locks are listed: one wait stays, one goes to
        another key, one begins."""
        other = "0000010080000009"
        first = [row(1, KEY), row(2, KEY), row(3, "")]
        second = [row(1, KEY), row(2, other), row(3, KEY)]
        answers = iter([first, second])
        with (
            mock.patch.object(collector.Collector, "look_at_server"),
            mock.patch.object(collector.Collector, "ask", lambda *_: next(answers)),
            mock.patch.object(HeldLocks, "refresh", return_value=""),
        ):
            seen, steady, _ = collector.Collector(None, str).transactions(1.0)
        self.assertEqual(([1, 2, 3], {1}), ([t.id for t in seen], steady))

    def test_every_counter_that_is_read_exists(self):
        folder = Path(collector.__file__).parent
        root = folder.parent.parent
        known = (root / "docs" / "status.md").read_text()
        prefix = "rocksdb_"
        for file in sorted(folder.glob("*.py")):
            for name in {w for w in words(file.read_text()) if w.startswith(prefix)}:
                self.assertIn(f"`{name}", known + "`rocksdb_block_cache_size", f"{file}: {name}")


def row(number: int, waiting_key: str) -> tuple:
    """Of ROCKSDB_TRX."""
    return number, "STARTED", "", 0, 1, waiting_key, 0, number + 40


def words(text: str) -> list[str]:
    return "".join(c if c.isalnum() or c == "_" else " " for c in text).split()


class OutputTest(unittest.TestCase):
    def test_json_has_all_and_says_its_format(self):
        measured = rates.between(BEFORE, AFTER)
        found = json.loads(output.as_json(AFTER, measured, ["Something."]))
        self.assertEqual((1, ["Something."]), (found["format"], found["attention"]))
        self.assertEqual(12500, found["rates"]["a_second"]["questions"])
        self.assertEqual(41, found["waits"][0]["blocker_thread"])
        self.assertEqual(3 << 30, found["tables"][0]["free_bytes"])


if __name__ == "__main__":
    unittest.main()
