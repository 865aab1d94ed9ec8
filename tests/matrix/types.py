# SPDX-License-Identifier: GPL-2.0-only
"""The column types of MariaDB 10.11, each with values to try. Knows neither servers nor roles.

`all_types()` is every type that does not depend on a collation, and the strings in the collations
that differ in kind; `of_collation()` makes the strings of any other. Values are SQL literals that
strict mode accepts (with ALLOW_INVALID_DATES and without NO_ZERO_DATE).
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from tests.matrix import strings

# edge values that every sample keeps, however small it is
ALWAYS = 24


@dataclass(frozen=True)
class ColumnType:
    """`sql`: the type as in a column definition, without character set, collation and NULL.

    `whole_key`: a key over the whole column is possible. `prefix`: length N for a key over `v(N)`,
    0 where the server allows none. `shown`: expression over `v` that tells any two values apart
    byte by byte. `searchable`: `<`, LIKE and the like are possible. `old_temporal`: the type is
    meant in its format of before 5.6; the table must be made with mysql56_temporal_format=OFF.
    `left_out`: values that are not tried, because the peer loses them.
    """

    sql: str
    family: str
    edges: tuple[str, ...]
    make: Callable[[Random], str] | None = None
    character_set: str = ""
    collation: str = ""
    whole_key: bool = True
    prefix: int = 0
    shown: str = "v"
    searchable: bool = True
    old_temporal: bool = False
    left_out: str = ""

    @property
    def name(self) -> str:
        """Unique and fit for --filter: `varchar(20) utf8mb4_nopad_bin`."""
        sql = self.sql if len(self.sql) <= 40 else f"{self.sql[:20]}... {self.sql.count(',') + 1}"
        words = [sql.lower().replace(", ", ","), self.collation, "old" * self.old_temporal]
        return " ".join(w for w in words if w)

    @property
    def ddl(self) -> str:
        if not self.collation:
            return self.sql
        return f"{self.sql} CHARACTER SET {self.character_set} COLLATE {self.collation}"

    def as_key(self, text: str, whole: bool = True) -> str:
        """SQL in which values are compared as a key compares them, one over v(N) unless `whole`.
        The server's expressions see a CHAR without its spaces at the end, its keys see the spaces;
        without padding these count. And the range for a LIKE begins with tabs behind the prefix."""
        if not self.sql.startswith("CHAR(") or "nopad" not in self.collation:
            return text
        padded = rf"RPAD(\g<0>, {self.sql[5:-1]}, {self._character(' ')})"
        text = re.sub(r"(?<!LEFT\()(?<!\), )_\w+ x'[0-9a-f]*'", padded, text)
        text = re.sub(r"\b(?:[ab]\.)?v\b(?! (?:LIKE|IS)\b)", padded, text)
        n = self.sql[5:-1] if whole else self.prefix
        first = f"RPAD(LEFT(v, {n}), {n}, {self._character(' ')})"
        bound = rf"{first} >= RPAD(\1, {n}, {self._character(chr(9))})"
        return re.sub(r"v LIKE CONCAT\((LEFT\([^()]*\)), [^()]*\)", rf"\g<0> AND {bound}", text)

    def as_prefix(self, text: str) -> str:
        """Searches, as a key over v(N) can make them: by the first N characters, ends included.
        Characters that weigh nothing make these order values differently from the whole."""

        def both(found: re.Match) -> str:
            side = f"{self.first_of('v')} {found[1][0]}= {self.first_of(found[2])}"
            return f"{found[0]} AND {side}"

        literal = r"(_\w+ x'[0-9a-f]*')"
        text = re.sub(rf"v BETWEEN {literal} AND {literal}", r"v >= \1 AND v <= \2", text)
        text = re.sub(rf"v <> {literal}", r"(v < \1 OR v > \1)", text)
        return re.sub(rf"\bv (<=|>=|<|>) {literal}", both, text)

    def first_of(self, value: str) -> str:
        """SQL of what a key over v(N) has of a value."""
        first = f"LEFT({value}, {self.prefix})"
        if self.as_key("v") == "v":
            return first
        return f"RPAD({first}, {self.prefix}, {self._character(' ')})"

    def _character(self, character: str) -> str:
        """SQL of a character. In ucs2 and its like a plain literal does not go with a value."""
        return strings.literal(strings.encode(character, self.character_set), self.character_set)

    def values(self, rng: Random, count: int) -> list[str]:
        """About `count` different literals: the telling ones, a choice of the other edges, and
        random ones."""
        first, rest = self.edges[:ALWAYS], self.edges[ALWAYS:]
        drawn = max(0, count - len(first))
        some = rng.sample(rest, min(len(rest), (drawn + 1) // 2))
        made = [self.make(rng) for _ in range(drawn - len(some))] if self.make else []
        return list(dict.fromkeys([*first, *some, *made]))

    def pattern(self, value: str) -> str:
        """SQL of a LIKE pattern: whatever begins with the first character of a literal."""
        if not self.character_set:
            return f"CONCAT(LEFT({value}, 1), '%')"
        return f"CONCAT(LEFT({value}, 1), {self._character('%')})"


def all_types() -> list[ColumnType]:
    kinds = [*integers(), *reals(), *decimals(), *bits(), *temporals(), *old_temporals()]
    kinds += [*enumerations(), *others(), *geometries(), *binaries()]
    for character_set, collation in THOROUGH:
        kinds += of_collation(character_set, collation, THOROUGH_SHAPES)
    for character_set, collation in COLLATIONS:
        kinds += of_collation(character_set, collation, SHAPES)
    return kinds


# --- numbers


def integers() -> list[ColumnType]:
    found = []
    for name, width in (("TINYINT", 8), ("SMALLINT", 16), ("MEDIUMINT", 24), ("INT", 32)):
        found += integer(name, width)
    return [*found, *integer("BIGINT", 64)]


def integer(name: str, width: int) -> list[ColumnType]:
    half, whole = 2 ** (width - 1), 2**width
    signed = (-half, 1 - half, -257, -256, -129, -128, -2, -1, 0, 1, 2, 127, 128, 255, 256, 257)
    signed = [n for n in (*signed, half - 2, half - 1) if -half <= n < half]
    unsigned = [0, 1, 2, 127, 128, 255, 256, 257, half - 1, half, half + 1, whole - 2, whole - 1]
    unsigned = [n for n in unsigned if n < whole]
    return [
        ColumnType(name, "number", literals(signed), between(-half, half - 1)),
        ColumnType(f"{name} UNSIGNED", "number", literals(unsigned), between(0, whole - 1)),
        ColumnType(
            f"{name} UNSIGNED ZEROFILL",
            "number",
            literals(unsigned),
            between(0, min(300, whole - 1)),
        ),
    ]


def literals(numbers) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(n) for n in numbers))


def between(low: int, high: int) -> Callable[[Random], str]:
    """Small numbers and numbers from the whole range."""

    def make(rng: Random) -> str:
        near = rng.random() < 0.6
        return str(rng.randint(max(low, -300), min(high, 300)) if near else rng.randint(low, high))

    return make


def reals() -> list[ColumnType]:
    # the server itself makes 0.0 of -0.0
    small = ("0", "-0e0", "1", "-1", "0.5", "-0.5", "1.5", "-2.25", "1e-20", "-1e-20", "1e20")
    small += ("-1e20", "16777215", "16777216", "0.1", "-0.1", "3.4028234e38", "-3.4028234e38")
    small += ("1.1754944e-38", "1.4e-45", "-1.4e-45", "255", "256", "-256", "65536", "100")
    wide = (*small, "1.7976931348623157e308", "-1.7976931348623157e308", "2.2250738585072014e-308")
    wide += ("4.9e-324", "-4.9e-324", "9007199254740991", "-9007199254740992", "1e300", "-1e-300")

    def make(rng: Random) -> str:
        return f"{rng.uniform(-9, 9):.6f}e{rng.randint(-30, 30)}"

    def positive(rng: Random) -> str:
        return make(rng).lstrip("-")

    # a FLOAT is printed with six digits, which do not tell all of them apart
    exact = "v, v + 0e0"
    return [
        ColumnType("FLOAT", "float", small, make, shown=exact),
        ColumnType("FLOAT UNSIGNED", "float", not_negative(small), positive, shown=exact),
        ColumnType("FLOAT(7,3)", "float", ("0", "-0e0", "1.5", "-9999.999", "9999.999", "0.001")),
        ColumnType("DOUBLE", "float", wide, make),
        ColumnType("DOUBLE UNSIGNED ZEROFILL", "float", not_negative(wide), positive),
        ColumnType(
            "DOUBLE(20,5)", "float", ("0", "-0e0", "1.5", "-99999.99999", "123456789.12345")
        ),
    ]


def not_negative(numbers: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(n for n in numbers if not n.startswith("-"))


def decimals() -> list[ColumnType]:
    shapes = [(1, 0), (5, 2), (9, 9), (10, 0), (18, 9), (30, 10), (38, 38), (65, 0), (65, 30)]
    kinds = [decimal(f"DECIMAL({d},{s})", d, s, True) for d, s in shapes]
    return [*kinds, decimal("DECIMAL(12,4) UNSIGNED ZEROFILL", 12, 4, False)]


def decimal(sql: str, digits: int, scale: int, signed: bool) -> ColumnType:
    def number(unscaled: int) -> str:
        text = str(abs(unscaled)).rjust(scale + 1, "0")
        whole, fraction = text[: len(text) - scale], text[len(text) - scale :]
        return ("-" if unscaled < 0 else "") + whole + ("." + fraction if scale else "")

    top = 10**digits - 1
    one = 10**scale
    sizes = [n for n in (0, 1, 9, 10, one - 1, one, one + 1, top // 2, top - 1, top) if n <= top]
    edges = [number(n) for n in dict.fromkeys(sizes)]
    if signed:
        edges += [number(-n) for n in dict.fromkeys(sizes) if n]

    def make(rng: Random) -> str:
        size = rng.randint(0, min(top, 10 ** rng.randint(1, digits)))
        return number(-size if signed and rng.random() < 0.5 else size)

    return ColumnType(sql, "number", tuple(edges), make)


def bits() -> list[ColumnType]:
    return [bit(n) for n in (1, 2, 7, 8, 9, 15, 16, 17, 24, 31, 33, 48, 57, 63, 64)]


def bit(width: int) -> ColumnType:
    top = 2**width - 1
    numbers = [n for n in (0, 1, 2, 127, 128, 255, 256, top // 2, top // 2 + 1, top - 1) if n < top]
    edges = tuple(f"b'{n:b}'" for n in dict.fromkeys([*numbers, top]))
    return ColumnType(
        f"BIT({width})",
        "bit",
        edges,
        lambda rng: f"b'{rng.randint(0, top) >> rng.randint(0, width - 1):b}'",
        shown="HEX(v)",
    )


# --- time

DATES = ("0000-00-00", "0000-00-01", "0001-01-01", "1000-01-01", "1969-12-31", "1970-01-01")
DATES += ("1999-12-31", "2000-01-01", "2000-02-29", "2024-00-00", "2024-02-00", "2024-02-28")
DATES += ("2024-02-29", "2024-02-31", "2024-03-01", "2038-01-19", "9999-12-31")
TIMES = ("-838:59:59", "-838:59:58", "-100:00:00", "-23:59:59", "-00:00:01", "00:00:00")
TIMES += ("00:00:01", "00:01:00", "01:00:00", "12:34:56", "23:59:59", "24:00:00", "838:59:59")
STAMPS = ("0000-00-00 00:00:00", "1970-01-01 00:00:01", "1970-01-01 00:00:02")
STAMPS += ("2001-09-09 01:46:40", "2024-02-29 12:34:56", "2038-01-19 03:14:06")
STAMPS += ("2038-01-19 03:14:07",)
FRACTIONS = ("000000", "000001", "100000", "500000", "999999", "120000", "123456")


def temporals() -> list[ColumnType]:
    years = ("0", "1901", "1902", "1970", "1999", "2000", "2024", "2154", "2155")
    kinds = [
        ColumnType("DATE", "time", quoted(DATES), lambda r: f"'{random_date(r)}'"),
        ColumnType("YEAR", "number", years, lambda r: str(r.randint(1901, 2155))),
    ]
    for digits in range(7):
        kinds += [clock(digits), moment(digits), stamp(digits)]
    return kinds


def old_temporals() -> list[ColumnType]:
    """The formats of before 5.6; with digits those that MariaDB 5.3 added ("hires")."""
    kinds = []
    for digits in range(7):
        kinds += [clock(digits, True), moment(digits, True), stamp(digits, True)]
    return kinds


def clock(digits: int, old: bool = False) -> ColumnType:
    def make(rng: Random) -> str:
        text = f"{rng.choice(['', '-'])}{rng.randint(0, 30):02}:{rng.randint(0, 59):02}"
        return f"'{text}:{rng.randint(0, 59):02}{random_fraction(rng, digits)}'"

    return ColumnType(
        precise("TIME", digits), "time", with_fractions(TIMES, digits), make, old_temporal=old
    )


def moment(digits: int, old: bool = False) -> ColumnType:
    texts = tuple(f"{day} {'00:00:00' if day.startswith('0000') else '23:59:59'}" for day in DATES)
    texts += tuple(f"2024-02-29 {time}" for time in TIMES if not time.startswith(("-", "8", "24")))

    def make(rng: Random) -> str:
        return f"'{random_date(rng)} {random_time(rng)}{random_fraction(rng, digits)}'"

    return ColumnType(
        precise("DATETIME", digits), "time", with_fractions(texts, digits), make, old_temporal=old
    )


def stamp(digits: int, old: bool = False) -> ColumnType:
    def make(rng: Random) -> str:
        day = f"{rng.randint(1971, 2037)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
        return f"'{day} {random_time(rng)}{random_fraction(rng, digits)}'"

    return ColumnType(
        precise("TIMESTAMP", digits), "time", with_fractions(STAMPS, digits), make, old_temporal=old
    )


def precise(name: str, digits: int) -> str:
    return f"{name}({digits})" if digits else name


def with_fractions(texts: tuple[str, ...], digits: int) -> tuple[str, ...]:
    if not digits:
        return quoted(texts)
    # a fraction would push the largest TIME over its limit, and a zero date has none
    plain = [t for t in texts if t.endswith(("38:59:59", "00-00 00:00:00"))]
    found = [f"{t}.{f[:digits]}" for t in texts if t not in plain for f in FRACTIONS[:4]]
    return quoted(tuple(plain + found))


def quoted(texts) -> tuple[str, ...]:
    return tuple(dict.fromkeys(f"'{t}'" for t in texts))


def random_date(rng: Random) -> str:
    year = rng.choice([2024, 2023, rng.randint(1, 9999)])
    return f"{year:04}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"


def random_time(rng: Random) -> str:
    return f"{rng.randint(0, 23):02}:{rng.randint(0, 59):02}:{rng.randint(0, 59):02}"


def random_fraction(rng: Random, digits: int) -> str:
    return "." + rng.choice([*FRACTIONS, f"{rng.randint(0, 999999):06}"])[:digits] if digits else ""


# --- enumerations and types with a format of their own


def enumeration(count: int) -> ColumnType:
    # not in the order of their names: ENUM sorts by the number
    names = ["zebra", "Apple", "mango", "b", ""] if count == 5 else []
    names += [f"m{(n * 7) % count}" for n in range(count - len(names))]
    members = ", ".join(f"'{n}'" for n in names)
    chosen = names[:3] + names[len(names) // 2 :: max(1, len(names) // 12)] + names[-2:]
    return ColumnType(
        f"ENUM({members})", "enum", quoted(chosen), lambda rng: f"'{rng.choice(names)}'"
    )


def collection(count: int) -> ColumnType:
    names = [f"s{(n * 5) % count}" if count % 5 else f"s{n}" for n in range(count)]
    members = ", ".join(f"'{n}'" for n in names)
    chosen = ["", names[0], names[-1], ",".join(names), ",".join(names[:-1]), ",".join(names[:2])]

    def make(rng: Random) -> str:
        return "'" + ",".join(n for n in names if rng.random() < 0.3) + "'"

    return ColumnType(f"SET({members})", "enum", quoted(chosen), make)


def enumerations() -> list[ColumnType]:
    return [enumeration(5), enumeration(300)] + [collection(n) for n in (3, 9, 17, 33, 64)]


def others() -> list[ColumnType]:
    ones = ("00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff")
    ones += ("123e4567-e89b-12d3-a456-426614174000", "123e4567-e89b-12d3-a456-426614174001")
    ones += ("123e4568-e89b-12d3-a456-426614174000", "00000001-0000-0000-0000-000000000000")
    six = ("::", "::1", "::ffff:1.2.3.4", "2001:db8::1", "2001:db8::2", "fe80::1", "ff02::1")
    four = ("0.0.0.0", "0.0.0.1", "1.2.3.4", "10.0.0.1", "127.0.0.1", "255.255.255.255")

    def uuid(rng: Random) -> str:
        text = f"{rng.getrandbits(128):032x}"
        # versions 1 to 5 are stored in another order than those from 6 on; others are refused
        version, variant = rng.choice("1467"), rng.choice("89ab")
        text = f"{text[:8]}-{text[8:12]}-{version}{text[13:16]}-{variant}{text[17:20]}-{text[20:]}"
        return f"'{text}'"

    def address(rng: Random) -> str:
        return "'" + ".".join(str(rng.choice([0, 1, 10, 200, 255])) for _ in range(4)) + "'"

    def address6(rng: Random) -> str:
        return "'" + ":".join(f"{rng.getrandbits(16):x}" for _ in range(8)) + "'"

    return [
        ColumnType("UUID", "uuid", quoted(ones), uuid),
        ColumnType("INET6", "inet", (*quoted(six), f"'{':'.join(['ffff'] * 8)}'"), address6),
        ColumnType("INET4", "inet", quoted(four), address),
        json(),
    ]


def json() -> ColumnType:
    texts = ("{}", "[]", "[1, 2]", '{"a": 1}', '{"a":1}', '"text"', '"Text"', "null", "true", "0")
    texts += ("-1.5e3", '{"a": [true, {"b": null}]}', ' {"a": 1} ', '"\\\\u00e4"')
    return ColumnType(
        "JSON",
        "text",
        quoted(texts),
        lambda rng: f"'[{rng.randint(0, 99)}]'",
        whole_key=False,
        prefix=4,
        shown="LENGTH(v), v",
    )


def geometries() -> list[ColumnType]:
    point = ("POINT(0 0)", "POINT(1 2)", "POINT(-1.5 1e10)", "POINT(1 1)")
    line = ("LINESTRING(0 0, 1 1)", "LINESTRING(0 0, 1 1, 2 0)")
    area = ("POLYGON((0 0, 1 0, 1 1, 0 0))",)
    shapes = {"POINT": point, "LINESTRING": line, "POLYGON": area}
    shapes |= {"GEOMETRY": (*point, *line, *area), "MULTIPOINT": ("MULTIPOINT(0 0, 1 1)",)}
    shapes["GEOMETRYCOLLECTION"] = ("GEOMETRYCOLLECTION(POINT(1 1), LINESTRING(0 0, 2 2))",)
    return [
        ColumnType(
            name,
            "geometry",
            tuple(f"ST_GeomFromText('{t}')" for t in texts),
            whole_key=False,
            shown="LENGTH(v), HEX(v)",
            searchable=False,
        )
        for name, texts in shapes.items()
    ]


# --- bytes


def binaries() -> list[ColumnType]:
    kinds = [binary(f"BINARY({n})", n) for n in (1, 8, 9, 16, 255)]
    kinds += [binary(f"VARBINARY({n})", n) for n in (1, 8, 9, 20, 255, 256, 3072)]
    kinds.append(binary("VARBINARY(4000)", 4000, whole_key=False))
    kinds += [blob(name, length) for name, length in BLOBS]
    kinds += [
        packed("VARBINARY(500) COMPRESSED", 500),
        packed("BLOB COMPRESSED", 5000),
    ]
    return kinds


BLOBS = (("TINYBLOB", 255), ("BLOB", 9000), ("MEDIUMBLOB", 70_000), ("LONGBLOB", 70_000))


def byte_edges(length: int) -> tuple[str, ...]:
    texts = ["", "00", "0000", "01", "20", "2020", "41", "4100", "4120", "61", "fe", "ff", "ffff"]
    texts += ["41" * 7, "41" * 8, "41" * 9, "41" * 8 + "00", "41" * 8 + "ff", "41" * 16, "41" * 17]
    texts += ["00" * 8, "00" * 9, "ff" * 8, "ff" * 9]
    kept = [f"x'{t}'" for t in texts if len(t) <= 2 * length]
    return (*kept, f"REPEAT(x'ff', {length})", f"REPEAT(x'00', {length})")


def random_bytes(length: int) -> Callable[[Random], str]:
    def make(rng: Random) -> str:
        size = rng.randint(0, min(length, rng.choice([2, 4, 9, 17, 40])))
        return f"x'{bytes(rng.choice([0, 1, 0x20, 0x41, 0xFF]) for _ in range(size)).hex()}'"

    return make


def binary(sql: str, length: int, whole_key: bool = True) -> ColumnType:
    return ColumnType(
        sql,
        "bytes",
        byte_edges(length),
        random_bytes(length),
        whole_key=whole_key,
        prefix=3 if length > 3 else 0,
    )


def blob(sql: str, length: int) -> ColumnType:
    return ColumnType(
        sql,
        "bytes",
        byte_edges(length),
        random_bytes(length),
        whole_key=False,
        prefix=3,
        shown=LONG_SHOWN,
    )


def packed(sql: str, length: int) -> ColumnType:
    """Columns that the server compresses; it allows no key on them."""
    return ColumnType(
        sql, "bytes", byte_edges(length), random_bytes(length), whole_key=False, shown=LONG_SHOWN
    )


# not the whole of a value of 70,000 bytes, in each of twenty answers
LONG_SHOWN = "LENGTH(v), MD5(v), LEFT(HEX(v), 40)"

# --- text

# a shape: the type, its length in characters, kind of column
SHAPES = (("CHAR(10)", 10, "plain"), ("VARCHAR(20)", 20, "plain"))
THOROUGH_SHAPES = (
    ("CHAR(0)", 0, "row"),
    ("CHAR(1)", 1, "plain"),
    ("VARCHAR(1)", 1, "plain"),
    *SHAPES,
    ("CHAR(100)", 100, "plain"),
    ("VARCHAR(64)", 64, "plain"),
    ("VARCHAR(300)", 300, "plain"),
    ("VARCHAR(768)", 768, "plain"),
    ("VARCHAR(5000)", 5000, "prefix"),
    ("TINYTEXT", 60, "prefix"),
    ("TEXT", 9000, "prefix"),
    ("MEDIUMTEXT", 70_000, "prefix"),
    ("LONGTEXT", 70_000, "prefix"),
    ("VARCHAR(300) COMPRESSED", 300, "row"),
    ("TEXT COMPRESSED", 9000, "row"),
    ("ENUM('b', 'a', 'C')", 1, "enum"),
)
# one collation of each class of the key format, all of them in daily use
THOROUGH = (
    ("utf8mb4", "utf8mb4_general_ci"),
    ("utf8mb4", "utf8mb4_bin"),
    ("utf8mb4", "utf8mb4_unicode_ci"),
    ("latin1", "latin1_swedish_ci"),
    ("latin1", "latin1_bin"),
    ("utf8mb3", "utf8mb3_bin"),
    ("utf8mb4", "utf8mb4_nopad_bin"),
    ("utf8mb4", "utf8mb4_uca1400_as_cs"),
)
COLLATIONS = (
    ("utf8mb4", "utf8mb4_unicode_520_ci"),
    ("utf8mb4", "utf8mb4_uca1400_ai_ci"),
    ("utf8mb4", "utf8mb4_uca1400_as_ci"),
    ("utf8mb4", "utf8mb4_uca1400_nopad_ai_ci"),
    ("utf8mb4", "utf8mb4_uca1400_nopad_as_cs"),
    ("utf8mb4", "utf8mb4_general_nopad_ci"),
    ("utf8mb4", "utf8mb4_unicode_nopad_ci"),
    ("utf8mb4", "utf8mb4_unicode_520_nopad_ci"),
    ("utf8mb4", "utf8mb4_german2_ci"),
    ("utf8mb4", "utf8mb4_czech_ci"),
    ("utf8mb4", "utf8mb4_danish_ci"),
    ("utf8mb4", "utf8mb4_croatian_ci"),
    ("utf8mb4", "utf8mb4_hungarian_ci"),
    ("utf8mb4", "utf8mb4_turkish_ci"),
    ("utf8mb4", "utf8mb4_vietnamese_ci"),
    ("utf8mb4", "utf8mb4_myanmar_ci"),
    ("utf8mb4", "utf8mb4_thai_520_w2"),
    ("utf8mb3", "utf8mb3_general_ci"),
    ("utf8mb3", "utf8mb3_general_mysql500_ci"),
    ("utf8mb3", "utf8mb3_unicode_ci"),
    ("utf8mb3", "utf8mb3_unicode_520_ci"),
    ("utf8mb3", "utf8mb3_uca1400_as_cs"),
    ("utf8mb3", "utf8mb3_nopad_bin"),
    ("utf8mb3", "utf8mb3_general_nopad_ci"),
    ("ucs2", "ucs2_general_ci"),
    ("ucs2", "ucs2_bin"),
    ("ucs2", "ucs2_unicode_ci"),
    ("utf16", "utf16_general_ci"),
    ("utf16", "utf16_bin"),
    ("utf16", "utf16_unicode_ci"),
    ("utf16", "utf16_uca1400_as_ci"),
    ("utf16", "utf16_nopad_bin"),
    ("utf16le", "utf16le_general_ci"),
    ("utf16le", "utf16le_bin"),
    ("utf32", "utf32_general_ci"),
    ("utf32", "utf32_bin"),
    ("utf32", "utf32_unicode_ci"),
    ("utf32", "utf32_nopad_bin"),
    ("latin1", "latin1_german1_ci"),
    ("latin1", "latin1_german2_ci"),
    ("latin1", "latin1_danish_ci"),
    ("latin1", "latin1_general_ci"),
    ("latin1", "latin1_general_cs"),
    ("latin1", "latin1_spanish_ci"),
    ("latin1", "latin1_swedish_nopad_ci"),
    ("latin1", "latin1_nopad_bin"),
    ("latin2", "latin2_general_ci"),
    ("latin2", "latin2_czech_cs"),
    ("latin2", "latin2_croatian_ci"),
    ("latin2", "latin2_hungarian_ci"),
    ("latin2", "latin2_bin"),
    ("latin5", "latin5_turkish_ci"),
    ("latin7", "latin7_general_ci"),
    ("latin7", "latin7_estonian_cs"),
    ("ascii", "ascii_general_ci"),
    ("ascii", "ascii_bin"),
    ("armscii8", "armscii8_general_ci"),
    ("cp850", "cp850_general_ci"),
    ("cp852", "cp852_general_ci"),
    ("cp866", "cp866_general_ci"),
    ("cp1250", "cp1250_general_ci"),
    ("cp1250", "cp1250_czech_cs"),
    ("cp1250", "cp1250_polish_ci"),
    ("cp1251", "cp1251_general_ci"),
    ("cp1251", "cp1251_bulgarian_ci"),
    ("cp1251", "cp1251_ukrainian_ci"),
    ("cp1251", "cp1251_bin"),
    ("cp1256", "cp1256_general_ci"),
    ("cp1257", "cp1257_lithuanian_ci"),
    ("dec8", "dec8_swedish_ci"),
    ("geostd8", "geostd8_general_ci"),
    ("greek", "greek_general_ci"),
    ("hebrew", "hebrew_general_ci"),
    ("hp8", "hp8_english_ci"),
    ("keybcs2", "keybcs2_general_ci"),
    ("koi8r", "koi8r_general_ci"),
    ("koi8u", "koi8u_general_ci"),
    ("macce", "macce_general_ci"),
    ("macroman", "macroman_general_ci"),
    ("swe7", "swe7_swedish_ci"),
    ("tis620", "tis620_thai_ci"),
    ("tis620", "tis620_thai_nopad_ci"),
    ("tis620", "tis620_bin"),
    ("big5", "big5_chinese_ci"),
    ("big5", "big5_bin"),
    ("cp932", "cp932_japanese_ci"),
    ("cp932", "cp932_bin"),
    ("eucjpms", "eucjpms_japanese_ci"),
    ("euckr", "euckr_korean_ci"),
    ("gb2312", "gb2312_chinese_ci"),
    ("gbk", "gbk_chinese_ci"),
    ("gbk", "gbk_chinese_nopad_ci"),
    ("gbk", "gbk_bin"),
    ("sjis", "sjis_japanese_ci"),
    ("sjis", "sjis_bin"),
    ("ujis", "ujis_japanese_ci"),
    ("ujis", "ujis_nopad_bin"),
)


def of_collation(character_set: str, collation: str, shapes=SHAPES) -> list[ColumnType]:
    return [text(character_set, collation, *shape) for shape in shapes]


def text(character_set: str, collation: str, sql: str, length: int, kind: str) -> ColumnType:
    """`kind`: plain: any key; prefix: only over a prefix; row: none; enum: values are members."""

    def literal(value: bytes) -> str:
        return strings.literal(value, character_set)

    if kind == "enum":
        members = tuple(literal(strings.encode(c, character_set)) for c in "baC")
        return ColumnType(sql, "enum", members, None, character_set, collation)
    samples = strings.edges(character_set, min(length, 400))
    left_out = ""
    if sql.startswith("CHAR(") and "nopad" in collation and re.search("uca|unicode", collation):
        # The server compares a CHAR with its spaces, which weigh something; this one is full of
        # what weighs nothing. InnoDB puts it in different places, depending on how long the other
        # value is, and finds neither it nor its neighbours again.
        samples = [s for s in samples if s != strings.encode("\x01", character_set) * length]
        left_out = f"{length} characters that weigh nothing, in a CHAR without padding"
    edges = tuple(literal(e) for e in samples)
    if length > 400:
        edges += tuple(long_values(character_set, length))
    return ColumnType(
        sql,
        "text",
        edges,
        lambda rng: literal(strings.random_string(rng, character_set, min(length, 60))),
        character_set,
        collation,
        whole_key=kind == "plain",
        prefix=3 if length > 3 and kind != "row" else 0,
        shown="LENGTH(v), HEX(v)" if length <= 400 else LONG_SHOWN,
        left_out=left_out,
    )


def long_values(character_set: str, length: int) -> list[str]:
    """Values that fill the column; they differ only at their ends."""
    a, b, space = (
        strings.literal(strings.encode(c, character_set), character_set) for c in ("a", "b", " ")
    )
    full = [f"REPEAT({a}, {length})", f"CONCAT(REPEAT({a}, {length - 1}), {b})"]
    return [*full, f"CONCAT(REPEAT({a}, {length - 1}), {space})"]
