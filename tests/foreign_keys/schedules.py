# SPDX-License-Identifier: GPL-2.0-only
"""Schedules of two sessions from a seed: one writes children, one their parents, each in a
transaction of its own. Which statement comes when is a part of the schedule."""

from dataclasses import dataclass
from random import Random

CHILD, PARENT = 0, 1
LEVELS = ("READ-UNCOMMITTED", "READ-COMMITTED", "REPEATABLE-READ", "SERIALIZABLE")
MYROCKS = "MYROCKS"  # REPEATABLE READ with the locks that MyRocks takes
ACTIONS = ("RESTRICT", "CASCADE", "SET NULL")

# {p}: the parent, {k} its key, {c}: the child; both are the same table in the last shape
SHAPES = {
    "primary key": (
        "CREATE TABLE p (id INT, k INT PRIMARY KEY, v INT)",
        "CREATE TABLE c (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES p (k) {actions})",
    ),
    "unique key": (
        "CREATE TABLE p (id INT PRIMARY KEY, k INT, v INT, UNIQUE KEY (k))",
        "CREATE TABLE c (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES p (k) {actions})",
    ),
    "plain index": (
        "CREATE TABLE p (id INT PRIMARY KEY, k INT, v INT, KEY (k))",
        "CREATE TABLE c (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES p (k) {actions})",
    ),
    "leading column": (
        "CREATE TABLE p (id INT, k INT, v INT, PRIMARY KEY (k DESC, id))",
        "CREATE TABLE c (id INT UNIQUE, a INT, FOREIGN KEY (a) REFERENCES p (k) {actions})",
    ),
    "itself": (
        "CREATE TABLE t (id INT PRIMARY KEY, a INT, v INT, FOREIGN KEY (a) REFERENCES t (id)"
        " {actions})",
    ),
}
# parent 1 has no child, parent 2 has one, 3 is missing
ROWS = (
    "INSERT INTO {p} (id, k) VALUES (1, 1), (2, 2)",
    "INSERT INTO {c} (id, a) VALUES (11, 2), (12, NULL)",
)
ROWS_OF_ITSELF = ("INSERT INTO t (id, a) VALUES (1, NULL), (2, NULL), (11, 2), (12, NULL)",)

CHILD_WRITES = (
    "INSERT INTO {c} (id, a) VALUES (20, 1)",
    "INSERT INTO {c} (id, a) VALUES (20, 3)",
    "INSERT INTO {c} (id, a) VALUES (21, 2), (20, 1)",
    "INSERT IGNORE INTO {c} (id, a) VALUES (20, 1), (21, 3)",
    "INSERT INTO {c} (id, a) SELECT 20, {k} FROM {p} WHERE {k} = 1",
    "REPLACE INTO {c} (id, a) VALUES (11, 1)",
    "INSERT INTO {c} (id, a) VALUES (11, 1) ON DUPLICATE KEY UPDATE a = 1",
    "UPDATE {c} SET a = 1 WHERE id = 11",
    "UPDATE {c} SET a = 3 WHERE id = 12",
    "UPDATE {c} SET a = NULL WHERE id = 11",
    "DELETE FROM {c} WHERE id = 11",
)
PARENT_WRITES = (
    "DELETE FROM {p} WHERE {k} = 1",
    "DELETE FROM {p} WHERE {k} = 2",
    "DELETE FROM {p} WHERE {k} IN (1, 2) ORDER BY {k}",
    "DELETE IGNORE FROM {p} WHERE {k} IN (1, 2) ORDER BY {k}",
    "UPDATE {p} SET {k} = 5 WHERE {k} = 1",
    "UPDATE {p} SET {k} = 5 WHERE {k} = 2",
    "UPDATE {p} SET {k} = 3 WHERE {k} = 1",
    "REPLACE INTO {p} {one}",
    "INSERT INTO {p} {three}",
    "INSERT INTO {p} {one} ON DUPLICATE KEY UPDATE {k} = 5",
    "UPDATE {p} SET v = 1",
)


@dataclass(frozen=True)
class Schedule:
    """`writes`: the statements of each session. `ends`: how each transaction ends; "XA" in front
    of the word means prepared before. `order`: whose next statement it is, at each step. `reads`:
    both begin with a SELECT, so that their snapshots are older than what the other does.
    `patient`: waits end only when the other transaction does."""

    seed: int
    shape: str
    action: str
    level: str
    writes: tuple[tuple[str, ...], tuple[str, ...]]
    ends: tuple[str, str]
    order: tuple[int, ...]
    reads: bool
    patient: bool

    def steps(self, session: int, xid: str) -> list[str]:
        """All statements of a session. `xid` is its own."""
        end = self.ends[session]
        read = [self.words("SELECT * FROM {p}")] if self.reads else []
        writes = [*read, *map(self.words, self.writes[session])]
        if end.startswith("XA"):
            return [
                f"XA START {xid}",
                *writes,
                f"XA END {xid}",
                f"XA PREPARE {xid}",
                f"{end} {xid}",
            ]
        return ["BEGIN", *writes, end]

    def words(self, sql: str) -> str:
        """A statement with the names of the shape."""
        itself = self.shape == "itself"
        columns = "(id)" if itself else "(id, k)"
        names = {
            "{p}": "t" if itself else "p",
            "{c}": "t" if itself else "c",
            "{k}": "id" if itself else "k",
            "{one}": f"{columns} VALUES {'(1)' if itself else '(1, 1)'}",
            "{three}": f"{columns} VALUES {'(3)' if itself else '(3, 3)'}",
        }
        for word, name in names.items():
            sql = sql.replace(word, name)
        return sql

    def tables(self) -> list[str]:
        return ["t"] if self.shape == "itself" else ["c", "p"]

    def create(self, engine: str) -> list[str]:
        actions = f"ON DELETE {self.action} ON UPDATE {self.action}"
        return [
            f"{sql} ENGINE={engine}".replace("{actions}", actions) for sql in SHAPES[self.shape]
        ]

    def fill(self) -> list[str]:
        """Makes the tables what they are before each schedule."""
        rows = ROWS_OF_ITSELF if self.shape == "itself" else map(self.words, ROWS)
        empty = [f"DELETE FROM {name}" for name in self.tables()]
        return ["SET foreign_key_checks=0", *empty, *rows, "SET foreign_key_checks=1"]

    def reads_what_may_never_be(self) -> bool:
        """Writes what it has read of a transaction that may roll back."""
        reads = any(" SELECT " in sql for each in self.writes for sql in each)
        return reads and self.level == "READ-UNCOMMITTED"

    def commits(self, session: int) -> bool:
        return self.ends[session].endswith("COMMIT")

    def script(self) -> str:
        """To read, and to run by hand."""
        lines = [f"{sql};" for sql in self.create("ENGINE") + self.fill()]
        lines += [f"-- both sessions: {self.level}"]
        left = [self.steps(n, f"'x{n}'") for n in (CHILD, PARENT)]
        lines += [f"/* session {n + 1} */ {left[n].pop(0)};" for n in self.order]
        return "\n".join(lines)


def make(seed: int, with_myrocks: bool) -> Schedule:
    rng = Random(seed)
    levels = [*LEVELS, MYROCKS] if with_myrocks else LEVELS
    several = rng.random() < 0.25
    writes = tuple(
        tuple(rng.sample(of, rng.choice([1, 2]) if several else 1))
        for of in (CHILD_WRITES, PARENT_WRITES)
    )
    ends = tuple(
        rng.choice(["COMMIT", "COMMIT", "COMMIT", "ROLLBACK", "XA COMMIT", "XA ROLLBACK"])
        for _ in (CHILD, PARENT)
    )
    schedule = Schedule(
        seed,
        rng.choice(list(SHAPES)),
        rng.choice(ACTIONS),
        rng.choice(levels),
        writes,
        ends,
        (),
        rng.random() < 0.3,
        rng.random() < 0.97,
    )
    counts = [len(schedule.steps(session, "")) for session in (CHILD, PARENT)]
    return Schedule(**{**schedule.__dict__, "order": merge(rng, counts)})


def merge(rng: Random, counts: list[int]) -> tuple[int, ...]:
    """An order of both sessions' steps in which both have begun before one ends."""
    rest = [CHILD] * (counts[CHILD] - 1) + [PARENT] * (counts[PARENT] - 1)
    rng.shuffle(rest)
    return (CHILD, PARENT, *rest)
