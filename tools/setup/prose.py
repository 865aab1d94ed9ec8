# SPDX-License-Identifier: GPL-2.0-only
"""English prose in the files of a Debian package: documents as lists of paragraphs.

Known are pages of HTML and XML (DocBook, Mallard), dictionaries of dictd, plain texts,
reStructuredText, Perl's POD and Info files, each compressed by gzip or not. What is no prose is
left out: programs, tables, lists of names, other languages. Paragraphs are ASCII on one line, so
that whoever counts their words needs a regular expression and no rules of Unicode.
"""

import gzip
import re
import subprocess
import tarfile
import unicodedata
import zlib
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath

from tools.errors import DevError

VERSION = 1  # to be raised by whoever changes what is found
LONGEST_FILE = 16 * 2**20  # bytes of a file that is read; larger ones are indexes and tables
FEWEST_WORDS = 12  # of a paragraph
LONGEST_PARAGRAPH = 4000  # characters
# parts of a paragraph's words or characters that tell prose from programs and other languages
LETTERS = 0.85
SMALL_WORDS = 0.22
ENGLISH = frozenset(
    re.findall(
        r"\w+",
        "a about after all also an and any are as at be been before but by can could do each for "
        "from had has have he her his if in into is it its may more most must no not of on one "
        "only or other our out over shall should so some such than that the their them then there "
        "these they this to under up upon was we were what when where which while who will with "
        "would you your",
    )
)
MARKUP = frozenset((".html", ".htm", ".xhtml", ".xml", ".docbook", ".page"))
TEXTS = frozenset((".txt", ".rst", ".pod", ".info", ".dict", ".texi", ""))
# pages that hold a list, or all other pages of the book once more
LISTS = re.compile(r"genindex|index-all|allclasses|searchindex|singlehtml|-nochunks|copyright")
# what stands between these is not read
SILENT = re.compile(
    r"<(head|script|style|pre|programlisting|screen|nav|svg)\b.*?</\1\s*>|<!--.*?-->", re.S | re.I
)
# within a paragraph; every other element begins and ends one
INLINE = (
    "a|abbr|acronym|application|b|big|cite|classname|code|command|emphasis|em|filename|font|"
    "function|gui|guilabel|i|input|ins|kbd|key|link|literal|mark|option|parameter|q|quote|s|samp|"
    "small|span|strike|strong|sub|sup|tt|type|u|ulink|var|varname|wbr|xref"
)
BLOCK = re.compile(rf"</?(?!(?:{INLINE})\b)[a-z!?][^>]*>", re.I)
# what ASCII has another sign for, and NFKD does not know
SIGNS = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "­": ""})
BRACES = str.maketrans("", "", "{}")
WORD = re.compile(r"[A-Za-z]+")
NOT_ASCII = re.compile(r"[^ -~]+")
# POD's I<text>
POD = re.compile(r"\b[A-Z]<+ ?([^<>]*?) ?>+")
BLANK = re.compile(r"\n[ \t]*\n")
# an entry of a dictionary begins in the first column
ENTRY = re.compile(r"\n(?=\S)")


class Text(HTMLParser):
    """The `words` of what is fed, without its tags."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.words: list[str] = []

    def handle_data(self, data):
        self.words.append(data)


def documents(package: Path) -> Iterator[list[str]]:
    """The prose of each file of a .deb in their order in it, paragraph by paragraph. DevError for
    what is no package."""
    command = ["dpkg-deb", "--fsys-tarfile", str(package)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as unpacked:
        try:
            with tarfile.open(fileobj=unpacked.stdout, mode="r|") as tar:
                for member in tar:
                    if member.isfile() and member.size <= LONGEST_FILE and kind(member.name):
                        paragraphs = prose(member.name, tar.extractfile(member).read())
                        if paragraphs:
                            yield paragraphs
        except tarfile.TarError as error:
            raise DevError(f"{package.name} is no Debian package: {error}") from error


def kind(name: str) -> str | None:
    """'markup' or 'text'; None for a file that is not read."""
    path = PurePosixPath(name)
    if path.suffix in (".gz", ".dz", ".en"):
        path = path.with_suffix("")
    if LISTS.search(path.name):
        return None
    if path.suffix in MARKUP:
        return "markup"
    in_place = "/share/" in name or "/lib/" in name
    return "text" if in_place and path.suffix in TEXTS else None


def prose(name: str, content: bytes) -> list[str]:
    """The paragraphs of a file that are prose."""
    if name.endswith((".gz", ".dz")):
        try:
            content = gzip.decompress(content)
        except (OSError, EOFError, zlib.error):
            return []
    if b"\0" in content[:4096]:
        return []
    text = decoded(content)
    return [line for line in map(one_line, paragraphs(name, text)) if is_prose(line)]


def paragraphs(name: str, text: str) -> list[str]:
    if kind(name) == "markup":
        return of_markup(text)
    if ".dict" in name:
        # links stand in braces, and many definitions end without a full stop
        return [f"{part.rstrip()}." for part in ENTRY.split(text.translate(BRACES))]
    return BLANK.split(POD.sub(r"\1", text))


def decoded(content: bytes) -> str:
    """UTF-8 or, where it is not, Latin-1."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def of_markup(text: str) -> list[str]:
    """The text between each two tags that end a paragraph. HTMLParser is slow, and takes only what
    may be prose."""
    parts = BLOCK.split(SILENT.sub("<p>", text))
    return [without_tags(part) for part in parts if may_be_prose(part)]


def may_be_prose(part: str) -> bool:
    """False where is_prose() would say so once the tags are gone, but for a few odd cases."""
    words = part.split()
    return len(words) >= FEWEST_WORDS and sum(word in ENGLISH for word in words) >= 2


def without_tags(text: str) -> str:
    if "<" not in text and "&" not in text:
        return text
    parser = Text()
    parser.feed(text)
    parser.close()
    return "".join(parser.words)


def one_line(text: str) -> str:
    """ASCII with single spaces; accents are taken off, and other characters are spaces."""
    if not text.isascii():
        plain = unicodedata.normalize("NFKD", text.translate(SIGNS))
        text = "".join(c for c in plain if not unicodedata.combining(c))
    return " ".join(NOT_ASCII.sub(" ", text.replace("\\", " ")).split())


def is_prose(line: str) -> bool:
    if len(line) > LONGEST_PARAGRAPH or line[-1:] not in ".!?:;)\"'":
        return False
    words = WORD.findall(line)
    if len(words) < FEWEST_WORDS:
        return False
    letters = sum(map(len, words)) + line.count(" ")
    small = sum(word.lower() in ENGLISH for word in words)
    return letters >= LETTERS * len(line) and small >= SMALL_WORDS * len(words)
