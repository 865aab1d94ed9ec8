# SPDX-License-Identifier: GPL-2.0-only
"""The machine dies right after a statement that makes, changes, moves or drops a table was
acknowledged: the table has its new shape. The server syncs neither the renames nor the removals of
its .frm files, and the store's log syncs nothing of them on the way (it is filled ahead).

In the long form also at any moment of such statements: then each table has its old shape or its new
one, never neither.
"""

import random
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import pymysql

from tests.faults.full_disk import expect
from tests.kit.loop_disk import LoopDisk
from tools.server import PrivateServer

MEGABYTES = 512  # of the disk
ROWS = 40
ROUNDS = 20  # of cuts at any moment
LONGEST = 1.5  # seconds until such a cut

PLAIN = "CREATE TABLE t (id INT PRIMARY KEY, a INT)"
HASHED = f"{PLAIN} PARTITION BY HASH (id) PARTITIONS 3"
RANGES = (
    f"{PLAIN} PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (10),"
    " PARTITION p1 VALUES LESS THAN (1000))"
)
# columns that the INSERT leaves to their defaults
PAIR = PLAIN.replace("a INT", "a INT, x INT INVISIBLE DEFAULT 500, y INT INVISIBLE DEFAULT 600")
SWAP = "ALTER TABLE t MODIFY y INT INVISIBLE DEFAULT 600 AFTER a, ALGORITHM=INSTANT"
PLACES = PLAIN.replace("a INT", "a INT, g POINT INVISIBLE NOT NULL DEFAULT (POINT(id, a))")
FOUND = PLACES.replace("(POINT(id, a))", "(POINT(id, a)), SPATIAL KEY g (g)")
TEXTS = PLAIN.replace(
    "a INT", "a INT, x TEXT INVISIBLE NOT NULL DEFAULT (CONCAT('row', id, ' with', a))"
)
READ = TEXTS.replace("' with', a))", "' with', a)), FULLTEXT KEY x (x)")
OTHER = "CREATE TABLE u (id INT PRIMARY KEY, b INT); INSERT INTO u VALUES (1, 1)"
PARENT = (
    "CREATE TABLE p (id INT PRIMARY KEY, a INT, KEY (a));"
    f"INSERT INTO p SELECT seq, seq FROM seq_1_to_{ROWS}"
)
REFERENCE = "FOREIGN KEY (a) REFERENCES p (id) ON DELETE CASCADE"
CHILD = f"{PARENT}; CREATE TABLE t (id INT PRIMARY KEY, a INT, CONSTRAINT t_p {REFERENCE})"
# t itself is the parent
AS_PARENT = (
    f"{PLAIN}; CREATE TABLE c (id INT PRIMARY KEY, a INT,"
    " CONSTRAINT c_t FOREIGN KEY (a) REFERENCES t (id) ON UPDATE CASCADE)"
)
OFF = "SET STATEMENT foreign_key_checks = 0 FOR "


@dataclass(frozen=True)
class Case:
    name: str
    table: str  # what makes the table t; it gets ROWS rows
    statement: str  # with {} for the name of the database
    short: bool = False  # also in the short form
    between: tuple[str, ...] = ()  # what it does in steps: statements that do the first ones
    # The server ends its DDL log before it writes the binary log, for any engine (its source says
    # so, in fast_alter_partition_table), or has no entry for it there (TRUNCATE): for a moment it
    # is done, and the binary log lacks it.
    logged_late: bool = False


FOREIGN_KEYS = (
    Case(
        "ADD FOREIGN KEY in place",
        f"{PARENT}; {PLAIN}",
        f"{OFF}ALTER TABLE t ADD CONSTRAINT t_p {REFERENCE}, ALGORITHM=INPLACE",
        short=True,
    ),
    Case(
        "ADD FOREIGN KEY by copying",
        f"{PARENT}; {PLAIN}",
        f"ALTER TABLE t ADD CONSTRAINT t_p {REFERENCE}, ALGORITHM=COPY",
    ),
    Case(
        "DROP FOREIGN KEY in place", CHILD, "ALTER TABLE t DROP FOREIGN KEY t_p, ALGORITHM=INSTANT"
    ),
    Case(
        "DROP FOREIGN KEY by copying", CHILD, "ALTER TABLE t DROP FOREIGN KEY t_p, ALGORITHM=COPY"
    ),
    Case("ALTER of a child by copying", CHILD, "ALTER TABLE t FORCE, ALGORITHM=COPY"),
    Case("ALTER of a parent by copying", AS_PARENT, "ALTER TABLE t FORCE, ALGORITHM=COPY"),
    Case("rebuild of a child", CHILD, "ALTER TABLE t FORCE, ALGORITHM=INPLACE"),
    Case("rebuild of a parent", AS_PARENT, "ALTER TABLE t FORCE, ALGORITHM=INPLACE"),
    Case(
        "new name of a parent's column",
        AS_PARENT,
        "ALTER TABLE t CHANGE id n INT, ALGORITHM=INPLACE",
    ),
    Case("RENAME of a child", CHILD, "RENAME TABLE t TO u"),
    Case("RENAME of a parent", AS_PARENT, "RENAME TABLE t TO u", short=True),
    Case("RENAME of both", CHILD, "RENAME TABLE t TO u, p TO q"),
    Case("TRUNCATE of a child", CHILD, "TRUNCATE TABLE t"),
    Case("TRUNCATE of a parent", AS_PARENT, f"{OFF}TRUNCATE TABLE t"),
    Case("DROP of a child", CHILD, "DROP TABLE t"),
    Case("DROP of a child and its parent", CHILD, "DROP TABLE t, p", between=("DROP TABLE t",)),
    Case("DROP of a parent", AS_PARENT, f"{OFF}DROP TABLE t"),
    Case(
        "CREATE of a child",
        f"{PARENT}; {PLAIN}",
        f"CREATE TABLE u (id INT PRIMARY KEY, a INT, CONSTRAINT u_p {REFERENCE})",
    ),
    Case(
        "CREATE of a parent",
        f"{OFF}CREATE TABLE c (id INT PRIMARY KEY, a INT,"
        f" FOREIGN KEY (a) REFERENCES u (id)); {PLAIN}",
        "CREATE TABLE u (id INT PRIMARY KEY)",
    ),
)

CASES = (
    Case("ALTER by copying", PLAIN, "ALTER TABLE t FORCE, ALGORITHM=COPY", True),
    Case("ALTER by copying, RENAME", PLAIN, "ALTER TABLE t RENAME u, FORCE, ALGORITHM=COPY"),
    Case("ALTER by copying, partitions", HASHED, "ALTER TABLE t ADD b INT, ALGORITHM=COPY", True),
    Case(
        "ALTER under LOCK TABLES",
        PLAIN,
        "LOCK TABLE t WRITE; ALTER TABLE t FORCE, ALGORITHM=COPY; UNLOCK TABLES",
    ),
    Case("ALTER to InnoDB", PLAIN, "ALTER TABLE t ENGINE=InnoDB"),
    Case("ALTER from InnoDB", f"{PLAIN} ENGINE=InnoDB", "ALTER TABLE t ENGINE=ROCKSDB"),
    Case("ALTER in place", PLAIN, "ALTER TABLE t ADD KEY (a), ALGORITHM=INPLACE"),
    Case("ADD SPATIAL", PLACES, "ALTER TABLE t ADD SPATIAL KEY g (g), ALGORITHM=INPLACE", True),
    Case("ADD SPATIAL by copying", PLACES, "ALTER TABLE t ADD SPATIAL KEY g (g), ALGORITHM=COPY"),
    Case("another SPATIAL", FOUND, "ALTER TABLE t DROP KEY g, ADD SPATIAL KEY g (g)"),
    Case("DROP SPATIAL", FOUND, "ALTER TABLE t DROP KEY g, ALGORITHM=INSTANT"),
    Case("ADD FULLTEXT", TEXTS, "ALTER TABLE t ADD FULLTEXT KEY x (x), ALGORITHM=INPLACE", True),
    Case("another FULLTEXT", READ, "ALTER TABLE t DROP KEY x, ADD FULLTEXT KEY x (x)"),
    Case("DROP FULLTEXT", READ, "ALTER TABLE t DROP KEY x, ALGORITHM=INSTANT"),
    Case("rebuild", PLAIN, "ALTER TABLE t FORCE, ALGORITHM=INPLACE", True),
    Case("rebuild, partitions", HASHED, "ALTER TABLE t FORCE, ALGORITHM=INPLACE"),
    Case(
        "ALTER in place, RENAME",
        PLAIN,
        "ALTER TABLE t ADD KEY (a), RENAME u, ALGORITHM=INPLACE",
        between=("ALTER TABLE t ADD KEY (a)",),
    ),
    Case("ALTER in place, partitions", HASHED, "ALTER TABLE t ADD KEY (a), ALGORITHM=INPLACE"),
    Case("ALTER, instant", PLAIN, "ALTER TABLE t CHANGE a b INT, ALGORITHM=INSTANT", True),
    Case("ADD COLUMN", PLAIN, "ALTER TABLE t ADD b INT DEFAULT 7 FIRST, ALGORITHM=INSTANT", True),
    Case("DROP and ADD COLUMN, partitions", HASHED, "ALTER TABLE t DROP a, ADD b INT DEFAULT 7"),
    Case("another order of columns", PAIR, SWAP, True),
    Case("another order of columns, partitions", PAIR + HASHED.removeprefix(PLAIN), SWAP),
    Case("PARTITION BY", PLAIN, "ALTER TABLE t PARTITION BY HASH (id) PARTITIONS 3"),
    Case("REMOVE PARTITIONING", HASHED, "ALTER TABLE t REMOVE PARTITIONING"),
    Case(
        "ADD PARTITION",
        RANGES,
        "ALTER TABLE t ADD PARTITION (PARTITION p2 VALUES LESS THAN (2000))",
        logged_late=True,
    ),
    Case(
        "DROP PARTITION",
        RANGES,
        "ALTER TABLE t DROP PARTITION p0",
        short=True,
        logged_late=True,
    ),
    Case(
        "REORGANIZE PARTITION",
        RANGES,
        "ALTER TABLE t REORGANIZE PARTITION p1 INTO (PARTITION q0 VALUES LESS THAN (20),"
        " PARTITION q1 VALUES LESS THAN (1000))",
        logged_late=True,
    ),
    Case(
        "EXCHANGE PARTITION",
        f"{PLAIN.replace(' t ', ' u ')}; {RANGES}",
        "ALTER TABLE t EXCHANGE PARTITION p0 WITH TABLE u",
        logged_late=True,
    ),
    Case("RENAME", PLAIN, "RENAME TABLE t TO u", True),
    Case("RENAME, partitions", HASHED, "RENAME TABLE t TO u"),
    Case("RENAME in a circle", f"{OTHER}; {PLAIN}", "RENAME TABLE t TO v, u TO t, v TO u"),
    Case(
        "TRUNCATE, partitions",
        HASHED,
        "TRUNCATE TABLE t",
        between=tuple(f"ALTER TABLE t TRUNCATE PARTITION {p}" for p in ("p0", "p0, p1")),
        logged_late=True,
    ),
    Case("DROP", PLAIN, "DROP TABLE t", True),
    Case("DROP, partitions", HASHED, "DROP TABLE t"),
    Case(
        "DROP DATABASE",
        f"{OTHER}; {HASHED}",
        "DROP DATABASE {}",
        between=("DROP TABLE t", "DROP TABLE u", "DROP TABLE t, u"),
    ),
    Case("CREATE, partitions", PLAIN, HASHED.replace(" t ", " u ")),
    Case("CREATE .. SELECT", PLAIN, "CREATE TABLE u (id INT PRIMARY KEY) SELECT id, a FROM t"),
    Case(
        "CREATE OR REPLACE",
        PLAIN,
        "CREATE OR REPLACE TABLE t (id INT PRIMARY KEY, b INT)",
        between=("DROP TABLE t",),
    ),
    *FOREIGN_KEYS,
)


def cut_after(case: Case, server: PrivateServer, disk: LoopDisk) -> None:
    """Raises AssertionError when not all of the statement is there after the cut."""
    make(case, server, "model")
    server.sql(f"USE model; {case.statement.format('model')}")
    wanted = database(server, "model")
    make(case, server, "d")
    disk.sync()
    server.sql(f"USE d; {case.statement.format('d')}")
    disk.cut_power(server)
    server.start()
    found = database(server, "d")
    expect(found == wanted, f"after {case.statement} there is {found}, not {wanted}")


# The parent's database as whether it is the same.
FOREIGN_KEY_ROWS = (
    "SELECT table_name, constraint_name, column_name, referenced_table_schema = table_schema,"
    " referenced_table_name, referenced_column_name, delete_rule, update_rule, parent_exists"
    " FROM information_schema.ROCKSDB_FOREIGN_KEYS WHERE table_schema = '{}'"
)


def make(case: Case, server: PrivateServer, name: str) -> None:
    server.sql(
        f"DROP DATABASE IF EXISTS {name}; CREATE DATABASE {name}; USE {name}; {case.table};"
        f"INSERT INTO t SELECT seq, seq FROM seq_1_to_{ROWS}"
    )


def database(server: PrivateServer, name: str) -> dict:
    """All that it consists of: its files, and its tables with definition and rows.
    Nothing when there is none."""
    if not Path(server.datadir, name).exists():
        return {"files": []}
    found = {
        table: (
            server.query(f"SHOW CREATE TABLE {table}", name)[0][1],
            server.query(f"SELECT COUNT(*) FROM {table}", name)[0][0],
            server.query(f"CHECKSUM TABLE {table}", name)[0][1],
            # a warning about foreign keys stands before the line that says OK
            server.query(f"CHECK TABLE {table} EXTENDED", name)[0][3].replace(f"`{name}`.", ""),
        )
        for (table,) in server.query("SHOW TABLES", name)
    }
    files = sorted(file.name for file in Path(server.datadir, name).iterdir())
    keys = sorted(server.query(FOREIGN_KEY_ROWS.format(name)))
    return {"files": files, **found, **({"foreign keys": keys} if keys else {})}


# --- at any moment ---

MOVES = (
    "RENAME TABLE t TO u",
    "ALTER TABLE u FORCE, ALGORITHM=COPY",
    "ALTER TABLE u RENAME t, FORCE, ALGORITHM=COPY",
    "ALTER TABLE t CHANGE a b INT, ALGORITHM=INSTANT",
    "ALTER TABLE t CHANGE b a INT, ALGORITHM=INSTANT",
    "ALTER TABLE t ADD c INT DEFAULT 3 FIRST, ALGORITHM=INSTANT",
    "ALTER TABLE t ADD KEY (a), ALGORITHM=INPLACE",
    "ALTER TABLE t MODIFY c INT DEFAULT 3 AFTER id, ALGORITHM=INSTANT",
    "ALTER TABLE t DROP c, ALGORITHM=INSTANT",
    "ALTER TABLE t DROP KEY a, RENAME u",
    "RENAME TABLE u TO t",
    "CREATE TABLE w LIKE t",
    "DROP TABLE w",
)


class Mover(threading.Thread):
    """Moves and changes a table until the server is gone."""

    def __init__(self, server: PrivateServer, name: str, moves: tuple[str, ...]):
        super().__init__(daemon=True)
        self.server, self.name, self.moves = server, name, moves
        self.wrong = ""

    def run(self) -> None:
        try:
            with self.server.connect(self.name) as link, link.cursor() as cursor:
                while True:
                    for statement in self.moves:
                        cursor.execute(statement)
        except pymysql.OperationalError:
            return  # the death that everybody waits for
        except pymysql.MySQLError as error:
            self.wrong = str(error)


def cut_while_moving(
    moves: tuple[str, ...], rng: random.Random, server: PrivateServer, disk: LoopDisk
) -> None:
    """The server runs again afterwards. Raises AssertionError when a move went wrong before."""
    mover = Mover(server, "d", moves)
    mover.start()
    time.sleep(rng.uniform(0.01, LONGEST))
    disk.cut_power(server)
    mover.join()
    expect(not mover.wrong, mover.wrong)
    server.start()


def cut_anywhere(table: str, rng: random.Random, server: PrivateServer, disk: LoopDisk) -> None:
    """Raises AssertionError when the table is not there after the cut, whole, by one of its
    names, or something of a statement is left over."""
    case = Case("", table, "")
    make(case, server, "d")
    disk.sync()
    cut_while_moving(MOVES, rng, server, disk)
    found = database(server, "d")
    files = [file for file in found.pop("files") if file.startswith("#")]
    expect(not files, f"left over: {files}")
    made = found.pop("w", None)
    expect(made is None or (made[1], made[3]) == (0, "OK"), f"w: {made}")
    expect(len(found) == 1, f"there is {sorted(found)}")
    ((name, (_, rows, _, check)),) = found.items()
    expect(name in ("t", "u") and rows == ROWS and check == "OK", f"{name}: {rows} rows, {check}")
