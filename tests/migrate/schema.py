# SPDX-License-Identifier: GPL-2.0-only
"""Tables of InnoDB: every kind that ROCKSDB refuses, and kinds that move."""

from pathlib import Path

from tools.server import PrivateServer

# name -> (definition, what the reason must hold)
STAYING = {
    "elsewhere": ("id INT PRIMARY KEY) ENGINE=InnoDB DATA DIRECTORY='FOLDER'", "(1478)"),
    "pieces": (
        "id INT PRIMARY KEY) ENGINE=InnoDB PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS"
        " THAN (10) DATA DIRECTORY='FOLDER', PARTITION p1 VALUES LESS THAN MAXVALUE)",
        "(1478)",
    ),
    "precise": (
        "id INT PRIMARY KEY, a BIGINT UNSIGNED GENERATED ALWAYS AS ROW START, b BIGINT UNSIGNED"
        " GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (a, b)) ENGINE=InnoDB"
        " WITH SYSTEM VERSIONING",
        "(4120)",
    ),
    "history": ("id INT PRIMARY KEY, v INT) ENGINE=InnoDB WITH SYSTEM VERSIONING", "(4120)"),
    "short_lived": ("id INT PRIMARY KEY) ENGINE=MEMORY", "its engine MEMORY"),
    # a parent that stays keeps its child, and that its own child
    "topics": ("id INT PRIMARY KEY) ENGINE=InnoDB DATA DIRECTORY='FOLDER'", "(1478)"),
    "posts": (
        "id INT PRIMARY KEY, topic INT, CONSTRAINT of_topic FOREIGN KEY (topic) REFERENCES"
        " topics (id)) ENGINE=InnoDB",
        "of_topic connects it with stay.topics, which stays",
    ),
    "votes": (
        "id INT PRIMARY KEY, post INT, CONSTRAINT of_post FOREIGN KEY (post) REFERENCES"
        " posts (id)) ENGINE=InnoDB",
        "of_post connects it with stay.posts, which stays",
    ),
}
MOVING = (
    "CREATE SEQUENCE numbers ENGINE=InnoDB",
    "CREATE TABLE parts (id INT, at DATE, PRIMARY KEY (id, at)) ENGINE=InnoDB"
    " PARTITION BY RANGE (YEAR(at)) (PARTITION p0 VALUES LESS THAN (2020),"
    " PARTITION p1 VALUES LESS THAN MAXVALUE)",
    "CREATE TABLE made (id INT PRIMARY KEY, v INT, w INT AS (v + 1) VIRTUAL,"
    " x INT AS (v * 2) STORED, KEY (w)) ENGINE=InnoDB",
    "CREATE TABLE `odd-näme` (`a``b` INT, t TEXT, KEY (t(20))) ENGINE=InnoDB CHARSET=utf8mb4",
    "CREATE TABLE places (id INT PRIMARY KEY, g POINT NOT NULL, SPATIAL (g)) ENGINE=InnoDB",
    "CREATE TABLE words (id INT PRIMARY KEY, t TEXT, FULLTEXT (t)) ENGINE=InnoDB",
    "CREATE TABLE zero (id INT PRIMARY KEY, d DATE NOT NULL DEFAULT '0000-00-00') ENGINE=InnoDB",
    "CREATE TABLE old (id INT PRIMARY KEY, t CHAR(9)) ENGINE=MyISAM CHECKSUM=1",
    "CREATE TABLE crashsafe (id INT PRIMARY KEY, t CHAR(9)) ENGINE=Aria",
    "CREATE TABLE customer (id INT PRIMARY KEY, name VARCHAR(20)) ENGINE=InnoDB",
    "CREATE TABLE orders (id INT PRIMARY KEY AUTO_INCREMENT, customer INT, previous INT,"
    " CONSTRAINT of_customer FOREIGN KEY (customer) REFERENCES customer (id) ON DELETE CASCADE,"
    " CONSTRAINT after_order FOREIGN KEY (previous) REFERENCES orders (id) ON DELETE SET NULL)"
    " ENGINE=InnoDB ROW_FORMAT=COMPRESSED KEY_BLOCK_SIZE=8",
    # a circle
    "CREATE TABLE person (id INT PRIMARY KEY, team INT, KEY (team)) ENGINE=InnoDB",
    "CREATE TABLE team (id INT PRIMARY KEY, head INT, CONSTRAINT led_by FOREIGN KEY (head)"
    " REFERENCES person (id)) ENGINE=InnoDB",
    "ALTER TABLE person ADD CONSTRAINT is_in FOREIGN KEY (team) REFERENCES team (id)",
    "CREATE VIEW both_names AS SELECT o.id, c.name FROM orders o JOIN customer c"
    " ON c.id = o.customer",
)
ROWS = (
    "SELECT NEXT VALUE FOR numbers",
    "INSERT INTO parts SELECT seq, '2019-01-01' + INTERVAL seq DAY FROM seq_1_to_2000",
    "INSERT INTO made (id, v) SELECT seq, seq % 7 FROM seq_1_to_1000",
    "INSERT INTO `odd-näme` SELECT seq, REPEAT('ä', seq % 50) FROM seq_1_to_500",
    "INSERT INTO places SELECT seq, POINT(seq, -seq) FROM seq_1_to_500",
    "INSERT INTO words SELECT seq, CONCAT('word', seq, ' and more') FROM seq_1_to_500",
    "SET sql_mode=''",
    "INSERT INTO zero VALUES (1, '0000-00-00'), (2, '2026-01-01')",
    "INSERT INTO old VALUES (1, 'a'), (2, 'b')",
    "INSERT INTO crashsafe VALUES (1, 'a'), (2, 'b')",
    "INSERT INTO customer SELECT seq, MD5(seq) FROM seq_1_to_1000".replace("MD5(seq)", "seq"),
    "INSERT INTO orders SELECT seq, 1 + seq % 1000, NULLIF(seq, 1) - 1 FROM seq_1_to_3000",
    "INSERT INTO person SELECT seq, NULL FROM seq_1_to_100",
    "INSERT INTO team SELECT seq, seq FROM seq_1_to_10",
    "UPDATE person SET team = 1 + id % 10",
)


def execute(server: PrivateServer, schema: str, statements: tuple[str, ...]) -> None:
    with server.connect() as link, link.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE IF NOT EXISTS {schema}")
        cursor.execute(f"USE {schema}")
        for statement in statements:
            cursor.execute(statement)


def create_staying(server: PrivateServer, folder: Path) -> None:
    made = (f"CREATE TABLE {name} ({text}" for name, (text, _) in STAYING.items())
    execute(server, "stay", tuple(text.replace("FOLDER", str(folder)) for text in made))


def create_moving(server: PrivateServer, schema: str) -> None:
    execute(server, schema, (*MOVING, *ROWS))


def create_large(server: PrivateServer, schema: str, rows: int) -> None:
    """A parent and a child whose moves take a while."""
    execute(
        server,
        schema,
        (
            "CREATE TABLE parent (id INT PRIMARY KEY, t VARCHAR(100), KEY (t)) ENGINE=InnoDB",
            "CREATE TABLE child (id INT PRIMARY KEY, parent INT, t VARCHAR(100), KEY (t),"
            " CONSTRAINT of_parent FOREIGN KEY (parent) REFERENCES parent (id)) ENGINE=InnoDB",
            f"INSERT INTO parent SELECT seq, MD5(seq) FROM seq_1_to_{rows}",
            f"INSERT INTO child SELECT seq, seq, MD5(-seq) FROM seq_1_to_{rows}",
        ),
    )
