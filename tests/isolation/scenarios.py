# SPDX-License-Identifier: GPL-2.0-only
"""The anomalies: what is done, how one sees that it happened, and which levels must prevent it.

Names and histories are those of Martin Kleppmann's Hermitage (which tests real databases for the
phenomena of Adya's thesis "Weak Consistency", 1999) where it has them; the last ones are about what
InnoDB's users rely on besides. Each starts from the rows (1, 10), (2, 20) of `test (id, value)`.
"""

from collections.abc import Callable
from dataclasses import dataclass

RU, RC, RR, SE = "READ UNCOMMITTED", "READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"
MYROCKS = "RR, style MYROCKS"
LEVELS = (RU, RC, RR, SE, MYROCKS)

T1, T2, T3 = 1, 2, 3


@dataclass
class Scenario:
    """`happened` looks at the outcomes of the steps that have a label, and at the table's rows at
    the end under the label "end". `prevented_at`: where it must not happen, whatever the engine;
    InnoDB fails some, which `innodb_fails_at` lists."""

    name: str
    title: str
    steps: list[tuple]
    happened: Callable[[dict], bool]
    prevented_at: tuple = (SE,)
    innodb_fails_at: tuple = ()
    key: str = ""


def values(outcome) -> list:
    return [row[-1] for row in outcome.rows]


def ids(outcome) -> list:
    return [row[0] for row in outcome.rows]


def read(where: str = "") -> str:
    return f"SELECT * FROM test{' WHERE ' + where if where else ''} ORDER BY id"


def begin(*clients: int) -> list[tuple]:
    return [(c, "BEGIN") for c in clients]


def write(value, number: int) -> str:
    return f"UPDATE test SET value = {value} WHERE id = {number}"


COMMIT, ROLLBACK = "COMMIT", "ROLLBACK"
THIRD = "value % 3 = 0"
NOT_BELOW_RC = (RU, RC, RR, SE, MYROCKS)
NOT_BELOW_RR = (RR, SE, MYROCKS)

SCENARIOS = [
    Scenario(
        "G0",
        "dirty write: two transactions overwrite each other's rows crosswise",
        [
            *begin(T1, T2),
            (T1, write(11, 1)),
            (T2, write(12, 1)),
            (T1, write(21, 2)),
            (T1, COMMIT),
            (T2, write(22, 2)),
            (T2, COMMIT),
        ],
        lambda o: values(o["end"]) in ([11, 22], [12, 21]),
        NOT_BELOW_RC,
    ),
    Scenario(
        "G1a",
        "aborted read: what is rolled back later is seen",
        [
            *begin(T1, T2),
            (T1, write(101, 1)),
            (T2, read(), "seen"),
            (T1, ROLLBACK),
            (T2, read(), "after"),
            (T2, COMMIT),
        ],
        lambda o: 101 in values(o["seen"]) + values(o["after"]),
        NOT_BELOW_RC,
        (RU,),
    ),
    Scenario(
        "G1b",
        "intermediate read: a value that its writer changes again is seen",
        [
            *begin(T1, T2),
            (T1, write(101, 1)),
            (T2, read(), "seen"),
            (T1, write(11, 1)),
            (T1, COMMIT),
            (T2, read(), "after"),
            (T2, COMMIT),
        ],
        lambda o: 101 in values(o["seen"]) + values(o["after"]),
        NOT_BELOW_RC,
        (RU,),
    ),
    Scenario(
        "G1c",
        "circular information flow: each sees what the other has not committed",
        [
            *begin(T1, T2),
            (T1, write(11, 1)),
            (T2, write(22, 2)),
            (T1, read("id = 2"), "first"),
            (T2, read("id = 1"), "second"),
            (T1, COMMIT),
            (T2, COMMIT),
        ],
        lambda o: values(o["first"]) == [22] and values(o["second"]) == [11],
        NOT_BELOW_RC,
        (RU,),
    ),
    Scenario(
        "OTV",
        "observed transaction vanishes: of one transaction only the older half is seen",
        [
            *begin(T1, T2, T3),
            (T1, write(11, 1)),
            (T1, write(19, 2)),
            (T2, write(12, 1)),
            (T1, COMMIT),
            (T3, read("id = 1"), "one"),
            (T2, write(18, 2)),
            (T3, read("id = 2"), "two"),
            (T2, COMMIT),
            (T3, read("id = 2"), "two again"),
            (T3, read("id = 1"), "one again"),
            (T3, COMMIT),
        ],
        lambda o: values(o["one"]) == [12] and values(o["two"]) == [19],
        NOT_BELOW_RC,
        (RU,),
    ),
    Scenario(
        "PMP",
        "predicate-many-preceders: a row comes into a condition between two reads of it",
        [
            *begin(T1, T2),
            (T1, read("value = 30"), "first"),
            (T2, "INSERT INTO test VALUES (3, 30)"),
            (T2, COMMIT),
            (T1, read(THIRD), "second"),
            (T1, COMMIT),
        ],
        lambda o: values(o["second"]) == [30],
        NOT_BELOW_RR,
    ),
    Scenario(
        "PMP-write",
        "the same where the condition is that of a DELETE: it finds what a read did not",
        [
            *begin(T1, T2),
            (T1, "UPDATE test SET value = value + 10"),
            (T2, read("value = 20"), "first"),
            (T2, "DELETE FROM test WHERE value = 20"),
            (T1, COMMIT),
            (T2, read("value = 20"), "second"),
            (T2, COMMIT),
        ],
        lambda o: ids(o["first"]) == [2] and ids(o["end"]) == [2],
        (SE,),
    ),
    Scenario(
        "P4",
        "lost update: both add to what they read before",
        [
            *begin(T1, T2),
            (T1, read("id = 1"), "first"),
            (T2, read("id = 1"), "second"),
            (T1, write(11, 1), "write 1"),
            (T2, write(11, 1), "write 2"),
            (T1, COMMIT, "commit 1"),
            (T2, COMMIT, "commit 2"),
        ],
        lambda o: not lost(o, "write 1", "write 2"),
        (SE, MYROCKS),
    ),
    Scenario(
        "G-single",
        "read skew: of two rows that belong together one is read old, one new",
        [
            *begin(T1, T2),
            (T1, read("id = 1"), "one"),
            (T2, read("id = 1")),
            (T2, read("id = 2")),
            (T2, write(12, 1)),
            (T2, write(18, 2)),
            (T2, COMMIT),
            (T1, read("id = 2"), "two"),
            (T1, COMMIT),
        ],
        lambda o: values(o["one"]) == [10] and values(o["two"]) == [18],
        NOT_BELOW_RR,
    ),
    Scenario(
        "G-single-predicate",
        "read skew over a condition",
        [
            *begin(T1, T2),
            (T1, read("value % 5 = 0"), "first"),
            (T2, "UPDATE test SET value = 12 WHERE value = 10"),
            (T2, COMMIT),
            (T1, read(THIRD), "second"),
            (T1, COMMIT),
        ],
        lambda o: values(o["second"]) == [12],
        NOT_BELOW_RR,
    ),
    Scenario(
        "G-single-write",
        "read skew where the second look is that of a DELETE",
        [
            *begin(T1, T2),
            (T1, read("id = 1"), "one"),
            (T2, read()),
            (T2, write(12, 1)),
            (T2, write(18, 2)),
            (T2, COMMIT),
            (T1, "DELETE FROM test WHERE value = 20", "delete"),
            (T1, read("id = 2"), "two"),
            (T1, COMMIT),
        ],
        lambda o: not o["delete"].skipped and o["delete"].error == 0 and o["delete"].affected == 0,
        (SE, MYROCKS),
    ),
    Scenario(
        "G-single-write-2",
        "a DELETE between two writes of another transaction, rolled back, takes one with it",
        [
            *begin(T1, T2),
            (T1, read("id = 1")),
            (T2, read()),
            (T2, write(12, 1)),
            (T1, "DELETE FROM test WHERE value = 20"),
            (T2, write(18, 2)),
            (T1, ROLLBACK),
            (T2, COMMIT),
        ],
        lambda o: values(o["end"]) not in ([12, 18], [10, 20]),  # both of T2's writes, or none
        NOT_BELOW_RC,
    ),
    Scenario(
        "G2-item",
        "write skew: both read two rows, each changes another one",
        [
            *begin(T1, T2),
            (T1, read("id IN (1, 2)")),
            (T2, read("id IN (1, 2)")),
            (T1, write(11, 1), "write 1"),
            (T2, write(21, 2), "write 2"),
            (T1, COMMIT),
            (T2, COMMIT),
        ],
        lambda o: values(o["end"]) == [11, 21],
        (SE,),
    ),
    Scenario(
        "G2",
        "anti-dependency cycle: both find nothing and insert what the other looked for",
        [
            *begin(T1, T2),
            (T1, read(THIRD)),
            (T2, read(THIRD)),
            (T1, "INSERT INTO test VALUES (3, 30)"),
            (T2, "INSERT INTO test VALUES (4, 42)"),
            (T1, COMMIT),
            (T2, COMMIT),
        ],
        lambda o: ids(o["end"]) == [1, 2, 3, 4],
        (SE,),
    ),
    Scenario(
        "G2-two-edges",
        "the same with a reader between them (Fekete)",
        [
            *begin(T1),
            (T1, read(), "first"),
            *begin(T2),
            (T2, "UPDATE test SET value = value + 5 WHERE id = 2", "write 2"),
            (T2, COMMIT),
            *begin(T3),
            (T3, read(), "between"),
            (T3, COMMIT),
            (T1, write(0, 1), "write 1"),
            (T1, COMMIT),
        ],
        lambda o: values(o["between"]) == [10, 25] and values(o["end"]) == [0, 25],
        (SE,),
    ),
    Scenario(
        "phantom-range",
        "SELECT ... FOR UPDATE over a range, and others insert into it",
        [
            *begin(T1, T2),
            (T1, "SELECT * FROM test WHERE id BETWEEN 1 AND 10 FOR UPDATE", "first"),
            (T2, "INSERT INTO test VALUES (5, 50)", "insert"),
            (T1, "SELECT * FROM test WHERE id BETWEEN 1 AND 10 FOR UPDATE", "second"),
            (T1, COMMIT),
            (T2, COMMIT),
        ],
        lambda o: ids(o["first"]) != ids(o["second"]) or not o["insert"].waited,
        (RR, SE),
    ),
    Scenario(
        "phantom-secondary",
        "the same over an index that is not unique, with an update that moves a row into the range",
        [
            *begin(T1, T2),
            (T1, "SELECT * FROM test WHERE value BETWEEN 15 AND 25 FOR UPDATE", "first"),
            (T2, write(17, 1), "insert"),
            (T1, "SELECT * FROM test WHERE value BETWEEN 15 AND 25 FOR UPDATE", "second"),
            (T1, COMMIT),
            (T2, COMMIT),
        ],
        lambda o: ids(o["first"]) != ids(o["second"]) or not o["insert"].waited,
        (RR, SE),
        key=", KEY value (value)",
    ),
    Scenario(
        "phantom-uncommitted",
        "a locking read of a range in which another has inserted and not committed",
        [
            *begin(T1, T2),
            (T2, "INSERT INTO test VALUES (5, 50)"),
            (T1, "SELECT * FROM test WHERE id BETWEEN 1 AND 10 FOR UPDATE", "first"),
            (T2, COMMIT),
            (T1, "SELECT * FROM test WHERE id BETWEEN 1 AND 10 FOR UPDATE", "second"),
            (T1, COMMIT),
        ],
        lambda o: ids(o["first"]) != ids(o["second"]),
        (RR, SE),
    ),
    Scenario(
        "absent-row",
        "both look for a row with FOR UPDATE, find none and insert it",
        [
            *begin(T1, T2),
            (T1, "SELECT * FROM test WHERE id = 5 FOR UPDATE"),
            (T2, "INSERT INTO test VALUES (5, 52)", "insert"),
            (T1, "INSERT INTO test VALUES (5, 51)", "own"),
            (T1, COMMIT),
            (T2, COMMIT),
        ],
        lambda o: values(o["end"])[-1] != 51,
        (RR, SE),
    ),
    Scenario(
        "shared-range",
        "two read a range with LOCK IN SHARE MODE and neither may be made to wait",
        [
            *begin(T1, T2),
            (T1, "SELECT * FROM test WHERE id < 10 LOCK IN SHARE MODE", "first"),
            (T2, "SELECT * FROM test WHERE id < 10 LOCK IN SHARE MODE", "second"),
            (T1, COMMIT),
            (T2, COMMIT),
        ],
        lambda o: o["second"].waited,
        LEVELS,
    ),
    Scenario(
        "latest-row",
        "an update of a row that has changed since the snapshot must succeed on the latest one",
        [
            *begin(T1, T2),
            (T1, read()),
            (T2, write("value + 1", 1)),
            (T2, COMMIT),
            (T1, write("value + 100", 1), "update"),
            (T1, COMMIT),
        ],
        lambda o: o["update"].error != 0 or values(o["end"])[0] != 111,
        (RU, RC, RR),
    ),
    Scenario(
        "latest-source",
        "INSERT .. SELECT of a row that has changed since the snapshot must write the latest value",
        [
            *begin(T1, T2),
            (T1, read()),
            (T2, write(11, 1)),
            (T2, COMMIT),
            (T1, "INSERT INTO test SELECT 3, value FROM test WHERE id = 1", "insert"),
            (T1, COMMIT),
        ],
        lambda o: o["insert"].error != 0 or values(o["end"])[-1] != values(o["end"])[0],
        (RU, RC, RR),
    ),
    Scenario(
        "shared-source",
        "two INSERT .. SELECT of one row, which both then change: a deadlock, found at once",
        [
            *begin(T1, T2),
            (T1, "INSERT INTO test SELECT 11, value FROM test WHERE id = 1"),
            (T2, "INSERT INTO test SELECT 21, value FROM test WHERE id = 1"),
            (T1, write("value + 1", 1), "first"),
            (T2, write("value + 1", 1), "second"),
            (T1, COMMIT),
            (T2, COMMIT),
        ],
        lambda o: 1213 not in (o["first"].error, o["second"].error),
        (RR, SE),
    ),
]


def lost(outcomes: dict, first: str, second: str) -> bool:
    """Did one of two writers fail?"""
    return any(outcomes[w].error or outcomes[w].skipped for w in (first, second))
