# SPDX-License-Identifier: GPL-2.0-only
"""Connections that change rows of a table by all ways that SQL has, while indexes of it are built.
Each keeps to rows of its own, so that they rarely wait for each other; what a parent's cascade
changes are rows of all."""

import threading
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from random import Random

import pymysql
from pymysql.constants import ER

from tests.online_ddl.crew import Crew

DATABASE = "online_ddl"
WRITERS = 8
ROWS = 600  # of each writer, at most
PARENTS = 40
LOCK_TIMEOUT = 2  # seconds
SECONDS_TO_LET_GO = 10  # a prepared transaction of a connection that is closed
SETUP = (
    "SET foreign_key_checks = 0",
    f"CREATE OR REPLACE DATABASE {DATABASE}",
    f"USE {DATABASE}",
    "CREATE TABLE p (id INT PRIMARY KEY)",
    f"INSERT INTO p SELECT seq FROM seq_1_to_{PARENTS}",
)
COLUMNS = (
    "(id INT NOT NULL, k INT, u BIGINT, s VARCHAR(40), n TEXT, p INT,"
    " x BIGINT NOT NULL DEFAULT (UUID_SHORT()),"
    " g VARCHAR(60) AS (CONCAT(s, '-', k MOD 100)) VIRTUAL, "
)
# the table `t` in several shapes; a partitioned table has no foreign keys
SHAPES = {
    "plain": "PRIMARY KEY (id), KEY kept (k), KEY (p),"
    " FOREIGN KEY (p) REFERENCES p (id) ON DELETE SET NULL ON UPDATE CASCADE)",
    "no primary key": "KEY kept (k), KEY (p),"
    " FOREIGN KEY (p) REFERENCES p (id) ON DELETE SET NULL ON UPDATE CASCADE)",
    "backwards": "PRIMARY KEY (id) COMMENT 'cfname=rev:rows', KEY kept (k) COMMENT 'other')",
    "partitions": "PRIMARY KEY (id), KEY kept (k)) PARTITION BY KEY (id) PARTITIONS 4",
    "expiring": "stamp BIGINT UNSIGNED NOT NULL DEFAULT (UNIX_TIMESTAMP()),"
    " PRIMARY KEY (id), KEY kept (k)) COMMENT 'ttl_duration=100000;ttl_col=stamp'",
}
XA_RBTIMEOUT, XA_RBDEADLOCK = 1613, 1614
# what others may do to a statement
EXPECTED = (
    ER.LOCK_WAIT_TIMEOUT,
    ER.LOCK_DEADLOCK,
    ER.CHECKREAD,
    ER.DUP_ENTRY,
    ER.TABLE_DEF_CHANGED,
    ER.SP_DOES_NOT_EXIST,  # behind an error that has ended the transaction
    ER.XAER_RMFAIL,
    ER.XA_RBROLLBACK,
    XA_RBTIMEOUT,
    XA_RBDEADLOCK,
)
# of these, where the statement has met locks of other writers: waited for one until the timeout, or
# was in a circle of such waits
LOCKS = (ER.LOCK_WAIT_TIMEOUT, ER.LOCK_DEADLOCK, XA_RBTIMEOUT, XA_RBDEADLOCK)
GONE = (2006, 2013)  # the connection: the server was killed


def create(server, shape: str) -> None:
    with server.connect() as link, link.cursor() as cursor:
        for sql in SETUP:
            cursor.execute(sql)
        cursor.execute(f"CREATE TABLE t {COLUMNS}{SHAPES[shape]}")
        cursor.execute(
            "INSERT INTO t (id, k, u, s, n, p) SELECT seq, seq MOD 97, seq * 1000,"
            f" CONCAT('s', seq MOD 31), REPEAT('n', seq MOD 40), 1 + seq MOD {PARENTS}"
            f" FROM seq_1_to_{WRITERS * ROWS} WHERE seq MOD 2 = 0"
        )
        if "FOREIGN KEY" not in SHAPES[shape]:
            cursor.execute("DELETE FROM p")


@dataclass(frozen=True)
class Pause:
    """A statement, its seconds, the number of its error, 0 for none, and the state that the server
    showed most of the time, where it has lasted."""

    seconds: float = 0.0
    statement: str = ""
    error: int = 0
    state: str = ""

    def __str__(self) -> str:
        ended = f"error {self.error}" if self.error else "no error"
        shown = f", '{self.state}'" if self.state else ""
        return f"{1000 * self.seconds:.0f} ms ({self.statement[:40]}.., {ended}{shown})"


class States:
    """What the server shows of statements that last. Any thread may ask."""

    QUESTION = (
        "SELECT id, state FROM information_schema.PROCESSLIST"
        " WHERE command = 'Query' AND time_ms > 200 AND id <> CONNECTION_ID()"
    )
    EVERY = 0.1  # seconds

    def __init__(self):
        self._seen: dict[int, deque] = {}  # connection -> (when, state)

    def watch(self, server, stop: threading.Event) -> None:
        try:
            with server.connect(ssl_disabled=True) as link, link.cursor() as cursor:
                while not stop.wait(self.EVERY):
                    cursor.execute(self.QUESTION)
                    now = time.monotonic()
                    for connection, state in cursor.fetchall():
                        self._seen.setdefault(connection, deque(maxlen=100)).append((now, state))
        except (pymysql.Error, OSError):
            return  # the server dies in some tests; its writers say so where it must not

    def since(self, connection: int, begun: float) -> str:
        seen = list(self._seen.get(connection, ()))
        states = Counter(state for when, state in seen if when >= begun)
        return states.most_common(1)[0][0] if states else ""


@dataclass
class Pauses:
    """The seconds of each statement; and the longest ones, with what they were: of those that locks
    of other writers have ended, and of all others."""

    seconds: list[float] = field(default_factory=list)
    locked: Pause = Pause()
    free: Pause = Pause()

    def note(self, pause: Pause) -> None:
        self.seconds.append(pause.seconds)
        self._keep(pause)

    def add(self, other: "Pauses") -> None:
        self.seconds += other.seconds
        self._keep(other.locked)
        self._keep(other.free)

    def _keep(self, pause: Pause) -> None:
        place = "locked" if pause.error in LOCKS else "free"
        if pause.seconds > getattr(self, place).seconds:
            setattr(self, place, pause)

    def within(self, share: float) -> float:
        """Milliseconds in which this share of the statements has ended; 0 without one."""
        known = sorted(self.seconds)
        return 1000 * known[min(int(share * len(known)), len(known) - 1)] if known else 0.0


@dataclass
class Writers(Crew):
    doubles: bool = False  # gives rows values of `u` that others have, for a while
    pauses: Pauses = field(default_factory=Pauses)
    states: States = field(default_factory=States)
    server_dies: bool = False

    def jobs(self) -> list[Callable[[], None]]:
        writers = [
            partial(self.work, number, Random(f"{self.seed} {number}")) for number in range(WRITERS)
        ]
        return [*writers, partial(self.states.watch, self.server, self.stop)]

    def work(self, number: int, rng: Random) -> None:
        while not self.stop.is_set():
            try:
                link = self.server.connect(DATABASE, ssl_disabled=True, read_timeout=120)
                Writer(self, number, rng, link).live()
                if link.open:
                    link.close()
            except (pymysql.Error, OSError) as error:
                if self.server_dies:
                    return
                self.problems.append(f"writer {number}: {error}")
                return


class Writer:
    def __init__(self, all_writers: Writers, number: int, rng: Random, link):
        self.all = all_writers
        self.number = number
        self.rng = rng
        self.link = link
        self.names = 0
        level = rng.choice(("READ-COMMITTED", "REPEATABLE-READ", "SERIALIZABLE"))
        link.query(f"SET SESSION tx_isolation='{level}', rocksdb_lock_wait_timeout={LOCK_TIMEOUT}")

    def live(self) -> None:
        """Until the test ends, or a prepared transaction is left to others."""
        while not self.all.stop.is_set():
            kind = self.rng.random()
            if kind < 0.05:
                self.swap()
            elif kind < 0.35:
                self.ask(self.change())
            elif kind < 0.93:
                self.transaction()
            elif not self.prepare():
                return

    def ask(self, sql: str) -> bool:
        begun, number = time.monotonic(), 0
        try:
            self.link.query(sql)
        except pymysql.Error as error:
            number = error.args[0]
            if number in GONE or number not in EXPECTED:
                raise pymysql.OperationalError(*error.args[:2], sql) from error
            self.all.done[f"error {number}"] += 1
            return False
        finally:
            state = self.all.states.since(self.link.thread_id(), begun)
            self.all.pauses.note(Pause(time.monotonic() - begun, sql, number, state))
        self.all.done[sql.split()[0]] += 1
        return True

    def row(self) -> int:
        return self.rng.randrange(ROWS) * WRITERS + self.number

    def change(self) -> str:
        rng, row = self.rng, self.row()
        unique = 4711 if self.doubles() else rng.randrange(10**12) * WRITERS + self.number
        k, s = rng.randrange(500), f"s{rng.randrange(60)}"
        values = f"({row}, {k}, {unique}, '{s}', REPEAT('m', {rng.randrange(50)}))"
        into = "INTO t (id, k, u, s, n) VALUES"
        return rng.choice(
            (
                f"INSERT IGNORE {into} {values}",
                f"INSERT {into} {values} ON DUPLICATE KEY UPDATE k = {k}, s = '{s}'",
                f"REPLACE {into} {values}",
                f"UPDATE t SET k = {k}, s = '{s}' WHERE id = {row}",
                f"UPDATE t SET u = {unique} WHERE id = {row}",
                f"UPDATE t SET s = NULL, n = REPEAT('x', {k}) WHERE id = {row}",
                f"UPDATE IGNORE t SET id = {self.row()} WHERE id = {row}",
                f"UPDATE t SET k = k + 1 WHERE k = {k} AND id MOD {WRITERS} = {self.number}",
                f"DELETE FROM t WHERE id = {row}",
                f"DELETE FROM p WHERE id = {rng.randint(1, PARENTS)}",
                f"INSERT IGNORE INTO p VALUES ({rng.randint(1, PARENTS)})",
                f"UPDATE IGNORE p SET id = {rng.randint(1, PARENTS)}"
                f" WHERE id = {rng.randint(1, PARENTS)}",
            )
        )

    def doubles(self) -> bool:
        return self.all.doubles and self.rng.random() < 0.05

    def large(self) -> str:
        return (
            f"UPDATE t SET k = k + {self.rng.randint(1, 9)}, s = 's{self.rng.randrange(60)}'"
            f" WHERE id MOD {WRITERS} = {self.number}"
        )

    def transaction(self) -> None:
        rng = self.rng
        self.ask("BEGIN")
        for _ in range(rng.randint(1, 6)):
            self.ask(self.large() if rng.random() < 0.03 else self.change())
            kind = rng.random()
            if kind < 0.2:
                self.ask("SAVEPOINT a")
                self.ask(self.change())
                self.ask("ROLLBACK TO a")
        self.ask("COMMIT" if rng.random() < 0.75 else "ROLLBACK")

    def swap(self) -> None:
        """Of a column that becomes the primary key, two rows exchange their values."""
        one, other = self.row(), self.row()
        self.ask("SET @a = UUID_SHORT(), @b = UUID_SHORT()")
        self.ask("BEGIN")
        self.ask(f"SELECT x INTO @a FROM t WHERE id = {one} LIMIT 1 FOR UPDATE")
        self.ask(f"SELECT x INTO @b FROM t WHERE id = {other} LIMIT 1 FOR UPDATE")
        for row, value in ((one, "UUID_SHORT()"), (other, "@a"), (one, "@b")):
            self.ask(f"UPDATE t SET x = {value} WHERE id = {row} LIMIT 1")
        self.ask("COMMIT")

    def prepare(self) -> bool:
        """An XA transaction; False when it was left to another connection, which has decided it."""
        rng = self.rng
        self.names += 1
        name = f"'{self.number}-{self.names}-{rng.randrange(10**9)}'"
        self.ask(f"XA START {name}")
        done = [self.ask(self.change()) for _ in range(rng.randint(1, 4))]
        if not self.ask(f"XA END {name}") or not all(done) or not self.ask(f"XA PREPARE {name}"):
            self.ask_in_any_case(f"XA ROLLBACK {name}")
            return True
        verb = rng.choice(("COMMIT", "ROLLBACK"))
        if rng.random() < 0.7:
            return self.ask(f"XA {verb} {name}") or True
        self.link.close()
        time.sleep(rng.random() / 20)
        with self.all.server.connect(DATABASE, ssl_disabled=True) as other:
            self.decide(other, f"XA {verb} {name}")
        return False

    def decide(self, other: pymysql.Connection, sql: str) -> None:
        """Until the server has seen that the connection that prepared is closed, it answers
        XAER_NOTA to all others."""
        deadline = time.monotonic() + SECONDS_TO_LET_GO
        while True:
            try:
                other.query(sql)
                return
            except pymysql.Error as error:
                if error.args[0] in EXPECTED:
                    return
                if error.args[0] != ER.XAER_NOTA or time.monotonic() > deadline:
                    raise
            time.sleep(0.01)

    def ask_in_any_case(self, sql: str) -> None:
        try:
            self.link.query(sql)
        except pymysql.Error as error:
            if error.args[0] in GONE:
                raise
