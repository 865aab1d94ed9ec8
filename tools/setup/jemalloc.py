# SPDX-License-Identifier: GPL-2.0-only
"""jemalloc for the blocks of the cache (src/store/options/block_memory.h): its source out of a
Rust package (crates.py); built once a version and flag set."""

import shutil
import time
from pathlib import Path

from tools.errors import DevError
from tools.setup import crates
from tools.setup.step import lock, log_end, new_folder, parallel_jobs, quiet, say

CRATE = "tikv-jemalloc-sys"
LIBRARY = "libjemalloc_pic.a"

# The prefix keeps malloc() itself the C library's, for the server and for RocksDB. Thread-local
# data of the model initial-exec would not always fit into a server that loads the plugin while it
# runs. No caches of threads: blocks are large, and a server has hundreds of threads. Memory that is
# free goes back to the system within a second.
FLAGS = [
    "--with-jemalloc-prefix=basalt_je_",
    "--with-private-namespace=basalt_je_",
    "--with-malloc-conf=tcache:false,dirty_decay_ms:1000,muzzy_decay_ms:0",
    "--disable-initial-exec-tls",
    "--disable-cache-oblivious",
    "--disable-cxx",
    "--disable-libdl",
    "--disable-shared",
    "--disable-doc",
    "CFLAGS=-O2 -g0 -fPIC -fvisibility=hidden -march=haswell",
]


def prefix() -> Path:
    """Where the built library is or will be: include/ and lib/."""
    return crates.prefix(CRATE, "jemalloc", FLAGS)


def complete() -> bool:
    return (prefix() / "lib" / LIBRARY).is_file()


def install() -> None:
    """Fetches and builds jemalloc unless it is in the cache."""
    if complete():
        say(f"jemalloc {prefix().name} is there")
        return
    with lock("jemalloc"):
        if complete():  # made by the run we waited for
            return
        tree = prefix().parent / f".build-{prefix().name}"
        unpack(crates.fetch(CRATE, "jemalloc"), tree)
        compile_library(tree)
        with new_folder(prefix()) as fresh:
            for folder, file in (("lib", LIBRARY), ("include/jemalloc", "jemalloc.h")):
                (fresh / folder).mkdir(parents=True)
                shutil.copy2(tree / folder / file, fresh / folder)
        shutil.rmtree(tree, ignore_errors=True)


def unpack(crate: Path, tree: Path) -> None:
    """A copy to build in, with the `configure` that the crate keeps beside the source."""
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(crate / "jemalloc", tree)
    shutil.copy2(crate / "configure" / "configure", tree)


def compile_library(tree: Path) -> None:
    say(f"building jemalloc {prefix().name} (once; about a minute)")
    started = time.monotonic()
    version = crates.locked(CRATE)[0].partition("+")[2]
    configure = ["sh", "./configure", f"--with-version={version}", *FLAGS]
    make = ["make", f"-j{parallel_jobs(gigabytes_each=0.5)}", f"lib/{LIBRARY}"]
    for command, log in ((configure, "jemalloc-configure"), (make, "jemalloc-build")):
        if not quiet(command, log, cwd=tree):
            raise DevError(f"jemalloc cannot be built\n{log_end(log, 15)}")
    say(f"jemalloc built in {time.monotonic() - started:.0f} s")
