# SPDX-License-Identifier: GPL-2.0-only
"""Runs one history on two engines of one server, in two databases, and compares the answers."""

import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import pymysql
from pymysql.constants import CR, ER, SERVER_STATUS

from tests.kit import error_numbers
from tests.kit.side_by_side import final_check
from tests.kit.side_by_side.statement import Statement
from tests.kit.side_by_side.time_limit import OutOfTime

ENGINES = {"rocksdb": "ROCKSDB", "myrocks": "ROCKSDB", "innodb": "InnoDB", "myisam": "MyISAM"}
# lock wait timeout, deadlock, row changed since the snapshot: engines may differ in what waits
LOCK_ERRORS = (ER.LOCK_WAIT_TIMEOUT, ER.LOCK_DEADLOCK, ER.CHECKREAD)
GONE = (
    CR.CR_SERVER_GONE_ERROR,
    CR.CR_SERVER_LOST,
    CR.CR_CONN_HOST_ERROR,
    CR.CR_CONNECTION_ERROR,
    0,
)
# the second is the handler's own number, which the server gives on where a statement writes
OLDER_SNAPSHOT = {ER.TABLE_DEF_CHANGED, error_numbers.HANDLER_TABLE_DEF_CHANGED}
PURGE_TRIES = 5
SEARCH = re.compile(r"\b(MBR|ST_)[A-Z]")  # of geometries
FAULTS_OF_SEARCHES = (ER.READ_ONLY_TRANSACTION, ER.OUT_OF_RESOURCES)
# for one statement: more than max_statement_time of the histories, which does not end DDL
PATIENCE = 60


class ServerDied(Exception):
    pass


@dataclass
class Mismatch:
    """`kind`: effect, rows, error, contents, died, hung; `place`: index of the statement, or the
    number of statements for the checks at the end."""

    kind: str
    place: int
    what: str
    tested: str
    peer: str

    def __str__(self) -> str:
        return f"{self.what}\n  tested: {self.tested}\n  peer:   {self.peer}"


@dataclass
class Answer:
    error: int = 0
    text: str = ""
    affected: int = 0
    insert_id: int = 0
    rows: list[tuple] | None = None


@dataclass
class Side:
    """One engine: a database of its own and one connection a client of the history. `asking`: the
    statement that has not been answered. `patience`: seconds that a statement may take."""

    server: object
    engine: str
    database: str
    connections: dict[int, object] = field(default_factory=dict)
    asking: str = ""
    patience: float = PATIENCE

    def connection(self, number: int):
        if number not in self.connections:
            # no conversion: values are compared as the server's own text
            link = self.connect(self.database, conv={}, use_unicode=False)
            link.query(f"SET default_storage_engine = {ENGINES[self.engine]}")
            link.query("SET innodb_lock_wait_timeout = 0")
            if self.engine == "rocksdb":
                link.query("SET rocksdb_lock_wait_timeout = 1")
            self.connections[number] = link
        return self.connections[number]

    def connect(self, database: str | None = None, **options):
        # PyMySQL would spend 50 ms a connection on reading certificates
        options = {"ssl_disabled": True, "read_timeout": self.patience, **options}
        return self.server.connect(database, **options)

    def open(self) -> None:
        with self.connect() as link:
            for sql in (
                f"DROP DATABASE IF EXISTS {self.database}",
                f"CREATE DATABASE {self.database} CHARACTER SET utf8mb4",
            ):
                self.asking = sql
                link.query(sql)
        self.asking = ""

    def close(self) -> None:
        for link in self.connections.values():
            try:
                link.close()
            except pymysql.Error:
                pass
        self.connections.clear()

    def in_transaction(self, statement: Statement) -> bool:
        """Is a transaction open after this statement, the last one of its connection?"""
        status = self.connections[statement.connection].server_status
        return bool(status & SERVER_STATUS.SERVER_STATUS_IN_TRANS)

    def execute(self, sql: str, connection: int = 0) -> Answer:
        link = self.connection(connection)
        self.asking = sql
        try:
            with link.cursor() as cursor:
                affected = cursor.execute(sql)
                rows = [tuple(map(text, r)) for r in cursor.fetchall()]
                rows = rows if cursor.description else None
                self.asking = ""
                return Answer(0, "", affected, cursor.lastrowid or 0, rows)
        except pymysql.Error as error:
            number = error.args[0] if error.args else 0
            if number in GONE:
                raise ServerDied(str(error)) from error
            self.asking = ""
            return Answer(number, str(error.args[1]).replace(f"{self.database}`.", "db`."))


class HistoriesParted(Exception):
    """A lock was in the way of a write on one side only, and the other has committed it."""


class Runner:
    """`tested` and `peer` are keys of ENGINES; the server must have both. `database`: what the
    names of the two databases begin with."""

    def __init__(self, server, tested: str, peer: str = "innodb", database: str = ""):
        self.server = server
        self.tested = Side(server, tested, f"{database}tested")
        self.peer = Side(server, peer, f"{database}peer")
        self.sides = [self.tested, self.peer]
        self.statements = 0  # how many have been compared, for the report
        self.left_out = {"peer": 0, "tested": 0}  # a lock was in the way there, or see step()

    def run(
        self,
        statements: Iterable[Statement],
        observe: Callable[[Statement, bool], None] = lambda s, ok: None,
        history: list[Statement] | None = None,
    ) -> Mismatch | None:
        """Runs a history from an empty database; None when all agrees. `history` receives the
        statements as they are drawn."""
        history = [] if history is None else history
        try:
            for side in self.sides:
                side.open()
            for statement in statements:
                history.append(statement)
                mismatch = self.step(statement, len(history) - 1, observe)
                if mismatch:
                    return mismatch
            return self.check_contents(len(history))
        except HistoriesParted:
            return None
        except (ServerDied, OutOfTime, pymysql.Error, OSError) as error:
            return self.died(len(history) - 1, error)
        finally:
            for side in self.sides:
                side.close()

    def be_patient(self, seconds: float) -> None:
        """How long a statement of the next histories may take."""
        for side in self.sides:
            side.patience = seconds

    def step(self, statement: Statement, place: int, observe) -> Mismatch | None:
        if statement.peer_first:
            self.peer.execute(statement.peer_first, statement.connection)
        peer = self.ask_peer(statement)
        if peer.error in LOCK_ERRORS and statement.may_wait:
            return self.leave_out("peer", statement)
        if fault_of_peer(statement, peer):
            self.left_out["peer"] += 1
            return None
        tested = self.tested.execute(statement.sql(), statement.connection)
        if tested.error in LOCK_ERRORS and statement.may_wait:
            if peer.rows is None and peer.affected and not self.peer.in_transaction(statement):
                self.left_out["tested"] += 1
                raise HistoriesParted
            return self.leave_out("tested", statement)
        if statement.may_wait and {peer.error, tested.error} & OLDER_SNAPSHOT:
            return self.older_snapshot(statement, tested, peer)
        if waits_first(statement, tested, peer):
            self.left_out["tested"] += 1
            return None
        self.statements += 1
        observe(statement, peer.error == 0)
        mismatch = compare(statement, place, tested, peer)
        if mismatch and self.server_ends_early(statement, tested, peer):
            return None
        return mismatch

    def ask_peer(self, statement: Statement) -> Answer:
        """InnoDB's purge, too, has metadata locks, for moments: an ALTER that nobody else can hold
        up is tried again."""
        peer = self.peer.execute(statement.sql(peer=True), statement.connection)
        for _ in range(0 if statement.may_wait else PURGE_TRIES):
            if peer.error != ER.LOCK_WAIT_TIMEOUT:
                break
            time.sleep(0.02)
            peer = self.peer.execute(statement.sql(peer=True), statement.connection)
        return peer

    def server_ends_early(self, statement: Statement, tested: Answer, peer: Answer) -> bool:
        """Is all that is missing what the server's own end of a LIKE range loses when it reads
        backwards along a descending key: characters beyond U+FFFF? (See like_bounds.h in
        src/server/handler.) Then the peer's way of asking, without that range, must give the
        peer's answer."""
        if statement.compare != "ordered" or " LIKE " not in statement.sql() or not peer.rows:
            return False
        lost = final_check.difference(peer.rows, tested.rows or [])
        if not lost or not all(any(map(beyond_plane_0, row)) for row in lost):
            return False
        again = self.tested.execute(statement.without_like_range(), statement.connection)
        return again.rows == peer.rows

    def older_snapshot(self, statement: Statement, tested: Answer, peer: Answer) -> None:
        """The table was changed after the snapshot. An engine that has copied it, or reads it by a
        new index, says so; another way is another answer."""
        if tested.error == peer.error:
            self.statements += 1
        else:
            self.leave_out("peer" if peer.error else "tested", statement)

    def leave_out(self, where: str, statement: Statement) -> None:
        """Engines differ in what they lock besides the rows that matter."""
        self.left_out[where] += 1
        for side in self.sides:
            side.execute("ROLLBACK", statement.connection)

    def check_contents(self, place: int) -> Mismatch | None:
        for side in self.sides:
            for number in list(side.connections):
                side.execute("ROLLBACK", number)
        found = final_check.check(self.tested, self.peer)
        return Mismatch("contents", place, *found) if found else None

    def died(self, place: int, error: Exception) -> Mismatch:
        """The server is gone, or does not answer: restarts it, so that shrinking can go on."""
        hung = isinstance(error, OutOfTime) or self.server.running()
        open_questions = [f"{s.engine}: {s.asking}" for s in self.sides if s.asking]
        what = "; ".join(open_questions) or "between two statements"
        tail = self.server.log_tail(60)
        if hung:
            tail = f"stacks of the server's threads: {self.server.write_stacks()}\n{tail}"
        for side in self.sides:
            side.asking = ""
            side.close()
        self.server.kill()
        self.server.start()
        words = "does not come to an end" if hung else "the server died"
        return Mismatch("hung" if hung else "died", place, f"{words}: {what}", str(error), tail)


def fault_of_peer(statement: Statement, peer: Answer) -> bool:
    """See Statement. Nothing else in a history can end in these errors."""
    if peer.error == error_numbers.VERS_NO_TRX_ID:
        return statement.asks_registry
    return peer.error in FAULTS_OF_SEARCHES and bool(SEARCH.search(statement.text()))


def waits_first(statement: Statement, tested: Answer, peer: Answer) -> bool:
    """An ALTER in place waits for others before it reads rows, and a copy behind that. Of two
    errors, which one comes first is the engine's."""
    errors = {tested.error, peer.error}
    two = len(errors) == 2 and 0 not in errors
    return two and statement.head.startswith("ALTER") and ER.LOCK_WAIT_TIMEOUT in errors


def beyond_plane_0(value: str | None) -> bool:
    return value is not None and max(value, default="") > "\uffff"


def text(value: bytes | None) -> str | None:
    """A value as text; bytes that are no UTF-8 stay apart from one another."""
    return None if value is None else value.decode(errors="surrogateescape")


def compare(statement: Statement, place: int, tested: Answer, peer: Answer) -> Mismatch | None:
    sql = statement.sql()

    def differ(kind: str, a, b) -> Mismatch:
        return Mismatch(kind, place, sql, str(a), str(b))

    if tested.error != peer.error:
        return differ("error", describe(tested), describe(peer))
    if peer.error:
        # a history that lost its CREATE TABLE would name two databases
        may_name = statement.exact_error and peer.error != ER.NO_SUCH_TABLE
        if may_name and tested.text != peer.text:
            return differ("error", describe(tested), describe(peer))
        return None
    if statement.compare == "none":
        return None
    if peer.rows is not None:
        return compare_rows(differ, statement.compare, tested.rows, peer.rows)
    if tested.affected != peer.affected:
        return differ("effect", f"{tested.affected} affected", f"{peer.affected} affected")
    if statement.compare == "identity" and tested.insert_id != peer.insert_id:
        return differ("effect", f"insert id {tested.insert_id}", f"insert id {peer.insert_id}")
    return None


def compare_rows(differ, how: str, tested: list[tuple], peer: list[tuple]) -> Mismatch | None:
    if how == "ordered":
        return differ("rows", shown(tested), shown(peer)) if tested != peer else None
    a, b = sorted(tested, key=repr), sorted(peer, key=repr)
    if a == b:
        return None
    only_a, only_b = final_check.difference(a, b), final_check.difference(b, a)
    return differ(
        "rows",
        f"{len(a)} rows, only here: {shown(only_a)}",
        f"{len(b)} rows, only here: {shown(only_b)}",
    )


def describe(answer: Answer) -> str:
    return f"error {answer.error}: {answer.text}" if answer.error else "no error"


def shown(rows: list[tuple]) -> str:
    text = f"{len(rows)} rows: {rows[:6]}"
    return text if len(rows) <= 6 else text + " ..."
