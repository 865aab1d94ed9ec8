# SPDX-License-Identifier: GPL-2.0-only
"""Random statements of three sessions, in each format of the binary log, applied by a replica with
one thread and by one with four; all three servers must have the same rows.

The replicas write no log of their own: there the server would write a transaction that is rolled
back and has changed temporary tables as two, and stop at the next one (1950); with InnoDB as well.

One statement runs at a time on the primary, so a seed fixes all that is done there, but for the
part in which sessions write one table with AUTO_INCREMENT at once. What has run one by one is
kept in `statements-FORMAT.sql` in the scenario's folder. The replicas are stopped as replicas with
temporary tables open, and as servers when there are none: the server loses them then.
"""

import threading
from random import Random

import pymysql
from pymysql.constants import CR

from tests.kit.clients.client import Problem
from tests.kit.replicas.compare import compare
from tests.kit.replicas.scenario import Scenario
from tests.replication.random_statements import SHARED, TABLES, RandomSession, shared_writes
from tests.replication.replica_kills import FORMATS

SESSIONS = 3
STATEMENTS, LONG_STATEMENTS = 250, 4000
ROUNDS = 2  # a format; the replicas stop and start in between, with temporary tables open
AT_ONCE, LONG_AT_ONCE = 60, 1000  # statements of each session on the shared table
MOST_FAILED = 0.05  # of the statements: what fails tests little
ONE_THREAD = ["--slave-parallel-threads=0"]
FOUR_THREADS = ["--slave-parallel-mode=optimistic", "--slave-parallel-threads=4"]


class Statements(Scenario):
    NAME = "statements"

    def play(self) -> None:
        self.counting = threading.Lock()
        self.primary = self.node(1, binlog=True)
        self.replicas = [self.node(n, binlog=False) for n in (2, 3)]
        self.primary.start("--loose-rocksdb-lock-wait-timeout=2", "--innodb-lock-wait-timeout=2")
        self.replicas[0].start(*ONE_THREAD)
        self.replicas[1].start(*FOUR_THREADS)
        for replica in self.replicas:
            replica.follow(self.primary)
        for format_ in FORMATS:
            self.play_format(format_)
            self.play_at_once(format_)
        self.replicas.pop().one("STOP SLAVE")
        self.restart(self.replicas[0])  # without the temporary tables that MIXED format left open
        self.play_format("STATEMENT", is_null=True)
        self.check_failures()

    def check_failures(self) -> None:
        share = self.counts["that failed"] / self.counts["statements"]
        found = [Problem("broken", "too many statements fail")] if share > MOST_FAILED else []
        self.step(found, f"{share:.0%} of the statements failed on the primary")

    def play_format(self, format_: str, is_null: bool = False) -> None:
        rng = Random(f"{self.seed}-{format_}-{is_null}")
        names = [f"{format_.lower()}{'n' * is_null}{i}" for i in range(SESSIONS)]
        sessions = [RandomSession(name, rng, format_, self.engine, is_null) for name in names]
        links = [self.open(name, format_) for name in names]
        kept = self.folder / f"statements-{format_}{'-is-null' * is_null}.sql"
        with open(kept, "w") as log:
            for _ in range(ROUNDS):
                self.run_some(sessions, links, rng, log)
                self.compare_all(format_)
                for replica in self.replicas:
                    replica.one("STOP SLAVE")
                    replica.one("START SLAVE")
            for i, session in enumerate(sessions):
                for statement in session.close_temporary():
                    self.execute(links[i], i, statement, log)
            self.compare_all(f"{format_}, without temporary tables")
            self.restart_replicas(format_)
            self.run_some(sessions, links, rng, log)
        self.compare_all(f"{format_}, servers started again")
        for link in links:
            link.close()  # the server drops temporary tables, here and there
        self.compare_all(f"{format_}, sessions ended")

    def restart_replicas(self, format_: str) -> None:
        """In MIXED format the server sometimes keeps a temporary table on the replica that the
        primary has dropped, with every engine."""
        for replica in self.replicas:
            if replica.status("Slave_open_temp_tables") != "0":
                self.count("restarts left out")
                text = f"replica {replica.number} has temporary tables open"
                self.add([Problem("broken", text)] if format_ != "MIXED" else [])
                continue
            self.restart(replica)

    def restart(self, replica) -> None:
        replica.server.stop()
        replica.server.start()
        replica.one("START SLAVE")
        self.count("restarts")

    def play_at_once(self, format_: str) -> None:
        name = format_.lower()
        with self.primary.connect() as link, link.cursor() as cursor:
            cursor.execute(SHARED.format(name))
        errors: list[str] = []
        threads = [
            threading.Thread(target=self.write_shared, args=(name, i, format_, errors))
            for i in range(SESSIONS)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.add([Problem("broken", error) for error in errors])
        self.compare_all(f"{format_}, one AUTO_INCREMENT for all")

    def write_shared(self, name: str, session: int, format_: str, errors: list[str]) -> None:
        rng = Random(f"{self.seed}-{format_}-shared-{session}")
        try:
            with self.primary.connect() as link, link.cursor() as cursor:
                cursor.execute(f"SET SESSION binlog_format = {format_}")
                for _ in range(LONG_AT_ONCE if self.long else AT_ONCE):
                    self.write_one(cursor, shared_writes(name, session, rng, format_))
        except Exception as error:  # a thread's own would be lost
            errors.append(f"session {session}: {type(error).__name__}: {error}")

    def write_one(self, cursor, statement: str) -> None:
        """Refused rows, deadlocks and lock waits are part of it; the connection must live."""
        failed = False
        try:
            cursor.execute(statement)
        except (pymysql.IntegrityError, pymysql.OperationalError) as error:
            if error.args[0] in (CR.CR_SERVER_LOST, CR.CR_SERVER_GONE_ERROR):
                raise
            failed = True
        with self.counting:
            self.count("statements at once")
            self.count("statements at once that failed", failed)

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
