# SPDX-License-Identifier: GPL-2.0-only
"""Makes a schedule from a seed: the same seed, the same schedule."""

from random import Random

from tests.isolation.random_schema import VALUES, Shape, random_shape
from tests.isolation.schedule import FORMATS, LEVELS, RR, XID, Probe, Schedule, Step

SELECT_ENDS = (
    ("", 4),
    (" LOCK IN SHARE MODE", 4),
    (" FOR UPDATE", 5),
    (" FOR UPDATE SKIP LOCKED", 1),
    (" FOR UPDATE NOWAIT", 1),
    (" LOCK IN SHARE MODE SKIP LOCKED", 1),
    (" LOCK IN SHARE MODE NOWAIT", 1),
)

UNKNOWN = ("NULL", "DEFAULT")  # what finds no duplicate, or one only the table knows


def weighted(random: Random, pairs):
    choices, weights = zip(*pairs, strict=True)
    return random.choices(choices, weights)[0]


def make(seed: int) -> Schedule:
    return Generator(seed).make()


class Generator:
    def __init__(self, seed: int):
        self.seed = seed
        # neighbouring seeds give unlike schedules
        self.random = Random(f"isolation {seed}")
        self.copies = 0

    def make(self) -> Schedule:
        random = self.random
        self.shapes = [random_shape(random, "t1")]
        if random.random() < 0.6:
            self.shapes.append(random_shape(random, "t2"))
        sessions = random.choice((2, 2, 3))
        level = random.choice((*LEVELS, RR))
        levels = [level] * sessions
        if random.random() < 0.25:
            levels = [random.choice(LEVELS) for _ in levels]
        schedule = Schedule(
            self.seed, [shape.table for shape in self.shapes], levels, random.choice(FORMATS)
        )
        self.add_routines(schedule)
        self.open = [""] * sessions  # "", "BEGIN", "XA", "PREPARED", "AUTOCOMMIT"
        for _ in range(random.randrange(6, 17)):
            schedule.steps.append(self.step(random.randrange(sessions)))
        for session in random.sample(range(sessions), sessions):
            schedule.steps += self.end(session)
        return schedule

    # functions and triggers -----------------------------------------------------------------------

    def add_routines(self, schedule: Schedule) -> None:
        self.function = None
        self.triggers: dict[tuple[str, str], tuple[Probe, ...]] = {}
        first, last = self.shapes[0], self.shapes[-1]
        if self.random.random() < 0.2:
            column = self.random.choice("bc")
            schedule.routines.append(
                "CREATE FUNCTION f1(x INT) RETURNS INT READS SQL DATA"
                f" RETURN (SELECT MAX({column}) FROM {last.name} WHERE b >= x)"
            )
            self.function = last
        if len(self.shapes) == 2 and self.random.random() < 0.2:
            event = self.random.choice(("INSERT", "UPDATE"))
            schedule.routines.append(
                f"CREATE TRIGGER r1 BEFORE {event} ON {first.name} FOR EACH ROW"
                f" SET NEW.c = (SELECT MIN(b + c) FROM {last.name})"
            )
            self.triggers[first.name, event] = (Probe(last.name, shared=True, per_row=True),)

    # the course of a session ----------------------------------------------------------------------

    def step(self, session: int) -> Step:
        state, random = self.open[session], self.random
        if state == "PREPARED":
            return self.become(session, "", f"XA {random.choice(('COMMIT', 'ROLLBACK'))} {XID}")
        if state == "":
            begin = random.random()
            if begin < 0.45:
                return self.become(session, "BEGIN", "BEGIN")
            if begin < 0.5:
                return self.become(session, "XA", f"XA START {XID}")
            if begin < 0.55:
                return self.become(session, "AUTOCOMMIT", "SET SESSION autocommit=0")
            return self.statement(session)
        if state == "ENDED":
            return self.become(session, "PREPARED", f"XA PREPARE {XID}")
        if random.random() < 0.15:
            return self.end(session)[0]
        if random.random() < 0.1 and state != "XA":
            return Step(session, random.choice(("SAVEPOINT p1", "ROLLBACK TO SAVEPOINT p1")))
        return self.statement(session)

    def become(self, session: int, state: str, sql: str) -> Step:
        self.open[session] = state
        return Step(session, sql)

    def end(self, session: int) -> list[Step]:
        """Ends the transaction of a session, in one or more statements."""
        state = self.open[session]
        if state == "XA":
            self.open[session] = "ENDED"
            return [Step(session, f"XA END {XID}"), Step(session, f"XA PREPARE {XID}")]
        if state == "ENDED":
            return [Step(session, f"XA PREPARE {XID}")]
        self.open[session] = state if state == "AUTOCOMMIT" else ""
        if state == "PREPARED":
            return [Step(session, f"XA COMMIT {XID}")]
        return [Step(session, self.random.choice(("COMMIT", "COMMIT", "ROLLBACK")))]

    def statement(self, session: int) -> Step:
        kind = weighted(
            self.random,
            (
                (self.select, 26),
                (self.insert, 18),
                (self.insert_select, 10),
                (self.update, 20),
                (self.update_subselect, 5),
                (self.update_two, 3),
                (self.delete, 12),
                (self.delete_subselect, 4),
                (self.delete_two, 2),
                (self.copy_table, 1),
                (self.replace_row, 4),
            ),
        )
        sql, locks, explained = kind()
        return Step(session, sql, tuple(locks), explained)

    # pieces ---------------------------------------------------------------------------------------

    def shape(self) -> Shape:
        return self.random.choice(self.shapes)

    def value(self, shape: Shape, column: str) -> str:
        null = column == "c" and self.random.random() < 0.1
        return shape.literal(column, None if null else self.random.choice(VALUES))

    def condition(self, shape: Shape, prefix: str = "") -> tuple[str, str]:
        """A condition on one column, and the column."""
        column = self.random.choice("aaabbc")
        low, high = sorted(self.random.choice(VALUES) for _ in range(2))
        low, high = shape.literal(column, low), shape.literal(column, high)
        name = prefix + column
        made = weighted(
            self.random,
            (
                (f"{name} = {low}", 8),
                (f"{name} IN ({low}, {high})", 3),
                (f"{name} BETWEEN {low} AND {high}", 4),
                (f"{name} < {high}", 2),
                (f"{name} > {low}", 2),
                (f"{name} >= {low}", 1),
                (f"{name} <= {high}", 1),
                (f"{name} <=> {low}", 1),
                (f"{name} IS NULL", 1 if column == "c" else 0),
            ),
        )
        return made, column

    def where(self, shape: Shape, prefix: str = "") -> tuple[str, str]:
        """A WHERE clause or nothing, and the column that an index could serve."""
        if self.random.random() < 0.08:
            return "", ""
        made, column = self.condition(shape, prefix)
        if self.random.random() < 0.2:
            made += " AND " + self.condition(shape, prefix)[0]
        return f" WHERE {made}", column

    def hint(self, shape: Shape, column: str) -> str:
        """The index by name: left alone, the optimizer may choose by what an engine estimates."""
        keys = shape.keys_of(column)
        return f" FORCE INDEX ({self.random.choice(keys)})" if keys else ""

    def source(self, shape: Shape) -> tuple[str, str]:
        """Table with index and WHERE of a read, and the WHERE alone."""
        where, column = self.where(shape)
        return f"{shape.name}{self.hint(shape, column)}{where}", where

    def order(self, shape: Shape) -> str:
        """An order without ties, so that LIMIT has one answer."""
        if self.random.random() < 0.5:
            return " ORDER BY a, b, c" if shape.kind in ("none", "two") else " ORDER BY a"
        way = self.random.choice(("", " DESC"))
        return f" ORDER BY b{way}, a{way}, c{way}"

    def limit(self, shape: Shape) -> str:
        return f"{self.order(shape)} LIMIT {self.random.choice((1, 1, 2))}"

    # statements: text, sets of rows that are locked, whether EXPLAIN takes it

    def select(self):
        shape = self.shape()
        source, where = self.source(shape)
        what = self.random.choice(("*", "*", "a", "b", "c", "COUNT(*), MIN(b), MAX(b)"))
        if what == "*" and self.random.random() < 0.15:
            source += self.limit(shape)
        elif len(self.shapes) == 2 and self.random.random() < 0.1:
            what, source = "*", self.join(self.where(self.shapes[0], "t1.")[0])
        end = weighted(self.random, SELECT_ENDS)
        locks = [Probe(source, "UPDATE" not in end)] if "SKIP" not in end else []
        return f"SELECT {what} FROM {source}{end}", locks, True

    def join(self, where: str) -> str:
        first, last = self.shapes
        return f"{first.name} STRAIGHT_JOIN {last.name} ON {first.name}.b = {last.name}.b{where}"

    def row(self, shape: Shape) -> list[str]:
        values = [self.value(shape, column) for column in "abc"]
        if shape.auto and self.random.random() < 0.5:
            values[0] = self.random.choice(("NULL", "DEFAULT"))
        if self.function and self.random.random() < 0.2:
            values[2] = f"f1({self.random.choice(VALUES)})"
        elif self.random.random() < 0.1:
            other = self.shapes[-1] if shape is self.shapes[0] else self.shapes[0]
            if other is not shape:
                values[2] = f"(SELECT MAX(b) FROM {other.name}{self.where(other)[0]})"
        return values

    def insert(self):
        shape = self.shape()
        ignore = self.random.choice(("", "", "", " IGNORE"))
        rows = [self.row(shape) for _ in range(self.random.choice((1, 1, 1, 2, 3)))]
        sql = f"INSERT{ignore} INTO {shape.name} VALUES {', '.join(map(row_text, rows))}"
        update = not ignore and self.random.random() < 0.3
        if update:
            sql += f" ON DUPLICATE KEY UPDATE {self.assignment(shape, 'bbc')}"
        locks = duplicates(shape, rows, shared=not update)
        return sql, locks + self.of_trigger(shape, "INSERT"), "(SELECT" in sql

    def replace_row(self):
        shape = self.shape()
        row = self.row(shape)
        locks = duplicates(shape, [row], shared=False) + self.of_trigger(shape, "INSERT")
        sql = f"REPLACE INTO {shape.name} VALUES {row_text(row)}"
        return sql, locks, "(SELECT" in sql

    def insert_select(self):
        target, read = self.shape(), self.shape()
        where, column = self.where(read)
        verb = self.random.choice(
            ("INSERT INTO", "INSERT INTO", "INSERT IGNORE INTO", "REPLACE INTO")
        )
        first = "a"
        if target.string and not read.string:
            first = "CHAR(96 + a % 20)"
        elif read.string and not target.string:
            first = "ASCII(a) - 96"
        if self.random.random() < 0.5:
            more = self.random.choice((1, 2, 5))
            first = (
                f"CHAR(ASCII(a) + {more})" if first == "a" and read.string else f"{first} + {more}"
            )
            if target.string and not read.string:
                first = f"CHAR(96 + (a + {more}) % 20)"
        if target.auto and self.random.random() < 0.3:
            first = "NULL"
        source = f"{read.name}{self.hint(read, column)}{where}"
        sql = f"{verb} {target.name} SELECT {first}, b, c FROM {source}"
        if self.random.random() < 0.2:
            sql += self.order(read)
        if verb == "INSERT INTO" and self.random.random() < 0.2:
            sql += f" ON DUPLICATE KEY UPDATE {target.name}.c = {self.random.choice(VALUES)}"
        locks = [Probe(source, shared=True), *self.of_trigger(target, "INSERT")]
        return sql, locks, True

    def assignment(self, shape: Shape, columns: str = "abbccc") -> str:
        column = self.random.choice(columns)
        if column == "a" and shape.string:
            return f"a = {self.value(shape, 'a')}"
        return weighted(
            self.random,
            (
                (f"{column} = {column} + {self.random.choice((1, 1, 3, 10))}", 3),
                (f"{column} = {self.value(shape, column)}", 3),
                (f"{column} = {column}", 0.3),
            ),
        )

    def of_trigger(self, shape: Shape, event: str) -> list[Probe]:
        return list(self.triggers.get((shape.name, event), ()))

    def update(self):
        shape = self.shape()
        where, column = self.where(shape)
        hint = self.hint(shape, column)
        tail, ignore = "", self.random.choice(("", "", "", "", "IGNORE "))
        if self.random.random() < 0.12:
            tail, hint = self.limit(shape), ""
        assignment = self.assignment(shape)
        if self.function and self.random.random() < 0.2:
            assignment = f"c = f1({self.random.choice(VALUES)})"
        sql = f"UPDATE {ignore}{shape.name}{hint} SET {assignment}{where}{tail}"
        locks = [Probe(f"{shape.name}{hint}{where}{tail}"), *self.of_trigger(shape, "UPDATE")]
        return sql, locks, True

    def update_subselect(self):
        shape, read = self.shapes[0], self.shapes[-1]
        where, column = self.where(shape)
        inner = self.where(read)[0]
        if shape is read:
            return self.update()
        # a plain MAX(b) would be read from one entry of an index, and lock only that
        what = self.random.choice(("MAX(b + 0)", "MIN(c + 0)", "COUNT(*)"))
        hinted = shape.name + self.hint(shape, column)
        sql = f"UPDATE {hinted} SET c = (SELECT {what} FROM {read.name}{inner}){where}"
        locks = [
            Probe(hinted + where),
            Probe(read.name + inner, shared=True, per_row=True),
        ]
        return sql, locks + self.of_trigger(shape, "UPDATE"), True

    def update_two(self):
        if len(self.shapes) == 1:
            return self.update()
        first, last = self.shapes
        where = self.where(first, f"{first.name}.")[0]
        join = self.join("")
        changed = self.random.choice((first, last)).name
        sql = f"UPDATE {join} SET {changed}.c = {self.random.choice(VALUES)}{where}"
        return sql, self.joined(where, [changed]), True

    def joined(self, where: str, changed: list[str]) -> list[Probe]:
        """What a statement locks that changes these of two tables: from REPEATABLE READ on both."""
        names = [shape.name for shape in self.shapes]
        match = f"{names[0]}.b = {names[1]}.b" + where.replace(" WHERE ", " AND ")
        low = [
            Probe(f"{name} WHERE EXISTS (SELECT 1 FROM {other} WHERE {match})", only="low")
            for name, other in (names, names[::-1])
            if name in changed
        ]
        return [Probe(self.join(where), only="high"), *low]

    def delete(self):
        shape = self.shape()
        where, column = self.where(shape)
        if self.random.random() < 0.2:
            source = f"{shape.name}{where}{self.limit(shape)}"
            return f"DELETE FROM {source}", [Probe(source)], True
        hint = self.hint(shape, column)
        sql = f"DELETE FROM {shape.name}{where}"
        if hint:
            sql = f"DELETE {shape.name} FROM {shape.name}{hint}{where}"
        return sql, [Probe(shape.name + hint + where)], True

    def delete_subselect(self):
        if len(self.shapes) == 1:
            return self.delete()
        first, last = self.shapes
        inner = self.where(last)[0]
        column = self.random.choice("bc")
        source = f"{first.name} WHERE {column} = (SELECT MAX({column} + 0) FROM {last.name}{inner})"
        return f"DELETE FROM {source}", [Probe(source), Probe(last.name + inner, shared=True)], True

    def delete_two(self):
        if len(self.shapes) == 1:
            return self.delete()
        first, last = self.shapes
        where = self.where(first, f"{first.name}.")[0]
        which = self.random.choice(("t1", "t1, t2", "t2"))
        changed = which.split(", ")
        return f"DELETE {which} FROM {self.join(where)}", self.joined(where, changed), True

    def copy_table(self):
        read = self.shape()
        source, _ = self.source(read)
        self.copies += 1
        sql = f"CREATE TABLE n{self.copies} ENGINE={{engine}} SELECT * FROM {source}"
        return sql, [], True


def row_text(values: list[str]) -> str:
    return f"({', '.join(values)})"


def duplicates(shape: Shape, rows: list[list[str]], shared: bool) -> list[Probe]:
    """The rows that refuse one of these, where plain values tell which these are."""
    found = []
    for _, columns, unique in shape.keys:
        for row in rows if unique else ():
            values = [row["abc".index(column)] for column in columns]
            if all(value.strip("'").isalnum() and value not in UNKNOWN for value in values):
                pairs = zip(columns, values, strict=True)
                where = " AND ".join(f"{column} = {value}" for column, value in pairs)
                found.append(Probe(f"{shape.name} WHERE {where}", shared, values=True))
    return found
