# SPDX-License-Identifier: GPL-2.0-only
"""Random statements of three sessions, in each format of the binary log, applied by a replica with
one thread and by one with four; all three servers must have the same rows.

The replicas write no log of their own: there the server would write a transaction that is rolled
back and has changed temporary tables as two, and stop at the next one (1950); with InnoDB as well.

One statement runs at a time on the primary, so a seed fixes all that is done there. What has run is
kept in `statements-FORMAT.sql` in the scenario's folder.
"""

from random import Random

import pymysql

from tests.kit.replicas.compare import compare
from tests.kit.replicas.scenario import Scenario
from tests.replication.random_statements import TABLES, RandomSession
from tests.replication.replica_kills import FORMATS

SESSIONS = 3
STATEMENTS, LONG_STATEMENTS = 250, 4000
ROUNDS = 2  # a format; the replicas stop and start in between, with temporary tables open


class Statements(Scenario):
    NAME = "statements"

    def play(self) -> None:
        self.primary = self.node(1, binlog=True)
        self.replicas = [self.node(n, binlog=False) for n in (2, 3)]
        self.primary.start("--loose-rocksdb-lock-wait-timeout=2", "--innodb-lock-wait-timeout=2")
        self.replicas[0].start("--slave-parallel-threads=0")
        self.replicas[1].start("--slave-parallel-mode=optimistic", "--slave-parallel-threads=4")
        for replica in self.replicas:
            replica.follow(self.primary)
        for format_ in FORMATS:
            self.play_format(format_)

    def play_format(self, format_: str) -> None:
        rng = Random(f"{self.seed}-{format_}")
        names = [f"{format_.lower()}{i}" for i in range(SESSIONS)]
        sessions = [RandomSession(name, rng, format_, self.engine) for name in names]
        links = [self.open(name, format_) for name in names]
        with open(self.folder / f"statements-{format_}.sql", "w") as log:
            for _ in range(ROUNDS):
                self.run_some(sessions, links, rng, log)
                self.compare_all(format_)
                for replica in self.replicas:
                    replica.one("STOP SLAVE")
                    replica.one("START SLAVE")
        for link in links:
            link.close()  # the server drops temporary tables, here and there
        self.compare_all(f"{format_}, sessions ended")

    def open(self, name: str, format_: str):
        link = self.primary.connect()
        with link.cursor() as cursor:
            cursor.execute("SET SESSION sql_mode = ''")
            for statement in TABLES:
                cursor.execute(statement.format(name, self.engine))
            cursor.execute(f"SET SESSION binlog_format = {format_}")
        return link

    def run_some(self, sessions, links, rng, log) -> None:
        for _ in range(LONG_STATEMENTS if self.long else STATEMENTS):
            i = rng.randrange(SESSIONS)
            for statement in sessions[i].next():
                self.execute(links[i], i, statement, log)
        for i, session in enumerate(sessions):
            for statement in session.end():
                self.execute(links[i], i, statement, log)

    def execute(self, link, session: int, statement: str, log) -> None:
        """A statement that fails is part of the test: whatever it did must be so on the replica."""
        outcome = "done"
        with link.cursor() as cursor:
            try:
                cursor.execute(statement)
            except pymysql.MySQLError as error:
                outcome = str(error.args[0])
        self.count("statements")
        self.count("that failed", outcome != "done")
        print(f"/* session {session}: {outcome} */ {statement};", file=log)

    def compare_all(self, what: str) -> None:
        for replica in self.replicas:
            replica.catch_up(self.primary.position())
            found = compare(self.primary, replica)
            kind = "one thread" if replica is self.replicas[0] else "four threads"
            self.step(found, f"{what}: {kind}")
