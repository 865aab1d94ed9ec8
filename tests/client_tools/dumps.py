# SPDX-License-Identifier: GPL-2.0-only
"""Backups that copy rows, under load: mariadb-dump --single-transaction, mydumper and myloader."""

import re

from tests.client_tools import programs
from tests.client_tools.copied import Copied
from tests.kit.replicas.node import DATABASE, Broken
from tools.setup import client_tools


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
            DATABASE,
            program="mariadb-dump",
        )
        self.under_load(lambda: programs.run(self.log("mariadb-dump"), command))
        gtid = re.search(r"SET GLOBAL gtid_slave_pos='([^']+)'", dump.read_text())
        if gtid is None:
            raise Broken("mariadb-dump --gtid tells no position")
        node = self.empty()
        with open(dump, "rb") as text:
            load = node.server.client_command(DATABASE)
            programs.run(self.log("mariadb-dump-load"), load, stdin=text)
        found = self.sums(node) + self.both_engines(node)
        self.step(found, "mariadb-dump --single-transaction: one moment, over two engines")
        found = self.caught_up(node, gtid[1])
        self.step(found, f"mariadb-dump: from its position {gtid[1]} the copy becomes its primary")
        self.done_with(node)

    def mydumper(self) -> None:
        folder = self.folder / "mydumper"
        connection = ["-u", "root", "-B", DATABASE]
        dump = [
            client_tools.program("mydumper"),
            *connection,
            "-o",
            folder,
            "-t",
            "2",
            "-r",
            "5000",
        ]
        dump += ["-S", self.primary.server.socket]
        self.under_load(lambda: programs.run(self.log("mydumper"), dump))
        gtid = re.search(r"GTID:\s*(\S+)", (folder / "metadata").read_text())
        node = self.empty()
        load = [client_tools.program("myloader"), *connection, "-d", folder, "-t", "2"]
        programs.run(self.log("myloader"), [*load, "-S", node.server.socket])
        chunks = len(list(folder.glob("rpl.filler.*.sql")))
        found = self.sums(node) + self.both_engines(node)
        self.step(found, f"mydumper, myloader: one moment (the large table in {chunks} pieces)")
        if gtid:
            found = self.caught_up(node, gtid[1])
            self.step(found, f"mydumper: from its position {gtid[1]} the copy becomes its primary")
        self.done_with(node)
