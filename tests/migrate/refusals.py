# SPDX-License-Identifier: GPL-2.0-only
"""Where basalt-migrate cannot go on it says why in one sentence; its status tells the kind."""

from pathlib import Path

from tests.kit.check import Check, expect, expect_in
from tests.migrate.program import Migrate, engines
from tools.server import PrivateServer


class Refusals:
    def __init__(self, server: PrivateServer, program: Migrate, folder: Path):
        self.server = server
        self.program = program
        self.folder = folder

    def checks(self) -> list[Check]:
        return [
            Check("no server, a wrong password: status 2", self.no_connection),
            Check("names of nothing, wrong options: status 2", self.wrong_words),
            Check("two at once: the second is refused", self.two),
            Check("no privilege to keep trials out of the binary log", self.no_privilege),
            Check("a table that a transaction holds is given up", self.held),
            Check("pt-online-schema-change is not there", self.no_tool),
        ]

    def no_connection(self) -> None:
        nowhere = Migrate(self.folder, self.folder / "none.sock")
        nowhere.refused(2, "no connection: Can't connect to", "plan")
        self.program.refused(2, "no connection: Access denied", "run", user="nobody",
                             MYSQL_PWD="wrong")  # fmt: skip

    def wrong_words(self) -> None:
        self.program.refused(2, "no table move.nothing", "plan", "move.nothing")
        self.program.refused(2, "no database nothing with tables", "run", "nothing")
        self.program.refused(2, "--replica is HOST", "run", "--replica=:x", "busy")
        socket = f"--replica={self.server.socket}"
        self.program.refused(2, "is no replica", "run", socket, "busy")
        done = self.program.run("run", "--verify=luck")
        expect(done.returncode == 2, f"status {done.returncode}")

    def two(self) -> None:
        with self.server.connect() as link, link.cursor() as cursor:
            cursor.execute("SELECT GET_LOCK('basalt-migrate', 0)")
            self.program.refused(1, "another basalt-migrate works on this server", "run", "busy")

    def no_privilege(self) -> None:
        self.server.sql("CREATE USER mover@localhost; GRANT SELECT, CREATE, ALTER, DROP, INSERT"
                        " ON *.* TO mover@localhost")  # fmt: skip
        self.program.refused(1, "the user needs the privilege BINLOG ADMIN", "plan", user="mover")

    def held(self) -> None:
        with self.server.connect() as link, link.cursor() as cursor:
            cursor.execute("BEGIN")
            cursor.execute("SELECT COUNT(*) FROM busy.log")
            told = self.program.told(1, "run", "--lock-wait=1", "busy")
            expect_in("(1205)", str(told["tables"]), "the failure")
        expect(engines(self.server, "busy") == {"log": "InnoDB"}, "it has moved")

    def no_tool(self) -> None:
        path = ":".join(
            part
            for part in self.program.environment()["PATH"].split(":")
            if not (Path(part) / "pt-online-schema-change").exists()
        )
        text = "pt-online-schema-change is not installed (package percona-toolkit)"
        self.program.refused(1, text, "run", "--online", "busy", PATH=path)


def other_engine(server: PrivateServer, program: Migrate) -> None:
    """`server` has InnoDB only."""
    program.refused(1, "this server has no engine ROCKSDB: its plugin is not loaded", "plan")
