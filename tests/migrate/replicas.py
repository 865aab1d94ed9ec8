# SPDX-License-Identifier: GPL-2.0-only
"""A primary and its replica: the replica first, then the primary, which waits for it."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.kit.check import Check, expect, expect_in
from tests.kit.replicas.node import USER, Node
from tests.migrate.program import PATIENCE_SECONDS, Migrate, contents, engines, expect_same
from tests.migrate.schema import execute

SHOP = (
    "CREATE TABLE item (id INT PRIMARY KEY, t VARCHAR(40)) ENGINE=InnoDB",
    "CREATE TABLE sold (id INT PRIMARY KEY AUTO_INCREMENT, item INT, CONSTRAINT of_item FOREIGN KEY"
    " (item) REFERENCES item (id) ON DELETE CASCADE) ENGINE=InnoDB",
    "CREATE TABLE alone (id INT PRIMARY KEY, t VARCHAR(40)) ENGINE=InnoDB",
    "CREATE TABLE stated (id INT PRIMARY KEY, t VARCHAR(40)) ENGINE=InnoDB",
    "INSERT INTO stated SELECT seq, MD5(seq) FROM seq_1_to_3000",
    "INSERT INTO item SELECT seq, MD5(seq) FROM seq_1_to_1000",
    "INSERT INTO sold (item) SELECT seq FROM seq_1_to_1000",
    "INSERT INTO alone SELECT seq, MD5(seq) FROM seq_1_to_3000",
)


class Replicas:
    """`template` is an empty data directory."""

    def __init__(self, folder: Path, template: Path):
        self.folder = folder
        self.nodes = []
        for number in (1, 2):
            shutil.copytree(template, folder / f"node{number}")
            node = Node(folder / f"node{number}", number, "rocksdb", binlog=True)
            self.nodes.append(node)
        self.primary, self.replica = self.nodes

    def __enter__(self) -> "Replicas":
        for node in self.nodes:
            node.start("--default-storage-engine=InnoDB")
        self.primary.server.sql(
            f"CREATE USER {USER}@'127.0.0.1'; GRANT REPLICATION SLAVE ON *.* TO {USER}@'127.0.0.1'"
        )
        execute(self.primary.server, "shop", SHOP)
        self.replica.follow(self.primary)
        self.caught_up()
        return self

    def __exit__(self, *_) -> None:
        for node in self.nodes:
            node.server.kill()

    def checks(self) -> list[Check]:
        return [
            Check("a replica first, out of its binary log", self.replica_first),
            Check("run on a primary waits for its replica", self.waits),
            Check("run --online waits for its replica", self.waits_online),
            Check("run --online of a primary that logs statements", self.by_statement),
            Check("undo of a primary: the replica follows", self.undone),
        ]

    def caught_up(self) -> None:
        self.replica.catch_up(self.primary.position())

    def same(self) -> None:
        self.caught_up()
        there, here = (contents(node.server, "shop") for node in self.nodes)
        expect_same(here, there, "rows of the replica")

    def replica_first(self) -> None:
        program = Migrate(self.folder, self.replica.server.socket)
        self.replica.one("STOP SLAVE")
        before = self.replica.position()
        told = program.told(0, "run", "--no-binlog", "shop.item", "shop.sold")
        expect(len(told["tables"]) == 2, str(told))
        expect_same(self.replica.position(), before, "the replica's own log")
        self.replica.one("START SLAVE")
        self.primary.one("DELETE FROM shop.item WHERE id < 10")
        self.same()
        found = engines(self.replica.server, "shop")
        expect_same(found["sold"], "ROCKSDB", "the replica's engine")
        expect_same(engines(self.primary.server, "shop")["sold"], "InnoDB", "the primary's engine")

    def waits(self) -> None:
        self.replica.one("STOP SLAVE SQL_THREAD")
        words = ("shop.item", "shop.sold", "--replica", str(self.replica.server.socket))
        self.finishes(words, "does not replicate")
        self.same()
        for node in self.nodes:
            expect_same(engines(node.server, "shop")["item"], "ROCKSDB", f"node {node.number}")

    def waits_online(self) -> None:
        socket = str(self.replica.server.socket)
        program = Migrate(self.folder, self.primary.server.socket)
        told = program.told(0, "run", "--online", "--max-lag=1", "--replica", socket, "shop.alone")
        expect_in("same checksum", told["tables"][0]["proof"], "the proof")
        self.same()
        for node in self.nodes:
            expect_same(engines(node.server, "shop")["alone"], "ROCKSDB", f"node {node.number}")
            left = node.server.query("SHOW TABLES FROM basalt_migrate LIKE 'replicas'")
            expect(not left, "the list of replicas is left")

    def by_statement(self) -> None:
        """The tool refuses the engine in a session that logs statements: its own logs rows."""
        words = ("--online", "--max-lag=1", "--replica", str(self.replica.server.socket))
        program = Migrate(self.folder, self.primary.server.socket)
        before = self.primary.one("SELECT @@global.binlog_format")
        self.primary.one("SET GLOBAL binlog_format=STATEMENT")
        try:
            for action, engine in (("run", "ROCKSDB"), ("undo", "InnoDB")):
                self.primary.server.sql(
                    f"INSERT INTO stated SELECT MAX(id) + 1, '{action}' FROM stated", "shop"
                )
                program.told(0, action, *words, "shop.stated")
                self.same()
                for node in self.nodes:
                    found = engines(node.server, "shop")["stated"]
                    expect_same(found, engine, f"node {node.number}")
        finally:
            self.primary.one(f"SET GLOBAL binlog_format={before}")

    def finishes(self, words: tuple[str, ...], waits: str) -> None:
        """It says that it waits; the replica goes on, and so does the program."""
        process = Migrate(self.folder, self.primary.server.socket).start("run", *words)
        try:
            line = first_line(process, lambda line: not line.startswith("!"))
            expect_in(waits, line, "the first line behind the warnings")
            expect(process.poll() is None, "it has not waited")
            self.replica.one("START SLAVE SQL_THREAD")
            rest = process.communicate(timeout=PATIENCE_SECONDS)[0]
            expect(process.returncode == 0, f"status {process.returncode}: {line}{rest}")
        finally:
            process.kill()

    def undone(self) -> None:
        program = Migrate(self.folder, self.primary.server.socket)
        program.told(0, "undo")
        self.same()
        for node in self.nodes:
            found = set(engines(node.server, "shop").values())
            expect_same(found, {"InnoDB"}, f"node {node.number}")


def first_line(process: subprocess.Popen, wanted: Callable[[str], bool]) -> str:
    """'' at the end of what it says."""
    return next((line for line in process.stdout if wanted(line)), "")
