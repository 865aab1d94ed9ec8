# SPDX-License-Identifier: GPL-2.0-only
"""Rows that refer to one another, in transactions with cascades. They are only the client's own, so
that the expected contents are known exactly: the rules of the constraints are carried out in
memory, too."""

from dataclasses import dataclass

import pymysql
from pymysql.constants import ER

from tests.kit.clients.client import RETRY, Client, Problem, Stopped

KEYS = 40  # ids of one client in each table; few, so that rows come and go
DEEPEST = 10  # in the tree; a cascade may be 14 deep


@dataclass(frozen=True)
class Constraint:
    child: str
    parent: str
    on_delete: str
    on_update: str

    def clause(self) -> str:
        return (
            f"CONSTRAINT {self.child}_ref FOREIGN KEY (ref) REFERENCES fk_{self.parent} (id)"
            f" ON DELETE {self.on_delete} ON UPDATE {self.on_update}"
        )


CONSTRAINTS = {
    c.child: c
    for c in (
        Constraint("child", "parent", "CASCADE", "CASCADE"),
        Constraint("grandchild", "child", "CASCADE", "CASCADE"),
        Constraint("note", "parent", "SET NULL", "CASCADE"),
        Constraint("mark", "parent", "CASCADE", "SET NULL"),
        Constraint("hold", "child", "RESTRICT", "NO ACTION"),
        Constraint("tree", "tree", "CASCADE", "RESTRICT"),
    )
}
TABLES = ("parent", *CONSTRAINTS)  # parents first
RENUMBERED = ("parent", "child")  # get other ids


class Refused(Exception):
    """A constraint forbids the change."""


class Rows:
    """Of all tables: id -> ref. A change that is Refused may leave half of it here."""

    def __init__(self, tables: dict[str, dict[int, int | None]] | None = None):
        self.tables = tables or {name: {} for name in TABLES}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rows) and self.tables == other.tables

    def __repr__(self) -> str:
        return str({name: rows for name, rows in self.tables.items() if rows})

    def copy(self) -> "Rows":
        return Rows({name: dict(rows) for name, rows in self.tables.items()})

    def children(self, table: str, key: int) -> list[tuple[Constraint, int]]:
        return [
            (constraint, child)
            for constraint in CONSTRAINTS.values()
            if constraint.parent == table
            for child, ref in self.tables[constraint.child].items()
            if ref == key
        ]

    def put(self, table: str, key: int, ref: int | None) -> None:
        """INSERT, and UPDATE of the reference."""
        if ref is not None and ref not in self.tables[CONSTRAINTS[table].parent]:
            raise Refused
        self.tables[table][key] = ref

    def delete(self, table: str, key: int) -> None:
        for constraint, child in self.children(table, key):
            if constraint.on_delete == "CASCADE":
                self.delete(constraint.child, child)
            elif constraint.on_delete == "SET NULL":
                self.tables[constraint.child][child] = None
            else:
                raise Refused
        del self.tables[table][key]

    def renumber(self, table: str, key: int, new: int) -> None:
        for constraint, child in self.children(table, key):
            if constraint.on_update not in ("CASCADE", "SET NULL"):
                raise Refused
            follows = constraint.on_update == "CASCADE"
            self.tables[constraint.child][child] = new if follows else None
        self.tables[table][new] = self.tables[table].pop(key)

    def depth(self, key: int | None) -> int:
        """Of a row of the tree: 0 for none."""
        return 0 if key is None else 1 + self.depth(self.tables["tree"][key])


def create_tables() -> list[str]:
    columns = "id INT PRIMARY KEY, owner INT NOT NULL, ref INT, KEY owner (owner, ref)"
    return [
        f"CREATE TABLE IF NOT EXISTS fk_{name} ({columns}"
        + (f", {CONSTRAINTS[name].clause()})" if name in CONSTRAINTS else ")")
        for name in TABLES
    ]


def read_rows(execute, owner: int) -> Rows:
    return Rows(
        {
            name: dict(execute(f"SELECT id, ref FROM fk_{name} WHERE owner = {owner}"))
            for name in TABLES
        }
    )


# A statement, and the number of the error that it must meet; 0 for none.
Change = tuple[str, int]


class Family(Client):
    """Transactions of one to four changes, with a row that tells which was the last."""

    def __init__(self, number: int, seed: int, connect):
        super().__init__(number, seed, connect)
        self.rows = Rows()
        self.sequence = 0
        self.pending: Rows | None = None

    def create(self) -> list[str]:
        return [
            *create_tables(),
            "CREATE TABLE fk_progress (owner INT PRIMARY KEY, sequence INT NOT NULL)",
            "INSERT INTO fk_progress SELECT seq, 0 FROM seq_0_to_99",
        ]

    def step(self) -> None:
        rows, following = self.rows, self.sequence + 1
        self.execute("BEGIN")
        savepoint = None
        for n in range(self.rng.randint(1, 4)):
            if self.rng.random() < 0.15:
                self.execute(f"SAVEPOINT s{n}")
                savepoint = f"s{n}", rows
            rows = self.change(rows)
            if savepoint and self.rng.random() < 0.3:
                self.execute(f"ROLLBACK TO SAVEPOINT {savepoint[0]}")
                rows = savepoint[1]
        self.execute(f"UPDATE fk_progress SET sequence = {following} WHERE owner = {self.number}")
        if self.rng.random() < 0.1:
            self.execute("ROLLBACK")
            return
        self.pending = rows
        self.execute("COMMIT")
        self.rows, self.pending, self.sequence = rows, None, following
        self.acknowledge()

    def change(self, rows: Rows) -> Rows:
        """One statement, and the rows after it."""
        after = rows.copy()
        try:
            sql, error = self.draw(after), 0
        except RefusedStatement as refused:
            (sql, error), after = refused.change, rows
        found = self.number_of_error(sql)
        if found != error:
            self.counts.errors.append(f"{sql}: error {found}, not {error}")
            raise Stopped
        return after

    def number_of_error(self, sql: str) -> int:
        try:
            self.execute(sql)
        except pymysql.Error as error:
            if error.args[0] in RETRY:
                raise
            return error.args[0]
        return 0

    def draw(self, rows: Rows) -> str:
        """A statement, done in `rows` too."""
        table = self.rng.choice(TABLES)
        key = self.key()
        if key not in rows.tables[table]:
            ref = self.reference(table, rows)
            sql = f"INSERT INTO fk_{table} VALUES ({key}, {self.number}, {text(ref)})"
            return refusable(sql, ER.NO_REFERENCED_ROW_2, rows.put, table, key, ref)
        choice = self.rng.random()
        if choice < 0.4 or table == "tree":
            sql = f"DELETE FROM fk_{table} WHERE id = {key}"
            return refusable(sql, ER.ROW_IS_REFERENCED_2, rows.delete, table, key)
        new = self.key()
        if table in RENUMBERED and new not in rows.tables[table]:
            sql = f"UPDATE fk_{table} SET id = {new} WHERE id = {key}"
            return refusable(sql, ER.ROW_IS_REFERENCED_2, rows.renumber, table, key, new)
        ref = self.reference(table, rows)
        sql = f"UPDATE fk_{table} SET ref = {text(ref)} WHERE id = {key}"
        return refusable(sql, ER.NO_REFERENCED_ROW_2, rows.put, table, key, ref)

    def key(self) -> int:
        return self.number * KEYS + self.rng.randrange(KEYS)

    def reference(self, table: str, rows: Rows) -> int | None:
        if table not in CONSTRAINTS or self.rng.random() < 0.1:
            return None
        if self.rng.random() < 0.05:
            return -1 - self.key()  # nobody's
        parents = rows.tables[CONSTRAINTS[table].parent]
        keys = [k for k in parents if table != "tree" or rows.depth(k) < DEEPEST]
        return self.rng.choice(keys) if keys else None

    def check(self, execute) -> list[Problem]:
        where = f"WHERE owner = {self.number}"
        sequence = execute(f"SELECT sequence FROM fk_progress {where}")[0][0]
        problems = []
        whole = self.pending is not None and sequence == self.sequence + 1
        if self.pending is not None:
            self.settle(whole)
        if whole:
            self.rows = self.pending
        elif sequence != self.sequence:
            kind = "lost" if sequence < self.sequence else "extra"
            text = f"family {self.number}: {sequence} for {self.sequence}"
            problems.append(Problem(kind, text))
        self.pending, self.sequence = None, sequence
        found = read_rows(execute, self.number)
        if found != self.rows:
            kind = problems[0].kind if problems else "half" if whole else "lost"
            text = f"family {self.number}: {found}, not {self.rows}"
            problems.append(Problem(kind, text))
        self.rows = found
        return problems


class RefusedStatement(Exception):
    def __init__(self, change: Change):
        super().__init__(change)
        self.change = change


def refusable(sql: str, error: int, action, *arguments) -> str:
    """The statement; raises RefusedStatement when `action`, which does the same, is Refused."""
    try:
        action(*arguments)
    except Refused:
        raise RefusedStatement((sql, error)) from None
    return sql


def text(ref: int | None) -> str:
    return "NULL" if ref is None else str(ref)
