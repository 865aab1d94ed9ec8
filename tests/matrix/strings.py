# SPDX-License-Identifier: GPL-2.0-only
"""Sample strings of every character set of the server, as bytes.

Chosen for what makes the order of strings difficult: values equal under a collation, trailing
spaces, characters that sort below the space, characters that a collation ignores, expands or
contracts, and characters outside of the basic plane.
"""

from functools import cache
from random import Random

# the server's name of a multi-byte character set -> Python's codec
CODECS = {
    "utf8mb3": "utf-8",
    "utf8mb4": "utf-8",
    "ucs2": "utf-16-be",
    "utf16": "utf-16-be",
    "utf16le": "utf-16-le",
    "utf32": "utf-32-be",
    "big5": "big5",
    "cp932": "cp932",
    "eucjpms": "euc_jp",
    "euckr": "euc_kr",
    "gb2312": "gb2312",
    "gbk": "gbk",
    "sjis": "shift_jis",
    "ujis": "euc_jp",
}
BASIC_PLANE_ONLY = ("utf8mb3", "ucs2")
# all others have one byte a character; of these ascii alone rejects some bytes
SEVEN_BIT = ("ascii",)

# in an order that a short column keeps: the most telling first
EDGES = (
    ["", " ", "  ", "a", "A", "a ", "a  ", "a\t", "a\x01", "a\x00", "\x00", "\x01", "b", "B"]
    + ["aa", "aA", "Aa", "ab", "aB", "ab ", "a b", "a\x1fb", "abc", "abd", "ABC  ", "0", "9", "~"]
    + ["ch", "cH", "Ch", "CH", "cz", "c", "d", "h", "i", "lj", "ll", "LL", "nj", "dz", "cs", "ccs"]
    + ["ä", "Ä", "ae", "AE", "æ", "Æ", "ß", "ss", "SS", "sS", "ẞ", "é", "e\u0301", "e", "E", "å"]
    + ["ø", "ö", "oe", "œ", "ñ", "n", "ı", "I", "İ", "i̇", "đ", "þ", "th", "ĳ", "ij", "ﬁ", "fi"]
    + ["a\u00adb", "a\u200db", "a\u0300", "à", "\u0300", "\u00ad", "ǆ", "ǅ", "Ω", "ω", "Σ", "ς"]
    + ["σ", "я", "Я", "ё", "е", "ґ", "і", "ї", "א", "ب", "ก", "เก", "กเ", "แก้ว", "က", "ကျ"]
    + [
        "中",
        "文",
        "中文",
        "一",
        "あ",
        "ア",
        "ｱ",
        "か",
        "が",
        "カ",
        "ー",
        "가",
        "각",
        "한",
        "Ａ",
        "ａ",
    ]
    + ["€", "\ufffd", "\ufb01", "😀", "😁", "𝔄", "𝐀", "\U0010ffff", "a😀", "a😀 "]
    + ["ab cdefg", "abcdefgh", "abcdefgH ", "abcdefghi", "abcdefgh\t", "abcdefgh  i"]
)
COMMON = " aaAbBcz0\t"


@cache
def encode(text: str, character_set: str) -> bytes | None:
    """The bytes of `text`, or None when the character set lacks one of its characters."""
    codec = CODECS.get(character_set, "ascii")
    if character_set in BASIC_PLANE_ONLY and any(ord(c) > 0xFFFF for c in text):
        return None
    try:
        return text.encode(codec)
    except UnicodeEncodeError:
        return None


@cache
def alphabet(character_set: str) -> tuple[bytes, ...]:
    """Characters to draw from, each as its bytes."""
    if character_set not in CODECS:
        top = 0x7F if character_set in SEVEN_BIT else 0xFF
        return tuple(bytes([n]) for n in range(1, top + 1))
    characters = dict.fromkeys("".join(EDGES))
    encoded = [encode(c, character_set) for c in characters]
    return tuple(e for e in encoded if e is not None)


@cache
def edges(character_set: str, length: int) -> tuple[bytes, ...]:
    """All telling strings of at most `length` characters, and some that fill the column."""
    short = [encode(text, character_set) for text in EDGES if len(text) <= length]
    found = [e for e in short if e is not None]
    if character_set not in CODECS:
        found += high_bytes(character_set, length)
    if length > 0:
        found += full_values(character_set, length)
    return tuple(dict.fromkeys(found))


def full_values(character_set: str, length: int) -> list[bytes]:
    a, space = encode("a", character_set), encode(" ", character_set)
    found = [encode(text, character_set) * length for text in ("a", "Z", " ", "\x01")]
    found.append(a * (length - 1) + alphabet(character_set)[-1])
    return [*found, a + space * (length - 1)]


def high_bytes(character_set: str, length: int) -> list[bytes]:
    """Every byte beyond ASCII, as a string of its own."""
    if character_set in SEVEN_BIT or length < 1:
        return []
    return [bytes([n]) for n in range(0x80, 0x100)]


def random_string(rng: Random, character_set: str, length: int) -> bytes:
    """Mostly short, mostly of few letters, so that equal beginnings and ties are common."""
    size = rng.randint(0, min(length, rng.choice([2, 4, 9, 20, 60])))
    common = [encode(c, character_set) for c in COMMON]
    letters = alphabet(character_set)
    return b"".join(rng.choice(common if rng.random() < 0.7 else letters) for _ in range(size))


def literal(value: bytes, character_set: str) -> str:
    """SQL for these bytes as a string of that character set; no conversion takes place."""
    return f"_{character_set} x'{value.hex()}'"
