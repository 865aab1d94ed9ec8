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

from tools import paths
from tools.errors import DevError
from tools.setup import applications, client_tools, debian, jemalloc, mariadb, rocksdb, room
from tools.setup.step import say


def complete() -> bool:
    """True when everything a build needs is there; reads a few stamps only."""
    return mariadb.complete() and rocksdb.complete() and jemalloc.complete()


def ensure() -> None:
    """Runs the whole set-up unless it is complete."""
    if not complete():
        run()


def run() -> None:
    """All steps, in the order that fails early. Raises DevError naming what is missing."""
    try:
        paths.cache().mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DevError(f"cannot make the cache folder {paths.cache()}: {error.strerror}") from error
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
