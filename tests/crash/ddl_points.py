# SPDX-License-Identifier: GPL-2.0-only
"""Each kind of DDL statement, killed before each of its file operations: writes and syncs of the
DDL log, of the engine's log and the binary log, .frm and .par files made, renamed, removed. Beside
it, clients that write rows; and of some index builds, one that writes to the very table."""

import pymysql

from tests.crash.ddl import DATABASE, Ddl, State
from tests.crash.ddl_harness import DdlHarness
from tests.crash.neighbour import Neighbour, raised
from tests.crash.point_harness import PointHarness
from tests.crash.shapes import Shape, read_shape
from tests.kit.clients.client import Problem, Stopped
from tests.kit.clients.ledger import Ledger, TwoEngines
from tools.errors import DevError

Statement = tuple[str, list[State]]
NEW_COLUMN = "ADD COLUMN c5 INT NOT NULL DEFAULT 5"


def rows(*ids: int) -> frozenset:
    return frozenset((i, 10 * i) for i in ids)


class Script(Ddl):
    """The statements, from one set of tables: d_a and d_b plain, d_g and d_s with geometries, d_t
    and d_f with texts, d_p and d_q partitioned, d_e as a partition of d_p, d_i of InnoDB. Not run
    as a thread. `builds` are those that had a neighbour, `logged` its transactions that are in
    their logs."""

    def __init__(self, number: int, seed: int, connect):
        super().__init__(number, seed, connect)
        self.beside: dict[str, str] = {}  # statement -> the table that its neighbour writes to
        self.builds = self.logged = 0
        self.problems: list[Problem] = []

    def fresh(self) -> State:
        name = f"d{self.number}_"
        return {
            name + "a": Shape(indexed=True, added=(3,), rows=rows(*range(1, 12))),
            name + "b": Shape(comment=4, virtual=(2,), rows=rows(1, 2)),
            name + "g": Shape(placed=True, comment=3, rows=rows(*range(1, 9))),
            name + "s": Shape(placed=True, spatial=True, rows=rows(*range(2, 14))),
            name + "t": Shape(texted=True, comment=2, rows=rows(*range(1, 9))),
            name + "f": Shape(texted=True, searched=True, rows=rows(*range(2, 14))),
            name + "p": Shape(indexed=True, partitions=3, rows=rows(*range(1, 20))),
            name + "q": Shape(partitions=2, comment=9, rows=rows(5, 6)),
            name + "e": Shape(indexed=True, rows=rows(30, 33)),
            name + "i": Shape(engine="InnoDB", indexed=True, rows=rows(1, 2, 3)),
        }

    def rebuild(self) -> None:
        """Makes the tables of fresh(), unless they are there."""
        wanted = self.fresh()
        if self.tables == wanted:
            return
        try:
            for (name,) in self.execute(f"SHOW TABLES LIKE 'd{self.number}\\_%'"):
                self.execute(f"DROP TABLE {name}")
            for name, shape in wanted.items():
                self.execute(shape.create(name))
                self.execute(shape.insert(name, sorted(shape.rows)))
        except pymysql.Error as error:
            raise DevError(f"the tables cannot be made anew: {error}") from error
        self.tables = wanted

    def begin(self) -> None:
        """A new connection, and the tables."""
        self.stop.clear()
        self.leave()
        self.reconnect()
        self.rebuild()

    def run_statement(self, statement: Statement) -> bool:
        """False when the server is gone."""
        self.statement, self.pending = statement
        table = self.beside.get(self.statement)
        try:
            if table is None:
                self.execute(self.statement)
            else:
                self.run_beside(Neighbour(self.connect, table, self.fresh()[table].assignments()))
        except Stopped:
            self.leave()
            return False
        self.tables, self.pending = self.pending[-1], None
        self.acknowledge()
        return True

    def run_beside(self, neighbour: Neighbour) -> None:
        """The statement, with all states that it and its neighbour may leave; the last is what they
        have left, if the server lives."""
        low, high = self.pending[-1], self.raised(self.pending[-1], neighbour.table)
        self.pending = [self.raised(self.tables, neighbour.table), high, low]
        try:
            with neighbour:
                self.execute(self.statement)
        finally:
            self.builds += 1
            self.logged += neighbour.logged
            texts = [f"the neighbour: {text}" for text in neighbour.errors]
            self.problems += [Problem("broken", text) for text in texts]
        if neighbour.high:
            self.pending.append(high)
        self.compare(neighbour.table, self.pending[-1][neighbour.table])

    def compare(self, table: str, expected: Shape) -> None:
        """Of a server that lives: the build has ended, and its index is that of the rows."""
        try:
            found = str(read_shape(self.execute, DATABASE, table))
        except ValueError as error:
            found = str(error)
        if found != str(expected):
            self.problems.append(Problem("broken", f"{self.statement}: {found}, not {expected}"))

    def raised(self, state: State, table: str) -> State:
        shape = state[table]
        return {**state, table: shape.change(rows=raised(shape.rows))}

    # --- the statements

    def statements(self) -> dict[str, Statement]:
        """By a name for the report; each begins with the tables of fresh()."""
        found = {}
        parts = (self.of_tables, self.of_alter, self.of_columns, self.of_rebuild)
        parts = (
            *parts,
            self.of_copying_alter,
            self.of_partitions,
            self.of_spatial,
            self.of_full_text,
        )
        for part in (*parts, self.of_builds_beside_writers):
            found |= part()
        return found

    def altered(self, letter: str, clause: str, **parts) -> Statement:
        name = f"d{self.number}_{letter}"
        shape = self.fresh()[name].change(**parts)
        return f"ALTER TABLE {name} {clause}", [{**self.fresh(), name: shape}]

    def moved(self, sql: str, names: dict[str, str], dropped: str = "") -> Statement:
        """`sql` with {letter}s; `names`: old letter -> new one; each of `dropped` goes."""
        prefix = f"d{self.number}_"
        state = {n: s for n, s in self.fresh().items() if n.removeprefix(prefix) not in names}
        state |= {prefix + new: self.fresh()[prefix + old] for old, new in names.items()}
        states = []
        for letter in dropped or " ":
            state = {n: s for n, s in state.items() if n != prefix + letter}
            states.append(state)
        return sql.format(prefix), states

    def of_tables(self) -> dict[str, Statement]:
        fresh, new = self.fresh(), f"d{self.number}_n"
        plain, parted = Shape(indexed=True, comment=5), Shape(indexed=True, partitions=3)
        copy = Shape(comment=7, rows=fresh[f"d{self.number}_a"].rows)
        columns = "(id INT PRIMARY KEY, v INT NOT NULL) ENGINE=ROCKSDB COMMENT='7'"
        select = f"CREATE TABLE {new} {columns} SELECT id, v FROM d{self.number}_a"
        old = f"d{self.number}_a"
        without = {n: s for n, s in fresh.items() if n != old}
        empty = {**fresh, old: fresh[old].change(rows=frozenset())}
        return {
            "CREATE": (plain.create(new), [{**fresh, new: plain}]),
            "CREATE with partitions": (parted.create(new), [{**fresh, new: parted}]),
            "CREATE .. SELECT": (select, [{**fresh, new: copy}]),
            "CREATE OR REPLACE": (
                plain.create(old, "CREATE OR REPLACE TABLE"),
                [without, {**fresh, old: plain}],
            ),
            "DROP": self.moved("DROP TABLE {0}a", {}, "a"),
            "DROP of two": self.moved("DROP TABLE {0}b, {0}p", {}, "bp"),
            "DROP with partitions": self.moved("DROP TABLE {0}p", {}, "p"),
            "RENAME": self.moved("RENAME TABLE {0}a TO {0}n", {"a": "n"}),
            "RENAME with partitions": self.moved("RENAME TABLE {0}p TO {0}n", {"p": "n"}),
            "RENAME as a swap": self.moved(
                "RENAME TABLE {0}a TO {0}n, {0}p TO {0}a, {0}n TO {0}p", {"a": "p", "p": "a"}
            ),
            "RENAME as a swap, partitions first": self.moved(
                "RENAME TABLE {0}p TO {0}n, {0}a TO {0}p, {0}n TO {0}a", {"a": "p", "p": "a"}
            ),
            "RENAME as a swap of partitions": self.moved(
                "RENAME TABLE {0}p TO {0}n, {0}q TO {0}p, {0}n TO {0}q", {"p": "q", "q": "p"}
            ),
            "TRUNCATE": (f"TRUNCATE TABLE {old}", [empty]),
        }

    def of_alter(self) -> dict[str, Statement]:
        """In place."""
        name = f"d{self.number}_a"
        renamed = self.fresh()
        changed = {**renamed, name: renamed[name].change(comment=8)}
        renamed[f"d{self.number}_n"] = renamed.pop(name).change(comment=8)
        text = f"ALTER TABLE {name} RENAME TO d{self.number}_n, COMMENT='8', ALGORITHM=INPLACE"
        other = f"d{self.number}_b"
        indexed = self.fresh()
        built = {**indexed, other: indexed[other].change(indexed=True)}
        indexed[f"d{self.number}_n"] = indexed.pop(other).change(indexed=True)
        build = f"ALTER TABLE {other} RENAME TO d{self.number}_n, ADD KEY k (v), ALGORITHM=NOCOPY"
        return {
            "ALTER in place": self.altered("a", "COMMENT='8', ALGORITHM=INSTANT", comment=8),
            "ALTER in place with partitions": self.altered(
                "p", "COMMENT='8', ALGORITHM=INSTANT", comment=8
            ),
            "ADD virtual COLUMN": self.altered(
                "p", "ADD COLUMN w5 INT AS (v + 5) VIRTUAL, ALGORITHM=INSTANT", virtual=(5,)
            ),
            "ALTER RENAME in place": (text, [changed, renamed]),
            "ADD INDEX": self.altered("b", "ADD KEY k (v), ALGORITHM=NOCOPY", indexed=True),
            "ADD INDEX with partitions": self.altered(
                "q", "ADD KEY k (v), COMMENT='8', ALGORITHM=NOCOPY", indexed=True, comment=8
            ),
            "DROP INDEX": self.altered("a", "DROP KEY k, ALGORITHM=INSTANT", indexed=False),
            "DROP INDEX with partitions": self.altered(
                "p", "DROP KEY k, ALGORITHM=INSTANT", indexed=False
            ),
            "another INDEX": self.altered(
                "a", "DROP KEY k, ADD KEY k (v DESC, id), COMMENT='8', ALGORITHM=NOCOPY", comment=8
            ),
            "ADD INDEX and RENAME": (build, [built, indexed]),
        }

    def of_spatial(self) -> dict[str, Statement]:
        return self.of_index("SPATIAL", "s", "g", {"placed": True}, "spatial")

    def of_full_text(self) -> dict[str, Statement]:
        return self.of_index("FULLTEXT", "f", "t", {"texted": True}, "searched")

    def of_index(
        self, kind: str, key: str, column: str, has_column: dict[str, bool], has_key: str
    ) -> dict[str, Statement]:
        """Of such indexes. The table that has one ends with the key's name, the table that is to
        have one with the column's; `has_column` and `has_key` are parts of their shapes."""
        add, build = f"ADD {kind} KEY {key} ({column})", "ALGORITHM=NOCOPY"
        new, there, gone = f"d{self.number}_n", {has_key: True}, {has_key: False}
        plain = Shape(**has_column, **there, comment=5)
        return {
            f"CREATE with {kind}": (plain.create(new), [{**self.fresh(), new: plain}]),
            f"DROP with {kind}": self.moved(f"DROP TABLE {{0}}{key}", {}, key),
            f"ADD {kind}": self.altered(column, f"{add}, {build}", **there),
            f"ADD {kind} and INDEX": self.altered(
                column, f"ADD KEY k (v), {add}, {build}", **there, indexed=True
            ),
            f"ADD {kind} by copying": self.altered(column, f"{add}, ALGORITHM=COPY", **there),
            f"DROP {kind}": self.altered(key, f"DROP KEY {key}, ALGORITHM=INSTANT", **gone),
            f"another {kind}": self.altered(
                key, f"DROP KEY {key}, {add}, COMMENT='8', {build}", comment=8
            ),
            f"rebuild with {kind}": self.altered(
                key, "FORCE, COMMENT='8', ALGORITHM=INPLACE", comment=8
            ),
        }

    def of_rebuild(self) -> dict[str, Statement]:
        """In place, with all rows written anew; a comment tells that it has happened."""
        end = "COMMENT='8', ALGORITHM=INPLACE, LOCK=NONE"
        name, other = f"d{self.number}_a", f"d{self.number}_n"
        states = self.fresh()
        rebuilt = {**states, name: states[name].change(comment=8)}
        states[other] = states.pop(name).change(comment=8)
        return {
            "rebuild": self.altered("a", f"FORCE, {end}", comment=8),
            "rebuild with partitions": self.altered("p", f"FORCE, {end}", comment=8),
            "rebuild and COLUMN": self.altered(
                "a", f"{NEW_COLUMN}, FORCE, {end}", added=(3, 5), comment=8
            ),
            "rebuild and RENAME": (
                f"ALTER TABLE {name} FORCE, RENAME TO {other}, {end}",
                [rebuilt, states],
            ),
        }

    def of_columns(self) -> dict[str, Statement]:
        """Stored ones, without a copy; a comment tells that another order is there."""
        return {
            "ADD COLUMN": self.altered("a", f"{NEW_COLUMN} FIRST, ALGORITHM=INSTANT", added=(5, 3)),
            "ADD COLUMN with partitions": self.altered(
                "p", f"{NEW_COLUMN} AFTER id, ALGORITHM=INSTANT", added=(5,)
            ),
            "DROP COLUMN": self.altered("a", "DROP COLUMN c3, ALGORITHM=INSTANT", added=()),
            "another order of columns": self.altered(
                "a", "MODIFY v INT NOT NULL AFTER c3, COMMENT='8', ALGORITHM=INSTANT", comment=8
            ),
            "ADD COLUMN and INDEX with partitions": self.altered(
                "q", f"{NEW_COLUMN}, ADD KEY k (v), ALGORITHM=NOCOPY", added=(5,), indexed=True
            ),
            "ADD COLUMN with an expression": self.altered(
                "a",
                "ADD COLUMN c5 INT NOT NULL DEFAULT (5 + 0 * UNIX_TIMESTAMP()), ALGORITHM=INSTANT",
                added=(3, 5),
            ),
            "wider COLUMN of an INDEX": self.altered(
                "a", "MODIFY v BIGINT NULL, COMMENT='8', ALGORITHM=NOCOPY", comment=8
            ),
            "wider COLUMN of an INDEX with partitions": self.altered(
                "p", "MODIFY v BIGINT NULL, COMMENT='8', ALGORITHM=NOCOPY", comment=8
            ),
            "ADD CHECK": self.altered(
                "a", "ADD CHECK (v >= 0), COMMENT='8', ALGORITHM=NOCOPY", comment=8
            ),
        }

    def of_builds_beside_writers(self) -> dict[str, Statement]:
        """Another comment tells their statements from those without."""
        found = {
            "ADD INDEX beside a writer": self.altered(
                "b", "ADD KEY k (v), COMMENT='6', LOCK=NONE", indexed=True, comment=6
            ),
            "ADD INDEX with partitions beside a writer": self.altered(
                "q", "ADD KEY k (v), COMMENT='6', LOCK=NONE", indexed=True, comment=6
            ),
            "ADD SPATIAL beside a writer": self.altered(
                "g", "ADD SPATIAL KEY s (g), COMMENT='6', LOCK=NONE", spatial=True, comment=6
            ),
            "ADD FULLTEXT beside a writer": self.altered(
                "t", "ADD FULLTEXT KEY f (t), COMMENT='6', LOCK=NONE", searched=True, comment=6
            ),
            "another PRIMARY KEY beside a writer": self.altered(
                "a", "DROP PRIMARY KEY, ADD PRIMARY KEY (v), COMMENT='6', LOCK=NONE", comment=6
            ),
            "rebuild with partitions beside a writer": self.altered(
                "p", "FORCE, COMMENT='6', LOCK=NONE", comment=6
            ),
        }
        for letter, (text, _) in zip("bqgtap", found.values(), strict=True):
            self.beside[text] = f"d{self.number}_{letter}"
        return found

    def of_copying_alter(self) -> dict[str, Statement]:
        return {
            "ALTER by copying": self.altered("a", f"{NEW_COLUMN}, ALGORITHM=COPY", added=(3, 5)),
            "ALTER by copying with partitions": self.altered(
                "p", f"{NEW_COLUMN}, ALGORITHM=COPY", added=(5,)
            ),
            "ADD INDEX by copying": self.altered(
                "b", "ADD KEY k (v), ALGORITHM=COPY", indexed=True
            ),
            "DROP INDEX by copying": self.altered("p", "DROP KEY k, ALGORITHM=COPY", indexed=False),
            "to InnoDB": self.altered("a", "ENGINE=InnoDB", engine="InnoDB"),
            "from InnoDB": self.altered("i", "ENGINE=ROCKSDB", engine="ROCKSDB"),
        }

    def of_partitions(self) -> dict[str, Statement]:
        fresh, p, e = self.fresh(), f"d{self.number}_p", f"d{self.number}_e"
        inside = frozenset(r for r in fresh[p].rows if r[0] % 3 == 0)
        rest = fresh[p].rows - inside
        exchanged = {
            **fresh,
            p: fresh[p].change(rows=rest | fresh[e].rows),
            e: fresh[e].change(rows=inside),
        }
        emptied = [
            {**fresh, p: fresh[p].change(rows=frozenset(r for r in fresh[p].rows if r[0] % 3 >= n))}
            for n in (1, 2, 3)
        ]
        return {
            "PARTITION BY": self.altered("a", "PARTITION BY HASH (id) PARTITIONS 2", partitions=2),
            "REMOVE PARTITIONING": self.altered("p", "REMOVE PARTITIONING", partitions=0),
            "ADD PARTITION": self.altered("p", "ADD PARTITION PARTITIONS 1", partitions=4),
            "COALESCE PARTITION": self.altered("p", "COALESCE PARTITION 1", partitions=2),
            "REBUILD PARTITION": self.altered("p", "REBUILD PARTITION p0"),
            "TRUNCATE PARTITION": self.altered("p", "TRUNCATE PARTITION p0", rows=rest),
            "TRUNCATE with partitions": (f"TRUNCATE TABLE {p}", emptied),
            "EXCHANGE PARTITION": (
                f"ALTER TABLE {p} EXCHANGE PARTITION p0 WITH TABLE {e}",
                [exchanged],
            ),
        }


class DdlPoints(PointHarness, DdlHarness):
    """One Script beside clients that write rows."""

    classes = [Script, Ledger, TwoEngines]

    def check(self) -> list[Problem]:
        found, self.script.problems = self.script.problems, []
        return found + super().check()

    def finish(self) -> list[Problem]:
        """Logs without content would show nothing."""
        script = self.script
        print(
            f"   {script.builds} builds beside a writer, {script.logged} transactions in their logs"
        )
        empty = script.builds > 0 and script.logged == 0
        text = f"{script.builds} builds beside a writer, and nothing was logged"
        return super().finish() + ([Problem("broken", text)] if empty else [])
