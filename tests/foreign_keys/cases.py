# SPDX-License-Identifier: GPL-2.0-only
"""Files of cases. A line "## NAME" begins a case. A statement ends with ";" at the end of a line.
Behind it stands what InnoDB answers when that is an error:

    INSERT INTO c VALUES (1); -- error 1452
    CREATE TABLE c (a INT REFERENCES p (b)); -- error 1005 errno 150

So a case with a slip of the pen, which fails alike on both engines, does not pass. Where ROCKSDB is
meant to differ, that follows with its reason:

    RENAME TABLE c TO d; -- error 1050 | ROCKSDB error 1025 errno 121: the table is not there
    ALTER TABLE c FORCE, ALGORITHM=INPLACE; -- | ROCKSDB error 1846: see docs/ddl.md
    ALTER TABLE c MODIFY a BIGINT; -- error 1832 | ROCKSDB text: names are those of SHOW CREATE

text, warnings: these differ, and nothing else; definition: so do tables and rows from here on;
success: only InnoDB fails. A difference that is gone is a failure as well.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

ANSWER = r"error (\d+)(?: errno (\d+))?"
OURS = rf"\| ROCKSDB (?:{ANSWER}|(text|warnings|definition|success)): \S.*"
END = re.compile(rf";[ \t]*(?:--[ \t]*(?:{ANSWER})?[ \t]*({OURS})?)?$")


@dataclass
class CaseStatement:
    """`error`: the number, 0 for success; `errno`: the handler's number in the error's text.
    `differs`: in what ROCKSDB does, a word of OURS or an error; '' when it does not. `lines`: first
    and last line in the file, from 0."""

    sql: str
    error: int
    errno: int
    lines: tuple[int, int]
    differs: str = ""
    our_error: int = 0
    our_errno: int = 0


@dataclass
class Case:
    name: str
    file: Path
    statements: list[CaseStatement] = field(default_factory=list)


def read(file: Path) -> list[Case]:
    """Raises ValueError for a file that is not of this form."""
    cases: list[Case] = []
    pending: list[str] = []
    for number, line in enumerate(file.read_text().splitlines()):
        if line.startswith("## "):
            if pending:
                raise ValueError(f"{file}:{number + 1}: no ';' before this case")
            cases.append(Case(line[3:].strip(), file))
        elif pending or not (line.startswith("-- ") or not line.strip()):
            pending.append(line)
            end = END.search(line)
            if end:
                sql = "\n".join(pending)
                sql = sql[: len(sql) - len(line) + end.start()]
                lines = (number - len(pending) + 1, number)
                cases[-1].statements.append(make(sql, lines, end))
                pending = []
    if pending:
        raise ValueError(f"{file}: no ';' at the end")
    names = [case.name for case in cases]
    if twice := {name for name in names if names.count(name) > 1}:
        raise ValueError(f"{file}: two cases are called {twice}")
    return cases


def make(sql: str, lines: tuple[int, int], end: re.Match) -> CaseStatement:
    error, errno, ours, our_error, our_errno, word = end.groups()
    differs = word or ("error" if ours else "")
    numbers = [int(part or 0) for part in (error, errno, our_error, our_errno)]
    return CaseStatement(sql, *numbers[:2], lines, differs, *numbers[2:])


def read_folder(folder: Path) -> list[Case]:
    return [case for file in sorted(folder.glob("*.sql")) for case in read(file)]


def rewrite(file: Path, answers: dict[int, tuple[int, int]]) -> None:
    """Writes what InnoDB answers into the file: last line of a statement -> error, errno."""
    lines = file.read_text().splitlines()
    for number, (error, errno) in answers.items():
        end = END.search(lines[number])
        answer = [f"error {error}"] * bool(error) + [f"errno {errno}"] * bool(errno)
        words = [*answer, *([end[3]] if end[3] else [])]
        tail = f"; -- {' '.join(words)}" if words else ";"
        lines[number] = lines[number][: end.start()] + tail
    file.write_text("\n".join(lines) + "\n")
