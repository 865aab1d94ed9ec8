# SPDX-License-Identifier: GPL-2.0-only
"""Debian's sysbench: its command line, and its output as numbers."""

import re
import shutil
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tools.errors import DevError

READ_TESTS = (
    "oltp_point_select",
    "oltp_read_only",
    "select_random_points",
    "select_random_ranges",
)
WRITE_TESTS = (
    "oltp_update_index",
    "oltp_update_non_index",
    "oltp_insert",
    "oltp_write_only",
    "oltp_read_write",
)
TESTS = READ_TESTS + WRITE_TESTS
DATABASE = "sbtest"
SCRIPTS = Path(__file__).resolve().parent / "scripts"
# seconds a run may take beyond its time: the last transactions, the statistics
PATIENCE = 120.0
WATCHED = ("--report-interval=1", "--percentile=99", "--histogram=on")


@dataclass(frozen=True)
class Load:
    """The options of a run. `rows` is per table, `distribution` is sysbench's --rand-type."""

    tables: int
    rows: int
    threads: int
    distribution: str = "special"


@dataclass
class Outcome:
    """One run. An event is one transaction of the test; histogram: (milliseconds, events)."""

    seconds: float
    events: int
    queries: int
    ignored_errors: int
    reconnects: int
    latency_average: float
    latency_maximum: float
    histogram: list[tuple[float, int]] = field(default_factory=list)

    @property
    def events_per_second(self) -> float:
        return self.events / self.seconds

    @property
    def queries_per_second(self) -> float:
        return self.queries / self.seconds


@dataclass(frozen=True)
class Interval:
    """One line of --report-interval: what happened in the second that ends at `second`. Reads and
    writes are statements a second; latency is the percentile asked for, in milliseconds."""

    second: float
    events_per_second: float
    reads_per_second: float
    writes_per_second: float
    latency: float


@dataclass
class ScriptRun:
    """A run of one of our scripts; `kinds`: what its threads have counted themselves."""

    outcome: Outcome
    intervals: list[Interval]
    kinds: dict[str, int]

    def curve(self, value: Callable[[Interval], float]) -> list[tuple[float, float]]:
        """(second, value) without the first second, in which the clients start, unless there is no
        other; a run of less than a second has its average rate of events as its only point."""
        later = [i for i in self.intervals if i.second > 1] or self.intervals
        if not later:
            whole = self.outcome
            only = Interval(whole.seconds, whole.events_per_second, 0, 0, whole.latency_maximum)
            later = [only]
        return [(i.second, value(i)) for i in later]


def program() -> str:
    found = shutil.which("sysbench")
    if found is None:
        raise DevError("missing: sysbench; run ./dev setup")
    return found


def command(test: str, action: str, socket: Path, engine: str, load: Load, *more: str) -> list[str]:
    """The command line of one call; `engine` is a storage engine of the server."""
    return [
        program(),
        test,
        f"--mysql-socket={socket}",
        "--mysql-user=root",
        f"--mysql-db={DATABASE}",
        f"--mysql-storage-engine={engine}",
        f"--tables={load.tables}",
        f"--table-size={load.rows}",
        f"--threads={load.threads}",
        f"--rand-type={load.distribution}",
        *more,
        action,
    ]


def prepare(socket: Path, engine: str, load: Load) -> None:
    """Fills the tables: sysbench's multi-row inserts, then CREATE INDEX; one thread a table."""
    threads = min(load.threads, load.tables)
    smaller = Load(load.tables, load.rows, threads, load.distribution)
    call(command("oltp_read_write", "prepare", socket, engine, smaller))


def run(
    test: str, socket: Path, engine: str, load: Load, seconds: float, seed: int, *more: str
) -> Outcome:
    """One run of a test; the same seed draws the same keys."""
    options = [f"--time={seconds:.0f}", f"--rand-seed={seed}", "--histogram=on", *more]
    words = command(test, "run", socket, engine, load, *options)
    return parse(call(words, timeout=seconds + PATIENCE))


def script_command(name: str, action: str, socket: Path, *options: str) -> list[str]:
    """The command line for one of the scripts in scripts/."""
    return [
        program(),
        str(SCRIPTS / f"{name}.lua"),
        f"--mysql-socket={socket}",
        "--mysql-user=root",
        f"--mysql-db={DATABASE}",
        *options,
        action,
    ]


def run_script(
    name: str,
    socket: Path,
    seconds: float,
    *options: str,
    on_interval: Callable[[Interval], None] = lambda _: None,
) -> ScriptRun:
    """Runs a script for some seconds; on_interval is called once a second meanwhile. DevError when
    it fails or hangs."""
    more = [f"--time={seconds:.0f}", *WATCHED]
    words = script_command(name, "run", socket, *options, *more)
    return watch(name, words, seconds, on_interval)


def run_watched(
    test: str, socket: Path, engine: str, load: Load, seconds: float, seed: int
) -> ScriptRun:
    """As run(), with what happened in each second."""
    options = [f"--time={seconds:.0f}", f"--rand-seed={seed}", *WATCHED]
    words = command(test, "run", socket, engine, load, *options)
    return watch(test, words, seconds, lambda _: None)


def watch(
    name: str, words: list[str], seconds: float, on_interval: Callable[[Interval], None]
) -> ScriptRun:
    """Runs a command with the options WATCHED."""
    process = subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    )
    late = threading.Timer(seconds + PATIENCE, process.kill)
    late.start()
    lines, intervals = [], []
    try:
        for line in process.stdout:
            lines.append(line)
            found = interval(line)
            if found is not None:
                intervals.append(found)
                on_interval(found)
        status = process.wait()
    finally:
        late.cancel()
        process.kill()
    output = "".join(lines)
    if status != 0:
        raise DevError(f"sysbench {name} failed ({status}):\n  {failure(output)}")
    return ScriptRun(parse(output), intervals, kinds(output))


class Endless:
    """One of sysbench's tests beside something else. A context: it runs from the beginning to the
    end, where it is stopped whatever it does; `seen` are (time.monotonic() at its end, Interval) of
    each second. DevError at the end when it had ended by itself."""

    def __init__(self, test: str, socket: Path, engine: str, load: Load, seed: int, *more: str):
        self.test = test
        options = ["--time=0", f"--rand-seed={seed}", *WATCHED, *more]
        self.words = command(test, "run", socket, engine, load, *options)
        self.seen: list[tuple[float, Interval]] = []
        self._other_lines: list[str] = []
        self._thread = threading.Thread(target=self._read, daemon=True)

    def __enter__(self) -> "Endless":
        self._process = subprocess.Popen(
            self.words,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        self._thread.start()
        return self

    def __exit__(self, kind, *_) -> None:
        ended = self._process.poll()
        self._process.kill()
        self._process.wait()
        self._thread.join()
        self._process.stdout.close()
        if ended is not None and kind is None:
            said = failure("".join(self._other_lines))
            raise DevError(f"sysbench {self.test} ended by itself ({ended}):\n  {said}")

    def _read(self) -> None:
        for line in self._process.stdout:
            found = interval(line)
            if found is None:
                self._other_lines.append(line)
            else:
                self.seen.append((time.monotonic(), found))


def interval(line: str) -> Interval | None:
    """A line of --report-interval; None for any other."""
    match = re.match(
        r"\[ (\d+)s \] thds: \d+ tps: ([\d.]+) qps: [\d.]+ "
        r"\(r/w/o: ([\d.]+)/([\d.]+)/[\d.]+\) lat \(ms,\d+%\): ([\d.]+)",
        line,
    )
    return Interval(*(float(text) for text in match.groups())) if match else None


def kinds(text: str) -> dict[str, int]:
    """Sums of the lines 'kinds: NAME=COUNT ...' that the threads of a script print."""
    total: dict[str, int] = {}
    for line in re.findall(r"^kinds: (.*)$", text, re.MULTILINE):
        for name, count in re.findall(r"(\w+)=(\d+)", line):
            total[name] = total.get(name, 0) + int(count)
    return total


def failure(output: str) -> str:
    """What sysbench said was wrong."""
    said = [line for line in output.splitlines() if "FATAL" in line]
    return "\n  ".join(said[:5]) or output[-500:]


def call(words: list[str], timeout: float | None = None) -> str:
    """Runs sysbench; its output. DevError with its own message when it fails, or when it has not
    ended within `timeout` seconds."""
    try:
        done = subprocess.run(
            words, capture_output=True, text=True, errors="replace", timeout=timeout
        )
    except subprocess.TimeoutExpired as error:
        raise DevError(f"sysbench {words[1]} did not end in {timeout:.0f} s") from error
    if done.returncode != 0:
        reason = failure(done.stdout + done.stderr)
        raise DevError(f"sysbench {words[1]} {words[-1]} failed:\n  {reason}")
    return done.stdout


def parse(text: str) -> Outcome:
    """Reads the output of a run. DevError when a number is missing."""
    outcome = Outcome(
        seconds=number(r"total time:\s+([\d.]+)s", text),
        events=int(number(r"total number of events:\s+(\d+)", text)),
        queries=int(number(r"^\s+total:\s+(\d+)$", text)),
        ignored_errors=int(number(r"ignored errors:\s+(\d+)", text)),
        reconnects=int(number(r"reconnects:\s+(\d+)", text)),
        latency_average=number(r"^\s+avg:\s+([\d.]+)$", text),
        latency_maximum=number(r"^\s+max:\s+([\d.]+)$", text),
        histogram=histogram(text),
    )
    if outcome.events == 0 or outcome.seconds == 0:
        raise DevError("sysbench ran, but no event ended in its time")
    return outcome


def number(pattern: str, text: str) -> float:
    match = re.search(pattern, text, re.MULTILINE)
    if match is None:
        raise DevError(f"sysbench's output has no '{pattern}':\n{text[-500:]}")
    return float(match.group(1))


def histogram(text: str) -> list[tuple[float, int]]:
    """Lines `value |*** count` of --histogram=on, in their order: ascending milliseconds."""
    found = re.findall(r"^\s*([\d.]+) \|\**\s+(\d+)$", text, re.MULTILINE)
    return [(float(value), int(count)) for value, count in found]
