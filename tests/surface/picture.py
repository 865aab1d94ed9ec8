# SPDX-License-Identifier: GPL-2.0-only
"""What one server shows of the engine ROCKSDB."""

from dataclasses import dataclass, field

from tools.server import PrivateServer

VARIABLES = """
SELECT LOWER(variable_name), variable_scope, variable_type, default_value, variable_comment,
       numeric_min_value, numeric_max_value, numeric_block_size, enum_value_list, read_only,
       command_line_argument
FROM information_schema.system_variables WHERE variable_name LIKE 'rocksdb%' ORDER BY 1"""
COLUMNS = """
SELECT column_name, column_type, is_nullable FROM information_schema.columns
WHERE table_schema = 'information_schema' AND table_name = '{}' ORDER BY ordinal_position"""
TABLES = """
SELECT plugin_name, plugin_description FROM information_schema.plugins
WHERE plugin_library = 'ha_rocksdb.so' AND plugin_type = 'INFORMATION SCHEMA' ORDER BY 1"""

# the tables that show pairs of a name and a value, and their column of names
NAMED = {
    "ROCKSDB_CFSTATS": "STAT_TYPE",
    "ROCKSDB_CF_OPTIONS": "OPTION_TYPE",
    "ROCKSDB_COMPACTION_STATS": "TYPE",
    "ROCKSDB_DBSTATS": "STAT_TYPE",
    "ROCKSDB_GLOBAL_INFO": "TYPE",
    "ROCKSDB_PERF_CONTEXT_GLOBAL": "STAT_TYPE",
}


@dataclass(frozen=True)
class Variable:
    name: str
    scope: str
    type: str
    default: str | None
    text: str
    minimum: str | None
    maximum: str | None
    block: str | None
    values: str | None
    read_only: str
    argument: str | None

    @property
    def without_effect(self) -> bool:
        return self.text.startswith("Without effect: ")


@dataclass(frozen=True)
class Column:
    name: str
    type: str
    nullable: str


@dataclass
class Table:
    text: str
    columns: list[Column] = field(default_factory=list)


@dataclass
class Picture:
    variables: dict[str, Variable]
    counters: dict[str, str]  # name, lower case -> value
    tables: dict[str, Table]
    names: dict[str, set[str]]  # table of NAMED -> names in it, byte for byte


def take(server: PrivateServer) -> Picture:
    variables = {row[0]: Variable(*row) for row in server.query(VARIABLES)}
    counters = {
        name.lower(): value for name, value in server.query("SHOW GLOBAL STATUS LIKE 'rocksdb%'")
    }
    tables = {name: Table(text) for name, text in server.query(TABLES)}
    for name, table in tables.items():
        table.columns = [Column(*row) for row in server.query(COLUMNS.format(name))]
    return Picture(variables, counters, tables, {name: names(server, name) for name in NAMED})


def names(server: PrivateServer, table: str) -> set[str]:
    # hexadecimal, so that no collation hides a space at the end of a name
    rows = server.query(f"SELECT DISTINCT HEX({NAMED[table]}) FROM information_schema.{table}")
    return {bytes.fromhex(row[0]).decode() for row in rows}
