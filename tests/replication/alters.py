# SPDX-License-Identifier: GPL-2.0-only
"""ALTER TABLE under writers, instant and with indexes built meanwhile, on a primary with a parallel
replica that does not read the rows it changes. With binlog_alter_two_phase the replica begins an
ALTER when the primary does, and not when the primary has ended."""

import threading
import time
from random import Random

import pymysql
from pymysql.constants import ER

from tests.kit.clients.client import Problem
from tests.kit.replicas.compare import compare
from tests.kit.replicas.node import DATABASE
from tests.kit.replicas.scenario import Scenario

ROWS, LONG_ROWS = 12_000, 100_000
WRITERS = 4
# the generated column makes each row of an index on it slow
TABLE = (
    "CREATE TABLE t (id INT PRIMARY KEY, a INT NOT NULL, b VARCHAR(40) NOT NULL,"
    " v CHAR(128) AS (SHA2(REPEAT(b, 1000), 512)) VIRTUAL, KEY a (a))"
)
SLOW = "ADD INDEX v (v)"
CHANGES = (
    "ADD COLUMN n INT NOT NULL DEFAULT 7 FIRST",
    "MODIFY n BIGINT NULL AFTER a, MODIFY b VARCHAR(400) NOT NULL",
    "ADD COLUMN c TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),"
    " ADD COLUMN d TEXT NOT NULL DEFAULT (CONCAT('day ', CURRENT_DATE)), ADD COLUMN j JSON",
    "MODIFY a BIGINT NULL, ADD CONSTRAINT days CHECK (d LIKE 'day %')",
    "DROP CONSTRAINT days, DROP COLUMN c, DROP COLUMN d, DROP COLUMN j",
    "ADD INDEX n (n, a), ADD UNIQUE INDEX u (b, id)",
    SLOW,
    "DROP INDEX v, DROP INDEX n, DROP INDEX u, DROP COLUMN n, ADD COLUMN late INT DEFAULT 1",
    "DROP COLUMN late, MODIFY a INT NOT NULL, MODIFY b VARCHAR(40) NOT NULL",  # all rows anew
)
# what writers may be told: locks of another one; on a retry all of them go on
BUSY = (ER.LOCK_WAIT_TIMEOUT, ER.LOCK_DEADLOCK, ER.TABLE_DEF_CHANGED)


class Alters(Scenario):
    NAME = "alters"

    def play(self) -> None:
        self.rows = LONG_ROWS if self.long else ROWS
        self.primary, self.replica = self.node(1, binlog=True), self.node(2, binlog=True)
        self.primary.start("--binlog-format=ROW")
        self.replica.start(
            "--slave-parallel-mode=optimistic",
            "--slave-parallel-threads=6",
            "--loose-rocksdb-read-free-rpl=PK_SK",
        )
        self.replica.follow(self.primary)
        with self.primary.connect() as link, link.cursor() as cursor:
            cursor.execute(TABLE)
            fill = f"SELECT seq, seq % 100, MD5(seq) FROM seq_1_to_{self.rows}"
            cursor.execute(f"INSERT INTO t (id, a, b) {fill}")
        for two_phase in ("OFF", "ON"):
            self.one_way(two_phase)

    def one_way(self, two_phase: str) -> None:
        stop = threading.Event()
        writers = [
            threading.Thread(target=self.write, args=(self.rng.randrange(2**31), stop))
            for _ in range(WRITERS)
        ]
        for writer in writers:
            writer.start()
        try:
            took, behind = self.alter(two_phase)
        finally:
            stop.set()
            for writer in writers:
                writer.join()
        self.replica.catch_up(self.primary.position())
        line = (
            f"binlog_alter_two_phase={two_phase}: the slow ALTER took {took:.1f} s on the primary"
        )
        self.step(self.compare(), f"{line}, and the replica had it {behind:.1f} s later")

    def alter(self, two_phase: str) -> tuple[float, float]:
        """Seconds of the slow one, and how much later the replica had it."""
        took = behind = 0.0
        with self.primary.connect() as link, link.cursor() as cursor:
            cursor.execute(f"SET binlog_alter_two_phase={two_phase}")
            for change in CHANGES:
                begun = time.monotonic()
                cursor.execute(f"ALTER TABLE t {change}")
                self.count("alters")
                ended = time.monotonic()
                if change == SLOW:
                    self.replica.catch_up(self.primary.position())
                    took, behind = ended - begun, time.monotonic() - ended
        return took, behind

    def write(self, seed: int, stop: threading.Event) -> None:
        rng = Random(seed)
        with self.primary.connect() as link, link.cursor() as cursor:
            while not stop.is_set():
                try:
                    cursor.execute(self.change(rng))
                    self.count("changes")
                except pymysql.Error as error:
                    if error.args[0] not in BUSY:
                        self.add([Problem("broken", f"a writer: {error}")])
                        return

    def change(self, rng: Random) -> str:
        row = rng.randint(1, self.rows)
        return rng.choice(
            [
                f"UPDATE t SET a = a + 1, b = MD5({rng.random()}) WHERE id = {row}",
                f"DELETE FROM t WHERE id = {row}",
                f"REPLACE INTO t (id, a, b) VALUES ({row}, {row % 9}, 'replaced')",
                f"INSERT INTO t (id, a, b) VALUES ({row}, 1, 'x') ON DUPLICATE KEY UPDATE a = 2",
                f"UPDATE t SET id = -{row} WHERE id = {row} AND NOT EXISTS"
                f" (SELECT 1 FROM (SELECT id FROM t WHERE id = -{row}) x)",
            ]
        )

    def compare(self) -> list[Problem]:
        found = compare(self.primary, self.replica)
        shown = [node.server.query("SHOW CREATE TABLE t", DATABASE) for node in self.nodes]
        if shown[0] != shown[1]:
            found.append(Problem("broken", f"{shown[0]} and {shown[1]}"))
        return found
