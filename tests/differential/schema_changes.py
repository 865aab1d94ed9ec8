# SPDX-License-Identifier: GPL-2.0-only
"""Statements that change a table. What the generator believes of it changes with the `note` of the
statement, which is called when it has succeeded."""

from dataclasses import replace
from random import Random

from tests.differential import geometries
from tests.kit.side_by_side import schema, values
from tests.kit.side_by_side.schema import Column, Key, Table
from tests.kit.side_by_side.statement import Statement

LONGEST_IN_KEY = 190  # characters


class SchemaChanges:
    """`made`: a number that new names get."""

    def __init__(self, rng: Random, made: int):
        self.rng = rng
        self.made = made

    def alter(self, table: Table, clause: str, note=None) -> Statement:
        # rows "affected" by DDL tell the algorithm, not a result
        return Statement(f"ALTER TABLE {table.name} {clause}", compare="none", note=note)

    def truncate(self, table: Table) -> Statement:
        return Statement(f"TRUNCATE TABLE {table.name}")

    def rename(self, table: Table) -> Statement:
        new = f"r{self.made}"

        def done():
            table.name = new

        return Statement(f"RENAME TABLE {table.name} TO {new}", note=done)

    def rebuild(self, table: Table) -> Statement:
        clause = self.rng.choice(["FORCE", "COMMENT = 'again'", "ALGORITHM=COPY, FORCE"])
        return self.alter(table, clause)

    def analyze(self, table: Table) -> Statement:
        return Statement(f"ANALYZE TABLE {table.name}", compare="none")

    def add_column(self, table: Table) -> Statement:
        rng = self.rng
        column = Column(f"n{self.made}", values.random_type(rng), rng.random() < 0.7)
        if rng.random() < 0.3:
            column = schema.generated_column(rng, table, f"n{self.made}") or column
        # copying checks the rule of JSON, which the '' of NOT NULL breaks; the peer does not copy
        column.nullable = column.nullable or column.type.sql == "JSON"
        if rng.random() < 0.1 and not table.partitions:
            column = Column(f"n{self.made}", geometries.random_type(rng), False)
        default = ""
        is_geometry = geometries.is_geometry(column)
        if not column.expression and (is_geometry or rng.random() < 0.6):
            default = self.default(column)
        at = rng.choice(["", " FIRST", f" AFTER {rng.choice(table.columns).name}"])
        if column.expression:
            at = ""  # expressions may not look forward to other generated columns

        def done():
            if at == " FIRST":
                table.columns.insert(0, column)
            elif at:
                names = [c.name for c in table.columns]
                table.columns.insert(names.index(at.split()[1]) + 1, column)
            else:
                table.columns.append(column)

        return self.alter(table, f"ADD COLUMN {column.ddl()}{default}{at}", done)

    def default(self, column: Column) -> str:
        """A constant, or an expression that is the same for all rows; a BLOB's is one."""
        literal = column.type.literal(self.rng)
        if geometries.is_geometry(column):
            return f" DEFAULT ({literal})"
        if column.type.is_blob:
            return f" DEFAULT {literal}"
        if column.type.sql == "DATE" or column.type.sql.startswith(("DATETIME", "TIMESTAMP")):
            return self.rng.choice([f" DEFAULT {literal}", " DEFAULT (NOW(6))"])
        return self.rng.choice([f" DEFAULT {literal}", f" DEFAULT (COALESCE(NULL, {literal}))"])

    def add_key(self, table: Table) -> Statement:
        key = schema.random_key(self.rng, table, f"x{self.made}")
        key.unique = not table.automatic and self.rng.random() < 0.2
        # Of two unique keys that a row violates, the first counts: in the peer the older one, if
        # it adds the younger in place; else, as here, the first in SHOW CREATE TABLE.
        both = key.unique and any(k.unique and k.name != "PRIMARY" for k in table.keys)
        clause = f"ADD {key.ddl()}{', ALGORITHM=COPY' if both else ''}"
        return self.alter(table, clause, lambda: table.keys.append(key))

    def add_spatial_key(self, table: Table) -> Statement:
        """Maybe in the place of one that is there, in one statement."""
        key = geometries.new_key(self.rng, table, f"x{self.made}")
        if key is None:
            return self.rebuild(table)
        old = next((k for k in table.keys if k.spatial), None)
        if old is None or self.rng.random() < 0.7:
            return self.alter(table, f"ADD {key.ddl()}", lambda: table.keys.append(key))

        def done():
            table.keys.remove(old)
            table.keys.append(key)

        return self.alter(table, f"DROP KEY {old.name}, ADD {key.ddl()}", done)

    def drop_key(self, table: Table) -> Statement:
        keys = [k for k in table.keys if k.name != "PRIMARY"]
        if not keys:
            return self.add_key(table)
        key = self.rng.choice(keys)
        return self.alter(table, f"DROP KEY {key.name}", lambda: table.keys.remove(key))

    def drop_column(self, table: Table) -> Statement:
        free = [c for c in table.columns if c.name not in table.needed()]
        if len(free) < 2:
            return self.add_column(table)
        column = self.rng.choice(free)
        return self.alter(table, f"DROP COLUMN {column.name}", lambda: table.columns.remove(column))

    def move_column(self, table: Table) -> Statement:
        """Another place; with a key, too, but for the one that has AUTO_INCREMENT."""
        free = [c for c in table.writable() if c.name != "id"]
        if len(table.columns) < 2 or not free:
            return self.add_column(table)
        column = self.rng.choice(free)
        before = self.rng.choice([None, *(c for c in table.columns if c is not column)])

        def done():
            table.columns.remove(column)
            at = table.columns.index(before) + 1 if before else 0
            table.columns.insert(at, column)

        place = f"AFTER {before.name}" if before else "FIRST"
        return self.alter(table, f"MODIFY {column.ddl()} {place}", done)

    def reshape(self, table: Table) -> Statement:
        """A column goes, another comes in its name and with another type, in one statement."""
        free = [c for c in table.writable() if c.name not in table.needed()]
        if not free:
            return self.add_column(table)
        old = self.rng.choice(free)
        new = Column(old.name, values.random_type(self.rng), True)

        def done():
            table.columns.remove(old)
            table.columns.append(new)

        return self.alter(table, f"DROP COLUMN {old.name}, ADD COLUMN {new.ddl()}", done)

    def modify(self, table: Table) -> Statement:
        """Another type for a column without a key; values that do not fit make it fail."""
        free = [c for c in table.writable() if c.name not in table.needed()]
        if not free:
            return self.rebuild(table)
        old = self.rng.choice(free)
        new = Column(f"m{self.made}", values.random_type(self.rng), True)

        def done():
            table.columns[table.columns.index(old)] = new

        return self.alter(table, f"CHANGE COLUMN {old.name} {new.ddl()}", done)

    def widen(self, table: Table) -> Statement:
        """A wider type or NULL for a column: rows stay what they are, indexes where they can."""
        sources = {n for c in table.columns for n in c.sources}
        free = [c for c in table.writable() if c.name != "id" and c.name not in sources]
        if not free:
            return self.add_column(table)
        old = self.rng.choice(free)
        sql = values.wider(old.type.sql)
        if old.name in table.needed() and values.longest_characters(sql) > LONGEST_IN_KEY:
            sql = old.type.sql
        primary = table.primary()
        keeps_null_out = primary is not None and old.name in primary.column_names()
        nullable = old.nullable or (not keeps_null_out and self.rng.random() < 0.5)
        new = replace(old, type=replace(old.type, sql=sql), nullable=nullable)

        def done():
            old.type, old.nullable = new.type, new.nullable  # keys have it, too

        return self.alter(table, f"MODIFY {new.ddl()}", done)

    def rule(self, table: Table) -> Statement:
        """A CHECK, which rows may break; or one goes, if it is there."""
        rng = self.rng
        name = f"rule{rng.randint(0, 2)}"
        if rng.random() < 0.4:
            return self.alter(table, f"DROP CONSTRAINT IF EXISTS {name}")
        condition = f"id <> {rng.randint(1, 60)}"
        if rng.random() < 0.3:
            condition += f" OR {rng.choice(table.columns).name} IS NOT NULL"
        return self.alter(table, f"ADD CONSTRAINT {name} CHECK ({condition})")

    def change_primary(self, table: Table) -> Statement:
        old = table.primary()
        key = Key("PRIMARY", [(table.column("id"), 0)], True)

        def done():
            if old:
                table.keys.remove(old)
            else:
                table.keys.insert(0, key)

        clause = "DROP PRIMARY KEY" if old else "ADD PRIMARY KEY (id)"
        return self.alter(table, clause, done)

    def partition_ddl(self, table: Table) -> Statement:
        part = self.rng.choice(["p0", "p1", "p2"])
        verb = self.rng.choice(["TRUNCATE PARTITION", "REBUILD PARTITION", "ANALYZE PARTITION"])
        return self.alter(table, f"{verb} {part}")
