# SPDX-License-Identifier: GPL-2.0-only
"""One engine's side of a comparison: two databases, and answers in which only what must agree is
left of names and engines.

In statements {here} and {other} are the two databases, {engine} is the engine, {alien} another
one, and {folder} a folder for files. In answers both sides have the same words for these.
"""

import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from pymysql.constants import ER

from tests.kit.error_numbers import ALTER_OPERATION_NOT_SUPPORTED_REASON, FK_COLUMN_NOT_NULL
from tests.kit.side_by_side.runner import ENGINES, Answer, Side

# InnoDB's own parents are foreign to the tested engine
ALIEN = {"rocksdb": "InnoDB", "innodb": "MyISAM"}
ENGINE_NAME = re.compile(r"\b(InnoDB|ROCKSDB|MyISAM)\b")
TEMPORARY_NAME = re.compile(r"#sql-\w+(-\w+)*")
# a constraint's text is the same on each engine; the words of other warnings are the engine's
TOLD_ALIKE = (ER.ROW_IS_REFERENCED_2, ER.NO_REFERENCED_ROW_2)

# The server quotes a part of the statement, of a length in which names count; why an algorithm is
# refused is the engine's own reason.
OF_NO_MATTER = (ER.PARSE_ERROR, ALTER_OPERATION_NOT_SUPPORTED_REASON)

Warnings = list[tuple[str, ...]]


@dataclass
class Schemas(Side):
    """`folder` is this side's own; it exists and is empty when a case begins."""

    folder: Path = field(default=Path())

    @property
    def other(self) -> str:
        return f"{self.database}_other"

    def open(self) -> None:
        """Both databases, empty. Constraints across databases are in nobody's way."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        with self.connect() as link:
            link.query("SET foreign_key_checks = 0")
            for name in (self.database, self.other):
                tables = f"SELECT 1 FROM information_schema.TABLES WHERE TABLE_SCHEMA = '{name}'"
                if link.query(tables):
                    self.asking = f"DROP DATABASE {name}"
                    link.query(self.asking)
                link.query(f"CREATE DATABASE IF NOT EXISTS {name} CHARACTER SET utf8mb4")
        self.asking = ""

    def execute(self, sql: str, connection: int = 0) -> Answer:
        answer = super().execute(self.own(sql), connection)
        answer.text = "" if answer.error in OF_NO_MATTER else self.common(answer.text)
        # InnoDB names the copy, and takes the constraints in the order of the copy's names
        if answer.error == ER.NO_REFERENCED_ROW_2 and sql.startswith("ALTER"):
            answer.text = ""
        # the first by its name, or the first with SET NULL
        if answer.error == FK_COLUMN_NOT_NULL:
            answer.text = ""
        # of a row that is no duplicate, too: the one that it has read since
        if answer.error == ER.DUP_ENTRY and sql.startswith("ALTER"):
            answer.text = ""
        if answer.rows:
            answer.rows = [tuple(map(self.common, row)) for row in answer.rows]
        return answer

    def warnings(self, connection: int = 0) -> Warnings:
        """Of the last statement: level, number, and the text where it must agree."""
        rows = self.execute("SHOW WARNINGS", connection).rows or []
        return [(lv, no, words if int(no) in TOLD_ALIKE else "") for lv, no, words in rows]

    def own(self, sql: str) -> str:
        """A statement with this side's names."""
        names = {
            "{here}": self.database,
            "{other}": self.other,
            "{engine}": ENGINES[self.engine],
            "{alien}": ALIEN[self.engine],
            "{folder}": str(self.folder),
        }
        for word, name in names.items():
            sql = sql.replace(word, name)
        return sql

    def common(self, words: str | None) -> str | None:
        """What is the same on both sides."""
        if words is None:
            return None
        words = words.replace(self.other, "other").replace(self.database, "here")
        words = words.replace(str(self.folder), "folder")
        return ENGINE_NAME.sub("ENGINE", TEMPORARY_NAME.sub("#sql", words))
