# SPDX-License-Identifier: GPL-2.0-only
"""Histories of two connections with transactions open at the same time.

Each connection writes only its own rows (even or odd ids) and reads all, also with locks. What each
reads is decided by its isolation level; where a lock of the other connection is in the way on one
of the two engines, the runner rolls the transaction back on both. Either may change the table when
the other has not used it in its transaction. A snapshot may then be older than the table is.

Of a table versioned by transaction all of the past is read, and not that of one transaction: which
of two open ones has the smaller id depends on the statement that gives the engine cause for one,
and what AS OF TRANSACTION finds, on the ids.
"""

from random import Random

from tests.differential import geometries, queries, versions
from tests.differential.generator import SESSION
from tests.differential.schema_changes import SchemaChanges
from tests.kit.side_by_side import schema
from tests.kit.side_by_side.schema import Key, Table
from tests.kit.side_by_side.statement import Statement

LEVELS = ("READ COMMITTED", "REPEATABLE READ", "REPEATABLE READ", "SERIALIZABLE")
CLIENTS = (0, 1)
DDL = 0.04


def is_stored(key: Key) -> bool:
    return all(column.stored or not column.expression for column, _ in key.parts)


class InterleavedGenerator:
    def __init__(self, seed: int, length: int):
        self.rng = Random(seed)
        self.length = length
        self.made = 0
        self.open = dict.fromkeys(CLIENTS, False)
        self.queue: list[Statement] = []
        for client in CLIENTS:
            level = self.rng.choice(LEVELS)
            self.queue += [Statement(s, connection=client) for s in SESSION]
            self.queue.append(Statement("SET lock_wait_timeout = 0", connection=client))
            self.queue.append(
                Statement(f"SET SESSION TRANSACTION ISOLATION LEVEL {level}", connection=client)
            )
        self.table = self.random_table()
        self.queue.append(self.table.create())
        for number in range(1, self.rng.randint(8, 30)):
            self.queue.append(self.insert(number % 2, number))

    def random_table(self) -> Table:
        """PRIMARY KEY (id), no other unique key: a conflict would make a connection wait. No index
        with virtual columns: InnoDB reads NULL for them where another transaction has deleted."""
        table = schema.random_table(self.rng, "t0")
        table.automatic, table.partitions, table.temporary = False, "", False
        table.keys = [Key("PRIMARY", [(table.columns[0], 0)], True)] + [
            k for k in table.keys if k.name != "PRIMARY"
        ]
        for key in table.keys[1:]:
            key.unique = False
        table.keys = [key for key in table.keys if is_stored(key)]
        geometries.add_some(self.rng, table)
        versions.decide(self.rng, table)
        return table

    def next(self) -> Statement | None:
        if self.queue:
            return self.queue.pop(0)
        if self.made >= self.length:
            return next((self.finish(c) for c in CLIENTS if self.open[c]), None)
        self.made += 1
        client = self.rng.choice(CLIENTS)
        if self.rng.random() < DDL:
            return self.change_schema(client)
        statement = self.draw(client)
        statement.connection, statement.may_wait = client, True
        return statement

    def observe(self, statement: Statement, succeeded: bool) -> None:
        if succeeded and callable(statement.note):
            statement.note()

    def change_schema(self, client: int) -> Statement:
        """Beside what the other connection has open; it must wait for it on both engines, or on
        none, and waits for no time at all."""
        to = SchemaChanges(self.rng, self.made)
        choices = [to.add_column, to.drop_column, to.move_column, to.reshape, to.widen, to.modify]
        choices += [to.rebuild, self.add_key, self.add_key]
        if len(self.table.keys) > 1:
            choices.append(to.drop_key)
        if any(map(geometries.is_geometry, self.table.columns)):
            choices += [to.add_spatial_key] * 2
        statement = self.rng.choice(choices)(self.table)
        statement.connection = client
        self.open[client] = False
        return statement

    def add_key(self, table: Table) -> Statement:
        """As random_table has them."""
        to = SchemaChanges(self.rng, self.made)
        key = schema.random_key(self.rng, table, f"x{self.made}")
        if not is_stored(key):
            return to.rebuild(table)
        return to.alter(table, f"ADD {key.ddl()}", lambda: table.keys.append(key))

    def draw(self, client: int) -> Statement:
        roll = self.rng.random()
        if roll < 0.2 and not self.open[client]:
            self.open[client] = True
            return Statement(
                "START TRANSACTION" + self.rng.choice(["", "", " WITH CONSISTENT SNAPSHOT"])
            )
        if roll < 0.2:
            return self.finish(client)
        if roll < 0.3 and self.open[client]:
            name = f"s{self.rng.randint(0, 2)}"
            verb = self.rng.choice(["SAVEPOINT", "ROLLBACK TO SAVEPOINT", "RELEASE SAVEPOINT"])
            return Statement(f"{verb} {name}")
        if roll < 0.6:
            return self.read()
        return self.write(client)

    def finish(self, client: int) -> Statement:
        self.open[client] = False
        return Statement(self.rng.choice(["COMMIT", "COMMIT", "ROLLBACK"]), connection=client)

    def read(self) -> Statement:
        if self.table.versioned and self.rng.random() < 0.3:
            return versions.read_of(self.rng, self.table, "ALL")
        return queries.select(self.rng, [self.table])

    def own_id(self, client: int) -> int:
        return 2 * self.rng.randint(1, 20) + client

    def insert(self, client: int, number: int) -> Statement:
        row = [c.literal(self.rng) for c in self.table.writable()]
        names = [c.name for c in self.table.writable()]
        row[names.index("id")] = str(number)
        verb = self.rng.choice(["INSERT", "INSERT", "REPLACE", "INSERT IGNORE"])
        return Statement(f"{verb} INTO t0", columns=names, rows=[row])

    def write(self, client: int) -> Statement:
        number = self.own_id(client)
        roll = self.rng.random()
        if roll < 0.3:
            return self.insert(client, number)
        where = f"id = {number}"
        if self.rng.random() < 0.3:
            last = number + self.rng.randint(0, 6)
            where = f"id BETWEEN {number} AND {last} AND id % 2 = {client}"
        if roll < 0.5:
            return Statement(f"DELETE FROM t0 WHERE {where}")
        columns = self.table.writable()[1:]
        if not columns:  # dropped, all of them
            return self.insert(client, number)
        column = self.rng.choice(columns)
        value = column.literal(self.rng)
        return Statement(f"UPDATE t0 SET {column.name} = {value} WHERE {where}")
