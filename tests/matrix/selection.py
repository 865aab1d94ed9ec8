# SPDX-License-Identifier: GPL-2.0-only
"""Which cells a run has: all of a filter, a short choice, the whole, or the whole and every
collation of the server."""

from tests.matrix import types
from tests.matrix.cell import Cell
from tests.matrix.roles import ROLES, Role
from tests.matrix.types import ColumnType

# what the short choice has of types that differ from one another only in their length
SHORT_FRACTIONS = ("TIME", "DATETIME", "TIMESTAMP", "TIME(3)", "DATETIME(6)", "TIMESTAMP(6)")
SHORT_BITS = ("BIT(1)", "BIT(9)", "BIT(33)", "BIT(64)")
SHORT_SHAPES = ("CHAR(10)", "VARCHAR(20)", "VARCHAR(300)", "TEXT")
SHORT_COLLATIONS = (
    "utf8mb4_uca1400_ai_ci",
    "utf8mb4_uca1400_nopad_as_cs",
    "utf8mb4_general_nopad_ci",
    "utf8mb3_general_ci",
    "ucs2_general_ci",
    "utf16_bin",
    "utf16le_general_ci",
    "utf32_unicode_ci",
    "latin1_german2_ci",
    "latin1_nopad_bin",
    "latin2_czech_cs",
    "cp1250_general_ci",
    "cp1251_ukrainian_ci",
    "koi8u_general_ci",
    "tis620_thai_ci",
    "big5_chinese_ci",
    "cp932_japanese_ci",
    "eucjpms_japanese_ci",
    "euckr_korean_ci",
    "gb2312_chinese_ci",
    "gbk_chinese_ci",
    "sjis_japanese_ci",
)
# the roles that further collations get in the long form, whose number makes the difference
BRIEF_ROLES = ("pk", "key", "key-desc", "unique", "second-desc", "prefix")


def cells_of(kind: ColumnType, roles: tuple[Role, ...] = ROLES) -> list[Cell]:
    return [Cell(kind, r, n) for r in roles if r.possible(kind) for n in r.nullable()]


def whole() -> list[list[Cell]]:
    return [cells_of(kind) for kind in types.all_types()]


def short() -> list[list[Cell]]:
    """Of each role one of NULL and NOT NULL, in turns; of many lengths a few."""
    found = []
    for number, kind in enumerate(k for k in types.all_types() if in_short(k)):
        cells = cells_of(kind)
        turn = (c for n, c in enumerate(cells) if c.role.primary or (n // 2 + n + number) % 2)
        found.append(list(turn))
    return found


def in_short(kind: ColumnType) -> bool:
    if kind.sql.startswith(("TIME", "DATETIME")):
        return kind.sql in SHORT_FRACTIONS or kind.sql == "TIME(5)" and kind.old_temporal
    if kind.family == "bit":
        return kind.sql in SHORT_BITS
    if not kind.collation or kind.collation == types.THOROUGH[0][1]:
        return True
    if any(kind.collation == collation for _, collation in types.THOROUGH):
        return kind.sql in SHORT_SHAPES
    return kind.collation in SHORT_COLLATIONS and kind.sql.startswith("VARCHAR")


def every_collation(known: list[tuple[str, str]]) -> list[list[Cell]]:
    """Brief rows for the collations (character set, collation) that `whole()` does not have."""
    done = {kind.collation for kind in types.all_types()}
    roles = tuple(r for r in ROLES if r.name in BRIEF_ROLES)
    found = []
    for character_set, collation in known:
        if collation not in done and character_set != "binary":
            for kind in types.of_collation(character_set, collation):
                found.append([c for c in cells_of(kind, roles) if c.role.primary or c.nullable])
    return found


def matching(work: list[list[Cell]], words: str) -> list[list[Cell]]:
    """The cell of exactly this name; or, without one, those in whose name each word occurs: a role
    and null or notnull as a whole word, all others as a part."""
    exact = [[c] for cells in work for c in cells if c.name == words.lower()]
    if exact:
        return exact
    chosen = ([c for c in cells if fits(c, words.lower().split())] for cells in work)
    return [cells for cells in chosen if cells]


def fits(cell: Cell, words: list[str]) -> bool:
    whole_words = {r.name for r in ROLES} | {"null", "notnull"}
    own = {cell.role.name, "null" if cell.nullable else "notnull"}
    return all(w in own if w in whole_words else w in cell.kind.name for w in words)
