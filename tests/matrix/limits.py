# SPDX-License-Identifier: GPL-2.0-only
"""Tables at the limits of the server: columns, keys, key parts, bytes, partitions, names, counters.

Each case is a list of statements for the runner of the differential tests, which runs them on both
engines and at the end reads the tables through every index. The peer is InnoDB, or MyISAM where
InnoDB's pages are too small for such a row.
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from tests.kit.side_by_side.statement import Statement

REFUSED = "refused"


@dataclass(frozen=True)
class Limit:
    """`make`: the statements. `long`: not in the short form."""

    name: str
    make: Callable[[], list[Statement]]
    peer: str = "innodb"
    long: bool = False


def do(*texts: str) -> list[Statement]:
    """Statements that write. How many rows an ALTER copies is an engine's own matter."""
    found = []
    for text in texts:
        found.append(Statement(text, compare="none" if text.startswith("ALTER") else "effect"))
    return found


def refuse(*texts: str) -> list[Statement]:
    """Statements that fail, on both engines with the same error; all others must succeed."""
    return [Statement(text, note=REFUSED) for text in texts]


def ask(*texts: str) -> list[Statement]:
    return [Statement(text, compare="multiset") for text in texts]


def insert(table: str, rows: list[list[str]]) -> Statement:
    return Statement(f"INSERT INTO {table} VALUES ", ["(" + ", ".join(r) + ")" for r in rows])


# --- columns

NARROW = (
    ("TINYINT", lambda r: str(r.randint(-128, 127))),
    ("SMALLINT UNSIGNED NOT NULL", lambda r: str(r.randint(0, 65535))),
    ("INT", lambda r: str(r.randint(-(2**31), 2**31 - 1))),
    ("VARCHAR(3)", lambda r: repr("xYz"[: r.randint(0, 3)])),
    ("CHAR(2) NOT NULL", lambda r: repr(r.choice(["", "a", "bb"]))),
    ("DATE", lambda r: f"'20{r.randint(10, 99)}-0{r.randint(1, 9)}-15'"),
    ("BIT(5)", lambda r: f"b'{r.randint(0, 31):b}'"),
    ("DECIMAL(5,2)", lambda r: f"{r.randint(-99999, 99999) / 100}"),
    ("VARBINARY(2) NOT NULL", lambda r: f"x'{r.randint(0, 255):02x}'"),
    ("YEAR", lambda r: str(r.randint(1901, 2155))),
)


def many_columns(count: int) -> list[Statement]:
    rng = Random(count)
    kinds = [NARROW[n % len(NARROW)] for n in range(count - 1)]
    columns = [f"c{n} {sql}" for n, (sql, _) in enumerate(kinds)]

    def value(kind) -> str:
        null = "NOT NULL" not in kind[0] and rng.random() < 0.2
        return "NULL" if null else kind[1](rng)

    rows = [[str(n), *(value(k) for k in kinds)] for n in range(1, 31)]
    last = count - 2
    found = do(
        f"CREATE TABLE t (id INT PRIMARY KEY, {', '.join(columns)}, KEY (c0), KEY (c{last}))"
    )
    found += [insert("t", rows[:20]), insert("t", rows[20:])]
    for number in rng.sample(range(count - 1), 40):
        some = value(kinds[number])
        found += do(f"UPDATE t SET c{number} = {some} WHERE id = {rng.randint(1, 30)}")
    found += do(
        f"UPDATE t SET {', '.join(f'c{n} = c{n}' for n in range(count - 1))} WHERE id < 9",
        f"REPLACE INTO t SELECT id + 5, {', '.join(f'c{n}' for n in range(count - 1))} FROM t",
        f"ALTER TABLE t DROP COLUMN c{last - 3}, ADD COLUMN extra INT NOT NULL DEFAULT 7 FIRST",
        "DELETE FROM t WHERE id % 3 = 0",
    )
    return found + ask(f"SELECT c1, c{last // 2}, c{last} FROM t WHERE c0 > 0")


# --- keys


def many_keys() -> list[Statement]:
    """64 keys, of one to three columns, some unique, and every column in several of them."""
    rng = Random(64)
    names = [f"c{n}" for n in range(20)]
    columns = [f"{n} {'INT' if i % 2 else 'VARCHAR(20)'}" for i, n in enumerate(names)]
    keys = [f"KEY k{n} ({', '.join(rng.sample(names, 1 + n % 3))})" for n in range(60)]
    keys += [f"UNIQUE KEY u{n} ({names[n]}, {names[n + 5]}, id)" for n in range(3)]
    found = do(f"CREATE TABLE t (id INT PRIMARY KEY, {', '.join(columns + keys)})")

    def value(column: int) -> str:
        if rng.random() < 0.1:
            return "NULL"
        return str(rng.randint(0, 40)) if column % 2 else f"'v{rng.randint(0, 40)}'"

    found.append(insert("t", [[str(n), *map(value, range(20))] for n in range(300)]))
    for _ in range(60):
        column = rng.randrange(20)
        where = f"id BETWEEN {(low := rng.randint(0, 300))} AND {low + 9}"
        found += do(f"UPDATE t SET {names[column]} = {value(column)} WHERE {where}")
    found += do(
        "DELETE FROM t WHERE id % 7 = 0", "ALTER TABLE t DROP KEY k3", "ALTER TABLE t ADD KEY (c3)"
    )
    found += refuse("ALTER TABLE t ADD KEY one_too_many (c4)")
    return found + ask("SELECT COUNT(*), SUM(c1), MIN(c2) FROM t WHERE c5 > 10 AND c7 < 30")


def many_parts() -> list[Statement]:
    """Keys of 32 parts, the primary key among them; and one part more, which is refused."""
    rng = Random(32)
    names = [f"c{n}" for n in range(32)]
    kinds = ["TINYINT NOT NULL", "VARCHAR(8) NOT NULL", "DATE NOT NULL", "DECIMAL(7,2) NOT NULL"]
    columns = [f"{name} {kinds[n % 4]}" for n, name in enumerate(names)]
    mixed = ", ".join(f"{n} DESC" if i % 3 == 1 else n for i, n in enumerate(names[::-1]))
    keys = f"PRIMARY KEY ({', '.join(names)}), KEY back ({mixed}), KEY (x)"
    found = do(f"CREATE TABLE t ({', '.join(columns)}, x INT, {keys})")

    def value(column: int) -> str:
        n = rng.randint(0, 1)
        return [str(n), f"'v{n}'", f"'2024-01-0{n + 1}'", f"{n}.25"][column % 4]

    found.append(insert("t", [[*map(value, range(32)), str(n)] for n in range(200)]))
    found += do(
        "UPDATE t SET c31 = c31 + 1 WHERE c0 = 0 AND c1 = 'v1'",
        "UPDATE t SET c0 = 5 WHERE c0 = 1 AND c1 = 'v0' AND c2 = '2024-01-01'",
        "DELETE FROM t WHERE c0 = 0 AND c1 = 'v0' AND x % 2 = 0",
        "ALTER TABLE t ADD COLUMN y INT",
    )
    found += refuse(f"ALTER TABLE t ADD KEY too_long ({', '.join(names)}, y)")
    found += ask(
        "SELECT x FROM t WHERE c0 = 0 AND c1 = 'v1' AND c2 > '2024-01-01'",
        "SELECT x FROM t FORCE INDEX (back) WHERE c31 >= 1 ORDER BY c31, c30",
        "SELECT COUNT(*), SUM(x) FROM t FORCE INDEX (back) WHERE c31 = 0.25 AND c30 < '2024-01-02'",
    )
    return found


def long_keys() -> list[Statement]:
    """Keys of 3,072 bytes, whole and together, whose values differ at their ends only."""
    columns = "id INT PRIMARY KEY, a VARBINARY(3072), b VARCHAR(768) CHARACTER SET utf8mb4"
    columns += (
        " COLLATE utf8mb4_unicode_ci, c VARBINARY(1000), d VARBINARY(1000), e VARBINARY(1072)"
    )
    found = do(f"CREATE TABLE t ({columns}, KEY (a), UNIQUE KEY (b), KEY cde (c, d, e))")

    def row(n: int) -> list[str]:
        a = f"CONCAT(REPEAT('a', 3070), LPAD({n % 50}, 2, '0'))" if n % 10 else "NULL"
        b = f"CONCAT(REPEAT(_utf8mb4 x'f09f9880', {700 + n % 60}), 'z', {n})"
        c = f"REPEAT(x'ff', {n % 5 * 250})"
        return [str(n), a, b, c, c, f"CONCAT(REPEAT('e', 1070), LPAD({n % 90}, 2, '0'))"]

    found.append(insert("t", [row(n) for n in range(1, 121)]))
    found += do(
        "UPDATE t SET a = CONCAT(a, '') WHERE id < 20",
        "UPDATE t SET a = REPEAT('a', 3071) WHERE id BETWEEN 30 AND 40",
        "DELETE FROM t WHERE a = CONCAT(REPEAT('a', 3070), '07')",
        "CREATE TABLE shortened (a VARBINARY(3073), KEY (a))",
    )
    found += refuse(
        "INSERT INTO t SELECT id + 1000, a, b, c, d, e FROM t WHERE id = 5",
        "INSERT INTO t VALUES (2000, REPEAT('x', 3073), NULL, NULL, NULL, NULL)",
        "CREATE TABLE too_long (a VARBINARY(3000), b VARBINARY(73), PRIMARY KEY (a, b))",
    )
    found += ask(
        "SELECT id FROM t WHERE a > CONCAT(REPEAT('a', 3070), '41')",
        "SELECT id FROM t WHERE c = REPEAT(x'ff', 500) AND d = c AND e >= REPEAT('e', 1071)",
        "SELECT id FROM t WHERE b = CONCAT(REPEAT(_utf8mb4 x'f09f9880', 760), 'Z', 60)",
    )
    return found


# --- bytes


def long_rows() -> list[Statement]:
    """Rows of 65,535 bytes of columns that InnoDB keeps outside of its pages."""
    found = do(
        "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(65529) CHARACTER SET latin1 NOT NULL)",
        "CREATE TABLE n (v VARCHAR(65532) CHARACTER SET latin1) CHARACTER SET latin1",
    )
    found += refuse("CREATE TABLE w (id INT PRIMARY KEY, v VARCHAR(65533) CHARSET latin1 NOT NULL)")
    for n in range(12):
        value = f"CONCAT(REPEAT('{chr(97 + n)}', {65528 - n % 3 * 30000}), 'z')"
        found += do(f"INSERT INTO t VALUES ({n}, {value})", f"INSERT INTO n VALUES ({value})")
    found += do(
        "INSERT INTO n VALUES (NULL), (''), (REPEAT('q', 65532))",
        "UPDATE t SET v = REVERSE(v) WHERE id % 2 = 0",
        "UPDATE t SET v = CONCAT(v, 'x') WHERE id = 1",
        "UPDATE t SET v = '' WHERE id = 4",
        "DELETE FROM t WHERE id = 5",
    )
    return found + ask("SELECT id, LENGTH(v), MD5(v) FROM t", "SELECT LENGTH(v), MD5(v) FROM n")


def wide_rows() -> list[Statement]:
    """Rows of 65,535 bytes in columns of fixed length, for which a page of InnoDB is too small."""
    columns = [f"c{n} BINARY(255)" for n in range(254)]
    found = do(
        f"CREATE TABLE t (id BIGINT NOT NULL PRIMARY KEY, {', '.join(columns)}, d BINARY(200))"
    )
    for n in range(8):
        found.append(insert("t", [[str(n), *[f"REPEAT('{n}', {n * 30})"] * 254, "NULL"]]))
    found += do("UPDATE t SET c7 = 'x', c200 = NULL WHERE id > 3", "DELETE FROM t WHERE id = 2")
    return found + ask("SELECT id, HEX(c0), HEX(c7), HEX(c253), d FROM t")


def long_blobs() -> list[Statement]:
    """Values of 20 MB, and keys over their beginnings."""
    found = do(
        "CREATE TABLE t (id INT PRIMARY KEY, b LONGBLOB, t LONGTEXT, KEY (b(100)), KEY (t(700)))",
        "INSERT INTO t VALUES (1, REPEAT('ab', 5000000), REPEAT('cd', 4000000)), (2, NULL, '')",
        "INSERT INTO t SELECT id + 2, CONCAT(b, 'x'), CONCAT(t, 'y') FROM t",
        "INSERT INTO t VALUES (9, REPEAT('z', 15000000), REPEAT('e', 15000000))",
        "UPDATE t SET b = CONCAT(SUBSTR(b, 5), t) WHERE id IN (3, 9)",
        "DELETE FROM t WHERE id = 1",
    )
    query = "SELECT id, LENGTH(b), MD5(b), LENGTH(t), MD5(t) FROM t"
    found += ask(query, f"{query} WHERE b > 'ab' AND b < 'ac'", f"{query} WHERE t LIKE 'cdc%'")
    # the check at the end would fetch all of it many times
    return found + do("DROP TABLE t")


# --- partitions


def many_partitions(count: int) -> list[Statement]:
    parts = ", ".join(f"PARTITION p{n} VALUES LESS THAN ({n * 10})" for n in range(1, count + 1))
    found = do(
        "CREATE TABLE t (id INT, a INT, b VARCHAR(30), PRIMARY KEY (id), KEY (a), KEY (b, a))"
        f" PARTITION BY RANGE (id) ({parts})",
        f"INSERT INTO t SELECT seq, seq % 97, CONCAT('b', seq % 13) FROM seq_1_to_{count * 10 - 1}",
    )
    found += refuse(f"INSERT INTO t VALUES ({count * 10}, 1, 'outside')")
    found += do(
        "UPDATE t SET a = a + 1 WHERE a = 5",
        f"DELETE FROM t WHERE id BETWEEN {count * 10 - 9} AND {count * 10 - 7}",
        f"UPDATE t SET id = {count * 10 - 1} - id WHERE id = 7 OR id = 8",
        "DELETE FROM t WHERE b = 'b7'",
        "ALTER TABLE t TRUNCATE PARTITION p2, p3",
        "ALTER TABLE t DROP PARTITION p5",
        "ALTER TABLE t REORGANIZE PARTITION p8, p9 INTO (PARTITION merged VALUES LESS THAN (90))",
        f"ALTER TABLE t ADD PARTITION (PARTITION rest VALUES LESS THAN ({count * 10 + 500}))",
        f"INSERT INTO t VALUES ({count * 10}, 1, 'outside')",
        "CREATE TABLE e (id INT, a INT, b VARCHAR(30), PRIMARY KEY (id), KEY (a), KEY (b, a))",
        "INSERT INTO e VALUES (100, 1, 'exchanged')",
        "ALTER TABLE t EXCHANGE PARTITION p11 WITH TABLE e",
    )
    return found + ask(
        "SELECT COUNT(*), SUM(id), SUM(a) FROM t",
        "SELECT id FROM t WHERE a = 50 ORDER BY a, id",
        "SELECT * FROM t PARTITION (p11)",
        "SELECT id, b FROM t WHERE id BETWEEN 75 AND 125",
        "SELECT b, COUNT(*), MAX(id) FROM t GROUP BY b",
    )


def kinds_of_partitions() -> list[Statement]:
    """Every way to partition, with subpartitions, and rows that move between them."""
    columns = (
        "(id INT NOT NULL, d DATE NOT NULL, s VARCHAR(20) NOT NULL, x INT, KEY (x), KEY (s, d))"
    )
    ways = [
        "HASH (id) PARTITIONS 7",
        "LINEAR HASH (id) PARTITIONS 5",
        "KEY (s) PARTITIONS 6",
        "LINEAR KEY (id, s) PARTITIONS 3",
        "LIST (id % 3) (PARTITION a VALUES IN (0), PARTITION b VALUES IN (1, 2, NULL))",
        "LIST COLUMNS (s) (PARTITION a VALUES IN ('v1', 'v2'), PARTITION b DEFAULT)",
        "RANGE COLUMNS (d, id) (PARTITION a VALUES LESS THAN ('2024-06-01', 50),"
        " PARTITION b VALUES LESS THAN (MAXVALUE, MAXVALUE))",
        "RANGE (YEAR(d)) SUBPARTITION BY HASH (TO_DAYS(d)) SUBPARTITIONS 4"
        " (PARTITION a VALUES LESS THAN (2023), PARTITION b VALUES LESS THAN MAXVALUE)",
    ]
    found: list[Statement] = []
    for n, way in enumerate(ways):
        t = f"t{n}"
        found += do(
            f"CREATE TABLE {t} {columns} PARTITION BY {way}",
            f"INSERT INTO {t} SELECT seq, '2022-01-01' + INTERVAL seq * 5 DAY,"
            f" CONCAT('v', seq % 9), seq % 40 FROM seq_1_to_300",
            f"UPDATE {t} SET d = d + INTERVAL 1 YEAR, id = id + 1 WHERE x < 5",
            f"UPDATE {t} SET s = 'v1' WHERE s = 'v5'",
            f"DELETE FROM {t} WHERE s = 'v8' AND x > 20",
            f"REPLACE INTO {t} SELECT * FROM {t} WHERE id < 10",
        )
        found += ask(
            f"SELECT * FROM {t} WHERE d > '2025-01-01' AND s > 'v3'",
            f"SELECT COUNT(*), SUM(x) FROM {t} WHERE id IN (3, 50, 77, 299)",
        )
    found += do("ALTER TABLE t0 COALESCE PARTITION 3", "ALTER TABLE t2 ADD PARTITION PARTITIONS 2")
    return found + do("ALTER TABLE t6 REMOVE PARTITIONING", "ALTER TABLE t1 PARTITION BY KEY (id)")


# --- names and counters


def long_names() -> list[Statement]:
    """Names of 64 characters, and names with characters that are special in a file's name."""
    long = "n" * 63
    names = [
        long + "1",
        "a/b",
        "a.b",
        "#sql",
        "a b",
        "ü€ä",
        "mysql@x",
        "a#P#p0",
        "AbC",
        "'",
        "a\\b",
    ]
    found: list[Statement] = []
    for name in names:
        quoted = f"`{name}`"
        found += do(
            f"CREATE TABLE {quoted} ({quoted} INT PRIMARY KEY, x INT, KEY {quoted} (x))",
            f"INSERT INTO {quoted} VALUES (1, 2), (3, 4)",
            f"UPDATE {quoted} SET x = 5 WHERE {quoted} = 1",
        )
        found += ask(f"SELECT x FROM {quoted} FORCE INDEX ({quoted}) WHERE x > 0")
        found += do(f"RENAME TABLE {quoted} TO renamed", f"RENAME TABLE renamed TO {quoted}")
        found += do(f"ALTER TABLE {quoted} ADD COLUMN y INT", f"DROP TABLE {quoted}")
    part = "p" * 64
    found += do(
        f"CREATE TABLE t (a INT PRIMARY KEY) PARTITION BY RANGE (a) (PARTITION {part} VALUES LESS"
        " THAN (5), PARTITION `ü/é` VALUES LESS THAN MAXVALUE)",
        "INSERT INTO t VALUES (1), (9)",
        "ALTER TABLE t TRUNCATE PARTITION `ü/é`",
    )
    return found


def counters() -> list[Statement]:
    """AUTO_INCREMENT near the ends of its types. Behind the last value every INSERT fails, here as
    in MyRocks with 1062, in InnoDB with 167 or 1467: `tests/sql/t/autoincrement.test` has that."""
    found: list[Statement] = []
    for n, (kind, top) in enumerate(
        (
            ("TINYINT", 127),
            ("TINYINT UNSIGNED", 255),
            ("SMALLINT", 32767),
            ("INT UNSIGNED", 2**32 - 1),
            ("BIGINT", 2**63 - 1),
            ("BIGINT UNSIGNED", 2**64 - 1),
        )
    ):
        t = f"t{n}"
        found += do(f"CREATE TABLE {t} (id {kind} NOT NULL AUTO_INCREMENT PRIMARY KEY, x INT)")
        found += [
            Statement(f"INSERT INTO {t} (x) VALUES (1)", compare="identity"),
            Statement(f"INSERT INTO {t} (id, x) VALUES ({top - 2}, 2)"),
            Statement(f"INSERT INTO {t} (x) VALUES (3)", compare="identity"),
        ]
        found += ask(f"SELECT * FROM {t}")
    return found


LIMITS = (
    Limit("columns-1000", lambda: many_columns(1000)),
    Limit("columns-2000", lambda: many_columns(2000), peer="myisam", long=True),
    Limit("keys-64", many_keys),
    Limit("parts-32", many_parts),
    Limit("key-bytes-3072", long_keys),
    Limit("row-bytes-65535", long_rows),
    Limit("fixed-row-bytes-65535", wide_rows, peer="myisam"),
    Limit("blobs-20-megabytes", long_blobs, long=True),
    Limit("partitions-60", lambda: many_partitions(60)),
    Limit("partitions-1000", lambda: many_partitions(1000), long=True),
    Limit("kinds-of-partitions", kinds_of_partitions),
    Limit("names", long_names),
    Limit("counters", counters),
)
