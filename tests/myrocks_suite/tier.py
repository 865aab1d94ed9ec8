# SPDX-License-Identifier: GPL-2.0-only
"""MyRocks' own tests, from Debian's package, with our plugin in the place of stock's.

Each is compared with the kept list tests/myrocks_suite/expected.txt: worse than listed fails, and
better is said. Among all tiers it runs the short choice. Every outcome goes to a log at once, so an
interrupted run goes on with --resume; stories of failed tests are kept beside the log.
"""

import json
import shutil

from tests.kit.tier_result import TierResult
from tests.myrocks_suite import expectations, runner, verdicts
from tests.myrocks_suite.runner import Outcome, test_of
from tests.myrocks_suite.suite import SuiteTest, all_tests

HELP = "MyRocks' own tests, compared with a kept list"
WORKERS = 2


def add_arguments(group) -> None:
    group.add_argument("--record", action="store_true", help="write the kept list anew")
    group.add_argument("--resume", action="store_true", help="go on with the log of the last run")
    group.add_argument(
        "--switched-off", action="store_true", help="the tests that MyRocks' own list switches off"
    )
    group.add_argument("--short-suite", action="store_true", help="the short choice of tests")
    group.add_argument("--workers", type=int, default=WORKERS, help=f"servers at once ({WORKERS})")


def run(args) -> TierResult:
    engine = getattr(args, "engine", None) or "rocksdb"
    expected = expectations.load()
    tests = choose(args, expected)
    done = previous(engine) if args.resume else {}
    remaining = [t for t in tests if not any(test_of(n) == t.full_name for n in done)]
    outcomes = list(done.values()) + follow(remaining, engine, args, expected)
    by_name = {test.full_name: test for test in all_tests()}
    words = {o.name: verdicts.outcome_word(o, by_name.get(test_of(o.name))) for o in outcomes}
    result = TierResult("myrocks-suite", 0, 0)
    if engine != "rocksdb":
        print(verdicts.table(words))
        result.passed = sum(word in ("pass", "won") for word in words.values())
        return result
    if args.record or args.rewrite:
        record(outcomes, words, by_name, expected)
    for outcome in outcomes:
        take(outcome, words, expected, result)
    lost(tests, outcomes, result)
    switched_off(tests, by_name, expected, words, args, result)
    names = ",".join(dict.fromkeys(test_of(failure).split(":")[0] for failure in result.failures))
    result.repeat_command = "./dev test myrocks-suite" + (f" --filter {names}" if names else "")
    print(verdicts.table(words))
    lacking = verdicts.shortfall(words) if is_whole(args) else ""
    if lacking:
        result.failed += 1
        result.failures.append(lacking)
    if result.failed:
        print(f"   stories of what failed: {runner.log_folder(engine)}")
    return result


def choose(args, expected) -> list[SuiteTest]:
    """The tests to run: not those that their own list switches off, unless they are won."""
    short = is_short(args)
    chosen = []
    for test in all_tests():
        known = expected.get(test.full_name)
        if not in_sight(args, test.full_name):
            continue
        won = known is not None and known.outcome == "won"
        if not (test.disabled if args.switched_off else won or not test.disabled):
            continue
        if short and not (known and known.quick):
            continue
        chosen.append(test)
    return chosen


def is_short(args) -> bool:
    return args.short_suite or args.tier is None


def is_whole(args) -> bool:
    """Whether the run has all tests that stock's number counts."""
    return not (is_short(args) or args.filter or args.switched_off)


def in_sight(args, name: str) -> bool:
    """Whether --filter lets a test pass: any of its words, separated by commas, is in the name."""
    return not args.filter or any(word in name for word in args.filter.split(","))


def log_file(engine: str):
    return runner.log_folder(engine) / "outcomes.jsonl"


def previous(engine: str) -> dict[str, Outcome]:
    """What an interrupted run has left, by name. One that ended early waits for its second run."""
    file = log_file(engine)
    lines = file.read_text().splitlines() if file.exists() else []
    done: dict[str, Outcome] = {}
    for line in lines:
        if line.endswith("}"):
            merge(done, Outcome(**json.loads(line)))
    return {n: o for n, o in done.items() if o.verdict != "fails" or o.tolerant}


def merge(outcomes: dict[str, Outcome], outcome: Outcome) -> None:
    """A second run, from the tolerant copy, tells more than the first; only that the test has
    failed is known from the first."""
    if outcome.tolerant:
        if not outcome.story:
            return  # it has come to its end there: only the error was not as expected
        outcome.verdict = "fails"
    outcomes[outcome.name] = outcome


def follow(tests, engine: str, args, expected) -> list[Outcome]:
    """Runs the tests, and once more those that ended early; keeps and shows each as it comes."""
    folder = runner.log_folder(engine)
    if not args.resume:
        shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    outcomes: dict[str, Outcome] = {}
    with open(log_file(engine), "a") as log:
        for tolerant in (False, True):
            early = {test_of(n) for n, o in outcomes.items() if o.verdict == "fails"}
            part = [t for t in tests if t.full_name in early] if tolerant else tests
            for outcome in runner.run(part, engine, args.workers, tolerant) if part else ():
                log.write(json.dumps(vars(outcome)) + "\n")
                log.flush()
                merge(outcomes, outcome)
                show(outcome, expected.get(outcome.name), folder)
    return list(outcomes.values())


def show(outcome: Outcome, known, folder) -> None:
    """Keeps the story of one that failed; prints what is not as listed."""
    end = ".tolerant.txt" if outcome.tolerant else ".txt"
    if outcome.verdict in ("differs", "fails"):
        (folder / f"{outcome.name}{end}").write_text(outcome.story)
    listed = known is not None and (outcome.verdict in (known.outcome, "fails"))
    if not listed:
        print(f"   {outcome.name}: {outcome.verdict} {outcome.seconds:.1f} s", flush=True)


def record(outcomes, words, by_name, expected) -> None:
    """Writes the kept list: outcomes of this run, reasons as they were."""
    for outcome in outcomes:
        test = by_name.get(test_of(outcome.name))
        old = expected.get(outcome.name)
        expected[outcome.name] = verdicts.renewed(words[outcome.name], outcome, test, old)
    for test in by_name.values():
        if test.disabled and not any(test_of(n) == test.full_name for n in expected):
            expected[test.full_name] = expectations.Expectation(
                test.full_name, "skipped", reason=f"switched off by its own list: {test.disabled}"
            )
    expectations.save(expected)


def take(outcome: Outcome, words, expected, result: TierResult) -> None:
    """Counts one outcome, and says it when it is not the listed one."""
    known = expected.get(outcome.name)
    word = words[outcome.name]
    verdict = verdicts.judge(word, outcome.digest, known)
    if word in ("differs", "fails"):
        # a test may give up at a difference; and what it is worth, the list says
        listed = known.outcome if known is not None else "fails"
        words[outcome.name] = listed if listed in ("differs", "broken") else "fails"
    if verdict in ("worse", "changed", "new"):
        result.failed += 1
        listed = f"listed as {known.outcome}" if known else "not in the list"
        what = "another difference" if verdict == "changed" else word
        result.failures.append(f"{outcome.name}: {what}, {listed}")
        return
    if verdict == "better":
        print(f"   better than listed: {outcome.name}: {word}, listed as {known.outcome}")
    if words[outcome.name] in ("skipped", "fails", "broken"):
        result.skipped += 1  # a fault that the list knows is neither passed nor new
    else:
        result.passed += 1


def lost(tests, outcomes, result: TierResult) -> None:
    """Counts tests that were to run, and of which the runner said nothing."""
    told = {test_of(outcome.name) for outcome in outcomes}
    for test in tests:
        if test.full_name not in told:
            result.failed += 1
            result.failures.append(f"{test.full_name}: no outcome")


def switched_off(tests, by_name, expected, words, args, result: TierResult) -> None:
    """Counts tests that nobody ran because their own list says so."""
    chosen = {test.full_name for test in tests}
    for name, test in by_name.items():
        known = expected.get(name)
        if test.disabled and in_sight(args, name) and name not in chosen and known is not None:
            words[name] = "skipped"
            result.skipped += 1
