# SPDX-License-Identifier: GPL-2.0-only
"""Histories with foreign keys from a seed: two to four tables that refer to one another and to
themselves, in one database or two, then writes of all forms, transactions and DDL.

Rules that keep the right answer unique: a statement that works on several rows has an ORDER BY
that is total, because a constraint is checked row by row; those of several tables take one row
each.
"""

from tests.foreign_keys import model
from tests.foreign_keys.model import Column, Key, Table
from tests.kit.side_by_side.history import History
from tests.kit.side_by_side.statement import Statement

SESSION = ("SET NAMES utf8mb4", "SET time_zone = '+00:00'", "SET timestamp = 1700000000")
# What else is INSTANT in the same statement is an engine's own affair.
ALGORITHMS = ("", "", "", ", ALGORITHM=COPY", ", ALGORITHM=INPLACE")


class Generator(History):
    def __init__(self, seed: int, length: int):
        super().__init__(seed, length)
        rng = self.rng
        self.fresh = 0
        self.tables: list[Table] = []
        self.checks = True
        self.changes_schema = rng.random() < 0.6
        self.switches_checks = rng.random() < 0.25
        self.kinds = [rng.choice(["int", rng.choice(list(model.KINDS))])]
        if rng.random() < 0.4:
            self.kinds.append(rng.choice(list(model.KINDS)))
        self.queue = [Statement(s) for s in SESSION]
        self.queue.append(Statement("CREATE TABLE n (v INT)", compare="none"))
        self.queue.append(Statement("INSERT INTO n VALUES (0)"))
        self.make_tables()

    def draw(self) -> Statement:
        roll = self.rng.random()
        if not self.tables or (roll < 0.08 and self.changes_schema):
            self.in_transaction = False  # DDL ends it
            return self.change_schema()
        if roll < 0.20:
            return self.transaction_step()
        if roll < 0.23 and self.switches_checks:
            self.checks = not self.checks
            return Statement(f"SET foreign_key_checks = {int(self.checks)}")
        table = self.rng.choice(self.tables)
        if roll < 0.28:
            return self.look(table)
        return self.write(table)

    def look(self, table: Table) -> Statement:
        where = f" WHERE {self.condition(table)}" if self.rng.random() < 0.5 else ""
        return Statement(f"SELECT * FROM {table.name}{where}", compare="multiset")

    # --- tables

    def make_tables(self) -> None:
        """All at once without checks, so that circles are made as well, or by ALTER with them."""
        rng = self.rng
        count = rng.choice([2, 2, 3, 3, 4])
        tables = [self.random_table() for _ in range(count)]
        later = rng.random() < 0.4
        if not later:
            self.queue.append(Statement("SET foreign_key_checks = 0"))
        constraints = [self.constraints(t, tables) for t in tables]
        for table, found in zip(tables, constraints, strict=True):
            self.queue.append(self.create(table, [] if later else found))
        for table, found in zip(tables, constraints, strict=True):
            for text in found if later else []:
                self.queue.append(self.alter(table, [f"ADD {text}"]))
        self.queue.append(Statement("SET foreign_key_checks = 1"))
        for _ in range(2):
            self.queue += [self.insert(t, rng.randint(2, 6), "INSERT IGNORE") for t in tables]
        if rng.random() < 0.15:
            event = rng.choice(["DELETE", "UPDATE", "INSERT"])
            table = rng.choice(tables).name
            database = "{other}." if "." in table else ""
            self.queue.append(
                Statement(
                    f"CREATE TRIGGER {database}fired AFTER {event} ON {table}"
                    " FOR EACH ROW UPDATE {here}.n SET v = v + 1"
                )
            )

    def random_table(self) -> Table:
        name = f"t{self.fresh}"
        self.fresh += 1
        if self.rng.random() < 0.12:
            name = f"{{other}}.{name}"
        return model.random_table(self.rng, name, self.kinds)

    def constraints(self, child: Table, tables: list[Table]) -> list[str]:
        found = []
        for _ in range(self.rng.choice([0, 1, 1, 1, 2, 3])):
            parent = child if self.rng.random() < 0.15 else self.rng.choice(tables)
            found.append(self.constraint(child, parent))
        return [text for text in found if text]

    def constraint(self, child: Table, parent: Table) -> str:
        made = model.random_constraint(self.rng, child, parent)
        if made is None:
            return ""
        text, name = made
        if name:
            child.constraints.append(name)
        return self.full_names(text, child, parent)

    def full_names(self, text: str, child: Table, parent: Table) -> str:
        """Of a child in the other database, the parent's name says which is meant."""
        if "." in child.name and "." not in parent.name:
            text = text.replace(f"REFERENCES {parent.name} ", f"REFERENCES {{here}}.{parent.name} ")
        return text

    def create(self, table: Table, constraints: list[str]) -> Statement:
        items = [c.ddl() for c in table.columns] + [k.ddl() for k in table.keys] + constraints
        return Statement(
            f"CREATE TABLE {table.name} (",
            items,
            tail=")",
            compare="none",
            exact_error=True,
            note=lambda: self.tables.append(table),
        )

    # --- rows

    def row(self, table: Table) -> list[str]:
        return [c.literal(self.rng) for c in table.writable()]

    def insert(self, table: Table, count: int, verb: str = "INSERT") -> Statement:
        names = [c.name for c in table.writable()]
        rows = [self.row(table) for _ in range(count)]
        return Statement(f"{verb} INTO {table.name}", columns=names, rows=rows, exact_error=True)

    def write(self, table: Table) -> Statement:
        rng = self.rng
        forms = [
            (20, lambda: self.insert(table, rng.choice([1, 1, 1, 2, 4]))),
            (8, lambda: self.insert(table, rng.choice([1, 3]), "INSERT IGNORE")),
            (8, lambda: self.insert(table, rng.choice([1, 1, 3]), "REPLACE")),
            (7, lambda: self.upsert(table)),
            (6, lambda: self.insert_select(table)),
            (24, lambda: self.update(table)),
            (5, lambda: self.update(table, " IGNORE")),
            (14, lambda: self.delete(table)),
            (3, lambda: self.delete(table, " IGNORE")),
            (3, lambda: self.update_two(table)),
            (3, lambda: self.delete_two(table)),
        ]
        return rng.choices([f for _, f in forms], [weight for weight, _ in forms])[0]()

    def upsert(self, table: Table) -> Statement:
        statement = self.insert(table, self.rng.choice([1, 1, 2]))
        column = self.rng.choice(table.writable())
        value = self.rng.choice([column.literal(self.rng), f"VALUES({column.name})"])
        statement.tail = f" ON DUPLICATE KEY UPDATE {column.name} = {value}"
        return statement

    def insert_select(self, table: Table) -> Statement:
        rng = self.rng
        source = rng.choice(self.tables)
        fields = []
        for column in table.writable():
            same = [c.name for c in source.columns if c.kind == column.kind]
            fields.append(
                f"s.{rng.choice(same)}" if same and rng.random() < 0.6 else column.literal(rng)
            )
        names = ", ".join(c.name for c in table.writable())
        verb = rng.choice(["INSERT", "INSERT IGNORE", "REPLACE"])
        return Statement(
            f"{verb} INTO {table.name} ({names}) SELECT {', '.join(fields)} FROM {source.name} s"
            f" ORDER BY {source.total_order('s.')} LIMIT {rng.choice([1, 3, 20])}",
            exact_error=True,
        )

    def condition(self, table: Table, prefix: str = "") -> str:
        rng = self.rng
        column = rng.choice(table.writable())
        value = rng.choice(model.KINDS[column.kind][1])
        operator = rng.choice(["=", "=", "=", "=", ">=", "<", "<>"])
        return f"{prefix}{column.name} {operator} {value}"

    def assignment(self, table: Table) -> str:
        rng = self.rng
        columns = rng.sample(table.writable(), rng.choice([1, 1, 1, 2]))
        found = []
        for column in columns:
            step = f"{column.name} {rng.choice('+-')} 1"
            by_step = column.kind in ("int", "big") and rng.random() < 0.25
            found.append(f"{column.name} = {step if by_step else column.literal(rng)}")
        return ", ".join(found)

    def update(self, table: Table, ignore: str = "") -> Statement:
        order = table.total_order(direction=self.rng.choice([" ASC", " DESC"]))
        limit = self.rng.choice(["", "", " LIMIT 1", " LIMIT 2"])
        return Statement(
            f"UPDATE{ignore} {table.name} SET {self.assignment(table)}"
            f" WHERE {self.condition(table)} ORDER BY {order}{limit}",
            exact_error=True,
        )

    def delete(self, table: Table, ignore: str = "") -> Statement:
        order = table.total_order(direction=self.rng.choice([" ASC", " DESC"]))
        limit = self.rng.choice(["", "", " LIMIT 1", " LIMIT 2"])
        return Statement(
            f"DELETE{ignore} FROM {table.name} WHERE {self.condition(table)}"
            f" ORDER BY {order}{limit}",
            exact_error=True,
        )

    def one_row(self, table: Table, prefix: str) -> str:
        """A condition that at most one row fulfils; '' when no key says so."""
        primary = next((k for k in table.keys if k.name == "PRIMARY"), None)
        if primary is None:
            return ""
        values = [self.rng.choice(model.KINDS[table.column(p).kind][1]) for p in primary.parts]
        pairs = zip(primary.parts, values, strict=True)
        return " AND ".join(f"{prefix}{part} = {value}" for part, value in pairs)

    def update_two(self, table: Table) -> Statement:
        other = self.rng.choice(self.tables)
        ours, theirs = self.one_row(table, "x."), self.one_row(other, "y.")
        if not ours or not theirs:
            return self.update(table)
        column = self.rng.choice(table.writable())
        return Statement(
            f"UPDATE {table.name} x JOIN {other.name} y SET x.{column.name} ="
            f" {column.literal(self.rng)} WHERE {ours} AND {theirs}",
            exact_error=True,
        )

    def delete_two(self, table: Table) -> Statement:
        other = self.rng.choice(self.tables)
        ours, theirs = self.one_row(table, "x."), self.one_row(other, "y.")
        if not ours or not theirs:
            return self.delete(table)
        return Statement(
            f"DELETE {self.rng.choice(['x', 'y'])} FROM {table.name} x STRAIGHT_JOIN {other.name} y"
            f" WHERE {ours} AND {theirs}",
            exact_error=True,
        )

    # --- transactions

    def transaction_step(self) -> Statement:
        rng = self.rng
        if not self.in_transaction:
            self.in_transaction = True
            return Statement("START TRANSACTION")
        roll = rng.random()
        if roll < 0.35:
            return self.end_transaction()
        verb = rng.choice(["SAVEPOINT", "SAVEPOINT", "ROLLBACK TO SAVEPOINT"])
        return Statement(f"{verb} s{rng.randint(0, 1)}")

    def end_transaction(self) -> Statement:
        self.in_transaction = False
        return Statement(self.rng.choice(["COMMIT", "COMMIT", "ROLLBACK"]))

    # --- DDL

    def change_schema(self) -> Statement:
        rng = self.rng
        if not self.tables or (rng.random() < 0.08 and len(self.tables) < 5):
            table = self.random_table()
            return self.create(table, self.constraints(table, [*self.tables, table]))
        table = rng.choice(self.tables)
        choices = [self.add_constraint] * 5 + [self.drop_constraint] * 3
        choices += [self.add_key, self.drop_key, self.drop_key, self.modify, self.modify]
        choices += [self.rename_column, self.rename_column, self.rename, self.rename]
        choices += [self.drop_column, self.add_column, self.truncate, self.rebuild, self.drop]
        return rng.choice(choices)(table)

    def alter(self, table: Table, clauses: list[str], note=None, end: str = "") -> Statement:
        return Statement(
            f"ALTER TABLE {table.name} ",
            clauses,
            tail=end,
            compare="none",
            exact_error=True,
            note=note,
        )

    def algorithm(self, clauses: list[str]) -> str:
        """InnoDB adds no foreign key in place, and ROCKSDB does."""
        adds = any(c.startswith("ADD ") and "FOREIGN KEY" in c for c in clauses)
        return self.rng.choice([a for a in ALGORITHMS if not (adds and "INPLACE" in a)])

    def add_constraint(self, table: Table) -> Statement:
        rng = self.rng
        made = [
            self.constraint(table, rng.choice(self.tables)) for _ in range(rng.choice([1, 1, 2]))
        ]
        clauses = [f"ADD {text}" for text in made if text]
        if rng.random() < 0.15:
            clauses.append("COMMENT 'x'")
        if not clauses:
            return self.rebuild(table)
        return self.alter(table, clauses, end=self.algorithm(clauses))

    def drop_constraint(self, table: Table) -> Statement:
        rng = self.rng
        made = [f"{table.bare_name()}_ibfk_{n}" for n in (1, 2)]
        names = rng.sample([*table.constraints, *made], rng.choice([1, 1, 2]))
        clauses = [f"DROP FOREIGN KEY {rng.choice(['', 'IF EXISTS '])}{name}" for name in names]
        if rng.random() < 0.2:
            text = self.constraint(table, rng.choice(self.tables))
            clauses += [f"ADD {text}"] if text else []
        return self.alter(table, clauses, end=self.algorithm(clauses))

    def add_key(self, table: Table) -> Statement:
        names = [c.name for c in table.columns if c.name != "v"]
        parts = self.rng.sample(names, min(len(names), self.rng.choice([1, 1, 2])))
        head = self.rng.choice(["KEY", "KEY", "UNIQUE KEY"])
        key = model.random_key(self.rng, f"j{self.fresh}", head, parts)
        self.fresh += 1
        # In place it would be the last one in InnoDB, also in the order of checks
        # (docs/compatibility.md).
        end = ", ALGORITHM=COPY" if head == "UNIQUE KEY" else ""
        made = self.alter(table, [f"ADD {key.ddl()}"], lambda: table.keys.append(key), end)
        if head == "UNIQUE KEY":
            made.exact_error = False  # each engine names a duplicate of its own choice
        return made

    def drop_key(self, table: Table) -> Statement:
        if not table.keys:
            return self.add_key(table)
        key: Key = self.rng.choice(table.keys)
        # InnoDB loses foreign keys that had the index by a copy without checks, and by DROP PRIMARY
        # KEY in place where a unique key takes its place (docs/compatibility.md).
        end = self.rng.choice(["", "", ", ALGORITHM=COPY"]) if self.checks else ""
        clause = f"DROP KEY {key.name}"
        if key.name == "PRIMARY":
            if not self.checks:
                return self.add_key(table)
            clause, end = "DROP PRIMARY KEY", ", ALGORITHM=COPY"
        return self.alter(table, [clause], lambda: table.keys.remove(key), end)

    def modify(self, table: Table) -> Statement:
        """Another type, or NULL and NOT NULL."""
        column = self.rng.choice(table.writable())
        changed = Column(column.name, column.kind, not column.nullable)
        if self.rng.random() < 0.3:
            changed = Column(column.name, self.rng.choice(self.kinds), column.nullable)

        def note() -> None:
            column.kind, column.nullable = changed.kind, changed.nullable
            if any(k.name == "PRIMARY" and column.name in k.parts for k in table.keys):
                column.nullable = False

        return self.alter(table, [f"MODIFY {changed.ddl()}"], note)

    def rename_column(self, table: Table) -> Statement:
        column = self.rng.choice([c for c in table.columns if c.name != "v"])
        old, new = column.name, f"{column.name.rstrip('0123456789')}{self.fresh}"
        self.fresh += 1

        def note() -> None:
            column.name = new
            for other in table.columns:
                other.expression = other.expression.replace(f"{old} + 0", f"{new} + 0")
            for key in table.keys:
                key.parts = [new if p == old else p for p in key.parts]

        end = self.rng.choice(["", "", ", ALGORITHM=COPY"])
        return self.alter(table, [f"RENAME COLUMN {old} TO {new}"], note, end)

    def drop_column(self, table: Table) -> Statement:
        free = [c for c in table.writable() if c.name != "v"]
        if len(free) < 2:
            return self.add_column(table)
        column = self.rng.choice(free)

        def note() -> None:
            table.columns.remove(column)
            for key in table.keys:
                key.parts = [p for p in key.parts if p != column.name]
            table.keys = [k for k in table.keys if k.parts]

        return self.alter(table, [f"DROP COLUMN {column.name}"], note)

    def add_column(self, table: Table) -> Statement:
        column = Column(f"d{self.fresh}", self.rng.choice(self.kinds))
        self.fresh += 1
        clauses = [f"ADD COLUMN {column.ddl()}"]
        parent = self.rng.choice(self.tables)
        near = parent is not table and "." not in parent.name + table.name
        leading = parent.keys[0].parts[0] if parent.keys and near else ""
        if leading and parent.column(leading).kind == column.kind:
            clauses[0] += f" REFERENCES {parent.name} ({leading})"
        return self.alter(table, clauses, lambda: table.columns.append(column))

    def rename(self, table: Table) -> Statement:
        new = f"t{self.fresh}"
        self.fresh += 1
        if self.rng.random() < 0.2:
            new = f"{{other}}.{new}"
        pairs = [(table, new)]
        other = self.rng.choice(self.tables)
        if other is not table and self.rng.random() < 0.4:  # the old name is free again
            pairs.append((other, table.name))

        def note() -> None:
            for renamed, name in pairs:
                renamed.name = name

        text = ", ".join(f"{old.name} TO {name}" for old, name in pairs)
        return Statement(f"RENAME TABLE {text}", compare="none", exact_error=True, note=note)

    def rebuild(self, table: Table) -> Statement:
        # InnoDB's FORCE is no copy
        clause = self.rng.choice(["FORCE, ALGORITHM=COPY", "COMMENT 'y'"])
        return self.alter(table, [clause])

    def truncate(self, table: Table) -> Statement:
        return Statement(f"TRUNCATE TABLE {table.name}", exact_error=True)

    def drop(self, table: Table) -> Statement:
        return Statement(
            f"DROP TABLE {table.name}",
            compare="none",
            exact_error=True,
            note=lambda: self.tables.remove(table),
        )
