# SPDX-License-Identifier: GPL-2.0-only
"""One cell of the matrix: a type in a role, made, filled, searched, changed and checked on both
engines."""

import re
from collections import Counter
from dataclasses import dataclass, field

from pymysql.constants import ER

from tests.kit import error_numbers
from tests.kit.side_by_side.final_check import difference
from tests.kit.side_by_side.runner import Answer, Side
from tests.matrix import questions, refusals
from tests.matrix.alone import DUPLICATE, Alone, is_deletion
from tests.matrix.pool import Pool
from tests.matrix.questions import Asked, Question
from tests.matrix.roles import Role
from tests.matrix.types import ColumnType

PASSED, REFUSED, ABSENT, FAILED = "passed", "refused", "not applicable", "failed"
MOST_PROBLEMS = 3
# what InnoDB says when it finds its own index out of order, and from then on
PEER_IS_CORRUPT = (ER.NOT_KEYFILE, error_numbers.INDEX_CORRUPT)
# rows put in one by one where one may be refused; each is one round trip
MOST_SINGLE_ROWS = 60


class Broken(Exception):
    """The tested engine has failed, and further comparison would say nothing."""


@dataclass
class Cell:
    """`index_only`: the key alone gives v back; None where the question makes no sense.
    `script`: what the tested engine was told, for a failure's report. `peer_errors`: questions
    that the peer answers worse by its index than by a scan of the table, and worse than we.
    `left_by_peer`: the statement by which the peer's table has become useless; what comes after it
    is compared with a scan of our own table. `range_errors`: what the server's own range leaves out
    of what a scan finds."""

    kind: ColumnType
    role: Role
    nullable: bool
    table: str = ""
    outcome: str = ""
    reason: str = ""
    index_only: bool | None = None
    problems: list[str] = field(default_factory=list)
    script: list[str] = field(default_factory=list)
    rows: Counter = field(default_factory=Counter)
    pool: Pool | None = None
    peer_errors: list[str] = field(default_factory=list)
    left_by_peer: str = ""
    range_errors: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        return f"{self.kind.name} {self.role.name} {'null' if self.nullable else 'notnull'}"

    def cause(self) -> str:
        """The first problem without names and values, to put failures of one cause together."""
        what, found = (self.problems[0].splitlines() + [""])[:2]
        what = re.sub(r"\bt\d+\b", "t", re.sub(r"'[^']*'", "'..'", what))
        error = re.search(r"error \d+: .*", found)
        words = [w for w in re.findall(r"[A-Z][A-Z ]+[A-Z]", what) if not w.startswith("X ")]
        text = re.sub(r"'[^']*'", "'..'", error.group()) if error else " ".join(words[:4])
        return f"{what.split()[0]} {self.role.name}: {text}"

    def repeat(self) -> str:
        return f'./dev test matrix --filter "{self.name}"'


class Attempt:
    """Runs one cell. `sides`: tested and peer, on databases that exist; the caller holds them
    alone. The tested table stays, for the check after a restart; the peer's is dropped."""

    def __init__(self, cell: Cell, tested: Side, peer: Side):
        self.cell, self.pool, self.tested, self.peer = cell, cell.pool, tested, peer
        self.asked = Asked(cell.table, cell.kind, cell.role, cell.nullable, self.pool.probes)
        self.alone = Alone(self.asked, tested, peer)

    def run(self) -> None:
        cell = self.cell
        if self.pool.problem:
            cell.outcome = FAILED
            self._problem("the values", self.pool.problem, "values that the server takes")
            return
        if not self._create():
            return
        try:
            self._fill()
            self._compare_all(questions.contents(self.asked))
            self._explain()
            self._compare_all(questions.searches(self.asked))
            self._check_table()
            self._change()
            self._compare_all(questions.contents(self.asked))
            self._compare_all(questions.searches(self.asked)[:1])
            self._check_table()
            self._checksum()
            self._remember()
        except Broken:
            pass
        cell.outcome = FAILED if cell.problems else PASSED
        self.alone.peer.execute(f"DROP TABLE {cell.table}")

    # --- the steps

    def _create(self) -> bool:
        """True when both engines have the table."""
        cell = self.cell
        sql = cell.role.table(cell.table, cell.kind, cell.nullable)
        peer = self.peer.execute(sql)
        if peer.error:
            cell.outcome, cell.reason = ABSENT, f"error {peer.error}: {peer.text}"
            return False
        expected = self._warnings(self.peer)
        tested = self._tell(sql)
        self._judge_refusal(tested)
        if tested.error:
            self.peer.execute(f"DROP TABLE {cell.table}")
            return False
        self._compare_warnings("CREATE TABLE", expected)
        return True

    def _judge_refusal(self, tested: Answer) -> None:
        cell = self.cell
        refusal = refusals.expected(cell.kind, cell.role)
        said = f"error {tested.error}: {tested.text}" if tested.error else "no error"
        if refusal and tested.error == refusal.error:
            cell.outcome, cell.reason = REFUSED, refusal.reason
        elif refusal or tested.error:
            cell.outcome = FAILED
            due = f"error {refusal.error}" if refusal else "no error"
            self._problem("CREATE TABLE", said, due)

    def _fill(self) -> None:
        cell, pool = self.cell, self.pool
        literals = pool.literals + (["NULL", "NULL"] if cell.nullable else [])
        rows = every = [f"({n}, {v}, {n % 3})" for n, v in enumerate(literals, 1)]
        insert = f"INSERT INTO {cell.table} VALUES "
        if cell.role.unique:
            for row in rows[:MOST_SINGLE_ROWS]:
                self._both(insert + row)
            rows = rows[MOST_SINGLE_ROWS:]
            insert = insert.replace("INSERT", "INSERT IGNORE")
        if rows:
            self._both(insert + ", ".join(rows))
            if not cell.left_by_peer:
                self._compare_warnings("INSERT", self._warnings(self.peer))
        if cell.left_by_peer:
            self._must("the rows put in", self.alone.filled(every))

    def _change(self) -> None:
        for sql in questions.changes(self.asked, self.pool.absent):
            self._both(sql)

    def _explain(self) -> None:
        """Whether the key alone answers, and whether it gives the order without a sort."""
        if not self.asked.fits_order:
            return
        index_only, ordered = questions.contents(self.asked)[1:3]
        sides = self.tested, self.alone.peer
        tested, peer = (self._extra(side, index_only) for side in sides)
        self.cell.index_only = "Using index" in tested if "Using index" in peer else None
        if not self.cell.index_only:
            tested, peer = (self._extra(side, ordered) for side in sides)
        if "filesort" in tested and "filesort" not in peer:
            self._problem(f"EXPLAIN {ordered.sql}", tested, peer)

    @staticmethod
    def _extra(side: Side, question: Question) -> str:
        answer = side.execute(f"EXPLAIN {question.sql}")
        return str(answer.rows[0][-1]) if answer.rows else answer.text

    def _check_table(self) -> None:
        sql = f"CHECK TABLE {self.cell.table} EXTENDED"
        answer = self._tell(sql)
        if not answer.rows or answer.rows[-1][-1] != "OK":
            self._problem(sql, str(answer.rows or answer.text), "OK")

    def _checksum(self) -> None:
        sql = f"CHECKSUM TABLE {self.cell.table} EXTENDED"
        if self.cell.left_by_peer:
            self._must(sql, self.alone.checksum(sql))
            return
        tested, peer = self._tell(sql), self.peer.execute(sql)
        found, due = ([r[1:] for r in answer.rows or []] for answer in (tested, peer))
        if found != due:
            self._problem(sql, str(found), str(due))

    def _remember(self) -> None:
        self.cell.rows = Counter(self.peer.execute(self._whole().sql).rows)

    def _whole(self) -> Question:
        return questions.contents(self.asked)[0]

    def check_again(self) -> None:
        """After a restart: the contents are still those that the peer had."""
        cell = self.cell
        for question in questions.contents(self.asked)[:2]:
            answer = self._tell(question.sql)
            rows = Counter(answer.rows or [])
            # of the index alone: the same number of each value
            due = project(cell.rows, question.columns) if question.columns else cell.rows
            if answer.error or rows != due:
                lost, extra = list((due - rows).elements()), list((rows - due).elements())
                text = answer.text or f"missing {lost[:3]}, too much {extra[:3]}"
                self._problem(f"after the restart: {question.sql}", text, "the same as before")
                cell.outcome = FAILED
                return

    # --- asking both and comparing

    def _tell(self, sql: str) -> Answer:
        self.cell.script.append(sql)
        return self.tested.execute(sql)

    def _both(self, sql: str) -> None:
        """A statement that writes; a difference ends the cell, and so does an error that says
        more of the statement than of the engines."""
        meant = self.alone.meant(sql)
        doubted = self._doubted(sql)
        tested = self._tell(sql)
        if self.cell.left_by_peer:
            self._must(sql, self.alone.write(sql, tested, meant))
            return
        peer = self.peer.execute(sql)
        found, due = (outcome(answer) for answer in (tested, peer))
        if doubted and found != due:
            wrong = self.alone.write(sql, tested, meant)
            self._part(sql, wrong or self.alone.parting_after_other_rows(doubted))
            return
        if found != due and self._peer_took_a_duplicate():
            self._part(sql, self.alone.write(sql, tested, meant))
            return
        if found != due and self._peer_left_rows(sql):
            wrong = self.alone.write(sql, tested, meant)
            self._part(sql, wrong or self.alone.parting_after_delete(sql))
            return
        if found != due or peer.error not in (0, DUPLICATE):
            self._problem(sql, found, due)
            raise Broken

    def _warnings(self, side: Side) -> list[tuple]:
        return side.execute("SHOW WARNINGS").rows or []

    def _compare_warnings(self, what: str, due: list[tuple]) -> None:
        extra = difference(self._warnings(self.tested), due)
        if extra:
            self._problem(f"{what}: warnings", str(extra[:3]), str(due[:3]))

    def _compare_all(self, asked: list[Question]) -> None:
        for question in asked:
            self._compare(question)

    def _compare(self, question: Question) -> None:
        tested, peer = self._tell(question.sql), self.peer.execute(question.sql)
        if peer.error in PEER_IS_CORRUPT and not tested.error:
            self._part(question.sql, self.alone.parting_after_reading())
            peer = self.peer.execute(question.sql)
        if tested.error or peer.error:
            self._problem(question.sql, outcome(tested), outcome(peer))
            return
        problems = self._differences(question, tested.rows, peer.rows)
        if not problems or self._scan_agrees(question, tested.rows):
            return
        for problem in problems:
            self._problem(*problem)

    def _scan_agrees(self, question: Question, found: list[tuple]) -> bool:
        """The truth is what a scan of the peer's table tells, in the order in which the server
        compares values. True when that is what the tested engine has answered by its index; the
        peer's index is wrong then."""
        if question.details:
            return False  # judged condition by condition
        scan = self.peer.execute(self._scanning(question.sql).removesuffix(questions.LIMITED))
        if scan.error:
            return False
        if question.how == "rank-set":
            agrees = not self._differences(question, found, self._grouped(question))
        else:
            agrees = self._is_in_order(question, found, scan.rows)
        if agrees:
            self.cell.peer_errors.append(question.sql)
        return agrees

    def _grouped(self, question: Question) -> list[tuple]:
        """The peer's distinct values, where the server tells them from their neighbours in the
        index itself, and does not jump from one to the next."""
        sql = question.sql.replace("SELECT DISTINCT v", "SELECT v, COUNT(*)")
        return self.peer.execute(sql.replace(") d", " GROUP BY v) d")).rows or []

    def _is_in_order(self, question: Question, found: list[tuple], rows: list[tuple]) -> bool:
        """Is `found` all of `rows`, under a LIMIT their first, as the question orders them?"""
        limited = question.sql.endswith(questions.LIMITED)
        if not limited and Counter(found) != Counter(rows):
            return False
        if question.how == "rows":
            return True
        ranks = self._ranks(question, found), self._ranks(question, rows)
        if any(isinstance(part, tuple) or part is None for row in ranks[1] for part in row):
            return False  # values that have no rank
        by = question.sql.removesuffix(questions.LIMITED).rpartition(" ORDER BY ")[2]
        backwards = by == self.cell.role.order(backwards=True)
        due = sorted_by(ranks[1], [down != backwards for _, down in self.cell.role.parts])
        return ranks[0] == (due[: len(found)] if limited else due)

    def _scanning(self, sql: str) -> str:
        return sql.replace(self._hint(), "USE INDEX ()")

    def _hint(self) -> str:
        return f"FORCE INDEX ({self.cell.role.index})"

    def _differences(self, question: Question, found, due) -> list[tuple[str, str, str]]:
        """What is wrong with `found`, as arguments of _problem."""
        problems = []
        if "rank" not in question.how or question.how == "ranks-and-rows":
            problems += self._compare_rows(question, found, due)
        if question.how != "rows":
            order = sorted if question.how == "rank-set" else list
            ranks = [order(self._ranks(question, rows), **by_text(order)) for rows in (found, due)]
            if ranks[0] != ranks[1]:
                place = next((n for n, (a, b) in enumerate(zip(*ranks, strict=False)) if a != b), 0)
                shown = [str(rows[place : place + 3]) for rows in (found, due)]
                if question.how == "rank-set":
                    shown = [str(few) for few in only_in_one(*ranks)]
                problems.append((f"{question.sql}  -- order, row {place}", *shown))
        return problems

    def _compare_rows(self, question: Question, found, due) -> list[tuple[str, str, str]]:
        extra, missing = difference(found, due), difference(due, found)
        if not extra and not missing:
            return []
        sql = question.sql
        if question.details:
            wrong = list(dict.fromkeys(int(row[0]) for row in extra + missing))
            wrong = [n for n in wrong if not self._peer_contradicts_itself(question.details[n])]
            if not wrong:
                return []
            sql = question.details[wrong[0]]
            found, due = self._tell(sql).rows or [], self.peer.execute(sql).rows or []
            extra, missing = difference(found, due), difference(due, found)
            sql += f"  -- and {len(wrong) - 1} more conditions" * (len(wrong) > 1)
        few = [str(rows[:4]) + " ..." * (len(rows) > 4) for rows in (extra, missing)]
        return [(sql, f"too much: {few[0]}", f"missing: {few[1]}")]

    def _peer_contradicts_itself(self, sql: str) -> bool:
        """The truth is what a scan of the table tells, without an index to search in. True when
        the peer's index loses rows of that, and the tested engine's finds them, or at least more
        than the peer's and none that are wrong."""
        scan = self._scanning(sql)
        tested, peer = (Counter(s.execute(sql).rows or []) for s in (self.tested, self.peer))
        prefix = self.cell.kind.as_prefix(scan) if self.cell.role.prefix else scan
        for truth in dict.fromkeys((scan, self._as_key(scan), prefix)):
            answer = self.peer.execute(truth)
            due = Counter(answer.rows or [])
            if answer.error or tested - due or (peer & due) - tested:
                continue
            if truth == scan and peer != due:
                self.cell.peer_errors.append(sql)
            if truth != scan:
                self.cell.range_errors.append(sql)
            if peer != due or tested == peer:
                return True
        if not self.cell.left_by_peer or self.cell.kind.as_key("v") == "v":
            return False
        if not self._fresh_indexes_agree(sql, tested, scan):
            return False
        self.cell.range_errors.append(sql)
        return True

    def _fresh_indexes_agree(self, sql: str, tested: Counter, scan: str) -> bool:
        """Is it the server's range that leaves rows out? Then InnoDB finds the same in an index
        made anew of our rows. Where its order of the values depends on how they came in, it loses
        others: then ours must find the same, and only what a scan finds."""
        theirs = self.alone.fresh_index_finds(sql)
        if theirs == tested:
            return True
        everything = Counter(self.tested.execute(scan).rows or [])
        return (
            bool(everything - theirs)
            and not tested - everything
            and self.alone.own_fresh_index_finds(sql) == tested
        )

    def _as_key(self, sql: str) -> str:
        return self.cell.kind.as_key(sql, whole=not self.cell.role.prefix)

    def _peer_took_a_duplicate(self) -> bool:
        """Has the peer's unique index two rows that the server finds equal, and ours none?"""
        if not self.cell.role.unique or self.alone.duplicates(self.tested):
            return False
        return self.alone.duplicates(self.peer)

    def _doubted(self, sql: str) -> int:
        """Alone.doubted, of searches that the tested engine answers rightly."""
        doubted = 0 if self.cell.left_by_peer else self.alone.doubted(sql)
        if doubted and not self._answers_rightly(self.alone.search_of(sql)):
            return 0  # and what comes of it is a problem
        return doubted

    def _answers_rightly(self, search: str) -> bool:
        sides = (Counter(side.execute(search).rows or []) for side in (self.tested, self.peer))
        return len(set(map(frozenset, sides))) == 1 or self._peer_contradicts_itself(search)

    def _peer_left_rows(self, sql: str) -> bool:
        """Has the peer's table rows left that a DELETE should have taken, and ours none?"""
        if not is_deletion(sql) or self.alone.rows_left(self.tested, sql):
            return False
        return self.alone.rows_left(self.peer, sql) > 0

    def _part(self, sql: str, wrong: str) -> None:
        """The peer has erred in `sql`. `wrong`: what is wrong with us nevertheless."""
        self.cell.peer_errors.append(sql)
        self.cell.left_by_peer = sql
        self._must(sql, wrong)
        self.peer = self.alone.scan

    def _must(self, what: str, wrong: str) -> None:
        """Ends the cell when something is wrong that no peer is asked about."""
        if wrong:
            self._problem(what, wrong, "(told by the statement and a scan)")
            raise Broken

    def _ranks(self, question: Question, rows: list[tuple]) -> list[tuple]:
        """Each row as what its place in the order depends on."""
        count = len(question.columns)
        found = []
        for row in rows:
            named = dict(zip(question.columns, row, strict=False))
            value = self.pool.rank(row[count:])
            parts = (value if c == "v" else named.get(c) for c, _ in self.cell.role.parts)
            found.append(tuple(parts))
        return found

    def _problem(self, what: str, tested: str, peer: str) -> None:
        problems = self.cell.problems
        problems.append(f"{what}\n      tested: {tested}\n      peer:   {peer}")
        if len(problems) >= MOST_PROBLEMS:
            raise Broken


def outcome(answer: Answer) -> str:
    if answer.error:
        return f"error {answer.error}: {answer.text}"
    return f"{answer.affected} rows affected"


def sorted_by(rows: list[tuple], descending: list[bool]) -> list[tuple]:
    for part in reversed(range(len(descending))):
        rows = sorted(rows, key=lambda row: row[part], reverse=descending[part])
    return rows


def only_in_one(found: list[tuple], due: list[tuple]) -> tuple[list, list]:
    return difference(found, due)[:4], difference(due, found)[:4]


def by_text(order) -> dict:
    """sorted() must not compare a rank with a value that has none."""
    return {"key": repr} if order is sorted else {}


def project(rows: Counter, columns: tuple[str, ...]) -> Counter:
    """Of rows (id, w, value...) only those of id and w that are named, and the value."""
    found: Counter = Counter()
    for row, count in rows.items():
        named = {"id": row[0], "w": row[1]}
        found[(*(named[c] for c in columns), *row[2:])] += count
    return found
