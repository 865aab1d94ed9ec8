# SPDX-License-Identifier: GPL-2.0-only
"""One server of two, and what can be seen on it: definitions and rows of a database."""

import os
import re
import signal
import subprocess
from pathlib import Path

import pymysql

from tests.kit.side_by_side.server_options import ENGINE_OPTIONS, OPTIONS
from tools.errors import DevError
from tools.server import PrivateServer

MORE_OPTIONS = [
    "--innodb-autoinc-lock-mode=0",  # the next value does not depend on the kind of statement
    "--innodb-file-per-table=0",
    "--sync-frm=0",
]
PATIENCE = 300  # seconds that a program or a statement may take
STORAGE_ENGINES = {"rocksdb": "ROCKSDB", "innodb": "InnoDB"}
NAMED_ENGINE = re.compile(r"\bENGINE\s*=\s*InnoDB\b", re.IGNORECASE)
SHOWN_ENGINE = re.compile(r"\bENGINE=\w+")
# it tells how values were handed out, not what a constraint is
SHOWN_COUNTER = re.compile(r" AUTO_INCREMENT=\d+")
VIEWS = ("REFERENTIAL_CONSTRAINTS", "KEY_COLUMN_USAGE", "TABLE_CONSTRAINTS")
# the applications read the clock themselves, so of these columns only NULL is compared
CLOCKS = ("datetime", "timestamp", "time")

Picture = dict[str, object]  # what was asked -> the answer


class Side:
    """A server whose tables are of one engine, also those of scripts that name InnoDB."""

    def __init__(self, engine: str, folder: Path):
        self.engine, self.folder = engine, folder
        self.storage_engine = STORAGE_ENGINES[engine]
        options = OPTIONS + ENGINE_OPTIONS[engine] + MORE_OPTIONS
        self.server = PrivateServer(folder / "data", engine, options)
        self.database = ""
        self.session: dict[str, str] = {}  # variables of each connection of connect()

    def start(self) -> None:
        self.folder.mkdir(parents=True)
        self.server.start()

    def open(self, database: str, session: dict[str, str] | None = None) -> None:
        """A new empty database of that name, which the following is about."""
        self.database, self.session = database, session or {}
        self.server.sql(f"DROP DATABASE IF EXISTS {database}; CREATE DATABASE {database}")

    def own(self, statements: str) -> str:
        """The statements with this side's engine where they name InnoDB."""
        return NAMED_ENGINE.sub(f"ENGINE={self.storage_engine}", statements)

    def script(self, statements: str) -> str:
        """Runs a script through the client program; the rows that it shows. DevError when a
        statement fails."""
        command = self.server.client_command("-N", "--batch", "--raw", self.database)
        return self.call(command, self.own(statements))

    def run(self, command: list[str], environment: dict[str, str]) -> str:
        """Runs a program of an application; its output. DevError when it fails."""
        return self.call(command, "", environment)

    def call(self, command: list[str], text: str, environment: dict[str, str] | None = None) -> str:
        """What a program writes after it was given a text. DevError with its last lines when it
        fails; when it does not end, it is killed with all that it has started."""
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            cwd=self.folder,
            start_new_session=True,
            text=True,
            errors="surrogateescape",
        )
        try:
            output, errors = process.communicate(text, timeout=PATIENCE)
        except subprocess.TimeoutExpired as error:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise DevError(f"{Path(command[0]).name} did not end in {PATIENCE} s") from error
        if process.returncode != 0:
            tail = (output + errors).strip().splitlines()[-25:]
            raise DevError("\n".join([f"{' '.join(command)} failed", *tail]))
        return output

    def connect(self):
        """A connection to the database, with autocommit and the application's variables."""
        link = self.server.connect(self.database, ssl_disabled=True, read_timeout=PATIENCE)
        for name, value in self.session.items():
            link.query(f"SET {name} = {value}")
        return link

    def query(self, statement: str) -> list[tuple]:
        """All rows of one statement."""
        with self.connect() as link, link.cursor() as cursor:
            cursor.execute(statement)
            return list(cursor.fetchall())

    def dump(self, *options: str) -> str:
        """What mariadb-dump writes of the database."""
        command = self.server.client_command(
            "--skip-dump-date", "--routines", "--triggers", *options, self.database,
            program="mariadb-dump",
        )  # fmt: skip
        return self.call(command, "")

    def restore(self, dump: str, database: str) -> None:
        """A new database of that name with what was dumped."""
        self.server.sql(f"DROP DATABASE IF EXISTS {database}; CREATE DATABASE {database}")
        self.call(self.server.client_command("--binary-mode", database), dump)

    def tables(self, database: str = "") -> list[str]:
        rows = self.query(
            "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA ="
            f" '{database or self.database}' AND TABLE_TYPE = 'BASE TABLE'"
        )
        return sorted(name for (name,) in rows)

    def picture(self, database: str = "", rows: bool = True) -> Picture:
        """All that must be equal on both sides; with `rows` a sum of each table's rows too."""
        database = database or self.database
        found: Picture = {"tables": self.tables(database)}
        with self.connect() as link, link.cursor() as cursor:
            link.select_db(database)
            for view in VIEWS:
                cursor.execute(
                    f"SELECT * FROM information_schema.{view} WHERE CONSTRAINT_SCHEMA = %s",
                    (database,),
                )
                own = [[named(v, database) for v in row] for row in cursor.fetchall()]
                found[view] = sorted(own, key=repr)
            for table in found["tables"]:
                cursor.execute(f"SHOW CREATE TABLE `{table}`")
                text = SHOWN_ENGINE.sub("ENGINE=E", cursor.fetchall()[0][1])
                found[f"definition of {table}"] = SHOWN_COUNTER.sub("", text)
                if rows:
                    found[f"rows of {table}"] = row_sum(cursor, database, table)
        return found

    def check_tables(self) -> list[str]:
        """What CHECK TABLE finds wrong, and tables that are not of this side's engine."""
        names = ", ".join(f"`{name}`" for name in self.tables())
        rows = self.query(f"CHECK TABLE {names}") if names else []
        wrong = [f"CHECK TABLE: {row}" for row in rows if row[3] != "OK"]
        others = self.query(
            "SELECT TABLE_NAME, ENGINE FROM information_schema.TABLES WHERE TABLE_SCHEMA ="
            f" '{self.database}' AND TABLE_TYPE = 'BASE TABLE'"
        )
        return wrong + [
            f"{name} is of engine {engine}"
            for name, engine in others
            if engine.lower() != self.engine
        ]


def named(value, database: str):
    """A value in which the database has no name of its own."""
    return "database" if value == database else value


def row_sum(cursor, database: str, table: str) -> tuple:
    """The number of rows, and a sum in which a change of any value shows."""
    cursor.execute(
        "SELECT COLUMN_NAME, DATA_TYPE FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = %s"
        " AND TABLE_NAME = %s ORDER BY ORDINAL_POSITION",
        (database, table),
    )
    parts = []
    for name, kind in cursor.fetchall():
        known = f"HEX(`{name}`)" if kind not in CLOCKS else "'a time'"
        parts.append(f"IF(`{name}` IS NULL, 'null', {known})")
    cursor.execute(
        f"SELECT COUNT(*), SUM(CRC32(CONCAT_WS('#', {', '.join(parts)}))) FROM `{table}`"
    )
    return tuple(cursor.fetchall()[0])


def difference(tested: Picture, peer: Picture) -> str | None:
    """The first answer that differs, with both sides'."""
    for asked in [*peer, *(name for name in tested if name not in peer)]:
        ours, theirs = tested.get(asked), peer.get(asked)
        if ours == theirs:
            continue
        if isinstance(ours, list) and isinstance(theirs, list):
            ours, theirs = without(ours, theirs), without(theirs, ours)
        return f"{asked}\n     tested: {ours}\n     peer:   {theirs}"
    return None


def without(rows: list, others: list) -> list:
    """Rows only of the first list; all of it when both have the same rows in another order."""
    return [row for row in rows if row not in others] or rows


def answer_of(cursor, statement: str) -> str:
    """What a client is told: rows, the number of changed rows, or an error with its text."""
    try:
        changed = cursor.execute(statement)
        rows = cursor.fetchall() if cursor.description else None
    except pymysql.err.Error as error:
        return f"error {': '.join(map(str, error.args))}"
    return f"rows {rows}" if rows is not None else f"changed {changed}"
