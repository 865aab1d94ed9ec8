# SPDX-License-Identifier: GPL-2.0-only
"""Tables with constraints of all kinds: with names and without one, with each action, of a table to
itself, of two tables to each other, between databases in both directions. By name, some children
come before their parents: a dump of the tables needs foreign_key_checks=0."""

from dataclasses import dataclass

REGIONS, NODES, TEAMS = 20, 63, 20
VISITED = 10  # customers whom visits refer to; no action: they can neither be deleted nor moved

CREATE = (
    "CREATE DATABASE {far}",
    "CREATE TABLE {far}.region (id INT PRIMARY KEY, name VARCHAR(30))",
    "CREATE TABLE {near}.customer (id INT PRIMARY KEY, code VARCHAR(30) NOT NULL, region INT,"
    " note VARCHAR(30), UNIQUE KEY code (code), CONSTRAINT customer_in_region"
    " FOREIGN KEY (region) REFERENCES {far}.region (id) ON DELETE SET NULL ON UPDATE CASCADE)",
    "CREATE TABLE {near}.orders (id INT PRIMARY KEY, customer INT NOT NULL, code VARCHAR(30),"
    " KEY customer (customer),"
    " CONSTRAINT `order of a customer` FOREIGN KEY (customer) REFERENCES {near}.customer (id)"
    " ON DELETE CASCADE ON UPDATE CASCADE,"
    " FOREIGN KEY (code) REFERENCES {near}.customer (code) ON DELETE SET NULL ON UPDATE CASCADE)",
    "CREATE TABLE {near}.item (ordered INT, line INT, PRIMARY KEY (ordered, line),"
    " CONSTRAINT item_of_order FOREIGN KEY (ordered) REFERENCES {near}.orders (id)"
    " ON DELETE CASCADE ON UPDATE CASCADE)",
    "CREATE TABLE {near}.category (id INT PRIMARY KEY, parent INT, CONSTRAINT category_parent"
    " FOREIGN KEY (parent) REFERENCES {near}.category (id) ON DELETE CASCADE)",
    "CREATE TABLE {near}.team (id INT PRIMARY KEY, captain INT)",
    "CREATE TABLE {near}.player (id INT PRIMARY KEY, team INT NOT NULL, CONSTRAINT player_in_team"
    " FOREIGN KEY (team) REFERENCES {near}.team (id) ON DELETE CASCADE)",
    "ALTER TABLE {near}.team ADD CONSTRAINT captain FOREIGN KEY (captain)"
    " REFERENCES {near}.player (id) ON DELETE SET NULL",
    "CREATE TABLE {far}.visit (id INT PRIMARY KEY, customer INT NOT NULL,"
    " FOREIGN KEY (customer) REFERENCES {near}.customer (id))",
)
FILL = (
    f"INSERT INTO {{far}}.region SELECT seq, CONCAT('region ', seq) FROM seq_1_to_{REGIONS}",
    "INSERT INTO {near}.customer SELECT seq, CONCAT('c', LPAD(seq, 6, '0')),"
    f" 1 + seq % {REGIONS}, '' FROM seq_1_to_{{customers}}",
    "INSERT INTO {near}.orders SELECT seq, 1 + seq % {customers},"
    " CONCAT('c', LPAD(1 + seq % {customers}, 6, '0')) FROM seq_1_to_{orders}",
    "INSERT INTO {near}.item SELECT id, seq FROM {near}.orders JOIN seq_1_to_2",
    f"INSERT INTO {{near}}.category SELECT seq, IF(seq = 1, NULL, seq DIV 2) FROM seq_1_to_{NODES}",
    f"INSERT INTO {{near}}.team SELECT seq, NULL FROM seq_1_to_{TEAMS}",
    f"INSERT INTO {{near}}.player SELECT seq, 1 + seq % {TEAMS} FROM seq_1_to_{5 * TEAMS}",
    f"UPDATE {{near}}.team SET captain = id + {TEAMS - 1}",
    f"INSERT INTO {{far}}.visit SELECT seq, 1 + seq % {VISITED} FROM seq_1_to_{5 * VISITED}",
)
NEAR = ("category", "customer", "item", "orders", "player", "team")
FAR = ("region", "visit")
CONSTRAINTS = 8


@dataclass(frozen=True)
class Pair:
    """The two databases; `near` is there already."""

    near: str
    far: str

    def format(self, statement: str, **values: object) -> str:
        return statement.format(near=self.near, far=self.far, **values)

    def statements(self, customers: int) -> list[str]:
        """Creates the tables and fills them: twice as many orders as customers."""
        sizes = {"customers": customers, "orders": 2 * customers}
        return [self.format(sql, **sizes) for sql in CREATE + FILL]

    def tables(self) -> list[str]:
        return [f"{self.near}.{t}" for t in NEAR] + [f"{self.far}.{t}" for t in FAR]
