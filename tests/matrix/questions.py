# SPDX-License-Identifier: GPL-2.0-only
"""What is asked of a table and done to it: the same SQL for both engines.

Answers must not depend on what the engines may do as they like, which is the order of values that
are equal under their collation. So rows are compared as sets, and orders as the ranks of values.
"""

from dataclasses import dataclass

from tests.matrix.roles import Role
from tests.matrix.types import ColumnType

LIMITED = " LIMIT 3"


@dataclass
class Question:
    """`how`: rows: the same rows, in any order; ranks: the same values up to equality, in this
    order; ordered: both; `columns`: what the first columns of an answer are, of id, w; the value
    as ColumnType.shown gives it follows. `details`: for questions whose answer is a summary, the
    question to ask when the summaries differ, by the first column of the summary's row."""

    sql: str
    how: str = "rows"
    columns: tuple[str, ...] = ()
    details: tuple[str, ...] = ()


@dataclass
class Asked:
    """A table and what to search in it. `probes`: literals to search for, some not in the table."""

    table: str
    kind: ColumnType
    role: Role
    nullable: bool
    probes: list[str]

    @property
    def source(self) -> str:
        return f"{self.table} FORCE INDEX ({self.role.index})"

    @property
    def fits_order(self) -> bool:
        """The index gives the order of v, and so the questions about order make sense."""
        return bool(self.role.parts) and not self.role.prefix and self.kind.searchable

    def covered(self) -> tuple[str, ...]:
        """Columns, beside v, that the key has."""
        if self.role.primary or not self.role.parts:
            return ("w",) if self.role.primary else ("id", "w")
        return ("id", "w") if any(c == "w" for c, _ in self.role.parts) else ("id",)


def contents(a: Asked) -> list[Question]:
    """The whole table, and the whole index in both directions."""
    whole = Question(f"SELECT id, w, {a.kind.shown} FROM {a.table}")
    if not a.fits_order:
        return [whole]
    found = [whole, index_only(a)]
    for backwards in (False, True):
        sql = f"SELECT id, w, {a.kind.shown} FROM {a.source} ORDER BY {a.role.order(backwards)}"
        found.append(Question(sql, "ordered", ("id", "w")))
    return found


def index_only(a: Asked) -> Question:
    """What the key alone can answer. Of a primary key: the second key, which holds it too."""
    columns = a.covered()
    words = f"{', '.join(columns)}, {a.kind.shown}"
    if a.role.primary:
        return Question(f"SELECT {words} FROM {a.table} FORCE INDEX (w)", "rows", columns)
    sql = f"SELECT {words} FROM {a.source} ORDER BY {a.role.order()}"
    return Question(sql, "ordered" if len(columns) == 2 else "ranks-and-rows", columns)


def searches(a: Asked) -> list[Question]:
    if not a.kind.searchable:
        return []
    found = [conditions(a), join(a)]
    if a.fits_order:
        found += [*ranges(a), *groups(a)]
    return found


def conditions(a: Asked) -> Question:
    """All conditions in one statement: (number of the condition, the ids that it is true for)."""
    texts = []
    for probe in a.probes:
        texts += [f"v {op} {probe}" for op in ("=", "<=>", "<", "<=", ">", ">=", "<>")]
        if a.kind.family == "text":
            texts.append(f"v LIKE {a.kind.pattern(probe)}")
    for low, high in zip(a.probes, a.probes[1:], strict=False):
        texts.append(f"v BETWEEN {low} AND {high}")
        texts.append(f"v > {low} AND v <= {high}")
    first, last = a.probes[0], a.probes[-1]
    texts += [f"v IN ({', '.join(a.probes)})", f"v NOT IN ({first}, {last})"]
    texts += ["v IS NULL", "v IS NOT NULL", f"v = {first} OR v IS NULL", f"v = {last} AND w = 1"]
    sources = [f"FROM {a.source} WHERE {a.role.condition}({text})" for text in texts]
    ids = "GROUP_CONCAT(id ORDER BY id)"
    return Question(
        " UNION ALL ".join(f"SELECT {n}, {ids} {source}" for n, source in enumerate(sources)),
        details=tuple(f"SELECT id {source}" for source in sources),
    )


def join(a: Asked) -> Question:
    """Looks each value of the table up by the index, as a value of another column."""
    on = a.role.condition.replace("w", "b.w")
    source = (
        f"FROM {a.table} a STRAIGHT_JOIN {a.table} b FORCE INDEX ({a.role.index}) ON {on}b.v = a.v"
    )
    return Question(
        f"SELECT 0, COUNT(*), SUM(CRC32(CONCAT_WS(',', a.id, b.id))) {source}",
        details=(f"SELECT a.id, b.id {source}",),
    )


def ranges(a: Asked) -> list[Question]:
    """Ranges in both directions; with a LIMIT, which ends a scan early."""
    low, high = a.probes[0], a.probes[-1]
    found = []
    for text, backwards in (
        (f"v > {low}", False),
        (f"v >= {low}", True),
        (f"v < {high}", True),
        (f"v <= {high}", False),
    ):
        sql = f"SELECT id, w, {a.kind.shown} FROM {a.source} WHERE {a.role.condition}{text}"
        found.append(Question(f"{sql} ORDER BY {a.role.order(backwards)}", "ordered", ("id", "w")))
    limited = found[0].sql + LIMITED, found[2].sql + LIMITED
    return [*found, *(Question(sql, "ranks", ("id", "w")) for sql in limited)]


def groups(a: Asked) -> list[Question]:
    where = f" WHERE {a.role.condition[:-5]}" if a.role.condition else ""
    source, shown = a.source + where, a.kind.shown
    ends = (f"(SELECT {end}(v) AS v FROM {source}) d" for end in ("MIN", "MAX"))
    return [
        Question(f"SELECT COUNT(*), MIN(id), MAX(id) FROM {source} GROUP BY v"),
        Question(f"SELECT COUNT(DISTINCT v), COUNT(v), COUNT(*) FROM {source}"),
        Question(f"SELECT {shown} FROM (SELECT DISTINCT v FROM {source}) d", "rank-set"),
        Question(" UNION ALL ".join(f"SELECT {shown} FROM {end}" for end in ends), "ranks"),
    ]


def changes(a: Asked, absent: list[str]) -> list[str]:
    """Statements that write; each touches one row, or rows among which the order is no matter.
    `absent`: literals of which the table holds none."""
    t, x, y, z = a.table, a.probes[0], a.probes[len(a.probes) // 2], a.probes[-1]
    on = a.role.condition
    new, newer = absent[0], absent[-1]
    found = [f"UPDATE {t} SET v = {new} WHERE id = 2"]
    if a.kind.searchable:
        found += [
            f"UPDATE {a.source} SET v = {newer} WHERE {on}v = {y}",
            f"UPDATE {a.source} SET w = (w + 1) % 3 WHERE {on}v >= {y}",
            f"UPDATE {a.source} SET id = id + 1000 WHERE {on}v <= {y}",
            f"DELETE FROM {t} WHERE {on}v = {z}",
            f"DELETE FROM {t} WHERE v > {y} AND w = 2",
        ]
    found += [
        f"REPLACE INTO {t} VALUES (3, {x}, 1), (2003, {z}, 2), (2004, {x}, 1)",
        f"INSERT INTO {t} VALUES (2005, {x}, 0) ON DUPLICATE KEY UPDATE w = w + 1",
        f"INSERT INTO {t} VALUES (4, {newer}, 0) ON DUPLICATE KEY UPDATE v = {z}",
        f"INSERT IGNORE INTO {t} VALUES (2006, {x}, 1), (2007, {y}, 1), (5, {z}, 2)",
        f"UPDATE {t} SET v = {y}, w = 1 WHERE id = 6",
    ]
    if a.nullable:
        found.append(f"UPDATE {t} SET v = NULL WHERE id IN (7, 2003)")
        found.append(f"UPDATE {t} SET v = {x} WHERE v IS NULL AND id < 100")
    found.append(f"DELETE FROM {t} WHERE id = 9")
    return found
