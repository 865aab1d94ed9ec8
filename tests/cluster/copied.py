# SPDX-License-Identifier: GPL-2.0-only
"""What scenarios with basalt-backup share: option files, and what a refusal looks like."""

import time
from collections.abc import Callable
from pathlib import Path

from tests.kit import backup_program as program
from tests.kit.clients.client import Problem
from tests.kit.replicas.node import Broken, Node
from tests.kit.replicas.scenario import Scenario
from tools import paths

# of the account that replicates; all that option files and SQL take for something else
WAIT_SECONDS = 120.0
PASSWORD = 'it\'s \\ "secret" # 1;'
ACCOUNT = "cloner"


class WithBackup(Scenario):
    needs_backup = True

    def let_in(self, primary: Node) -> None:
        """An account for new replicas, as a user would make it."""
        account = f"{ACCOUNT}@'127.0.0.1' IDENTIFIED BY '{sql_text(PASSWORD)}'"
        primary.one(f"CREATE USER {account}")
        primary.one(f"GRANT REPLICATION SLAVE ON *.* TO {ACCOUNT}@'127.0.0.1'")

    def primary_file(self, primary: Node, password: str = PASSWORD, user: str = ACCOUNT) -> Path:
        file = self.folder / f"primary-{primary.number}.cnf"
        words = password.replace("\\", "\\\\").replace('"', '\\"')
        where = f"host=127.0.0.1\nport={primary.server.port}"
        file.write_text(f'[client]\n{where}\nuser={user}\npassword="{words}"\n')
        return file

    def server_file(self, number: int) -> Path:
        """The option file of a new server, as far as a first start of it needs one."""
        file = self.folder / f"server-{number}.cnf"
        folders = f"basedir={paths.basedir()}\nlc_messages_dir={paths.lc_messages_dir()}"
        replica = "log_bin=binlog\nlog_slave_updates\nrelay_log=relay\nrelay_log_recovery=ON"
        engine = f"plugin_dir={paths.plugin_dir()}\nplugin_load_add=ha_rocksdb.so"
        file.write_text(f"[mariadb]\n{folders}\n{replica}\n{engine}\nserver_id={number}\n")
        return file

    def new_node(self, number: int) -> Node:
        """A server without a data directory."""
        node = Node(self.folder / f"node{number}", number, self.engine, binlog=True)
        self.nodes.append(node)
        return node

    def socket(self, node: Node) -> list[str]:
        return ["--no-defaults", "--socket", str(node.server.socket), "--user", "root"]

    def root_file(self, node: Node) -> Path:
        file = self.folder / f"root-{node.number}.cnf"
        file.write_text(f"[client]\nsocket={node.server.socket}\nuser=root\n")
        return file

    def wait_until(self, what: str, holds: Callable[[], bool]) -> None:
        deadline = time.monotonic() + WAIT_SECONDS
        while not holds():
            if time.monotonic() > deadline:
                raise Broken(f"this did not come: {what}")
            time.sleep(0.02)

    def refused(self, answer: program.Answer, status: int, *words: str) -> list[Problem]:
        """One sentence with these words, no traceback."""
        lines = [line for line in answer.said.splitlines() if line.startswith("basalt-backup: ")]
        wrong = answer.status != status or "Traceback" in answer.said or not lines
        wrong = wrong or any(word not in lines[-1] for word in words)
        text = f"refused otherwise than with {words}: {answer.status}: {answer.said}"
        return [Problem("broken", text)] if wrong else []


def sql_text(text: str) -> str:
    """As it stands between quotes in SQL."""
    return text.replace("\\", "\\\\").replace("'", "''")
