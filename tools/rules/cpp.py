# SPDX-License-Identifier: GPL-2.0-only
"""C++ for the rules, read by tree-sitter: functions, classes and their members, comments."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import tree_sitter_cpp
from tree_sitter import Language, Node, Parser

SUFFIXES = (".h", ".cc")

_LITERALS = ("string_literal", "raw_string_literal", "char_literal")
_CLASSES = ("class_specifier", "struct_specifier")
_SAYS_NOTHING = re.compile(r"\s*(?:#.*|[{}]+;?|namespace\b[^;]*|(?:public|protected|private):)\s*$")
# Attributes of members and functions. They are macros, which the grammar takes for declarators.
_ANNOTATION = re.compile(
    rb"\bBASALT_(?:[A-Z]+_)*(?:BY|SHARED|REQUIRES|ACQUIRE|RELEASE|MUTEX|ANNOTATION)"
    rb"\([^()]*(?:\([^()]*\))?[^()]*\)|\bBASALT_UNCHECKED_LOCKS\b"
)


@dataclass
class Function:
    """A function definition: first line of its head to the line of its closing brace."""

    line: int
    length: int
    head: str


@dataclass
class Class:
    """A class or struct with a body: how many members it declares itself."""

    line: int
    name: str
    data: int  # non-static data members
    functions: int  # public functions, without constructors, destructors, operators and overrides


@dataclass
class Literal:
    """A string in the code; parts that stand side by side are one."""

    line: int
    text: str
    call: str  # the innermost call it is an argument of: the function's name, or empty


def is_cpp(path: Path) -> bool:
    return path.suffix in SUFFIXES


def _parse(text: str) -> tuple[bytes, Node]:
    """The text as bytes, lines in place, and its tree."""
    content = text.encode()
    read = _ANNOTATION.sub(lambda match: re.sub(rb"[^\n]", b" ", match.group()), content)
    return content, Parser(Language(tree_sitter_cpp.language())).parse(read).root_node


def _walk(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from _walk(child)


def code_only(text: str) -> str:
    """The text with comments and the contents of literals blanked out; lines stay in place."""
    content, root = _parse(text)
    blanked = bytearray(content)

    def blank(first: int, last: int) -> None:
        blanked[first:last] = re.sub(rb"[^\n]", b" ", content[first:last])

    for node in _walk(root):
        if node.type == "comment":
            blank(node.start_byte, node.end_byte)
        elif node.type in _LITERALS:
            blank(content.index(content[node.end_byte - 1 : node.end_byte], node.start_byte) + 1,
                  node.end_byte - 1)  # fmt: skip
    return blanked.decode(errors="replace")


def literals(text: str) -> list[Literal]:
    """All strings, but for names of headers and what is asserted at compile time."""
    _, root = _parse(text)
    found = []
    waiting = [(root, "")]
    while waiting:
        node, call = waiting.pop()
        if node.type in ("preproc_include", "static_assert_declaration"):
            continue
        if node.type in ("concatenated_string", *_LITERALS[:2]):
            found.append(Literal(node.start_point.row + 1, _content(node), call))
            continue
        if node.type == "call_expression":
            function = node.child_by_field_name("function")
            call = re.split(r"[^\w~]", function.text.decode(errors="replace"))[-1]
        waiting += [(child, call) for child in node.children]
    return sorted(found, key=lambda literal: literal.line)


def _content(node: Node) -> str:
    if node.type == "concatenated_string":
        return "".join(_content(child) for child in node.children if child.type in _LITERALS)
    inside = node.text.decode(errors="replace")
    if node.type == "raw_string_literal":
        return inside[inside.index("(") + 1 : inside.rindex(")")]
    return re.sub(r"\\(.)", r"\1", inside[inside.index('"') + 1 : -1].replace("\\n", " "))


def comment_share(text: str) -> float:
    """Lines that hold a comment, as a part of all lines that say something; 0..1. Blank lines,
    preprocessor lines, lone braces and the opening of namespaces say nothing."""
    _, root = _parse(text)
    commented: set[int] = set()
    for node in _walk(root):
        if node.type == "comment":
            commented.update(range(node.start_point.row, node.end_point.row + 1))
    says = {
        row
        for row, line in enumerate(text.split("\n"))
        if line.strip() and not _SAYS_NOTHING.match(line)
    }
    total = len(says | commented)
    return len(commented) / total if total else 0.0


def functions(text: str) -> list[Function]:
    """All function definitions outside of other functions."""
    content, root = _parse(text)
    found: list[Function] = []

    def collect(node: Node, template: Node | None) -> None:
        if node.type == "function_definition":
            body = node.child_by_field_name("body")
            if body is not None:  # else it is defaulted or deleted
                start = template or node
                head = content[start.start_byte : body.start_byte].decode(errors="replace")
                first, last = start.start_point.row, node.end_point.row
                found.append(Function(first + 1, last - first + 1, " ".join(head.split())))
            return
        for child in node.children:
            collect(child, node if node.type == "template_declaration" else None)

    collect(root, None)
    return found


def classes(text: str) -> list[Class]:
    """All classes and structs with a body, nested ones too."""
    content, root = _parse(text)
    found = []
    for node in _walk(root):
        body = node.child_by_field_name("body")
        if node.type in _CLASSES and body is not None:
            name = node.child_by_field_name("name")
            shown = "(unnamed)" if name is None else name.text.decode(errors="replace")
            data, public = _members(content, node.type == "struct_specifier", body)
            found.append(Class(node.start_point.row + 1, shown, data, public))
    return found


def _members(content: bytes, public: bool, body: Node) -> tuple[int, int]:
    """(data members, public functions) declared in a class's body."""
    data = functions_of = 0
    for member in body.named_children:
        if member.type == "access_specifier":
            public = member.text.startswith(b"public")
            continue
        if member.type == "template_declaration":
            member = member.named_children[-1]
        if member.type not in ("field_declaration", "function_definition", "declaration"):
            continue
        declared = _function_names(member)
        if declared:
            functions_of += public and _counts(member, declared)
        elif member.type == "field_declaration" and not _is_static(member):
            # a nested class or enumeration has none
            data += len(member.children_by_field_name("declarator"))
    return data, functions_of


def _function_names(member: Node) -> list[str]:
    """The name of the function that a member declares; nothing when it is data."""
    for node in _walk(member):
        if node.type in ("compound_statement", "field_initializer_list", "default_value"):
            break
        if node.type == "function_declarator":
            name = node.child_by_field_name("declarator")
            if name.type in ("identifier", "field_identifier", "destructor_name", "operator_name",
                             "operator_cast"):  # fmt: skip
                return [name.type, name.text.decode(errors="replace")]
    return []


def _counts(member: Node, declared: list[str]) -> bool:
    """Is it a function of the class's own, and neither made by the language nor for a base?"""
    kind, _ = declared
    made = member.type == "declaration" or member.child_by_field_name("type") is None
    overrides = any(n.type == "virtual_specifier" for n in _walk(member))
    return kind in ("identifier", "field_identifier") and not made and not overrides


def _is_static(member: Node) -> bool:
    return any(n.type == "storage_class_specifier" and n.text == b"static" for n in member.children)
