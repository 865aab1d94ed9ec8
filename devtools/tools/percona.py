# SPDX-License-Identifier: GPL-2.0-only
"""Percona's toolkit under load: pt-table-checksum on a primary with a replica, and
pt-online-schema-change."""

from devtools.crash.client import Problem
from devtools.replication.compare import compare
from devtools.replication.node import DATABASE
from devtools.setup import tools
from devtools.tools import programs
from devtools.tools.copied import Copied

# pt-table-checksum: bits of its exit status (man page); 16: a table differs
SAME, DIFFERENT = 0, 16


class Percona(Copied):
    NAME = "percona"

    def play(self) -> None:
        self.begin()
        self.replica = self.node(2, binlog=True)
        self.replica.start("--slave-parallel-mode=optimistic", "--slave-parallel-threads=4")
        self.replica.follow(self.primary)
        self.primary.one("CREATE DATABASE percona")
        self.primary.one("CREATE TABLE percona.dsns (id INT PRIMARY KEY, parent_id INT, dsn TEXT)")
        socket = self.replica.server.socket
        self.primary.one(f"INSERT INTO percona.dsns VALUES (1, NULL, 'S={socket},u=root')")
        self.replica.catch_up(self.primary.position())
        self.checksums()
        self.schema_change()

    def checksum(self, name: str, *more: str) -> str:
        command = [
            tools.program("pt-table-checksum"),
            f"S={self.primary.server.socket},u=root",
            f"--databases={DATABASE}",
            "--recursion-method=dsn=D=percona,t=dsns",
            "--no-check-binlog-format",
            "--no-version-check",
            "--chunk-size=1000",
            *more,
        ]
        return programs.run(self.log(name), command, good=(SAME, DIFFERENT))

    def checksums(self) -> None:
        output = self.under_load(lambda: self.checksum("checksum"))
        found = different(output, expected=set())
        self.step(found, f"pt-table-checksum under load: {tables(output)} tables, no difference")
        self.replica.catch_up(self.primary.position())
        with self.replica.connect() as link, link.cursor() as cursor:
            cursor.execute("SET SESSION sql_log_bin=0")
            cursor.execute("UPDATE filler SET text='not the same' WHERE id=12345")
        found = different(self.checksum("checksum-different"), expected={"rpl.filler"})
        self.step(found, "pt-table-checksum: one changed row of the replica is found")
        with self.replica.connect() as link, link.cursor() as cursor:
            cursor.execute("SET SESSION sql_log_bin=0")
            cursor.execute("UPDATE filler SET text=REPEAT(MD5(id), 4) WHERE id=12345")

    def schema_change(self) -> None:
        change = "ADD COLUMN extra INT NOT NULL DEFAULT 5, ADD KEY extra (extra, id)"
        for table in ("transfer", "event", "filler"):
            command = [
                tools.program("pt-online-schema-change"),
                f"S={self.primary.server.socket},u=root,D={DATABASE},t={table}",
                f"--alter={change}",
                "--recursion-method=none",
                "--no-version-check",
                "--no-check-replication-filters",
                "--chunk-size=500",
                "--execute",
            ]
            log = self.log(f"schema-change-{table}")
            self.under_load(lambda c=command, file=log: programs.run(file, c))
        self.replica.catch_up(self.primary.position())
        found = self.load.check(self.primary) + self.sums(self.primary)
        found += compare(self.primary, self.replica)
        changed = self.primary.one(
            "SELECT COUNT(*) FROM information_schema.statistics WHERE table_schema='rpl'"
            " AND index_name='extra' AND seq_in_index=1"
        )
        if changed != 3:
            found.append(Problem("broken", f"{changed} of 3 tables have the new index"))
        self.step(found, "pt-online-schema-change of 3 tables under load: no row lost, replica too")


def rows(output: str) -> list[list[str]]:
    """The lines of its table: time, errors, differences, rows, ..., name."""
    lines = (line.split() for line in output.splitlines())
    return [words for words in lines if len(words) >= 8 and words[-1].startswith("rpl.")]


def tables(output: str) -> int:
    return len(rows(output))


def different(output: str, expected: set[str]) -> list[Problem]:
    found = {words[-1] for words in rows(output) if words[2] != "0"}
    errors = [words[-1] for words in rows(output) if words[1] != "0"]
    problems = [Problem("broken", f"pt-table-checksum: errors for {errors}")] if errors else []
    if not rows(output):
        problems.append(Problem("broken", "pt-table-checksum checked no table"))
    if found != expected:
        problems.append(Problem("lost", f"pt-table-checksum: differences in {found}"))
    return problems
