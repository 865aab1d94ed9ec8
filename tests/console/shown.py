# SPDX-License-Identifier: GPL-2.0-only
"""What goes on in a server is in the picture and in the JSON."""

import contextlib
import re
import threading

import pymysql

from tests.console.busy import DELETED, ROWS, Busy, wait_until
from tests.console.program import Top
from tests.kit.check import Check, expect, expect_in
from tools.server import PrivateServer

PREPARED = (
    "XA START 'x'; INSERT INTO shop.events (note) VALUES ('prepared'); XA END 'x'; XA PREPARE 'x'"
)
# files that stay as they are until somebody asks for a compaction, which packs no better then
PLAIN = (
    "disable_auto_compactions=true;compression=kNoCompression;bottommost_compression=kNoCompression"
)
SECTIONS = (
    "Work a second",
    "Cache and memtables",
    "Disk, bytes a second",
    "Stalls",
    "Tree",
    "Compactions",
    "Who waits for whom",
    "Transactions",
    "Last deadlocks",
    "Statements that run",
    "Statements that ended",
    "Largest tables",
)


class Shown:
    def __init__(self, server: PrivateServer, top: Top):
        self.server = server
        self.top = top

    def checks(self) -> list[Check]:
        return [
            Check("a quiet server: status 0, all parts", self.quiet),
            Check("what a compaction would free, and what it frees", self.freed),
            Check("a busy server: everything that goes on", self.busy),
            Check("a deadlock", self.deadlock),
            Check("a prepared transaction without a connection: status 1", self.prepared),
        ]

    def quiet(self) -> None:
        seen = self.top.seen()
        expect(seen["attention"] == [], str(seen["attention"]))
        expect(seen["waits"] == [] and seen["transactions"] == [], "somebody is there")
        done = self.top.run("--once", "--interval=0.1")
        expect(done.returncode == 0, done.stderr)
        for name in SECTIONS:
            expect(re.search(rf"^{name}\b", done.stdout, re.M) is not None, f"no {name}")
        expect(max(map(len, done.stdout.splitlines())) <= 120, "a line is too long")

    def freed(self) -> None:
        """Deletions and, by the secondary index, updates of rows; then nothing more."""
        table = "shop.freed"
        self.server.sql(
            f"CREATE TABLE {table} (id INT, note VARCHAR(200), grp INT,"
            " PRIMARY KEY (id) COMMENT 'cfname=freed', KEY (grp) COMMENT 'cfname=freed')"
        )
        compact = "SET GLOBAL rocksdb_compact_cf = 'freed'"
        flush = "SET GLOBAL rocksdb_force_flush_memtable_now = 1"
        self.server.sql(
            f"SET GLOBAL rocksdb_update_cf_options = 'freed={{{PLAIN}}}';"
            f"INSERT INTO {table} SELECT seq, SHA2(seq, 512), seq % 9 FROM shop.seq_1_to_20000;"
            f"{flush}; UPDATE {table} SET note = SHA2(id + 1, 512) WHERE id % 2; {flush};"
            f"DELETE FROM {table} WHERE id <= 5000; {flush}"
        )
        before = self.table("freed")
        self.server.sql(compact)
        after = self.table("freed")
        came = before["disk_bytes"] - after["disk_bytes"]
        off = abs(before["free_bytes"] - came)
        expect(off < 0.15 * before["disk_bytes"], f"{before['free_bytes']} instead of {came}")
        expect(before["rows"] == after["rows"] == 15000, f"rows: {before}, {after}")
        expect(after["free_bytes"] == 0, str(after))
        self.server.sql(f"DROP TABLE {table}")

    def table(self, name: str) -> dict:
        return next(t for t in self.top.seen()["tables"] if t["name"] == name)

    def busy(self) -> None:
        with Busy(self.server) as busy:
            seen = self.top.seen(0, 1)  # the slow disk may make writers wait
            picture = self.top.run("--once", "--interval=0.1").stdout
        self.busy_data(seen, busy)
        self.busy_picture(picture, busy)

    def busy_data(self, seen: dict, busy: Busy) -> None:
        rates = seen["rates"]["a_second"]
        expect(rates["rocksdb_rows_inserted"] > 0, "the writer is not seen")
        expect(rates["rocksdb_wal_bytes"] > 0, "the log is not seen")
        (wait,) = seen["waits"]
        pair = (wait["thread"], wait["blocker_thread"], wait["index"], wait["sure"])
        expect(pair == (busy.waiter, busy.holder, "shop.orders.PRIMARY", True), str(wait))
        expect(wait["mode"] == "X" and wait["seconds"] > 0, str(wait))
        states = {t["thread"]: t for t in seen["transactions"]}
        expect(states[busy.holder]["locks"] >= 1, str(states[busy.holder]))
        expect(seen["snapshots"] >= 1, "the long snapshot is not seen")
        expect(seen["oldest_snapshot_seconds"] is not None, "the snapshot has no age")
        running = {c["family"]: c["files"] for c in seen["compactions"]}
        expect(running.get("default", 0) >= 1, f"compactions: {running}")
        texts = {s["thread"]: s["text"] for s in seen["statements"]}
        expect_in("DELETE FROM shop.orders WHERE id =", texts.get(busy.waiter, ""), "statements")
        orders = next(t for t in seen["tables"] if t["name"] == "orders")
        expect(orders["rows"] in (ROWS, ROWS - DELETED), str(orders))
        digests = {d["text"]: d["count"] for d in seen["digests"]}
        wanted = "INSERT INTO `shop` . `events` ( `note` ) VALUES ( `MD5` ( `RAND` ( ) ) )"
        expect(digests.get(wanted, 0) > 0, f"the writer's statements are not among {digests}")
        expect(sum(level["files"] for level in seen["levels"]) > 0, "the tree is empty")

    def busy_picture(self, picture: str, busy: Busy) -> None:
        wait = rf"^ *{busy.waiter} +{busy.holder} +X .* shop\.orders\.PRIMARY "
        for line in (wait, r"^ *\d+ +default +\d > \d .* running$", r", the oldest taken [\d.:]+"):
            expect(re.search(line, picture, re.M) is not None, f"no {line} in\n{picture}")

    def deadlock(self) -> None:
        first, second = self.server.connect(), self.server.connect()
        update = "UPDATE shop.orders SET note = 'x' WHERE id = {}"
        with first, second, first.cursor() as one, second.cursor() as two:
            for cursor, row in ((one, 20_001), (two, 20_002)):
                cursor.execute("BEGIN")
                cursor.execute(update.format(row))
            waiter = threading.Thread(target=one.execute, args=(update.format(20_002),))
            waiter.start()
            wait_until(self.server, "SELECT COUNT(*) FROM information_schema.ROCKSDB_TRX"
                       " WHERE waiting_key <> ''")  # fmt: skip
            with contextlib.suppress(pymysql.err.OperationalError):
                two.execute(update.format(20_001))
            waiter.join()
        members = self.top.seen()["deadlocks"]
        expect([m["rolled_back"] for m in members] == [False, True], str(members))
        expect({m["table"] for m in members} == {"shop.orders"}, str(members))

    def prepared(self) -> None:
        self.server.sql(PREPARED)
        seen = self.top.seen(1)
        expect("Prepared transactions without a connection: 1; see XA RECOVER." in
               seen["attention"], str(seen["attention"]))  # fmt: skip
        done = self.top.run("--once", "--interval=0.1")
        expect(done.returncode == 1, f"status {done.returncode}")
        expect_in("! Prepared transactions without a connection: 1", done.stdout, "the picture")
        self.server.sql("XA ROLLBACK 'x'")
        self.top.seen()
