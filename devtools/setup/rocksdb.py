# SPDX-License-Identifier: GPL-2.0-only
"""RocksDB: its source out of a Rust package (crates.py); built once a version and flag set.

It is compiled twice: first to count what rocksdb_training/workload.cc takes it through, then with
those counts (docs/performance.md says what that is worth). Measured on 2 cores: a unity build of 6
files a batch without debug information takes less than half the time of compiling file by file.
Only the static library's target is built.
"""

import hashlib
import os
import shutil
import time
from pathlib import Path

from devtools.errors import DevError
from devtools.setup import crates
from devtools.setup.step import (
    lock,
    log_end,
    new_folder,
    parallel_jobs,
    quiet,
    run_with_progress,
    say,
)

CRATE = "librocksdb-sys"
LIBRARY = "librocksdb.a"

# Hidden visibility and no unique symbols: MyRocks' RocksDB may be loaded into the same process. At
# each step RocksDB looks at thread-local variables that other files define, and none of them needs
# to be constructed first (all begin as zeros or constants). A TLS model by option does not work:
# std::call_once has such variables in the C++ library.
CXX_FLAGS = "-g0 -fvisibility=hidden -fno-gnu-unique -fno-extern-tls-init"
# USE_RTTI: our classes derive from RocksDB's. PORTABLE=haswell: CRC32C in hardware and AVX2 filter
# probes, as the plugin itself is built. The rest leaves out what a library does not need.
CMAKE_FLAGS = [
    "-DCMAKE_BUILD_TYPE=Release",
    "-DCMAKE_POSITION_INDEPENDENT_CODE=ON",
    "-DUSE_RTTI=ON",
    "-DPORTABLE=haswell",
    "-DROCKSDB_BUILD_SHARED=OFF",
    "-DWITH_GFLAGS=OFF",
    "-DWITH_LIBURING=OFF",
    "-DWITH_LZ4=ON",
    "-DWITH_ZSTD=ON",
    "-DWITH_SNAPPY=ON",
    "-DWITH_ZLIB=ON",
    "-DWITH_TESTS=OFF",
    "-DWITH_ALL_TESTS=OFF",
    "-DWITH_TOOLS=OFF",
    "-DWITH_CORE_TOOLS=OFF",
    "-DWITH_BENCHMARK_TOOLS=OFF",
    "-DWITH_TRACE_TOOLS=OFF",
    "-DFAIL_ON_WARNINGS=OFF",
    "-DCMAKE_UNITY_BUILD=ON",
    "-DCMAKE_UNITY_BUILD_BATCH_SIZE=6",
    "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG",
]
# The counts lie beside the object files, so both builds are made in one folder. What the workload
# does not reach is compiled as without counts.
COUNTING = "-fprofile-generate -fprofile-update=prefer-atomic"
COUNTED = "-fprofile-use -fprofile-correction -fprofile-partial-training -Wno-missing-profile"
WORKLOAD = Path(__file__).parent / "rocksdb_training" / "workload.cc"


def prefix() -> Path:
    """Where the built library is or will be."""
    workload = hashlib.sha256(WORKLOAD.read_bytes()).hexdigest()
    recipe = [*CMAKE_FLAGS, CXX_FLAGS, COUNTING, COUNTED, workload]
    return crates.prefix(CRATE, "rocksdb", recipe)


def complete() -> bool:
    return (prefix() / "lib" / LIBRARY).is_file()


def install() -> None:
    """Fetches and builds RocksDB unless it is in the cache."""
    if complete():
        say(f"RocksDB {prefix().name} is there")
        return
    with lock("rocksdb"):
        if complete():  # made by the run we waited for
            return
        source = crates.fetch(CRATE, "RocksDB") / "rocksdb"
        build_dir = prefix().parent / f".build-{prefix().name}"
        build(source, build_dir)
        with new_folder(prefix()) as fresh:
            (fresh / "lib").mkdir()
            shutil.copy2(build_dir / LIBRARY, fresh / "lib")
            shutil.copytree(source / "include" / "rocksdb", fresh / "include" / "rocksdb")
        shutil.rmtree(build_dir, ignore_errors=True)


def build(source: Path, build_dir: Path) -> None:
    """An interrupted build goes on where it stopped."""
    say(f"building RocksDB {prefix().name} twice (once a machine; about 15 minutes on 2 cores)")
    started = time.monotonic()
    trained = build_dir / "trained"
    if not trained.is_file():
        compile_library(source, build_dir, COUNTING, "RocksDB, to be trained,")
        train(source, build_dir)
        trained.touch()
    compile_library(source, build_dir, COUNTED, "RocksDB")
    minutes = (time.monotonic() - started) / 60
    say(f"RocksDB built in {minutes:.1f} minutes")


def compile_library(source: Path, build_dir: Path, training: str, what: str) -> None:
    """RocksDB's own CMake and ninja."""
    flags = [*CMAKE_FLAGS, f"-DCMAKE_CXX_FLAGS={CXX_FLAGS} {training}"]
    configure = ["cmake", "-G", "Ninja", "-S", str(source), "-B", str(build_dir), *flags]
    if not quiet(configure, "rocksdb-cmake"):
        raise DevError(f"RocksDB's CMake failed\n{log_end('rocksdb-cmake', 15)}")
    # The result is cached as a whole, so the compiler cache would only be filled in vain.
    environment = {**os.environ, "CCACHE_DISABLE": "1", "NINJA_STATUS": "[%f/%t] "}
    jobs = parallel_jobs(gigabytes_each=1.5)
    command = ["ninja", "-C", str(build_dir), "-j", str(jobs), "rocksdb"]
    run_with_progress(command, "rocksdb-build", what, env=environment)


def train(source: Path, build_dir: Path) -> None:
    """Leaves the counts beside the object files."""
    for old in build_dir.rglob("*.gcda"):
        old.unlink()
    program, store = build_dir / "workload", build_dir / "workload-store"
    shutil.rmtree(store, ignore_errors=True)
    command = ["g++", "-std=c++20", "-O2", "-march=haswell", "-fprofile-generate"]
    command += ["-I", str(source / "include"), str(WORKLOAD), str(build_dir / LIBRARY)]
    command += ["-llz4", "-lzstd", "-lsnappy", "-lz", "-o", str(program)]
    if not quiet(command, "rocksdb-training", cwd=build_dir):
        raise DevError(f"RocksDB's training program\n{log_end('rocksdb-training', 15)}")
    say("training RocksDB (about a minute)")
    if not quiet([str(program), str(store)], "rocksdb-training", cwd=build_dir):
        raise DevError(f"RocksDB's training failed\n{log_end('rocksdb-training', 15)}")
    shutil.rmtree(store)
