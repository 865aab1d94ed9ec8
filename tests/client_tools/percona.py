# SPDX-License-Identifier: GPL-2.0-only
"""Percona's toolkit: checksums of a primary and its replica, and pt-online-schema-change under
load."""

import re
import time

from tests.client_tools import programs
from tests.client_tools.copied import Copied
from tests.kit.clients.client import Problem
from tests.kit.replicas.compare import compare
from tests.kit.replicas.node import DATABASE, Node
from tools.setup import client_tools

# exit statuses (man pages): both find the same, or differences (pt-table-sync, pt-table-checksum);
# pt-table-checksum has left out chunks, or tables
SAME, DIFFERENT, UNLIKE, SKIPPED, REFUSED = 0, 2, 16, 32, 64


class Percona(Copied):
    NAME = "percona"

    def play(self) -> None:
        self.begin()
        self.replica = self.node(2, binlog=True)
        # pt-table-sync writes to the replica, which numbers that in the replica's own log
        parallel = ["--slave-parallel-mode=optimistic", "--slave-parallel-threads=4"]
        # it is compared, and not killed; on a busy disk four workers that sync fall behind the
        # clients, and the tool waits for a replica at each chunk
        unsynced = ["--sync-binlog=0", "--innodb-flush-log-at-trx-commit=2"]
        unsynced.append("--loose-rocksdb-flush-log-at-trx-commit=2")
        self.replica.start(*parallel, *unsynced, "--gtid-strict-mode=OFF")
        self.replica.follow(self.primary)
        self.replica.catch_up(self.primary.position())
        self.checksums()
        self.schema_change()

    def checksums(self) -> None:
        self.refusal()
        self.checksums_under_load()
        self.synchronisation()

    def refusal(self) -> None:
        """pt-table-checksum refuses tables by the name of their engine, before it looks at them."""
        output = self.checksum("refusal", "--recursion-method=none", good=(REFUSED,))
        found = [] if "rpl.filler" in output else [Problem("broken", "refused for another reason")]
        self.step(found, "pt-table-checksum: refuses the engine by its name, as documented")

    def checksums_under_load(self) -> None:
        """With the name among those to ignore, and a newline behind it, the tool asks no more, and
        ignores nothing (docs/backup.md)."""
        self.primary.server.sql(
            "CREATE DATABASE percona;"
            " CREATE TABLE percona.dsns (id INT PRIMARY KEY, parent_id INT, dsn VARCHAR(255));"
            f" INSERT INTO percona.dsns VALUES (1, NULL, '{self.dsn(self.replica)}')"
        )
        self.replica.catch_up(self.primary.position())
        found = unlike(self.under_load(lambda: self.both_sides("checksum")), expected=set())
        self.step(found, "pt-table-checksum: the replica is the same, under load")
        self.replica.catch_up(self.primary.position())
        self.change_replica("not the same")
        found = unlike(self.both_sides("checksum-changed"), expected={"filler"})
        self.step(found, "pt-table-checksum: one changed row of the replica is found")

    def both_sides(self, name: str) -> str:
        method = "--recursion-method=dsn=t=percona.dsns"
        accepted = "--ignore-engines=FEDERATED,MRG_MyISAM,ROCKSDB\n"
        # clients change what a chunk holds: then it may be given up as the victim of a deadlock
        return self.checksum(name, method, accepted, "--max-lag=60", good=(SAME, UNLIKE, SKIPPED))

    def checksum(self, name: str, *options: str, good: tuple[int, ...]) -> str:
        command = [client_tools.program("pt-table-checksum"), self.dsn(self.primary), *options]
        command += ["--databases=rpl", "--chunk-size=500", "--no-version-check"]
        command += ["--no-check-binlog-format"]  # the primary logs rows, the tool statements
        return programs.run(self.log(name), command, good=good)

    def synchronisation(self) -> None:
        found = different(self.compared("compared-changed"), expected={"filler"})
        self.step(found, "pt-table-sync: one changed row of the replica is found")
        programs.run(self.log("mended"), self.sync("--execute"), good=(SAME, DIFFERENT))
        found = compare(self.primary, self.replica)
        self.step(found, "pt-table-sync: and mended")
        self.load.start()
        time.sleep(1)
        found = self.load.stop()
        self.replica.catch_up(self.primary.position())
        found += different(self.compared("compared"), expected=set())
        self.step(found, "pt-table-sync: a replica that has caught up is the same")

    def dsn(self, node: Node) -> str:
        return f"S={node.server.socket},u=root"

    def sync(self, *options: str) -> list:
        """Makes the replica as the primary, writing to the replica."""
        command = [
            client_tools.program("pt-table-sync"),
            *options,
            "--no-check-slave",
            "--databases=rpl",
        ]
        return [*command, "--no-version-check", self.dsn(self.primary), self.dsn(self.replica)]

    def compared(self, name: str) -> str:
        return programs.run(self.log(name), self.sync("--print"), good=(SAME, DIFFERENT))

    def change_replica(self, text: str) -> None:
        with self.replica.connect() as link, link.cursor() as cursor:
            cursor.execute("SET SESSION sql_log_bin=0")
            cursor.execute(f"UPDATE filler SET text='{text}' WHERE id=12345")

    def schema_change(self) -> None:
        change = "ADD COLUMN extra INT NOT NULL DEFAULT 5, ADD KEY extra (extra, id)"
        for table in ("transfer", "event", "filler"):
            command = [
                client_tools.program("pt-online-schema-change"),
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


def different(output: str, expected: set[str]) -> list[Problem]:
    """The tables for which pt-table-sync prints a statement must be the expected ones."""
    found = set(re.findall(r"^(?:REPLACE|INSERT|DELETE|UPDATE)[^`]*`rpl`\.`(\w+)`", output, re.M))
    if found == expected:
        return []
    return [Problem("lost", f"pt-table-sync: differences in {found}, not in {expected}")]


def unlike(output: str, expected: set[str]) -> list[Problem]:
    """pt-table-checksum tells of each table: time, errors, chunks that differ, rows, rows that
    differ, chunks, chunks left out, seconds, name. It must tell of all of them without an error, of
    most chunks, and of differences in the expected tables."""
    lines = [line.split() for line in output.splitlines() if re.search(r" rpl\.\w+$", line)]
    found = {line[-1].removeprefix("rpl.") for line in lines if line[2] != "0"}
    errors, chunks, skipped = (sum(int(line[n]) for line in lines) for n in (1, 5, 6))
    if len(lines) >= 9 and not errors and skipped <= chunks // 10 and found == expected:
        return []
    return [Problem("lost", f"differences in {found}, not in {expected}\n{output}")]
