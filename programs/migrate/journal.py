# SPDX-License-Identifier: GPL-2.0-only
"""What has moved, and what was taken off for a move: a table in the server itself.

It is there because nothing else is at hand for certain: the program may be started again from
another machine, and a restored backup has the journal that fits its tables. It is in InnoDB, so a
crash of the server keeps it, and it stays out of the binary log, as replicas have a state of their
own. Whether a table has moved is not in it: the server knows the table's engine, and an ALTER that
is cut off leaves the old table.
"""

import json
from dataclasses import dataclass, field

from programs.migrate.catalog import SCRATCH
from programs.migrate.names import Name
from programs.migrate.server import Server

MOVING, MOVED, FAILED, UNDONE = "moving", "moved", "failed", "undone"
TABLE = f"`{SCRATCH}`.`journal`"
CREATE = f"""CREATE TABLE IF NOT EXISTS {TABLE} (
  table_schema VARCHAR(64) NOT NULL,
  table_name VARCHAR(64) NOT NULL,
  state VARCHAR(16) NOT NULL,
  origin VARCHAR(64) NOT NULL COMMENT 'the engine before the first move',
  target VARCHAR(64) NOT NULL COMMENT 'the engine of the last statement',
  foreign_keys LONGTEXT NOT NULL COMMENT 'clauses that were taken off and must come back',
  definition LONGTEXT NOT NULL COMMENT 'SHOW CREATE TABLE before the first move',
  worker BIGINT NOT NULL COMMENT 'connection of the statement',
  bytes_before BIGINT NOT NULL,
  measured BIGINT COMMENT 'checksum or number of rows before the statement',
  row_count BIGINT,
  proof VARCHAR(255) NOT NULL DEFAULT '',
  message TEXT NOT NULL DEFAULT '',
  began DATETIME NOT NULL,
  ended DATETIME,
  PRIMARY KEY (table_schema, table_name)
) ENGINE=InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"""
COLUMNS = (
    "table_schema, table_name, state, origin, target, foreign_keys, definition, worker,"
    " bytes_before, measured, row_count, proof, message"
)


@dataclass
class Record:
    name: Name
    state: str
    origin: str
    target: str
    foreign_keys: dict[str, str] = field(default_factory=dict)
    definition: str = ""
    worker: int = 0
    bytes_before: int = 0
    measured: int | None = None
    rows: int | None = None
    proof: str = ""
    message: str = ""

    @property
    def open(self) -> bool:
        """Something of it is half done."""
        return self.state in (MOVING, FAILED)


class Journal:
    """The connection must stay out of the binary log."""

    def __init__(self, server: Server):
        self.server = server

    def create(self) -> None:
        self.server.do(f"CREATE DATABASE IF NOT EXISTS {SCRATCH}")
        self.server.do(CREATE)

    def read(self) -> dict[Name, Record]:
        """Nothing when there is no journal."""
        there = self.server.one(
            "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema=%s"
            " AND table_name='journal'", SCRATCH,
        )  # fmt: skip
        if not there:
            return {}
        found = {}
        asked = f"SELECT {COLUMNS} FROM {TABLE} ORDER BY began, table_schema, table_name"
        for schema, table, state, origin, target, keys, *rest in self.server.rows(asked):
            name = Name(schema, table)
            found[name] = Record(name, state, origin, target, json.loads(keys), *rest)
        return found

    def begin(self, record: Record) -> None:
        """Before anything is changed. What an earlier, open move has taken off is kept."""
        old = self.read().get(record.name)
        if old is not None and old.open:
            record.foreign_keys = {**old.foreign_keys, **record.foreign_keys}
            record.measured = old.measured
        if old is not None and old.state != UNDONE:
            record.origin, record.definition = old.origin, old.definition
            record.bytes_before = old.bytes_before
        self.server.do(
            f"REPLACE INTO {TABLE} ({COLUMNS}, began) VALUES ({'%s, ' * 13}NOW())",
            record.name.schema, record.name.table, MOVING, record.origin, record.target,
            json.dumps(record.foreign_keys), record.definition, record.worker,
            record.bytes_before, record.measured, None, "", "",
        )  # fmt: skip

    def note(self, name: Name, measured: int | None) -> None:
        """What a comparison at the end needs, also when that is in another run."""
        self.server.do(
            f"UPDATE {TABLE} SET measured=%s WHERE table_schema=%s AND table_name=%s",
            measured, name.schema, name.table,
        )  # fmt: skip

    def end(self, name: Name, state: str, proof: str = "", rows: int | None = None) -> None:
        self.server.do(
            f"UPDATE {TABLE} SET state=%s, proof=%s, row_count=%s, message='', foreign_keys='{{}}',"
            " worker=0, ended=NOW() WHERE table_schema=%s AND table_name=%s",
            state, proof, rows, name.schema, name.table,
        )  # fmt: skip

    def fail(self, name: Name, message: str) -> None:
        self.server.do(
            f"UPDATE {TABLE} SET state=%s, message=%s, worker=0, ended=NOW()"
            " WHERE table_schema=%s AND table_name=%s",
            FAILED, message, name.schema, name.table,
        )  # fmt: skip

    def forget(self, name: Name) -> None:
        """A move that has changed nothing."""
        self.server.do(f"DELETE FROM {TABLE} WHERE table_schema=%s AND table_name=%s",
                       name.schema, name.table)  # fmt: skip
