# SPDX-License-Identifier: GPL-2.0-only
"""What a process has used so far, by psutil. Differences of two readings count."""

import contextlib
import operator
import time
from collections.abc import Callable
from dataclasses import dataclass, fields

import psutil


@dataclass(frozen=True)
class Usage:
    """CPU seconds of all threads; bytes the process caused to be sent to the storage layer, counted
    when a page (with large folios: the whole folio) becomes dirty, so also what the kernel writes
    later; bytes that were fetched from the storage layer, so not what the page cache had. For a
    server under limits, what its disk was asked for: operations and bytes (bench/cgroup.py), and
    the bytes of which no client's thread asked for (bench/client_threads.py). `calls` are those
    that read or write files, not what an engine submits asynchronously, as InnoDB does.
    `disk_operations` is the disk's own count, whoever has asked: the kernel, too."""

    cpu_seconds: float = 0.0
    written_bytes: int = 0
    read_bytes: int = 0
    device_reads: int = 0
    device_writes: int = 0
    device_read_bytes: int = 0
    device_written_bytes: int = 0
    background_read_bytes: int = 0
    background_written_bytes: int = 0
    calls: int = 0
    background_calls: int = 0
    disk_operations: int = 0

    @property
    def operations(self) -> int:
        return self.device_reads + self.device_writes

    def __sub__(self, earlier: "Usage") -> "Usage":
        return self._with(earlier, operator.sub)

    def __add__(self, other: "Usage") -> "Usage":
        return self._with(other, operator.add)

    def _with(self, other: "Usage", change: Callable) -> "Usage":
        names = [field.name for field in fields(self)]
        return Usage(*(change(getattr(self, name), getattr(other, name)) for name in names))


@contextlib.contextmanager
def living(pid: int | None):
    """The process. OSError where there is none: psutil takes None for the process that asks."""
    if pid is None:
        raise ProcessLookupError("the process has ended")
    try:
        yield psutil.Process(pid)
    except psutil.Error as error:
        raise ProcessLookupError(str(error)) from error


def read(pid: int | None) -> Usage:
    """The usage of a living process of the same user."""
    with living(pid) as process:
        times, counters = process.cpu_times(), process.io_counters()
    calls = counters.read_count + counters.write_count
    return Usage(
        times.user + times.system, counters.write_bytes, counters.read_bytes, calls=calls
    )  # fmt: skip


def resident_bytes(pid: int | None) -> int:
    """Memory of a living process that is in use now."""
    return memory(pid).rss


def memory(pid: int | None):
    """Of a living process now: psutil's `rss`, in use, and `vms`, all that it has mapped."""
    with living(pid) as process:
        return process.memory_info()


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
