# SPDX-License-Identifier: GPL-2.0-only
"""The machine dies at any moment of statements that add and drop foreign keys, and that change and
move their parents and children. Afterwards each table is there whole by one of its names, and its
constraint, when it has one, leads to the parent and acts."""

import random

import pymysql
from pymysql.constants import ER

from tests.faults.ddl_power_cuts import (
    CHILD,
    OFF,
    REFERENCE,
    ROWS,
    Case,
    cut_while_moving,
    database,
    make,
)
from tests.faults.full_disk import expect
from tests.kit.loop_disk import LoopDisk
from tools.server import PrivateServer

MOVES = (
    "RENAME TABLE t TO u",
    "ALTER TABLE u FORCE, ALGORITHM=COPY",
    "ALTER TABLE u RENAME t, FORCE, ALGORITHM=COPY",
    "ALTER TABLE t DROP FOREIGN KEY t_p, ALGORITHM=INSTANT",
    f"{OFF}ALTER TABLE t ADD CONSTRAINT t_p {REFERENCE}, ALGORITHM=INSTANT",
    "RENAME TABLE t TO u, p TO q",
    "ALTER TABLE q CHANGE id n INT, ALGORITHM=INPLACE",
    "ALTER TABLE q FORCE, ALGORITHM=COPY",
    "ALTER TABLE q CHANGE n id INT, ALGORITHM=INPLACE",
    "RENAME TABLE q TO p, u TO t",
    "ALTER TABLE t DROP FOREIGN KEY t_p, FORCE, ALGORITHM=COPY",
    f"ALTER TABLE t ADD CONSTRAINT t_p {REFERENCE}, ALGORITHM=COPY",
    f"CREATE TABLE w (id INT PRIMARY KEY, a INT, CONSTRAINT w_p {REFERENCE})",
    "DROP TABLE w",
)


def cut_constraints(rng: random.Random, server: PrivateServer, disk: LoopDisk) -> None:
    """Raises AssertionError."""
    make(Case("", CHILD, ""), server, "d")
    disk.sync()
    cut_while_moving(MOVES, rng, server, disk)
    judge(server, database(server, "d"))


def judge(server: PrivateServer, found: dict) -> None:
    left = [file for file in found.pop("files") if file.startswith("#")]
    expect(not left, f"left over: {left}")
    keys = found.pop("foreign keys", [])
    made = found.pop("w", None)
    expect(made is None or (made[1], made[3]) == (0, "OK"), f"w: {made}")
    parents = [name for name in found if name in ("p", "q")]
    children = [name for name in found if name in ("t", "u")]
    expect(len(parents) == 1 and len(children) == 1 and len(found) == 2, f"{sorted(found)}")
    for name, (_, rows, _, check) in found.items():
        expect(rows == ROWS and check == "OK", f"{name}: {rows} rows, {check}")
    (child,), (parent,) = children, parents
    judge_constraint(server, child, parent, found[child][0], [k for k in keys if k[0] == child])


def judge_constraint(
    server: PrivateServer, child: str, parent: str, definition: str, keys: list[tuple]
) -> None:
    """The child's; `keys` are those that the dictionary has."""
    shown = f"CONSTRAINT `t_p` FOREIGN KEY (`a`) REFERENCES `{parent}` (" in definition
    wanted = [(child, "t_p", "a", 1, parent, "CASCADE", "RESTRICT", "YES")] if shown else []
    expect([(*key[:5], *key[6:]) for key in keys] == wanted, f"{definition}, but {keys}")
    expect(shown == ("FOREIGN KEY" in definition), f"{parent}: {definition}")
    sql = f"INSERT INTO {child} VALUES ({2 * ROWS}, {2 * ROWS})"
    try:
        server.query(sql, "d")
    except pymysql.Error as error:
        expect(shown and error.args[0] == ER.NO_REFERENCED_ROW_2, f"{sql}: {error}")
    else:
        expect(not shown, f"{sql}: its constraint lets it")
