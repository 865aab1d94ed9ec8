# SPDX-License-Identifier: GPL-2.0-only
"""Keys that the formats before version 14 cut off: a value may have more weights than its column
has characters ('ä' sorts as 'ae'), and those formats keep as many as there are characters. An index
of theirs gives such values in the order of what is left, as the stock plugin does
(src/codec/README.md, "Known limits")."""

import re

from tests.upgrade.compare import Difference
from tests.upgrade.pair import Link, quoted

INDEX = re.compile(r"FORCE INDEX \(`((?:[^`]|``)+)`\) ORDER BY ")


class KeysCutOff:
    """Judges differences by the rows of the InnoDB twin, through a link to the twins' database."""

    def __init__(self, twin: Link):
        self.twin = twin
        self.explained = 0

    def explains(self, difference: Difference) -> bool:
        """Whether all rows are there and only their order differs, read by an index in which at
        least one value of the table is cut off. What it explains is counted."""
        index = INDEX.search(difference.query)
        if index is None or not difference.only_the_order:
            return False
        table = difference.table.split(".", 1)[1]
        explains = any(
            self.cuts(table, column, characters)
            for column, characters in self.strings_of(table, index[1].replace("``", "`"))
        )
        self.explained += explains
        return explains

    def strings_of(self, table: str, index: str) -> list[tuple[str, int]]:
        """(column, its length in characters) for each part of the index that is a string."""
        keys = self.twin.execute(f"SHOW KEYS FROM {quoted(table)}")
        parts = [row[4].decode() for row in keys if row[2].decode() == index]
        lengths = self.twin.execute(
            "SELECT COLUMN_NAME, CHARACTER_MAXIMUM_LENGTH FROM information_schema.COLUMNS"
            f" WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = '{table}'"
            " AND COLLATION_NAME IS NOT NULL AND DATA_TYPE IN ('char', 'varchar')"
        )
        known = {name.decode(): int(length) for name, length in lengths}
        return [(part, known[part]) for part in parts if part in known]

    def cuts(self, table: str, column: str, characters: int) -> bool:
        name = quoted(column)
        whole, kept = f"WEIGHT_STRING({name})", f"WEIGHT_STRING({name} AS CHAR({characters}))"
        rows = self.twin.execute(
            f"SELECT COUNT(*) FROM {quoted(table)} WHERE LENGTH({whole}) > LENGTH({kept})"
        )
        return int(rows[0][0]) > 0
