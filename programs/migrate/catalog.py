# SPDX-License-Identifier: GPL-2.0-only
"""What the server's dictionary knows about tables: their engines, sizes, constraints, triggers."""

import contextlib
import re
from dataclasses import dataclass, field

from programs.migrate.errors import SqlError
from programs.migrate.names import Name, quoted
from programs.migrate.server import TARGET, Server

# where the program keeps its own tables
SCRATCH = "basalt_migrate"
SYSTEM = ("mysql", "sys", "information_schema", "performance_schema", SCRATCH)
# Engines that store rows of this server. Others are chosen for something else that they do.
STORING = ("InnoDB", "Aria", "MyISAM")
KINDS = ("BASE TABLE", "SYSTEM VERSIONED", "SEQUENCE")
NOT_SYSTEM = "({}) NOT IN (" + ", ".join(f"'{name}'" for name in SYSTEM) + ")"


# a name as files have it: `a-b` is a@002db
AS_FILE = "CONVERT(CONVERT({} USING filename) USING binary)"


@dataclass
class Table:
    """`rows` as the server estimates them, `bytes` on the disk."""

    name: Name
    kind: str
    engine: str
    rows: int
    bytes: int
    row_length: int
    options: str
    triggers: int = 0

    @property
    def moved(self) -> bool:
        return self.engine == TARGET


@dataclass(frozen=True)
class ForeignKey:
    constraint: str
    child: Name
    parent: Name


@dataclass
class Catalog:
    tables: dict[Name, Table]
    foreign_keys: list[ForeignKey]
    views: int = 0
    # of statements that had to be asked for and were refused
    notes: list[str] = field(default_factory=list)


def read(server: Server) -> Catalog:
    tables = {table.name: table for table in read_tables(server)}
    for schema, name, count in server.rows(
        "SELECT event_object_schema, event_object_table, COUNT(*) FROM information_schema.triggers"
        " GROUP BY 1, 2"
    ):
        if Name(schema, name) in tables:
            tables[Name(schema, name)].triggers = count
    views = server.one(
        "SELECT COUNT(*) FROM information_schema.views WHERE " + NOT_SYSTEM.format("table_schema")
    )
    return Catalog(tables, read_foreign_keys(server), views)


def read_tables(server: Server) -> list[Table]:
    files = file_sizes(server)
    kinds = ", ".join(f"'{kind}'" for kind in KINDS)
    found = server.rows(
        "SELECT table_schema, table_name, table_type, engine, table_rows,"
        " data_length + index_length, avg_row_length, create_options,"
        f" {AS_FILE.format('table_schema')}, {AS_FILE.format('table_name')}"
        f" FROM information_schema.tables WHERE table_type IN ({kinds}) AND "
        + NOT_SYSTEM.format("table_schema")
        + " ORDER BY 1, 2"
    )
    return [
        Table(Name(schema, name), kind, engine or "", int(rows or 0),
              max(int(size or 0), files.get(b"%s/%s" % (folder, file), 0)),
              int(length or 0), options or "")
        for schema, name, kind, engine, rows, size, length, options, folder, file in found
    ]  # fmt: skip


def file_sizes(server: Server) -> dict[bytes, int]:
    """Of InnoDB's files, with those of partitions together: its statistics of sizes come late.
    Nothing without the privilege PROCESS."""
    found: dict[bytes, int] = {}
    asked = "SELECT name, allocated_size FROM information_schema.INNODB_SYS_TABLESPACES"
    with contextlib.suppress(SqlError):
        for name, size in server.rows(asked):
            whole = re.split("#p#", name, maxsplit=1, flags=re.I)[0].encode()
            found[whole] = found.get(whole, 0) + int(size or 0)
    return found


def read_foreign_keys(server: Server) -> list[ForeignKey]:
    found = server.rows(
        "SELECT constraint_name, constraint_schema, table_name, unique_constraint_schema,"
        " referenced_table_name FROM information_schema.referential_constraints WHERE "
        + NOT_SYSTEM.format("constraint_schema")
        + " ORDER BY 2, 3, 1"
    )
    return [ForeignKey(row[0], Name(row[1], row[2]), Name(row[3], row[4])) for row in found]


def clauses(definition: str) -> dict[str, str]:
    """The foreign keys in what SHOW CREATE TABLE says: name -> clause behind ADD."""
    found = re.findall(r"^  (CONSTRAINT `((?:[^`]|``)*)` FOREIGN KEY .*?),?$", definition, re.M)
    return {name.replace("``", "`"): clause for clause, name in found}


def orphans(server: Server, key: ForeignKey) -> int:
    """Rows of the child without a parent. Reads all rows of the child."""
    columns = server.rows(
        "SELECT column_name, referenced_column_name FROM information_schema.key_column_usage"
        " WHERE constraint_schema=%s AND table_name=%s AND constraint_name=%s"
        " AND referenced_column_name IS NOT NULL ORDER BY ordinal_position",
        key.child.schema, key.child.table, key.constraint,
    )  # fmt: skip
    same = " AND ".join(f"p.{quoted(theirs)} = c.{quoted(mine)}" for mine, theirs in columns)
    filled = " AND ".join(f"c.{quoted(mine)} IS NOT NULL" for mine, _ in columns)
    return server.one(
        f"SELECT COUNT(*) FROM {key.child.sql} c WHERE {filled} AND NOT EXISTS"
        f" (SELECT 1 FROM {key.parent.sql} p WHERE {same})"
    )
