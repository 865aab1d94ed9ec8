# SPDX-License-Identifier: GPL-2.0-only
"""RocksDB: its source out of a Rust package (crates.py); built once a version and flag set.

What is hot is compiled with a profile (docs/lab/commits.md says what that is worth): the one that
the repository keeps (rocksdb_profile.py), or, where that does not fit, one of a training run.
rocksdb_training/hot_sources.txt lists these files, workload.cc beside it is what they are taken
through. BASALT_PROFILE=off leaves the profile out, BASALT_PROFILE=train makes it again. Measured on
2 cores: a unity build of 6 files a batch without debug information takes less than half the time of
compiling file by file. Only the static library's target is built.

A library for another processor family (tools/targets.py) is compiled once, without a profile: the
workload would have to run there.

Tests under ThreadSanitizer have a RocksDB of their own, built when they are first asked for: TSan
does not see what a library that it has not instrumented hands from thread to thread by atomics, and
takes it for a race.
"""

import os
import shutil
import time
from pathlib import Path

from tools import paths, targets
from tools.errors import DevError
from tools.setup import crates, cross, rocksdb_profile
from tools.setup.step import (
    lock,
    log_end,
    log_file,
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
# The counts lie beside the object files, so a training build goes on as the build with them. What
# the workload does not reach is compiled as without counts. A function whose counts do not fit, as
# that of another library's header may, is compiled without them and named in the log.
COUNTING = "-fprofile-generate -fprofile-update=prefer-atomic"
COUNTED = (
    "-fprofile-use -fprofile-correction -fprofile-partial-training -Wno-missing-profile"
    " -Wno-error=coverage-mismatch"
)
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
    wanted = profile_key()
    kept = rocksdb_profile.fits(wanted)
    return [*flags, wanted, rocksdb_profile.digest(rocksdb_profile.KEPT) if kept else "trained"]


def profile_key() -> str:
    flags = [*cmake_flags(targets.host()), CXX_FLAGS, COUNTING, COUNTED]
    return rocksdb_profile.key(" ".join(crates.locked(CRATE)), flags)


def choice_file() -> Path:
    return paths.cache() / "rocksdb" / "profile"


def profiled() -> bool:
    """Whether RocksDB is compiled with a profile: as BASALT_PROFILE says, else as the last set-up
    was told, else yes. DevError for another value than on, off and train."""
    choice = os.environ.get(VARIABLE, "")
    if not choice and choice_file().is_file():
        choice = choice_file().read_text().strip()
    if choice not in ("", "on", "off", "train"):
        raise DevError(f"{VARIABLE}={choice}: it is on, off or train")
    return choice != "off"


def remember_choice() -> None:
    """Later commands use what this set-up was told."""
    choice = os.environ.get(VARIABLE, "")
    if not choice:
        return
    choice_file().parent.mkdir(parents=True, exist_ok=True)
    choice_file().write_text("off\n" if choice == "off" else "on\n")


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
        if os.environ.get(VARIABLE) == "train":
            train_again()
    final = prefix(sanitizer, target)
    if complete(sanitizer, target):
        say(f"RocksDB {final.name} is there{profile_in_words() if plain else ''}")
        return
    with lock("rocksdb"):
        if complete(sanitizer, target):  # made by the run we waited for
            return
        source = crates.fetch(CRATE, "RocksDB") / "rocksdb"
        if targets.is_host(target):
            build_dir = build_folder(final, sanitizer)
            build(source, build_dir, sanitizer)
        else:
            build_dir = final.parent / f".build-{final.name}"
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
        build_profiled(source, build_dir)
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


def build_profiled(source: Path, build_dir: Path) -> None:
    wanted = profile_key()
    archive = rocksdb_profile.find(wanted)
    if archive is None:
        say(f"{rocksdb_profile.misfit(wanted)}: a training run makes one, 3 minutes more")
        archive = rocksdb_profile.of_this_machine(wanted)
        train(source, build_dir, archive)
    say("building RocksDB (once a machine; about 5 minutes on 2 cores)")
    rocksdb_profile.unpack(archive, build_dir)
    # the macro has no effect but that another profile compiles the hot files again
    flags = f"{COUNTED} -DBASALT_PROFILE={rocksdb_profile.digest(archive)}"
    compile_library(source, build_dir, split(flags), "RocksDB")
    log = log_file("rocksdb-build")
    misfits = log.read_text(errors="replace").count("[-Wcoverage-mismatch]")
    if misfits:
        say(f"{misfits} warnings say that counts of the profile do not fit: {log}")


def train_again() -> None:
    """Makes the profile that the repository keeps, and its key. The build goes on in the folder."""
    wanted = profile_key()
    with lock("rocksdb"):
        source = crates.fetch(CRATE, "RocksDB") / "rocksdb"
        train(source, build_folder(prefix(), ""), rocksdb_profile.KEPT)
        rocksdb_profile.KEPT_KEY.write_text(wanted)
    say(f"the profile was made again; commit {rocksdb_profile.KEPT} and its key beside it")


def build_folder(final: Path, sanitizer: str) -> Path:
    """Where a library is built. Libraries with different profiles have most objects in common."""
    if sanitizer or not profiled():
        return final.parent / f".build-{final.name}"
    return final.parent / f".build-profiled-{rocksdb_profile.short(profile_key())}"


def split(profile_flags: str) -> list[str]:
    """Arguments of CMake: `profile_flags` for the hot sources only."""
    return [
        f"-DCMAKE_CXX_FLAGS={CXX_FLAGS}",
        f"-DCMAKE_PROJECT_rocksdb_INCLUDE={rocksdb_profile.SPLIT}",
        f"-DBASALT_HOT_SOURCES={rocksdb_profile.HOT_SOURCES}",
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
    information."""
    macros = f" -fmacro-prefix-map={source}=rocksdb"
    mapped = [f + macros if f.startswith("-DCMAKE_CXX_FLAGS=") else f for f in flags]
    return [*mapped, "-DBUILD_DATE=unknown"]


def train(source: Path, build_dir: Path, archive: Path) -> None:
    """Compiles RocksDB to count, runs the workload, and packs the counts."""
    compile_library(source, build_dir, split(COUNTING), "RocksDB, to be trained,")
    rocksdb_profile.remove_counts(build_dir)
    program, store = build_dir / "workload", build_dir / "workload-store"
    shutil.rmtree(store, ignore_errors=True)
    march = f"-march={targets.host().march}"
    command = ["g++", "-std=c++20", "-O2", march, "-fprofile-generate"]
    # The counted objects come first, so that of a function in several objects theirs is linked.
    hot = sorted(str(o) for o in (build_dir / rocksdb_profile.OBJECTS).glob("*.o"))
    command += ["-I", str(source / "include"), str(rocksdb_profile.WORKLOAD), *hot]
    command += [str(build_dir / LIBRARY), "-llz4", "-lzstd", "-lsnappy", "-lz", "-o", str(program)]
    if not quiet(command, "rocksdb-training", cwd=build_dir):
        raise DevError(f"RocksDB's training program\n{log_end('rocksdb-training', 15)}")
    say("training RocksDB (half a minute)")
    if not quiet([str(program), str(store)], "rocksdb-training", cwd=build_dir):
        raise DevError(f"RocksDB's training failed\n{log_end('rocksdb-training', 15)}")
    shutil.rmtree(store)
    rocksdb_profile.pack(build_dir, archive)
