# SPDX-License-Identifier: GPL-2.0-only
"""Indexes that are built while others write: statements, and what must hold after each."""

import time
from random import Random

import pymysql
from pymysql.constants import ER

from tests.kit.reclaimer import wait_for_reclaimer
from tests.online_ddl.writers import DATABASE

KEPT = {"PRIMARY", "HIDDEN_PK_ID", "kept", "p", "by_id"}
COLUMNS = "k, u, s, n, p, g"
INDEXES = (
    "INDEX a (k, s)",
    "INDEX b (s)",
    "INDEX c (g)",
    "INDEX d (n(7), k)",
    "INDEX e (s, k) COMMENT 'cfname=rev:online'",
    "INDEX f (p, u)",
    "INDEX h (k DESC, u)",
    "UNIQUE INDEX u (u, id)",
    "UNIQUE INDEX v (u)",  # the last one: see statement()
)
# each value fits into all types of its column
TYPES = (
    "u DECIMAL(30)",
    "u BIGINT",
    "k BIGINT",
    "k INT",
    "s VARCHAR(60) CHARACTER SET utf8mb4",
    "s VARCHAR(40)",
    "n MEDIUMTEXT CHARACTER SET utf16",
    "n TEXT",
)
# Rows stay. When k was an INT, `kept` is built anew.
WIDER = "MODIFY k BIGINT"
# In one character set: s in utf8mb4 and n in utf16 are not joined (1271).
CHECKSUM = (
    "BIT_XOR(CRC32(CONCAT_WS('|', id, IFNULL(k, 'N'), IFNULL(u, 'N'),"
    " IFNULL(CONVERT(s USING utf8mb4), 'N'), CONVERT(n USING utf8mb4))))"
)


def statement(rng: Random, partitioned: bool) -> str:
    """The server wants the columns of the partitioning in each unique index of such a table."""
    indexes = INDEXES[:-1] if partitioned else INDEXES
    added = rng.sample(indexes, rng.randint(1, 3))
    more = ", ADD COLUMN w VARCHAR(20) AS (CONCAT('w', k)) VIRTUAL, ADD INDEX w (w)"
    return (
        "ALTER TABLE t "
        + ", ".join(f"ADD {index}" for index in added)
        + (more if rng.random() < 0.2 else "")
        + (f", {WIDER}" if rng.random() < 0.2 else "")
        + ", ALGORITHM=NOCOPY, LOCK=NONE"
    )


def rebuild(rng: Random, indexes: set[str], partitioned: bool, has_foreign_keys: bool) -> str:
    """All rows anew, at times under another primary key, which the next one takes back. Other types
    of a table with foreign keys would be a copy."""
    more = "".join(f", ADD {index}" for index in rng.sample(INDEXES[:-1], rng.randint(0, 2)))
    if not has_foreign_keys and rng.random() < 0.5:
        more += f", MODIFY {rng.choice(TYPES)}"
    end = f"{more}, ALGORITHM=INPLACE, LOCK=NONE"
    if "by_id" in indexes:
        key = "DROP INDEX by_id, DROP PRIMARY KEY, ADD PRIMARY KEY (id)"
    elif "PRIMARY" not in indexes or rng.random() < 0.4:
        key = "FORCE"
    else:
        columns = "x, id" if partitioned else "x"
        key = f"DROP PRIMARY KEY, ADD PRIMARY KEY ({columns}), ADD UNIQUE INDEX by_id (id)"
    return f"ALTER TABLE t {key}{end}"


class Builder:
    """One connection that builds and drops indexes."""

    def __init__(self, server):
        self.server = server
        self.link = server.connect(DATABASE, ssl_disabled=True, read_timeout=600)
        self.check_beside_writers = True
        self.problems: list[str] = []
        self.built = self.refused = self.busy = 0

    def execute(self, sql: str) -> list[tuple]:
        with self.link.cursor() as cursor:
            cursor.execute(sql)
            return list(cursor.fetchall())

    def build(self, sql: str, drop: bool = True) -> None:
        """Builds, checks and drops."""
        try:
            self.execute(sql)
        except pymysql.Error as error:
            if error.args[0] == ER.DUP_ENTRY and "UNIQUE" in sql:
                self.refused += 1
            elif error.args[0] == ER.LOCK_WAIT_TIMEOUT:
                self.busy += 1
            else:
                self.problems.append(f"{sql}: {error}")
            return
        self.built += 1
        self.check(sql)
        if drop:
            self.drop()

    def indexes(self) -> set[str]:
        return {row[2] for row in self.execute("SHOW KEYS FROM t")}

    def check_table(self, sql: str) -> None:
        for _, _, level, words in self.execute("CHECK TABLE t EXTENDED"):
            if (level, words) != ("status", "OK"):
                self.problems.append(f"{sql}: CHECK TABLE: {level}: {words}")

    def check(self, sql: str) -> None:
        if self.check_beside_writers:
            self.check_table(sql)
        self.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT")
        answers = {}
        primary = "FORCE INDEX (PRIMARY)" if "PRIMARY" in self.indexes() else "USE INDEX ()"
        forced = {"rows": primary}
        unchanged = KEPT - {"kept"} if WIDER in sql else KEPT
        forced |= {name: f"FORCE INDEX ({name})" for name in self.indexes() - unchanged}
        for name, hint in forced.items():
            where = "" if name == "rows" else self.everything(name)
            answers[name] = self.execute(f"SELECT COUNT(*), {CHECKSUM} FROM t {hint} {where}")[0]
        if len(set(answers.values())) > 1:
            self.problems.append(f"{sql}: rows by index {answers}")
        for name, columns in (("v", "u"), ("u", "u, id")):
            if name not in answers:
                continue
            double = self.execute(
                f"SELECT {columns}, COUNT(*) FROM t {primary} WHERE u IS NOT NULL"
                f" GROUP BY {columns} HAVING COUNT(*) > 1 LIMIT 1"
            )
            if double:
                self.problems.append(f"{sql}: twice: {double}")
        self.execute("COMMIT")

    def everything(self, name: str) -> str:
        """A condition on the first column of the index that every row meets."""
        first = next(row[4] for row in self.execute("SHOW KEYS FROM t") if row[2:4] == (name, 1))
        return f"WHERE ({first} >= '' OR {first} < '' OR {first} IS NULL)"

    def drop(self) -> None:
        gone = [f"DROP INDEX {name}" for name in sorted(self.indexes() - KEPT)]
        if any(row[0] == "w" for row in self.execute("SHOW COLUMNS FROM t")):
            gone.append("DROP COLUMN w")
        while gone:
            try:
                self.execute("ALTER TABLE t " + ", ".join(gone))
                return
            except pymysql.Error as error:
                if error.args[0] != ER.LOCK_WAIT_TIMEOUT:
                    self.problems.append(f"dropping indexes: {error}")
                    return

    def check_nothing_left(self, what: str) -> None:
        """After a statement that was ended: its indexes and its log are gone, with their space."""
        known = {
            row[0]
            for row in self.execute(
                "SELECT index_name FROM information_schema.ROCKSDB_DDL"
                f" WHERE table_schema = '{DATABASE}' AND table_name = 't'"
            )
        }
        if known - KEPT:
            self.problems.append(f"{what}: the dictionary has {known - KEPT}")
        if not wait_for_reclaimer(self.execute):
            self.problems.append(f"{what}: dropped indexes stay")

    def wait_until_under_way(self, worker: int, seconds: float = 10) -> bool:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            rows = self.execute(
                f"SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE id = {worker}"
                " AND progress > 0"
            )
            if rows[0][0]:
                return True
            time.sleep(0.005)
        return False
