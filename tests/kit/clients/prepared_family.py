# SPDX-License-Identifier: GPL-2.0-only
"""User XA transactions that are left prepared: some delete or renumber a parent, with cascades,
others add a child. Whoever wants the opposite must wait for them after every crash."""

from dataclasses import dataclass

import pymysql
from pymysql.constants import ER

from tests.kit.clients.client import Client, Problem
from tests.kit.clients.family import TABLES, Rows, create_tables, read_rows, text
from tests.kit.clients.prepared import decide

MOST_OPEN = 3
FIRST = 10_000_000  # above the ids of other clients
SPAN = 8  # of ids, for each transaction
KINDS = ("delete", "renumber", "child", "hold")
FINISHED = ("committed", "rolled back")
# by the state in the journal, what may be found, last what was asked for; else only that state
ALLOWED = {
    "making": ("absent", "rolled back"),
    "preparing": ("rolled back", "prepared"),
    "committing": ("prepared", "committed"),
    "rolling back": ("prepared", "rolled back"),
}


@dataclass
class Open:
    """One transaction and its own parent, `base`. The states in -ing are in flight."""

    kind: str
    base: int
    state: str = "making"

    def before(self) -> Rows:
        rows = Rows()
        rows.put("parent", self.base, None)
        for table in ("child", "grandchild", "note", "mark"):
            rows.put(table, self.base, self.base)
        rows.put("child", self.base + 1, self.base)
        return rows

    def after(self) -> Rows:
        rows = self.before()
        if self.kind == "delete":
            rows.delete("parent", self.base)
        elif self.kind == "renumber":
            rows.renumber("parent", self.base, self.base + 4)
        elif self.kind == "child":
            rows.put("child", self.base + 2, self.base)
        else:
            rows.put("hold", self.base, self.base)
        return rows

    def statement(self, owner: int) -> str:
        return {
            "delete": f"DELETE FROM fk_parent WHERE id = {self.base}",
            "renumber": f"UPDATE fk_parent SET id = {self.base + 4} WHERE id = {self.base}",
            "child": f"INSERT INTO fk_child VALUES ({self.base + 2}, {owner}, {self.base})",
            "hold": f"INSERT INTO fk_hold VALUES ({self.base}, {owner}, {self.base})",
        }[self.kind]

    def opposites(self, owner: int) -> list[str]:
        """What must wait for it: each alone could make a row without a parent."""
        delete = f"DELETE FROM fk_parent WHERE id = {self.base}"
        if self.kind == "child":
            return [delete, f"UPDATE fk_parent SET id = {self.base + 5} WHERE id = {self.base}"]
        if self.kind == "hold":
            return [delete, f"DELETE FROM fk_child WHERE id = {self.base}"]
        new = f"VALUES ({self.base + 3}, {owner}, {self.base})"
        return [f"INSERT INTO fk_{table} {new}" for table in ("child", "note", "mark")]


class PreparedFamily(Client):
    def __init__(self, number: int, seed: int, connect):
        super().__init__(number, seed, connect)
        self.open: dict[int, Open] = {}
        self.sequence = 0
        self.waits = 0  # opposites that had to wait, as they must

    def create(self) -> list[str]:
        return create_tables()

    def name(self, number: int) -> str:
        return f"f{self.number}-{number}"

    # --- the load

    def step(self) -> None:
        prepared = [n for n, one in self.open.items() if one.state == "prepared"]
        if len(prepared) >= MOST_OPEN or (prepared and self.rng.random() < 0.3):
            return self.finish(self.rng.choice(prepared), self.execute)
        self.sequence += 1
        number, kind = self.sequence, self.rng.choice(KINDS)
        one = Open(kind, FIRST + (self.number * 100_000 + number) * SPAN)
        self.make(one, number)
        self.execute(f"XA START '{self.name(number)}'")
        self.execute(one.statement(self.number))
        self.execute(f"XA END '{self.name(number)}'")
        one.state = "preparing"
        self.execute(f"XA PREPARE '{self.name(number)}'")
        one.state = "prepared"
        self.acknowledge()
        if self.rng.random() < 0.4:
            return self.finish(number, self.execute)
        return self.reconnect()  # leaves it behind

    def make(self, one: Open, number: int) -> None:
        self.execute("BEGIN")
        for table, rows in one.before().tables.items():
            for key, ref in rows.items():
                values = f"({key}, {self.number}, {text(ref)})"
                self.execute(f"INSERT INTO fk_{table} VALUES {values}")
        self.open[number] = one
        self.execute("COMMIT")
        one.state = "rolled back"
        self.acknowledge()

    def abandon(self) -> None:
        """XA has another ROLLBACK. A connection that ends rolls back what is not prepared."""
        self.reconnect()

    def finish(self, number: int, execute) -> None:
        commit = self.rng.random() < 0.5
        self.open[number].state = "committing" if commit else "rolling back"
        verb = "COMMIT" if commit else "ROLLBACK"
        decide(execute, f"XA {verb} '{self.name(number)}'")
        self.open[number].state = "committed" if commit else "rolled back"
        self.acknowledge()

    # --- afterwards

    def check(self, execute) -> list[Problem]:
        names = [
            name.decode() if isinstance(name, bytes) else name for *_, name in execute("XA RECOVER")
        ]
        prefix = self.name(0)[:-1]
        recovered = {int(n.removeprefix(prefix)) for n in names if n.startswith(prefix)}
        problems = [
            Problem("extra", f"XA RECOVER shows {self.name(n)}")
            for n in recovered - self.open.keys()
        ]
        found = self.read(execute)
        for number, one in self.open.items():
            rows = found.pop(one.base, Rows())
            problems += self.check_one(number, one, number in recovered, rows)
        if found:
            problems.append(Problem("extra", f"rows of no transaction: {found}"))
        problems += self.check_opposite(execute)
        return problems + self.decide(execute)

    def read(self, execute) -> dict[int, Rows]:
        """By the base of their transaction."""
        found: dict[int, Rows] = {}
        for table, rows in read_rows(execute, self.number).tables.items():
            for key, ref in rows.items():
                base = key - (key - FIRST) % SPAN
                found.setdefault(base, Rows()).tables[table][key] = ref
        return found

    def check_one(self, number: int, one: Open, recovered: bool, rows: Rows) -> list[Problem]:
        """Compares one transaction with the journal and moves it on to what was found."""
        state, one.state = one.state, judge(one, recovered, rows)
        if state in ALLOWED:
            self.settle(one.state == ALLOWED[state][-1])
        if one.state in ALLOWED.get(state, (state,)):
            return []
        text = f"XA {self.name(number)}: {one.kind}, journal {state}, found {one.state}: {rows}"
        kind = {"committed": "extra", "half": "half"}.get(one.state, "lost")
        return [Problem(kind, text)]

    def check_opposite(self, execute) -> list[Problem]:
        """One statement that must wait for one of the prepared transactions."""
        prepared = [n for n, one in self.open.items() if one.state == "prepared"]
        if not prepared:
            return []
        number = self.rng.choice(prepared)
        sql = self.rng.choice(self.open[number].opposites(self.number))
        try:
            execute(sql)
        except pymysql.Error as error:
            if error.args[0] == ER.LOCK_WAIT_TIMEOUT:
                self.waits += 1
                return []
            return [Problem("broken", f"XA {self.name(number)}: {sql}: {error}")]
        return [Problem("broken", f"XA {self.name(number)}: {sql} does not wait for it")]

    def decide(self, execute) -> list[Problem]:
        """Commits or rolls back some, looks whether that happened, and forgets what is over."""
        problems = []
        prepared = [n for n, one in self.open.items() if one.state == "prepared"]
        for number in (n for n in prepared if self.rng.random() < 0.5):
            try:
                self.finish(number, execute)
            except pymysql.Error as error:
                problems.append(Problem("lost", f"XA {self.name(number)}: {error}"))
        found = self.read(execute)
        for number, one in self.open.items():
            rows = found.get(one.base, Rows())
            if one.state in FINISHED and judge(one, False, rows) != one.state:
                text = f"XA {self.name(number)}: {one.kind}, {one.state}: {rows}"
                problems.append(Problem("half", text))
        over = {n: one for n, one in self.open.items() if one.state != "prepared"}
        for number, one in over.items():
            remove(found.get(one.base, Rows()), execute)
            del self.open[number]
        return problems


def judge(one: Open, recovered: bool, rows: Rows) -> str:
    """What the transaction is: of one that is prepared nothing may be seen."""
    if recovered:
        return "prepared" if rows == one.before() else "half"
    if rows == Rows():
        return "absent"
    states = {"rolled back": one.before(), "committed": one.after()}
    return next((state for state, wanted in states.items() if rows == wanted), "half")


def remove(rows: Rows, execute) -> None:
    for table in reversed(TABLES):
        for key in rows.tables[table]:
            execute(f"DELETE FROM fk_{table} WHERE id = {key}")
