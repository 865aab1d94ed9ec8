# SPDX-License-Identifier: GPL-2.0-only
"""Stanzas of the package index -> rows of all tables, one tab-separated file a table.

Everything streams: in memory are only the names already seen and their numbers.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tools.errors import DevError
from tools.sample import control, index_files, relations, schema
from tools.sample.control import Complaints

MAINTAINER = re.compile(r"(?P<name>[^<>]*)<(?P<email>[^<>]+)>[\s,]*")
TAG = re.compile(r"([^:\s{}]{1,60})::([^\s{}]{1,60})")
INSTALLED = "installed"
# LOAD DATA's defaults: backslash escapes, \N is NULL
ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


class TableFiles:
    """One open file a table below a folder; `counts` says how many rows each has."""

    def __init__(self, folder: Path):
        folder.mkdir(parents=True, exist_ok=True)
        self.counts: Counter = Counter()
        self._files = {t.name: open(folder / f"{t.name}.tsv", "w") for t in schema.TABLES}

    def add(self, table: str, *values) -> None:
        self.counts[table] += 1
        self._files[table].write("\t".join(map(escape, values)) + "\n")

    def close(self) -> None:
        for file in self._files.values():
            file.close()


def escape(value) -> str:
    if value is None:
        return "\\N"
    return str(int(value) if isinstance(value, bool) else value).translate(ESCAPES)


class Numbers:
    """Gives names their numbers, from 1; a new one becomes a row (number, name, more...)."""

    def __init__(self, files: TableFiles, table: str):
        self._files, self._table = files, table
        self._known: dict[str, int] = {}

    def of(self, key: str, *columns) -> int:
        """The number of `key`; the row has the columns, or the key itself when there are none."""
        number = self._known.get(key)
        if number is None:
            number = self._known[key] = len(self._known) + 1
            self._files.add(self._table, number, *(columns or (key,)))
        return number


class Writer:
    """Turns stanzas into rows. Not reusable: one object a data set."""

    def __init__(self, files: TableFiles, complaints: Complaints):
        self.files, self.complaints = files, complaints
        tables = ("suites", "sections", "maintainers", "sources", "packages", "tags")
        self.numbers = {table: Numbers(files, table) for table in tables}
        self.bodies: dict[str, str] = {}  # long descriptions by their MD5 in hex
        self.installed: set[tuple[str, ...]] = set()
        self._versions: set[tuple[str, ...]] = set()
        self._descriptions: set[str] = set()

    def note_installed(self, stanza: dict[str, str]) -> None:
        """Reads a stanza of dpkg's status file before the lists are read."""
        if stanza.get("status", "").endswith(" ok installed"):
            self.installed.add(identity(stanza))
        self.note_description(stanza, stanza.get("description", ""))

    def note_translation(self, stanza: dict[str, str]) -> None:
        """Reads a stanza of a list of long descriptions."""
        self.note_description(stanza, stanza.get("description-en", ""))

    def note_description(self, stanza: dict[str, str], text: str) -> None:
        if "\n" in text:
            self.bodies[description_md5(stanza, text)] = text.partition("\n")[2]

    def add_package(self, stanza: dict[str, str], suite: str) -> None:
        """Writes a version with all that belongs to it; once, even if several lists have it."""
        key = identity(stanza)
        if not all(key) or len(key[0]) > schema.NAME_LENGTH or len(key[1]) > schema.VERSION_LENGTH:
            self.complaints.add("no package, version or architecture", str(stanza)[:120])
            return
        if key in self._versions:
            return
        self._versions.add(key)
        version_id = len(self._versions)
        self.add_version(version_id, stanza, key, suite)
        self.add_relations(version_id, stanza)
        self.add_tags(version_id, stanza)

    def add_version(self, number: int, stanza: dict, key: tuple[str, ...], suite: str) -> None:
        section = stanza.get("section", "")[:100]
        priority = stanza.get("priority", "").lower()
        if priority and priority not in schema.PRIORITIES:
            self.complaints.add("unknown priority", priority)
        self.files.add(
            "versions",
            number,
            self.numbers["packages"].of(key[0]),
            key[1],
            key[2],
            self.numbers["suites"].of(suite),
            self.numbers["sections"].of(section) if section else None,
            # "Source: name (version)"; without the field the source has the package's name
            self.numbers["sources"].of((stanza.get("source") or key[0]).split()[0].lower()),
            self.maintainer(stanza.get("maintainer", "")),
            self.description(stanza),
            priority if priority in schema.PRIORITIES else None,
            stanza.get("essential", "").lower() == "yes",
            key in self.installed,
            self.number(stanza, "installed-size"),
            self.number(stanza, "size"),
            self.sha256(stanza),
            stanza.get("homepage", "")[: schema.HOMEPAGE_LENGTH] or None,
        )

    def number(self, stanza: dict[str, str], name: str) -> int | None:
        text = stanza.get(name)
        if text is None:
            return None
        if not (text.isascii() and text.isdigit() and len(text) < 19):
            self.complaints.add(f"{name} is no number", text)
            return None
        return int(text)

    def sha256(self, stanza: dict[str, str]) -> str | None:
        text = stanza.get("sha256")
        if text is not None and not re.fullmatch(r"[0-9a-fA-F]{64}", text):
            self.complaints.add("sha256 is no hash", text)
            return None
        return text

    def maintainer(self, text: str) -> int | None:
        """A person is known by the address; the first spelling of the name stays."""
        if not text:
            return None
        match = MAINTAINER.fullmatch(text)
        if match is None:
            self.complaints.add("maintainer without an address", text)
            return self.numbers["maintainers"].of(text, text[: schema.PERSON_LENGTH], None)
        email = match["email"].strip().lower()[: schema.PERSON_LENGTH]
        name = match["name"].strip(' "')[: schema.PERSON_LENGTH]
        return self.numbers["maintainers"].of(email, name or email, email)

    def description(self, stanza: dict[str, str]) -> str | None:
        text = stanza.get("description") or stanza.get("description-en") or ""
        if not text:
            return None
        md5 = description_md5(stanza, text)
        if md5 not in self._descriptions:
            self._descriptions.add(md5)
            summary, _, body = text.partition("\n")
            summary = summary[: schema.SUMMARY_LENGTH]
            self.files.add("descriptions", md5, summary, body or self.bodies.get(md5))
        return md5

    def add_relations(self, version_id: int, stanza: dict[str, str]) -> None:
        for kind in relations.KINDS:
            for r in relations.parse(stanza.get(kind.lower(), ""), self.complaints):
                if len(r.name) > schema.NAME_LENGTH or len(r.version or "") > schema.VERSION_LENGTH:
                    self.complaints.add("relation too long", r.name)
                    continue
                row = (r.group, r.alternative, r.name, r.architecture, r.operator, r.version)
                self.files.add("dependencies", version_id, kind, *row)

    def add_tags(self, version_id: int, stanza: dict[str, str]) -> None:
        for tag in sorted(set(tags(stanza.get("tag", ""), self.complaints))):
            number = self.numbers["tags"].of("::".join(tag), *tag)
            self.files.add("version_tags", version_id, number)


def tags(text: str, complaints: Complaints) -> Iterator[tuple[str, str]]:
    """(facet, name) of `facet::name, facet::{name,name}`, in lower case."""
    for item in re.split(r",\s+|,(?![^{]*\})", text.lower()):
        item = item.strip().rstrip(",")
        braces = re.fullmatch(r"([^{}]*)\{([^{}]*)\}", item)
        items = [braces[1] + name for name in braces[2].split(",")] if braces else [item]
        for one in items:
            match = TAG.fullmatch(one.strip())
            if match:
                yield match[1], match[2]
            elif one:
                complaints.add("unreadable tag", one)


def identity(stanza: dict[str, str]) -> tuple[str, ...]:
    """(package, version, architecture), '' for what is missing. Names are lower case by policy."""
    package = stanza.get("package", "").lower()
    return package, stanza.get("version", ""), stanza.get("architecture", "")[:20]


def description_md5(stanza: dict[str, str], text: str) -> str:
    """The archive's own key of a description: the MD5 of the English text with all its lines as
    they stand in the control file, and a newline at the end."""
    given = stanza.get("description-md5", "").lower()
    if re.fullmatch(r"[0-9a-f]{32}", given):
        return given
    lines = text.split("\n")
    full = "\n".join(lines[:1] + [f" {line}" for line in lines[1:]]) + "\n"
    return hashlib.md5(full.encode(), usedforsecurity=False).hexdigest()


def write(files: index_files.IndexFiles, folder: Path, complaints: Complaints) -> Counter:
    """Writes the files of all tables below `folder`; returns the number of rows of each."""
    tables = TableFiles(folder)
    try:
        writer = Writer(tables, complaints)
        status = [files.status] if files.status else []
        for path in status:
            each(path, complaints, writer.note_installed)
        for path in files.translations:
            each(path, complaints, writer.note_translation)
        for path in files.packages:
            suite = index_files.suite_of(path)
            each(path, complaints, lambda stanza, suite=suite: writer.add_package(stanza, suite))
        for path in status:
            each(path, complaints, lambda s: add_installed(writer, s))
    finally:
        tables.close()
    return tables.counts


def add_installed(writer: Writer, stanza: dict[str, str]) -> None:
    """A package that is installed, though no list has it (any more)."""
    if identity(stanza) in writer.installed:
        writer.add_package(stanza, INSTALLED)


def each(path: Path, complaints: Complaints, action) -> None:
    """Calls action(stanza) for the stanzas of a file; an unreadable file is a complaint."""
    try:
        with index_files.opened(path) as lines:
            for stanza in control.stanzas(lines, complaints):
                action(stanza)
    except (OSError, EOFError, DevError) as error:
        complaints.add("unreadable file", f"{path.name}: {error}")
