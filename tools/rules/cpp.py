# SPDX-License-Identifier: GPL-2.0-only
"""Just enough reading of C++ for the rules: code without comments, functions, comment lines."""

import re
from dataclasses import dataclass
from pathlib import Path

SUFFIXES = (".h", ".cc")

_TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|R"(?P<mark>[^\s()\\]{0,16})\(.*?\)(?P=mark)"|"""
    r""""(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'""",
    re.S,
)
_EMPTY_OF_MEANING = re.compile(
    r"\s*(?:#.*|[{}]+;?|namespace\b[^;]*|(?:public|protected|private):)\s*$"
)
_ACCESS = re.compile(r"(?:\s|(?:public|protected|private)\s*:(?!:))*")
_SCOPE = re.compile(r"\b(namespace|extern|class|struct|union|enum)\b")


@dataclass
class Function:
    """A function definition: first line of its head to the line of its closing brace."""

    line: int
    length: int
    head: str


def is_cpp(path: Path) -> bool:
    return path.suffix in SUFFIXES


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def code_only(text: str) -> str:
    """The text with comments and the contents of literals blanked out; lines stay in place."""

    def replace(match: re.Match) -> str:
        token = match.group()
        if token.startswith("/"):
            return _blank(token)
        opening, closing = token[: token.index(token[-1]) + 1], token[-1]
        return opening + _blank(token[len(opening) : -1]) + closing

    return _TOKEN.sub(replace, text)


def comment_share(text: str) -> float:
    """Lines that hold a comment, as a part of all lines that say something; 0..1. Blank lines,
    preprocessor lines, lone braces and the opening of namespaces say nothing."""
    commented = total = 0
    for raw, code in zip(text.split("\n"), code_only(text).split("\n"), strict=True):
        has_comment = raw.rstrip() != code.rstrip() and (
            "//" in raw or "*" in raw or not code.strip()
        )
        if has_comment:
            commented += 1
        if has_comment or (raw.strip() and not _EMPTY_OF_MEANING.match(raw)):
            total += 1
    return commented / total if total else 0.0


def functions(text: str) -> list[Function]:
    """All function definitions outside of other functions."""
    code = re.sub(
        r"^[ \t]*#(?:\\\n|[^\n])*", lambda m: _blank(m.group()), code_only(text), flags=re.M
    )
    found: list[Function] = []
    inside: list[str] = []  # kinds of the open braces: scope, function, other
    start = head_from = 0
    for match in re.finditer(r"[{};]", code):
        position, mark = match.start(), match.group()
        kind = "end"
        if mark == "{":
            head = code[head_from:position]
            kind = _kind(head) if all(k == "scope" for k in inside) else "other"
            if kind == "function":
                start = head_from + _ACCESS.match(head).end()
            inside.append(kind)
        elif mark == "}" and inside:
            kind = inside.pop()
            if kind == "function":
                first, last = code.count("\n", 0, start) + 1, code.count("\n", 0, position) + 1
                name = " ".join(code[start:position].split("{")[0].split())
                found.append(Function(first, last - first + 1, name))
        # a head goes on after an initializer in braces: `A() : b_{1} {`, `T a = {1}, b = {2};`
        if kind != "other":
            head_from = position + 1
    return found


def _kind(head: str) -> str:
    """What a brace opens, judged by the text before it."""
    text = re.sub(r"\btemplate\s*<[^{}]*?>\s*(?=\b(class|struct|union|[\w:]))", "", head)
    before_parenthesis = text.split("(")[0]
    if _SCOPE.search(before_parenthesis) and "=" not in before_parenthesis:
        return "scope"
    if re.search(r"\)[^:]*:(?!:).*[\w>]$", text, re.S):
        return "other"  # a member's initializer in braces; a function's own brace follows a blank
    if "(" in text and not re.search(r"=\s*$", text):
        return "function"
    return "other"
