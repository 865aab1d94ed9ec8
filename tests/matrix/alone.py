# SPDX-License-Identifier: GPL-2.0-only
"""What can still be checked when the peer has erred and its table is of no more use.

From then on the tested engine's index is compared with a scan of its own table, in which the server
looks at every row itself; the rows are what they must be as far as each statement tells.
"""

import re
from collections import Counter

from pymysql.constants import ER

from tests.kit.side_by_side.runner import Answer, Side
from tests.matrix.questions import Asked

DUPLICATE = ER.DUP_ENTRY
HINT = re.compile(r"FORCE INDEX \([^)]*\)")


class OwnScan:
    """Stands in for the peer: answers from the tested table, without an index to search in."""

    def __init__(self, tested: Side):
        self.tested = tested

    def execute(self, sql: str) -> Answer:
        return self.tested.execute(HINT.sub("USE INDEX ()", sql))


class Alone:
    """A tested table without a peer. Each function returns '' or what is wrong."""

    def __init__(self, asked: Asked, tested: Side, peer: Side):
        self.asked, self.tested, self.peer = asked, tested, peer
        self.scan = OwnScan(tested)
        self.mine = f"{tested.database}.{asked.table}"
        self.theirs = f"{peer.database}.{asked.table}"

    @property
    def searches_differently(self) -> bool:
        """Does an index find other rows than a scan? A key over v(N) does (ColumnType.as_prefix),
        and one over a CHAR without padding (ColumnType.as_key)."""
        return self.asked.role.prefix or self.asked.kind.as_key("v") != "v"

    def equal(self, a: str, b: str) -> str:
        """Condition that the values of two rows are one for a unique key."""
        role, kind = self.asked.role, self.asked.kind
        if not role.prefix:
            return kind.as_key(f"{a}.v = {b}.v")
        return f"{kind.first_of(f'{a}.v')} = {kind.first_of(f'{b}.v')}"

    def duplicates(self, side: Side) -> bool:
        """Has a table with a unique key two rows that the server finds equal?"""
        table = f"{self.asked.table} {{}} USE INDEX ()"
        source = f"{table.format('a')}, {table.format('b')}"
        sql = f"SELECT COUNT(*) FROM {source} WHERE a.id < b.id AND {self.equal('a', 'b')}"
        return self._number(side, sql) != 0

    def rows_left(self, side: Side, deletion: str) -> int:
        """How many rows a scan finds that a DELETE .. WHERE is meant for."""
        count = deletion.replace("DELETE FROM", "SELECT COUNT(*) FROM", 1)
        return self._number(side, count.replace(" WHERE ", " USE INDEX () WHERE ", 1))

    def search_of(self, sql: str) -> str:
        """The SELECT of the ids that the index finds for a DELETE, or for an UPDATE by the index;
        '' of other statements."""
        source, table = (re.escape(text) for text in (self.asked.source, self.asked.table))
        found = re.fullmatch(rf"(?:UPDATE {source} SET .*|DELETE FROM {table}) (WHERE .*)", sql)
        return f"SELECT id FROM {self.asked.source} {found[1]}" if found else ""

    def doubted(self, sql: str) -> int:
        """How many rows it depends on the plan, or on the side, whether a statement changes them:
        an index may miss some, and the sides not the same ones."""
        search = self.search_of(sql)
        if not search or not self.searches_differently:
            return 0
        found = [
            set(side.execute(text).rows or [])
            for side in (self.tested, self.peer)
            for text in (search, HINT.sub("USE INDEX ()", search))
        ]
        return len(set.union(*found) - set.intersection(*found))

    def meant(self, sql: str) -> tuple[int, ...]:
        """How many rows a DELETE .. WHERE may take: what a scan finds, or the index."""
        if not is_deletion(sql):
            return ()
        by_scan = self.rows_left(self.tested, sql)
        if not self.searches_differently:
            return (by_scan,)
        return by_scan, len(self.tested.execute(self.search_of(sql)).rows or [])

    def parting_after_delete(self, deletion: str) -> str:
        """The peer has left rows: besides those it must have the same as we."""
        mine, theirs = self._contents(self.mine), self._contents(self.theirs)
        if mine - theirs:
            return f"rows that the peer has not: {list(mine - theirs)[:3]}"
        left = self.rows_left(self.peer, deletion)
        missing = list((theirs - mine).elements())
        return "" if len(missing) == left else f"missing: {missing[:3]} and {len(missing)} in all"

    def parting_after_other_rows(self, doubted: int) -> str:
        """The peer has changed other rows than we, `doubted` of them, and no more may differ."""
        mine, theirs = self._contents(self.mine), self._contents(self.theirs)
        differ = max((mine - theirs).total(), (theirs - mine).total())
        return "" if differ <= doubted else f"{differ} rows differ, not {doubted}"

    def parting_after_reading(self) -> str:
        """The peer cannot read its own index: a scan of its table must find the same rows."""
        mine, theirs = self._contents(self.mine), self._contents(self.theirs)
        return "" if mine == theirs else f"{list(mine - theirs)[:3]}, not {list(theirs - mine)[:3]}"

    def filled(self, rows: list[str]) -> str:
        """Is each of `rows` there as it is, or refused because an equal one is there?"""
        every = f"{self.theirs}_all"
        create = f"CREATE TABLE {every} (id INT, v {self.asked.kind.ddl} NULL, w INT) ENGINE=InnoDB"
        for sql in (create, f"INSERT INTO {every} VALUES {', '.join(rows)}"):
            answer = self.peer.execute(sql)
            if answer.error:
                return f"error {answer.error}: {answer.text}"
        extra = self._contents(self.mine) - self._contents(every)
        there = f"SELECT 1 FROM {self.mine} b USE INDEX () WHERE"
        refused = (
            f"NOT EXISTS ({there} b.id = a.id) AND NOT EXISTS ({there} {self.equal('a', 'b')})"
        )
        lost = self.peer.execute(f"SELECT a.id FROM {every} a WHERE {refused}").rows
        self.peer.execute(f"DROP TABLE {every}")
        return "" if not extra and lost == [] else f"too much: {list(extra)[:3]}, lost: {lost}"

    def write(self, sql: str, answer: Answer, meant: tuple[int, ...]) -> str:
        """What a statement has done. `meant`: meant() before it."""
        if answer.error not in (0, DUPLICATE):
            return f"error {answer.error}: {answer.text}"
        exact = (
            self.asked.kind.as_key("v") == "v"
        )  # else the key tells values apart that = does not
        if self.asked.role.unique and exact and self.duplicates(self.tested):
            return "two rows with one value of a unique key"
        if not meant:
            return ""
        left = self.rows_left(self.tested, sql)
        if answer.affected in meant and left == meant[0] - answer.affected:
            return ""
        return f"{answer.affected} rows affected of {meant}, {left} left"

    def fresh_index_finds(self, search: str) -> Counter:
        """What a search finds in an index that InnoDB makes anew of our rows. Where keys compare
        differently from expressions nothing else tells how."""
        copy = f"{self.asked.table}_fresh"
        self.peer.execute(self.asked.role.table(copy, self.asked.kind, self.asked.nullable))
        self.peer.execute(f"INSERT IGNORE INTO {copy} SELECT * FROM {self.mine}")
        found = Counter(self.peer.execute(self._of(search, copy)).rows or [])
        self.peer.execute(f"DROP TABLE {copy}")
        return found

    def own_fresh_index_finds(self, search: str) -> Counter:
        """What a search finds in an index of ours that is made anew of our rows."""
        copy = f"{self.asked.table}_own"
        self.tested.execute(f"CREATE TABLE {copy} LIKE {self.asked.table}")
        self.tested.execute(f"INSERT INTO {copy} SELECT * FROM {self.asked.table}")
        found = Counter(self.tested.execute(self._of(search, copy)).rows or [])
        self.tested.execute(f"DROP TABLE {copy}")
        return found

    def _of(self, search: str, table: str) -> str:
        return re.sub(rf"\b{re.escape(self.asked.table)}\b", table, search)

    def checksum(self, checksum: str) -> str:
        """Compares with InnoDB's of the same rows in a table without keys."""
        copy = f"{self.theirs}_copy"
        columns = f"id INT NOT NULL, v {self.asked.kind.ddl} {self._null()}, w INT NOT NULL"
        mine = self.tested.execute(checksum)
        self.peer.execute(f"CREATE TABLE {copy} ({columns}) ENGINE=InnoDB")
        self.peer.execute(f"INSERT INTO {copy} SELECT * FROM {self.mine}")
        theirs = self.peer.execute(f"CHECKSUM TABLE {copy} EXTENDED")
        self.peer.execute(f"DROP TABLE {copy}")
        found, due = ([row[1:] for row in answer.rows or []] for answer in (mine, theirs))
        return "" if found == due and found else f"{found}, not {due}"

    def _null(self) -> str:
        return "NULL" if self.asked.nullable else "NOT NULL"

    def _contents(self, table: str) -> Counter:
        sql = f"SELECT id, w, {self.asked.kind.shown} FROM {table} USE INDEX ()"
        return Counter(self.peer.execute(sql).rows or [])

    @staticmethod
    def _number(side: Side, sql: str) -> int:
        rows = side.execute(sql).rows
        return int(rows[0][0]) if rows else -1


def is_deletion(sql: str) -> bool:
    return sql.startswith("DELETE FROM ") and " WHERE " in sql
