# SPDX-License-Identifier: GPL-2.0-only
"""Applications that come with SQL files, in packages of Debian's.

Zabbix (monitoring): its schema, and its own data, which is large and has deep trees of templates.
Icinga Director (configuration of monitoring): constraints of every action in most of its tables.
Kea (DHCP): kea-admin makes the schema as it grew, version by version, with triggers.
Tiny Tiny RSS (news reader): constraints written in several ways.
"""

import gzip
import re
import shutil
from collections.abc import Iterator

from tests.foreign_keys.applications.application import (
    Application,
    Stage,
    copied,
    dropped,
    scripts,
)
from tests.foreign_keys.applications.filler import Filler
from tests.foreign_keys.applications.side import Side
from tests.foreign_keys.applications.touches import Touches
from tools import paths
from tools.setup import applications

ROWS, LONG_ROWS = 12, 60  # of each table that the filler fills
INSERT = re.compile(r"(INSERT INTO `\w+` \([^)]*\) values )(\(.*\));$", re.IGNORECASE | re.DOTALL)
ROWS_TOGETHER = 300  # of Zabbix's data in one statement, in the short form


def text_of(name: str) -> str:
    """A file of the packages, also a compressed one."""
    file = applications.file(name)
    data = file.read_bytes()
    return (gzip.decompress(data) if file.suffix == ".gz" else data).decode()


class Zabbix(Application):
    NAME = "zabbix"
    CONSTRAINTS = 200

    def stages(self) -> list[Stage]:
        touches = Touches(self.seed, None if self.long else 120)
        return [
            Stage("schema", scripts(lambda: self.file("schema"))),
            Stage("data", scripts(lambda: self.file("images"), self.data)),
            Stage("upgrade", scripts(*(lambda n=name: self.file(n) for name in self.UPGRADES))),
            Stage("rows", Filler(LONG_ROWS if self.long else ROWS, only_empty=True)),
            Stage("copy", copied() if self.long else copied("--no-data"), rows=False),
            Stage("touches", touches),
            Stage("drop", dropped),
        ]

    # what its manual asks for after an upgrade from version 5
    UPGRADES = ("double", "history_pk_prepare")

    @staticmethod
    def file(name: str) -> str:
        return text_of(f"share/zabbix-server-mysql/{name}.sql.gz")

    def data(self) -> str:
        """As it is in the long form, else with many rows of a table in one statement."""
        text = self.file("data")
        return text if self.long else "\n".join(joined(text.splitlines()))


def joined(lines: list[str]) -> Iterator[str]:
    """The statements, with INSERTs that follow each other and begin alike as one."""
    begin, rows = "", []
    for line in lines:
        match = INSERT.match(line)
        if rows and (not match or match[1] != begin or len(rows) == ROWS_TOGETHER):
            yield f"{begin}{','.join(rows)};"
            rows = []
        if match:
            begin = match[1]
            rows.append(match[2])
        else:
            yield line
    if rows:
        yield f"{begin}{','.join(rows)};"


class Filled(Application):
    """One whose packages bring no rows, or few."""

    WITHOUT_VALUE: frozenset[str] = frozenset()

    def schema(self) -> Stage:
        raise NotImplementedError

    def stages(self) -> list[Stage]:
        return [
            self.schema(),
            Stage("rows", Filler(LONG_ROWS if self.long else ROWS, self.WITHOUT_VALUE)),
            Stage("copy", copied()),
            Stage("touches", Touches(self.seed)),
            Stage("drop", dropped),
        ]


class Director(Filled):
    NAME = "director"
    CONSTRAINTS = 150

    def schema(self) -> Stage:
        name = "share/icingaweb2/modules/director/schema/mysql.sql"
        return Stage("schema", scripts(lambda: text_of(name)))


class TinyTinyRss(Filled):
    NAME = "ttrss"
    CONSTRAINTS = 30

    def schema(self) -> Stage:
        return Stage(
            "schema", scripts(lambda: text_of("share/tt-rss/schema/ttrss_schema_mysql.sql"))
        )


class Kea(Filled):
    NAME = "kea"
    CONSTRAINTS = 50
    # what changes the configuration belongs to a revision, of which a trigger asks the number
    SESSION = {"@audit_revision_id": "1"}
    # classes that follow each other: a procedure keeps their order
    WITHOUT_VALUE = frozenset({"follow_class_name"})

    def schema(self) -> Stage:
        return Stage("schema", self.create)

    def create(self, side: Side) -> list[str]:
        """By kea-admin; dropped by Kea's own script, and created once more."""
        program = KeaAdmin(side)
        first = program.run("db-init")
        side.script(text_of("share/kea/scripts/mysql/dhcpdb_drop.mysql"))
        left = side.tables()
        side.open(self.database, self.SESSION)
        return [first, f"left: {left}", program.run("db-init"), program.run("db-version")]


class KeaAdmin:
    """kea-admin and its scripts in a folder of the side's. They look for each other below /usr,
    and call `mysql`: both are led to the private places."""

    def __init__(self, side: Side):
        self.side, self.home = side, side.folder / "kea"
        shutil.rmtree(self.home, ignore_errors=True)
        shutil.copytree(applications.file("share/kea"), self.home / "share" / "kea")
        (self.home / "sbin").mkdir()
        shutil.copy(applications.file("sbin/kea-admin"), self.home / "sbin")
        for script in [self.home / "sbin" / "kea-admin", *self.home.rglob("*.sh")]:
            text = script.read_text()
            script.write_text(text.replace('prefix="/usr"', f'prefix="{self.home}"'))
        for file in self.home.rglob("*.mysql"):
            file.write_text(side.own(file.read_text()))
        self.write_client()

    def write_client(self) -> None:
        """The program `mysql`: the client with this server's socket."""
        client = self.home / "bin" / "mysql"
        client.parent.mkdir()
        words = f"{paths.client()} --no-defaults --socket={self.side.server.socket}"
        client.write_text(f'#!/bin/sh\nexec {words} "$@"\n')
        client.chmod(0o755)

    def run(self, command: str) -> str:
        words = [str(self.home / "sbin" / "kea-admin"), command, "mysql", "-u", "root", "-p", ""]
        words += ["-n", self.side.database]
        path = f"{self.home / 'bin'}:/usr/bin:/bin"
        output = self.side.run(words, {"PATH": path, "HOME": str(self.home)})
        return output.replace(str(self.home), "HOME")
