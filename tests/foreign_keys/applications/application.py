# SPDX-License-Identifier: GPL-2.0-only
"""An application: stages that are done on both servers, and what they have proved."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.foreign_keys.applications.side import Side, answer_of, difference
from tools.errors import DevError

# done on one side: the answers that must be equal on both. DevError: the application does not run.
Action = Callable[[Side], list[str]]


@dataclass(frozen=True)
class Stage:
    """`rows`: after it the rows of all tables are compared too, not only their definitions."""

    name: str
    action: Action
    rows: bool = True


class Application:
    """Subclasses define NAME and stages()."""

    NAME = ""
    LONG_ONLY = False
    SESSION: dict[str, str] = {}  # variables that its triggers read
    # so many constraints there must be at the least, else the schema is not the one that is meant
    CONSTRAINTS = 0

    def __init__(self, seed: int, long: bool):
        self.seed, self.long = seed, long

    @property
    def database(self) -> str:
        """A name that no table or constraint has."""
        return f"of_{self.NAME.replace('-', '_')}"

    def stages(self) -> list[Stage]:
        raise NotImplementedError


def scripts(*texts: Callable[[], str]) -> Action:
    """Runs scripts one after the other."""

    def run(side: Side) -> list[str]:
        return [side.script(text()) for text in texts]

    return run


def copied(*options: str) -> Action:
    """Dumps the database and restores the dump under another name: children come before their
    parents in it. The copy must look as its original."""

    def run(side: Side) -> list[str]:
        copy = f"{side.database}_copy"
        side.restore(side.dump(*options), copy)
        rows = "--no-data" not in options
        own, other = side.picture(rows=rows), side.picture(copy, rows=rows)
        found = difference(other, own)
        if found:
            raise DevError(f"the copy of a dump differs: {found}")
        side.server.sql(f"DROP DATABASE {copy}")
        return []

    return run


def dropped(side: Side) -> list[str]:
    """Drops the tables one by one by name: parents of others are refused at first."""
    answers = []
    with side.connect() as link, link.cursor() as cursor:
        left = side.tables()
        while left:
            for table in left:
                answers.append(f"{table}: {answer_of(cursor, f'DROP TABLE `{table}`')}")
            still = side.tables()
            if still == left:  # they refer to each other
                cursor.execute("SET foreign_key_checks = 0")
            left = still
    return answers
