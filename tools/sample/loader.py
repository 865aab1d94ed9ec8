# SPDX-License-Identifier: GPL-2.0-only
"""Loads the sample data set into a server, once: it is kept between runs.

The row 'complete' of debian.about is written last, so an interrupted load is started anew.
"""

import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tools.errors import DevError
from tools.sample import index_files, rows, schema
from tools.sample.control import Complaints
from tools.server import PrivateServer

Say = Callable[[str], None]


@dataclass
class Loaded:
    """What a load has done: rows a table, seconds, and what could not be read."""

    rows: dict[str, int]
    read_seconds: float
    load_seconds: float
    complaints: Complaints


def complete(server: PrivateServer, database: str = schema.DATABASE) -> bool:
    """True when a whole data set is in the database."""
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute(
            "SELECT COUNT(*) FROM information_schema.tables "
            "WHERE table_schema = %s AND table_name = 'about'",
            (database,),
        )
        if cursor.fetchone()[0] == 0:
            return False
        cursor.execute(f"SELECT COUNT(*) FROM {database}.about WHERE name = 'complete'")
        return cursor.fetchone()[0] == 1


def about(server: PrivateServer, database: str = schema.DATABASE) -> dict[str, str]:
    """The notes kept with the data: source, bad_lines, seconds, sizes."""
    return dict(server.query(f"SELECT name, value FROM {database}.about"))


def note(server: PrivateServer, database: str = schema.DATABASE, **values: str) -> None:
    """Writes notes into debian.about, replacing those of the same name."""
    with server.connect(database) as connection, connection.cursor() as cursor:
        for name, value in values.items():
            cursor.execute("REPLACE INTO about (name, value) VALUES (%s, %s)", (name, value))


def load(server: PrivateServer, folder: Path, say: Say) -> Loaded:
    """Reads this machine's index and loads it into ROCKSDB tables, in place of what is there.
    `folder` holds the files meanwhile. DevError when the server refuses a statement."""
    files = index_files.find()
    complaints = Complaints()
    started = time.monotonic()
    names = [f.name for f in files.packages] or [str(files.status)]
    say(f"reading {len(names)} package list{'s' if len(names) > 1 else ''} of this machine")
    counts = rows.write(files, folder, complaints)
    read = time.monotonic()
    try:
        fill(server, folder, "ROCKSDB", schema.DATABASE, say)
        with server.connect() as connection, connection.cursor() as cursor:
            execute(cursor, schema.ABOUT.format(database=schema.DATABASE))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    loaded = Loaded(dict(counts), read - started, time.monotonic() - read, complaints)
    note(
        server,
        source="\n".join(names),
        fingerprint=files.fingerprint(),
        bad_lines=complaints.summary(),
        bad_examples="\n".join(complaints.examples),
        seconds=f"{loaded.read_seconds:.1f} to read, {loaded.load_seconds:.1f} to load",
    )
    note(server, complete="yes")
    return loaded


def fill(server: PrivateServer, folder: Path, engine: str, database: str, say: Say) -> None:
    """Makes the database anew with all tables in an engine and loads the files into them."""
    with server.connect(local_infile=True) as connection, connection.cursor() as cursor:
        execute(cursor, f"DROP DATABASE IF EXISTS {database}")
        execute(cursor, f"CREATE DATABASE {database} DEFAULT CHARACTER SET utf8mb4")
        for table in schema.TABLES:
            started = time.monotonic()
            execute(cursor, table.create(engine, database))
            path = folder / f"{table.name}.tsv"
            if any(c in str(path) for c in "'\\"):
                raise DevError(f"the path {path} holds a quote or a backslash")
            count = execute(cursor, table.load(str(path), database))
            execute(cursor, f"ANALYZE TABLE {database}.{table.name}")
            took = time.monotonic() - started
            say(f"{engine}: {database}.{table.name}, {count:,} rows in {took:.1f} s")


def copy(server: PrivateServer, engine: str, database: str, say: Say) -> None:
    """The same tables with the same rows in another engine, in a database of its own."""
    with server.connect() as connection, connection.cursor() as cursor:
        execute(cursor, f"DROP DATABASE IF EXISTS {database}")
        execute(cursor, f"CREATE DATABASE {database} DEFAULT CHARACTER SET utf8mb4")
        for table in schema.TABLES:
            execute(cursor, table.create(engine, database))
            execute(
                cursor,
                f"INSERT INTO {database}.{table.name} SELECT * FROM {schema.DATABASE}.{table.name}",
            )
            # a rebuild leaves the pages of an index as full as the engine can
            execute(cursor, f"OPTIMIZE TABLE {database}.{table.name}")
        say(f"{engine}: a copy for comparison in {database}")


def execute(cursor, statement: str) -> int:
    """Runs one statement; returns the rows it changed. DevError with the statement's beginning."""
    import pymysql

    try:
        return cursor.execute(statement)
    except pymysql.Error as error:
        message = error.args[1] if len(error.args) > 1 else error
        raise DevError(f"{' '.join(statement.split())[:100]} ...: {message}") from error
