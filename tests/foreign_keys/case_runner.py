# SPDX-License-Identifier: GPL-2.0-only
"""Runs a case on both sides, statement by statement, and compares all that a client can see."""

import re
from dataclasses import dataclass, field
from pathlib import Path

import pymysql

from tests.foreign_keys import definitions
from tests.foreign_keys.cases import Case, CaseStatement
from tests.foreign_keys.schemas import Schemas
from tests.kit.side_by_side import final_check
from tests.kit.side_by_side.runner import Answer, ServerDied, compare_rows

ERRNO = re.compile(r"\(errno: (\d+) ")
DDL = re.compile(r"\s*(CREATE|ALTER|DROP|RENAME|TRUNCATE)\b", re.IGNORECASE)


@dataclass
class Problem:
    """`what` was asked, and the answers of the tested engine and of its peer."""

    what: str
    tested: str
    peer: str

    def __str__(self) -> str:
        return f"{self.what}\n     tested: {self.tested}\n     peer:   {self.peer}"


@dataclass
class CaseRunner:
    """`answers` collects what the peer answers, by the last line of each statement: for
    --rewrite."""

    tested: Schemas
    peer: Schemas
    answers: dict[Path, dict[int, tuple[int, int]]] = field(default_factory=dict)
    rewrites: bool = False
    statements: int = 0

    def run(self, case: Case) -> Problem | None:
        """The first difference, None when there is none. What the server leaves behind is the
        caller's to look at."""
        try:
            for side in (self.tested, self.peer):
                side.open()
            for statement in case.statements:
                problem = self.step(case, statement)
                if problem or self.parted(statement):
                    return problem
            return self.check_end()
        except (ServerDied, pymysql.Error) as error:
            return Problem("the connection ended", str(error), "")
        finally:
            for side in (self.tested, self.peer):
                side.close()

    def step(self, case: Case, statement: CaseStatement) -> Problem | None:
        self.statements += 1
        peer, tested = self.peer.execute(statement.sql), self.tested.execute(statement.sql)
        warnings = [side.warnings() for side in (self.tested, self.peer)]
        self.answers.setdefault(case.file, {})[statement.lines[1]] = numbers(peer)
        if not self.rewrites and numbers(peer) != (statement.error, statement.errno):
            expected = f"the case expects error {statement.error} errno {statement.errno}"
            return Problem(statement.sql, expected, said(peer))
        found = compare(statement.sql, tested, peer)
        if not found and warnings[0] != warnings[1]:
            found = Problem(f"warnings of {statement.sql}", *map(str, warnings))
        if not found and (statement.differs == "definition" or not self.deliberate(statement)):
            found = self.check_tables(statement)
        if not self.deliberate(statement):
            return found
        return judge(statement, found, tested, peer)

    def deliberate(self, statement: CaseStatement) -> bool:
        return self.tested.engine == "rocksdb" and bool(statement.differs)

    def parted(self, statement: CaseStatement) -> bool:
        """Are the tables different from here on, as they are meant to be?"""
        alone = statement.differs == "error" and not statement.error
        differs = alone or statement.differs in ("definition", "success")
        return differs and self.deliberate(statement)

    def check_tables(self, statement: CaseStatement) -> Problem | None:
        if DDL.match(statement.sql):
            return self.check_definitions(statement.sql)
        return self.check_rows(f"after {statement.sql}")

    def check_definitions(self, sql: str) -> Problem | None:
        tested, peer = (definitions.picture(side) for side in (self.tested, self.peer))
        found = definitions.difference(tested, peer)
        if not found:
            return None
        asked, ours, theirs = found
        return Problem(f"{asked} after {sql}", str(ours), str(theirs))

    def check_rows(self, when: str) -> Problem | None:
        for name in definitions.tables(self.peer):
            found = final_check.agree(self.tested, self.peer, f"SELECT * FROM {name}")
            if found:
                return Problem(f"{found[0]} {when}", *found[1:])
        return None

    def check_end(self) -> Problem | None:
        """The rows through each index, and CHECK TABLE."""
        for side in (self.tested, self.peer):
            side.execute("ROLLBACK")
        for name in definitions.tables(self.peer):
            for query in (f"SELECT * FROM {name}", *final_check.scans(self.peer, name)):
                found = final_check.agree(self.tested, self.peer, query)
                if found:
                    return Problem(f"{found[0]} at the end", *found[1:])
            if name.endswith(".`s`"):  # a sequence has nothing to check
                continue
            for side in (self.tested, self.peer):
                answer = side.execute(f"CHECK TABLE {name} EXTENDED")
                if not answer.rows or answer.rows[-1][-1] != "OK":
                    return Problem(f"CHECK TABLE {name} on {side.engine}", said(answer), "OK")
        return None


def judge(statement, found: Problem | None, tested: Answer, peer: Answer) -> Problem | None:
    """Of a statement that is meant to differ: does it, and only so?"""
    if found is None:
        return Problem(statement.sql, "does no longer differ", said(peer))
    same = numbers(tested) == numbers(peer)
    fits = {
        "error": numbers(tested) == (statement.our_error, statement.our_errno),
        "success": tested.error == 0,
        "text": same and tested.text != peer.text,
        "warnings": same and found.what.startswith("warnings of "),
        "definition": same and tested.text == peer.text,
    }
    return None if fits[statement.differs] else found


def numbers(answer: Answer) -> tuple[int, int]:
    """The error, and the handler's in its text."""
    found = ERRNO.search(answer.text)
    return answer.error, int(found[1]) if found else 0


def said(answer: Answer) -> str:
    if answer.error:
        return f"error {answer.error}: {answer.text}"
    if answer.rows is not None:
        return f"{len(answer.rows)} rows: {answer.rows[:10]}"
    return f"success, {answer.affected} rows"


def compare(sql: str, tested: Answer, peer: Answer) -> Problem | None:
    if (tested.error, tested.text) != (peer.error, peer.text):
        return Problem(sql, said(tested), said(peer))
    if peer.rows is not None:
        return compare_rows(lambda _, a, b: Problem(sql, a, b), "rows", tested.rows, peer.rows)
    # of DDL they tell the algorithm, not a result
    if tested.affected != peer.affected and not DDL.match(sql):
        return Problem(sql, said(tested), said(peer))
    return None
