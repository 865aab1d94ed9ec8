# SPDX-License-Identifier: GPL-2.0-only
"""Indexes are dropped, and the server is killed before each file operation by which their space
comes back: those of the reclaimer's thread and of RocksDB's, which write memtables out, compact and
delete files. Afterwards what was dropped stays dropped, its space comes back by itself, and the
tables whose rows lay in the same files have them all."""

from dataclasses import dataclass

from tests.crash.point_harness import PointHarness
from tests.kit.clients.client import Client, Problem, Stopped
from tests.kit.reclaimer import wait_for_reclaimer
from tools.errors import DevError

KEPT = ("kept_first", "kept_last")
KEPT_ROWS = 2_000
FEW, MANY = 500, 11_000  # the reclaimer deletes up to 10,000 entries one by one
PIECE = 1_000  # rows of one INSERT: neither a bulk load nor more than the spill threshold
COLUMNS = "(id INT PRIMARY KEY{family}, v INT NOT NULL, KEY v (v){family}) ENGINE=ROCKSDB"
BACKWARD = " COMMENT 'cfname=rev:back'"

# rows and whether there is the key; None: no such table
Contents = tuple[int, bool] | None
Statement = tuple[str, str, Contents]  # SQL, its table, what that is afterwards


@dataclass(frozen=True)
class Kind:
    """How a table that will be dropped lies in files."""

    rows: int
    mixed: bool  # in the same files as the kept tables; else in its own
    family: str = ""


KINDS = {
    "few": Kind(FEW, mixed=True),
    "mixed": Kind(MANY, mixed=True),
    "alone": Kind(MANY, mixed=False),
    "backward": Kind(MANY, mixed=True, family=BACKWARD),
}


class Script(Client):
    """Not run as a thread."""

    def __init__(self, number: int, seed: int, connect):
        super().__init__(number, seed, connect)
        self.tables: dict[str, Contents] = dict.fromkeys(KINDS)
        self.changes = 0  # of each row of the kept tables
        self.pending: dict[str, Contents] | None = None

    def create(self) -> list[str]:
        columns = COLUMNS.format(family="")
        return [f"CREATE TABLE {name} {columns}" for name in KEPT] + [
            f"INSERT INTO {name} SELECT seq, seq FROM seq_1_to_{KEPT_ROWS}" for name in KEPT
        ]

    # --- for PointHarness

    def begin(self) -> None:
        self.stop.clear()
        self.leave()
        self.reconnect()
        self.rebuild()

    def rebuild(self) -> None:
        """Makes the tables that the last statement has changed, and waits for the reclaimer."""
        for name, kind in KINDS.items():
            if self.tables[name] != (kind.rows, True):
                self.execute(f"DROP TABLE IF EXISTS {name}")
                self.execute(f"CREATE TABLE {name} {COLUMNS.format(family=kind.family)}")
                self.fill(name, kind)
                self.tables[name] = (kind.rows, True)
        self.execute("SET GLOBAL rocksdb_force_flush_memtable_now = ON")
        if not wait_for_reclaimer(self.execute):
            raise DevError("dropped indexes are not reclaimed before the statement")

    def fill(self, name: str, kind: Kind) -> None:
        if not kind.mixed:
            self.execute(f"INSERT INTO {name} SELECT seq, -seq FROM seq_1_to_{kind.rows}")
            return
        with_log = "SET STATEMENT rocksdb_auto_bulk_load = OFF FOR INSERT INTO"
        for first in range(1, kind.rows + 1, PIECE):
            last = min(first + PIECE - 1, kind.rows)
            self.execute(f"{with_log} {name} SELECT seq, -seq FROM seq_{first}_to_{last}")
        for kept in KEPT:
            self.execute(f"UPDATE {kept} SET v = v + 1")
        self.changes += 1

    def statements(self) -> dict[str, Statement]:
        found: dict[str, Statement] = {
            f"DROP TABLE {name}": (f"DROP TABLE {name}", name, None) for name in KINDS
        }
        rows = KINDS["mixed"].rows
        return found | {
            "DROP KEY": ("ALTER TABLE mixed DROP KEY v, ALGORITHM=NOCOPY", "mixed", (rows, False)),
            "TRUNCATE": ("TRUNCATE TABLE mixed", "mixed", (0, True)),
        }

    def run_statement(self, statement: Statement) -> bool:
        """With all that the reclaimer then does. False when the server is gone."""
        sql, table, contents = statement
        self.pending = {**self.tables, table: contents}
        try:
            self.execute(sql)
            self.tables, self.pending = self.pending, None
            self.acknowledge()
            if not wait_for_reclaimer(self.execute):
                raise DevError(f"after {sql} its space does not come back")
        except Stopped:
            self.leave()
            return False
        return True

    # --- afterwards

    def check(self, execute) -> list[Problem]:
        found = self.read(execute)
        if self.pending is not None:
            self.settle(found == self.pending)
        problems = []
        if found not in (self.tables, self.pending):
            kind = "lost" if self.pending is None else "half"
            problems.append(Problem(kind, f"{found}, not {self.tables} or {self.pending}"))
        self.tables, self.pending = found, None
        return problems + self.check_kept(execute) + check_space(execute)

    def read(self, execute) -> dict[str, Contents]:
        there = {name for (name,) in execute("SHOW TABLES")}
        found: dict[str, Contents] = {}
        for name in KINDS:
            found[name] = None
            if name in there:
                keyed = any(row[2] == "v" for row in execute(f"SHOW KEYS FROM {name}"))
                found[name] = (execute(f"SELECT COUNT(*) FROM {name}")[0][0], keyed)
        return found

    def check_kept(self, execute) -> list[Problem]:
        problems = []
        for name in KEPT:
            rows = f"SELECT COUNT(*), SUM(v - id = {self.changes}) FROM {name} FORCE INDEX "
            for key in ("PRIMARY", "v"):
                count, right = execute(rows + f"({key})")[0]
                if (count, right) != (KEPT_ROWS, KEPT_ROWS):
                    text = f"{name} by {key}: {right} of {count} rows as written"
                    problems.append(Problem("lost", f"{text}, not {KEPT_ROWS}"))
        return problems


def check_space(execute) -> list[Problem]:
    """The reclaimer goes on where it died; then no file has an entry of an index that no table
    has. Deletions, which may hide entries, go by a compaction first."""
    if not wait_for_reclaimer(execute):
        return [Problem("broken", "the space of dropped indexes does not come back")]
    for family in ("default", "rev:back"):
        execute(f"SET GLOBAL rocksdb_compact_cf = '{family}'")
    left = execute(
        "SELECT m.sst_name, m.column_family, m.index_number, m.num_rows"
        " FROM information_schema.ROCKSDB_INDEX_FILE_MAP m"
        " LEFT JOIN information_schema.ROCKSDB_DDL d USING (column_family, index_number)"
        " WHERE d.index_number IS NULL AND m.column_family IN"
        " (SELECT name FROM information_schema.ROCKSDB_GLOBAL_INFO"
        r" WHERE type = 'CF_FLAGS' AND value NOT LIKE '\_\_%')"  # __system__, and no __spill__
    )
    return [Problem("broken", f"a dropped index has entries: {row}") for row in left]


class ReclaimPoints(PointHarness):
    """The background threads are met, not the connection: what it does itself DdlPoints meet."""

    classes = [Script]
    counted_threads = "index reclaimer,rocksdb:"

    def mark_thread(self) -> None:
        """Threads count by their names."""
