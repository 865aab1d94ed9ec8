# SPDX-License-Identifier: GPL-2.0-only
"""What a process has used so far, from /proc (man 5 proc). Differences of two readings count."""

import os
import time
from dataclasses import dataclass
from pathlib import Path

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Usage:
    """CPU seconds of all threads; bytes the process caused to be sent to the storage layer, counted
    when a page (with large folios: the whole folio) becomes dirty, so also what the kernel writes
    later; bytes that were fetched from the storage layer, so not what the page cache had."""

    cpu_seconds: float = 0.0
    written_bytes: int = 0
    read_bytes: int = 0

    def __sub__(self, earlier: "Usage") -> "Usage":
        return Usage(
            self.cpu_seconds - earlier.cpu_seconds,
            self.written_bytes - earlier.written_bytes,
            self.read_bytes - earlier.read_bytes,
        )

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.cpu_seconds + other.cpu_seconds,
            self.written_bytes + other.written_bytes,
            self.read_bytes + other.read_bytes,
        )


def read(pid: int) -> Usage:
    """The usage of a living process of the same user."""
    counters = Path(f"/proc/{pid}/io").read_text()
    return Usage(
        cpu_from_stat(Path(f"/proc/{pid}/stat").read_text()),
        counter_from_io(counters, "write_bytes"),
        counter_from_io(counters, "read_bytes"),
    )


def resident_bytes(pid: int) -> int:
    """Memory of a living process that is in use now."""
    pages = Path(f"/proc/{pid}/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def cpu_from_stat(text: str) -> float:
    """utime + stime. The name of the process stands in parentheses and may hold anything."""
    fields = text.rpartition(")")[2].split()
    # the first field after the name is number 3; utime and stime are 14 and 15
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_SECOND


def counter_from_io(text: str, wanted: str) -> int:
    for line in text.splitlines():
        name, _, value = line.partition(":")
        if name == wanted:
            return int(value)
    raise ValueError(f"no {wanted} in /proc/PID/io")


def wait_until_quiet(pid: int, timeout: float, calm: float = 1.0) -> bool:
    """Waits until the process has rested for `calm` seconds: under 3 % of one processor and under
    1 MB a second written. False when it has not within `timeout` seconds."""
    deadline = time.monotonic() + timeout
    before, since = read(pid), time.monotonic()
    while time.monotonic() < deadline:
        time.sleep(0.25)
        now, moment = read(pid), time.monotonic()
        used, seconds = now - before, moment - since
        if used.cpu_seconds > 0.03 * max(seconds, 1.0) or used.written_bytes > 1e6 * seconds:
            before, since = now, moment
        elif seconds >= calm:
            return True
    return False
