# SPDX-License-Identifier: GPL-2.0-only
"""One client of the load: a thread, its connection, and its journal of acknowledged commits.

The journal lives in the client: what it knows to be committed (its model) and, from the moment
before a commit is sent until its answer, what is in flight (`pending`). After a kill an operation
in flight may have happened or not, but not by half; check() finds out and takes that as known.
"""

import threading
from dataclasses import dataclass, field
from random import Random

import pymysql
from pymysql.constants import CR, ER

from tests.kit import error_numbers

GONE = (
    CR.CR_SERVER_GONE_ERROR,
    CR.CR_SERVER_LOST,
    CR.CR_CONN_HOST_ERROR,
    CR.CR_CONNECTION_ERROR,
    CR.CR_COMMANDS_OUT_OF_SYNC,
    0,
)
SHUTDOWN = (ER.SERVER_SHUTDOWN, error_numbers.CONNECTION_KILLED)  # the server says goodbye
# lock wait timeout, deadlock, changed since the snapshot, XA rolled back for one of these
RETRY = (
    ER.LOCK_WAIT_TIMEOUT,
    ER.LOCK_DEADLOCK,
    ER.CHECKREAD,
    error_numbers.XA_RBDEADLOCK,
    error_numbers.XA_RBTIMEOUT,
    ER.XA_RBROLLBACK,
)


class Stopped(Exception):
    """The server is gone, or the load ends."""


@dataclass
class Problem:
    """`kind`: lost (acknowledged, but not there), extra (there, but never committed), half (an
    operation in part), orphan (a row without a parent), broken (anything else that must not be)."""

    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}"


@dataclass
class Counts:
    acknowledged: int = 0
    retried: int = 0
    in_flight: int = 0  # when the server died
    in_flight_whole: int = 0  # of these, found committed
    errors: list[str] = field(default_factory=list)


class Client:
    """Subclasses define create(), step() and check(). step() raises Stopped through execute()."""

    def __init__(self, number: int, seed: int, connect):
        self.number = number
        self.rng = Random(seed * 1000 + number)
        self.connect = connect
        self.link = None
        self.counts = Counts()
        self.binlog = False  # set by the harness
        self.stop = threading.Event()

    # --- for subclasses

    def create(self) -> list[str]:
        """Statements that make the tables; run once, by one client of the class."""
        return []

    def step(self) -> None:
        raise NotImplementedError

    def check(self, execute) -> list[Problem]:
        """After a restart. `execute` runs a statement and returns its rows. Must leave the model
        as what is in the tables, so that one fault is reported once."""
        raise NotImplementedError

    def execute(self, sql: str) -> list[tuple]:
        if self.stop.is_set():
            raise Stopped
        try:
            with self.link.cursor() as cursor:
                cursor.execute(sql)
                self.insert_id = cursor.lastrowid
                return list(cursor.fetchall()) if cursor.description else []
        except pymysql.Error as error:
            if error.args and error.args[0] in GONE + SHUTDOWN:
                raise Stopped from error
            raise

    def acknowledge(self) -> None:
        self.counts.acknowledged += 1

    def settle(self, happened: bool) -> None:
        """Counts an operation that was in flight when the server died."""
        self.counts.in_flight += 1
        self.counts.in_flight_whole += happened

    def abandon(self) -> None:
        """Called after a lock error: nothing of the operation may stay."""
        self.execute("ROLLBACK")

    # --- the thread

    def reconnect(self) -> None:
        if self.link is not None:
            self.link.close()
        try:
            self.link = self.connect()
        except (pymysql.Error, OSError) as error:
            raise Stopped from error

    def leave(self) -> None:
        """Closes the connection without a goodbye: the server may be gone."""
        if self.link is not None:
            self.link._force_close()
            self.link = None

    def run(self) -> None:
        """Runs steps until the server is gone or stop is set."""
        try:
            self.reconnect()
            while not self.stop.is_set():
                self.one_step()
        except (Stopped, OSError):
            pass
        finally:
            self.leave()

    def one_step(self) -> None:
        try:
            self.step()
        except pymysql.Error as error:
            if error.args and error.args[0] in RETRY:
                self.counts.retried += 1
                self.abandon()
                return
            self.counts.errors.append(f"{type(self).__name__} {self.number}: {error}")
            raise Stopped from error
