# SPDX-License-Identifier: GPL-2.0-only
"""Runs chosen tests in the server's test runner and reads how each one ended.

The runner prints one line a test, `suite.name 'combinations' w1 [ pass ]  123`, and behind a failed
one its story up to the next such line: the difference to the expected result, or the statement that
failed. Of that story a digest is kept, from which all that differs between two equal runs is taken
out (paths, times, process numbers), so that a known difference is told from a new one.
"""

import hashlib
import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.myrocks_suite.suite import COMBINATIONS, SuiteTest
from tests.myrocks_suite.tolerant import make_installation as tolerant_copy
from tools import mtr, paths

COMPATIBILITY = paths.ROOT / "tests" / "myrocks_suite" / "compatibility.cnf"
RESULT = re.compile(
    r"^(?P<suite>[\w-]+)\.(?P<name>[\w.-]+?)(?: '(?P<combinations>[^']*)')?\s+(?:w\d+ )?"
    r"\[ (?P<verdict>[a-z-]+) \](?P<rest>.*)$"
)
# what the runner says between two tests and belongs to none
CHATTER = re.compile(r"^(worker\[\d+\]|\*\*\*Warnings generated|- saving| - saving|- found|-{20,})")
VERDICTS = {"pass": "pass", "retry-pass": "pass", "skipped": "skipped", "disabled": "skipped"}


@dataclass
class Outcome:
    """How one test ended. `name` holds what other combinations it ran in: `rocksdb.x[row]`.
    `verdict` is pass, skipped, differs (another result than expected) or fails (stopped in the
    middle, a warning in the server's log, a crash, too long)."""

    name: str
    verdict: str
    seconds: float
    story: str = ""
    tolerant: bool = False  # what the copy of the test said that goes on (tolerant.py)

    @property
    def digest(self) -> str:
        return digest(self.story) if self.story else ""


def test_of(name: str) -> str:
    """The test's own name, of an outcome's, which may have combinations behind it."""
    return name.partition("[")[0]


def run(tests: list[SuiteTest], engine: str, workers: int, tolerant: bool) -> Iterator[Outcome]:
    """Yields one outcome a test and combination, as they end."""
    folder = tolerant_copy(engine) if tolerant else mtr.make_installation(engine)
    disabled = any(test.disabled for test in tests)
    options = [
        "--force",
        "--max-test-fail=0",
        "--retry=0",
        f"--parallel={workers}",
        "--testcase-timeout=4",  # minutes
        "--suite-timeout=120",
        *(["--enable-disabled"] if disabled else []),
        # The runner says so itself, but not to servers with an option that begins with --user.
        *(["--mysqld=--user=root"] if os.geteuid() == 0 else []),
        *(compatibility_options() if engine == "rocksdb" else []),
        *[test.argument for test in tests],
    ]
    process = subprocess.Popen(
        mtr.command(options, paths.build_dir() / "mtr" / f"var-suite-{engine}"),
        cwd=folder,
        env=mtr.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        # SIGPIPE stays ignored. The runner's manager writes to workers that have left, and died of
        # it, with the tests of the others not run.
        restore_signals=False,
    )
    try:
        for outcome in read(process.stdout):
            outcome.tolerant = tolerant
            yield outcome
    finally:
        if process.poll() is None:
            process.terminate()
        process.wait()


def compatibility_options() -> list[str]:
    """The variables of the option file, for the servers of the runner, which takes no file."""
    lines = (line.strip() for line in COMPATIBILITY.read_text().splitlines())
    return [f"--mysqld=--{line}" for line in lines if line and line[0] not in "#["]


def read(lines) -> Iterator[Outcome]:
    """Outcomes from the lines that the runner prints."""
    last: Outcome | None = None
    story: list[str] = []
    for line in lines:
        line = line.rstrip("\n")
        match = RESULT.match(line)
        if match is None:
            if not CHATTER.match(line):
                story.append(line)
            continue
        if last is not None:
            yield finished(last, story)
        last, story = started(match), []
    if last is not None:
        yield finished(last, story)


def started(match: re.Match) -> Outcome:
    rest = match["rest"].strip()
    seconds = int(rest) / 1000 if rest.isdigit() else 0.0
    verdict = VERDICTS.get(match["verdict"], "fails")
    extra = [
        word
        for word in (match["combinations"] or "").split(",")
        if word and word != COMBINATIONS.get(match["suite"])
    ]
    name = f"{match['suite']}.{match['name']}" + (f"[{','.join(sorted(extra))}]" if extra else "")
    return Outcome(name, verdict, seconds, rest if verdict in ("fails", "skipped") else "")


def finished(outcome: Outcome, story: list[str]) -> Outcome:
    if outcome.verdict == "fails":
        text = "\n".join(story)
        cut = text.find("\nThe servers were restarted")
        outcome.story = (text if cut < 0 else text[:cut]).strip() + "\n"
        if "result content mismatch" in text.lower() or "Result length mismatch" in text:
            outcome.verdict = "differs"
    return outcome


def digest(story: str) -> str:
    """Eight letters that are the same for two runs with the same story."""
    lines = [line for line in story.splitlines() if telling(line)] or refusals(story)
    text = "\n".join(re.sub(r"\b(0x)?[0-9a-f]{6,}\b|\d+", "#", line) for line in lines)
    text = re.sub(r'(In included file ")[^"]*/', r"\1", text)  # the folder of the checkout
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def telling(line: str) -> bool:
    """Lines of a difference (`+`, `-`), and what mysqltest itself says, in a line of its own where
    the query is in an included file.
    """
    if line.startswith(("---", "+++")):
        return False
    return line.startswith(("+", "-", "mysqltest:", "At line "))


def refusals(story: str) -> list[str]:
    """What a server that did not come up wrote into its log as errors, without the time."""
    return list(dict.fromkeys(re.findall(r"\[ERROR\] .*", story)))


def log_folder(engine: str) -> Path:
    """Where the stories of failed tests and the log of the last run are."""
    name = "myrocks-suite" if engine == "rocksdb" else f"myrocks-suite-{engine}"
    return paths.build_root() / name
