# SPDX-License-Identifier: GPL-2.0-only
"""Three questions to the sample data that a person would ask, and that use joins, secondary
indexes, grouping and a recursive walk."""

import time
from dataclasses import dataclass

from tools.server import PrivateServer

# the first of these that is in the index stands for "a large program"
PROGRAMS = ("gimp", "libreoffice", "mariadb-server", "git", "apt", "bash")

MOST_NEEDED = """
SELECT n.package, n.needed_by, MIN(t.summary) AS summary
  FROM (SELECT target AS package, COUNT(DISTINCT version_id) AS needed_by
          FROM dependencies
         WHERE kind IN ('Depends', 'Pre-Depends')
         GROUP BY target
         ORDER BY needed_by DESC LIMIT 5) n
  LEFT JOIN packages p ON p.name = n.package
  LEFT JOIN versions v ON v.package_id = p.package_id
  LEFT JOIN descriptions t ON t.description_md5 = v.description_md5
 GROUP BY n.package, n.needed_by
 ORDER BY n.needed_by DESC"""

BEYOND_ASCII = """
SELECT m.name AS maintainer, COUNT(*) AS packages, COUNT(DISTINCT v.source_id) AS sources,
       COUNT(DISTINCT v.section_id) AS sections, ROUND(SUM(v.download_bytes) / 1e6) AS megabytes
  FROM maintainers m
  JOIN versions v ON v.maintainer_id = m.maintainer_id
 WHERE LENGTH(m.name) > CHAR_LENGTH(m.name)
 GROUP BY m.maintainer_id, m.name
 ORDER BY packages DESC LIMIT 5"""

INSTALL = """
WITH RECURSIVE needed (name) AS (
  SELECT CAST('{program}' AS CHAR(128))
  UNION
  SELECT d.target
    FROM needed n
    JOIN packages p ON p.name = n.name
    JOIN versions v ON v.package_id = p.package_id
    JOIN dependencies d ON d.version_id = v.version_id
   WHERE d.kind IN ('Depends', 'Pre-Depends') AND d.alternative = 1
)
SELECT COUNT(DISTINCT n.name) AS packages,
       ROUND(SUM(v.download_bytes) / 1e6) AS megabytes_to_download,
       ROUND(SUM(v.installed_kib) / 1024) AS mebibytes_installed
  FROM needed n
  JOIN packages p ON p.name = n.name
  JOIN versions v ON v.version_id = -- the last one is of the newest suite
       (SELECT MAX(w.version_id) FROM versions w WHERE w.package_id = p.package_id)"""


@dataclass
class Answer:
    """A question, its SQL, the names of the columns, the rows and the seconds it took."""

    title: str
    sql: str
    columns: list[str]
    rows: list[tuple]
    seconds: float


def questions(server: PrivateServer, database: str) -> list[tuple[str, str]]:
    """(title, SQL) of each question."""
    names = ", ".join(f"'{name}'" for name in PROGRAMS)
    there = server.query(
        f"SELECT name FROM packages WHERE name IN ({names}) ORDER BY FIELD(name, {names}) LIMIT 1",
        database,
    )
    program = there[0][0] if there else PROGRAMS[-1]
    return [
        ("Which packages do most others need?", MOST_NEEDED),
        ("Whose name needs more than ASCII, and what do they maintain?", BEYOND_ASCII),
        (
            f"What comes along when one installs {program} on an empty machine?",
            INSTALL.format(program=program),
        ),
    ]


def ask(server: PrivateServer, database: str) -> list[Answer]:
    """Runs all questions on one connection."""
    answers = []
    with server.connect(database) as connection, connection.cursor() as cursor:
        for title, sql in questions(server, database):
            started = time.monotonic()
            cursor.execute(sql)
            found = list(cursor.fetchall())
            seconds = time.monotonic() - started
            columns = [column[0] for column in cursor.description]
            answers.append(Answer(title, sql.strip(), columns, found, seconds))
    return answers
