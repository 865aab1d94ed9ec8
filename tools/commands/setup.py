# SPDX-License-Identifier: GPL-2.0-only
"""Gets and builds what is missing: build tools, the private server with its headers, RocksDB.

Everything but Debian's packages goes into the cache, shared by all clones on this machine:
BASALT_CACHE, else XDG_CACHE_HOME/basalt, else ~/.cache/basalt. Run it again at any time.
BASALT_MARIADB_VERSION picks a server version, BASALT_MARIADB_SOURCE=DIR|TARBALL gives its source,
BASALT_PROFILE=off leaves out the training of RocksDB, BASALT_JOBS sets the number of compile jobs.
"""

import time

from tools import paths, setup

HELP = "gets and builds what is missing (idempotent)"


def add_arguments(parser) -> None:
    pass


def run(args) -> int:
    started = time.monotonic()
    setup.run()
    print(f"setup: complete in {time.monotonic() - started:.0f} s; cache: {paths.cache()}")
    return 0
