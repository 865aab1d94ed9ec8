# SPDX-License-Identifier: GPL-2.0-only
"""Whether a table has the same rows before and after its move."""

from dataclasses import dataclass

from programs.migrate.names import Name, quoted
from programs.migrate.server import Server

NONE, COUNT, CHECKSUM = "none", "count", "checksum"
WAYS = (CHECKSUM, COUNT, NONE)


@dataclass(frozen=True)
class Verdict:
    """`different`: rows are lost or changed, and nobody else can have done that."""

    text: str
    different: bool = False


def measure(server: Server, name: Name, way: str) -> int | None:
    """A number of all rows, read in full. The order of rows and the engine do not matter."""
    if way == NONE:
        return None
    if way == COUNT:
        return server.one(f"SELECT COUNT(*) FROM {name.sql}")
    found = server.rows(
        "SELECT column_name, is_generated FROM information_schema.columns"
        " WHERE table_schema=%s AND table_name=%s ORDER BY ordinal_position",
        name.schema, name.table,
    )  # fmt: skip
    if all(generated == "NEVER" for _, generated in found):
        return server.rows(f"CHECKSUM TABLE {name.sql} EXTENDED")[0][1]
    return int(server.one(own_checksum(name, [column for column, _ in found])))


def own_checksum(name: Name, columns: list[str]) -> str:
    """For tables with generated columns, which CHECKSUM TABLE does not compute: it gives several
    numbers for the same rows then, in InnoDB too (10.11.18)."""
    parts = ", ".join(f"COALESCE(CRC32(CAST({quoted(c)} AS BINARY)), '-')" for c in columns)
    return f"SELECT COALESCE(SUM(CRC32(CONCAT_WS(' ', {parts}))), 0) FROM {name.sql}"


def judge(way: str, before: int | None, after: int | None, locked: bool) -> Verdict:
    """`locked`: nobody else could write in between."""
    if way == NONE or before is None:
        return Verdict("not compared")
    what = "checksum of all rows" if way == CHECKSUM else "number of rows"
    if before == after:
        return Verdict(f"same {what}" + (", nobody could write" if locked else ""))
    if locked:
        return Verdict(f"DIFFERENT {what}: {before} before, {after} after", different=True)
    return Verdict(f"not proved: the {what} has changed, as it does when clients write")
