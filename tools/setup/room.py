# SPDX-License-Identifier: GPL-2.0-only
"""Room on the disk for what a set-up has yet to fetch and build, looked at before it begins."""

import shutil

from tools import paths
from tools.errors import DevError
from tools.setup import jemalloc, mariadb, rocksdb

# Gigabytes at the most, while it is made; a finished cache has 1.7 GB (du -sh ~/.cache/basalt).
PARTS = ((mariadb.complete, 1.0), (rocksdb.complete, 0.6), (jemalloc.complete, 0.1))


def check() -> None:
    """DevError when the cache's disk has less than the missing parts take."""
    needed = sum(gigabytes for complete, gigabytes in PARTS if not complete())
    free = shutil.disk_usage(paths.cache()).free / 1e9
    if free < needed:
        raise DevError(
            f"too little disk: {paths.cache()} has {free:.1f} GB free, the set-up needs"
            f" {needed:.1f}; make room, or name another folder by BASALT_CACHE"
        )
