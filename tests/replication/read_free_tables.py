# SPDX-License-Identifier: GPL-2.0-only
"""The tables and changes of the scenario `readfree`. {0} is the table."""

COLUMNS = """
k1 VARCHAR(20) NOT NULL, k2 INT NOT NULL, a INT, t VARCHAR(40), b BLOB, c CHAR(8),
x VARCHAR(20) COLLATE utf8mb4_uca1400_ai_ci, y VARCHAR(20) COLLATE utf8mb4_nopad_bin,
w VARCHAR(20) COLLATE latin1_german2_ci, j JSON, g INT AS (a * 2) STORED, v INT AS (a + 1) VIRTUAL,
bits BIT(11), e ENUM('one', 'two', 'three'), s SET('p', 'q', 'r'), d DECIMAL(12,3), f DOUBLE,
m TIMESTAMP(3) NULL, n DATETIME(6), u UUID, z TEXT COMPRESSED, o POINT,
PRIMARY KEY (k1, k2 DESC)
"""
INDEXES = """
KEY (a), KEY (t), KEY (t(3), a DESC), KEY (b(5)), UNIQUE (c), UNIQUE (x(6), k2), KEY (y), KEY (w),
KEY (g), KEY (bits), KEY (e, s), KEY (d), KEY (f), KEY (m, n), KEY (u)
"""
ROWS = 200
FILL = f"""
INSERT INTO {{0}} (k1, k2, a, t, b, c, x, y, w, j, bits, e, s, d, f, m, n, u, z, o)
SELECT CONCAT('Key ', seq % 17), seq, IF(seq % 5, seq, NULL), CONCAT('Text ', seq),
  REPEAT(CHAR(65 + seq % 26), seq), IF(seq % 4, CONCAT('c', seq), NULL), CONCAT('Üx', seq),
  CONCAT('y', seq % 9), CONCAT('Straße ', seq % 11), JSON_OBJECT('n', seq), seq,
  1 + seq % 3, seq % 8, seq / 7, IF(seq % 6, seq / 3, NULL), FROM_UNIXTIME(1000000000 + seq),
  '2026-01-01' + INTERVAL seq HOUR, UUID(), REPEAT('z', seq * 3), POINT(seq, -seq)
FROM seq_1_to_{ROWS}
"""
CHANGES = """
UPDATE {0} SET a = a + 1000 WHERE k2 < 60
UPDATE {0} SET t = UPPER(t), w = REPLACE(w, 'ß', 'ss') WHERE k2 < 90
UPDATE {0} SET k1 = UPPER(k1) WHERE k2 < 30
UPDATE {0} SET k2 = k2 + 10000 WHERE k2 BETWEEN 30 AND 40
UPDATE {0} SET k1 = CONCAT('moved ', k1) WHERE k2 BETWEEN 41 AND 50
UPDATE {0} SET b = REPEAT('long ', k2 * 50), z = REPEAT('z', k2 * 90) WHERE k2 BETWEEN 50 AND 90
UPDATE {0} SET a = NULL, t = NULL, b = NULL, c = NULL, y = NULL, e = NULL, f = NULL WHERE k2 % 7 = 0
UPDATE {0} SET t = '', b = '', y = '', s = '', z = '' WHERE k2 % 7 = 1
UPDATE {0} SET x = CONCAT(x, ' '), y = CONCAT(y, ' '), c = CONCAT(c, ' ') WHERE k2 % 3 = 0
UPDATE {0} SET f = -0.0, d = -d, bits = 2047 - bits, o = POINT(k2, 0) WHERE k2 % 4 = 0
UPDATE {0} SET c = NULL WHERE c = 'c9'
UPDATE {0} SET c = 'c9' WHERE k2 = 10001 OR k2 = 150
INSERT INTO {0} (k1, k2, a) VALUES ('key 2', 172, 1), ('new', 1, 1) ON DUPLICATE KEY UPDATE a = -a
REPLACE INTO {0} (k1, k2, c) VALUES ('Key 1', 171, 'c13'), ('new', 2, 'c2')
BEGIN
INSERT INTO {0} (k1, k2, a, c) VALUES ('own', 1, 1, 'own'), ('own', 2, 2, 'other')
UPDATE {0} SET a = a + 1, c = CONCAT(c, k2) WHERE k1 = 'own'
UPDATE {0} SET a = a + 1 WHERE k1 = 'own'
SAVEPOINT s
DELETE FROM {0} WHERE k2 < 150
ROLLBACK TO s
DELETE FROM {0} WHERE k1 = 'own' AND k2 = 1
UPDATE {0} SET k2 = k2 + 5, c = 'own1' WHERE k1 = 'own' AND k2 = 2
INSERT INTO {0} (k1, k2, a, c) VALUES ('own', 1, 9, 'own')
COMMIT
UPDATE {0} SET m = NOW(3), n = n + INTERVAL 1 MICROSECOND, u = UUID() WHERE k2 > 120
DELETE FROM {0} WHERE k2 % 5 = 2
""".strip().splitlines()
# one change refused by what the primary logs, what the table is or how the replica is set up
SMALL = "CREATE TABLE {0} (id INT PRIMARY KEY, a INT, b BLOB, KEY (a))"
FLAT = "CREATE TABLE {0} (id INT PRIMARY KEY, a INT, b BLOB)"
FILL_SMALL = "INSERT INTO {0} (id, a, b) SELECT seq, seq, REPEAT('b', seq) FROM seq_1_to_30"
# The after images of the first three have every column, so that the table's read set is whole.
CHANGE_SMALL = """
UPDATE {0} SET id = id, a = a + 100, b = 'both' WHERE id < 10
UPDATE {0} SET b = 'only b' WHERE id BETWEEN 10 AND 15
UPDATE {0} SET id = id + 1000, a = 5, b = 'moved' WHERE id BETWEEN 16 AND 18
DELETE FROM {0} WHERE id > 25
""".strip().splitlines()


class Refusal:
    """Where rows are read in every mode. `there` and `here` are executed on primary and replica
    before the changes, `back` on the replica after them."""

    def __init__(self, what: str, table: str = SMALL, there="", here="", back=""):
        self.what, self.table, self.there, self.here, self.back = what, table, there, here, back


REFUSALS = [
    Refusal("minimal images", there="SET binlog_row_image=MINIMAL"),
    Refusal("minimal images, no index", FLAT, "SET binlog_row_image=MINIMAL"),
    Refusal("images without blobs", there="SET binlog_row_image=NOBLOB"),
    Refusal("images without blobs, no index", FLAT, "SET binlog_row_image=NOBLOB"),
    Refusal("another type", here="ALTER TABLE {0} MODIFY a BIGINT"),
    Refusal("one more column", FLAT, here="ALTER TABLE {0} ADD COLUMN z INT DEFAULT 5"),
    Refusal(
        "a trigger",
        FLAT,
        here="CREATE TRIGGER {0}_t BEFORE DELETE ON {0} FOR EACH ROW SET @seen = OLD.id",
    ),
    Refusal("system versioning", SMALL + " WITH SYSTEM VERSIONING"),
    Refusal("a time to live", FLAT + " COMMENT='ttl_duration=100000'"),
    Refusal(
        "a virtual index part",
        "CREATE TABLE {0} (id INT PRIMARY KEY, a INT, b BLOB, v INT AS (a + 1), KEY (v))",
    ),
    Refusal(
        "unique by hash",
        "CREATE TABLE {0} (id INT PRIMARY KEY, a INT, b BLOB, l INT AS (id),"
        " UNIQUE (b, id) USING HASH)",
    ),
    Refusal("no primary key", "CREATE TABLE {0} (id INT, a INT, b BLOB)"),
    Refusal(
        "idempotent apply",
        FLAT,
        here="SET GLOBAL slave_exec_mode=IDEMPOTENT",
        back="SET GLOBAL slave_exec_mode=STRICT",
    ),
]
