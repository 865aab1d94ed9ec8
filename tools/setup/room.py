# SPDX-License-Identifier: GPL-2.0-only
"""Room on the disk for what a set-up has yet to fetch and build, looked at before it begins."""

import shutil

from tools import paths, targets
from tools.errors import DevError
from tools.setup import cross, jemalloc, mariadb, rocksdb


def check(target: targets.Target | None = None) -> None:
    """DevError when the cache's disk has less than the missing parts take. `target`: default, this
    machine."""
    missing = [size for complete, size in parts(target or targets.host()) if not complete]
    needed = sum(missing)
    free = shutil.disk_usage(paths.cache()).free / 1e9
    if free < needed:
        raise DevError(
            f"too little disk: {paths.cache()} has {free:.1f} GB free, the set-up needs"
            f" {needed:.1f}; make room, or name another folder by BASALT_CACHE"
        )


def parts(target: targets.Target) -> list[tuple[bool, float]]:
    """Whether each is there, and its gigabytes at the most, while it is made; a finished cache has
    1.7 GB (du -sh ~/.cache/basalt)."""
    found = [
        (mariadb.complete(), 1.0),
        (rocksdb.complete(target=target), 0.6),
        (jemalloc.complete(target), 0.1),
    ]
    if not targets.is_host(target):
        found.append((cross.complete(target), 0.4))
    return found
