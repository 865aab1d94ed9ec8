# SPDX-License-Identifier: GPL-2.0-only
"""The tables of the sample data set.

A table is loaded from a file of tab-separated values whose columns stand in the order of
`columns`; `@name` columns are set through `assignments` (LOAD DATA ... SET). Identifiers (names of
packages and sources, versions, addresses) compare by bytes, prose by utf8mb4_general_ci.
"""

from dataclasses import dataclass

from tools.sample.relations import KINDS

DATABASE = "debian"
NAME_LENGTH = 128
# of a person's name or address; 4 bytes a character, and a key part holds 767 bytes
PERSON_LENGTH = 180
VERSION_LENGTH = 100
SUMMARY_LENGTH = 500
HOMEPAGE_LENGTH = 500
PRIORITIES = ("required", "important", "standard", "optional", "extra")


@dataclass(frozen=True)
class Table:
    """One table: its name, columns and keys for CREATE TABLE, and how a file is loaded into it."""

    name: str
    definition: str
    columns: str
    assignments: str = ""

    def create(self, engine: str, database: str = DATABASE) -> str:
        return (
            f"CREATE TABLE {database}.{self.name} ({self.definition}\n"
            f") ENGINE={engine} DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci"
        )

    def load(self, path: str, database: str = DATABASE) -> str:
        """The statement that loads a file of the client; path without quotes and backslashes."""
        assignments = f" SET {self.assignments}" if self.assignments else ""
        return (
            f"LOAD DATA LOCAL INFILE '{path}' INTO TABLE {database}.{self.name} "
            f"CHARACTER SET utf8mb4 ({self.columns}){assignments}"
        )


def enum(values) -> str:
    return "ENUM(" + ", ".join(f"'{v}'" for v in values) + ")"


TABLES = (
    Table(
        "suites",
        """
  suite_id SMALLINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  name VARCHAR(100) NOT NULL,
  UNIQUE KEY name (name)""",
        "suite_id, name",
    ),
    Table(
        "sections",
        """
  section_id SMALLINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  name VARCHAR(100) NOT NULL,
  UNIQUE KEY name (name)""",
        "section_id, name",
    ),
    Table(
        "maintainers",
        f"""
  maintainer_id INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  name VARCHAR({PERSON_LENGTH}) NOT NULL,
  email VARCHAR({PERSON_LENGTH}) COLLATE utf8mb4_bin NULL,
  UNIQUE KEY email (email),
  KEY name (name)""",
        "maintainer_id, name, email",
    ),
    Table(
        "sources",
        f"""
  source_id INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  name VARCHAR({NAME_LENGTH}) COLLATE utf8mb4_bin NOT NULL,
  UNIQUE KEY name (name)""",
        "source_id, name",
    ),
    Table(
        "packages",
        f"""
  package_id INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  name VARCHAR({NAME_LENGTH}) COLLATE utf8mb4_bin NOT NULL,
  UNIQUE KEY name (name)""",
        "package_id, name",
    ),
    Table(
        "descriptions",
        f"""
  description_md5 BINARY(16) NOT NULL PRIMARY KEY,
  summary VARCHAR({SUMMARY_LENGTH}) NOT NULL,
  body TEXT NULL,
  KEY summary (summary(40))""",
        "@md5, summary, body",
        "description_md5 = UNHEX(@md5)",
    ),
    Table(
        "versions",
        f"""
  version_id INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  package_id INT UNSIGNED NOT NULL,
  version VARCHAR({VERSION_LENGTH}) COLLATE utf8mb4_bin NOT NULL,
  architecture VARCHAR(20) COLLATE utf8mb4_bin NOT NULL,
  suite_id SMALLINT UNSIGNED NOT NULL,
  section_id SMALLINT UNSIGNED NULL,
  source_id INT UNSIGNED NOT NULL,
  maintainer_id INT UNSIGNED NULL,
  description_md5 BINARY(16) NULL,
  priority {enum(PRIORITIES)} NULL,
  essential BOOLEAN NOT NULL,
  installed BOOLEAN NOT NULL COMMENT 'on the machine the data comes from',
  installed_kib BIGINT UNSIGNED NULL,
  download_bytes BIGINT UNSIGNED NULL,
  sha256 BINARY(32) NULL,
  homepage VARCHAR({HOMEPAGE_LENGTH}) NULL,
  UNIQUE KEY package_version (package_id, version, architecture),
  KEY section_size (section_id, download_bytes),
  KEY source_id (source_id),
  KEY maintainer_id (maintainer_id),
  KEY description_md5 (description_md5)""",
        "version_id, package_id, version, architecture, suite_id, section_id, source_id, "
        "maintainer_id, @md5, priority, essential, installed, installed_kib, download_bytes, "
        "@sha256, homepage",
        "description_md5 = UNHEX(@md5), sha256 = UNHEX(@sha256)",
    ),
    Table(
        "dependencies",
        f"""
  version_id INT UNSIGNED NOT NULL,
  kind {enum(KINDS)} NOT NULL,
  group_number SMALLINT UNSIGNED NOT NULL COMMENT 'all groups must hold',
  alternative SMALLINT UNSIGNED NOT NULL COMMENT 'one of a group suffices',
  target VARCHAR({NAME_LENGTH}) COLLATE utf8mb4_bin NOT NULL,
  target_architecture VARCHAR(20) COLLATE utf8mb4_bin NULL,
  operator ENUM('<<', '<=', '=', '>=', '>>') NULL,
  target_version VARCHAR({VERSION_LENGTH}) COLLATE utf8mb4_bin NULL,
  PRIMARY KEY (version_id, kind, group_number, alternative),
  KEY target (target, kind)""",
        "version_id, kind, group_number, alternative, target, target_architecture, operator, "
        "target_version",
    ),
    Table(
        "tags",
        """
  tag_id INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  facet VARCHAR(60) NOT NULL,
  name VARCHAR(60) NOT NULL,
  UNIQUE KEY tag (facet, name)""",
        "tag_id, facet, name",
    ),
    Table(
        "version_tags",
        """
  version_id INT UNSIGNED NOT NULL,
  tag_id INT UNSIGNED NOT NULL,
  PRIMARY KEY (version_id, tag_id),
  KEY tag_id (tag_id)""",
        "version_id, tag_id",
    ),
)
# written last: its row 'complete' says that the data set is whole
ABOUT = """CREATE TABLE {database}.about (
  name VARCHAR(40) NOT NULL PRIMARY KEY,
  value TEXT NOT NULL,
  changed TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP
) ENGINE=ROCKSDB DEFAULT CHARSET=utf8mb4"""
