# SPDX-License-Identifier: GPL-2.0-only
"""Tables that move and come back: rows and definitions are the same, also of tables that clients
write to."""

import threading

import pymysql

from tests.kit.check import Check, expect, expect_in
from tests.migrate.program import (
    Migrate,
    contents,
    definitions,
    engines,
    expect_same,
    wait_until,
)
from tools.server import PrivateServer

WRITERS = 2
# of each writer before the tool may begin
HEAD_START = 20


class Moved:
    def __init__(self, server: PrivateServer, program: Migrate):
        self.server = server
        self.program = program
        self.before = definitions(server, "move")
        self.rows = contents(server, "move")

    def checks(self) -> list[Check]:
        return [
            Check("run --dry-run: the statements, and nothing is done", self.dry_run),
            Check("run: all tables, with their rows and foreign keys", self.there),
            Check("run: a second time there is nothing to do", self.again),
            Check("undo: rows and definitions are those of before", self.back),
            Check("run and undo under load: no row is lost", self.under_load),
            Check("run --online and back under load: no row is lost", self.online),
            Check("a failure in the middle of a group: all tables are as before", self.failure),
        ]

    def dry_run(self) -> None:
        told = self.program.told(0, "run", "--dry-run", "move")
        expect_in("ALTER TABLE `move`.`zero` ENGINE=ROCKSDB;", str(told["statements"]), "run")
        expect("ROCKSDB" not in engines(self.server, "move").values(), "something has moved")

    def there(self) -> None:
        told = self.program.told(0, "run", "--lock", "move")
        proofs = {t["proof"] for t in told["tables"]}
        expect_same(proofs, {"same checksum of all rows, nobody could write"}, "proofs")
        found = {**engines(self.server, "move")}
        expect_same(set(found.values()), {"ROCKSDB"}, "engines")
        expect_same(contents(self.server, "move"), self.rows, "rows")
        for name, text in definitions(self.server, "move").items():
            expect_same(text.count("FOREIGN KEY"), self.before[name].count("FOREIGN KEY"), name)
        with self.server.connect("move") as link, link.cursor() as cursor:
            for statement in (
                "INSERT INTO orders (customer) VALUES (100000)",
                "INSERT INTO orders (previous) VALUES (100000)",
                "UPDATE person SET team=11",
            ):
                error = error_of(cursor, statement)
                expect(error == 1452, f"{statement}: {error}")

    def again(self) -> None:
        told = self.program.told(0, "run", "move")
        expect(not told["tables"], f"it moves {told['tables']}")
        told = self.program.told(0, "status")
        states = {t["state"] for t in told["tables"]}
        expect_same(states, {"moved"}, "states")

    def back(self) -> None:
        part = self.program.told(1, "undo", "move.orders")
        expect_in("connects it with move.customer", str(part["tables"]), "undo of a child alone")
        told = self.program.told(0, "undo", "move")
        expect(all(t["state"] == "undone" and not t["message"] for t in told["tables"]), str(told))
        expect_same(definitions(self.server, "move"), self.before, "definitions")
        expect_same(contents(self.server, "move"), self.rows, "rows")

    def under_load(self) -> None:
        with Load(self.server) as load:
            told = self.program.told(0, "run", "busy")
            load.goes_on()
            back = self.program.told(0, "undo", "busy")
        load.judge()
        proofs = {t["proof"] for t in told["tables"] + back["tables"]}
        wrong = [p for p in proofs if not p.startswith(("same checksum", "not proved"))]
        expect(not wrong, f"proofs: {proofs}")

    def online(self) -> None:
        with Load(self.server) as load:
            self.program.told(0, "run", "--online", "busy")
            expect_same(engines(self.server, "busy"), {"log": "ROCKSDB"}, "engines")
            load.goes_on()
            self.program.told(0, "undo", "--online", "busy")
        load.judge()
        expect_same(engines(self.server, "busy"), {"log": "InnoDB"}, "engines")

    def failure(self) -> None:
        """The plan without --rows does not see rows without a parent; the server does."""
        before = definitions(self.server, "orphans")
        told = self.program.told(1, "run", "orphans")
        expect_in("(1452)", str(told["tables"]), "tables")
        expect_same(definitions(self.server, "orphans"), before, "definitions")
        found = [t for t in self.program.told(0, "status")["tables"] if "orphans" in t["table"]]
        expect(not found, f"in the journal: {found}")


def error_of(cursor, statement: str) -> int:
    """The number of its error; 0 without one."""
    try:
        cursor.execute(statement)
        return 0
    except pymysql.Error as error:
        return error.args[0]


class Load:
    """Clients that insert, each keeping in mind what was acknowledged."""

    def __init__(self, server: PrivateServer):
        self.server = server
        server.sql(
            "CREATE DATABASE IF NOT EXISTS busy; DROP TABLE IF EXISTS busy.log; CREATE TABLE"
            " busy.log (writer INT, number INT, t VARCHAR(90), PRIMARY KEY (writer, number), KEY"
            " (t)) ENGINE=InnoDB;"
            " INSERT INTO busy.log SELECT 99, seq, SHA2(seq, 256) FROM busy.seq_1_to_15000"
        )
        self.stopping = threading.Event()
        self.written = [0] * WRITERS
        self.failed: list[str] = []
        self.threads = [threading.Thread(target=self.write, args=(n,)) for n in range(WRITERS)]

    def __enter__(self) -> "Load":
        for thread in self.threads:
            thread.start()
        self.goes_on()
        return self

    def __exit__(self, *_) -> None:
        self.stopping.set()
        for thread in self.threads:
            thread.join()

    def write(self, writer: int) -> None:
        try:
            with self.server.connect() as link, link.cursor() as cursor:
                while not self.stopping.wait(0.002):
                    number = self.written[writer] + 1
                    cursor.execute(
                        f"INSERT INTO busy.log VALUES ({writer}, {number}, MD5({number}))"
                    )
                    self.written[writer] = number
        except pymysql.Error as error:
            self.failed.append(str(error))

    def goes_on(self) -> None:
        marks = [count + HEAD_START for count in self.written]
        wait_until(
            lambda: bool(self.failed) or all(a >= b for a, b in zip(self.written, marks,
                                                                  strict=True)),
            "clients write",
        )  # fmt: skip

    def judge(self) -> None:
        expect(not self.failed, f"a client failed: {self.failed}")
        asked = "SELECT writer, COUNT(*), MAX(number) FROM busy.log GROUP BY writer"
        found = {row[0]: row[1:] for row in self.server.query(asked)}
        expected = {n: (count, count) for n, count in enumerate(self.written)}
        expect_same(found, {**expected, 99: (15000, 15000)}, "rows of the clients")
