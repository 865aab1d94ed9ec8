# SPDX-License-Identifier: GPL-2.0-only
"""Random transactions of two sessions at once: what each finds by the index must be what the rows
say that the same session reads without it, own changes and rolled back ones too."""

from random import Random

import pymysql
from pymysql.constants import ER

from tests.full_text.oracle import Rows
from tests.full_text.searches import CREATE, Searches
from tests.full_text.texts import Texts

IDS = 200
# sessions that meet wait for a second: in SERIALIZABLE a search locks all that it reads
LEVELS = (*("READ COMMITTED", "REPEATABLE READ") * 3, "SERIALIZABLE")
# two sessions write the same rows
TOLERATED = (
    ER.DUP_ENTRY,
    ER.LOCK_WAIT_TIMEOUT,
    ER.LOCK_DEADLOCK,
    ER.CHECKREAD,
    ER.SP_DOES_NOT_EXIST,
)
ALTERS = (
    "DROP INDEX both_columns, ADD FULLTEXT INDEX both_columns (title, body)",
    "FORCE",
    "ADD COLUMN IF NOT EXISTS more INT DEFAULT 7 FIRST",
    "DROP COLUMN IF EXISTS more",
    "MODIFY body MEDIUMTEXT",
    "MODIFY body TEXT",
)


class Session:
    def __init__(self, link, family: str, rng: Random):
        self.link = link
        self.rng = rng
        self.texts = Texts(family, rng)
        self.search = Searches(link, family, rng)
        self.link.query("SET innodb_lock_wait_timeout = 1, rocksdb_lock_wait_timeout = 1")

    def begin(self) -> None:
        self.link.query(f"SET TRANSACTION ISOLATION LEVEL {self.rng.choice(LEVELS)}")
        self.link.query(self.rng.choice(("BEGIN", "START TRANSACTION WITH CONSISTENT SNAPSHOT")))

    def change(self) -> None:
        number = self.rng.randrange(IDS)
        _, title, body = self.texts.row(number)
        statement, values = self.rng.choice(
            (
                ("INSERT INTO t (id, title, body) VALUES (%s, %s, %s)", (number, title, body)),
                ("REPLACE INTO t (id, title, body) VALUES (%s, %s, %s)", (number, title, body)),
                ("UPDATE t SET title = %s, body = %s WHERE id = %s", (title, body, number)),
                ("UPDATE t SET body = %s WHERE id BETWEEN %s AND %s + 3", (body, number, number)),
                ("UPDATE t SET id = %s WHERE id = %s", (self.rng.randrange(IDS), number)),
                (
                    "UPDATE t SET title = %s WHERE MATCH (title, body) AGAINST (%s) LIMIT 3",
                    (title, self.texts.word()),
                ),
                (
                    "DELETE FROM t WHERE MATCH (title, body) AGAINST (%s) LIMIT 3",
                    (self.texts.word(),),
                ),
                ("DELETE FROM t WHERE id = %s", (number,)),
                ("SAVEPOINT s", ()),
                ("ROLLBACK TO s", ()),
            )
        )
        self.attempt(statement, values)

    def attempt(self, statement: str, values: tuple = ()) -> None:
        try:
            with self.link.cursor() as cursor:
                cursor.execute(statement, values)
        except pymysql.Error as error:
            if error.args[0] not in TOLERATED:
                raise

    def compare(self) -> None:
        try:
            self.search.rows = Rows(self.search.ask("SELECT id, title, body FROM t"))
            self.search.search()
        except pymysql.Error as error:  # in SERIALIZABLE a search waits for rows
            if error.args[0] not in TOLERATED:
                raise


class History:
    """Stops at the first difference."""

    def __init__(self, links, family: str, rng: Random):
        self.sessions = [Session(link, family, rng) for link in links]
        self.rng = rng
        self.statements = 0

    def create(self) -> None:
        self.sessions[0].link.query("DROP TABLE IF EXISTS t")
        self.sessions[0].link.query(CREATE.format("t", "ROCKSDB"))

    @property
    def problems(self) -> list[str]:
        return [problem for session in self.sessions for problem in session.search.problems]

    @property
    def searches(self) -> int:
        return sum(session.search.done for session in self.sessions)

    def transactions(self) -> None:
        for session in self.sessions:
            session.begin()
        for _ in range(self.rng.randint(2, 10)):
            session = self.rng.choice(self.sessions)
            session.change()
            self.statements += 1
            if self.rng.random() < 0.6:
                self.rng.choice(self.sessions).compare()
        for session in self.sessions:
            session.attempt(self.rng.choice(("COMMIT", "COMMIT", "ROLLBACK")))
        self.sessions[0].compare()

    def alter(self) -> None:
        self.rng.choice((self.change_definition, self.change_definition, self.reload))()
        self.sessions[0].compare()

    def change_definition(self) -> None:
        link = self.sessions[0].link
        if self.rng.random() < 0.2:
            self.sessions[0].search.ask("OPTIMIZE TABLE t")
        else:
            link.query(f"ALTER TABLE t {self.rng.choice(ALTERS)}")

    def reload(self) -> None:
        """Words go into blocks: of all rows, or where marks of changed rows may have stayed."""
        link = self.sessions[0].link
        link.query("CREATE TEMPORARY TABLE kept ENGINE=MyISAM SELECT * FROM t")
        link.query(self.rng.choice(("DELETE FROM t", "TRUNCATE TABLE t")))
        if self.rng.random() < 0.3:
            link.query("INSERT INTO t SELECT * FROM kept WHERE id < 100")
            link.query("DELETE FROM kept WHERE id < 100")
        link.query("SET rocksdb_bulk_load_allow_unsorted = 1, rocksdb_bulk_load = 1")
        link.query(f"INSERT INTO t SELECT * FROM kept ORDER BY {self.rng.choice(('id', 'RAND()'))}")
        link.query("SET rocksdb_bulk_load = 0")
        link.query("DROP TEMPORARY TABLE kept")
