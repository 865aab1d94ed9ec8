# SPDX-License-Identifier: GPL-2.0-only
"""Where basalt-top cannot go on it says why in one sentence; its status tells the kind."""

import subprocess
from pathlib import Path

from tests.console.program import PYTHON, Top, environment
from tests.kit.check import Check, expect, expect_in
from tools.server import PrivateServer

PASSWORD = "nöt for a command line"
USERS = (
    f"CREATE USER watcher@localhost IDENTIFIED BY '{PASSWORD}'; GRANT PROCESS ON *.* TO"
    " watcher@localhost; CREATE USER stranger@localhost"
)


class Refusals:
    def __init__(self, server: PrivateServer, top: Top, folder: Path):
        self.server = server
        self.top = top
        self.folder = folder

    def checks(self) -> list[Check]:
        return [
            Check("no server: status 2", self.no_server),
            Check("passwords: option files, the environment, a wrong one", self.passwords),
            Check("no privilege: said in the picture", self.no_privilege),
            Check("wrong options: status 2", self.options),
        ]

    def no_server(self) -> None:
        Top(self.folder, self.folder / "none.sock").refused(2, "no connection: Can't connect to")

    def passwords(self) -> None:
        self.server.sql(USERS)
        file = self.folder / "watcher.cnf"
        file.write_text(f"[client]\nuser = watcher\npassword = '{PASSWORD}'\n"
                        f"socket = {self.top.socket}\n")  # fmt: skip
        command = [PYTHON, self.top.command()[1], f"--defaults-file={file}", "--once"]
        done = subprocess.run([*command, "--interval=0.1"], capture_output=True, text=True,
                              env=environment(self.folder))  # fmt: skip
        expect(done.returncode == 0, done.stderr)
        done = self.top.run("--once", "--interval=0.1", user="watcher", MYSQL_PWD=PASSWORD)
        expect(done.returncode == 0, done.stderr)
        self.top.refused(2, "no connection: Access denied", user="watcher", MYSQL_PWD="wrong")
        missing = f"{file}.no"
        self.top.refused(2, f"the option file {missing} cannot be read", "--once",
                         "--defaults-file", missing)  # fmt: skip

    def no_privilege(self) -> None:
        done = self.top.run("--once", "--interval=0.1", user="stranger")
        expect(done.returncode == 0, done.stderr)
        expect_in("? Without the privilege PROCESS", done.stdout, "the picture")

    def options(self) -> None:
        self.top.refused(2, "standard output is no terminal; --once prints one", "--view=tables")
        self.top.refused(2, "has 60 columns, and the picture needs 80", "--once", "--width=60")
        for file in ("/no/such.pem", "/etc/hostname"):
            self.top.refused(2, f"no certificates are in {file}: ", "--once", f"--ssl-ca={file}")
        done = self.top.run("--view=forest")
        expect(done.returncode == 2, f"status {done.returncode}")
        expect_in("'forest' is not one of 'overview'", done.stderr, "--view=forest")


def other_engine(server: PrivateServer, top: Top) -> None:
    """`server` has InnoDB only."""
    top.refused(1, "this server has no engine ROCKSDB: its plugin is not loaded")
    top.refused(1, "this server has no engine ROCKSDB: its plugin is not loaded", "--json")
