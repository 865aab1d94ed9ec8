# SPDX-License-Identifier: GPL-2.0-only
"""The steps of ./dev setup: Debian packages, the private server, RocksDB, jemalloc, users' tools,
applications for tests.

Each step is idempotent: it looks first whether its result is there, works in a folder beside the
final one and renames it at the very end, under a lock of its own. So a second run costs seconds,
an interrupted one leaves nothing that a later run trips over, and two runs do not clash.

RocksDB takes most of the time and both processors' compilers. What waits for the network, or keeps
one processor half busy, runs beside it.
"""

import contextlib
import threading
from collections.abc import Callable, Iterator

from tools import paths, targets
from tools.errors import DevError
from tools.setup import (
    applications,
    client_tools,
    cross,
    debian,
    jemalloc,
    mariadb,
    rocksdb,
    room,
)
from tools.setup.step import say


def complete() -> bool:
    """True when everything a build needs is there; reads a few stamps only."""
    return mariadb.complete() and rocksdb.complete() and jemalloc.complete()


def ensure() -> None:
    """Runs the whole set-up unless it is complete."""
    if not complete():
        run()


def ensure_target(target: targets.Target) -> None:
    """What a build for the target needs, which is less than all when that is another machine."""
    if targets.is_host(target):
        ensure()
        return
    make_cache()
    room.check(target)
    if not mariadb.complete():
        debian.install_build_packages()
        mariadb.install()
    cross.install(target)
    for library in (rocksdb, jemalloc):
        if not library.complete(target=target):
            library.install(target=target)


def make_cache() -> None:
    try:
        paths.cache().mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DevError(f"cannot make the cache folder {paths.cache()}: {error.strerror}") from error


def run() -> None:
    """All steps, in the order that fails early. Raises DevError naming what is missing."""
    make_cache()
    room.check()
    debian.install_build_packages()
    mariadb.install()
    with beside(client_tools.install, applications.install, jemalloc.install):
        rocksdb.install()


@contextlib.contextmanager
def beside(*steps: Callable[[], None]) -> Iterator[None]:
    """Runs the steps in a thread while the block runs, and waits for them. A step that fails is
    told at once; it is raised when the block has ended, whose work is not lost."""
    problems: list[Exception] = []

    def work() -> None:
        try:
            for step in steps:
                step()
        except Exception as problem:
            say(f"failed, and ends when the rest is done: {problem}")
            problems.append(problem)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        thread.join()
    if problems:
        raise problems[0]
