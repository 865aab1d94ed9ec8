# SPDX-License-Identifier: GPL-2.0-only
"""Stop stock, swap the plugin, start: everything that stock left behind is read, changed, killed
and read again."""

from pathlib import Path
from random import Random

from tests.upgrade import matrix
from tests.upgrade.compare import Comparison, Difference, compare_server
from tests.upgrade.pair import Link, create_databases, new_server, run_on_both
from tests.upgrade.topics import topics

TYPES, STRINGS = "matrix_types", "matrix_strings"
# always part of the short form; the rest takes turns by the seed
CORE_COLLATIONS = [
    "latin1_swedish_ci",
    "latin1_bin",
    "latin1_german2_ci",
    "utf8mb3_general_ci",
    "utf8mb3_bin",
    "utf8mb4_general_ci",
    "utf8mb4_unicode_ci",
    "utf8mb4_bin",
    "utf8mb4_uca1400_ai_ci",
    "utf8mb4_uca1400_as_cs",
    "utf16_bin",
    "cp1251_ukrainian_ci",
    "koi8u_general_ci",
]
OTHERS_OF_SHORT_FORM = 8
# of the Unicode character sets only these; each has some fifty languages that differ in weights
UNICODE = ("utf8mb3", "utf8mb4", "ucs2", "utf16", "utf16le", "utf32")
UNICODE_ENDINGS = [
    "_general_ci",
    "_bin",
    "_unicode_ci",
    "_unicode_520_ci",
    "_uca1400_ai_ci",
    "_uca1400_as_cs",
    "_uca1400_as_ci",
    "_danish_ci",
    "_czech_ci",
    "_croatian_ci",
    "_thai_520_w2",
    "_uca1400_danish_as_ci",
]
# how tables of collations with several levels are named
MULTI_LEVEL = ("_czech_cs_", "_as_ci_", "_ai_cs_", "_as_cs_", "_w2_")


class InPlace:
    """One data directory and the way of it. `report` takes lines for the user."""

    def __init__(self, folder: Path, seed: int, long: bool, report):
        self.folder, self.rng, self.long, self.report = folder, Random(seed), long, report
        self.problems: list[str] = []
        self.total = Comparison()
        self.known: set[tuple[str, str]] = set()  # where stock itself disagrees with the twin
        self.tables: list[tuple[str, str, list[str]]] = []  # database, table, columns

    def run(self) -> None:
        self.make()
        server = new_server(self.folder, "rocksdb")
        with server:
            self.compare(server, "as stock left it")
            self.write(server)
            self.compare(server, "after writes")
            server.kill()
        with server:
            self.compare(server, "after kill -9")

    def make(self) -> None:
        """Under the stock plugin."""
        with new_server(self.folder, "myrocks") as server:
            self.make_matrix(server)
            for topic in topics():
                create_databases(server, topic.database)
                run_on_both(server, topic.database, topic.before)
            # no CHECK TABLE: stock dies of it in tables of some collations
            found = compare_server(server, check=False)
            self.known = {d.place for d in found.differences}
            self.report(
                f"made by stock: {found.tables} tables, {found.rows} rows read by {found.queries}"
                f" queries; stock differs from InnoDB in {len(self.known)}"
            )

    def make_matrix(self, server) -> None:
        for database in (TYPES, STRINGS):
            create_databases(server, database)
        statements = []
        for kind in matrix.kinds():
            statements += matrix.type_statements(kind, self.rng)
        run_on_both(server, TYPES, statements)
        statements = []
        for collation, charset in self.collations(server):
            statements += matrix.collation_statements(collation, charset, self.rng)
        run_on_both(server, STRINGS, statements)
        for database in (TYPES, STRINGS):
            with Link(server, database) as link:
                for (table,) in link.execute("SHOW TABLES"):
                    columns = link.execute(f"SHOW COLUMNS FROM {table.decode()}")
                    names = [c[0].decode() for c in columns]
                    self.tables.append((database, table.decode(), names))

    def collations(self, server) -> list[tuple[str, str]]:
        """(collation, character set) of this run."""
        with Link(server) as link:
            rows = link.execute(
                "SELECT full_collation_name, character_set_name FROM"
                " information_schema.collation_character_set_applicability ORDER BY 1"
            )
        found = {a.decode(): b.decode() for a, b in rows}
        useful = [c for c in found if is_useful(c, found[c])]
        if not self.long:
            others = [c for c in useful if c not in CORE_COLLATIONS]
            useful = [*CORE_COLLATIONS, *self.rng.sample(others, OTHERS_OF_SHORT_FORM)]
        return [(c, found[c]) for c in useful]

    def write(self, server) -> None:
        for database in (TYPES, STRINGS):
            statements = []
            for place, table, columns in self.tables:
                if place == database:
                    statements += matrix.writes(table, columns)
            run_on_both(server, database, statements)
        for topic in topics():
            run_on_both(server, topic.database, topic.after)

    def compare(self, server, when: str) -> None:
        found = compare_server(server)
        self.total.take(found)
        new = [d for d in found.differences if d.place not in self.known and not is_expected(d)]
        self.report(
            f"{when}: {found.tables} tables, {found.queries} queries, {found.rows} rows;"
            f" as stock, not as InnoDB: {len(found.differences) - len(new)}"
        )
        self.problems += [f"{when}: {d}" for d in new]


def is_expected(difference: Difference) -> bool:
    """Entries of collations with several levels of weights do not sort and compare as SQL does:
    MyRocks' format is so, and its indexes are read as they are. The rows must be right."""
    index_read = "INDEX" in difference.query
    return index_read and any(part in difference.table for part in MULTI_LEVEL)


def is_useful(collation: str, charset: str) -> bool:
    if "_nopad_" in collation or charset in ("binary", "filename"):
        return False
    if charset in UNICODE:
        return collation.removeprefix(charset) in UNICODE_ENDINGS
    return True
