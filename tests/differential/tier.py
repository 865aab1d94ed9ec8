# SPDX-License-Identifier: GPL-2.0-only
"""The same random SQL on ROCKSDB and InnoDB in one server; everything a client sees must agree.

As a part of the whole test run, which CI must be able to repeat, it runs a fixed series of seeds.
Alone and without --seed it runs that series for half of the time, then seeds nobody has seen. A
case that fails is shrunk to a small SQL script. A case that does not end in CASE_SECONDS has hung:
that is a failure too, with the statement that was asked and the stacks of the server's threads.
"""

import shutil
import sys
import time
from random import SystemRandom

from tests.differential.generator import Generator
from tests.differential.interleaved import InterleavedGenerator
from tests.differential.texts import TextGenerator
from tests.kit.printable import printable
from tests.kit.side_by_side.runner import PATIENCE, Mismatch, Runner
from tests.kit.side_by_side.server_options import ENGINE_OPTIONS, OPTIONS
from tests.kit.side_by_side.shrink import Shrinker, script
from tests.kit.side_by_side.time_limit import at_most
from tests.kit.tier_result import TierResult
from tools import paths
from tools.server import PrivateServer

FIXED_SEED = 1
FIXED_CASES = 500
SECONDS, LONG_SECONDS = 110, 900
HELP = (
    "random SQL on ROCKSDB and InnoDB must give the same answers,"
    f" {SECONDS} s, --long {LONG_SECONDS}"
)
STATEMENTS = 100  # of a case, beside the creation of its tables
CASE_SECONDS = 240  # an ordinary one takes one or two
SHRINK_SECONDS = 45
# of a case that hangs, each attempt takes that long; and a statement, when it is tried again
SHRINK_HUNG_SECONDS, SHRINK_PATIENCE = 300, 25
MOST_FAILURES = 5
# every third seed is a history of two connections
INTERLEAVED_EVERY = 3
# from here on seeds are histories of texts, with a part of the time
FIRST_OF_TEXTS = 2**31
PART_OF_TEXTS = 0.1
# Filters of the index number and three bytes of the key, none of whole keys; small memtables, so
# that there are files to look up.
PREFIX_FILTERS = (
    "--rocksdb-default-cf-options=prefix_extractor=capped:7;memtable_whole_key_filtering=0;"
    "memtable_prefix_bloom_size_ratio=0.2;write_buffer_size=262144;"
    "block_based_table_factory={whole_key_filtering=0;filter_policy=ribbonfilter:10}"
)


def add_arguments(group) -> None:
    group.add_argument("--cases", type=int, help="how many cases (default: as the time allows)")
    group.add_argument(
        "--prefix-filters",
        action="store_true",
        help="with filters of prefixes in files and memtables, which must not lose a row",
    )
    group.add_argument(
        "--engine",
        choices=sorted(ENGINE_OPTIONS),
        default="rocksdb",
        help="the engine to test (also of the tiers crash and large); myrocks: the stock plugin",
    )


def run(args) -> TierResult:
    result = TierResult("differential", 0, 0)
    folder = paths.scratch() / "differential"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    options = OPTIONS + ENGINE_OPTIONS[args.engine]
    if args.prefix_filters:
        options.append(PREFIX_FILTERS)
    with PrivateServer(folder / "data", args.engine, options) as server:
        runner = Runner(server, args.engine)
        for seed in seeds(args):
            if run_case(runner, seed, args, result, folder):
                result.passed += 1
            if result.failed >= MOST_FAILURES:
                print(f"   stopped after {MOST_FAILURES} failed cases")
                break
        print(f"   {runner.statements} statements compared", end="")
        waits = runner.left_out
        print(f", {waits['peer']} left out for locks of the peer, {waits['tested']} for ours alone")
    return result


def seeds(args):
    """The seeds to run, one after the other, until the cases or the time are used up."""
    limit = args.seconds or (LONG_SECONDS if args.long else SECONDS)
    if args.seed is not None:
        cases = args.cases or (sys.maxsize if args.seconds else 1)
        yield from until(args.seed, cases, limit if args.seconds else 1e9)
        return
    if args.tier is None:
        yield from both(FIXED_SEED, args.cases or FIXED_CASES, limit)
        return
    cases = args.cases or sys.maxsize
    yield from both(FIXED_SEED, max(1, cases // 2), limit / 2)
    fresh = SystemRandom().randrange(1000, FIRST_OF_TEXTS)
    print(f"   fresh seeds from {fresh}")
    yield from both(fresh, max(1, cases - cases // 2), limit / 2)


def both(first: int, cases: int, seconds: float):
    """The series from `first` on, then that of texts."""
    yield from until(first, cases, seconds * (1 - PART_OF_TEXTS))
    yield from until(FIRST_OF_TEXTS + first, cases, seconds * PART_OF_TEXTS)


def until(first: int, cases: int, seconds: float):
    deadline = time.monotonic() + seconds
    seed = first
    while seed < first + cases and time.monotonic() < deadline:
        yield seed
        seed += 1
    print(f"   seeds {first} to {seed - 1}")


def generator(seed: int):
    if seed >= FIRST_OF_TEXTS:
        return TextGenerator(seed, STATEMENTS)
    kind = InterleavedGenerator if seed % INTERLEAVED_EVERY == 0 else Generator
    return kind(seed, STATEMENTS)


def run_case(runner: Runner, seed: int, args, result: TierResult, folder) -> bool:
    source = generator(seed)
    history = []
    mismatch = run_limited(runner, iter(source.next, None), source.observe, history)
    if mismatch is None:
        return True
    result.failed += 1
    repeat = f"./dev test differential --seed {seed}"
    if args.engine != "rocksdb":
        repeat += f" --engine {args.engine}"
    if args.prefix_filters:
        repeat += " --prefix-filters"
    if not result.repeat_command:
        result.repeat_command = repeat
    result.failures.append(f"seed {seed}: {mismatch.kind}: {printable(mismatch.what[:150])}")
    print(f"   seed {seed} disagrees ({mismatch.kind}); repeat: {repeat}")
    print(printable(str(mismatch)))
    shrink_and_write(runner, history, mismatch, folder / f"seed-{seed}.sql", repeat)
    return False


def run_limited(runner: Runner, statements, *more) -> Mismatch | None:
    with at_most(CASE_SECONDS):
        return runner.run(statements, *more)


def shrink_and_write(runner: Runner, history, mismatch: Mismatch, file, repeat: str) -> None:
    hung = mismatch.kind == "hung"
    runner.be_patient(SHRINK_PATIENCE if hung else PATIENCE)
    shrinker = Shrinker(
        lambda candidate: run_limited(runner, candidate),
        SHRINK_HUNG_SECONDS if hung else SHRINK_SECONDS,
    )
    small, found = shrinker.shrink(history, mismatch)
    runner.be_patient(PATIENCE)
    title = f"{repeat}\nshrunk from {len(history)} to {len(small)} statements"
    title += f" in {shrinker.attempts} attempts"
    if shrinker.attempts == 1 and small is history:
        title += "; it did not disagree when it was run again"
    file.write_text(script(small, found, title), errors="backslashreplace")
    print(f"   shrunk: {file}\n{file.read_text()}")
