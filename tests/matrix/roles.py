# SPDX-License-Identifier: GPL-2.0-only
"""The roles a column can have in its table: in which key, where in it, in which direction.

Every table of the matrix has the columns `id INT`, the tested column `v`, and `w INT` (0, 1 or 2),
and the keys of its role. The key that holds `v` is called k, or is the primary key.
"""

from dataclasses import dataclass

from tests.matrix.types import ColumnType


@dataclass(frozen=True)
class Role:
    """`parts`: of the key that holds v, as (column, descending); `prefix`: v is there as v(N).

    `unique`: a value that is there already is refused. `primary`: it is the primary key, and so v
    cannot be NULL. A role without parts is a column that stands in the row only.
    """

    name: str
    title: str
    parts: tuple[tuple[str, bool], ...] = (("v", False),)
    prefix: bool = False
    unique: bool = False
    primary: bool = False

    def possible(self, kind: ColumnType) -> bool:
        """False where the question makes no sense, as a prefix of a number."""
        if not self.parts:
            return True
        return kind.prefix > 0 if self.prefix else kind.whole_key

    def nullable(self) -> tuple[bool, ...]:
        return (False,) if self.primary else (False, True)

    @property
    def index(self) -> str:
        """The index to read by."""
        return "k" if self.parts and not self.primary else "PRIMARY"

    @property
    def condition(self) -> str:
        """What must stand before a condition on v so that the index can be used."""
        return "w = 1 AND " if self.parts and self.parts[0][0] == "w" else ""

    def order(self, backwards: bool = False) -> str:
        """ORDER BY list that the index gives."""
        words = (f"{c}{' DESC' if down != backwards else ''}" for c, down in self.parts)
        return ", ".join(words)

    def table(self, name: str, kind: ColumnType, nullable: bool) -> str:
        """CREATE TABLE without an engine."""
        null = "NULL" if nullable else "NOT NULL"
        columns = f"id INT NOT NULL, v {kind.ddl} {null}, w INT NOT NULL"
        return f"CREATE TABLE {name} ({columns}, {', '.join(self.keys(kind))})"

    def keys(self, kind: ColumnType) -> list[str]:
        length = f"({kind.prefix})" if self.prefix else ""
        parts = ", ".join(
            f"{c}{length if c == 'v' else ''}{' DESC' if down else ''}" for c, down in self.parts
        )
        if self.primary:
            # the second key holds v as a part of the primary key
            return [f"PRIMARY KEY ({parts})", "KEY w (w)"]
        if not self.parts:
            return ["PRIMARY KEY (id)"]
        return ["PRIMARY KEY (id)", f"{'UNIQUE ' if self.unique else ''}KEY k ({parts})"]


ASC, DESC = ("v", False), ("v", True)
ROLES = (
    Role("pk", "PRIMARY KEY (v)", unique=True, primary=True),
    Role("pk-desc", "PRIMARY KEY (v DESC)", (DESC,), unique=True, primary=True),
    Role("pk-prefix", "PRIMARY KEY (v(N))", prefix=True, unique=True, primary=True),
    Role("key", "KEY (v)"),
    Role("key-desc", "KEY (v DESC)", (DESC,)),
    Role("unique", "UNIQUE KEY (v)", unique=True),
    Role("unique-desc", "UNIQUE KEY (v DESC)", (DESC,), unique=True),
    Role("second", "KEY (w, v)", (("w", False), ASC)),
    Role("second-desc", "KEY (w, v DESC)", (("w", False), DESC)),
    Role("first", "KEY (v, w)", (ASC, ("w", False))),
    Role("prefix", "KEY (v(N))", prefix=True),
    Role("prefix-desc", "KEY (v(N) DESC)", (DESC,), prefix=True),
    Role("unique-prefix", "UNIQUE KEY (v(N))", prefix=True, unique=True),
    Role("row", "no key on v", ()),
)
