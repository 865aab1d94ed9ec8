# SPDX-License-Identifier: GPL-2.0-only
"""Each way to commit, killed before each of its file operations: writes and syncs of the engine's
log, of the binary log and of InnoDB's, table files of large transactions, memtables written out.
What was acknowledged is there afterwards, what was in flight is there whole or not at all."""

from dataclasses import dataclass, replace

import pymysql

from tests.crash.point_harness import PointHarness
from tests.kit.clients.client import Client, Problem, Stopped
from tools.errors import DevError

LARGE_ROWS = 20_000  # far more than ENGINE_OPTIONS' spill threshold holds
LARGE_FAMILY = 6_000  # children of one parent, likewise
# Beside the data directory, where the server takes folders for databases.
A_NEW_FOLDER = "CONCAT(@@datadir, '../checkpoint-', REPLACE(UUID(), '-', ''))"
Rows = frozenset[tuple[int, int | None]]
# id, v, and whether the row lives or is history
Versions = frozenset[tuple[int, int, bool]]


@dataclass(frozen=True)
class Contents:
    """Of the tables; `prepared`: XA transactions that are neither committed nor rolled back."""

    here: Rows = frozenset({(1, 10), (2, 20), (3, 30)})
    there: Rows = frozenset({(1, 0)})  # InnoDB
    large: int = 0  # rows
    loaded: int = 0  # likewise
    parent: Rows = frozenset({(1, 0), (2, 0)})
    child: Rows = frozenset({(1, 1), (2, 1), (3, 2)})  # id and parent
    note: Rows = frozenset({(1, 1), (2, 3)})  # id and child
    versions: Versions = frozenset({(1, 10, True), (2, 20, True), (3, 30, True)})
    prepared: frozenset[str] = frozenset()

    def adding(self, *rows: tuple[int, int], without: tuple[int, ...] = ()) -> "Contents":
        kept = {r for r in self.here if r[0] not in without}
        return replace(self, here=frozenset(kept | set(rows)))


# A step is a statement and the contents it leaves when it succeeds; None: it decides nothing.
Step = tuple[str, Contents | None]


class Script(Client):
    """Not run as a thread."""

    filled = ("here", "there", "parent", "child", "note")  # before each statement, parents first

    def __init__(self, number: int, seed: int, connect):
        super().__init__(number, seed, connect)
        self.known: Contents | None = None
        self.pending: Contents | None = None
        self.given = 0  # the highest value of AUTO_INCREMENT that was acknowledged
        self.sequence = 0  # likewise of the sequence
        self.in_flight = False  # the server died in a statement
        self.registered = 0  # mysql.transaction_registry is looked at behind this id

    def create(self) -> list[str]:
        return [
            "CREATE TABLE here (id INT PRIMARY KEY, v INT NOT NULL, UNIQUE KEY v (v))",
            "CREATE TABLE there (id INT PRIMARY KEY, v INT NOT NULL) ENGINE=InnoDB",
            "CREATE TABLE large (id INT PRIMARY KEY, v INT NOT NULL, KEY v (v))",
            "CREATE TABLE loaded (id INT PRIMARY KEY, v INT NOT NULL, UNIQUE KEY v (v))",
            "CREATE TABLE numbered (id INT AUTO_INCREMENT PRIMARY KEY, v INT NOT NULL)",
            "CREATE SEQUENCE numbers NOCACHE",
            "CREATE TABLE settled (n INT) ENGINE=InnoDB",
            "CREATE TABLE parent (id INT PRIMARY KEY, v INT NOT NULL)",
            "CREATE TABLE child (id INT PRIMARY KEY, parent INT, FOREIGN KEY (parent)"
            " REFERENCES parent (id) ON DELETE CASCADE ON UPDATE CASCADE)",
            "CREATE TABLE note (id INT PRIMARY KEY, child INT, FOREIGN KEY (child)"
            " REFERENCES child (id) ON DELETE SET NULL)",
            "CREATE TABLE versions (id INT PRIMARY KEY, v INT NOT NULL, KEY v (v),"
            " s BIGINT UNSIGNED GENERATED ALWAYS AS ROW START INVISIBLE,"
            " e BIGINT UNSIGNED GENERATED ALWAYS AS ROW END INVISIBLE,"
            " PERIOD FOR SYSTEM_TIME (s, e)) WITH SYSTEM VERSIONING",
        ]

    # --- for PointHarness

    def begin(self) -> None:
        self.stop.clear()
        self.leave()
        self.reconnect()
        # The start has rolled back what was prepared and not in the binary log. InnoDB does that
        # without writing its log: after the next kill such a transaction is there again, under an
        # XID that the server has meanwhile given to another one. A commit writes the log.
        self.execute("INSERT INTO settled VALUES (1)")
        self.rebuild()

    def rebuild(self) -> None:
        if self.known == Contents():
            return
        fresh = Contents()
        try:
            self.clear()
            for table in self.filled:
                values = ", ".join(map(str, sorted(getattr(fresh, table))))
                self.execute(f"INSERT INTO {table} VALUES {values}")
            self.fill_versions(fresh)
        except pymysql.Error as error:
            raise DevError(f"the tables cannot be filled anew: {error}") from error
        self.known = fresh

    def fill_versions(self, fresh: Contents) -> None:
        self.registered = self.last_registered(self.execute)
        values = ", ".join(f"({n}, {v})" for n, v, _ in sorted(fresh.versions))
        self.execute(f"INSERT INTO versions VALUES {values}")

    def clear(self) -> None:
        """Empties the tables that statements change."""
        for _, _, _, name in self.execute("XA RECOVER"):
            self.execute(f"XA ROLLBACK '{as_text(name)}'")
        for table in (*reversed(self.filled), "large"):
            self.execute(f"DELETE FROM {table}")
        self.execute("TRUNCATE TABLE loaded")
        self.execute("DELETE FROM versions")
        self.execute("DELETE HISTORY FROM versions")

    def run_statement(self, steps: list[Step]) -> bool:
        self.in_flight = False
        for sql, contents in steps:
            self.pending = contents
            try:
                found = self.execute(sql)
            except Stopped:
                self.in_flight = True
                self.leave()
                return False
            if contents is not None:
                self.known, self.pending = contents, None
                self.acknowledge()
            if "numbered (v)" in sql:
                self.given = max(self.given, self.insert_id)
            if sql.startswith("SELECT NEXT VALUE"):
                self.sequence = max(self.sequence, found[0][0])
        return True

    # --- the statements

    def statements(self) -> dict[str, list[Step]]:
        """Each begins with the tables of Contents()."""
        old = Contents()
        new = old.adding((4, 40))
        found = {
            "INSERT": [("INSERT INTO here VALUES (4, 40)", new)],
            "REPLACE": [("REPLACE INTO here VALUES (4, 20)", old.adding((4, 20), without=(2,)))],
            "DELETE": [("DELETE FROM here WHERE id = 1", old.adding(without=(1,)))],
            "transaction": [
                ("BEGIN", None),
                ("INSERT INTO here VALUES (5, 50), (6, 60)", None),
                ("SAVEPOINT s", None),
                ("DELETE FROM here", None),
                ("ROLLBACK TO s", None),
                ("UPDATE here SET v = v + 1 WHERE id < 3", None),
                ("COMMIT", old.adding((1, 11), (2, 21), (5, 50), (6, 60), without=(1, 2))),
            ],
            "ROLLBACK": [("BEGIN", None), ("DELETE FROM here", None), ("ROLLBACK", old)],
            "AUTO_INCREMENT": [
                ("INSERT INTO numbered (v) VALUES (1)", old),
                ("DELETE FROM numbered", old),
            ],
            "NEXT VALUE": [("SELECT NEXT VALUE FOR numbers", old)],
            "large transaction": [
                (
                    "SET STATEMENT rocksdb_auto_bulk_load = OFF FOR"
                    f" INSERT INTO large SELECT seq, -seq FROM seq_1_to_{LARGE_ROWS}",
                    replace(old, large=LARGE_ROWS),
                ),
                ("DELETE FROM large", old),
            ],
            **self.of_loads(old),
            "memtables": [
                ("INSERT INTO here VALUES (4, 40)", new),
                ("SET GLOBAL rocksdb_force_flush_memtable_now = ON", new),
            ],
            "checkpoint": [
                ("INSERT INTO here VALUES (4, 40)", new),
                (f"SET GLOBAL rocksdb_create_checkpoint = {A_NEW_FOLDER}", new),
            ],
            "XA": self.of_xa(old),
            **self.of_cascades(old),
            "versions": self.of_versions(old),
        }
        if self.binlog:
            # without it the server itself may commit by half: see ledger.TwoEngines
            found["two engines"] = self.of_two_engines(old)
            found["FLUSH BINARY LOGS"] = [
                ("INSERT INTO here VALUES (4, 40)", new),
                ("FLUSH BINARY LOGS", new),
            ]
        return found

    def of_loads(self, old: Contents) -> dict[str, list[Step]]:
        return {
            # In no order of keys; each index has runs.
            "bulk load": [
                (
                    "INSERT INTO loaded"
                    f" SELECT seq * 7919 % 20011, -seq FROM seq_1_to_{LARGE_ROWS}",
                    replace(old, loaded=LARGE_ROWS),
                ),
                ("TRUNCATE TABLE loaded", old),
            ],
            # Between the rows that are there: the files lie above theirs.
            "bulk load among rows": [
                (
                    "INSERT INTO loaded SELECT seq * 400, seq FROM seq_1_to_100",
                    replace(old, loaded=100),
                ),
                (
                    "INSERT INTO loaded"
                    f" SELECT seq * 7919 % 20011 * 2 + 1, -seq FROM seq_1_to_{LARGE_ROWS}",
                    replace(old, loaded=LARGE_ROWS + 100),
                ),
                ("TRUNCATE TABLE loaded", old),
            ],
            # Its commit is no statement's, so it is prepared neither with the binary log.
            "bulk load by many statements": [
                ("SET rocksdb_bulk_load_allow_unsorted = ON", None),
                ("SET rocksdb_bulk_load = ON", None),
                (
                    "INSERT INTO loaded"
                    f" SELECT seq * 7919 % 20011, -seq FROM seq_1_to_{LARGE_ROWS}",
                    None,
                ),
                ("SET rocksdb_bulk_load = OFF", replace(old, loaded=LARGE_ROWS)),
                ("SET rocksdb_bulk_load_allow_unsorted = OFF", None),
                ("TRUNCATE TABLE loaded", old),
            ],
        }

    def of_xa(self, old: Contents) -> list[Step]:
        new = old.adding((7, 70))
        return [
            ("XA START 'one'", None),
            ("INSERT INTO here VALUES (7, 70)", None),
            ("XA END 'one'", None),
            ("XA PREPARE 'one'", replace(old, prepared=frozenset({"one"}))),
            ("XA COMMIT 'one'", new),
            ("XA START 'two'", None),
            ("DELETE FROM here", None),
            ("XA END 'two'", None),
            ("XA PREPARE 'two'", replace(new, prepared=frozenset({"two"}))),
            ("XA ROLLBACK 'two'", new),
        ]

    def of_cascades(self, old: Contents) -> dict[str, list[Step]]:
        delete, renumber = (
            "DELETE FROM parent WHERE id = 1",
            "UPDATE parent SET id = 9 WHERE id = 2",
        )
        deleted = replace(
            old,
            parent=frozenset({(2, 0)}),
            child=frozenset({(3, 2)}),
            note=frozenset({(1, None), (2, 3)}),
        )
        new = replace(deleted, parent=frozenset({(9, 0)}), child=frozenset({(3, 9)}))
        many = frozenset((n + 10, 1) for n in range(1, LARGE_FAMILY + 1))
        return {
            "cascades": [(delete, deleted), (renumber, new)],
            "cascades in XA": [
                ("XA START 'three'", None),
                (delete, None),
                (renumber, None),
                ("XA END 'three'", None),
                ("XA PREPARE 'three'", replace(old, prepared=frozenset({"three"}))),
                ("XA COMMIT 'three'", new),
            ],
            "large cascade": [
                (
                    "SET STATEMENT rocksdb_auto_bulk_load = OFF FOR"
                    f" INSERT INTO child SELECT seq + 10, 1 FROM seq_1_to_{LARGE_FAMILY}",
                    replace(old, child=old.child | many),
                ),
                (delete, deleted),
            ],
        }

    def of_versions(self, old: Contents) -> list[Step]:
        """Versioned by transaction: the commit also writes the registry, a table of InnoDB."""
        inserted = old.versions | {(4, 40, True)}
        updated = inserted - {(1, 10, True)} | {(1, 10, False), (1, 11, True)}
        both = updated - {(2, 20, True), (3, 30, True)}
        both |= {(2, 20, False), (3, 30, False), (3, 31, True)}
        return [
            ("INSERT INTO versions VALUES (4, 40)", replace(old, versions=inserted)),
            ("UPDATE versions SET v = 11 WHERE id = 1", replace(old, versions=updated)),
            ("BEGIN", None),
            ("DELETE FROM versions WHERE id = 2", None),
            ("SAVEPOINT s", None),
            ("DELETE FROM versions", None),
            ("ROLLBACK TO s", None),
            ("UPDATE versions SET v = v + 1 WHERE id = 3", None),
            ("COMMIT", replace(old, versions=both)),
        ]

    def of_two_engines(self, old: Contents) -> list[Step]:
        new = replace(old.adding((8, 80)), there=frozenset({(1, 8)}))
        return [
            ("BEGIN", None),
            ("INSERT INTO here VALUES (8, 80)", None),
            ("UPDATE there SET v = 8", None),
            ("COMMIT", new),
        ]

    # --- afterwards

    def check(self, execute) -> list[Problem]:
        found = self.read(execute)
        problems = self.check_numbers(execute) + self.check_registry(execute)
        if self.pending is not None:
            self.settle(found == self.pending)
        if found not in (self.known, self.pending):
            kind = "lost" if self.pending is None else "half"
            problems.append(Problem(kind, describe(found, self.known, self.pending)))
        self.known, self.pending = found, None
        return problems

    def read(self, execute) -> Contents:
        return Contents(
            here=frozenset(execute("SELECT id, v FROM here FORCE INDEX (PRIMARY)")),
            there=frozenset(execute("SELECT id, v FROM there")),
            large=execute("SELECT COUNT(*) FROM large FORCE INDEX (v)")[0][0],
            loaded=execute("SELECT COUNT(*) FROM loaded FORCE INDEX (v)")[0][0],
            parent=frozenset(execute("SELECT id, v FROM parent FORCE INDEX (PRIMARY)")),
            child=frozenset(execute("SELECT id, parent FROM child FORCE INDEX (PRIMARY)")),
            note=frozenset(execute("SELECT id, child FROM note FORCE INDEX (PRIMARY)")),
            versions=frozenset(
                (n, v, bool(lives))
                for n, v, lives in execute(
                    "SELECT id, v, e = ~0 FROM versions FOR SYSTEM_TIME ALL FORCE INDEX (v)"
                )
            ),
            prepared=frozenset(as_text(row[3]) for row in execute("XA RECOVER")),
        )

    @staticmethod
    def last_registered(execute) -> int:
        return execute("SELECT COALESCE(MAX(transaction_id), 0) FROM mysql.transaction_registry")[
            0
        ][0]

    def check_registry(self, execute) -> list[Problem]:
        """Each id of a row is registered. Nothing else is, but for what was in flight."""
        rows = execute("SELECT s, e FROM versions FOR SYSTEM_TIME ALL")
        known = execute("SELECT transaction_id, commit_id FROM mysql.transaction_registry")
        used = {n for row in rows for n in row} - {2**64 - 1}
        registered = {begin for begin, _ in known}
        problems = []
        if used - registered:
            text = f"ids without a row of the registry: {sorted(used - registered)}"
            problems.append(Problem("lost", text))
        alone = len({n for n in registered - used if n > self.registered})
        if alone > (0 if self.pending is None and not self.in_flight else 1):
            problems.append(Problem("half", f"{alone} rows of the registry without versions"))
        if any(commit <= begin for begin, commit in known):
            problems.append(Problem("broken", "a commit's id is not above its begin's"))
        # what was in flight is settled now, and has its row for good
        if alone:
            self.registered = self.last_registered(execute)
        return problems

    def check_numbers(self, execute) -> list[Problem]:
        """Values that were given are not given again."""
        execute("INSERT INTO numbered (v) VALUES (2)")
        number = execute("SELECT MAX(id) FROM numbered")[0][0]
        value = execute("SELECT NEXT VALUE FOR numbers")[0][0]
        problems = []
        if number <= self.given:
            problems.append(Problem("lost", f"AUTO_INCREMENT {number} after {self.given}"))
        if value <= self.sequence:
            problems.append(Problem("lost", f"NEXT VALUE {value} after {self.sequence}"))
        self.given, self.sequence = number, value
        return problems


def describe(found: Contents, *wanted: Contents | None) -> str:
    """What is not as in any of the wanted ones."""
    lines = []
    for name, rows in vars(found).items():
        others = [getattr(one, name) for one in wanted if one is not None]
        if any(rows != other for other in others):
            lines.append(f"{name}: {shown(rows)}, not {' or '.join(map(shown, others))}")
    return "; ".join(lines)


def shown(rows: object) -> str:
    words = str(rows)
    return words if len(words) < 200 else f"{words[:200]} .."


def as_text(name: str | bytes) -> str:
    return name.decode() if isinstance(name, bytes) else name


class CommitPoints(PointHarness):
    classes = [Script]
