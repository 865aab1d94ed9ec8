# SPDX-License-Identifier: GPL-2.0-only
"""What else a directory of stock MyRocks may hold: statements for a pair of databases each."""

from dataclasses import dataclass, field


@dataclass
class Topic:
    """`before` runs under the stock plugin, `after` under ours; both on the database and its
    twin. `database` is its name."""

    name: str
    before: list[str]
    after: list[str] = field(default_factory=list)
    database: str = ""


def numbers(table: str, columns: str, count: int, expression: str) -> str:
    return f"INSERT INTO {table} ({columns}) SELECT {expression} FROM seq_1_to_{count}"


def partitions() -> Topic:
    tables = {
        "by_hash": "PARTITION BY HASH (id) PARTITIONS 4",
        "by_key": "PARTITION BY KEY (id) PARTITIONS 3",
        "by_range": "PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (50),"
        " PARTITION `p-1` VALUES LESS THAN (150), PARTITION pmax VALUES LESS THAN MAXVALUE)",
        "by_list": "PARTITION BY LIST (id % 3) (PARTITION p0 VALUES IN (0),"
        " PARTITION p1 VALUES IN (1), PARTITION p2 VALUES IN (2))",
        "sub": "PARTITION BY RANGE (id) SUBPARTITION BY HASH (id) SUBPARTITIONS 2"
        " (PARTITION p0 VALUES LESS THAN (100), PARTITION p1 VALUES LESS THAN MAXVALUE)",
        "named_sub": "PARTITION BY RANGE (id) SUBPARTITION BY HASH (id) (PARTITION p0 VALUES LESS"
        " THAN (100) (SUBPARTITION `s 0`, SUBPARTITION s1), PARTITION p1 VALUES LESS THAN"
        " MAXVALUE (SUBPARTITION s2, SUBPARTITION s3))",
    }
    before, after = [], []
    for name, clause in tables.items():
        columns = "id INT NOT NULL, a INT, b VARCHAR(20), PRIMARY KEY (id), KEY a (a), KEY b (b)"
        before.append(f"CREATE TABLE {name} ({columns}) {clause}")
        before.append(numbers(name, "id, a, b", 200, "seq, seq % 17, CONCAT('v', seq % 29)"))
        before.append(f"UPDATE {name} SET a = a + 1 WHERE id % 7 = 0")
        before.append(f"DELETE FROM {name} WHERE id % 11 = 0")
        after += [
            f"INSERT INTO {name} SELECT id + 1000, a, b FROM {name} WHERE id % 3 = 0",
            f"UPDATE {name} SET id = id + 5000 WHERE id % 13 = 0",
            f"UPDATE {name} SET b = 'changed' WHERE a = 5",
            f"DELETE FROM {name} WHERE id % 10 = 4",
        ]
    before.append("ALTER TABLE by_range TRUNCATE PARTITION `p-1`")
    before.append("ALTER TABLE by_list ADD PARTITION (PARTITION p9 VALUES IN (9))")
    before.append("ALTER TABLE by_list DROP PARTITION p9")
    after.append("ALTER TABLE by_range TRUNCATE PARTITION p0")
    after.append("ALTER TABLE by_range DROP PARTITION pmax")
    after.append("ALTER TABLE by_list DROP PARTITION p2")
    after.append("ALTER TABLE by_hash ADD PARTITION PARTITIONS 1")
    # no primary key: a counter of its own in each partition
    before += [
        "CREATE TABLE no_pk (id INT, a INT, KEY a (a)) PARTITION BY HASH (id) PARTITIONS 3",
        numbers("no_pk", "id, a", 100, "seq, seq % 10"),
    ]
    after += [numbers("no_pk", "id, a", 50, "seq + 100, seq % 10"), "DELETE FROM no_pk WHERE a=3"]
    return Topic("partitions", before, after)


def column_families() -> Topic:
    before = [
        "CREATE TABLE reverse_all (id INT, a INT, b VARCHAR(20), PRIMARY KEY (id) COMMENT"
        " 'rev:cf_rev', KEY a (a) COMMENT 'cfname=rev:cf_rev', KEY b (b) COMMENT 'rev:cf_b')",
        "CREATE TABLE mixed (id INT, a INT, b VARCHAR(20) COLLATE utf8mb4_bin, PRIMARY KEY (id),"
        " KEY a (a) COMMENT 'rev:cf_rev', KEY ab (a, b) COMMENT 'cf_one', KEY b (b) COMMENT"
        " 'cfname=cf_two;anything=else')",
        "CREATE TABLE hidden_rev (id INT, a INT, KEY a (a) COMMENT 'rev:cf_rev')",
        "CREATE TABLE per_part (id INT, a INT, PRIMARY KEY (id) COMMENT 'p0_cfname=cf_p0;p1_cfname="
        "rev:cf_p1', KEY a (a) COMMENT 'p1_cfname=cf_p1a') PARTITION BY LIST (id % 3) (PARTITION p0"
        " VALUES IN (0), PARTITION p1 VALUES IN (1), PARTITION p2 VALUES IN (2))",
        "CREATE TABLE odd_name (id INT, PRIMARY KEY (id) COMMENT 'cf name-with.odd/chars')",
    ]
    after = []
    for name in ("reverse_all", "mixed"):
        before.append(numbers(name, "id, a, b", 200, "seq, seq % 17, CONCAT('v', seq % 29)"))
        before.append(f"UPDATE {name} SET a = NULL WHERE id % 9 = 0")
        before.append(f"DELETE FROM {name} WHERE id % 11 = 0")
        after.append(f"INSERT INTO {name} SELECT id + 1000, a, b FROM {name} WHERE id % 3 = 0")
        after.append(f"UPDATE {name} SET id = id + 5000, b = 'x' WHERE id % 13 = 0")
        after.append(f"DELETE FROM {name} WHERE a BETWEEN 3 AND 5")
    for name in ("hidden_rev", "per_part"):
        before.append(numbers(name, "id, a", 200, "seq, seq % 17"))
        before.append(f"DELETE FROM {name} WHERE id % 11 = 0")
        after.append(numbers(name, "id, a", 30, "seq + 300, seq % 5"))
        after.append(f"UPDATE {name} SET a = a + 1 WHERE a < 6")
    before.append(numbers("odd_name", "id", 20, "seq"))
    after.append(numbers("odd_name", "id", 20, "seq + 20"))
    return Topic("column_families", before, after)


def counters() -> Topic:
    before = [
        "CREATE TABLE plain (id INT AUTO_INCREMENT PRIMARY KEY, a INT)",
        "INSERT INTO plain (a) VALUES (1), (2), (3)",
        "INSERT INTO plain VALUES (50, 4)",
        "DELETE FROM plain WHERE id = 50",
        "CREATE TABLE started (id BIGINT AUTO_INCREMENT PRIMARY KEY) AUTO_INCREMENT = 1000",
        "CREATE TABLE secondary (a INT PRIMARY KEY, id INT AUTO_INCREMENT, KEY (id))",
        "INSERT INTO secondary (a) VALUES (5), (6), (7)",
        "CREATE TABLE tiny (id TINYINT UNSIGNED AUTO_INCREMENT PRIMARY KEY)",
        "INSERT INTO tiny VALUES (252)",
        "CREATE TABLE reset (id INT AUTO_INCREMENT PRIMARY KEY)",
        "INSERT INTO reset VALUES (NULL), (NULL), (NULL)",
        "TRUNCATE TABLE reset",
        "CREATE TABLE hidden (a INT)",
        "INSERT INTO hidden VALUES (1), (2), (3)",
        "DELETE FROM hidden WHERE a = 3",
        "CREATE TABLE altered (id INT AUTO_INCREMENT PRIMARY KEY, a INT)",
        "INSERT INTO altered (a) VALUES (1), (2)",
        "ALTER TABLE altered AUTO_INCREMENT = 500",
    ]
    after = [
        "INSERT INTO plain (a) VALUES (10), (11)",
        "INSERT INTO started VALUES (NULL)",
        "INSERT INTO secondary (a) VALUES (8)",
        "INSERT INTO tiny VALUES (NULL)",
        "INSERT INTO reset VALUES (NULL)",
        "INSERT INTO hidden VALUES (4), (5)",
        "UPDATE hidden SET a = a + 100 WHERE a < 3",
        "INSERT INTO altered (a) VALUES (3)",
    ]
    return Topic("counters", before, after)


def odd_names() -> list[Topic]:
    topics = []
    for number, name in enumerate(("my-db", "db with blank", "Ünïcode", "dot.ted", "a@b")):
        before = [
            "CREATE TABLE `t-1` (`a b` INT PRIMARY KEY, `c.d` VARCHAR(9), KEY `k-1` (`c.d`))",
            "INSERT INTO `t-1` VALUES (1, 'x'), (2, 'y')",
            "CREATE TABLE `Grün.#1` (`ä` INT, `sel``ect` INT, KEY (`sel``ect`))",
            "INSERT INTO `Grün.#1` VALUES (1, 2), (3, 4)",
            "CREATE TABLE `p t` (a INT PRIMARY KEY) PARTITION BY HASH (a) PARTITIONS 2",
            "INSERT INTO `p t` VALUES (1), (2), (3)",
        ]
        after = [
            "INSERT INTO `t-1` VALUES (3, 'z')",
            "RENAME TABLE `Grün.#1` TO `grün #2`",
            "UPDATE `grün #2` SET `ä` = 7",
            "DELETE FROM `p t` WHERE a = 2",
        ]
        topics.append(Topic(f"odd name {number}", before, after, name))
    return topics


def definitions() -> Topic:
    """Column attributes, keys and the ALTERs that a table may have behind it."""
    return Topic("definitions", BEFORE_DEFINITIONS, AFTER_DEFINITIONS)


BEFORE_DEFINITIONS = [
    "CREATE TABLE compressed (id INT PRIMARY KEY, v VARCHAR(1000) COMPRESSED, b BLOB COMPRESSED,"
    " t TEXT COMPRESSED)",
    "INSERT INTO compressed VALUES (1, REPEAT('abc', 300), REPEAT('x', 5000), REPEAT('t', 9000)),"
    " (2, '', '', ''), (3, NULL, NULL, NULL), (4, 'short', 'short', 'short')",
    "CREATE TABLE checked (id INT PRIMARY KEY, a INT DEFAULT 7 CHECK (a < 100),"
    " b TIMESTAMP DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP)",
    "INSERT INTO checked (id, b) VALUES (1, '2020-01-01 00:00:00')",
    "CREATE TABLE system_time (id INT PRIMARY KEY, a INT, s TIMESTAMP(6) DEFAULT 0)",
    "INSERT INTO system_time VALUES (1, 1, 0)",
    "CREATE TABLE invisible (id INT PRIMARY KEY, a INT INVISIBLE DEFAULT 3, b INT)",
    "INSERT INTO invisible (id, a, b) VALUES (1, 2, 3)",
    "CREATE TABLE nine (id INT PRIMARY KEY, n1 INT, n2 INT, n3 INT, n4 INT, n5 INT, n6 INT,"
    " n7 INT, n8 INT, n9 INT, n10 INT, n11 INT, n12 INT, n13 INT, n14 INT, n15 INT, n16 INT,"
    " n17 INT)",
    "INSERT INTO nine (id, n1, n9, n17) VALUES (1, 1, 9, 17)",
    "INSERT INTO nine (id, n8, n16) VALUES (2, 8, 16)",
    "CREATE TABLE all_key (a INT, b VARCHAR(10) COLLATE utf8mb4_bin, PRIMARY KEY (a))",
    "CREATE TABLE only_key (a INT, b VARBINARY(10), PRIMARY KEY (a, b))",
    "INSERT INTO only_key VALUES (1, 'a'), (1, 'b'), (2, '')",
    "UPDATE only_key SET b = 'c' WHERE b = 'a'",
    "DELETE FROM only_key WHERE a = 2",
    "CREATE TABLE uniques (id INT PRIMARY KEY, a INT, b VARCHAR(20), UNIQUE a (a),"
    " UNIQUE b (b(3)))",
    "INSERT INTO uniques VALUES (1, NULL, 'abcd'), (2, NULL, NULL), (3, 3, 'xyz'), (4, 4, NULL)",
    "CREATE TABLE promoted (a INT NOT NULL, b INT, UNIQUE (a), KEY (b))",
    "INSERT INTO promoted VALUES (1, 1), (2, 2)",
    "CREATE TABLE large_rows (id INT PRIMARY KEY, b LONGBLOB)",
    "INSERT INTO large_rows SELECT seq, REPEAT(CHAR(64 + seq), 300000) FROM seq_1_to_10",
    "CREATE TABLE char0 (id INT PRIMARY KEY, a CHAR(0), b CHAR(0) NOT NULL)",
    "INSERT INTO char0 VALUES (1, '', ''), (2, NULL, '')",
    "CREATE TABLE empty (id INT PRIMARY KEY, a INT, KEY (a))",
    "CREATE TABLE kept_index (id INT PRIMARY KEY, a INT, b INT, KEY a (a))",
    numbers("kept_index", "id, a, b", 100, "seq, seq % 7, seq % 11"),
    "ALTER TABLE kept_index ADD KEY b (b)",
    "ALTER TABLE kept_index ADD KEY ba (b, a), DROP KEY a",
    "CREATE TABLE copied (id INT PRIMARY KEY, a INT, KEY a (a))",
    numbers("copied", "id, a", 100, "seq, seq % 7"),
    "ALTER TABLE copied ADD COLUMN c VARCHAR(10) DEFAULT 'new'",
    "CREATE TABLE renamed_from (id INT PRIMARY KEY, a INT, KEY a (a))",
    "INSERT INTO renamed_from VALUES (1, 1)",
    "ALTER TABLE renamed_from ADD KEY a2 (a, id)",
    "RENAME TABLE renamed_from TO renamed_to",
]
AFTER_DEFINITIONS = [
    # stock refuses generated columns
    "CREATE TABLE generated (id INT PRIMARY KEY, a INT, b INT AS (a * 2) STORED)",
    "INSERT INTO generated (id, a) VALUES (1, 10), (2, 20), (3, NULL)",
    "UPDATE compressed SET v = REPEAT('new', 200), t = 'short now' WHERE id = 1",
    "INSERT INTO compressed VALUES (5, REPEAT('q', 900), REPEAT('r', 900), '')",
    "UPDATE checked SET a = 50, b = '2021-01-01 00:00:00'",
    "INSERT INTO nine (id, n2, n10) VALUES (3, 2, 10)",
    "INSERT INTO only_key VALUES (1, 'a'), (5, 'e')",
    "UPDATE only_key SET a = a + 1 ORDER BY a DESC",
    "INSERT INTO uniques VALUES (5, 5, 'bcd')",
    "INSERT IGNORE INTO uniques VALUES (6, 5, 'q'), (7, 7, 'XYZ!'), (8, 8, 'new')",
    "REPLACE INTO uniques VALUES (9, 3, 'ab')",
    "UPDATE promoted SET a = a + 10",
    "UPDATE large_rows SET b = CONCAT(b, 'tail') WHERE id % 2 = 0",
    "INSERT INTO empty VALUES (1, 1)",
    "ALTER TABLE kept_index DROP KEY b",
    "ALTER TABLE kept_index ADD KEY ab (a, b)",
    "ALTER TABLE copied DROP COLUMN c",
    "ALTER TABLE renamed_to ADD COLUMN b INT",
    "TRUNCATE TABLE system_time",
    "INSERT INTO renamed_to VALUES (2, 2, 2)",
    "DROP TABLE all_key",
    "CREATE TABLE all_key (z INT PRIMARY KEY)",
]


def versions_of_rows() -> Topic:
    """Rows that were changed many times, in table files of several levels."""
    before = [
        "CREATE TABLE busy (id INT PRIMARY KEY, a INT, b VARCHAR(50), KEY a (a), KEY b (b))",
        numbers("busy", "id, a, b", 3000, "seq, seq % 100, CONCAT('row ', seq)"),
    ]
    for step in range(6):
        before += [
            f"UPDATE busy SET a = a + 1 WHERE id % 6 = {step}",
            f"DELETE FROM busy WHERE id % 50 = {step}",
            f"INSERT IGNORE INTO busy SELECT seq, 7, 'again' FROM seq_{step + 1}_to_3000_step_100",
        ]
    after = [
        "UPDATE busy SET a = a + 1000 WHERE id % 3 = 0",
        "DELETE FROM busy WHERE a % 7 = 3",
        "INSERT INTO busy SELECT seq, 1, 'third' FROM seq_10001_to_10300",
    ]
    return Topic("versions", before, after)


def topics() -> list[Topic]:
    found = [partitions(), column_families(), counters(), definitions(), versions_of_rows()]
    for topic in found:
        topic.database = "topic_" + topic.name
    return found + odd_names()
