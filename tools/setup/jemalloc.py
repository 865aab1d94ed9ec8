# SPDX-License-Identifier: GPL-2.0-only
"""jemalloc for the blocks of the cache (src/store/options/block_memory.h): its source out of a
Rust package (crates.py); built once a version and flag set."""

import shutil
import time
from pathlib import Path

from tools import targets
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
]


def flags(target: targets.Target) -> list[str]:
    """Arguments of `configure`."""
    compiler = f"CFLAGS=-O2 -g0 -fPIC -fvisibility=hidden -march={target.march}"
    cross = [] if targets.is_host(target) else [f"--host={target.triple}"]
    return [*FLAGS, *target.jemalloc_flags, *cross, compiler]


def prefix(target: targets.Target | None = None) -> Path:
    """Where the built library is or will be: include/ and lib/. `target`: default, this machine."""
    target = target or targets.host()
    compiler = "g++" if targets.is_host(target) else target.tool("g++")
    return crates.prefix(CRATE, "jemalloc", flags(target), compiler)


def complete(target: targets.Target | None = None) -> bool:
    return (prefix(target) / "lib" / LIBRARY).is_file()


def install(target: targets.Target | None = None) -> None:
    """Fetches and builds jemalloc unless it is in the cache."""
    target = target or targets.host()
    final = prefix(target)
    if complete(target):
        say(f"jemalloc {final.name} is there")
        return
    with lock("jemalloc"):
        if complete(target):  # made by the run we waited for
            return
        tree = final.parent / f".build-{final.name}"
        unpack(crates.fetch(CRATE, "jemalloc"), tree)
        say(f"building jemalloc {final.name} for {target.name} (once; about a minute)")
        compile_library(tree, flags(target))
        with new_folder(final) as fresh:
            for folder, file in (("lib", LIBRARY), ("include/jemalloc", "jemalloc.h")):
                (fresh / folder).mkdir(parents=True)
                shutil.copy2(tree / folder / file, fresh / folder)
        shutil.rmtree(tree, ignore_errors=True)


def unpack(crate: Path, tree: Path) -> None:
    """A copy to build in, with the `configure` that the crate keeps beside the source."""
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(crate / "jemalloc", tree)
    shutil.copy2(crate / "configure" / "configure", tree)


def compile_library(tree: Path, arguments: list[str]) -> None:
    started = time.monotonic()
    version = crates.locked(CRATE)[0].partition("+")[2]
    configure = ["sh", "./configure", f"--with-version={version}", *arguments]
    make = ["make", f"-j{parallel_jobs(gigabytes_each=0.5)}", f"lib/{LIBRARY}"]
    for command, log in ((configure, "jemalloc-configure"), (make, "jemalloc-build")):
        if not quiet(command, log, cwd=tree):
            raise DevError(f"jemalloc cannot be built\n{log_end(log, 15)}")
    say(f"jemalloc built in {time.monotonic() - started:.0f} s")
