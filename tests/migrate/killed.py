# SPDX-License-Identifier: GPL-2.0-only
"""The program or the server dies in the middle; the same command goes on, or undo takes it back."""

import contextlib
import signal
import threading
from collections.abc import Iterator

import pymysql

from tests.kit.check import Check, CheckFailed, expect, expect_in
from tests.migrate.program import (
    PATIENCE_SECONDS,
    Migrate,
    contents,
    definitions,
    engines,
    expect_same,
    kill_when,
)
from tools.server import PrivateServer

ALTERING = (
    "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE"
    " 'ALTER TABLE `large`.`{}` ENGINE%'"
)
ATTEMPTS = 5


def sleep(link: pymysql.Connection) -> None:
    with link.cursor() as cursor, contextlib.suppress(pymysql.Error):  # KILL may be an error
        cursor.execute(f"SELECT SLEEP({10 * PATIENCE_SECONDS})")


class Killed:
    def __init__(self, server: PrivateServer, program: Migrate):
        self.server = server
        self.program = program
        self.before = definitions(server, "large")
        self.rows = contents(server, "large")

    def checks(self) -> list[Check]:
        return [
            Check("SIGTERM in the middle of a group: all as before", self.terminated),
            Check("kill -9 in the middle of a group, run again", self.killed),
            Check("kill -9 of the server in the middle, undo", self.server_killed),
            Check("SIGTERM of an online move: as before", self.online_terminated),
            Check("kill -9 of an online move, run again", self.online_killed),
        ]

    def run_and_kill(self, table: str, number: int) -> tuple[int, str]:
        """(status, what it says) of a run that gets the signal while the table moves; 0: the
        server is killed instead. On a busy machine a run may be over before that is seen."""
        for _ in range(ATTEMPTS):
            process = self.program.start("run", "large")

            def kill(process=process) -> None:
                process.send_signal(number) if number else self.server.kill()

            said = kill_when(process, lambda: self.altering(table), f"{table} moves", kill)
            if said is not None and "what is named above has moved" not in said:
                return process.returncode, said
            self.program.told(0, "undo", "large")
        raise CheckFailed(f"{ATTEMPTS} runs were over before it was seen that {table} moves")

    def altering(self, table: str) -> bool:
        return self.server.query(ALTERING.format(table))[0][0] == 1

    def unchanged(self) -> None:
        expect_same(definitions(self.server, "large"), self.before, "definitions")
        expect_same(contents(self.server, "large"), self.rows, "rows")

    def terminated(self) -> None:
        status, said = self.run_and_kill("child", signal.SIGTERM)
        expect(status == 1, f"status {status}: {said}")
        expect_in("stopped, the table is as it was", said, "what it says")
        self.unchanged()
        told = self.program.told(0, "status")["tables"]
        left = [t for t in told if "large" in t["table"] and t["state"] != "undone"]
        expect(not left, f"in the journal: {left}")

    def killed(self) -> None:
        self.run_and_kill("parent", signal.SIGKILL)
        told = self.program.told(0, "run", "large")
        expect(len(told["tables"]) == 2, f"it has moved {told['tables']}")
        proofs = [t["proof"] for t in told["tables"]]
        expect(all(p.startswith("same checksum") for p in proofs), f"proofs: {proofs}")
        expect_same(set(engines(self.server, "large").values()), {"ROCKSDB"}, "engines")
        expect_same(contents(self.server, "large"), self.rows, "rows")
        expect_in("`of_parent` FOREIGN KEY", definitions(self.server, "large")["child"], "child")
        self.program.told(0, "undo", "large")
        self.unchanged()

    def server_killed(self) -> None:
        status, said = self.run_and_kill("child", 0)
        self.server.start()
        expect(status == 1, f"status {status}: {said}")
        expect_in("the server does not answer any more", said, "what it says")
        left = self.program.told(1, "status")
        expect_in("of_parent", str(left), "the journal")
        self.program.told(0, "undo", "large")
        self.unchanged()

    def triggers(self) -> int:
        asked = "SELECT COUNT(*) FROM information_schema.triggers WHERE trigger_schema='alone'"
        return self.server.query(asked)[0][0]

    def copied(self) -> int:
        return self.server.query("SELECT COUNT(*) FROM alone._t_basalt_new")[0][0]

    @contextlib.contextmanager
    def statement(self) -> Iterator[None]:
        """One that runs meanwhile, and counts as load."""
        with self.server.connect() as link:
            runner = threading.Thread(target=sleep, args=(link,))
            runner.start()
            try:
                yield
            finally:
                self.server.sql(f"KILL QUERY {link.thread_id()}")
                runner.join()

    def kill_online(self, number: int) -> str:
        """While the tool copies. It pauses after its first piece, as two statements run with its
        own one, so it cannot be over before it is killed."""
        with self.statement():
            process = self.program.start("run", "--online", "--max-load", "1", "alone")
            said = kill_when(
                process,
                lambda: self.triggers() == 3 and self.copied() > 0,
                "rows are copied beside triggers",
                lambda: process.send_signal(number),
            )
        expect(said is not None, "it was over before it was killed")
        return said

    def online_terminated(self) -> None:
        self.server.sql("CREATE DATABASE alone; CREATE TABLE alone.t LIKE large.parent;"
                        " INSERT INTO alone.t SELECT * FROM large.parent")  # fmt: skip
        before = definitions(self.server, "alone")
        expect_in(
            "alone.t: stopped, the table is as it was", self.kill_online(signal.SIGTERM), "it"
        )
        expect_same(definitions(self.server, "alone"), before, "definitions")
        expect(self.triggers() == 0, "triggers are left")

    def online_killed(self) -> None:
        rows = contents(self.server, "alone")
        self.kill_online(signal.SIGKILL)
        self.program.told(0, "run", "--online", "alone")
        expect_same(engines(self.server, "alone"), {"t": "ROCKSDB"}, "engines")
        expect_same(contents(self.server, "alone"), rows, "rows")
        expect(self.triggers() == 0, "triggers are left")
