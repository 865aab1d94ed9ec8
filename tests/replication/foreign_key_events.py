# SPDX-License-Identifier: GPL-2.0-only
"""Statements on tables with foreign keys of which the row events are known: what cascades change
is not among them. {0} begins the names of a case's tables.

A replica opens tables for the first event of a statement; some of these statements have events of
several kinds, and a later one is what cascades."""

from tests.kit.clients.client import Problem
from tests.kit.replicas.compare import table_names
from tests.kit.replicas.node import Node
from tests.replication.row_events import end_of_log, row_events

SETUP = """
CREATE TABLE {0}_p (id INT PRIMARY KEY, k INT, v INT, UNIQUE (k))
CREATE TABLE {0}_c (id INT PRIMARY KEY, k INT, UNIQUE (k), \
FOREIGN KEY (k) REFERENCES {0}_p (k) ON DELETE CASCADE ON UPDATE CASCADE)
CREATE TABLE {0}_g (id INT PRIMARY KEY, k INT, \
FOREIGN KEY (k) REFERENCES {0}_c (k) ON DELETE CASCADE ON UPDATE SET NULL)
CREATE TABLE {0}_log (id INT, t VARCHAR(10))
INSERT INTO {0}_p SELECT seq, seq, 0 FROM seq_1_to_20
INSERT INTO {0}_c SELECT seq, seq FROM seq_1_to_20
INSERT INTO {0}_g SELECT seq, seq FROM seq_1_to_20
""".strip().splitlines()
VERSIONED = [
    "CREATE TABLE {0}_v (id INT PRIMARY KEY, v INT) WITH SYSTEM VERSIONING",
    "CREATE TABLE {0}_w (id INT PRIMARY KEY, a INT,"
    " FOREIGN KEY (a) REFERENCES {0}_v (id) ON DELETE CASCADE)",
    "CREATE TABLE {0}_x (id INT PRIMARY KEY, a INT,"
    " FOREIGN KEY (a) REFERENCES {0}_v (id) ON DELETE SET NULL) WITH SYSTEM VERSIONING",
    "INSERT INTO {0}_v SELECT seq, 0 FROM seq_1_to_9",
    "INSERT INTO {0}_w SELECT seq, seq FROM seq_1_to_9",
    "INSERT INTO {0}_x SELECT seq, seq FROM seq_1_to_9",
]
FIRES = "CREATE TRIGGER {0}_t AFTER %s ON {0}_%s FOR EACH ROW %s"
LOGS = "INSERT INTO {0}_log VALUES (%s.id, '%s')"

# what it is about -> its statements
CASES = {
    "deletes": ["DELETE FROM {0}_p WHERE id < 5", "DELETE FROM {0}_c WHERE id > 15"],
    "updates": ["UPDATE {0}_p SET k = k + 100 ORDER BY k DESC", "UPDATE {0}_p SET v = 1"],
    "a transaction": [
        "BEGIN",
        "UPDATE {0}_p SET k = 100 WHERE k = 1",
        "UPDATE {0}_c SET id = 100 WHERE k = 100",
        "SAVEPOINT s",
        "DELETE FROM {0}_p WHERE id < 9",
        "ROLLBACK TO s",
        "DELETE FROM {0}_p WHERE k > 10",
        "INSERT INTO {0}_p VALUES (100, 12, 0)",
        "INSERT INTO {0}_c VALUES (12, 12)",
        "COMMIT",
    ],
    "ON DUPLICATE KEY UPDATE, of a later row": [
        "INSERT INTO {0}_p VALUES (50, 50, 0), (1, 51, 0), (2, 52, 0)"
        " ON DUPLICATE KEY UPDATE k = VALUES(k)"
    ],
    "REPLACE, of a later row": [
        "REPLACE INTO {0}_p VALUES (50, 50, 0), (1, 51, 0), (3, 2, 1), (60, 60, 0)"
    ],
    "REPLACE of a child": ["REPLACE INTO {0}_c VALUES (1, 1), (50, 2), (3, 3)"],
    "several tables": [
        "DELETE p, c FROM {0}_p p STRAIGHT_JOIN {0}_c c USING (k) WHERE p.id < 5",
        "DELETE g, c, p FROM {0}_p p STRAIGHT_JOIN {0}_c c USING (k)"
        " STRAIGHT_JOIN {0}_g g USING (k) WHERE p.id < 9",
        "UPDATE {0}_p p STRAIGHT_JOIN {0}_c c USING (k) SET p.k = p.k + 100, c.id = c.id + 100"
        " WHERE p.id = 12",
    ],
    "a trigger deletes parents": [
        FIRES % ("INSERT", "log", "DELETE FROM {0}_p WHERE id = NEW.id"),
        "INSERT INTO {0}_log VALUES (1, ''), (2, '')",
    ],
    "a trigger updates and deletes": [
        FIRES
        % (
            "INSERT",
            "log",
            "BEGIN UPDATE {0}_p SET v = 1 WHERE id = NEW.id;"
            " DELETE FROM {0}_p WHERE id = NEW.id; END",
        ),
        "INSERT INTO {0}_log VALUES (1, ''), (2, '')",
    ],
    "triggers do not fire in cascades": [
        FIRES % ("DELETE", "c", LOGS % ("OLD", "deleted")),
        "CREATE TRIGGER {0}_u AFTER UPDATE ON {0}_g FOR EACH ROW " + LOGS % ("NEW", "updated"),
        "DELETE FROM {0}_p WHERE id < 5",
        "UPDATE {0}_p SET k = k + 100 WHERE id = 7",
        "DELETE FROM {0}_c WHERE id > 18",
    ],
    "system versioning": [
        *VERSIONED,
        "DELETE FROM {0}_v WHERE id < 4",
        "UPDATE {0}_v SET v = 1",
        "REPLACE INTO {0}_v VALUES (20, 0), (5, 5)",
    ],
    "rows of one statement refer to one another": [
        "CREATE TABLE {0}_s (id INT PRIMARY KEY, a INT,"
        " FOREIGN KEY (a) REFERENCES {0}_s (id) ON DELETE CASCADE)",
        "INSERT INTO {0}_s SELECT seq, NULLIF(seq - 1, 0) FROM seq_1_to_12",
        "DELETE FROM {0}_s WHERE id % 3 = 0 AND id > 6",
        "REPLACE INTO {0}_s VALUES (4, 3), (2, 1), (3, 2)",
        "DELETE FROM {0}_s",
    ],
    "without a primary key": [
        "ALTER TABLE {0}_g DROP PRIMARY KEY",
        "INSERT INTO {0}_g VALUES (5, 5), (5, 5), (6, NULL), (6, NULL)",
        "UPDATE {0}_g SET id = id + 1 WHERE k = 5",
        "UPDATE {0}_p SET k = 50 WHERE k = 5",
        "DELETE FROM {0}_g WHERE k IS NULL",
        "DELETE FROM {0}_p WHERE k BETWEEN 7 AND 9",
    ],
}
# Only without checks are rows of such tables changed by a replica that has not read them.
UNCHECKED = [
    "SET foreign_key_checks = 0",
    "UPDATE {0}_p SET k = k + 100 WHERE id < 10",
    "DELETE FROM {0}_c WHERE id < 5",
    "SET foreign_key_checks = 1",
]


class KnownEvents:
    """Executes the cases on primaries of both engines, whose events must be the same."""

    def __init__(self, primaries: list[Node]):
        self.primaries = primaries

    def play(self) -> list[Problem]:
        return [
            problem
            for number, (what, statements) in enumerate(CASES.items())
            for problem in self.case(what, f"case{number}", statements)
        ]

    def case(self, what: str, names: str, statements: list[str]) -> list[Problem]:
        first, *others = [self.logged(node, names, statements) for node in self.primaries]
        found = [] if first else [Problem("broken", f"{what}: no row events")]
        for other in others:
            if other != first:
                found.append(Problem("broken", f"{what}: events {first} and {other}"))
        if what.endswith("in cascades") and any(f"{names}_g" in event for event in first):
            found.append(Problem("broken", f"{what}: what cascades change is logged: {first}"))
        return found

    def logged(self, node: Node, names: str, statements: list[str]) -> list[str]:
        """The row events of the statements."""
        with node.connect() as link, link.cursor() as cursor:
            cursor.execute("SET SESSION binlog_format = ROW")
            for statement in SETUP:
                cursor.execute(statement.format(names))
            place = end_of_log(node)
            for statement in statements:
                cursor.execute(statement.format(names))
        return row_events(node, place)


def drop_tables(node: Node) -> None:
    """Of all cases."""
    with node.connect() as link, link.cursor() as cursor:
        cursor.execute("SET foreign_key_checks = 0")
        cursor.execute(f"DROP TABLE {', '.join(sorted(table_names(link)))}")
