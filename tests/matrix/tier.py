# SPDX-License-Identifier: GPL-2.0-only
"""Every column type in every role, the same on ROCKSDB and InnoDB, with a restart at the end.

Among all tiers it runs a short choice of cells; alone all of them; with --long (and so in
`./dev test full`) also every collation that the server knows.
"""

import shutil
import time

from tests.kit.printable import printable
from tests.kit.side_by_side.runner import Runner
from tests.kit.side_by_side.server_options import ENGINE_OPTIONS, OPTIONS
from tests.kit.tier_result import TierResult
from tests.matrix import screen, selection
from tests.matrix.cell import FAILED, Cell
from tests.matrix.harness import Harness
from tests.matrix.limits import LIMITS, REFUSED, Limit
from tools import paths
from tools.errors import DevError
from tools.server import PrivateServer

HELP = "every column type in every role, compared with InnoDB"

SEED = 1
SHORT_VALUES, VALUES, LONG_VALUES = 32, 60, 300
COLLATIONS = (
    "SELECT CHARACTER_SET_NAME, FULL_COLLATION_NAME"
    " FROM information_schema.COLLATION_CHARACTER_SET_APPLICABILITY"
    " WHERE CHARACTER_SET_NAME IS NOT NULL ORDER BY FULL_COLLATION_NAME"
)
MORE_OPTIONS = [
    "--innodb-file-per-table=0",
    "--table-open-cache=4000",
    "--innodb-buffer-pool-size=256M",
    "--open-files-limit=20000",
    "--max-allowed-packet=256M",
]
# of failures with the same cause: commands in the report at the end, names of cells
SHOWN_ALIKE, SHOWN_CELLS = 2, 12
MOST_TEXT = 2000  # of a statement with a thousand columns


def add_arguments(group) -> None:
    group.add_argument("--short-matrix", action="store_true", help="the short choice of cells")


def run(args) -> TierResult:
    seed = SEED if args.seed is None else args.seed
    folder = paths.scratch() / "matrix"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    options = OPTIONS + MORE_OPTIONS + ENGINE_OPTIONS[args.engine]
    with PrivateServer(folder / "data", args.engine, options) as server:
        work, brief, values = choose(args, server)
        print(f"   seed {seed}: {sum(map(len, work + brief))} cells; {screen.LEGEND}")
        print(screen.heading())
        started = time.monotonic()
        harness = Harness(server, args.engine, seed, values, Printer(brief).show)
        harness.prepare()
        harness.run(work + brief)
        print(f"   {time.monotonic() - started:.0f} s; now a restart, and all contents again")
        harness.restart(work + brief)
        more = (f" --seed {seed}" if seed != SEED else "") + (" --long" if args.long else "")
        result = report(work, brief, folder, more)
        run_limits(chosen_limits(args), server, args.engine, result)
    return result


class Printer:
    """Prints the row of a type when it is done. Of those that come grouped at the end only failures
    are printed at once, and now and then how many are done: the run takes most of an hour."""

    EVERY = 100

    def __init__(self, brief: list[list[Cell]]):
        self.brief = {id(cells) for cells in brief}
        self.done = 0

    def show(self, cells: list[Cell]) -> None:
        failed = [c for c in cells if c.outcome == FAILED]
        if id(cells) not in self.brief:
            print(screen.row(cells), flush=True)
            return
        self.done += 1
        for cell in failed:
            print(f"   FAILED {cell.name}\n    - {cell.problems[0]}", flush=True)
        if self.done % self.EVERY == 0:
            print(f"   {self.done} of {len(self.brief)} types of further collations", flush=True)


def choose(args, server) -> tuple[list[list[Cell]], list[list[Cell]], int]:
    """Cells with a row of their own, cells shown in groups, number of values of a type."""
    if args.filter:
        known = server.query(COLLATIONS)
        everything = selection.whole() + selection.every_collation(known)
        work = selection.matching(everything, args.filter)
        if not work and not chosen_limits(args):
            raise DevError(f"no cell of the matrix matches '{args.filter}'")
        return work, [], LONG_VALUES if args.long else VALUES
    if args.long:
        return selection.whole(), selection.every_collation(server.query(COLLATIONS)), LONG_VALUES
    if args.tier is None or args.short_matrix:
        return selection.short(), [], SHORT_VALUES
    return selection.whole(), [], VALUES


def chosen_limits(args) -> list[Limit]:
    if args.filter:
        return [limit for limit in LIMITS if args.filter.lower() in f"limit {limit.name}"]
    short = args.short_matrix or (args.tier is None and not args.long)
    return [limit for limit in LIMITS if not (short and limit.long)]


def run_limits(limits: list[Limit], server, engine: str, result: TierResult) -> None:
    for limit in limits:
        runner = Runner(server, engine, limit.peer, "limits_")
        started = time.monotonic()
        surprises: list[str] = []

        def note(statement, ok, surprises=surprises):
            if ok == (statement.note == REFUSED):
                surprises.append(f"{'works' if ok else 'fails'} on both: {statement.sql()}")

        mismatch = runner.run(limit.make(), note)
        problem = str(mismatch or "".join(surprises[:1]))
        seconds = time.monotonic() - started
        verdict = "FAILED" if problem else "passed"
        print(f"   {'limit ' + limit.name:<{screen.WIDTH}}{verdict}, {seconds:.1f} s")
        if not problem:
            result.passed += 1
            continue
        result.failed += 1
        again = f'./dev test matrix --filter "limit {limit.name}"'
        result.failures.append(f"limit {limit.name}: {again}")
        print(f"      {again}\n      {printable(problem)[:MOST_TEXT]}")


def report(work, brief, folder, more: str) -> TierResult:
    """`more`: options that a command needs to repeat a cell with the values of this run."""
    cells = [c for group in work + brief for c in group]
    for line in (*screen.grouped(brief), *screen.summary(cells)):
        print(line)
    failed = [c for c in cells if c.outcome == FAILED]
    result = TierResult("matrix", len(cells) - len(failed), len(failed))
    result.repeat_command = failed[0].repeat() if len(failed) == 1 else "./dev test matrix"
    result.repeat_command += more
    causes: dict[str, list[Cell]] = {}
    for cell in failed:
        causes.setdefault(cell.cause(), []).append(cell)
    for number, (cause, alike) in enumerate(causes.items(), 1):
        first = alike[0]
        script = folder / f"failed-{number}.sql"
        script.write_text(";\n".join([f"-- {first.repeat()}", *first.script, ""]), errors="replace")
        result.failures += [f"{cause}: {c.repeat()}{more}" for c in alike[:SHOWN_ALIKE]]
        print(
            f"   FAILED in {len(alike)} cells: {first.repeat()}{more}\n      statements: {script}"
        )
        print("\n".join(f"    - {p}" for p in first.problems))
        if len(alike) > 1:
            print(f"      also {', '.join(c.name for c in alike[1:SHOWN_CELLS])}")
    (folder / "failed.txt").write_text("".join(f"{c.cause()}\t{c.name}\n" for c in failed))
    return result
