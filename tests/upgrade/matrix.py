# SPDX-License-Identifier: GPL-2.0-only
"""Tables for every type and collation that stock MyRocks takes: NOT NULL in the primary key, NULL
in secondary keys, prefixes, only in the row, under a hidden primary key."""

from dataclasses import dataclass, field
from random import Random

ROWS = 16


@dataclass
class Kind:
    """One column type. `literals`: SQL, NULL is added where the column takes it. `prefix`: length
    of prefix keys, 0 where the type has none. `always_prefix`: no whole key either (BLOB, TEXT)."""

    name: str
    sql: str
    literals: list[str]
    prefix: int = 0
    always_prefix: bool = False
    statements_before: list[str] = field(default_factory=list)


def numbers() -> list[Kind]:
    kinds = []
    for name, bits in (("tinyint", 8), ("smallint", 16), ("mediumint", 24), ("int", 32)):
        kinds += integer(name, bits)
    kinds += integer("bigint", 64)
    floats = ["0", "1.5", "-2.25", "1024", "-0.0078125", "3.0e10", "8388609", "1e-30", "-7"]
    kinds += [Kind("float", "FLOAT", floats), Kind("double", "DOUBLE", [*floats, "1e300"])]
    for digits, scale in ((5, 2), (10, 0), (18, 9), (30, 10), (65, 30)):
        top = "9" * (digits - scale)
        values = ["0", "1", "-1", top, f"-{top}", f"12.{'1' * max(scale, 1)}", "-0.5", "7"]
        kinds.append(Kind(f"dec{digits}_{scale}", f"DECIMAL({digits},{scale})", values))
    for width in (1, 7, 8, 9, 20, 64):
        values = [f"b'{v:b}'" for v in (0, 1, 2**width - 1, 2 ** (width - 1), 2**width // 3)]
        kinds.append(Kind(f"bit{width}", f"BIT({width})", values))
    return kinds


def integer(name: str, bits: int) -> list[Kind]:
    low, high = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
    signed = [str(v) for v in (low, low + 1, -300 if bits > 8 else -100, -1, 0, 1, 127, high)]
    unsigned = [str(v) for v in (0, 1, 127, 128, 255, 2**bits - 1, 2 ** (bits - 1), 77)]
    return [
        Kind(name, name.upper(), signed),
        Kind(name + "_u", name.upper() + " UNSIGNED", unsigned),
    ]


def names() -> list[Kind]:
    members = ",".join(f"'m{i}'" for i in range(300))
    small = [f"'{m}'" for m in ("b", "a", "c")]
    kinds = [
        Kind("enum1", "ENUM('b','a','c')", small),
        Kind("enum2", f"ENUM({members})", ["'m0'", "'m1'", "'m255'", "'m256'", "'m299'"]),
    ]
    for count in (3, 9, 20, 30, 64):
        letters = ",".join(f"'s{i}'" for i in range(count))
        values = ["''", "'s0'", "'s1,s2'", f"'s{count - 1}'", f"'s0,s{count - 1}'"]
        kinds.append(Kind(f"set{count}", f"SET({letters})", values))
    return kinds


def temporals() -> list[Kind]:
    dates = ["'2024-02-29'", "'0001-01-01'", "'9999-12-31'", "'0000-00-00'", "'1970-01-02'"]
    years = ["1901", "2155", "1999", "2024", "0"]
    kinds = [Kind("date", "DATE", dates), Kind("year", "YEAR", years)]
    for digits in (0, 1, 3, 6):
        kinds += clocks("", digits)
    for digits in (0, 2, 6):
        for kind in clocks("old_", digits):
            kind.statements_before = ["SET GLOBAL mysql56_temporal_format=OFF"]
            kinds.append(kind)
    return kinds


def clocks(prefix: str, digits: int) -> list[Kind]:
    part = "." + "123456"[:digits] if digits else ""
    last = "." + "999999"[:digits] if digits else ""
    suffix = f"({digits})" if digits else ""
    days = [
        f"'2024-02-29 12:34:56{part}'",
        "'0000-00-00 00:00:00'",
        f"'1999-12-31 23:59:59{last}'",
        "'2000-01-01 00:00:00'",
        f"'2037-01-01 01:02:03{part}'",
    ]
    times = [f"'12:34:56{part}'", f"'-12:34:56{part}'", "'00:00:00'", "'838:59:58'", "'-838:59:58'"]
    return [
        Kind(f"{prefix}time{digits}", f"TIME{suffix}", times),
        Kind(f"{prefix}datetime{digits}", f"DATETIME{suffix}", [*days, "'9999-12-31 00:00:00'"]),
        Kind(f"{prefix}timestamp{digits}", f"TIMESTAMP{suffix}", days),
    ]


def bytes_() -> list[Kind]:
    pieces = [
        "",
        "61",
        "6162",
        "00",
        "0000",
        "ff" * 8,
        "61" * 8,
        "61" * 9,
        "20" * 3,
        "6100",
        "fe" * 17,
    ]

    def up_to(count: int) -> list[str]:
        return [f"x'{p}'" for p in pieces if len(p) // 2 <= count]

    kinds = [
        Kind("binary5", "BINARY(5)", up_to(5), 3),
        Kind("varbinary20", "VARBINARY(20)", up_to(20), 4),
        Kind("varbinary300", "VARBINARY(300)", up_to(300), 9),
        Kind("uuid", "UUID", [f"'{i}23e4567-e89b-12d3-a456-42661417400{i}'" for i in range(6)]),
        Kind("inet6", "INET6", ["'::'", "'::1'", "'fe80::1'", "'2001:db8::ff00:42:8329'"]),
        Kind("inet4", "INET4", ["'0.0.0.0'", "'10.1.2.3'", "'255.255.255.255'"]),
        Kind("json", "JSON", ["'{}'", "'[1, 2]'", '\'{"a": "ä"}\'', "'null'"], 5, True),
    ]
    for name in ("TINYBLOB", "BLOB", "MEDIUMBLOB", "LONGBLOB"):
        kinds.append(Kind(name.lower(), name, up_to(40), 5, True))
    return kinds


def kinds() -> list[Kind]:
    return numbers() + names() + temporals() + bytes_()


def type_tables(kind: Kind) -> list[tuple[str, list[str], list[str]]]:
    """(table, its columns and keys, literals of `v` and `w`)."""
    n = kind.name
    part = f"({kind.prefix})" if kind.prefix else ""
    # an old TIMESTAMP without a default would get one of its own
    null = f"w {kind.sql} NULL DEFAULT NULL"
    value = f"v {kind.sql} NOT NULL"
    tables = []
    whole = not kind.always_prefix
    if whole:
        primary = "PRIMARY KEY (v, id), KEY w (w), KEY wv (w, v), KEY id (id)"
        tables.append((f"{n}_pk", ["id INT NOT NULL", value, null, primary]))
        tables.append((f"{n}_row", ["id INT NOT NULL PRIMARY KEY", value, null, "KEY v (v)"]))
        tables.append((f"{n}_hidden", ["id INT NOT NULL", value, null, "KEY w (w), KEY vw (v, w)"]))
    if part:
        keys = f"PRIMARY KEY (v{part}, id), KEY w (w{part}), KEY idv (id, v{part})"
        tables.append((f"{n}_prefix", ["id INT NOT NULL", value, null, keys]))
        keys = f"KEY w (w{part}), KEY v (v{part}, id)"
        tables.append((f"{n}_hidden_prefix", ["id INT NOT NULL", value, null, keys]))
    return tables


def type_statements(kind: Kind, rng: Random) -> list[str]:
    """Makes and fills the tables of one type."""
    statements = list(kind.statements_before)
    for table, items in type_tables(kind):
        statements.append(f"CREATE TABLE {table} ({', '.join(items)})")
    if kind.statements_before:
        statements.append("SET GLOBAL mysql56_temporal_format=ON")
    for table, _ in type_tables(kind):
        rows = []
        for i in range(1, ROWS + 1):
            v = rng.choice(kind.literals)
            w = rng.choice([*kind.literals, "NULL"])
            rows.append(f"({i}, {v}, {w})")
        statements.append(f"INSERT INTO {table} VALUES {', '.join(rows)}")
    return statements


# --- Strings ---

LATIN = "aaabbBAcz0 \t\x01~"
LETTERS = {
    "latin1": "ÄäßéÿE",
    "latin2": "ÁáčČřž",
    "latin5": "ğıİş",
    "latin7": "ąČšž",
    "cp1250": "ÁáčČřž\u00a0",
    "cp1251": "яЯбґё\u00a0",
    "cp1256": "ابه",
    "cp1257": "ąČšž",
    "cp850": "Ääé",
    "cp852": "Ááč",
    "cp866": "яЯб",
    "koi8r": "яЯбё",
    "koi8u": "яЯбґї`",
    "greek": "αΑωΩά",
    "hebrew": "אבג",
    "tis620": "กขเาแ",
    "ujis": "あアｱ亜",
    "eucjpms": "あアｱ亜①",
    "sjis": "あアｱ亜",
    "cp932": "あアｱ亜①",
    "gbk": "中国一二",
    "gb2312": "中国一二",
    "big5": "中國一二",
    "euckr": "가나다",
    "armscii8": "ԱբԳ",
    "geostd8": "აბგ",
    "macce": "ÁáčČ",
    "macroman": "Ääé",
    "hp8": "Äé",
    "dec8": "Äéß",
    "keybcs2": "Ááč",
    "swe7": "ÄÖé",
    "utf8mb3": "Ωω中€ßÄäǅ",
    "utf8mb4": "Ωω中€😀ǅßÄä",
    "ucs2": "Ωω中€ßÄä",
    "utf16": "Ωω中€😀ßÄä",
    "utf16le": "Ωω中€😀ßÄä",
    "utf32": "Ωω中€😀ßÄä",
}
COPIED = 3  # every third row's `v` is copied to another column
# What sorts like a space. Behind full segments of a key the format of stock loses such a character,
# in a primary key for good: a copy of that column is another value than the twin's.
LIKE_A_SPACE = {"koi8u": "`", "cp1250": "\u00a0", "cp1251": "\u00a0"}
SEGMENT = 8  # characters of one in collations of one byte a weight (docs/format/key.md)
# With prefix keys of these the stock server writes behind its buffers: it hangs, or dies later.
STOCK_OVERRUNS = ("latin2_czech_cs", "cp1250_czech_cs")


def collation_statements(collation: str, charset: str, rng: Random) -> list[str]:
    """Makes and fills tables of one collation, whose name is in theirs."""
    text = f"CHARACTER SET {charset} COLLATE {collation}"
    types = {
        "c": "CHAR(6)",
        "v": "VARCHAR(20)",
        "w": "VARCHAR(20)",
        "l": "VARCHAR(100)",
        "t": "TEXT",
    }
    column = {n: f"{n} {kind} {text}" for n, kind in types.items()}
    null = {n: f"{sql} NULL" for n, sql in column.items()}
    rest = [null["w"], null["l"], null["t"]]
    id_ = "id INT NOT NULL"
    v, c = f"{column['v']} NOT NULL", f"{column['c']} NOT NULL"
    tables = {
        "v": [id_, v, null["c"], *rest, "PRIMARY KEY (v, id)", "KEY c (c)", "KEY w (w)"]
        + ["KEY lc (l, c)", "KEY t (t(4))", "KEY id (id)"],
        "c": [id_, null["v"], c, *rest, "PRIMARY KEY (c, id)", "KEY v (v)", "KEY v3 (v(3))"]
        + ["KEY wv (w, v)"],
        "p": [id_, v, null["c"], *rest, "PRIMARY KEY (v(3), id)", "KEY v (v)", "KEY wv (w(4), v)"]
        + ["KEY c (c(2))", "KEY t (t(2))", "KEY w (w)"],
        "h": [id_, v, c, *rest, "KEY v (v)", "KEY cw (c, w)"],
    }
    if collation in STOCK_OVERRUNS:
        del tables["p"]
        tables["v"].remove("KEY t (t(4))")
    letters = LATIN + LETTERS.get(charset, "") * 2
    pool = [word(rng, letters) for _ in range(30)]
    kept = [w for w in pool if not loses_its_end(w[1:-1], LIKE_A_SPACE.get(charset, ""))]
    if charset in LIKE_A_SPACE:
        full = "ab" * 8 + LIKE_A_SPACE[charset]
        pool += [f"'{full}'", f"'{full} '"]
    statements = []
    for name, items in tables.items():
        table = f"{collation}_{name}"
        statements.append(f"CREATE TABLE {table} ({', '.join(items)})")
        rows = []
        for i in range(1, ROWS + 1):
            cell = {n: rng.choice(pool) for n in types}
            if name == "v" and i % COPIED == 1:  # by writes(), from a primary key
                cell["v"] = rng.choice(kept)
            for n in "wlt":
                if rng.random() < 0.15:
                    cell[n] = "NULL"
            rows.append(f"({i}, {', '.join(cell[n] for n in 'vcwlt')})")
        statements.append(f"INSERT INTO {table} (id, v, c, w, l, t) VALUES {', '.join(rows)}")
    return statements


def loses_its_end(text: str, like_a_space: str) -> bool:
    """Whether a key of stock's format loses characters of it: all behind some full segments are
    spaces or sort like them, and not all are spaces."""
    ends = (text[end:] for end in range(SEGMENT, len(text), SEGMENT))
    return any(end.strip(" ") and not end.strip(" " + like_a_space) for end in ends)


def word(rng: Random, letters: str) -> str:
    """A literal of at most 18 characters, often with blanks at its end."""
    size = rng.choice([0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 16, 17])
    text = "".join(rng.choice(letters[:8] if rng.random() < 0.6 else letters) for _ in range(size))
    if rng.random() < 0.25:
        text = (text + " " * rng.choice([1, 2, 9]))[:18]
    return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"


def writes(table: str, columns: list[str]) -> list[str]:
    """What happens to a table of the matrix after the swap; `columns`: all of them."""
    others = ", ".join(c for c in columns if c != "id")
    changed = "w" if "w" in columns else "v"
    return [
        f"UPDATE {table} SET {changed} = v WHERE id % {COPIED} = 1",
        f"UPDATE {table} SET id = id + 500 WHERE id % 4 = 0",
        f"DELETE FROM {table} WHERE id % 5 = 2",
        f"INSERT INTO {table} (id, {others}) SELECT id + 1000, {others} FROM {table}",
    ]
