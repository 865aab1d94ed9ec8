# SPDX-License-Identifier: GPL-2.0-only
"""Dumps of other engines load into ROCKSDB through dump-filter."""

import subprocess

from tests.kit.check import Check, expect, expect_in
from tests.migrate.program import Migrate, contents, engines, expect_same
from tools.server import PrivateServer

# As servers with TokuDB wrote them. Rows hold what looks like a table's options.
TOKUDB = """CREATE TABLE `plain` (
  `id` int(11) NOT NULL,
  `t` text DEFAULT NULL COMMENT 'ROW_FORMAT=TOKUDB_LZMA',
  PRIMARY KEY (`id`)
) ENGINE=TokuDB DEFAULT CHARSET=latin1 ROW_FORMAT=TOKUDB_LZMA COMMENT='as ENGINE=TokuDB; it''s';
INSERT INTO `plain` VALUES (1,') ENGINE=TokuDB ROW_FORMAT=TOKUDB_LZMA;\\n) ENGINE=InnoDB;');
CREATE TABLE `clustered` (
  `id` int(11) NOT NULL,
  `v` int(11) DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `v` (`v`) `clustering`=YES
) ENGINE=TokuDB DEFAULT CHARSET=latin1 `compression`='tokudb_quicklz';
CREATE TABLE `percona` (
  `id` int(11) NOT NULL,
  `v` int(11) DEFAULT NULL,
  PRIMARY KEY (`id`),
  CLUSTERING KEY `v` (`v`)
) ENGINE=TokuDB DEFAULT CHARSET=latin1 ROW_FORMAT=TOKUDB_SMALL
/*!50100 PARTITION BY RANGE (id)
(PARTITION p0 VALUES LESS THAN (10) ENGINE = TokuDB,
 PARTITION p1 VALUES LESS THAN MAXVALUE ENGINE = TokuDB) */;
CREATE TABLE `kept` (
  `id` int(11) NOT NULL
) ENGINE=MEMORY DEFAULT CHARSET=latin1;
"""

ENCRYPTED = b"""CREATE TABLE `secret` (
  `id` int(11) NOT NULL
) ENGINE=InnoDB DEFAULT CHARSET=latin1 `ENCRYPTED`=YES;
"""


class Dumps:
    def __init__(self, server: PrivateServer, program: Migrate):
        self.server = server
        self.program = program

    def checks(self) -> list[Check]:
        return [
            Check("dump-filter: mariadb-dump of InnoDB loads, with its rows", self.innodb),
            Check("dump-filter: what ROCKSDB refuses stays, and is told", self.staying),
            Check("dump-filter: TokuDB's words", self.tokudb),
        ]

    def filtered(self, data: bytes, status: int) -> tuple[bytes, str]:
        done = self.program.run("dump-filter", data=data)
        expect(done.returncode == status, f"status {done.returncode}: {done.stderr}")
        return done.stdout, done.stderr

    def dump(self, schema: str) -> bytes:
        command = self.server.client_command(schema, program="mariadb-dump")
        return subprocess.run(command, capture_output=True, check=True).stdout

    def load(self, schema: str, data: bytes) -> None:
        self.server.sql(f"CREATE DATABASE {schema}")
        command = self.server.client_command(schema)
        done = subprocess.run(command, input=data, capture_output=True)
        expect(done.returncode == 0, done.stderr.decode(errors="replace"))

    def innodb(self) -> None:
        text, said = self.filtered(self.dump("move"), 0)
        self.load("loaded", text)
        expect_in("orders: KEY_BLOCK_SIZE is left out", said, "what it says")
        expect_same(set(engines(self.server, "loaded").values()), {"ROCKSDB"}, "engines")
        expect_same(contents(self.server, "loaded"), contents(self.server, "move"), "rows")

    def staying(self) -> None:
        precise = "stay.precise (id) VALUES (1), (2); DELETE FROM stay.precise WHERE id = 2"
        self.server.sql(f"INSERT INTO {precise}")
        text, said = self.filtered(self.dump("stay") + ENCRYPTED, 1)
        for part in ("secret stays in InnoDB: its pages are to be encrypted",
                     "precise: versions by transaction begin anew, a dump has no history of them",
                     "pieces: its own directory is left out"):  # fmt: skip
            expect_in(part, said, "what it says")
        expect_in(ENCRYPTED, text, "what stays")
        # without an encryption plugin, the server refuses the table
        rest = text.replace(b"ENGINE=ROCKSDB", b"ENGINE=InnoDB", 0)
        self.server.sql("CREATE DATABASE partly")
        command = self.server.client_command("--force", "partly")
        subprocess.run(command, input=rest, capture_output=True)
        found = engines(self.server, "partly")
        expect_same(found["short_lived"], "MEMORY", "another engine")
        expect_same(found["precise"], "ROCKSDB", "versions by transaction")
        rows = self.server.query("SELECT id, b = ~0 FROM partly.precise FOR SYSTEM_TIME ALL")
        expect_same(rows, [(1, 1)], "the rows of today")
        expect_same((found["history"], found["pieces"]), ("ROCKSDB", "ROCKSDB"), "what moves")

    def tokudb(self) -> None:
        text, said = self.filtered(TOKUDB.encode(), 0)
        self.load("toku", text)
        expect_in("plain: TOKUDB_LZMA becomes COMPRESSION=small", said, "what it says")
        expect_in("clustered: 1 clustering indexes become ordinary ones", said, "what it says")
        expected = dict.fromkeys(("plain", "clustered", "percona"), "ROCKSDB")
        expect_same(engines(self.server, "toku"), {**expected, "kept": "MEMORY"}, "engines")
        rows = self.server.query("SELECT t FROM toku.plain")
        text = ") ENGINE=TokuDB ROW_FORMAT=TOKUDB_LZMA;\n) ENGINE=InnoDB;"
        expect_same(rows, [(text,)], "the row")
        shown = self.server.query("SHOW CREATE TABLE toku.plain")[0][1]
        for part in ("COMMENT 'ROW_FORMAT=TOKUDB_LZMA'", "COMMENT='as ENGINE=TokuDB; it''s'",
                     "=small"):  # fmt: skip
            expect_in(part, shown, "SHOW CREATE TABLE")
