# SPDX-License-Identifier: GPL-2.0-only
"""A server whose databases come in pairs: ROCKSDB tables in one, their InnoDB twins in the other,
made and changed by the same statements."""

from collections.abc import Iterable
from pathlib import Path

import pymysql

from tools.errors import DevError
from tools.server import PrivateServer

TWIN = "_twin"
# Options of the stock plugin that let it take every table of the tests; `loose-`, because ours
# does not know them all. Nothing here has to survive a power failure.
OPTIONS = [
    "--loose-rocksdb-strict-collation-check=OFF",
    "--loose-rocksdb-large-prefix=ON",
    "--rocksdb-flush-log-at-trx-commit=2",
    "--innodb-flush-log-at-trx-commit=0",
    "--innodb-flush-method=nosync",
    "--innodb-doublewrite=0",
    "--debug-no-sync",
    "--character-set-server=utf8mb4",
    "--collation-server=utf8mb4_general_ci",
]


class TestServer(PrivateServer):
    """Killed instead of stopped when a `with` block fails: what failed is what is reported."""

    def __exit__(self, kind, *_) -> None:
        if kind is None:
            self.stop()
        else:
            self.kill()


# CR_SERVER_GONE_ERROR, CR_SERVER_LOST; PyMySQL has no number for a connection that is closed
SERVER_GONE = (2006, 2013, 0)


def new_server(folder: Path, engine: str, options: Iterable[str] = ()) -> TestServer:
    """The server on a data directory of the tests, with 'myrocks' or 'rocksdb' as its plugin."""
    return TestServer(folder, engine, [*OPTIONS, *options])


class Link:
    """A connection that returns values as the server's bytes, without conversion."""

    def __init__(self, server: PrivateServer, database: str | None = None):
        self.server = server
        self.raw = server.connect(
            database, conv={}, use_unicode=False, read_timeout=120, ssl_disabled=True
        )

    def __enter__(self) -> "Link":
        return self

    def __exit__(self, *_) -> None:
        try:
            self.raw.close()
        except pymysql.Error:
            pass

    def execute(self, sql: str) -> list[tuple]:
        """All rows, [] for a statement without a result. Raises DevError naming the statement."""
        try:
            with self.raw.cursor() as cursor:
                cursor.execute(sql)
                return list(cursor.fetchall())
        except pymysql.Error as error:
            raise DevError(f"{error.args}: {sql[:400]}") from error

    def error_of(self, sql: str) -> int:
        """The error number of the statement, 0 when it succeeds. DevError when the server has
        gone: that is no answer to compare."""
        try:
            with self.raw.cursor() as cursor:
                cursor.execute(sql)
                cursor.fetchall()
            return 0
        except pymysql.Error as error:
            if error.args[0] in SERVER_GONE:
                raise DevError(
                    f"{self.server.engine}: {error.args}: {sql[:400]}\n{self.server.log_tail()}"
                ) from error
            return error.args[0]


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def create_databases(server: PrivateServer, name: str) -> None:
    with Link(server) as link:
        for database in (name, name + TWIN):
            link.execute(f"CREATE DATABASE {quoted(database)} CHARACTER SET utf8mb4")


def run_on_both(server: PrivateServer, name: str, statements: Iterable[str]) -> None:
    """Runs the statements in the database and in its twin, where ENGINE clauses must be absent."""
    statements = list(statements)
    for database, engine in ((name, "ROCKSDB"), (name + TWIN, "InnoDB")):
        with Link(server, database) as link:
            link.execute(f"SET default_storage_engine={engine}, sql_mode='', timestamp=1700000000")
            for statement in statements:
                link.execute(statement)


def pairs(server: PrivateServer) -> list[str]:
    """The databases that have a twin."""
    with Link(server) as link:
        names = [row[0].decode() for row in link.execute("SHOW DATABASES")]
    return [n for n in names if n + TWIN in names]
