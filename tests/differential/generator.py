# SPDX-License-Identifier: GPL-2.0-only
"""Histories of statements from a seed.

Rules that keep the right answer unique:
 - a statement that works on many rows and may fail half-way, or keeps only the first of several
   duplicates, has an ORDER BY that is total, or sets constants;
 - AUTO_INCREMENT values are made only by plain INSERTs that cannot fail: how many values a failed
   or ignored row costs is an engine's own affair.
"""

from tests.differential import geometries, queries, versions
from tests.differential.schema_changes import SchemaChanges
from tests.kit.side_by_side import schema
from tests.kit.side_by_side.history import History
from tests.kit.side_by_side.schema import Table
from tests.kit.side_by_side.statement import Statement

SESSION = (
    "SET NAMES utf8mb4",
    "SET time_zone = '+00:00'",
    "SET timestamp = 1700000000",
    "SET max_statement_time = 20",
    "SET system_versioning_alter_history = KEEP",
)
SQL_MODES = (
    "STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO",
    "STRICT_ALL_TABLES",
    "",
    "STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO",
)
SWITCHES = (
    "",
    "SET optimizer_switch = 'mrr=on,mrr_cost_based=off', join_cache_level = 6",
    "SET optimizer_switch = 'mrr=on,mrr_sort_keys=on,mrr_cost_based=off', join_cache_level = 8",
    "SET optimizer_switch = 'index_condition_pushdown=off'",
    "SET optimizer_switch = 'rowid_filter=off', optimizer_use_condition_selectivity = 1",
)


class Generator(History):
    def __init__(self, seed: int, length: int):
        super().__init__(seed, length)
        self.tables: list[Table] = []
        self.bulk = self.rng.random() < 0.12
        self.queue = [Statement(s, compare="effect") for s in SESSION]
        self.queue.append(Statement(f"SET sql_mode = '{self.rng.choice(SQL_MODES)}'"))
        switch = self.rng.choice(SWITCHES)
        # the peer loses rows of partitioned tables in multi-range reads (error 1032)
        self.partitions = "mrr=on" not in switch
        self.queue += [Statement(s) for s in switch.split(";") if s]
        for n in range(self.rng.choice([1, 2, 2, 3])):
            self.queue += self.new_table(f"t{n}")

    def last(self) -> Statement | None:
        """What the check at the end does for other tables, and what only this connection may ask of
        those with versions."""
        for table in [t for t in self.tables if t.temporary]:
            self.tables.remove(table)
            self.queue += schema.contents(table) + [Statement(f"DROP TABLE {table.name}")]
        for table in [t for t in self.tables if t.versioned]:
            self.tables.remove(table)
            self.queue.append(versions.order_of_transactions(table))
        return self.queue.pop(0) if self.queue else None

    def draw(self) -> Statement:
        if not self.tables:
            self.queue += self.new_table("t0")
            return self.queue.pop(0)
        rng = self.rng
        roll = rng.random()
        if roll < 0.40:
            return queries.select(rng, self.tables)
        if roll < 0.52:
            return self.transaction_step()
        table = rng.choice(self.tables)
        if table.versioned and rng.random() < 0.3:
            return self.of_the_past(table)
        if roll < 0.97:
            return self.write(table)
        return self.change_schema(table)

    def of_the_past(self, table: Table) -> Statement:
        if self.in_transaction:
            return versions.read_of(self.rng, table, "ALL")
        ask = versions.forget if self.rng.random() < 0.1 else versions.read
        self.queue += ask(self.rng, table)
        return self.queue.pop(0)

    # --- tables and rows

    def new_table(self, name: str) -> list[Statement]:
        table = schema.random_table(self.rng, name)
        if not self.partitions:
            table.partitions = ""
        geometries.add_some(self.rng, table)
        versions.decide(self.rng, table)
        create = table.create()
        create.note = lambda: self.tables.append(table)
        statements = [create]
        for _ in range(self.rng.randint(1, 4)):
            statements.append(self.insert(table, self.rng.randint(1, 15), rising=True))
        if self.bulk and not table.automatic:
            for _ in range(self.rng.randint(1, 5)):
                statements.append(self.double(table))
        return statements

    def double(self, table: Table) -> Statement:
        """INSERT IGNORE every row again with another id: thousands of rows from few statements."""
        names = [c.name for c in table.writable()]
        step = table.next_id
        table.next_id *= 2
        fields = ", ".join(f"id + {step}" if n == "id" else n for n in names)
        order = ", ".join(table.total_order())
        return Statement(
            f"INSERT IGNORE INTO {table.name} ({', '.join(names)}) SELECT {fields}"
            f" FROM {table.name} ORDER BY {order}"
        )

    def row(self, table: Table, rising: bool) -> list[str]:
        row = [c.literal(self.rng) for c in table.writable()]
        if rising or self.rng.random() < 0.5:
            row[self.id_at(table)] = str(table.next_id)
            table.next_id += 1
        return row

    def id_at(self, table: Table) -> int:
        return [c.name for c in table.writable()].index("id")

    def insert(self, table: Table, count: int, verb: str = "INSERT", rising: bool = False):
        names = [c.name for c in table.writable()]
        if table.automatic:
            return self.automatic_insert(table, count)
        rows = [self.row(table, rising) for _ in range(count)]
        if self.rng.random() < 0.04:  # an error half-way, or a NULL made into a default
            column = self.rng.randrange(len(names))
            rows[self.rng.randrange(count)][column] = "NULL"
        return Statement(
            f"{verb} INTO {table.name}",
            columns=names,
            rows=rows,
            exact_error=verb == "INSERT" and count == 1,
        )

    def automatic_insert(self, table: Table, count: int) -> Statement:
        names = [c.name for c in table.writable() if c.name != "id"]
        rows = []
        for _ in range(count):
            row = [c.type.literal(self.rng) for c in table.writable() if c.name != "id"]
            rows.append(row)
        if self.rng.random() < 0.2:  # an explicit value that the counter must jump over
            table.next_id += self.rng.randint(1000, 1100)
            names.append("id")
            rows = [row + [str(table.next_id + n)] for n, row in enumerate(rows)]
            table.next_id += count
        return Statement(
            f"INSERT IGNORE INTO {table.name}", columns=names, rows=rows, compare="identity"
        )

    # --- writes

    def write(self, table: Table) -> Statement:
        rng = self.rng
        if table.automatic:
            choices = [lambda: self.insert(table, rng.choice([1, 1, 3]))] * 3
        else:
            choices = [
                lambda: self.insert(table, rng.choice([1, 1, 1, 2, 5])),
                lambda: self.insert(table, rng.choice([1, 1, 1, 2, 5])),
                lambda: self.insert(table, rng.choice([1, 1, 4]), "INSERT IGNORE"),
                lambda: self.insert(table, rng.choice([1, 1, 4]), "REPLACE"),
                lambda: self.upsert(table),
                lambda: self.insert_select(table),
                lambda: self.update_two(table),
                lambda: self.update(table),
            ]
        choices += [lambda: self.update(table)] * 4
        choices += [lambda: self.delete(table)] * 2 + [lambda: self.delete_two(table)]
        return rng.choice(choices)()

    def upsert(self, table: Table) -> Statement:
        statement = self.insert(table, self.rng.choice([1, 1, 3]))
        free = [c for c in table.writable() if c.name not in table.unique_columns()]
        column = self.rng.choice(free or table.writable())
        value = self.rng.choice([column.literal(self.rng), f"VALUES({column.name})"])
        statement.tail = f" ON DUPLICATE KEY UPDATE {column.name} = {value}"
        statement.exact_error = False
        return statement

    def insert_select(self, table: Table) -> Statement:
        rng = self.rng
        source = rng.choice(self.tables)
        names = [c.name for c in table.writable()]
        fields = []
        for column in table.writable():
            same = [c.name for c in source.columns if c.type.sql == column.type.sql]
            if column.name == "id":
                fields.append(f"s.id + {rng.choice([0, 100, table.next_id])}")
            elif same and (column.nullable or rng.random() < 0.7):
                fields.append("s." + rng.choice(same))
            else:
                fields.append(column.literal(rng))
        verb = rng.choice(["INSERT", "INSERT IGNORE", "INSERT IGNORE", "REPLACE"])
        order = ", ".join(source.total_order("s"))
        where = queries.conditions(rng, source, "s")
        return Statement(
            f"{verb} INTO {table.name} ({', '.join(names)}) SELECT {', '.join(fields)}"
            f" FROM {source.name} s WHERE ",
            where,
            " AND ",
            f" ORDER BY {order} LIMIT {rng.choice([3, 20, 500])}",
        )

    def assignment(self, table: Table) -> tuple[str, bool]:
        """SET clause; whether every row gets a value of its own (then the order may matter)."""
        rng = self.rng
        unique = table.unique_columns()
        columns = [c for c in table.writable() if not (table.automatic and c.name == "id")]
        if not columns:
            return "id = id", False
        column = rng.choice(columns)
        if rng.random() < 0.35 and column.type.family == "number":
            step = rng.choice(["+ 1", "- 1", "+ 7", "* 2"])
            return f"{column.name} = {column.name} {step}", column.name in unique
        clause = f"{column.name} = {column.literal(rng)}"
        free = [c for c in columns if c.name not in unique and c is not column]
        if free and rng.random() < 0.4:
            other = rng.choice(free)
            clause += f", {other.name} = {other.literal(rng)}"
        return clause, False

    def refreshed(self, table: Table, write: Statement) -> Statement:
        """Of a partitioned table, after a statement that was pruned to no partition at all, the
        server's next UPDATE or DELETE by an index finds no rows of the peer, until a SELECT has
        read the table. (The tested engine makes that good.)"""
        if table.partitions:
            write.peer_first = f"SELECT COUNT(*) FROM {table.name}"
        return write

    def update(self, table: Table) -> Statement:
        rng = self.rng
        clause, ordered = self.assignment(table)
        tail = ""
        ignore = rng.random() < 0.15 and not table.partitions
        # of several rows that are to get the same unique value, IGNORE keeps the first
        if ordered or ignore or rng.random() < 0.25:
            direction = rng.choice([" ASC", " DESC"])
            tail = " ORDER BY " + ", ".join(e + direction for e in table.total_order())
            if rng.random() < 0.6:
                tail += f" LIMIT {rng.choice([1, 2, 5, 50])}"
        verb = "UPDATE IGNORE" if ignore else "UPDATE"
        update = Statement(
            f"{verb} {table.name}{queries.hint(rng, table)} SET {clause} WHERE ",
            queries.conditions(rng, table),
            " AND ",
            tail,
        )
        return self.refreshed(table, update)

    def update_two(self, table: Table) -> Statement:
        rng = self.rng
        other = rng.choice(self.tables)
        column = rng.choice(table.writable())
        return Statement(
            f"UPDATE {table.name} a JOIN {other.name} b ON {queries.join(rng, table, other)}"
            f" SET a.{column.name} = {column.literal(rng)} WHERE ",
            queries.conditions(rng, table, "a") + queries.conditions(rng, other, "b"),
            " AND ",
        )

    def delete(self, table: Table) -> Statement:
        rng = self.rng
        tail = ""
        if rng.random() < 0.5:
            tail = " ORDER BY " + ", ".join(table.total_order())
            tail += f" LIMIT {rng.choice([1, 2, 3, 8])}"
        delete = Statement(
            f"DELETE FROM {table.name} WHERE ", queries.conditions(rng, table), " AND ", tail
        )
        return self.refreshed(table, delete)

    def delete_two(self, table: Table) -> Statement:
        rng = self.rng
        other = rng.choice(self.tables)
        which = rng.choice(["a", "a", "a, b"])
        return Statement(
            f"DELETE {which} FROM {table.name} a JOIN {other.name} b"
            f" ON {queries.join(rng, table, other)} WHERE ",
            queries.conditions(rng, table, "a", 2) + queries.conditions(rng, other, "b", 2),
            " AND ",
        )

    # --- transactions

    def transaction_step(self) -> Statement:
        rng = self.rng
        if not self.in_transaction:
            self.in_transaction = True
            consistent = rng.random() < 0.2
            snapshot = " WITH CONSISTENT SNAPSHOT" if consistent else ""
            return Statement("START TRANSACTION" + snapshot)
        roll = rng.random()
        if roll < 0.3:
            return self.end_transaction()
        name = f"s{rng.randint(0, 3)}"
        if roll < 0.65:
            return Statement(f"SAVEPOINT {name}")
        if roll < 0.92:
            return Statement(f"ROLLBACK TO SAVEPOINT {name}")
        return Statement(f"RELEASE SAVEPOINT {name}")

    def end_transaction(self) -> Statement:
        self.in_transaction = False
        return Statement(self.rng.choice(["COMMIT", "COMMIT", "ROLLBACK"]))

    # --- DDL (ends a transaction by itself)

    def change_schema(self, table: Table) -> Statement:
        if self.in_transaction and table.temporary:
            return self.end_transaction()  # the peer's plain table would end it by itself
        self.in_transaction = False
        rng = self.rng
        to = SchemaChanges(rng, self.made)
        choices = [to.truncate, to.rename, to.rebuild, to.analyze, to.add_column]
        choices += [to.add_key, to.drop_key, to.drop_column, to.modify, self.recreate]
        choices += [to.move_column, to.reshape, to.widen]
        # What a row that breaks a rule costs the counter, is not compared. A temporary table of
        # which a rule was refused, is not found by the server's next RENAME.
        if not table.automatic and not table.temporary:
            choices.append(to.rule)
        if not table.partitions and not table.automatic and not table.versioned:
            choices.append(to.change_primary)
        if any(map(geometries.is_geometry, table.columns)):
            choices += [to.add_spatial_key] * 2
        if "RANGE" in table.partitions:
            choices += [to.partition_ddl] * 3
        return rng.choice(choices)(table)

    def recreate(self, table: Table) -> Statement:
        self.tables.remove(table)
        self.queue += self.new_table(table.name)
        return Statement(f"DROP TABLE {table.name}")
