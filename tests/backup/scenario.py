# SPDX-License-Identifier: GPL-2.0-only
"""What the scenarios of basalt-backup share: a primary, its load, repositories, restored copies."""

import json
import time
from pathlib import Path

from tests.kit import backup_program as program
from tests.kit.clients.bank import Bank
from tests.kit.clients.client import Problem
from tests.kit.clients.ledger import Counter, Ledger, TwoEngines
from tests.kit.replicas.compare import compare
from tests.kit.replicas.load import IdempotentScratch, Load, Pairs
from tests.kit.replicas.node import DATABASE, Broken, Node
from tests.kit.replicas.scenario import Scenario
from tools import paths

# in a column family of its own, where nothing else is written, so that its file stays as it is
FILLER = (
    "CREATE TABLE filler (id INT, text VARCHAR(200), PRIMARY KEY (id) COMMENT 'cfname=quiet')",
    "INSERT INTO filler SELECT seq, REPEAT(MD5(seq), 4) FROM seq_1_to_20000",
    "CREATE TABLE filler_there (id INT PRIMARY KEY, text VARCHAR(200)) ENGINE=InnoDB",
    "INSERT INTO filler_there SELECT * FROM filler WHERE id <= 5000",
)
GRANTS = (
    r"""CREATE USER backup@localhost IDENTIFIED BY 'it''s "a" #\\ b';"""
    "GRANT RELOAD, PROCESS, BINLOG MONITOR, SUPER ON *.* TO backup@localhost"
)
ACCOUNT = r"""user=backup
password="it's \"a\" #\\ b"
"""
CLASSES = [Ledger, Counter, Bank, Bank, IdempotentScratch, TwoEngines, Pairs]


class OnPrimary(Scenario):
    """Subclasses define play(); it begins with begin()."""

    def begin(self) -> None:
        self.primary = self.node(1, binlog=True)
        self.primary.start("--binlog-format=ROW", "--loose-rocksdb-lock-wait-timeout=5")
        self.load = Load(CLASSES, self.seed, self.primary)
        self.load.create()
        self.primary.server.sql(GRANTS)
        self.primary.server.sql("; ".join(FILLER), DATABASE)
        self.repository = self.folder / "repository"

    def connection(self) -> list[str]:
        return ["--defaults-file", str(self.options_of(self.primary))]

    def options_of(self, node: Node) -> Path:
        """An option file for an account with what a backup needs, and a password that a file must
        quote."""
        file = self.folder / f"{node.server.datadir.name}.cnf"
        file.write_text(f"[basalt-backup]\nsocket={node.server.socket}\n{ACCOUNT}")
        return file

    def backup(self, *options: str, repository: Path | None = None) -> program.Answer:
        words = ["backup", repository or self.repository, *self.connection(), "--json", *options]
        return program.run(*words)

    def streamed(self, there: Path, *options: str) -> dict:
        """Through a pipe, as over ssh."""
        known = self.folder / "known"
        known.write_bytes(program.must("known", there).output)
        words = [*self.connection(), "--known", known, "--quiet", *options]
        sender = program.start("stream", *words)
        receiver = program.start("receive", there, "--json", "--quiet", stdin=sender.stdout)
        output, said = receiver.communicate(timeout=program.SECONDS)
        complaint = sender.stderr.read().decode()
        if sender.wait() or receiver.returncode:
            raise Broken(f"by stream: {complaint} {said.decode()}")
        return json.loads(output)

    def under_load(self, action):
        """Runs `action` while clients write, before and after it too."""
        self.load.start()
        try:
            time.sleep(0.3)
            return action()
        finally:
            time.sleep(0.1)
            self.add(self.load.stop())

    @staticmethod
    def server_options() -> list[str]:
        """For servers that the program starts itself: where this one's files are."""
        options = [f"--plugin-dir={paths.plugin_dir()}", f"--basedir={paths.basedir()}"]
        options.append(f"--lc-messages-dir={paths.lc_messages_dir()}")
        return [word for option in options for word in ("--server-option", option)]

    def restored(self, repository: Path, wanted: str, name: str, *options: str) -> Node:
        """A server on what the program made of a backup."""
        folder = self.folder / name
        program.must("restore", repository, folder, "--id", wanted, *self.server_options())
        node = Node(folder, 9, self.engine, binlog=False)
        self.nodes.append(node)
        # it is not killed, and without a sync for each transaction it follows faster
        node.start("--gtid-strict-mode=OFF", "--loose-rocksdb-flush-log-at-trx-commit=2", *options)
        return node

    def followed(self, node: Node, backup: dict, name: str) -> None:
        found = self.sums(node)
        gtid = backup["position"]["gtid"]
        node.one(f"SET GLOBAL gtid_slave_pos='{gtid}'")
        node.follow(self.primary)
        node.catch_up(self.primary.position())
        node.one("STOP SLAVE")
        found += self.load.check(node) + compare(self.primary, node)
        self.step(found, f"{name}: whole transactions; a replica from {gtid} is its primary")
        self.done_with(node)

    def refused(self, answer: program.Answer, *words: str, status: int = 1) -> list[Problem]:
        """This status, one sentence with these words, no traceback."""
        lines = [line for line in answer.said.splitlines() if line.startswith("basalt-backup: ")]
        wrong = answer.status != status or "Traceback" in answer.said or not lines
        wrong = wrong or any(word not in lines[-1] for word in words)
        text = f"refused otherwise than with {words}: {answer.status}: {answer.said}"
        return [Problem("broken", text)] if wrong else []

    def left_overs(self) -> list[Problem]:
        """What a run that ended, well or not, may not leave."""
        store = self.primary.server.datadir / "#rocksdb"
        left = [*store.glob("*checkpoint*"), *(self.repository / "incoming").glob("*")]
        return self.expect(not left, f"left behind: {left}")

    def sums(self, node: Node) -> list[Problem]:
        """What is true of every moment of the primary: transactions are there whole, also over
        two engines."""
        with node.connect() as link, link.cursor() as cursor:

            def execute(sql: str) -> list[tuple]:
                cursor.execute(sql)
                return list(cursor.fetchall())

            bank = next(client for client in self.load.clients if isinstance(client, Bank))
            problems = bank.check_sums(execute)
            half = execute(
                "SELECT h.id FROM both_here h JOIN both_there t USING (id) WHERE h.n <> t.n"
            )
            counts = execute("SELECT (SELECT COUNT(*) FROM filler), COUNT(*) FROM filler_there")
        problems += self.expect(not half, f"transactions over two engines: {half}")
        return problems + self.expect(counts == [(20000, 5000)], f"rows nobody changes: {counts}")
