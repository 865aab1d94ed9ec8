# SPDX-License-Identifier: GPL-2.0-only
"""User XA transactions. Once XA PREPARE is acknowledged the transaction must come back in XA
RECOVER after every crash, invisible and with its locks, until it is committed or rolled back."""

import time

import pymysql
from pymysql.constants import ER

from tests.kit.clients.client import Client, Problem

MOST_OPEN = 4
# states of a transaction in the journal; those in -ing are in flight
UNKNOWN_XID = ER.XAER_NOTA


def decide(execute, sql: str) -> None:
    """XA COMMIT or ROLLBACK. The connection that prepared it may still be on its way out."""
    deadline = time.monotonic() + 5
    while True:
        try:
            execute(sql)
            return
        except pymysql.Error as error:
            if error.args[0] != UNKNOWN_XID or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


class Prepared(Client):
    def __init__(self, number: int, seed: int, connect):
        super().__init__(number, seed, connect)
        self.states: dict[int, str] = {}  # sequence -> preparing, prepared, committing, ...
        self.sequence = 0

    def create(self) -> list[str]:
        return ["CREATE TABLE xa_row (id INT PRIMARY KEY, client INT, v INT, KEY client (client))"]

    def name(self, number: int) -> str:
        return f"c{self.number}-{number}"

    def ids(self, number: int) -> list[int]:
        first = (self.number * 100000 + number) * 3
        return [first, first + 1, first + 2]

    def step(self) -> None:
        open_ones = [n for n, s in self.states.items() if s == "prepared"]
        if len(open_ones) >= MOST_OPEN or (open_ones and self.rng.random() < 0.3):
            return self.finish(self.rng.choice(open_ones), self.execute)
        self.sequence += 1
        number = self.sequence
        rows = ", ".join(f"({i}, {self.number}, {number})" for i in self.ids(number))
        self.execute(f"XA START '{self.name(number)}'")
        self.execute(f"INSERT INTO xa_row VALUES {rows}")
        self.execute(f"XA END '{self.name(number)}'")
        self.states[number] = "preparing"
        self.execute(f"XA PREPARE '{self.name(number)}'")
        self.states[number] = "prepared"
        self.acknowledge()
        if self.rng.random() < 0.4:
            return self.finish(number, self.execute)
        return self.reconnect()  # leaves it behind

    def finish(self, number: int, execute) -> None:
        commit = self.rng.random() < 0.5
        self.states[number] = "committing" if commit else "rolling back"
        verb = "COMMIT" if commit else "ROLLBACK"
        decide(execute, f"XA {verb} '{self.name(number)}'")
        self.states[number] = "committed" if commit else "rolled back"
        self.acknowledge()

    def check(self, execute) -> list[Problem]:
        prefix = f"c{self.number}-"
        names = {text(r[3]) for r in execute("XA RECOVER")}
        recovered = {int(n[len(prefix) :]) for n in names if n.startswith(prefix)}
        there: dict[int, int] = {}
        rows = execute(f"SELECT v, COUNT(*) FROM xa_row WHERE client={self.number} GROUP BY v")
        there.update(rows)
        problems = []
        for number in recovered - self.states.keys():
            problems.append(Problem("extra", f"XA RECOVER shows {self.name(number)}"))
        for number in list(self.states):
            problems += self.check_one(number, number in recovered, there.get(number, 0))
        problems += self.check_locks(execute)
        return problems + self.decide(execute)

    def check_one(self, number: int, recovered: bool, rows: int) -> list[Problem]:
        """Compares one transaction with its journal and moves it on to what was found."""
        state = self.states[number]
        if state.endswith("ing") or state == "rolling back":
            self.settle(not recovered if state != "preparing" else recovered)
        found = "prepared" if recovered else "committed" if rows else "rolled back"
        self.states[number] = found
        text = f"XA {self.name(number)}: journal {state}, found {found} with {rows} rows"
        if rows not in (0, 3) or (recovered and rows):
            return [Problem("half", text)]
        allowed = {
            "preparing": ("prepared", "rolled back"),
            "committing": ("prepared", "committed"),
            "rolling back": ("prepared", "rolled back"),
        }.get(state, (state,))
        if found in allowed:
            return []
        return [Problem("extra" if found == "committed" else "lost", text)]

    def check_locks(self, execute) -> list[Problem]:
        """The rows of one prepared transaction must still be locked."""
        number = next((n for n, s in self.states.items() if s == "prepared"), None)
        if number is None:
            return []
        try:
            execute(f"INSERT INTO xa_row VALUES ({self.ids(number)[0]}, -1, -1)")
        except pymysql.Error as error:
            if error.args[0] == ER.LOCK_WAIT_TIMEOUT:
                return []
            return [Problem("broken", f"XA {self.name(number)}: lock test: {error}")]
        execute(f"DELETE FROM xa_row WHERE id={self.ids(number)[0]}")
        return [Problem("broken", f"XA {self.name(number)}: its row is not locked")]

    def decide(self, execute) -> list[Problem]:
        """Commits or rolls back some, and looks whether that happened."""
        problems = []
        for number in [n for n, s in self.states.items() if s == "prepared"]:
            if self.rng.random() < 0.5:
                continue
            try:
                self.finish(number, execute)
            except pymysql.Error as error:
                problems.append(Problem("lost", f"XA {self.name(number)}: {error}"))
                continue
            rows = execute(f"SELECT COUNT(*) FROM xa_row WHERE v={number} AND client={self.number}")
            expected = 3 if self.states[number] == "committed" else 0
            if rows[0][0] != expected:
                text = f"XA {self.name(number)} {self.states[number]}: {rows[0][0]} rows"
                problems.append(Problem("half", text))
        # what is over and right needs no further look
        self.states = {n: s for n, s in self.states.items() if s == "prepared" or n % 50 == 0}
        return problems


def text(name: bytes | str) -> str:
    return name.decode() if isinstance(name, bytes) else name
