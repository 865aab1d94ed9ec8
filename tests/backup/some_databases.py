# SPDX-License-Identifier: GPL-2.0-only
"""Backups of some databases, while clients write to one that is kept, and to one that is left out.
What is restored has these databases and no trace of the others, in neither engine."""

import contextlib
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from tests.backup.scenario import OnPrimary
from tests.kit import backup_program as program
from tests.kit.clients.client import Problem
from tests.kit.replicas.node import DATABASE, Broken, Node
from tools import paths

WAIT_SECONDS = 60.0
# `other.shared` has more, compressed
SHARED_BYTES = 1_000_000
ODD = "odd näme"
# `alone` is filled by one statement, so it has files of its own; `shared` is not. Both engines,
# partitions, a table in InnoDB's shared file, another engine, what is only in the server's tables
OTHERS = f"""SET NAMES utf8mb4;
CREATE DATABASE other; CREATE DATABASE `{ODD}`;
CREATE TABLE other.alone (id INT PRIMARY KEY, text VARCHAR(200), KEY (text(9)));
INSERT INTO other.alone SELECT seq, REPEAT(MD5(seq), 4) FROM seq_1_to_20000;
CREATE TABLE other.shared (id INT PRIMARY KEY, text VARCHAR(200), KEY (text(9)) COMMENT 'rev:cf1');
INSERT INTO other.shared VALUES (0, '');
INSERT INTO other.shared SELECT seq, CONCAT(SHA2(seq, 512), MD5(seq)) FROM seq_1_to_20000;
CREATE TABLE other.parts (id INT PRIMARY KEY) PARTITION BY HASH (id) PARTITIONS 3;
INSERT INTO other.parts SELECT seq FROM seq_1_to_100;
CREATE TABLE other.there (id INT PRIMARY KEY, text VARCHAR(200)) ENGINE=InnoDB;
INSERT INTO other.there SELECT * FROM other.alone;
CREATE TABLE other.parts_there (id INT PRIMARY KEY) ENGINE=InnoDB
  PARTITION BY HASH (id) PARTITIONS 3;
SET GLOBAL innodb_file_per_table=OFF;
CREATE TABLE other.inside (id INT PRIMARY KEY) ENGINE=InnoDB;
SET GLOBAL innodb_file_per_table=ON;
INSERT INTO other.inside SELECT seq FROM seq_1_to_1000;
CREATE TABLE other.plain (id INT) ENGINE=MyISAM;
CREATE PROCEDURE other.routine() SELECT 1;
CREATE EVENT other.event ON SCHEDULE EVERY 1 YEAR DO SELECT 1;
CREATE VIEW other.view AS SELECT * FROM other.alone;
CREATE TABLE `{ODD}`.`a-b` (id INT PRIMARY KEY, a INT);
CREATE TABLE `{ODD}`.`b.c` (id INT PRIMARY KEY, a INT) ENGINE=InnoDB;
INSERT INTO `{ODD}`.`a-b` SELECT seq, seq FROM seq_1_to_100;
INSERT INTO `{ODD}`.`b.c` SELECT seq, seq FROM seq_1_to_100;
CREATE TABLE other.child (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES `{ODD}`.`a-b` (id));
INSERT INTO other.child VALUES (1, 1);
CREATE TABLE other.child_there (id INT PRIMARY KEY, a INT,
  FOREIGN KEY (a) REFERENCES `{ODD}`.`b.c` (id)) ENGINE=InnoDB;
INSERT INTO other.child_there VALUES (1, 1);
"""
OF_DICTIONARIES = {
    "InnoDB": "SELECT name FROM information_schema.INNODB_SYS_TABLES WHERE name LIKE '{}/%'",
    "InnoDB's files": "SELECT name FROM information_schema.INNODB_SYS_TABLESPACES"
    " WHERE name LIKE '{}/%'",
    "InnoDB's statistics": "SELECT * FROM mysql.innodb_table_stats WHERE database_name = '{}'",
    "ROCKSDB": "SELECT * FROM information_schema.ROCKSDB_DDL WHERE table_schema = '{}'",
    "routines": "SELECT * FROM mysql.proc WHERE db = '{}'",
    "events": "SELECT * FROM mysql.event WHERE db = '{}'",
}
DROPPED = (
    "SELECT * FROM information_schema.ROCKSDB_GLOBAL_INFO WHERE type = 'DDL_DROP_INDEX_ONGOING'"
)


class SomeDatabases(OnPrimary):
    NAME = "some-databases"

    def play(self) -> None:
        self.begin()
        self.primary.server.sql(OTHERS, DATABASE)
        self.refusals()
        self.killed()
        whole = self.under_load(lambda: self.taken())
        first = self.under_load(lambda: self.taken("--databases", f"{DATABASE},{ODD}"))
        later = self.under_load(
            lambda: self.streamed(self.repository, "--databases", f"{ODD},{DATABASE}")
        )
        again = self.under_load(lambda: self.taken())
        other = self.under_load(lambda: self.taken("--databases", f"other,{ODD}"))
        self.bases(whole, first, later, again, other)
        self.are_told(first)
        self.kept(later)
        self.left(again)
        if self.long:
            self.without_the_load(other)

    def taken(self, *options: str) -> dict:
        answer = self.backup(*options)
        if answer.status:
            raise Broken(f"basalt-backup ended with {answer.status}: {answer.said}")
        return answer.json()

    # --- what is refused

    def refusals(self) -> None:
        for options, words, status in (
            (["--databases", f"{DATABASE},nowhere"], "the server has no database 'nowhere'", 1),
            (["--databases", "../other"], "the server has no database '../other'", 1),
            (["--databases", f"{DATABASE},,x"], "--databases: names with a comma between", 2),
        ):
            self.is_refused(options, words, status)
        for child, parent in (("child", "a-b"), ("child_there", "b.c")):
            self.leads_out(child, parent)
        self.last_word()
        clone = ["clone", self.folder / "no", "--primary", "/dev/null", "--databases", DATABASE]
        found = self.refused(program.run(*clone), "a replica needs all databases", status=2)
        self.step(found, "a replica of some databases: refused")

    def is_refused(self, options: list[str], words: str, status: int) -> None:
        found = self.refused(self.backup(*options), words, status=status) + self.left_overs()
        found += self.expect(not self.made(), f"a backup was made with {options}")
        self.step(found, f"refused: {words}")

    def made(self) -> list[Path]:
        return list((self.repository / "backups").glob("*"))

    def leads_out(self, child: str, parent: str) -> None:
        """One engine's at a time: the other's constraint is taken away, and comes back."""
        hidden = {"child": "child_there", "child_there": "child"}[child]
        (row,) = self.primary.server.query(f"SHOW CREATE TABLE other.{hidden}")
        self.primary.server.sql(f"DROP TABLE other.{hidden}")
        said = f"of other.{child} leads to {ODD}.{parent}, whose database is left out"
        self.is_refused(["--databases", "other"], said, 1)
        again = f"SET NAMES utf8mb4; {text(row[1])}; INSERT INTO {hidden} VALUES (1, 1)"
        self.primary.server.sql(again, "other")

    def last_word(self) -> None:
        """Of a constraint that has come behind the first look: the checkpoint has it."""
        checkpoint = self.folder / "checkpoint"
        self.primary.one(f"SET GLOBAL rocksdb_create_checkpoint='{checkpoint}'")
        done = subprocess.run(
            [paths.database_keeper(), checkpoint],
            input="other\nmysql\n",
            capture_output=True,
            text=True,
        )
        shutil.rmtree(checkpoint)
        said = "of other.child leads to odd@0020n@0kme.a@002db, whose database is left out"
        found = self.expect(done.returncode == 1 and said in done.stderr, f"{done}")
        self.step(found, "a foreign key that leads out of the checkpoint: refused")

    def killed(self) -> None:
        """When the checkpoint is there, and while the others are taken out of it."""
        store = self.primary.server.datadir / "#rocksdb" / "basalt-backup-checkpoint"
        for name in ("CURRENT", "LOCK"):
            self.under_load(lambda name=name: self.kill_when(store / name))
        found = self.expect(not self.made(), f"a killed run made {self.made()}")
        self.step(found, "killed twice: no backup")

    def kill_when(self, path: Path) -> None:
        words = [*self.connection(), "--databases", f"{DATABASE},{ODD}"]
        process = program.start("backup", self.repository, *words)
        program.wait_for(process, path.exists, str(path))
        process.kill()
        process.communicate()

    # --- what is made

    def bases(self, whole: dict, first: dict, later: dict, again: dict, other: dict) -> None:
        found = self.expect(first["base"] == "", f"of some databases, on a full one: {first}")
        found += self.expect(
            later["base"] == first["id"], f"no increment to {first['id']}: {later}"
        )
        found += self.expect(again["base"] == whole["id"], f"not on the full one: {again}")
        found += self.expect(other["base"] == "", f"of other databases: {other}")
        names = sorted([DATABASE, ODD])
        found += self.expect(first["databases"] == later["databases"] == names, f"{first} {later}")
        found += self.expect(whole["databases"] is None, f"{whole}")
        shared = self.files(whole["id"]) & self.files(first["id"])
        gone = self.files(whole["id"]) - self.files(first["id"])
        found += self.expect(bool(shared), "no table file of the full backup is used again")
        found += self.expect(bool(gone), "the files of the other databases are there, too")
        kept = self.files(first["id"]) & self.files(later["id"])
        found += self.expect(bool(kept), "the increment shares no table file")
        found += self.left_overs()
        text = f"full, some, an increment, full: {len(shared)} table files in both, {len(gone)} not"
        self.step(found, text)

    def files(self, backup: str) -> set[str]:
        from programs.backup.repository import Repository

        found = Repository.open(self.repository).load(backup)
        return {file.sha256 for file in found.store if file.name.endswith(".sst")}

    def are_told(self, first: dict) -> None:
        names = f"{ODD}, {DATABASE}"
        listed = program.must("list", self.repository).output.decode()
        found = self.expect(names in listed and "all" in listed, f"list: {listed}")
        verified = program.must("verify", self.repository).output.decode()
        told = f"{first['id']}: good (databases: {names})" in verified
        found += self.expect(told, f"verify: {verified}")
        words = ["extract", self.repository, "other", "--work", self.folder / "work"]
        words += ["--id", first["id"], *self.server_options()]
        found += self.refused(program.run(*words), "lacks the database 'other'", names)
        self.step(found, "list, verify and extract say which databases")

    # --- what is restored

    def kept(self, later: dict) -> None:
        """Nothing of the others; then a replica, which needs a filter; then the others anew."""
        node = self.restored(
            self.repository, later["id"], "kept", "--replicate-wild-ignore-table=other.%"
        )
        found = self.expect_databases(node, {DATABASE, ODD})
        for what, statement in OF_DICTIONARIES.items():
            rows = node.server.query(statement.format("other"))
            found += self.expect(not rows, f"left in {what}: {rows}")
        found += self.expect(self.odd(node) == self.odd(self.primary), "other rows in the odd one")
        self.step(found, "restored: these databases, whole, and no trace of the others")
        self.reclaimed(node)
        self.primary.server.sql("INSERT INTO other.shared VALUES (-1, '')")
        self.others_anew(node)
        self.followed(node, later, "some databases, with a filter")

    def expect_databases(self, node: Node, wanted: set[str]) -> list[Problem]:
        own = {"information_schema", "mysql", "performance_schema", "sys"}
        found = {text(row[0]) for row in node.server.query("SHOW DATABASES")} - own
        return self.expect(found == wanted, f"the databases are {found}, not {wanted}")

    def odd(self, node: Node) -> list[tuple]:
        tables = f"`{ODD}`.`a-b`, `{ODD}`.`b.c`"
        return [row[1] for row in node.server.query(f"CHECKSUM TABLE {tables}")]

    def reclaimed(self, node: Node) -> None:
        """The rows in files that others use, too, go by themselves."""
        self.wait_until(node, lambda: not node.server.query(DROPPED))
        node.one("SET GLOBAL rocksdb_force_flush_memtable_now=1")
        enough = self.restored_bytes - SHARED_BYTES
        self.wait_until(node, lambda: table_file_bytes(node) < enough)
        text = f"{self.restored_bytes} bytes, then {table_file_bytes(node)}"
        self.step([], f"rows of the others are reclaimed by the restored server: {text}")

    def wait_until(self, node: Node, holds: Callable[[], bool]) -> None:
        deadline = time.monotonic() + WAIT_SECONDS
        while not holds():
            if time.monotonic() > deadline:
                left, size = node.server.query(DROPPED), table_file_bytes(node)
                raise Broken(f"not reclaimed: {left}; {self.restored_bytes} bytes, now {size}")
            time.sleep(0.1)

    def restored(self, repository: Path, wanted: str, name: str, *options: str) -> Node:
        from programs.backup.repository import Repository

        store = Repository.open(repository).load(wanted).store
        self.restored_bytes = sum(file.size for file in store if file.name.endswith(".sst"))
        return super().restored(repository, wanted, name, *options)

    def others_anew(self, node: Node) -> None:
        node.server.sql(f"SET NAMES utf8mb4; DROP DATABASE `{ODD}`; {OTHERS}", DATABASE)
        count = node.one("SELECT COUNT(*) FROM other.shared JOIN other.alone USING (id)")
        there = node.one("SELECT COUNT(*) FROM other.there")
        found = self.expect((count, there) == (20000, 20000), f"anew: {count}, {there} rows")
        self.step(found, "what was left out is made anew, with the same names")

    def left(self, again: dict) -> None:
        """An increment of all, on a full backup, with others between them."""
        node = self.restored(self.repository, again["id"], "whole")
        found = self.expect_databases(node, {DATABASE, ODD, "other"})
        self.step(found, "an increment of all databases, with backups of some between")
        self.followed(node, again, "all databases")

    def without_the_load(self, other: dict) -> None:
        """The database that clients wrote to is the one that is left out."""
        node = self.restored(self.repository, other["id"], "other")
        found = self.expect_databases(node, {"other", ODD})
        self.step(found, "restored without the database that was written to")
        self.done_with(node)


def table_file_bytes(node: Node) -> int:
    """A file may go while they are counted."""
    total = 0
    for file in (node.server.datadir / "#rocksdb").glob("*.sst"):
        with contextlib.suppress(FileNotFoundError):
            total += file.stat().st_size
    return total


def text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else value
