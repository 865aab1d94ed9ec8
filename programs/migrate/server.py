# SPDX-License-Identifier: GPL-2.0-only
"""The server whose tables move, over one connection.

The session is made so that nothing of it reaches replicas or changes rows by a mode of SQL that
somebody has set. Statements that are to be replicated run in `with server.logged():`.
"""

import contextlib
from collections.abc import Iterator

import pymysql

from programs import connection
from programs.migrate.errors import BadUse, MigrateError, SqlError

PROGRAM = "basalt-migrate"
YEAR = 31536000
TARGET = "ROCKSDB"
SESSION = (
    f"SET SESSION wait_timeout={YEAR}",
    "SET SESSION net_read_timeout=600, net_write_timeout=600",
    # no zero dates are refused, no quotes mean anything else than by default
    "SET SESSION sql_mode='NO_ENGINE_SUBSTITUTION', sql_quote_show_create=1",
    # a sample is read without locks
    "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
)
# from the client library: the connection is gone
LOST = (0, 2006, 2013)


class Server:
    """SqlError when a statement fails; BadUse when there is no connection."""

    def __init__(self, options: connection.Options, lock_wait: int = 60):
        self.options = options
        self.lock_wait = lock_wait
        try:
            self.link = connection.connect(options, PROGRAM, answer_seconds=None)
        except connection.BadOptions as error:
            raise BadUse(str(error)) from error
        except (pymysql.Error, OSError) as error:
            raise BadUse(f"no connection: {words_of(error)[1]}") from error
        for statement in SESSION:
            self.do(statement)
        self.do(f"SET SESSION lock_wait_timeout={lock_wait}")
        self.binary_log = self.variable("log_bin") not in ("0", "OFF", "")

    def another(self) -> "Server":
        """A second connection with the same session."""
        return Server(self.options, self.lock_wait)

    def close(self) -> None:
        with contextlib.suppress(pymysql.Error):
            self.link.close()

    @property
    def id(self) -> int:
        return self.link.thread_id()

    def do(self, statement: str, *values) -> int:
        """Runs it; the number of rows it has changed."""
        return self.run(statement, values)[1]

    def rows(self, statement: str, *values) -> list[tuple]:
        return self.run(statement, values)[0]

    def run(self, statement: str, values: tuple) -> tuple[list[tuple], int]:
        try:
            with self.link.cursor() as cursor:
                changed = cursor.execute(statement, values or None)
                return (list(cursor.fetchall()) if cursor.description else []), changed
        except (pymysql.Error, OSError) as error:
            number, text = words_of(error)
            if number in LOST:
                text = "the server does not answer any more: the connection is lost"
            raise SqlError(number, text) from error

    def one(self, statement: str, *values):
        """The first value of the first row; None without one."""
        found = self.rows(statement, *values)
        return found[0][0] if found else None

    def variable(self, name: str) -> str:
        """'' when the server has none of that name."""
        found = self.rows("SHOW GLOBAL VARIABLES LIKE %s", name.replace("_", r"\_"))
        return found[0][1] if found else ""

    def status(self, name: str) -> str:
        found = self.rows("SHOW GLOBAL STATUS LIKE %s", name.replace("_", r"\_"))
        return found[0][1] if found else ""

    def definition(self, sql_name: str) -> str:
        """What SHOW CREATE TABLE says."""
        return self.rows(f"SHOW CREATE TABLE {sql_name}")[0][1]

    def warnings(self) -> list[str]:
        return [f"{text} ({number})" for _, number, text in self.rows("SHOW WARNINGS")]

    def keep_out_of_binary_log(self) -> None:
        """MigrateError when the user may not, and there is a log."""
        if not self.binary_log:
            return
        try:
            self.do("SET SESSION sql_log_bin=0")
        except SqlError as error:
            raise MigrateError(
                "the server has a binary log, and scratch tables must not reach replicas: "
                f"the user needs the privilege BINLOG ADMIN ({error.text})"
            ) from error

    @contextlib.contextmanager
    def logged(self, wanted: bool) -> Iterator[None]:
        """Statements inside go into the binary log, if there is one and it is wanted."""
        if not (wanted and self.binary_log):
            yield
            return
        self.do("SET SESSION sql_log_bin=1")
        try:
            yield
        finally:
            with contextlib.suppress(SqlError):
                self.do("SET SESSION sql_log_bin=0")

    def check_engine(self) -> None:
        asked = "SELECT support FROM information_schema.engines WHERE engine=%s"
        if self.one(asked, TARGET) not in ("YES", "DEFAULT"):
            raise MigrateError(f"this server has no engine {TARGET}: its plugin is not loaded")
        if self.variable("wsrep_on") in ("ON", "1"):
            raise MigrateError("this server is a node of Galera, which replicates InnoDB only")


def words_of(error: Exception) -> tuple[int, str]:
    """(number, text)."""
    number, text = (*error.args, "", "")[:2]
    if isinstance(number, int):
        return number, str(text) or str(error)
    return 0, str(error)
