# SPDX-License-Identifier: GPL-2.0-only
"""Statements that make, change, move and drop tables, while the server is killed. Afterwards each
table has its old shape or its new one, never neither, with the rows that were committed; nothing of
the statement is left over, and the log explains itself."""

import re
from collections.abc import Iterable
from pathlib import Path

from tests.crash.shapes import Shape, read_shape
from tests.kit.clients.client import Client, Problem

TABLES = 5
DATABASE = "crash"
State = dict[str, Shape]

# Lines of the error log that belong to a start after a kill. The others come once in some thousand
# kills. InnoDB's: the file of a table that an ALTER has set aside and that is being dropped, whose
# first page the kill has kept from the file. The server's two: when its start has carried out the
# DDL log it makes the file anew, empty, then writes the header; this start was killed in between.
EXPLAINED = re.compile(
    r"ROCKSDB: Found \d+ prepared|Crash table recovery|InnoDB: Starting crash recovery"
    r"|DDL_LOG: Crash recovery executed \d+ entries|Recovering after a crash"
    r"|InnoDB: Expected tablespace id \d+ but found 0 in the file \./\w+/#sql-backup-"
    r"|Unexpected end-of-file found when reading file '\./ddl_recovery\.log'"
    r"|DDL_LOG: Failed to read ddl log file '\./ddl_recovery\.log' during recovery"
    # the last event of the binary log, written by two writes with the kill between them
    r"|Error in Log_event::read_log_event\(\): 'Event truncated'"
)
# InnoDB's recovery met a file of a table whose first page the kill has kept from the disk. It makes
# the page from its log, or drops the file; what it says alone does not tell which.
FIRST_PAGE = re.compile(
    r"InnoDB: Expected tablespace id \d+ but found 0 in the file \./\w+/(\w+)\.ibd"
)


class Ddl(Client):
    """One client with tables of its own. A statement in flight may leave one of several states."""

    def __init__(self, number: int, seed: int, connect):
        super().__init__(number, seed, connect)
        self.tables: State = {}
        self.pending: list[State] | None = None  # what may be there afterwards, beside self.tables
        self.statement = ""
        self.made = 0

    # --- the load

    def step(self) -> None:
        self.statement, self.pending = self.draw()
        self.execute(self.statement)
        self.tables, self.pending = self.pending[-1], None
        self.acknowledge()

    def draw(self) -> tuple[str, list[State]]:
        """A statement, and the states a crash in it may leave; the last one is that of success."""
        if len(self.tables) < 2 or (len(self.tables) < TABLES and self.rng.random() < 0.2):
            return self.draw_create()
        choices = [self.draw_rows] * 4 + [self.draw_alter] * 7 + [self.draw_move] * 4
        return self.rng.choice([*choices, self.draw_drop, self.draw_truncate, self.draw_replace])()

    def new_name(self) -> str:
        self.made += 1
        return f"d{self.number}_{self.made % 1000}"

    def pick(self, count: int = 1) -> list[str]:
        return self.rng.sample(sorted(self.tables), count)

    def new_rows(self, shape: Shape) -> list[tuple[int, int]]:
        first = max((i for i, _ in shape.rows), default=0) + 1
        count = self.rng.choice([1, 3, 20])
        return [(first + n, self.rng.randrange(1000)) for n in range(count)]

    def draw_shape(self) -> Shape:
        rng = self.rng
        partitions = rng.choice([0, 0, 2, 4])
        placed, texted = (not partitions and rng.random() < 0.5 for _ in range(2))
        return Shape(
            added=tuple(rng.sample(range(1, 9), rng.randrange(3))),
            indexed=rng.random() < 0.5,
            placed=placed,
            spatial=placed and rng.random() < 0.5,
            texted=texted,
            searched=texted and rng.random() < 0.5,
            comment=rng.randrange(100),
            partitions=partitions,
        )

    def draw_create(self) -> tuple[str, list[State]]:
        name = self.new_name()
        if self.tables and self.rng.random() < 0.4:
            source = self.pick()[0]
            rows = self.tables[source].rows
            shape = Shape(rows=rows, comment=7)
            text = f"CREATE TABLE {name} (id INT PRIMARY KEY, v INT NOT NULL) ENGINE=ROCKSDB"
            text += f" COMMENT='7' SELECT id, v FROM {source}"
            return text, [{**self.tables, name: shape}]
        shape = self.draw_shape()
        return shape.create(name), [{**self.tables, name: shape}]

    def draw_replace(self) -> tuple[str, list[State]]:
        name, shape = self.pick()[0], self.draw_shape()
        # not atomic in the server: the old table may be gone before the new one is there
        between = {n: s for n, s in self.tables.items() if n != name}
        text = shape.create(name, "CREATE OR REPLACE TABLE")
        return text, [between, {**self.tables, name: shape}]

    def draw_rows(self) -> tuple[str, list[State]]:
        name = self.pick()[0]
        shape = self.tables[name]
        if shape.rows and self.rng.random() < 0.3:
            limit = self.rng.choice(sorted(shape.rows))[0]
            rows = frozenset(r for r in shape.rows if r[0] <= limit)
            return f"DELETE FROM {name} WHERE id > {limit}", [self.with_shape(name, rows=rows)]
        new = self.new_rows(shape)
        return shape.insert(name, new), [self.with_shape(name, rows=shape.rows | set(new))]

    def with_shape(self, name: str, **parts) -> State:
        return {**self.tables, name: self.tables[name].change(**parts)}

    def draw_drop(self) -> tuple[str, list[State]]:
        names = self.pick(self.rng.choice([1, 2]))
        states = []
        for count in range(1, len(names) + 1):  # in the order of the statement
            states.append({n: s for n, s in self.tables.items() if n not in names[:count]})
        return f"DROP TABLE {', '.join(names)}", states

    def draw_truncate(self) -> tuple[str, list[State]]:
        name = self.pick()[0]
        shape = self.tables[name]
        if shape.partitions and self.rng.random() < 0.7:
            gone = self.rng.randrange(shape.partitions)
            rows = frozenset(r for r in shape.rows if r[0] % shape.partitions != gone)
            text = f"ALTER TABLE {name} TRUNCATE PARTITION p{gone}"
            return text, [self.with_shape(name, rows=rows)]
        # a partitioned table is emptied partition by partition
        states = []
        for count in range(1, shape.partitions):
            rows = frozenset(r for r in shape.rows if r[0] % shape.partitions >= count)
            states.append(self.with_shape(name, rows=rows))
        return f"TRUNCATE TABLE {name}", [*states, self.with_shape(name, rows=frozenset())]

    def draw_move(self) -> tuple[str, list[State]]:
        one, other = self.pick(2)
        new, rest = self.new_name(), dict(self.tables)
        choice = self.rng.randrange(4)
        if choice == 0:
            rest[new] = rest.pop(one)
            return f"RENAME TABLE {one} TO {new}", [rest]
        if choice == 1:
            rest[one], rest[other] = rest[other], rest[one]
            text = f"RENAME TABLE {one} TO {new}, {other} TO {one}, {new} TO {other}"
            return text, [rest]
        shape = rest.pop(one)
        comment = self.rng.randrange(100)
        if choice == 2:
            middle = {**rest, one: shape.change(comment=comment)}  # the rename comes last
            rest[new] = shape.change(comment=comment)
            return f"ALTER TABLE {one} RENAME TO {new}, COMMENT='{comment}'", [middle, rest]
        rest[new] = shape.change(indexed=not shape.indexed)
        change = "DROP KEY k" if shape.indexed else "ADD KEY k (v)"
        return f"ALTER TABLE {one} RENAME TO {new}, {change}, ALGORITHM=COPY", [rest]

    def draw_alter(self) -> tuple[str, list[State]]:
        name = self.pick()[0]
        shape = self.tables[name]
        clause, parts = self.draw_change(shape)
        return f"ALTER TABLE {name} {clause}", [self.with_shape(name, **parts)]

    def draw_change(self, shape: Shape) -> tuple[str, dict]:
        """A clause of ALTER TABLE and what it changes."""
        rng = self.rng
        number = rng.randrange(10, 99)
        changes = [
            (f"COMMENT='{number}'", {"comment": number}),
            ("FORCE, ALGORITHM=COPY", {}),
            (f"COMMENT='{number}', ALGORITHM=COPY", {"comment": number}),
            ("DROP KEY k" if shape.indexed else "ADD KEY k (v)", {"indexed": not shape.indexed}),
        ]
        # A kill within an instant ALTER of InnoDB may leave it a table that it cannot read
        # ("unrecognizable instant ALTER metadata", seed 168213220).
        way = ", ALGORITHM=COPY" if shape.engine == "InnoDB" else ""
        if number not in shape.added and len(shape.added) < 4:
            text = f"ADD COLUMN c{number} INT NOT NULL DEFAULT {number}{way}"
            changes.append((text, {"added": (*shape.added, number)}))
        if shape.added:
            gone = rng.choice(shape.added)
            kept = tuple(n for n in shape.added if n != gone)
            changes.append((f"DROP COLUMN c{gone}{way}", {"added": kept}))
        if number not in shape.virtual and len(shape.virtual) < 3:
            text = f"ADD COLUMN w{number} INT AS (v + {number}) VIRTUAL"
            changes.append((text, {"virtual": (*shape.virtual, number)}))
        if shape.virtual:
            kept = shape.virtual[1:]
            changes.append((f"DROP COLUMN w{shape.virtual[0]}", {"virtual": kept}))
        if shape.placed:
            clause = "DROP KEY s" if shape.spatial else "ADD SPATIAL KEY s (g)"
            changes += [(f"{clause}{way}", {"spatial": not shape.spatial})] * 2
        if shape.texted:
            clause = "DROP KEY f" if shape.searched else "ADD FULLTEXT KEY f (t)"
            changes += [(clause, {"searched": not shape.searched})] * 2
        return rng.choice(changes + self.draw_partitioning(shape) + self.draw_engine(shape))

    def draw_partitioning(self, shape: Shape) -> list[tuple[str, dict]]:
        if shape.placed or shape.texted:
            return []  # the server has no geometries in partitions; InnoDB no FULLTEXT index
        if shape.engine != "ROCKSDB":
            return []  # InnoDB's partitions may be split between two names by a crash
        if not shape.partitions:
            new = shape.change(partitions=self.rng.choice([2, 3]))
            return [(new.partition_clause(), {"partitions": new.partitions})]
        changes = [("REMOVE PARTITIONING", {"partitions": 0})]
        if shape.partitions < 6:
            changes.append(("ADD PARTITION PARTITIONS 1", {"partitions": shape.partitions + 1}))
        if shape.partitions > 2:
            changes.append(("COALESCE PARTITION 1", {"partitions": shape.partitions - 1}))
        changes.append(("REBUILD PARTITION p0", {}))
        return changes

    def draw_engine(self, shape: Shape) -> list[tuple[str, dict]]:
        if shape.partitions or shape.texted:
            return []  # InnoDB fills its FULLTEXT indexes after a crash when it gets to it
        other = "InnoDB" if shape.engine == "ROCKSDB" else "ROCKSDB"
        return [(f"ENGINE={other}", {"engine": other})]

    # --- after a kill

    def check(self, execute) -> list[Problem]:
        names = {r[0] for r in execute(f"SHOW TABLES LIKE 'd{self.number}\\_%'")}
        found: State = {}
        problems = []
        for name in sorted(names):
            try:
                found[name] = read_shape(execute, DATABASE, name)
            except Exception as error:
                text = f"table {name} cannot be read: {error}; in flight: {self.in_flight()}"
                problems.append(Problem("broken", text))
        pending, self.pending = self.pending, None
        if pending is not None:
            self.settle(found == pending[-1])
        if not problems and found not in [self.tables, *(pending or [])]:
            problems.append(Problem("lost", self.describe(found, pending)))
        self.tables = found
        return problems

    def names_in_flight(self) -> set[str]:
        """The tables of the statement that a kill has cut off. Before check, which settles it."""
        if self.pending is None:
            return set()
        return set(re.findall(r"\bd\d+_\d+\b", self.statement))

    def in_flight(self) -> str:
        return self.statement if self.pending is not None else "nothing"

    def describe(self, found: State, pending: list[State] | None) -> str:
        wanted = [self.tables, *(pending or [])]
        names = sorted(set(found) | {n for state in wanted for n in state})
        lines = [
            f"ddl {self.number}, in flight: {pending is not None}, last statement: {self.statement}"
        ]
        for name in names:
            choices = {str(state.get(name, "absent")) for state in wanted}
            lines.append(f"   {name}: {found.get(name, 'absent')}; may be {' | '.join(choices)}")
        return "\n".join(lines)


def check_files(folder: Path, known_to_innodb: set[str]) -> list[Problem]:
    """Nothing of an unfinished statement is left in the database's folder.

    A file of InnoDB counts when its dictionary knows the table (names as 'crash/d0_1').
    Others it leaves behind by itself: seen once in 134 kills, after an ALTER .. ENGINE=ROCKSDB,
    when its recovery met two names of one tablespace in its log."""
    orphans = {
        f.name
        for f in folder.glob("#sql*.ibd")
        if f"{folder.name}/{f.stem}" not in known_to_innodb and not f.with_suffix(".frm").exists()
    }
    names = {f.name for f in folder.iterdir()} - orphans
    left = [n for n in names if n.startswith("#sql") or "-new" in n]
    left += [n for n in known_to_innodb if n.startswith(f"{folder.name}/#sql")]
    left += [
        n for n in names if n.endswith(".par") and n.removesuffix(".par") + ".frm" not in names
    ]
    return [Problem("broken", f"left over: {', '.join(sorted(left)[:5])}")] if left else []


def check_log(text: str, accounted: Iterable[str] = ()) -> list[Problem]:
    """Errors in the log of one start. `accounted`: tables that a statement in flight was making or
    dropping, and those that have been read since and were whole."""
    lines = [line for line in text.splitlines() if "[ERROR]" in line]
    return [Problem("broken", line) for line in lines if not explained(line, accounted)][:5]


def explained(line: str, accounted: Iterable[str]) -> bool:
    file = FIRST_PAGE.search(line)
    return bool(EXPLAINED.search(line)) or (file is not None and file[1] in accounted)
