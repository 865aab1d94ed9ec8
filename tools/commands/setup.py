# SPDX-License-Identifier: GPL-2.0-only
"""Gets and builds what is missing: build tools, the private server with its headers, RocksDB.

Everything but Debian's packages goes into the cache, shared by all clones on this machine:
BASALT_CACHE, else XDG_CACHE_HOME/basalt, else ~/.cache/basalt. Run it again at any time.
BASALT_MARIADB_VERSION picks a server version, BASALT_MARIADB_SOURCE=DIR|TARBALL gives its source,
BASALT_PROFILE=off compiles RocksDB without its profile, --train (or BASALT_PROFILE=train) makes the
profile again, which the repository keeps. BASALT_JOBS sets the number of compile jobs.
"""

import os
import time

from tools import paths, setup
from tools.setup import rocksdb

HELP = "gets and builds what is missing (idempotent)"


def add_arguments(parser) -> None:
    parser.add_argument("--train", action="store_true", help="make RocksDB's kept profile again")


def run(args) -> int:
    if args.train:
        os.environ[rocksdb.VARIABLE] = "train"
    started = time.monotonic()
    setup.run()
    print(f"setup: complete in {time.monotonic() - started:.0f} s; cache: {paths.cache()}")
    return 0
