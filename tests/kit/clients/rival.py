# SPDX-License-Identifier: GPL-2.0-only
"""Children of parents that all clients share, delete and renumber: a cascade that is lost by half
shows where tables that refer to the same parent differ."""

import pymysql
from pymysql.constants import ER

from tests.kit.clients.client import Problem
from tests.kit.clients.numbered import Numbered

PARENTS = 12
SPAN = 1_000_000  # of tags, for each client
# the parent is gone, or its new number is taken
REFUSALS = (ER.NO_REFERENCED_ROW_2, ER.DUP_ENTRY)
REFERENCE = "FOREIGN KEY (parent) REFERENCES rv_parent (id)"
# A note stays when its parent goes, and tells with which one the rows of its tag must be.
DIFFERENT = (
    "SELECT tag, n.parent, l.parent, r.parent, f.tag FROM rv_note n LEFT JOIN rv_left l USING (tag)"
    " LEFT JOIN rv_right r USING (tag) LEFT JOIN rv_leaf f USING (tag)"
    " WHERE NOT (n.parent <=> l.parent AND n.parent <=> r.parent"
    " AND (n.parent IS NULL) = (f.tag IS NULL))"
)


class Rival(Numbered):
    """Each transaction adds a note with its number. Those that insert children add rows of the
    same tag in four tables."""

    def create(self) -> list[str]:
        twin = f"(tag INT PRIMARY KEY, parent INT NOT NULL, {REFERENCE} ON DELETE CASCADE"
        return [
            "CREATE TABLE rv_parent (id INT PRIMARY KEY)",
            f"INSERT INTO rv_parent SELECT seq FROM seq_1_to_{PARENTS}",
            f"CREATE TABLE rv_left {twin} ON UPDATE CASCADE)",
            f"CREATE TABLE rv_right {twin} ON UPDATE CASCADE)",
            "CREATE TABLE rv_leaf (tag INT PRIMARY KEY,"
            " FOREIGN KEY (tag) REFERENCES rv_left (tag) ON DELETE CASCADE)",
            "CREATE TABLE rv_note (tag INT PRIMARY KEY, parent INT,"
            f" {REFERENCE} ON DELETE SET NULL ON UPDATE CASCADE)",
        ]

    def step(self) -> None:
        try:
            self.transaction()
        except pymysql.Error as error:
            if error.args[0] not in REFUSALS:
                raise
            self.counts.retried += 1
            self.abandon()

    def transaction(self) -> None:
        tag = self.number * SPAN + self.sequence + 1
        self.execute("BEGIN")
        for sql in self.draw(tag):
            self.execute(sql)
        self.commit()

    def draw(self, tag: int) -> list[str]:
        parent, other = (self.rng.randint(1, PARENTS) for _ in range(2))
        note = f"INSERT INTO rv_note VALUES ({tag}, NULL)"
        choice = self.rng.random()
        if choice < 0.15:
            return [f"DELETE FROM rv_parent WHERE id = {parent}", note]
        if choice < 0.3:
            return [f"UPDATE rv_parent SET id = {other} WHERE id = {parent}", note]
        if choice < 0.5:
            return [f"INSERT IGNORE INTO rv_parent VALUES ({parent})", note]
        tables = ["rv_left", "rv_right", "rv_note"]
        self.rng.shuffle(tables)
        children = [f"INSERT INTO {table} VALUES ({tag}, {parent})" for table in tables]
        return [*children, f"INSERT INTO rv_leaf VALUES ({tag})"]

    def check(self, execute) -> list[Problem]:
        first = self.number * SPAN
        count, last = execute(
            f"SELECT COUNT(*), COALESCE(MAX(tag) - {first}, 0) FROM rv_note"
            f" WHERE tag BETWEEN {first} AND {first + SPAN - 1}"
        )[0]
        problems = self.check_numbers("notes", count, last)
        return problems + self.check_tags(execute)

    def check_tags(self, execute) -> list[Problem]:
        """Of all clients."""
        problems = []
        different = execute(DIFFERENT)
        if different:
            text = f"rival: tag, parents of note, left, right, tag of leaf: {different[:4]}"
            problems.append(Problem("half", text))
        for table in ("rv_left", "rv_right", "rv_leaf"):
            alone = execute(f"SELECT tag FROM {table} WHERE tag NOT IN (SELECT tag FROM rv_note)")
            if alone:
                problems.append(Problem("half", f"rival: {table} has {alone[:4]} without a note"))
        return problems
