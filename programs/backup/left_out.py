# SPDX-License-Identifier: GPL-2.0-only
"""What a restored backup of some databases still has of the others: InnoDB's dictionary names their
tables, `mysql` their routines, events and statistics. A private server, without ROCKSDB, removes it
by DROP DATABASE, for which the database has to be there. Privileges stay, as they do after any DROP
DATABASE.
"""

from collections.abc import Iterable
from pathlib import Path

import pymysql

from programs.backup.errors import BackupError
from programs.backup.new_server import NewServer
from programs.backup.server import OWN_DATABASES, text_of

# database names of tables that InnoDB knows, as the server shows them
OF_INNODB = """SELECT DISTINCT CONVERT(CAST(SUBSTRING_INDEX(name, '/', 1) AS BINARY) USING filename)
 FROM information_schema.INNODB_SYS_TABLES WHERE name LIKE '%/%'"""
# tables of `mysql` with a row for something in a database, and the column that names it. What DROP
# DATABASE removes itself is here for databases of which InnoDB knows nothing
OF_THE_SERVER = {
    "proc": "db",
    "event": "db",
    "table_stats": "db_name",
    "column_stats": "db_name",
    "index_stats": "db_name",
}


def remove(server: NewServer, datadir: Path, work: Path, databases: Iterable[str]) -> None:
    """`databases` are those of the backup. `work`, inside of `datadir`, gets all that is not to
    stay."""
    kept = {*databases, *OWN_DATABASES}
    with server.started(datadir, work, False) as link:
        try:
            for name in sorted(left_out(link) - kept):
                drop(link, name)
        except pymysql.Error as error:
            text = f"the databases that were left out cannot be removed: {text_of(error)}"
            raise BackupError(text) from error


def left_out(link: pymysql.Connection) -> set[str]:
    asked = [OF_INNODB]
    asked += [
        f"SELECT DISTINCT {column} FROM mysql.{name}" for name, column in OF_THE_SERVER.items()
    ]
    with link.cursor() as cursor:
        found = set()
        for statement in asked:
            cursor.execute(statement)
            found |= {text(row[0]) for row in cursor.fetchall()}
        return found


def drop(link: pymysql.Connection, name: str) -> None:
    quoted = "`" + name.replace("`", "``") + "`"
    with link.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {quoted}")
        cursor.execute(f"DROP DATABASE {quoted}")
        for table, column in OF_THE_SERVER.items():
            cursor.execute(f"DELETE FROM mysql.{table} WHERE {column}=%s", [name])


def text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else value
