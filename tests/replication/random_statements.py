# SPDX-License-Identifier: GPL-2.0-only
"""Random statements of one session, for the scenario `statements`.

What a session writes depends on its seed, its tables and the format of the binary log. In the
format STATEMENT it keeps to what the server can repeat: no LIMIT or IGNORE without an order, no
UUID(), no function of the server's own state. sql_auto_is_null comes for a replica with one thread
alone: a parallel one repeats that for no engine (docs/durability.md). Each session has base tables
of its own, so that no statement waits for another session; temporary tables have the same names in
all sessions. SHARED is one table for all, which sessions write at the same time.
"""

from random import Random

TABLES = """
CREATE TABLE {0}_a (id INT AUTO_INCREMENT PRIMARY KEY, v INT, t VARCHAR(60), KEY v (v))
CREATE TABLE {0}_b (id INT PRIMARY KEY, v INT, u INT, UNIQUE KEY u (u))
CREATE TABLE {0}_c (id INT PRIMARY KEY, v INT) ENGINE=InnoDB
CREATE TABLE {0}_p (k INT, v INT, s DATE, e DATE, PERIOD FOR app (s, e), KEY k (k))
CREATE TABLE {0}_q (id INT AUTO_INCREMENT PRIMARY KEY, v INT, s DATE, e DATE, PERIOD FOR app (s, e))
CREATE TABLE {0}_log (what VARCHAR(80), v INT)
CREATE VIEW {0}_view AS SELECT id, v, t FROM {0}_a WHERE v < 500
CREATE TRIGGER {0}_added AFTER INSERT ON {0}_a FOR EACH ROW INSERT INTO {0}_log VALUES ('+', NEW.v)
CREATE TRIGGER {0}_gone AFTER DELETE ON {0}_b FOR EACH ROW INSERT INTO {0}_log VALUES ('-', OLD.id)
CREATE TRIGGER {0}_set BEFORE UPDATE ON {0}_b FOR EACH ROW SET NEW.v = COALESCE(NEW.v, 0) + 1
CREATE FUNCTION {0}_pure(x INT) RETURNS INT DETERMINISTIC RETURN x * 3 MOD 101
CREATE FUNCTION {0}_notes(x INT) RETURNS INT DETERMINISTIC MODIFIES SQL DATA BEGIN \
INSERT INTO {0}_log VALUES ('function', x); RETURN x + 1; END
CREATE PROCEDURE {0}_moves(x INT) BEGIN DECLARE y INT DEFAULT x; \
CREATE TEMPORARY TABLE IF NOT EXISTS inside (n INT) ENGINE={1}; \
INSERT INTO inside VALUES (y), (y + 1); \
INSERT INTO {0}_log SELECT 'procedure', n FROM inside; UPDATE {0}_c SET v = v + y WHERE id < 4; \
DROP TEMPORARY TABLE inside; END
""".strip().splitlines()

SHARED = (
    "CREATE TABLE {0}_shared (id INT AUTO_INCREMENT PRIMARY KEY, session INT, v INT, u INT,"
    " KEY v (v), UNIQUE KEY u (u))"
)

MODES = ("''", "'STRICT_ALL_TABLES'", "'ANSI'", "'NO_AUTO_VALUE_ON_ZERO'", "'PIPES_AS_CONCAT'")


class RandomSession:
    """The statements of one session, one by one. `name` begins the names of its base tables;
    `engine` is that of its temporary ones, for which these servers have another default."""

    def __init__(self, name: str, rng: Random, format_: str, engine: str, is_null: bool = False):
        self.name, self.rng, self.format, self.engine = name, rng, format_, engine
        self.is_null = is_null
        self.temporary: set[str] = set()
        self.in_transaction = False
        self.savepoint = False

    def next(self) -> list[str]:
        """One statement, or some that belong together."""
        choices = [self.writes] * 8 + [self.temporaries] * 6 + [self.variables] * 2
        choices += [self.transactions] * 2 + [self.pairs] + [self.portions] * 2
        choices += [self.last_values] * 3 if self.is_null else []
        choices += [] if self.in_transaction else [self.definitions]
        choices += [] if self.format == "STATEMENT" else [self.unsafe]
        return self.rng.choice(choices)()

    def close_temporary(self) -> list[str]:
        """A replica that is stopped as a server loses them, with every engine."""
        self.temporary.clear()
        return ["DROP TEMPORARY TABLE IF EXISTS temp1, temp2, inside"]

    def end(self) -> list[str]:
        """Ends what is open, but for temporary tables."""
        ended = ["COMMIT"] if self.in_transaction else []
        self.in_transaction = self.savepoint = False
        return ended

    def number(self, most: int = 60) -> int:
        return self.rng.randint(1, most)

    def writes(self) -> list[str]:
        s, n, m = self.name, self.number(), self.number(20)
        return [
            self.rng.choice(
                (
                    f"INSERT INTO {s}_a (v, t) VALUES ({n}, 'x'), ({m}, NULL), ({n + 1}, NOW())",
                    f"INSERT INTO {s}_a VALUES ({n}, {m}, 'given') "
                    f"ON DUPLICATE KEY UPDATE v = v + {m}, t = CONCAT(COALESCE(t, ''), '!')",
                    f"INSERT IGNORE INTO {s}_b VALUES ({n}, {m}, {m}), ({m}, {n}, {n})",
                    f"REPLACE INTO {s}_b VALUES ({n}, {m}, {self.number()})",
                    f"REPLACE INTO {s}_c VALUES ({n}, {m}), ({m}, {n})",
                    f"INSERT INTO {s}_a (v, t) SELECT v, t FROM {s}_a WHERE v < {m} ORDER BY id",
                    f"INSERT INTO {s}_log SELECT 'copied', v FROM {s}_b WHERE v > {m}",
                    f"UPDATE {s}_a SET v = v + 1, t = CONCAT_WS('/', t, {m}) WHERE v = {m}",
                    f"UPDATE {s}_b SET v = {s}_pure(id) WHERE id > {n}",
                    f"UPDATE {s}_a SET v = (SELECT MAX(id) FROM {s}_b) WHERE id < {m}",
                    f"UPDATE {s}_a JOIN {s}_c USING (id) SET {s}_a.v = {s}_c.v, {s}_c.v = {m}",
                    f"UPDATE {s}_view SET t = 'by the view' WHERE id = {n}",
                    f"DELETE FROM {s}_b WHERE v > {n} ORDER BY id LIMIT 3",
                    f"DELETE {s}_a, {s}_c FROM {s}_a JOIN {s}_c USING (id) WHERE {s}_a.v > {n}",
                    f"DELETE FROM {s}_a WHERE id IN (SELECT id FROM {s}_b WHERE v = {m})",
                    f"UPDATE {s}_c SET v = {s}_notes({m}) WHERE id = {m}",
                    f"CALL {s}_moves({m})",
                    f"INSERT INTO {s}_log VALUES (@text, @number), (DATABASE(), {n})",
                    f"INSERT INTO {s}_log SELECT HEX(RAND() > 2), {m}",
                    f"INSERT INTO {s}_log VALUES (CONCAT('a' || 'b'), LAST_INSERT_ID())",
                    f"INSERT INTO {s}_log VALUES (FROM_UNIXTIME({n} * 100000), {n})",
                )
            )
        ]

    def temporaries(self) -> list[str]:
        s, n, m = self.name, self.number(), self.number(20)
        table = self.rng.choice(("temp1", "temp2"))
        other = "temp2" if table == "temp1" else "temp1"
        if table not in self.temporary:
            self.temporary.add(table)
            engine = f"ENGINE={self.engine}"
            made = self.rng.choice(
                (
                    f"CREATE TEMPORARY TABLE {table} (n INT PRIMARY KEY, v INT, KEY (v)) {engine}",
                    f"CREATE TEMPORARY TABLE {table} (n INT, v INT) {engine}",
                    f"CREATE TEMPORARY TABLE {table} (n INT, v INT) ENGINE=InnoDB",
                    f"CREATE TEMPORARY TABLE {table} {engine} AS"
                    f" SELECT id AS n, v FROM {s}_a ORDER BY id",
                )
            )
            return [made, f"INSERT IGNORE INTO {table} (n, v) VALUES (1, {n}), (2, {m}), (3, 7)"]
        uses = [
            f"INSERT IGNORE INTO {table} (n, v) VALUES ({n}, {m}), ({m}, NULL)",
            f"INSERT INTO {s}_log SELECT 'temporary', v FROM {table}",
            f"INSERT INTO {s}_a (v) SELECT x.v FROM {table} AS x ORDER BY x.n, x.v",
            f"INSERT INTO {s}_log SELECT 'twice', x.n + y.n FROM {table} AS x JOIN {table} AS y"
            " ON x.n < y.n",
            f"UPDATE {table} SET v = v + 1 WHERE n > {m}",
            f"UPDATE {s}_b, {table} SET {s}_b.v = {table}.v WHERE {s}_b.id = {table}.n",
            f"DELETE FROM {table} WHERE n = {m}",
            f"TRUNCATE TABLE {table}" if not self.in_transaction else f"DELETE FROM {table}",
            f"INSERT INTO {s}_log SELECT CONVERT_TZ('2026-01-01 12:00:00', '+00:00',"
            f" IF(v > 5, '+02:00', '-03:00')), v FROM {table}",
        ]
        if other in self.temporary:
            uses.append(f"INSERT INTO {s}_log SELECT 'both', {other}.v FROM {table}, {other}")
        if not self.in_transaction:
            uses.append("drop")
            if other not in self.temporary:
                uses.append(f"ALTER TABLE {table} RENAME TO {other}")
        use = self.rng.choice(uses)
        if use == "drop":
            self.temporary.discard(table)
            return [f"DROP TEMPORARY TABLE {table}"]
        if use.startswith("ALTER"):
            self.temporary = {other}
        return [use]

    def variables(self) -> list[str]:
        n = self.number(20)
        return [
            self.rng.choice(
                (
                    f"SET @number = {n}, @text = 'word {n}'",
                    f"SET auto_increment_increment = {self.number(4)}",
                    f"SET sql_mode = {self.rng.choice(MODES)}",
                    f"SET time_zone = '{self.rng.choice(('+00:00', '+05:30', '-08:00'))}'",
                    f"SET unique_checks = {n % 2}",
                    f"SET foreign_key_checks = {n % 2}",
                    f"SET last_insert_id = {n}",
                    f"SET timestamp = {1_700_000_000 + n}",
                    f"SET collation_connection = {('utf8mb4_bin', 'latin1_swedish_ci')[n % 2]}",
                )
            )
        ]

    def pairs(self) -> list[str]:
        """Statements of which the second needs what the first has left behind."""
        s, n = self.name, self.number()
        return self.rng.choice(
            (
                [f"SET insert_id = {1000 + n}", f"INSERT INTO {s}_a (v) VALUES ({n}), (NULL)"],
                [
                    f"PREPARE p FROM 'INSERT INTO {s}_log VALUES (?, ?)'",
                    f"SET @x = 'prepared', @y = {n}",
                    "EXECUTE p USING @x, @y",
                ],
            )
        )

    def portions(self) -> list[str]:
        """Rows that are split where a period ends. In STATEMENT those without AUTO_INCREMENT: the
        order of the rows would decide their numbers."""
        s, n = self.name, self.number(20)
        first, last = sorted(self.rng.sample(range(1, 29), 2))
        table = f"{s}_p" if self.format == "STATEMENT" else self.rng.choice((f"{s}_p", f"{s}_q"))
        portion = f"FOR PORTION OF app FROM '2026-02-{first:02}' TO '2026-02-{last:02}'"
        row = f"{n}, '2026-02-{first:02}', '2026-02-{last:02}'"
        return [
            self.rng.choice(
                (
                    f"INSERT INTO {table} (v, s, e) VALUES ({row})",
                    f"UPDATE {table} {portion} SET v = v + {n}",
                    f"UPDATE {table} {portion} SET v = {n} WHERE v < {n}",
                    f"DELETE FROM {table} {portion} WHERE v > {n}",
                )
            )
        ]

    def last_values(self) -> list[str]:
        """What finds the last generated value by IS NULL."""
        s, n = self.name, self.number()
        return [
            "SET sql_auto_is_null = 1",
            f"INSERT INTO {s}_a (v) VALUES ({n}), ({n + 1})",
            self.rng.choice(
                (
                    f"INSERT INTO {s}_log SELECT t, v FROM {s}_a WHERE id IS NULL",
                    f"UPDATE {s}_a SET t = 'the last one' WHERE id IS NULL",
                    f"DELETE FROM {s}_a WHERE id IS NULL",
                )
            ),
            "SET sql_auto_is_null = 0",
        ]

    def transactions(self) -> list[str]:
        if not self.in_transaction:
            self.in_transaction = True
            return ["BEGIN"]
        choice = self.rng.choice(("COMMIT", "COMMIT", "ROLLBACK", "SAVEPOINT s", "ROLLBACK TO s"))
        if choice == "SAVEPOINT s":
            self.savepoint = True
        elif choice == "ROLLBACK TO s":
            return [choice] if self.savepoint else []
        else:
            self.in_transaction = self.savepoint = False
        return [choice]

    def definitions(self) -> list[str]:
        s, n = self.name, self.number(20)
        return self.rng.choice(
            (
                [f"ALTER TABLE {s}_a ADD COLUMN w INT DEFAULT {n}", f"ALTER TABLE {s}_a DROP w"],
                [
                    f"ALTER TABLE {s}_a ADD COLUMN w DATETIME(6) DEFAULT NOW(6),"
                    f" ADD COLUMN x TEXT DEFAULT (CONCAT('at ', NOW(6)))",
                    f"INSERT INTO {s}_log SELECT MD5(CONCAT(w, x)), id FROM {s}_a WHERE id = {n}",
                    f"ALTER TABLE {s}_a DROP w, DROP x",
                ],
                [f"ALTER TABLE {s}_b ADD INDEX v (v)", f"ALTER TABLE {s}_b DROP INDEX v"],
                [
                    f"CREATE TABLE {s}_new AS SELECT id, v FROM {s}_a WHERE v < {n} ORDER BY id",
                    f"INSERT INTO {s}_log SELECT 'new', v FROM {s}_new",
                    f"DROP TABLE {s}_new",
                ],
                [f"TRUNCATE TABLE {s}_log"],
                [f"RENAME TABLE {s}_c TO {s}_d, {s}_d TO {s}_c"],
                [f"ANALYZE TABLE {s}_a"],
            )
        )

    def unsafe(self) -> list[str]:
        """What a replica could not repeat: rows in the log, in MIXED as well."""
        s, n = self.name, self.number(20)
        return [
            self.rng.choice(
                (
                    f"INSERT INTO {s}_log VALUES (UUID(), {n})",
                    f"DELETE FROM {s}_a WHERE v > {n} LIMIT 2",
                    f"UPDATE {s}_b SET v = CONNECTION_ID() MOD 50 WHERE id = {n}",
                    f"INSERT IGNORE INTO {s}_b SELECT id, v, v FROM {s}_a",
                    f"INSERT INTO {s}_log SELECT UUID_SHORT() MOD 7, v FROM {s}_a LIMIT 3",
                )
            )
        ]


def shared_writes(name: str, session: int, rng: Random, format_: str) -> str:
    """One statement on the table that all sessions write at the same time."""
    table, n, m = f"{name}_shared", rng.randint(1, 500), rng.randint(1, 500)
    columns = f"{table} (session, v, u)"
    row, other = f"({session}, {n}, {n})", f"({session}, {m}, {m})"
    choices = [
        f"INSERT INTO {columns} VALUES ({session}, {n}, NULL)",
        f"INSERT INTO {columns} VALUES ({session}, {n}, NULL), ({session}, {m}, NULL)",
        f"INSERT IGNORE INTO {columns} VALUES {row}, {other}",
        f"INSERT INTO {columns} VALUES {row}, {other}",
        f"UPDATE {table} SET v = v + 1 WHERE session = {session} AND v < {n}",
        f"DELETE FROM {table} WHERE session = {session} AND v = {n}",
    ]
    if format_ != "STATEMENT":
        # the server cannot repeat the values that these take
        choices += [
            f"INSERT INTO {columns} VALUES {row}, {other} ON DUPLICATE KEY UPDATE v = v + {m}",
            f"REPLACE INTO {columns} VALUES {row}",
            f"INSERT INTO {columns} SELECT session, v, NULL FROM {table}"
            f" WHERE session = {session} AND v < {n} LIMIT 4",
            f"INSERT IGNORE INTO {columns} SELECT {session}, v, u + 1 FROM {table} WHERE v = {n}",
        ]
    return rng.choice(choices)
