# SPDX-License-Identifier: GPL-2.0-only
"""The server that is backed up, over one connection: lock, checkpoint, position, marks.

Marks: the data directory keeps a file with the ids of the last backups that were made of it. An
increment is taken only against a backup named there. A data directory that was restored, or whose
file system was set back, does not name the later ones: positions of InnoDB's log mean something
else in it.
"""

import contextlib
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pymysql

from programs import connection
from programs.backup.errors import BackupError, NoConnection, naming
from programs.backup.manifest import ID, Position

LOCK = "basalt-backup"
MARKS = "basalt-backup.marks"
MOST_MARKS = 1000
CHECKPOINT = "basalt-backup-checkpoint"
YEAR = 31536000
# InnoDB has names of tables as their files are named
AS_SHOWN = "CONVERT(CAST(SUBSTRING_INDEX({0}, '/', {1}) AS BINARY) USING filename)"
OF_INNODB = (
    "SELECT SUBSTRING_INDEX(id, '/', -1), "
    + ", ".join(AS_SHOWN.format(name, at) for name in ("for_name", "ref_name") for at in (1, -1))
    + " FROM information_schema.INNODB_SYS_FOREIGN"
)
OF_ROCKSDB = (
    "SELECT constraint_name, table_schema, table_name, referenced_table_schema,"
    " referenced_table_name FROM information_schema.ROCKSDB_FOREIGN_KEYS WHERE ordinal_position = 1"
)
# without them no server starts on what is restored
OWN_DATABASES = ("mysql", "performance_schema", "sys")
SAFE_PATH = re.compile(r"[^'\\]+")


class Server:
    """BackupError, with the server's words, when a statement fails."""

    def __init__(self, account: connection.Options):
        """NoConnection when there is none."""
        self.account = account
        try:
            # a flush of all memtables takes as long as it takes
            self.link = connection.connect(account, LOCK, None)
        except (pymysql.Error, OSError) as error:
            raise NoConnection(f"no connection to the server: {text_of(error)}") from error
        self.run(f"SET SESSION wait_timeout={YEAR}")
        self.socket = self.variable("socket")
        self.datadir = Path(self.variable("datadir"))
        self.version = self.variable("version")
        self.store = self.find_store()

    def close(self) -> None:
        with contextlib.suppress(pymysql.Error):
            self.link.close()

    def run(self, statement: str) -> list[tuple]:
        try:
            with self.link.cursor() as cursor:
                cursor.execute(statement)
                return list(cursor.fetchall()) if cursor.description else []
        except (pymysql.Error, OSError) as error:
            raise BackupError(f"{statement.split('=')[0]}: {text_of(error)}") from error

    def variable(self, name: str) -> str:
        (row,) = self.run(f"SELECT @@GLOBAL.{name}")
        return "" if row[0] is None else str(row[0])

    def find_store(self) -> Path | None:
        """RocksDB's directory; None when the server has no engine ROCKSDB."""
        asked = "SELECT 1 FROM information_schema.ENGINES WHERE engine = 'ROCKSDB'"
        if not self.run(f"{asked} AND support IN ('YES', 'DEFAULT')"):
            return None
        return self.datadir / self.variable("rocksdb_datadir")

    def check_layout(self) -> None:
        """What restore could not put back into one data directory is refused before any copy."""
        for name in ("innodb_data_home_dir", "innodb_undo_directory", "innodb_log_group_home_dir"):
            path = self.datadir / (self.variable(name) or ".")
            if path.resolve() != self.datadir.resolve():
                raise BackupError(f"{name} is {path}, outside of the data directory: unsupported")
        if self.store is not None and self.store.resolve() != (self.datadir / "#rocksdb").resolve():
            raise BackupError(f"rocksdb_datadir is {self.store}, not '#rocksdb': unsupported")
        asked = "SELECT name, filename FROM information_schema.INNODB_SYS_TABLESPACES"
        for name, path in self.run(f"{asked} WHERE filename LIKE '/%'"):
            text = f"InnoDB's {name} is in {path}, outside of the data directory: unsupported"
            raise BackupError(text)
        if not os.access(self.datadir, os.R_OK | os.X_OK):
            raise BackupError(f"{self.datadir} cannot be read: run this as the server's user")

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """One backup of a server at a time."""
        if self.run(f"SELECT GET_LOCK('{LOCK}', 0)") != [(1,)]:
            raise BackupError("another basalt-backup is copying this server; wait for its end")
        try:
            self.remove_checkpoint()
            yield
        finally:
            with contextlib.suppress(BackupError):
                self.remove_checkpoint()
                self.run(f"SELECT RELEASE_LOCK('{LOCK}')")

    # --- some databases

    def folders(self, databases: tuple[str, ...]) -> tuple[str, ...]:
        """How the folders of the databases are named, and of the server's own; BackupError with the
        first that does not exist."""
        found = [self.folder(name) for name in databases]
        return tuple(dict.fromkeys([*found, *OWN_DATABASES]))

    def folder(self, database: str) -> str:
        quoted = self.link.escape(database)
        (row,) = self.run(f"SELECT CAST(CONVERT({quoted} USING filename) AS BINARY)")
        folder = row[0].decode()
        if "/" in folder or not (self.datadir / folder).is_dir():
            raise BackupError(f"the server has no database '{database}'")
        return folder

    def check_references(self, databases: tuple[str, ...]) -> None:
        """BackupError with the first foreign key from one of these databases to another. For
        ROCKSDB the checkpoint has the last word (keep_databases.cc): DDL may come before it."""
        kept = {*databases, *OWN_DATABASES}
        for key, schema, child, to_schema, parent in self.references():
            if schema in kept and to_schema not in kept:
                text = f"the foreign key {key} of {schema}.{child} leads to {to_schema}.{parent}"
                raise BackupError(f"{text}, whose database is left out")

    def references(self) -> list[tuple]:
        """Name, child and parent of each foreign key; only those of ROCKSDB and InnoDB are kept by
        an engine. Stock MyRocks has none, and no table that tells."""
        asked = "SELECT 1 FROM information_schema.PLUGINS WHERE plugin_status = 'ACTIVE'"
        known = self.run(f"{asked} AND plugin_name = 'ROCKSDB_FOREIGN_KEYS'")
        return self.run(OF_INNODB) + (self.run(OF_ROCKSDB) if known else [])

    # --- the checkpoint

    def checkpoint(self) -> Path | None:
        return None if self.store is None else self.store / CHECKPOINT

    def flush(self) -> None:
        """Before commits are blocked, so that the checkpoint has little to write."""
        if self.store is not None:
            self.run("SET GLOBAL rocksdb_force_flush_memtable_now=1")

    def make_checkpoint(self) -> None:
        path = self.checkpoint()
        if path is None:
            return
        if not SAFE_PATH.fullmatch(str(path)):
            raise BackupError(f"{path}: a quote in the path of the data directory: unsupported")
        self.run(f"SET GLOBAL rocksdb_create_checkpoint='{path}'")

    def remove_checkpoint(self) -> None:
        """Also of a backup that was killed: the lock says that no other one is at work."""
        path = self.checkpoint()
        if path is not None and path.is_dir():
            with naming(path):
                shutil.rmtree(path)

    def position(self) -> Position:
        """Means something while commits are blocked."""
        status = self.run("SHOW MASTER STATUS")
        file, offset = (str(status[0][0]), int(status[0][1])) if status else ("", 0)
        gtid = self.variable("gtid_binlog_pos")
        return Position(file, offset, gtid, self.variable("gtid_slave_pos"))

    # --- marks

    def marks(self) -> list[str]:
        try:
            lines = (self.datadir / MARKS).read_text(errors="replace").split("\n")
        except OSError:
            return []
        return [line for line in lines if ID.fullmatch(line)]

    def mark(self, made: str) -> None:
        """Whole or not at all. The file belongs to whom the data directory belongs to."""
        path, owner = self.datadir / MARKS, self.datadir.stat()
        fresh = path.with_suffix(".new")
        with naming(path):
            with open(fresh, "w") as file:
                file.write("\n".join([*self.marks(), made][-MOST_MARKS:]) + "\n")
                file.flush()
                os.fsync(file.fileno())
            if os.geteuid() == 0:
                os.chown(fresh, owner.st_uid, owner.st_gid)
            os.replace(fresh, path)


def text_of(error: Exception) -> str:
    return str(error.args[1]) if len(error.args) > 1 else str(error)
