# SPDX-License-Identifier: GPL-2.0-only
"""Trials in a database of the program's own: the server itself says what can move, and how large
it becomes. Nothing of this goes into the binary log, and nothing of it stays."""

import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass

from programs.migrate.catalog import SCRATCH, Table
from programs.migrate.errors import SqlError
from programs.migrate.names import Name, quoted
from programs.migrate.server import TARGET, Server

TRIAL, SAMPLE = "trial_", "sample_"
# A sample of less says little about compression, one of more takes long.
SAMPLE_BYTES = 16 << 20
LEAST_ROWS, MOST_ROWS = 20_000, 1_000_000
SLICES = 10
INTEGERS = ("tinyint", "smallint", "mediumint", "int", "bigint")
DIRECTORY = re.compile(r"(?:DATA|INDEX) DIRECTORY ?= ?'([^']*)'")


@dataclass
class Measured:
    """`bytes` of the whole table, computed from `rows` that were really converted."""

    rows: int
    bytes: int | None
    basis: str


class Scratch:
    """The server's connection must stay out of the binary log."""

    def __init__(self, server: Server):
        self.server = server
        self.trial = Name(SCRATCH, f"{TRIAL}{server.id}")
        self.sample = Name(SCRATCH, f"{SAMPLE}{server.id}")

    @contextlib.contextmanager
    def opened(self) -> Iterator["Scratch"]:
        self.server.do(f"CREATE DATABASE IF NOT EXISTS {SCRATCH}")
        try:
            yield self
        finally:
            with contextlib.suppress(SqlError):
                self.remove()

    def remove(self) -> None:
        """What is this connection's, or a dead one has left; the database when it is empty."""
        alive = {
            row[0] for row in self.server.rows("SELECT id FROM information_schema.processlist")
        }
        for table in self.tables():
            owner = re.fullmatch(rf"(?:{TRIAL}|{SAMPLE})(\d+)", table)
            if owner and (int(owner[1]) == self.server.id or int(owner[1]) not in alive):
                self.drop(Name(SCRATCH, table))
        if not self.tables():
            self.server.do(f"DROP DATABASE IF EXISTS {SCRATCH}")

    def tables(self) -> list[str]:
        asked = "SELECT table_name FROM information_schema.tables WHERE table_schema=%s"
        return [row[0] for row in self.server.rows(asked, SCRATCH)]

    def drop(self, name: Name) -> None:
        self.server.do(f"DROP TABLE IF EXISTS {name.sql}")

    def drop_last(self, name: Name) -> None:
        """When the connection is of no use any more, the next run of the program removes it."""
        with contextlib.suppress(SqlError):
            self.drop(name)

    # --- can it move?

    def refusal(self, table: Table) -> tuple[str, list[str]]:
        """(why the server refuses to move it, warnings of a move); '' when it does not refuse."""
        try:
            definition = self.server.definition(table.name.sql)
            warnings = self.convert_empty(table, self.trial)
            self.refuse_directory(definition)
        except SqlError as error:
            return named(str(error), self.trial, table.name), []
        finally:
            self.drop_last(self.trial)
        return "", [named(text, self.trial, table.name) for text in warnings]

    def convert_empty(self, table: Table, copy: Name) -> list[str]:
        """Makes an empty copy, and moves that as the table itself would be moved."""
        self.drop(copy)
        self.server.do(f"CREATE TABLE {copy.sql} LIKE {table.name.sql}")
        self.server.do(f"ALTER TABLE {copy.sql} ENGINE={TARGET}")
        return self.server.warnings()

    def refuse_directory(self, definition: str) -> None:
        """LIKE forgets the directory, so a small table with one is tried."""
        options = definition[definition.rfind("\n) ") :]
        found = DIRECTORY.search(options)
        if found:
            self.drop(self.trial)
            clause = found[0].replace(found[1], "/tmp")
            self.server.do(f"CREATE TABLE {self.trial.sql} (a INT) ENGINE={TARGET} {clause}")

    # --- how large does it become?

    def measure(self, table: Table) -> Measured:
        """SqlError when the engine refuses a row."""
        try:
            self.convert_empty(table, self.sample)
            rows = self.fill(table)
            size = self.on_disk()
        except SqlError as error:
            raise SqlError(error.number, named(error.text, self.sample, table.name)) from error
        finally:
            self.finish_load()
            self.drop_last(self.sample)
        if not rows or not size:
            return Measured(rows, None, "not measured: no rows" if not rows else "not measured")
        whole = max(table.rows, rows)
        where = "" if rows == whole or self.integer_key(table.name) else ", from the beginning"
        basis = f"{rows:,} of about {whole:,} rows converted{where}"
        return Measured(rows, size * whole // rows, basis)

    def fill(self, table: Table) -> int:
        """Rows from all over the table as a bulk load, whose files are what a move makes."""
        columns = self.stored_columns(table.name)
        wanted = SAMPLE_BYTES // max(table.row_length, 1)
        wanted = min(max(wanted, LEAST_ROWS), MOST_ROWS)
        self.server.do("SET SESSION check_constraint_checks=0, unique_checks=1")
        self.server.do("SET SESSION rocksdb_bulk_load_allow_unsorted=1")
        self.server.do("SET SESSION rocksdb_bulk_load=1")
        insert = f"INSERT INTO {self.sample.sql} ({columns}) SELECT {columns} FROM {table.name.sql}"
        rows = 0
        for where, limit in self.slices(table, wanted):
            rows += self.server.do(f"{insert}{where} LIMIT {limit}")
        self.finish_load()
        return rows

    def finish_load(self) -> None:
        with contextlib.suppress(SqlError):
            self.server.do("SET SESSION rocksdb_bulk_load=0")

    def slices(self, table: Table, wanted: int) -> list[tuple[str, int]]:
        """(WHERE, LIMIT) of each piece: ten places of the primary key when it begins with an
        integer, else the beginning of the table."""
        key = self.integer_key(table.name)
        if key is None or table.rows <= wanted:
            return [("", wanted)]
        low, high = self.server.rows(f"SELECT MIN({key}), MAX({key}) FROM {table.name.sql}")[0]
        if low is None or high - low < SLICES:
            return [("", wanted)]
        bounds = [low + (high - low) * n // SLICES for n in range(SLICES)] + [high + 1]
        return [
            (f" WHERE {key} >= {a} AND {key} < {b} ORDER BY {key}", wanted // SLICES)
            for a, b in zip(bounds, bounds[1:], strict=False)
        ]

    def integer_key(self, name: Name) -> str | None:
        found = self.server.rows(
            "SELECT s.column_name, c.data_type FROM information_schema.statistics s"
            " JOIN information_schema.columns c USING (table_schema, table_name, column_name)"
            " WHERE s.table_schema=%s AND s.table_name=%s AND s.index_name='PRIMARY'"
            " AND s.seq_in_index=1", name.schema, name.table,
        )  # fmt: skip
        return quoted(found[0][0]) if found and found[0][1] in INTEGERS else None

    def stored_columns(self, name: Name) -> str:
        found = self.server.rows(
            "SELECT column_name FROM information_schema.columns WHERE table_schema=%s AND"
            " table_name=%s AND is_generated='NEVER' ORDER BY ordinal_position",
            name.schema, name.table,
        )  # fmt: skip
        return ", ".join(quoted(row[0]) for row in found)

    def on_disk(self) -> int:
        return int(
            self.server.one(
                "SELECT COALESCE(SUM(disk_bytes), 0) FROM information_schema.ROCKSDB_INDEX_SIZES"
                " WHERE table_schema=%s AND table_name=%s", SCRATCH, self.sample.table,
            )
        )  # fmt: skip


def named(text: str, copy: Name, original: Name) -> str:
    """The server's words with the table's own name."""
    return text.replace(copy.sql, original.sql).replace(f"'{copy}'", f"'{original}'")
