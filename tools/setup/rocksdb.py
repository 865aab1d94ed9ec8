# SPDX-License-Identifier: GPL-2.0-only
"""RocksDB: its source out of a Rust package (crates.py); built once a version and flag set.

What is hot is compiled twice: first to count what rocksdb_training/workload.cc takes it through,
then with those counts (docs/lab/commits.md says what that is worth). hot_sources.txt beside it
lists these files. BASALT_PROFILE=off leaves the counts out. Measured on 2 cores: a unity build of 6
files a batch without debug information takes less than half the time of compiling file by file.
Only the static library's target is built.

A library for another processor family (tools/targets.py) is compiled once, without a profile: the
workload would have to run there.

Tests under ThreadSanitizer have a RocksDB of their own, built when they are first asked for: TSan
does not see what a library that it has not instrumented hands from thread to thread by atomics, and
takes it for a race.
"""

import hashlib
import os
import shutil
import time
from pathlib import Path

from tools import paths, targets
from tools.errors import DevError
from tools.setup import crates, cross
from tools.setup.step import lock, log_end, new_folder, parallel_jobs, quiet, run_with_progress, say

CRATE = "librocksdb-sys"
LIBRARY = "librocksdb.a"

# Hidden visibility and no unique symbols: MyRocks' RocksDB may be loaded into the same process. At
# each step RocksDB looks at thread-local variables that other files define, and none of them needs
# to be constructed first (all begin as zeros or constants). A TLS model by option does not work:
# std::call_once has such variables in the C++ library.
CXX_FLAGS = "-g0 -fvisibility=hidden -fno-gnu-unique -fno-extern-tls-init"
# USE_RTTI: our classes derive from RocksDB's. PORTABLE: of the target, for CRC32C in hardware and,
# on amd64, AVX2 filter probes. The rest leaves out what a library does not need.
CMAKE_FLAGS = [
    "-DCMAKE_BUILD_TYPE=Release",
    "-DCMAKE_POSITION_INDEPENDENT_CODE=ON",
    "-DUSE_RTTI=ON",
    "-DPORTABLE={portable}",
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
SANITIZED_CXX_FLAGS = "-g1 -fno-omit-frame-pointer"
# The counts lie beside the object files, so both builds are made in one folder. What the workload
# does not reach is compiled as without counts.
COUNTING = "-fprofile-generate -fprofile-update=prefer-atomic"
COUNTED = "-fprofile-use -fprofile-correction -fprofile-partial-training -Wno-missing-profile"
TRAINING = Path(__file__).parent / "rocksdb_training"
WORKLOAD = TRAINING / "workload.cc"
HOT_SOURCES = TRAINING / "hot_sources.txt"
SPLIT = TRAINING / "split.cmake"
VARIABLE = "BASALT_PROFILE"


def prefix(sanitizer: str = "", target: targets.Target | None = None) -> Path:
    """Where the built library is or will be. `sanitizer`: as of -fsanitize, empty for none.
    `target`: default, this machine."""
    if target and not targets.is_host(target):
        flags = [*cmake_flags(target), CXX_FLAGS, target.triple]
        return crates.prefix(CRATE, "rocksdb", flags, target.tool("g++"))
    return crates.prefix(CRATE, "rocksdb", recipe(sanitizer, profiled()))


def cmake_flags(target: targets.Target) -> list[str]:
    return [flag.format(portable=target.rocksdb_portable) for flag in CMAKE_FLAGS]


def recipe(sanitizer: str, profile: bool) -> list[str]:
    """All that this machine's library depends on, besides RocksDB's version and the compiler's."""
    flags = [*cmake_flags(targets.host()), CXX_FLAGS]
    if sanitizer:
        return [*flags, sanitized(sanitizer)]
    if not profile:
        return flags
    files = [hashlib.sha256(f.read_bytes()).hexdigest() for f in (WORKLOAD, HOT_SOURCES, SPLIT)]
    return [*flags, COUNTING, COUNTED, *files]


def choice_file() -> Path:
    return paths.cache() / "rocksdb" / "profile"


def profiled() -> bool:
    """Whether RocksDB is compiled with a profile: as BASALT_PROFILE says, else as the last set-up
    was told, else yes. DevError for another value than on and off."""
    choice = os.environ.get(VARIABLE, "")
    if not choice and choice_file().is_file():
        choice = choice_file().read_text().strip()
    if choice not in ("", "on", "off"):
        raise DevError(f"{VARIABLE}={choice}: it is on or off")
    return choice != "off"


def remember_choice() -> None:
    """Later commands use what this set-up was told."""
    choice = os.environ.get(VARIABLE, "")
    if not choice:
        return
    choice_file().parent.mkdir(parents=True, exist_ok=True)
    choice_file().write_text(choice + "\n")


def sanitized(sanitizer: str) -> str:
    return f"{SANITIZED_CXX_FLAGS} -fsanitize={sanitizer}"


def complete(sanitizer: str = "", target: targets.Target | None = None) -> bool:
    return (prefix(sanitizer, target) / "lib" / LIBRARY).is_file()


def install(sanitizer: str = "", target: targets.Target | None = None) -> None:
    """Fetches and builds RocksDB unless it is in the cache. `target`: default, this machine."""
    target = target or targets.host()
    plain = not sanitizer and targets.is_host(target)
    if plain:
        remember_choice()
    final = prefix(sanitizer, target)
    if complete(sanitizer, target):
        say(f"RocksDB {final.name} is there{profile_in_words() if plain else ''}")
        return
    with lock("rocksdb"):
        if complete(sanitizer, target):  # made by the run we waited for
            return
        source = crates.fetch(CRATE, "RocksDB") / "rocksdb"
        build_dir = final.parent / f".build-{final.name}"
        if targets.is_host(target):
            build(source, build_dir, sanitizer)
        else:
            build_cross(source, build_dir, target)
        with new_folder(final) as fresh:
            (fresh / "lib").mkdir()
            shutil.copy2(build_dir / LIBRARY, fresh / "lib")
            shutil.copytree(source / "include" / "rocksdb", fresh / "include" / "rocksdb")
        shutil.rmtree(build_dir, ignore_errors=True)


def profile_in_words() -> str:
    return "" if profiled() else f", without a profile ({VARIABLE}=on makes one with it)"


def build(source: Path, build_dir: Path, sanitizer: str) -> None:
    """An interrupted build goes on where it stopped."""
    started = time.monotonic()
    if sanitizer:
        say(f"building RocksDB for -fsanitize={sanitizer} (once; about 5 minutes on 2 cores)")
        flags = f"-DCMAKE_CXX_FLAGS={CXX_FLAGS} {sanitized(sanitizer)}"
        compile_library(source, build_dir, [flags], f"RocksDB ({sanitizer})")
    elif profiled():
        say("building RocksDB (once a machine; about 10 minutes on 2 cores)")
        build_trained(source, build_dir)
    else:
        say("building RocksDB without a profile (once a machine; about 7 minutes on 2 cores)")
        compile_library(source, build_dir, [f"-DCMAKE_CXX_FLAGS={CXX_FLAGS}"], "RocksDB")
    say(f"RocksDB built in {(time.monotonic() - started) / 60:.1f} minutes")


def build_cross(source: Path, build_dir: Path, target: targets.Target) -> None:
    started = time.monotonic()
    say(f"building RocksDB for {target.name} (once a machine; about 7 minutes on 2 cores)")
    flags = [f"-DCMAKE_CXX_FLAGS={CXX_FLAGS}", *cross.cmake_settings(target)]
    compile_library(source, build_dir, flags, f"RocksDB ({target.name})", target)
    say(f"RocksDB built in {(time.monotonic() - started) / 60:.1f} minutes")


def build_trained(source: Path, build_dir: Path) -> None:
    trained = build_dir / "trained"
    if not trained.is_file():
        compile_library(source, build_dir, split(COUNTING), "RocksDB, to be trained,")
        train(source, build_dir)
        trained.touch()
    compile_library(source, build_dir, split(COUNTED), "RocksDB, with its profile,")


def split(profile_flags: str) -> list[str]:
    """Arguments of CMake: `profile_flags` for the hot sources only."""
    return [
        f"-DCMAKE_CXX_FLAGS={CXX_FLAGS}",
        f"-DCMAKE_PROJECT_rocksdb_INCLUDE={SPLIT}",
        f"-DBASALT_HOT_SOURCES={HOT_SOURCES}",
        f"-DBASALT_PROFILE_FLAGS={profile_flags}",
    ]


def compile_library(
    source: Path,
    build_dir: Path,
    more_flags: list[str],
    what: str,
    target: targets.Target | None = None,
) -> None:
    """RocksDB's own CMake and ninja."""
    flags = [*cmake_flags(target or targets.host()), *without_place(source, more_flags)]
    configure = ["cmake", "-G", "Ninja", "-S", str(source), "-B", str(build_dir), *flags]
    if not quiet(configure, "rocksdb-cmake"):
        raise DevError(f"RocksDB's CMake failed\n{log_end('rocksdb-cmake', 15)}")
    # The result is cached as a whole, so the compiler cache would only be filled in vain.
    environment = {**os.environ, "CCACHE_DISABLE": "1", "NINJA_STATUS": "[%f/%t] "}
    jobs = parallel_jobs(gigabytes_each=1.5)
    command = ["ninja", "-C", str(build_dir), "-j", str(jobs), "rocksdb"]
    run_with_progress(command, "rocksdb-build", what, env=environment)


def without_place(source: Path, flags: list[str]) -> list[str]:
    """The flags that make the same bytes in whatever folder and on whatever day. They are not in
    the recipe, since nothing that runs depends on them. Only __FILE__ is mapped: there is no debug
    information, and -ffile-prefix-map would also move the counts of the training."""
    macros = f" -fmacro-prefix-map={source}=rocksdb"
    mapped = [f + macros if f.startswith("-DCMAKE_CXX_FLAGS=") else f for f in flags]
    return [*mapped, "-DBUILD_DATE=unknown"]


def train(source: Path, build_dir: Path) -> None:
    """Leaves the counts beside the object files."""
    for old in build_dir.rglob("*.gcda"):
        old.unlink()
    program, store = build_dir / "workload", build_dir / "workload-store"
    shutil.rmtree(store, ignore_errors=True)
    march = f"-march={targets.host().march}"
    command = ["g++", "-std=c++20", "-O2", march, "-fprofile-generate"]
    # The counted objects come first, so that of a function in several objects theirs is linked.
    hot = sorted(str(o) for o in (build_dir / "CMakeFiles" / "rocksdb_hot.dir").rglob("*.o"))
    command += ["-I", str(source / "include"), str(WORKLOAD), *hot, str(build_dir / LIBRARY)]
    command += ["-llz4", "-lzstd", "-lsnappy", "-lz", "-o", str(program)]
    if not quiet(command, "rocksdb-training", cwd=build_dir):
        raise DevError(f"RocksDB's training program\n{log_end('rocksdb-training', 15)}")
    say("training RocksDB (half a minute)")
    if not quiet([str(program), str(store)], "rocksdb-training", cwd=build_dir):
        raise DevError(f"RocksDB's training failed\n{log_end('rocksdb-training', 15)}")
    shutil.rmtree(store)
