# SPDX-License-Identifier: GPL-2.0-only
"""What all set-up steps share: messages, locks, atomic folders, commands with a log."""

import contextlib
import fcntl
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import psutil

from tools import paths
from tools.errors import DevError


def say(message: str) -> None:
    """A line. On a terminal it takes the place of a line of progress, which a step beside shows."""
    start = "\r\033[K" if sys.stdout.isatty() else ""
    print(f"{start}setup: {message}", flush=True)


@contextlib.contextmanager
def lock(name: str):
    """Only one process at a time is inside; others say so and wait. Freed by the kernel when the
    process ends, however it ends."""
    folder = paths.cache() / "locks"
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / name, "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"another run is busy with '{name}'; waiting for it")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def new_folder(final: Path):
    """Gives an empty folder beside `final`, renamed to it when the block ends without an error.
    The caller holds the lock of the step. A left-over of an interrupted run is removed first."""
    fresh = final.parent / f".new-{final.name}"
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    yield fresh
    if final.exists():
        shutil.rmtree(final)
    fresh.rename(final)


def log_file(name: str) -> Path:
    folder = paths.cache() / "logs"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{name}.log"


def quiet(command: list[str], log_name: str, **options) -> bool:
    """Runs a command, output to a log of the cache; True when it succeeded."""
    with open(log_file(log_name), "w") as log:
        log.write(f"$ {' '.join(map(str, command))}\n")
        log.flush()
        try:
            return subprocess.run(command, stdout=log, stderr=log, **options).returncode == 0
        except FileNotFoundError:
            log.write(f"no program {command[0]}\n")
            return False


def log_end(log_name: str, lines: int = 6) -> str:
    """The last lines of a log, for an error message."""
    path = log_file(log_name)
    text = path.read_text(errors="replace").splitlines() if path.exists() else []
    return "\n".join(f"  {line}" for line in text[-lines:] + [f"(log: {path})"])


def run_with_progress(command: list[str], log_name: str, what: str, **options) -> None:
    """Runs a long command (ninja), showing its last line: in place on a terminal, every 15 s
    elsewhere. Raises DevError with the end of the log when it fails."""
    terminal = sys.stdout.isatty()
    shown = 0.0
    with open(log_file(log_name), "w") as log:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options
        )
        try:
            for line in process.stdout:
                log.write(line)
                log.flush()
                if time.monotonic() - shown < (0.2 if terminal else 15):
                    continue
                shown = time.monotonic()
                show_progress(f"setup: {what} {line.strip()}", terminal)
        except BaseException:
            process.terminate()  # ninja ends its compilers and forgets what they left half done
            process.wait()
            raise
        if terminal:
            print("\r\033[K", end="", flush=True)
        if process.wait() != 0:
            raise DevError(f"{what} failed\n{log_end(log_name, 25)}")


def show_progress(text: str, terminal: bool) -> None:
    """One line of progress, cut to the terminal's width and overwritten by the next there."""
    if terminal:
        cut = text[: shutil.get_terminal_size().columns - 1]
        print(f"\r\033[K{cut}", end="", flush=True)
    else:
        print(text, flush=True)


def parallel_jobs(gigabytes_each: float) -> int:
    """How many compile jobs fit: one a processor, each with its share of the free memory.
    DevError when not one fits, also with the swap. BASALT_JOBS overrides."""
    if os.environ.get("BASALT_JOBS", "").isdigit():
        return max(1, int(os.environ["BASALT_JOBS"]))
    free = psutil.virtual_memory().available
    all_free = (free + psutil.swap_memory().free) / 2**30
    if all_free < gigabytes_each:
        raise DevError(
            f"too little memory: {all_free:.1f} GB are free with the swap, a compiler takes up to"
            f" {gigabytes_each}; end other programs or add swap, or try it with BASALT_JOBS=1"
        )
    return max(1, min(len(os.sched_getaffinity(0)), int(free / (gigabytes_each * 2**30))))
