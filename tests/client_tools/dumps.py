# SPDX-License-Identifier: GPL-2.0-only
"""Backups that copy rows, under load: mariadb-dump --single-transaction, mydumper and myloader."""

import re

from tests.client_tools import programs
from tests.client_tools.constraints.load import PAIR
from tests.client_tools.copied import Copied
from tests.kit.replicas.node import Broken
from tools.setup import client_tools

THREADS = "4"


class Dumps(Copied):
    NAME = "dumps"

    def play(self) -> None:
        self.begin()
        self.mariadb_dump()
        self.mydumper()

    def mariadb_dump(self) -> None:
        dump = self.folder / "dump.sql"
        command = self.primary.server.client_command(
            "--single-transaction",
            "--master-data=2",
            "--gtid",
            "--routines",
            f"--result-file={dump}",
            "--databases",
            PAIR.near,
            PAIR.far,
            program="mariadb-dump",
        )
        self.under_load(lambda: programs.run(self.log("mariadb-dump"), command))
        gtid = re.search(r"SET GLOBAL gtid_slave_pos='([^']+)'", dump.read_text())
        if gtid is None:
            raise Broken("mariadb-dump --gtid tells no position")
        node = self.empty()
        with open(dump, "rb") as text:
            load = node.server.client_command()
            programs.run(self.log("mariadb-dump-load"), load, stdin=text)
        found = self.sums(node) + self.both_engines(node)
        self.step(found, "mariadb-dump --single-transaction: one moment, over two engines")
        self.step(self.constraints(node), "mariadb-dump: the copy has the constraints; they hold")
        found = self.caught_up(node, gtid[1])
        self.step(found, f"mariadb-dump: from its position {gtid[1]} the copy becomes its primary")
        self.done_with(node)

    def mydumper(self) -> None:
        folder = self.folder / "mydumper"
        databases = rf"--regex=^({PAIR.near}|{PAIR.far})\."
        dump = [client_tools.program("mydumper"), "-S", self.primary.server.socket, databases]
        dump += ["-u", "root", "-o", folder, "-t", THREADS, "-r", "5000"]
        self.under_load(lambda: programs.run(self.log("mydumper"), dump))
        gtid = re.search(r"GTID:\s*(\S+)", (folder / "metadata").read_text())
        node = self.empty()
        load = [client_tools.program("myloader"), "-S", node.server.socket]
        load += ["-u", "root", "-d", folder, "-t", THREADS]
        programs.run(self.log("myloader"), load)
        chunks = len(list(folder.glob("rpl.filler.*.sql")))
        found = self.sums(node) + self.both_engines(node)
        self.step(found, f"mydumper, myloader: one moment (the large table in {chunks} pieces)")
        self.step(self.constraints(node), "mydumper: the copy has the constraints; they hold")
        if gtid:
            found = self.caught_up(node, gtid[1])
            self.step(found, f"mydumper: from its position {gtid[1]} the copy becomes its primary")
        self.done_with(node)
