# SPDX-License-Identifier: GPL-2.0-only
"""DDL of tables with foreign keys, killed before each of its file operations. Afterwards the
definitions are the old ones or the new ones, told alike by all views, and the constraints act. What
a statement leaves when nobody kills it is learned by running it once."""

import re
from dataclasses import dataclass

import pymysql

from tests.crash.constraints import State, contradictions, read_state, without_effect
from tests.crash.ddl_harness import DdlHarness
from tests.crash.point_harness import PointHarness
from tests.kit.clients.client import Client, Problem, Stopped
from tests.kit.clients.family import Family
from tools.errors import DevError

ADVICE = re.compile(r"ROCKSDB: .* has left its old table; .*: (DROP TABLE .*)")
OFF = "SET STATEMENT foreign_key_checks = 0 FOR "
# {0} is the database of most of them, {0}_other another one. Each constraint has one column, and
# each table a column id: see without_effect.
FRESH = (
    "CREATE TABLE {0}.top (id INT PRIMARY KEY, v INT, KEY v (v))",
    "CREATE TABLE {0}.mid (id INT PRIMARY KEY, top INT, v INT, CONSTRAINT mid_top FOREIGN KEY (top)"
    " REFERENCES {0}.top (id) ON DELETE CASCADE ON UPDATE CASCADE)",
    "CREATE TABLE {0}.low (id INT PRIMARY KEY, mid INT, CONSTRAINT low_mid FOREIGN KEY (mid)"
    " REFERENCES {0}.mid (id) ON DELETE SET NULL)",
    "CREATE TABLE {0}.free (id INT PRIMARY KEY, top INT, v INT, KEY top (top))",
    "CREATE TABLE {0}.held (id INT PRIMARY KEY, free INT, FOREIGN KEY (free)"
    " REFERENCES {0}.free (id))",
    "CREATE TABLE {0}.tree (id INT PRIMARY KEY, up INT, CONSTRAINT tree_up FOREIGN KEY (up)"
    " REFERENCES {0}.tree (id) ON DELETE CASCADE)",
    OFF + "CREATE TABLE {0}.early (id INT PRIMARY KEY, later INT, CONSTRAINT early_later"
    " FOREIGN KEY (later) REFERENCES {0}.later (id) ON DELETE CASCADE)",
    "CREATE TABLE {0}_other.a (id INT PRIMARY KEY)",
    "CREATE TABLE {0}_other.b (id INT PRIMARY KEY, a INT, CONSTRAINT b_a FOREIGN KEY (a)"
    " REFERENCES {0}_other.a (id))",
    "INSERT INTO {0}.top SELECT seq, seq FROM seq_1_to_5",
    "INSERT INTO {0}.mid SELECT seq, seq, seq FROM seq_1_to_5",
    "INSERT INTO {0}.low SELECT seq, seq FROM seq_1_to_5",
    "INSERT INTO {0}.free SELECT seq, seq, seq FROM seq_1_to_5",
    "INSERT INTO {0}.held SELECT seq, seq FROM seq_1_to_5",
    "INSERT INTO {0}.tree SELECT seq, NULLIF(seq - 1, 0) FROM seq_1_to_5",
    "INSERT INTO {0}_other.a SELECT seq FROM seq_1_to_5",
    "INSERT INTO {0}_other.b SELECT seq, seq FROM seq_1_to_5",
)


@dataclass(frozen=True)
class Case:
    name: str
    sql: str
    # what it does in steps: statements that do the first ones, or do all and take it back
    between: tuple[str, ...] = ()
    # whether it leaves rows without a parent, which only foreign_key_checks=0 lets it
    orphans: bool = False


FREE_TOP = "ADD CONSTRAINT free_top FOREIGN KEY (top) REFERENCES {0}.top (id)"
NEW = (
    "TABLE {0}.new (id INT PRIMARY KEY, top INT, CONSTRAINT new_top FOREIGN KEY (top)"
    " REFERENCES {0}.top (id) ON DELETE CASCADE)"
)
ALTER = (
    Case("ADD in place", OFF + "ALTER TABLE {0}.free " + FREE_TOP + ", ALGORITHM=INSTANT"),
    Case(
        "ADD in place, with an index",
        OFF + "ALTER TABLE {0}.free ADD FOREIGN KEY (v) REFERENCES {0}.top (v) ON DELETE CASCADE,"
        " ALGORITHM=NOCOPY",
    ),
    Case(
        "ADD by copying",
        "ALTER TABLE {0}.free " + FREE_TOP + " ON DELETE SET NULL, ALGORITHM=COPY",
    ),
    Case(
        "ADD of two by copying",
        "ALTER TABLE {0}.free " + FREE_TOP + " ON DELETE CASCADE, ADD FOREIGN KEY (v)"
        " REFERENCES {0}.mid (id) ON DELETE CASCADE, ADD COLUMN w INT DEFAULT 7, ALGORITHM=COPY",
    ),
    Case(
        "ADD that checks rows",
        "ALTER TABLE {0}.free " + FREE_TOP + " ON DELETE SET NULL, ALGORITHM=NOCOPY, LOCK=NONE",
    ),
    Case(
        "ADD of two that check rows, with an index",
        "ALTER TABLE {0}.free " + FREE_TOP + " ON DELETE CASCADE, ADD FOREIGN KEY (v)"
        " REFERENCES {0}.mid (id) ON DELETE CASCADE, ADD COLUMN w INT DEFAULT 7, ALGORITHM=NOCOPY",
    ),
    Case("ADD to itself", "ALTER TABLE {0}.free ADD FOREIGN KEY (v) REFERENCES {0}.free (id)"),
    Case("DROP in place", "ALTER TABLE {0}.mid DROP FOREIGN KEY mid_top, ALGORITHM=INSTANT"),
    Case("DROP by copying", "ALTER TABLE {0}.mid DROP FOREIGN KEY mid_top, ALGORITHM=COPY"),
    Case("DROP with its index", "ALTER TABLE {0}.low DROP FOREIGN KEY low_mid, DROP KEY low_mid"),
    Case(
        "DROP and ADD in place",
        OFF + "ALTER TABLE {0}.low DROP FOREIGN KEY low_mid, ADD CONSTRAINT low_top"
        " FOREIGN KEY (mid) REFERENCES {0}.top (id) ON DELETE CASCADE, ALGORITHM=INPLACE",
    ),
    Case("ALTER of both sides by copying", "ALTER TABLE {0}.mid COMMENT='8', ALGORITHM=COPY"),
    Case(
        "new index for a constraint",
        "ALTER TABLE {0}.mid ADD KEY wide (top, v), DROP KEY mid_top, ALGORITHM=NOCOPY",
    ),
    Case("parent's column in place", "ALTER TABLE {0}.top CHANGE id number INT, ALGORITHM=INPLACE"),
    Case("parent's column and an index", "ALTER TABLE {0}.free CHANGE id n INT, ADD KEY (v, top)"),
    Case("child's column in place", "ALTER TABLE {0}.low CHANGE mid m INT, ALGORITHM=INPLACE"),
    Case(
        "ALTER and RENAME in place",
        "ALTER TABLE {0}.mid RENAME TO {0}.mid2, ADD KEY v (v), ALGORITHM=NOCOPY",
        between=("ALTER TABLE {0}.mid ADD KEY v (v)",),
    ),
    Case(
        "ALTER and RENAME of a parent by copying",
        "ALTER TABLE {0}.mid RENAME TO {0}.mid2, ADD KEY v (v), ALGORITHM=COPY",
        orphans=True,  # children keep the old name, which no table has then
    ),
)
TABLES = (
    Case("CREATE of a child", "CREATE " + NEW),
    Case("CREATE .. SELECT", "CREATE " + NEW + " SELECT id, top FROM {0}.mid"),
    Case("CREATE .. LIKE", "CREATE TABLE {0}.new LIKE {0}.mid"),
    Case("CREATE of the parent", "CREATE TABLE {0}.later (id INT PRIMARY KEY)"),
    Case(
        "CREATE OR REPLACE",
        "CREATE OR REPLACE " + NEW.replace("new", "low"),
        between=("DROP TABLE {0}.low",),
    ),
    Case("DROP of a child", "DROP TABLE {0}.low"),
    Case(
        "DROP of a child and its parent",
        "DROP TABLE {0}.low, {0}.mid",
        between=("DROP TABLE {0}.low",),
    ),
    Case("DROP of a parent", OFF + "DROP TABLE {0}.mid", orphans=True),
    Case(
        "DROP DATABASE",
        "DROP DATABASE {0}_other",
        between=(
            "DROP TABLE {0}_other.b",
            OFF + "DROP TABLE {0}_other.a",
            "DROP TABLE {0}_other.b, {0}_other.a",
        ),
    ),
    Case("RENAME of a parent", "RENAME TABLE {0}.top TO {0}.top2"),
    Case("RENAME of a child", "RENAME TABLE {0}.held TO {0}.kept"),
    Case("RENAME of both", "RENAME TABLE {0}.mid TO {0}.mid2, {0}.low TO {0}.low2"),
    Case(
        "RENAME as a swap", "RENAME TABLE {0}.mid TO {0}.x, {0}.free TO {0}.mid, {0}.x TO {0}.free"
    ),
    Case("RENAME to another database", "RENAME TABLE {0}.mid TO {0}_other.mid"),
    # Taken back, it is a second RENAME, which children follow, as after an error: rename.sql.
    Case(
        "RENAME to the parent's name",
        OFF + "RENAME TABLE {0}.low TO {0}.later",
        between=(OFF + "RENAME TABLE {0}.low TO {0}.later, {0}.later TO {0}.low",),
    ),
    Case("TRUNCATE of a child", "TRUNCATE TABLE {0}.low"),
    Case("TRUNCATE of itself", "TRUNCATE TABLE {0}.tree"),
    Case("TRUNCATE of a parent", OFF + "TRUNCATE TABLE {0}.mid", orphans=True),
)


class Script(Client):
    """Not run as a thread."""

    def __init__(self, number: int, seed: int, connect):
        super().__init__(number, seed, connect)
        self.databases = f"fk{number}", f"fk{number}_other"
        self.before: State = {}  # each statement
        self.between: dict[str, list[State]] = {}  # by the name of the case
        self.after: dict[str, State] = {}
        self.known: State | None = None
        self.pending: Case | None = None
        self.problems: list[Problem] = []  # met before a kill

    # --- for PointHarness

    def begin(self) -> None:
        self.stop.clear()
        self.leave()
        self.reconnect()
        if not self.before:
            self.learn()
        self.rebuild()

    def rebuild(self) -> None:
        """Makes the tables of FRESH, unless they are there."""
        if self.known is not None and self.known == self.before:
            return
        try:
            for name in self.databases:
                self.execute(f"{OFF}CREATE OR REPLACE DATABASE {name}")
            for sql in FRESH:
                self.ask(sql)
        except pymysql.Error as error:
            raise DevError(f"the tables cannot be made anew: {error}") from error
        self.known = self.read(self.execute)
        self.before = self.before or self.known
        if self.known != self.before:
            raise DevError(f"made anew they are others: {difference(self.known, [self.before])}")

    def learn(self) -> None:
        """What steps of statements leave."""
        for case in (*ALTER, *TABLES):
            self.between[case.name] = []
            for sql in case.between:
                self.rebuild()
                self.ask(sql)
                self.known = self.read(self.execute)
                self.between[case.name].append(self.known)

    def statements(self) -> dict[str, Case]:
        return {case.name: case for case in (*ALTER, *TABLES)}

    def run_statement(self, case: Case) -> bool:
        """False when the server is gone."""
        self.pending = case
        try:
            self.ask(case.sql)
            self.known, self.pending = self.after.get(case.name), None
            self.acknowledge()
            if self.known is None:
                self.learn_end(case)
        except Stopped:
            self.leave()
            return False
        return True

    def learn_end(self, case: Case) -> None:
        """What nobody has killed must be right, too."""
        # another connection: the operations of the script's count
        with self.connect() as link, link.cursor() as cursor:

            def execute(sql: str) -> list[tuple]:
                cursor.execute(sql)
                return list(cursor.fetchall()) if cursor.description else []

            state = self.known = self.after[case.name] = self.read(execute)
            wrong = self.judge(execute, state)
        if state == self.before:
            wrong.append("it changes nothing")
        if case.orphans != any(state[f"orphans of {name}"] for name in self.databases):
            wrong.append(f"it leaves orphans: {not case.orphans}")
        self.problems += [Problem("broken", f"{case.name}, without a kill: {w}") for w in wrong]

    def ask(self, sql: str) -> list[tuple]:
        return self.execute(sql.format(self.databases[0]))

    def read(self, execute) -> State:
        return read_state(execute, self.databases)

    def judge(self, execute, state: State) -> list[str]:
        return contradictions(state) + without_effect(execute, state)

    # --- afterwards

    def check(self, execute) -> list[Problem]:
        problems, self.problems = self.problems, []
        case, self.pending = self.pending, None
        found = self.read(execute)
        allowed = [self.known]
        if case is not None:
            allowed = [self.before, *self.between[case.name], self.after[case.name]]
            self.settle(found == allowed[-1])
        if found not in allowed:
            kind = "lost" if case is None else "half"
            problems.append(Problem(kind, difference(found, allowed)))
        problems += [Problem("broken", wrong) for wrong in self.judge(execute, found)]
        self.known = found
        return problems


def difference(found: State, allowed: list[State]) -> str:
    """From the state with the fewest differences."""
    choices = []
    for wanted in allowed:
        names = [n for n in found.keys() | wanted if found.get(n) != wanted.get(n)]
        choices.append([f"{n}: {found.get(n)}, not {wanted.get(n)}" for n in sorted(names)])
    return "; ".join(min(choices, key=len))


class ForeignKeyPoints(PointHarness, DdlHarness):
    """One Script beside a client that writes rows with foreign keys in other tables."""

    classes = [Script, Family]

    def check(self) -> list[Problem]:
        """Does first what the error log says of tables that only a user may drop."""
        for statement in ADVICE.findall(self.server.log_tail(100000)):
            self.server.query(statement)
        return super().check()
