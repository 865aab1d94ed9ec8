# SPDX-License-Identifier: GPL-2.0-only
"""The steps of ./dev setup: Debian packages, the private server, RocksDB, jemalloc, users' tools,
applications for tests.

Each step is idempotent: it looks first whether its result is there, works in a folder beside the
final one and renames it at the very end, under a lock of its own. So a second run costs seconds,
an interrupted one leaves nothing that a later run trips over, and two runs do not clash.
"""

from tools import paths
from tools.errors import DevError
from tools.setup import applications, client_tools, debian, jemalloc, mariadb, rocksdb, room


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
    rocksdb.install()
    jemalloc.install()
    client_tools.install()
    applications.install()
