# SPDX-License-Identifier: GPL-2.0-only
"""One server of a replication topology. It listens on the loopback interface, because the server's
replication knows no Unix sockets, on a port that the system has free."""

import shutil
import time
from pathlib import Path

from pymysql.constants import ER

from tests.kit import error_numbers
from tests.kit.clients.prepared import text
from tools.errors import DevError
from tools.ports import free_port
from tools.server import PrivateServer, install_data_directory

DATABASE = "rpl"
USER = "repl"
COMMON = [
    "--skip-name-resolve",
    "--gtid-strict-mode=ON",
    "--relay-log=relay",
    "--relay-log-recovery=ON",
    "--master-retry-count=0",
    "--slave-net-timeout=20",
    "--slave-transaction-retries=100",
    "--innodb-flush-log-at-trx-commit=2",
    "--default-tmp-storage-engine=MyISAM",
    "--character-set-server=utf8mb4",
    "--loose-rocksdb-info-log-level=error_level",
]
CATCH_UP_SECONDS = 120.0
# errors of the connection that no new attempt mends: by the primary's log, by its data, fatal
REFUSED = (
    ER.MASTER_FATAL_ERROR_READING_BINLOG,
    error_numbers.SLAVE_FATAL_ERROR,
    error_numbers.SLAVE_RELAY_LOG_WRITE_FAILURE,
    error_numbers.SLAVE_MASTER_COM_FAILURE,
)


class Broken(Exception):
    """Replication has stopped, or does not come to an end: a failure of the test."""


class Node:
    """`binlog`: writes a binary log, and into it what it has replicated. A data directory keeps
    that choice, since a crash with the log on cannot be recovered with it off."""

    def __init__(self, folder: Path, number: int, engine: str, *, binlog: bool):
        self.number, self.binlog = number, binlog
        options = [*COMMON, f"--server-id={number}"]
        if binlog:
            options += ["--log-bin=binlog", "--log-slave-updates", "--max-binlog-size=1M"]
        self.fixed = options
        self.server = PrivateServer(folder, engine, port=free_port(), start_timeout=90)

    def start(self, *options: str) -> None:
        self.server.options = [*self.fixed, *options]
        self.server.start()

    def connect(self, database: str = DATABASE):
        return self.server.connect(
            database, ssl_disabled=True, read_timeout=150, connect_timeout=10
        )

    def one(self, statement: str):
        """The first value of a statement's first row; None when it has none."""
        with self.server.connect(read_timeout=150) as link, link.cursor() as cursor:
            cursor.execute(statement)
            row = cursor.fetchone() if cursor.description else None
            return row[0] if row else None

    def status(self, name: str) -> str:
        """A status variable."""
        (row,) = self.server.query(f"SHOW GLOBAL STATUS LIKE '{name}'")
        return text(row[1])

    # --- as a primary

    def position(self) -> str:
        return self.one("SELECT @@gtid_binlog_pos")

    def prepared(self) -> set[str]:
        """The names of the prepared XA transactions."""
        return {text(row[3]) for row in self.server.query("XA RECOVER")}

    # --- as a replica

    def follow(self, primary: "Node", start: bool = True) -> None:
        self.one(
            f"CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT={primary.server.port},"
            f" MASTER_USER='{USER}', MASTER_USE_GTID=slave_pos, MASTER_CONNECT_RETRY=1"
        )
        if start:
            self.one("START SLAVE")

    def slave_status(self) -> dict[str, object]:
        import pymysql.cursors

        with self.server.connect(cursorclass=pymysql.cursors.DictCursor) as link:
            with link.cursor() as cursor:
                cursor.execute("SHOW SLAVE STATUS")
                return cursor.fetchone() or {}

    def check_running(self) -> None:
        """Raises Broken when an error has stopped the replica."""
        status = self.slave_status()
        if status.get("Last_SQL_Error"):
            raise Broken(f"replica {self.number}: {status['Last_SQL_Error']}")
        # a lost connection passes: the primary is killed now and then
        if status.get("Slave_IO_Running") == "No" and status.get("Last_IO_Errno") in REFUSED:
            raise Broken(f"replica {self.number}: {status['Last_IO_Error']}")
        if status.get("Slave_SQL_Running") != "Yes":
            raise Broken(f"replica {self.number}: its SQL thread does not run")

    def catch_up(self, position: str, seconds: float = CATCH_UP_SECONDS) -> None:
        """Waits until everything up to `position` has been applied. Raises Broken when an error has
        stopped the replica, or when it has not moved for that many seconds."""
        reached, deadline = None, 0.0
        while self.one(f"SELECT MASTER_GTID_WAIT('{position}', 2)") != 0:
            self.check_running()
            here = self.one("SELECT @@gtid_slave_pos")
            if here != reached:
                reached, deadline = here, time.monotonic() + seconds
            elif time.monotonic() > deadline:
                text = f"replica {self.number} is at {here} and not at {position}"
                raise Broken(f"{text}, and was {seconds:.0f} s ago\n{self.threads()}")

    def apply_received(self) -> None:
        """Waits until all has been applied that has arrived, and stops replication for good."""
        self.one("STOP SLAVE IO_THREAD")
        received = self.slave_status().get("Gtid_IO_Pos") or ""
        if received:
            self.catch_up(received)
        self.one("STOP SLAVE")

    def threads(self) -> str:
        """What the server's threads do, for a message."""
        rows = self.server.query("SHOW PROCESSLIST")
        return "\n".join(f"      {r[0]} {r[1]} {r[5]} s {r[6]}: {r[7]}" for r in rows)


def make_template(folder: Path, engine: str, pos_engine: str) -> None:
    """A data directory with the user of replication and `mysql.gtid_slave_pos` in the tested
    engine; the nodes are copies of it."""
    install_data_directory(folder)
    server = PrivateServer(folder, engine, options=COMMON)
    server.start()
    server.sql(
        f"CREATE USER {USER}@'127.0.0.1'; GRANT REPLICATION SLAVE ON *.* TO {USER}@'127.0.0.1';"
        f"ALTER TABLE mysql.gtid_slave_pos ENGINE={pos_engine}; CREATE DATABASE {DATABASE};"
    )
    server.stop()


def copy_template(template: Path, folder: Path) -> None:
    if folder.exists():
        raise DevError(f"{folder} is there already")
    shutil.copytree(template, folder)
