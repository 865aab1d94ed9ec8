# SPDX-License-Identifier: GPL-2.0-only
"""Backups while clients write: full, increments, by stream. Each copy is proved twice. As it is,
its transactions are whole. From its position on, the primary's log makes it the same as the
primary, which happens to no copy that has a transaction too few or too many.
"""

import contextlib
import json
import subprocess
from pathlib import Path

import psutil

from tests.backup.scenario import OnPrimary
from tests.kit import backup_program as program
from tests.kit.clients.client import Problem
from tests.kit.replicas.compare import compare
from tests.kit.replicas.node import DATABASE, Broken
from tools import paths


class UnderLoad(OnPrimary):
    NAME = "under-load"

    def play(self) -> None:
        self.begin()
        full = self.under_load(lambda: self.taken())
        first = self.objects()
        later = self.under_load(lambda: self.streamed(self.repository, "--compress", "1"))
        self.increment(full, later, first)
        answer = program.run("verify", self.repository)
        self.step(self.expect(answer.status == 0, answer.said), "all backups verify as good")
        self.followed(self.restored(self.repository, later["id"], "later"), later, "increment")
        self.point_in_time(self.repository)
        self.one_table(self.repository)
        if self.long:
            self.others(full)

    def others(self, full: dict) -> None:
        """A full backup by stream and an increment without one; a replica of a full backup."""
        there = self.folder / "elsewhere"
        first = self.under_load(lambda: self.streamed(there))
        again = self.under_load(lambda: self.streamed(there))
        found = self.expect(first["base"] == "" and again["base"] == first["id"], f"{again}")
        self.step(found, "by stream: a full backup and an increment")
        plain = self.under_load(lambda: self.taken())
        found = self.expect(plain["base"] != "", f"no increment: {plain}")
        self.step(found, "an increment to one that came by stream")
        for name, repository, backup in (
            ("full", self.repository, full),
            ("both by stream", there, again),
            ("two increments", self.repository, plain),
        ):
            node = self.restored(repository, backup["id"], name.replace(" ", "-"))
            self.followed(node, backup, name)

    def taken(self, *options: str) -> dict:
        answer = self.backup(*options)
        if answer.status:
            raise Broken(f"basalt-backup ended with {answer.status}: {answer.said}")
        return answer.json()

    def objects(self) -> set[Path]:
        return set((self.repository / "objects").glob("*/*"))

    def increment(self, full: dict, later: dict, before: set[Path]) -> None:
        kept = self.files(full["id"]) & self.files(later["id"])
        fresh = self.objects() - before
        found = self.expect(later["base"] == full["id"], f"no increment to {full['id']}: {later}")
        found += self.expect(bool(kept), "no table file is in both backups")
        found += self.expect(
            len(fresh) <= later["files"] - len(kept) + 1, f"{len(fresh)} new files, {len(kept)} old"
        )
        found += self.left_overs()
        text = f"an increment by stream, of {len(fresh)} files; {len(kept)} were there already"
        self.step(found, text)

    def files(self, backup: str) -> set[str]:
        """Of the table files in a backup, their checksums."""
        text = (self.repository / "backups" / backup).read_text().split("\n")[1]
        return {f["sha256"] for f in json.loads(text)["store"] if f["name"].endswith(".sst")}

    def point_in_time(self, there: Path) -> None:
        """The binary log from the position of a backup on, up to one before a mistake."""
        backup = program.must("list", there, "--json").json()["backups"][0]
        node = self.restored(there, backup["id"], "earlier")
        found = self.sums(node)
        stop = self.primary.position()
        self.primary.server.sql("FLUSH BINARY LOGS; DELETE FROM filler", DATABASE)
        logs = sorted(self.primary.server.datadir.glob("binlog.0*"))
        command = [str(paths.client("mariadb-binlog")), "--no-defaults"]
        command += [f"--start-position={backup['position']['gtid']}", f"--stop-position={stop}"]
        found += self.lacks_a_log([*command, str(logs[-1])])
        read = subprocess.Popen([*command, *map(str, logs)], stdout=subprocess.PIPE)
        done = subprocess.run(node.server.client_command(), stdin=read.stdout, capture_output=True)
        if read.wait() or done.returncode:
            raise Broken(f"the binary log is not applied: {done.stderr.decode()}")
        found += self.sums(node) + self.load.check(node)
        self.primary.server.sql(FILL_AGAIN, DATABASE)
        found += compare(self.primary, node)
        self.step(found, "full, and the log up to a mistake: all rows of that moment")
        self.done_with(node)

    def lacks_a_log(self, command: list[str]) -> list[Problem]:
        """What docs/backup.md says of logs that were purged."""
        done = subprocess.run(command, capture_output=True, text=True)
        refused = done.returncode == 1 and "missing data" in done.stderr
        refused = refused and "GTID 0-" not in done.stdout
        return self.expect(refused, f"logs that were purged: {done.returncode} {done.stderr}")

    def one_table(self, there: Path) -> None:
        """Rows of a table, out of an increment, into another database."""
        work = self.folder / "work"
        words = ["extract", there, DATABASE, "filler", "--work", work, *self.server_options()]
        if self.long:
            self.killed_with_its_server(words, work)
        sql = program.must(*words).output
        self.primary.server.sql("CREATE DATABASE again")
        self.primary.server.sql(sql.decode(), "again")
        found = self.differences("filler")
        found += self.expect(not any(work.iterdir()), f"left in {work}")
        self.step(found, "one table out of a backup, into another database")

    def killed_with_its_server(self, words: list, work: Path) -> None:
        """Neither a server nor a folder in the way is left for the same command again."""
        process = program.start(*words)
        file = work / "pid"
        program.wait_for(
            process, lambda: file.exists() and bool(file.read_text().strip()), "extract's server"
        )
        pid = file.read_text().strip()
        process.kill()
        process.communicate()
        with contextlib.suppress(psutil.NoSuchProcess):
            psutil.Process(int(pid)).wait(program.SECONDS)

    def differences(self, table: str) -> list[Problem]:
        found = self.primary.server.query(f"CHECKSUM TABLE {DATABASE}.{table}, again.{table}")
        return self.expect(found[0][1] == found[1][1], f"another table: {found}")


FILL_AGAIN = "INSERT INTO filler SELECT seq, REPEAT(MD5(seq), 4) FROM seq_1_to_20000"
