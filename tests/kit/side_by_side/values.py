# SPDX-License-Identifier: GPL-2.0-only
"""Column types and literals of them.

A column draws its literals from a small pool of its own, so that equal values, and values equal
only under a collation, are common. Literals are SQL text. Left out on purpose: negative zero (its
sign is not kept by the documented key format) and anything that depends on the clock.
"""

import re
from dataclasses import dataclass, field
from random import Random

# character set and collation of string columns: the usual ones more often than those with NO PAD,
# several weights a character, several levels or an order of their own
COLLATIONS = (
    *[("utf8mb4", "utf8mb4_general_ci"), ("utf8mb4", "utf8mb4_bin")] * 4,
    *[("utf8mb4", "utf8mb4_unicode_ci"), ("latin1", "latin1_swedish_ci")] * 4,
    *[("latin1", "latin1_bin")] * 4,
    ("utf8mb4", "utf8mb4_unicode_nopad_ci"),
    ("utf8mb4", "utf8mb4_nopad_bin"),
    ("utf8mb4", "utf8mb4_german2_ci"),
    ("utf8mb4", "utf8mb4_uca1400_as_cs"),
    ("utf8mb4", "utf8mb4_uca1400_nopad_ai_ci"),
    ("utf8mb3", "utf8mb3_bin"),
    ("utf8mb3", "utf8mb3_czech_ci"),
    ("latin1", "latin1_swedish_nopad_ci"),
    ("latin1", "latin1_german2_ci"),
    ("cp1250", "cp1250_general_ci"),
    ("cp1250", "cp1250_czech_cs"),
    ("ucs2", "ucs2_general_ci"),
    ("utf16", "utf16_bin"),
    ("utf32", "utf32_unicode_nopad_ci"),
    ("big5", "big5_chinese_ci"),
    ("sjis", "sjis_japanese_ci"),
)
# tabs and control characters sort below the blank that PAD SPACE compares with
LATIN_LETTERS = "aaabbBAcz0 \t\x01~ÄäßéÿE"
WIDE_LETTERS = LATIN_LETTERS + "Ωω中€ǅ"
# by character set; what is not named has all
LETTERS = {
    "latin1": LATIN_LETTERS,
    "utf8mb3": WIDE_LETTERS,
    "ucs2": WIDE_LETTERS,
    "cp1250": "aaabbBAcz0 \t\x01~Ääßé\xa0čChH",
    "big5": "aaabbBAcz0 \t\x01~一乙中Ω",
    "sjis": "aaabbBAcz0 \t\x01~あア中Ω",
}
ALL_LETTERS = WIDE_LETTERS + "😀"


@dataclass
class ColumnType:
    """`family` groups types that can be compared and joined: number, float, time, text, bytes, bit.
    `exact`: equal values are the same bytes, so ties in an order cannot be told apart."""

    sql: str
    family: str
    exact: bool = True
    is_blob: bool = False
    length: int = 0  # characters or bytes of strings
    collation: str = ""
    pool: list[str] = field(default_factory=list)
    make: object = None  # Random -> literal

    def literal(self, rng: Random) -> str:
        return rng.choice(self.pool) if rng.random() < 0.85 else self.make(rng)


def random_type(rng: Random) -> ColumnType:
    kind = rng.choice(MAKERS)(rng)
    kind.pool = [kind.make(rng) for _ in range(rng.randint(3, 10))]
    return kind


def integer(rng: Random) -> ColumnType:
    name, bits = rng.choice(
        [("TINYINT", 8), ("SMALLINT", 16), ("MEDIUMINT", 24), ("INT", 32), ("BIGINT", 64)]
    )
    unsigned = rng.random() < 0.35
    low, high = (0, 2**bits - 1) if unsigned else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    edges = [low, low + 1, high, high - 1, 0, 1, 127, 128 if high > 128 else 5]

    def make(r: Random) -> str:
        if r.random() < 0.25:
            return str(r.choice(edges))
        return str(r.randint(max(low, -20), 60))

    return ColumnType(name + (" UNSIGNED" if unsigned else ""), "number", make=make)


def floating(rng: Random) -> ColumnType:
    # sums of few powers of two: exact in FLOAT, so equality means what it says
    values = ["0", "1.5", "-2.25", "1024", "-0.0078125", "3.0e10", "8388609", "0.5", "-7"]

    def make(r: Random) -> str:
        return r.choice(values)

    return ColumnType(rng.choice(["FLOAT", "DOUBLE"]), "float", make=make)


def decimal(rng: Random) -> ColumnType:
    digits, scale = rng.choice([(5, 2), (10, 0), (18, 9), (30, 10), (65, 30)])
    whole = min(digits - scale, 8)

    def make(r: Random) -> str:
        top = 10**whole - 1
        number = r.choice([0, 1, -1, top, -top, r.randint(-50, 50)])
        fraction = "." + "".join(r.choice("0159") for _ in range(min(scale, 3))) if scale else ""
        return f"{number}{fraction}" if number or not fraction else f"0{fraction}"

    return ColumnType(f"DECIMAL({digits},{scale})", "number", make=make)


def temporal(rng: Random) -> ColumnType:
    name = rng.choice(["DATE", "TIME", "DATETIME", "TIMESTAMP", "YEAR"])
    if name == "YEAR":
        return ColumnType(name, "number", make=lambda r: str(r.choice([1901, 2155, 1999, 2024])))
    digits = rng.choice([0, 0, 1, 3, 6]) if name != "DATE" else 0
    sql = f"{name}({digits})" if digits else name

    def date(r: Random) -> str:
        year = r.choice([1971, 1999, 2000, 2024, 2037])
        if name in ("DATE", "DATETIME") and r.random() < 0.1:
            return r.choice(["0001-01-01", "9999-12-31", "0000-00-00"])
        return f"{year}-{r.choice([1, 2, 12]):02}-{r.choice([1, 28, 3]):02}"

    def clock(r: Random) -> str:
        return f"{r.choice([0, 1, 23]):02}:{r.choice([0, 59]):02}:{r.choice([0, 7, 59]):02}"

    def make(r: Random) -> str:
        fraction = "." + "".join(r.choice("0159") for _ in range(digits)) if digits else ""
        if name == "DATE":
            return f"'{date(r)}'"
        if name == "TIME":
            hour = r.choice(["", "-", "8"])
            text = f"{hour}{clock(r)}" if hour != "8" else "838:59:58"
            return f"'{text}{fraction}'"
        day = date(r)
        return f"'{day} 00:00:00'" if day == "0000-00-00" else f"'{day} {clock(r)}{fraction}'"

    return ColumnType(sql, "time", make=make)


def text(rng: Random) -> ColumnType:
    charset, collation = rng.choice(COLLATIONS)
    letters = LETTERS.get(charset, ALL_LETTERS)
    blob = rng.random() < 0.25
    if blob:
        name, length = rng.choice(["TINYTEXT", "TEXT", "MEDIUMTEXT", "LONGTEXT"]), 40
    else:
        length = rng.choice([1, 3, 10, 40, 200])
        name = f"{rng.choice(['CHAR', 'VARCHAR', 'VARCHAR'])}({length})"

    def make(r: Random) -> str:
        size = r.randint(0, min(length, r.choice([3, 3, 8, 20])))
        body = "".join(r.choice(letters[:8] if r.random() < 0.7 else letters) for _ in range(size))
        if r.random() < 0.2:
            body = (body + "  ")[:length]
        return quote(body)

    sql = f"{name} CHARACTER SET {charset} COLLATE {collation}"
    return ColumnType(sql, "text", False, blob, length, collation, make=make)


def binary(rng: Random) -> ColumnType:
    blob = rng.random() < 0.3
    if blob:
        name, length = rng.choice(["TINYBLOB", "BLOB", "MEDIUMBLOB", "LONGBLOB"]), 40
    else:
        length = rng.choice([1, 4, 9, 16, 60])
        name = f"{rng.choice(['BINARY', 'VARBINARY'])}({length})"

    def make(r: Random) -> str:
        size = r.randint(0, min(length, r.choice([2, 4, 8, 9, 17])))
        data = bytes(r.choice([0, 0, 1, 0x20, 0x41, 0xFE, 0xFF]) for _ in range(size))
        return f"x'{data.hex()}'"

    return ColumnType(name, "bytes", True, blob, length, "binary", make=make)


def enumeration(rng: Random) -> ColumnType:
    names = rng.choice([["b", "a", "c"], ["x", "Y", "zz", "w"], [f"v{i}" for i in range(300)]])
    if rng.random() < 0.4 and len(names) < 60:
        members = ",".join(quote(n) for n in names)

        def some(r: Random) -> str:
            return quote(",".join(n for n in names if r.random() < 0.5))

        return ColumnType(f"SET({members})", "set", make=some)
    members = ",".join(quote(n) for n in names)
    return ColumnType(f"ENUM({members})", "set", make=lambda r: quote(r.choice(names)))


def bits(rng: Random) -> ColumnType:
    width = rng.choice([1, 7, 8, 9, 20, 64])

    def make(r: Random) -> str:
        return f"b'{r.choice([0, 1, 2**width - 1, r.getrandbits(width)]) % 2**width:b}'"

    return ColumnType(f"BIT({width})", "bit", make=make)


def json(rng: Random) -> ColumnType:
    texts = ["{}", "[1, 2]", '{"a": 1}', '"text"', "null", '{"a": [true, "ä"]}']
    kind = ColumnType("JSON", "text", True, True, 40, "utf8mb4_bin")
    kind.make = lambda r: quote(r.choice(texts))
    return kind


def wider(sql: str) -> str:
    """A type with room for more, or the same one."""
    name = re.match(r"\w+", sql)[0]
    if name in ("VARCHAR", "VARBINARY"):
        return re.sub(r"\d+", lambda length: str(int(length[0]) * 10), sql, count=1)
    for names in WIDER:
        if name in names[:-1]:
            return sql.replace(name, names[names.index(name) + 1], 1)
    if name == "DECIMAL":
        return re.sub(r"\d+", lambda digits: str(int(digits[0]) + 1), sql, count=1)
    if name in ("DATETIME", "TIMESTAMP", "TIME"):
        return WIDER_TIMES.get(sql, sql)
    if name in ("ENUM", "SET"):
        return f"{sql[:-1]},'one more {len(sql)}')"
    return sql


def longest_characters(sql: str) -> int:
    """Of a VARCHAR or VARBINARY; 0 for other types."""
    match = re.match(r"VAR(?:CHAR|BINARY)\((\d+)\)", sql)
    return int(match[1]) if match else 0


def quote(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace("'", "''")
    return "'" + escaped.replace("\t", "\\t") + "'"


WIDER = (
    ("TINYINT", "SMALLINT", "MEDIUMINT", "INT", "BIGINT"),
    ("TINYTEXT", "TEXT", "MEDIUMTEXT", "LONGTEXT"),
    ("TINYBLOB", "BLOB", "MEDIUMBLOB", "LONGBLOB"),
)
WIDER_TIMES = {
    f"{name}({digits})": f"{name}({digits + 1})"
    for name in ("DATETIME", "TIMESTAMP", "TIME")
    for digits in (1, 3)
}
MAKERS = [integer] * 5 + [text] * 6 + [floating, decimal, decimal, temporal, temporal, temporal]
MAKERS += [binary, binary, enumeration, bits, json]
