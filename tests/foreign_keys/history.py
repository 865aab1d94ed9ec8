# SPDX-License-Identifier: GPL-2.0-only
"""Runs histories of foreign keys on two engines, many of them by several processes."""

import multiprocessing
import re
import time
from dataclasses import dataclass, field
from pathlib import Path

from pymysql.constants import ER

from tests.foreign_keys import definitions
from tests.foreign_keys.generator import Generator
from tests.foreign_keys.schemas import Schemas
from tests.kit import error_numbers
from tests.kit.side_by_side import final_check
from tests.kit.side_by_side.runner import HistoriesParted, Mismatch, Runner
from tests.kit.side_by_side.shrink import Shrinker, script
from tests.kit.side_by_side.time_limit import at_most
from tools.server import PrivateServer

UNMATCHED = "cannot be checked: "  # CHECK TABLE .. EXTENDED says so of a constraint
IGNORES = re.compile(r"(INSERT|UPDATE|DELETE|LOAD DATA) .*\bIGNORE\b")
ALTERED = re.compile(r"ALTER (?:ONLINE |IGNORE )*TABLE (?:IF EXISTS )?(\S+)")
UPDATED = re.compile(r"UPDATE (?:IGNORE )?(\S+)")
# That a foreign key needs what is dropped: one number by copy, another one in place.
NEEDED = {
    error_numbers.DROP_INDEX_FK,
    error_numbers.FK_COLUMN_CANNOT_DROP,
    error_numbers.FK_COLUMN_CANNOT_DROP_CHILD,
}
# Why a row cannot be written; one statement may have several reasons.
OF_FOREIGN_KEYS = {ER.NO_REFERENCED_ROW_2, ER.ROW_IS_REFERENCED_2}
OF_ROWS = OF_FOREIGN_KEYS | {ER.DUP_ENTRY}
STATEMENTS = 60  # of a history, beside the creation of its tables
HISTORY_SECONDS = 120
SHRINK_SECONDS = 30
WORKERS = 2
# Seeds that are passed over, with the reason; --seed N runs one all the same. What they show is in
# docs/compatibility.md.
KNOWN: dict[int, str] = {
    834: "InnoDB loses a constraint without an index in an ALTER by copy",
    5177: "InnoDB gives a constraint the number of one that it has forgotten",
    9909: "a row that refers to itself gets a value that is equal in its collation: 1452, not 1451",
    9998: "InnoDB loses a constraint whose parent has no index in an ALTER by copy",
}


class HistoryRunner(Runner):
    """Of two databases a side. At the end all that is told of the tables must agree as well."""

    def __init__(self, server, tested: str, number: int, folder: Path):
        super().__init__(server, tested)
        self.cut_short = 0  # histories
        self.failed_alter = False  # the statement under way
        self.tested, self.peer = self.sides = [
            Schemas(server, engine, f"fk{number}_{place}", folder=folder / f"{number}-{place}")
            for place, engine in (("tested", tested), ("peer", "innodb"))
        ]

    def step(self, statement, place: int, observe) -> Mismatch | None:
        def watch(seen, succeeded: bool) -> None:
            observe(seen, succeeded)
            self.failed_alter |= not succeeded and bool(ALTERED.match(seen.text()))

        self.failed_alter = False
        found = super().step(statement, place, watch)
        # InnoDB may have lost it, where an ALTER by copy is refused at its end
        if self.failed_alter and not found and self.unmatched():
            self.cut_short += 1
            raise HistoriesParted
        if found and self.is_innodbs_own(found):
            self.cut_short += 1
            raise HistoriesParted  # from here on the sides may have other tables
        return found

    def is_innodbs_own(self, found: Mismatch) -> bool:
        """Of what docs/compatibility.md has of InnoDB: 1823, an error of its dictionary; and that
        it forgets a constraint whose parent does not match, in some ALTERs and RENAMEs, and those
        behind it, so that one side only looks at them."""
        if found.kind == "effect":
            return bool(IGNORES.match(found.what) and self.unmatched())
        if found.kind != "error":
            return False
        if number_of(found.peer) == error_numbers.FK_FAIL_ADD_SYSTEM or "'(null)'" in found.peer:
            return True
        if ER.ERROR_ON_RENAME in map(number_of, (found.tested, found.peer)):
            return bool(self.unmatched())
        if self.is_of_another_algorithm(found):
            return True
        if number_of(found.peer) == ER.CANNOT_ADD_FOREIGN and found.what.startswith("TRUNCATE"):
            return bool(self.unmatched())
        answers = {number_of(found.tested), number_of(found.peer)}
        if OF_ROWS.issuperset(answers):
            return self.is_virtual(found)
        return answers < OF_FOREIGN_KEYS | {0} and 0 in answers and bool(self.unmatched())

    def is_virtual(self, found: Mismatch) -> bool:
        """Whether it is an UPDATE of a table with a virtual column, of which InnoDB looks at the
        indexes in another order."""
        updated = UPDATED.match(found.what)
        return bool(updated) and self.has_virtual_column(updated[1])

    def has_virtual_column(self, table: str) -> bool:
        rows = self.peer.execute(f"SHOW CREATE TABLE {table}").rows
        return bool(rows) and ") VIRTUAL" in rows[0][1]

    def is_of_another_algorithm(self, found: Mismatch) -> bool:
        """Whether InnoDB copies a table, or finds no index, because of a virtual column."""
        altered = ALTERED.match(found.what)
        answers = number_of(found.tested), number_of(found.peer)
        without_index = answers[1] == error_numbers.FK_NO_INDEX_CHILD and answers[0] in (
            0,
            error_numbers.FK_NO_INDEX_PARENT,
            error_numbers.FK_INCORRECT_OPTION,
        )
        needed = answers[1] in NEEDED and answers[0] in NEEDED | {0}
        if not altered or not (without_index or needed):
            return False
        return self.has_virtual_column(altered[1])

    def unmatched(self) -> list[str]:
        """The constraints of the tested side whose parent is there but does not match."""
        lines = []
        for name in definitions.tables(self.tested):
            for row in self.tested.execute(f"CHECK TABLE {name} EXTENDED").rows or []:
                lines += [row[-1]] if UNMATCHED in row[-1] else []
        return lines

    def check_contents(self, place: int) -> Mismatch | None:
        for side in self.sides:
            for number in list(side.connections):
                side.execute("ROLLBACK", number)
        pictures = (definitions.without_indexes(definitions.picture(s)) for s in self.sides)
        found = definitions.difference(*pictures)
        if found:
            return Mismatch("contents", place, found[0], str(found[1]), str(found[2]))
        for name in definitions.tables(self.peer):
            found = self.check_table(name)
            if found:
                return Mismatch("contents", place, *found)
        return None

    def check_table(self, name: str) -> final_check.Found | None:
        for query in (f"SELECT * FROM {name}", *final_check.scans(self.peer, name)):
            found = final_check.agree(self.tested, self.peer, query)
            if found:
                return found
        answer = self.tested.execute(f"CHECK TABLE {name} EXTENDED")
        if not answer.rows or answer.rows[-1][-1] != "OK":
            return f"CHECK TABLE {name} EXTENDED", str(answer), "OK"
        return None


@dataclass
class Report:
    """What histories have come to. `faults`: seed, kind and a script to run by hand."""

    histories: int = 0
    statements: int = 0
    refused: int = 0  # statements that failed, on both sides alike
    cut_short: int = 0  # histories that ended with a known difference, see is_innodbs_own
    faults: list[tuple[int, str, str]] = field(default_factory=list)

    def add(self, other: "Report") -> None:
        self.histories += other.histories
        self.statements += other.statements
        self.refused += other.refused
        self.cut_short += other.cut_short
        self.faults += other.faults


def number_of(answer: str) -> int:
    """Of an error as a mismatch describes it; 0 for none."""
    found = re.match(r"error (\d+)", answer)
    return int(found[1]) if found else 0


def run_one(runner: HistoryRunner, seed: int, folder: Path, repeat: str) -> Report:
    """One seed; a history that differs is shrunk and written to the folder."""
    source = Generator(seed, STATEMENTS)
    history, refused, before, cut = [], [], runner.statements, runner.cut_short

    def observe(statement, succeeded: bool) -> None:
        source.observe(statement, succeeded)
        if not succeeded:
            refused.append(statement)

    def run(statements, *more) -> Mismatch | None:
        with at_most(HISTORY_SECONDS):
            return runner.run(statements, *more)

    found = run(iter(source.next, None), observe, history)
    report = Report(1, runner.statements - before, len(refused), runner.cut_short - cut)
    if found:
        shrinker = Shrinker(run, SHRINK_SECONDS)
        small, last = shrinker.shrink(history, found)
        title = f"{repeat} --seed {seed}\nshrunk from {len(history)} to {len(small)} statements"
        if shrinker.attempts == 1 and small is history:
            title += "; it did not disagree when it was run again"
        text = script(small, last, title)
        (folder / f"seed-{seed}.sql").write_text(text, errors="backslashreplace")
        report.faults.append((seed, f"{found.kind}: {found.what}", text))
    return report


@dataclass
class Campaign:
    """Many histories, by several processes with a server of their own each, so that a server that
    dies takes no other history with it. `repeat`: the command for one seed, without it."""

    tested: str
    options: list[str]
    folder: Path
    repeat: str
    known: dict[int, str] = field(default_factory=dict)  # seeds that are passed over

    def run(self, first: int, count: int, seconds: float, most_faults: int) -> Report:
        """`count` histories from the seed `first` on, or as many as the time allows."""
        self.known = KNOWN if count > 1 else {}
        context = multiprocessing.get_context("fork")
        seeds, stop, results = context.Value("q", first), context.Event(), context.Queue()
        workers = [
            context.Process(target=self.work, args=(number, seeds, first + count, stop, results))
            for number in range(min(WORKERS, count))
        ]
        for worker in workers:
            worker.start()
        total, deadline = Report(), 0.0
        count -= sum(first <= seed < first + count for seed in self.known)
        while total.histories < count and len(total.faults) < most_faults:
            total.add(results.get(timeout=2 * HISTORY_SECONDS + SHRINK_SECONDS))
            deadline = deadline or time.monotonic() + seconds  # the servers have started
            if time.monotonic() > deadline:
                break
        stop.set()
        for worker in workers:
            worker.join()
        return total

    def work(self, number: int, seeds, end: int, stop, results) -> None:
        """The life of a worker process."""
        results.cancel_join_thread()  # what comes too late is not waited for
        try:
            folder = self.folder / f"worker-{number}"
            with PrivateServer(folder / "data", self.tested, self.options) as server:
                runner = HistoryRunner(server, self.tested, number, folder)
                while not stop.is_set() and (seed := take(seeds, self.known)) < end:
                    results.put(run_one(runner, seed, self.folder, self.repeat))
        except Exception as error:  # told by the main process, which counts it as a fault
            results.put(Report(1, faults=[(0, f"{type(error).__name__}: {error}", "")]))
            stop.wait()  # until it has been told


def take(seeds, known: dict[int, str]) -> int:
    """The next seed whose difference is not known."""
    with seeds.get_lock():
        while seeds.value in known:
            seeds.value += 1
        seeds.value += 1
        return seeds.value - 1
