# SPDX-License-Identifier: GPL-2.0-only
"""Compares how tests ended with the kept list, and counts."""

from collections import Counter

from tests.myrocks_suite.expectations import Expectation
from tests.myrocks_suite.runner import Outcome
from tests.myrocks_suite.suite import SUITES, SuiteTest, folder

QUICK_SECONDS = 1.0
# How many results of these suites, rocksdb in its combination write_committed, stock's plugin
# passes; --engine myrocks counts.
COMPARED = ("rocksdb", "rocksdb_sys_vars")
STOCK_PASSES = 356
COLUMNS = ("pass", "won", "differs", "fails", "broken", "skipped")
TITLES = ("passed", "won", "deliberate", "fault", "broken", "skipped")


def outcome_word(outcome: Outcome, test: SuiteTest | None) -> str:
    """The word of the list for what happened, as far as the run alone tells it."""
    if outcome.verdict == "pass" and test is not None and test.disabled:
        return "won"
    return outcome.verdict


def judge(word: str, digest: str, expected: Expectation | None) -> str:
    """'same', 'better', 'worse', 'changed' (a deliberate difference that has become another one)
    or 'new' (not in the list)."""
    if expected is None:
        return "new"
    if expected.outcome == "differs" and word in ("differs", "fails"):
        return "same" if expected.digest in ("", digest) else "changed"
    if word == expected.outcome:
        return "same"
    if word in ("pass", "won"):
        return "better"
    if word != "skipped" and expected.outcome in ("fails", "broken"):
        return "same"
    return "worse"


def renewed(word: str, outcome: Outcome, test: SuiteTest | None, old: Expectation | None):
    """The line of the list after --record. A deliberate difference stays one; what newly fails is
    a fault until someone says otherwise."""
    new = Expectation(outcome.name, word, quick=quick(word, outcome, test))
    if word in ("pass", "won"):
        return new
    if word == "skipped":
        new.reason = old.reason if old and old.outcome == "skipped" else outcome.story
        return new
    known = old is not None and old.outcome in ("differs", "fails", "broken")
    new.outcome = old.outcome if known else "fails"
    new.digest = outcome.digest if new.outcome == "differs" else ""
    new.quick = new.quick and new.outcome == "differs"
    new.reason = old.reason if known else "to be looked at"
    return new


def quick(word: str, outcome: Outcome, test: SuiteTest | None) -> bool:
    """Whether it belongs to the short choice: fast, and without options that restart the server."""
    if test is None or word == "skipped" or outcome.seconds > QUICK_SECONDS:
        return False
    options = ("-master.opt", ".opt", ".cnf", "-slave.opt")
    return not any((folder() / test.suite / "t" / (test.name + end)).exists() for end in options)


def table(words: dict[str, str]) -> str:
    """Counts by suite. `words` says for each test, by name, how it ended."""
    lines = [f"   {'suite':<22}" + "".join(f"{title:>12}" for title in TITLES)]
    total: Counter[str] = Counter()
    for suite in SUITES:
        counts = Counter(word for name, word in words.items() if name.partition(".")[0] == suite)
        total += counts
        if counts:
            lines.append(row(suite, counts))
    return "\n".join([*lines, row("together", total), f"   {as_stock_counts(words)}"])


def compared(words: dict[str, str]) -> Counter:
    """How many tests of the compared suites ended with each word."""
    return Counter(word for name, word in words.items() if name.partition(".")[0] in COMPARED)


def as_stock_counts(words: dict[str, str]) -> str:
    """What is to be compared with the number of results that stock's plugin passes here."""
    counts = compared(words)
    passed = counts["pass"] + counts["won"]
    return (
        f"{' and '.join(COMPARED)}: {passed} pass, {counts['differs']} differ deliberately;"
        f" stock passes {STOCK_PASSES}"
    )


def shortfall(words: dict[str, str]) -> str:
    """What to say when a run of all tests answers for fewer results than stock's plugin passes; a
    deliberate difference, which has its reason in the list, is answered for. Else ''."""
    counts = compared(words)
    answered = counts["pass"] + counts["won"] + counts["differs"]
    if answered >= STOCK_PASSES:
        return ""
    return f"{as_stock_counts(words)}: {STOCK_PASSES - answered} too few"


def row(title: str, counts: Counter) -> str:
    return f"   {title:<22}" + "".join(f"{counts[column]:>12}" for column in COLUMNS)
