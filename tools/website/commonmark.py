# SPDX-License-Identifier: GPL-2.0-only
"""A hook of MkDocs. Pages are written in CommonMark, as every forge shows it; MkDocs reads an older
Markdown. There what belongs to an item of a list is indented by four spaces, whatever its marker,
a list needs an empty line above it, and `\\|` in the code of a table keeps its backslash.

What came out is then compared with a parser of CommonMark, by the number of items, tables, headings
and so on. A difference is a warning, and so ends the build."""

import logging
import re
from collections import Counter
from dataclasses import dataclass

from markdown_it import MarkdownIt

INDENT = 4
MARKER = re.compile(r" *(?:[-*+]|\d+[.)]) +")
CODE_IN_TABLE = re.compile(r"`[^`]+`")
COUNTED = ("h1", "h2", "h3", "h4", "li", "table", "tr", "pre", "code", "em", "strong", "img")

log = logging.getLogger("mkdocs.hooks.commonmark")
parser = MarkdownIt("commonmark").enable("table")


@dataclass
class Item:
    """An item of a list: its lines, and the column at which its text begins."""

    first: int
    end: int
    column: int


def items(lines: list[str], tokens: list) -> list[Item]:
    found = []
    for token in tokens:
        if token.type == "list_item_open":
            first, end = token.map
            found.append(Item(first, end, MARKER.match(lines[first]).end()))
    return found


def behind_a_long_one(item: Item, lines: list[str], all_items: list[Item]) -> bool:
    """Does it follow an item of several paragraphs? Its marker would be taken for a word then."""
    before = [other for other in all_items if other.end == item.first]
    return any("" in lines[other.first : other.end] for other in before)


def reindented(line: str, number: int, around: list[Item]) -> str:
    """`around`: the items that the line is in, the outermost first."""
    if not around or not line.strip():
        return line
    inner = around[-1]
    blanks = len(line) - len(line.lstrip(" "))
    if number != inner.first:
        return " " * INDENT * len(around) + line[min(inner.column, blanks) :]
    marker = line[: inner.column].strip().ljust(INDENT)
    return " " * INDENT * (len(around) - 1) + marker + line[inner.column :]


def python_markdown(text: str) -> str:
    """The page as MkDocs reads it."""
    lines, tokens = text.split("\n"), parser.parse(text)
    all_items = items(lines, tokens)
    apart = {t.map[0] for t in tokens if t.type.endswith("_list_open") and t.level == 0}
    apart |= {i.first for i in all_items if behind_a_long_one(i, lines, all_items)}
    tables = {n for t in tokens if t.type == "table_open" for n in range(*t.map)}
    out = []
    for number, line in enumerate(lines):
        around = [item for item in all_items if item.first <= number < item.end]
        if number in apart and out and out[-1].strip():
            out.append("")
        if number in tables:
            line = CODE_IN_TABLE.sub(lambda m: m.group().replace("\\|", "|"), line)
        out.append(reindented(line, number, around))
    return "\n".join(out)


def counts(html: str) -> Counter[str]:
    found = re.findall(r"<(\w+)[\s>]", html)
    return Counter(tag for tag in found if tag in COUNTED)


def differences(text: str, html: str) -> list[str]:
    """What MkDocs shows otherwise than CommonMark means it."""
    meant, shown = counts(parser.render(text)), counts(html)
    return [
        f"{tag}: {shown[tag]} shown, {meant[tag]} written"
        for tag in COUNTED
        if shown[tag] != meant[tag]
    ]


# --- what MkDocs calls

written: dict[str, str] = {}


def on_page_markdown(markdown: str, page, **_) -> str:
    written[page.file.src_uri] = markdown
    return python_markdown(markdown)


def on_page_content(html: str, page, **_) -> str:
    for difference in differences(written[page.file.src_uri], html):
        log.warning(f"{page.file.src_uri}: {difference}")
    return html
