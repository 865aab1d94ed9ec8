# SPDX-License-Identifier: GPL-2.0-only
"""Connections that run statements at the same time, and say which of them wait for a lock."""

import queue
import threading
from dataclasses import dataclass, field

import pymysql
from pymysql.constants import ER

ENGINES = {"rocksdb": "ROCKSDB", "innodb": "InnoDB"}
WAITS = {
    "rocksdb": "SELECT COUNT(*) FROM information_schema.ROCKSDB_TRX"
    " WHERE thread_id = {0} AND waiting_key <> ''",
    "innodb": "SELECT COUNT(*) FROM information_schema.INNODB_TRX"
    " WHERE trx_mysql_thread_id = {0} AND trx_state = 'LOCK WAIT'",
}
LOCK_WAIT_SECONDS = 20
# A statement waits when it was seen waiting twice, one poll apart. InnoDB makes its table anew only
# when nobody has asked for 0.1 s.
POLL_SECONDS = {"rocksdb": 0.05, "innodb": 0.12}
DEADLOCK = ER.LOCK_DEADLOCK


@dataclass
class Outcome:
    """What became of one statement. `rows` of a SELECT, in order."""

    sql: str
    waited: bool = False
    error: int = 0
    rows: list[tuple] = field(default_factory=list)
    affected: int = 0
    skipped: bool = False  # its transaction had been given up before


class Client(threading.Thread):
    """One connection, with a thread that runs its statements one after the other. After a deadlock
    or a conflict it gives its transaction up, as a program would do, and skips the rest."""

    def __init__(self, server, database: str):
        super().__init__(daemon=True)
        self.link = server.connect(database, ssl_disabled=True)
        self.number = self.link.thread_id()
        self.tasks: queue.Queue[Outcome | None] = queue.Queue()
        self.idle = threading.Event()
        self.idle.set()
        self.current: Outcome | None = None
        self.aborted = False
        self.start()

    def submit(self, sql: str) -> Outcome:
        outcome = Outcome(sql)
        self.idle.clear()
        self.tasks.put(outcome)
        return outcome

    def run(self) -> None:
        while (outcome := self.tasks.get()) is not None:
            self.current = outcome
            self.execute(outcome)
            if self.tasks.empty():
                self.idle.set()

    def execute(self, outcome: Outcome) -> None:
        if self.aborted:
            outcome.skipped = True
            return
        try:
            with self.link.cursor() as cursor:
                outcome.affected = cursor.execute(outcome.sql)
                outcome.rows = list(cursor.fetchall())
        except pymysql.Error as error:
            outcome.error = error.args[0]
        if outcome.error == DEADLOCK:
            self.aborted = True
            self.link.rollback()

    def close(self) -> None:
        self.tasks.put(None)
        self.join(1)
        self.link.close()


class Stage:
    """The connections of one history, numbered from 1, on one engine."""

    def __init__(self, server, engine: str, database: str, settings: list[str]):
        self.server, self.engine, self.database = server, engine, database
        self.settings = settings
        self.clients: dict[int, Client] = {}
        self.watcher = server.connect(database, ssl_disabled=True)

    def client(self, number: int) -> Client:
        if number not in self.clients:
            client = self.clients[number] = Client(self.server, self.database)
            outcomes = [client.submit(sql) for sql in self.settings]
            client.idle.wait(LOCK_WAIT_SECONDS)
            for outcome in outcomes:
                if outcome.error:
                    raise RuntimeError(f"{outcome.sql}: error {outcome.error}")
        return self.clients[number]

    def step(self, number: int, sql: str) -> Outcome:
        """Runs a statement, after those of the same connection that still wait. Returns when every
        connection is idle or waits for a lock; the outcome may be filled in later."""
        outcome = self.client(number).submit(sql)
        for client in self.clients.values():
            self.come_to_rest(client)
        return outcome

    def come_to_rest(self, client: Client) -> None:
        seen_waiting = False
        while not client.idle.wait(POLL_SECONDS[self.engine]):
            waits = self.waits(client)
            if waits and seen_waiting:
                client.current.waited = True
                return
            seen_waiting = waits

    def waits(self, client: Client) -> bool:
        with self.watcher.cursor() as cursor:
            cursor.execute(WAITS[self.engine].format(client.number))
            return cursor.fetchone()[0] > 0

    def settle(self) -> None:
        """Lets every statement end."""
        for client in self.clients.values():
            if not client.idle.wait(2 * LOCK_WAIT_SECONDS):
                raise TimeoutError(f"a connection hangs: {client.current.sql}")

    def close(self) -> None:
        for client in self.clients.values():
            if not client.idle.is_set():
                with self.watcher.cursor() as cursor:
                    cursor.execute(f"KILL {client.number}")
            client.close()
        self.watcher.close()
