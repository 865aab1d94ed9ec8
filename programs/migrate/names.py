# SPDX-License-Identifier: GPL-2.0-only
"""Names of tables, as users write them and as SQL needs them."""

from dataclasses import dataclass

from programs.migrate.errors import BadUse


def quoted(word: str) -> str:
    return "`" + word.replace("`", "``") + "`"


@dataclass(frozen=True, order=True)
class Name:
    schema: str
    table: str

    def __str__(self) -> str:
        return f"{self.schema}.{self.table}"

    @property
    def sql(self) -> str:
        return f"{quoted(self.schema)}.{quoted(self.table)}"


class Choice:
    """What the user has named: databases, and tables as DATABASE.TABLE; nothing means all."""

    def __init__(self, words: tuple[str, ...]):
        self.words = words
        self.schemas = {word for word in words if "." not in word}
        self.tables = {Name(*word.split(".", 1)) for word in words if "." in word}

    def has(self, name: Name) -> bool:
        return not self.words or name.schema in self.schemas or name in self.tables

    def check(self, existing: set[Name]) -> None:
        """BadUse for a word that names nothing."""
        for schema in sorted(self.schemas - {name.schema for name in existing}):
            raise BadUse(f"no database {schema} with tables")
        for name in sorted(self.tables - existing):
            raise BadUse(f"no table {name}")
