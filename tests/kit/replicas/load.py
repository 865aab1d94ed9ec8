# SPDX-License-Identifier: GPL-2.0-only
"""The clients of the crash tests as the load of a primary: each keeps a journal of what was
acknowledged, which can be compared with any server afterwards."""

import threading

from tests.kit.clients.articles import Articles
from tests.kit.clients.bank import Bank
from tests.kit.clients.client import Client, Problem
from tests.kit.clients.events import Events
from tests.kit.clients.large import Large
from tests.kit.clients.ledger import Counter, Ledger, TwoEngines
from tests.kit.clients.scratch import Scratch
from tests.kit.replicas.node import Node

PAIRS = 1_000_000  # ids of a client of that name


class SmallLarge(Large):
    """Statements that spill to disk on the replica too, at a size that a replica follows."""

    rows = 4000


class IdempotentScratch(Scratch):
    """DDL that a replica may execute twice (slave_ddl_exec_mode=IDEMPOTENT): the server commits a
    DDL statement and the position behind it one after the other, whatever the engine."""

    statement = ""

    def draw(self):
        while True:
            self.statement, after = super().draw()
            if not self.statement.startswith("RENAME"):
                return self.statement, after

    def check(self, execute) -> list[Problem]:
        """The server writes TRUNCATE into the binary log when the engine has done it, and has no
        note of it in its DDL log (sql_truncate.cc): a crash in between leaves the replicas behind,
        whatever the engine. It is repeated, for both."""
        cut_off = self.statement if self.pending is not None else ""
        problems = super().check(execute)
        if cut_off.startswith("TRUNCATE"):
            execute(cut_off)
            self.tables[cut_off.split()[-1]] = 0
        return problems


class Pairs(Client):
    """Rows in the tested engine, in InnoDB and in both, in turn. They are only inserted: no later
    change hides that a server has lost one."""

    def __init__(self, number: int, seed: int, connect):
        super().__init__(number, seed, connect)
        self.made = 0

    def create(self) -> list[str]:
        return [
            "CREATE TABLE pair_here (id INT PRIMARY KEY, a INT NOT NULL, KEY a (a))",
            "CREATE TABLE pair_there (id INT PRIMARY KEY, a INT NOT NULL, KEY a (a)) ENGINE=InnoDB",
        ]

    def step(self) -> None:
        row = self.number * PAIRS + self.made
        self.execute("BEGIN")
        for table in self.tables(self.made):
            self.execute(f"INSERT INTO {table} VALUES ({row}, {row % 7})")
        self.execute("COMMIT")
        self.made += 1
        self.acknowledge()

    def tables(self, turn: int) -> tuple[str, ...]:
        return (("pair_here",), ("pair_there",), ("pair_there", "pair_here"))[turn % 3]

    def check(self, execute) -> list[Problem]:
        """No commit is in flight here: this is no client of a server that is killed."""
        problems, first = [], self.number * PAIRS
        for table in ("pair_here", "pair_there"):
            query = f"SELECT COUNT(*) FROM {table} WHERE id BETWEEN {first} AND {first + PAIRS - 1}"
            found = execute(query)[0][0]
            expected = sum(table in self.tables(turn) for turn in range(self.made))
            if found != expected:
                kind = "lost" if found < expected else "extra"
                problems.append(Problem(kind, f"{table}: {found} rows instead of {expected}"))
        return problems


CLASSES = [
    *(Ledger, Ledger, Counter, Bank, Bank, Events, SmallLarge, IdempotentScratch, TwoEngines),
    Articles,
]
# those whose transactions are in one engine and quick
SHORT = [Ledger, Ledger, Counter, Counter, Bank, Bank, Events]
# and with a second engine
PAIRED = [Ledger, Counter, Bank, Events, Pairs, Pairs, Pairs]


class Load:
    def __init__(self, classes: list[type[Client]], seed: int, primary: Node):
        self.primary = primary
        self.threads: list[threading.Thread] = []
        self.clients = [kind(n, seed, self.connect) for n, kind in enumerate(classes)]
        for client in self.clients:
            client.binlog = True

    def connect(self):
        return self.primary.connect()

    def create(self) -> None:
        with self.primary.connect() as link, link.cursor() as cursor:
            for kind in dict.fromkeys(type(c) for c in self.clients):
                client = next(c for c in self.clients if type(c) is kind)
                for sql in client.create():
                    cursor.execute(sql)

    def start(self) -> None:
        for client in self.clients:
            client.stop.clear()
            self.threads.append(threading.Thread(target=client.run, daemon=True))
            self.threads[-1].start()

    def stop(self) -> list[Problem]:
        """Ends the load after each client's statement; returns what went wrong in it."""
        for client in self.clients:
            client.stop.set()
        for thread in self.threads:
            thread.join(120)
        stuck = sum(t.is_alive() for t in self.threads)
        self.threads = []
        problems = [Problem("broken", f"{stuck} clients do not end")] if stuck else []
        for client in self.clients:
            problems += [Problem("broken", e) for e in client.counts.errors]
            client.counts.errors.clear()
        return problems

    def check(self, node: Node) -> list[Problem]:
        """Compares the journals with a server; what was in flight is then taken as found there."""
        problems = []
        with node.connect() as link, link.cursor() as cursor:

            def execute(sql: str) -> list[tuple]:
                cursor.execute(sql)
                return list(cursor.fetchall()) if cursor.description else []

            for client in self.clients:
                problems += client.check(execute)
        return problems

    def total(self, name: str) -> int:
        return sum(getattr(c.counts, name) for c in self.clients)
