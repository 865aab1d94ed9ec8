# SPDX-License-Identifier: GPL-2.0-only
"""Kinds of statements, in every format of the binary log, to a parallel replica: DDL, temporary
tables, triggers, tables of other engines in one transaction, savepoints, user XA."""

import time

from tests.kit.clients.client import Problem
from tests.kit.clients.prepared import Prepared
from tests.kit.replicas.compare import compare
from tests.kit.replicas.load import Load
from tests.kit.replicas.scenario import Scenario
from tests.replication.replica_kills import FORMATS

# {0}: a word for the names, so that each format has tables of its own
STATEMENTS = """
CREATE TABLE {0}_a (id INT AUTO_INCREMENT PRIMARY KEY, v INT, t VARCHAR(40), KEY v (v))
CREATE TABLE {0}_flat (id INT AUTO_INCREMENT PRIMARY KEY, v INT) ENGINE=MyISAM
CREATE TABLE {0}_other (id INT PRIMARY KEY, v INT) ENGINE=InnoDB
CREATE TABLE {0}_nokey (v INT, t VARCHAR(20))
CREATE TABLE {0}_parts (id INT PRIMARY KEY, v INT) PARTITION BY HASH (id) PARTITIONS 3
INSERT INTO {0}_a (v, t) SELECT seq % 10, CONCAT('row ', seq) FROM seq_1_to_200
INSERT INTO {0}_parts SELECT seq, seq FROM seq_1_to_50
INSERT INTO {0}_nokey SELECT seq % 5, 'x' FROM seq_1_to_20
CREATE TRIGGER {0}_t AFTER UPDATE ON {0}_a FOR EACH ROW INSERT INTO {0}_flat (v) VALUES (NEW.v)
UPDATE {0}_a SET t = CONCAT(t, '!') WHERE v = 3
BEGIN
INSERT INTO {0}_a (v, t) VALUES (100, 'one'), (101, 'two')
INSERT INTO {0}_flat (v) VALUES (100)
SAVEPOINT s
DELETE FROM {0}_a WHERE v = 4
ROLLBACK TO s
INSERT INTO {0}_other VALUES (1, 1)
DELETE FROM {0}_nokey WHERE v = 2
COMMIT
BEGIN
INSERT INTO {0}_flat (v) VALUES (200)
UPDATE {0}_a SET v = 50 WHERE v = 5
ROLLBACK
ALTER TABLE {0}_a ADD COLUMN w INT DEFAULT 7, ADD INDEX t (t)
UPDATE {0}_a SET w = v WHERE v BETWEEN 1 AND 3
ALTER TABLE {0}_a ADD INDEX wv (w, v), ALTER w SET DEFAULT 8, ALGORITHM=INPLACE
ALTER TABLE {0}_a DROP INDEX v, ALGORITHM=COPY
CREATE TABLE {0}_copy AS SELECT id, v, w FROM {0}_a WHERE v < 5
RENAME TABLE {0}_copy TO {0}_moved
CREATE TEMPORARY TABLE {0}_temporary (id INT PRIMARY KEY, v INT)
INSERT INTO {0}_temporary SELECT id, v FROM {0}_moved
INSERT INTO {0}_parts SELECT id + 1000, v FROM {0}_temporary WHERE v = 1
DROP TEMPORARY TABLE {0}_temporary
ALTER TABLE {0}_parts TRUNCATE PARTITION p1
TRUNCATE TABLE {0}_nokey
INSERT INTO {0}_nokey VALUES (1, 'again')
REPLACE INTO {0}_parts VALUES (1, -1), (2, -2)
INSERT INTO {0}_parts VALUES (1, 0) ON DUPLICATE KEY UPDATE v = v - 10
DELETE FROM {0}_parts WHERE v > 40 ORDER BY id LIMIT 3
CREATE OR REPLACE VIEW {0}_view AS SELECT id FROM {0}_a
XA START '{0}x'
INSERT INTO {0}_a (v, t) VALUES (300, 'prepared')
XA END '{0}x'
XA PREPARE '{0}x'
XA COMMIT '{0}x'
XA START '{0}y'
DELETE FROM {0}_a
XA END '{0}y'
XA PREPARE '{0}y'
XA ROLLBACK '{0}y'
DROP TABLE {0}_moved
""".strip().splitlines()


class Kinds(Scenario):
    NAME = "kinds"

    def play(self) -> None:
        self.primary, self.replica = self.node(1, binlog=True), self.node(2, binlog=True)
        self.primary.start("--loose-rocksdb-lock-wait-timeout=2")
        self.replica.start("--slave-parallel-mode=optimistic", "--slave-parallel-threads=4")
        self.replica.follow(self.primary)
        for format_ in FORMATS:
            self.statements(format_)
        self.user_xa()

    def statements(self, format_: str) -> None:
        with self.primary.connect() as link, link.cursor() as cursor:
            cursor.execute(f"SET SESSION binlog_format={format_}")
            for statement in STATEMENTS:
                cursor.execute(statement.format(format_.lower()))
        self.count("statements", len(STATEMENTS))
        self.replica.catch_up(self.primary.position())
        found = compare(self.primary, self.replica)
        self.step(found, f"{format_}: {len(STATEMENTS)} kinds of statements")

    def user_xa(self) -> None:
        """Transactions that stay prepared for a while, on the replica as on the primary."""
        load = Load([Prepared] * 3, self.seed, self.primary)
        load.create()
        load.start()
        time.sleep(5 if self.long else 1.5)
        found = load.stop()
        self.replica.catch_up(self.primary.position())
        there, here = self.primary.prepared(), self.replica.prepared()
        if there != here:
            found.append(Problem("lost", f"XA RECOVER: {there ^ here}"))
        found += compare(self.primary, self.replica)
        self.count("XA transactions", load.total("acknowledged"))
        self.step(found, f"user XA: {load.total('acknowledged')} steps, {len(there)} prepared")
        for name in there:
            self.primary.one(f"XA ROLLBACK '{name}'")
        self.replica.catch_up(self.primary.position())
        left = self.replica.prepared()
        self.step([Problem("extra", f"XA RECOVER: {left}")] if left else [], "user XA: decided")
