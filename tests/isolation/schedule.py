# SPDX-License-Identifier: GPL-2.0-only
"""A schedule: tables, rows, sessions, and the statements of the sessions one after the other."""

import re
from dataclasses import dataclass, field, replace

from tests.kit.wire import Answer

RU, RC, RR, SE = "READ-UNCOMMITTED", "READ-COMMITTED", "REPEATABLE-READ", "SERIALIZABLE"
LEVELS = (RU, RC, RR, SE)
# "OFF" is a session whose statements are not logged: for an engine the same as a server without log
FORMATS = ("OFF", "ROW", "MIXED", "STATEMENT")
# stands for the XID of a session; the engines share a server, and an XID is the server's
XID = "{xid}"
EQUALITY = re.compile(r"\b[abc] (=|IN|<=>) ")


@dataclass(frozen=True)
class Probe:
    """A set of rows that a statement locks: what stands behind FROM in a SELECT of them. `values`:
    rows that have a value which the statement inserts into a unique index. `per_row`: read for
    each row that the statement changes, so not at all when there is none. `only`: "low" when it is
    locked below REPEATABLE READ alone, "high" when from there on."""

    source: str
    shared: bool = False
    values: bool = False
    per_row: bool = False
    only: str = ""

    def sql(self, busy: str = "NOWAIT") -> str:
        """`busy`: what to do where another has locked a row, NOWAIT or SKIP LOCKED."""
        mode = "LOCK IN SHARE MODE" if self.shared else "FOR UPDATE"
        return f"{self.plain()} {mode} {busy}"

    def plain(self) -> str:
        """Without locks."""
        return f"SELECT * FROM {self.source}"

    def by_index(self, index: str | None) -> "Probe":
        """By the index that a statement takes, unless it says so itself; None: by none."""
        table, _, rest = self.source.partition(" ")
        if "INDEX" in self.source or "STRAIGHT_JOIN" in self.source:
            return self
        hint = f"FORCE INDEX ({index})" if index else "USE INDEX ()"
        return replace(self, source=f"{table} {hint} {rest}".rstrip())

    def widened(self) -> "Probe":
        """The whole table, or itself when there are several."""
        joins = "STRAIGHT_JOIN" in self.source
        return self if joins else replace(self, source=self.source.split()[0])


@dataclass(frozen=True)
class Step:
    """One statement of a session. `locks`: the sets of rows that it reads with locks. `explained`:
    EXPLAIN can say which indexes it takes."""

    session: int
    sql: str
    locks: tuple[Probe, ...] = ()
    explained: bool = False

    def locks_at(self, level: str) -> tuple[Probe, ...]:
        """Which of these it locks at a level, in a transaction of several statements. A plain
        SELECT locks at SERIALIZABLE alone; what a writing statement reads besides is locked from
        REPEATABLE READ on."""
        if self.sql.startswith("SELECT"):
            plain = not self.sql.endswith(("UPDATE", "MODE", "NOWAIT"))
            return () if plain and level != SE else self.locks
        low = level in (RU, RC)
        locks = [probe for probe in self.locks if probe.only != ("high" if low else "low")]
        return tuple(probe for probe in locks if not low or probe.values or not probe.shared)

    def finds_no_key(self, answer: Answer) -> bool:
        """Looks for single keys, and has found nothing."""
        return answer.does_nothing() and bool(EQUALITY.search(self.sql))

    def misses_a_key(self, answer: Answer) -> bool:
        """Looks for two keys, and has found one at most."""
        found = max(len(answer.rows), answer.affected)
        return not answer.error and " IN (" in self.sql and found < 2

    def reads_besides(self) -> bool:
        """Writes, and reads rows that it does not write: of a subquery, a function, or a table of
        several."""
        words = self.sql.split(maxsplit=1)[0]
        reads = re.search(r"\(SELECT |\bf1\(|STRAIGHT_JOIN", self.sql)
        return words in ("INSERT", "REPLACE", "UPDATE", "DELETE") and bool(reads)

    def adds_keys(self) -> bool:
        """May add entries to an index."""
        return self.sql.startswith(("INSERT", "REPLACE", "UPDATE"))

    def begins(self) -> bool:
        return self.sql.startswith(("BEGIN", "XA START", "SET SESSION autocommit=0"))

    def ends(self) -> bool:
        """Ends a transaction."""
        return self.sql.startswith(("COMMIT", "XA COMMIT", "XA ROLLBACK", "CREATE TABLE")) or (
            self.sql == "ROLLBACK"
        )


@dataclass
class Table:
    """`items` are the columns and keys of CREATE TABLE; `rows` literals in the order of columns."""

    name: str
    items: list[str]
    rows: list[tuple[str, ...]]
    options: str = ""

    def create(self, engine: str) -> str:
        return f"CREATE TABLE {self.name} ({', '.join(self.items)}) ENGINE={engine}{self.options}"

    def fill(self) -> str:
        rows = ", ".join(f"({', '.join(row)})" for row in self.rows)
        return f"INSERT INTO {self.name} VALUES {rows}"


@dataclass
class Schedule:
    """`levels` has the isolation level of each session; `routines` are functions and triggers."""

    seed: int
    tables: list[Table]
    levels: list[str]
    log: str
    routines: list[str] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)

    def with_steps(self, steps: list[Step]) -> "Schedule":
        return replace(self, steps=steps)

    def setup(self, engine: str) -> list[str]:
        made = []
        for table in self.tables:
            made.append(table.create(engine))
            if table.rows:
                made.append(table.fill())
        return made + self.routines

    def settings(self, session: int) -> str:
        """What a session sets before its first statement."""
        logged = self.log != "OFF"
        chosen = f"SET SESSION tx_isolation='{self.levels[session]}', sql_log_bin={int(logged)}"
        if logged:
            chosen += f", binlog_format={self.log}"
        return chosen + ", autocommit=1"

    def routine_reads(self) -> list[str]:
        """The SELECTs of the functions and triggers."""
        reads = [re.search(r"\((SELECT .*)\)$", routine) for routine in self.routines]
        return [read[1].replace(">= x", ">= 1") for read in reads if read]

    def size(self) -> int:
        statements = self.setup("") + [step.sql for step in self.steps]
        return sum(map(len, statements)) + 10 * len(self.levels)

    def script(self, title: str) -> str:
        """SQL to run by hand, once with each engine, in one connection a session."""
        lines = [f"-- {line}" for line in title.splitlines()]
        lines += [f"{sql};" for sql in self.setup("InnoDB")]
        used = sorted({step.session for step in self.steps})
        lines += [f"/* session {n + 1} */ {self.settings(n)};" for n in used]
        for step in self.steps:
            sql = step.sql.replace(XID, f"'x{step.session + 1}'").replace("{engine}", "InnoDB")
            lines.append(f"/* session {step.session + 1} */ {sql};")
        return "\n".join(lines) + "\n"
