# SPDX-License-Identifier: GPL-2.0-only
"""CMake and ninja for the variants of a build: release (the plugin and tests), asan, tsan, fuzz,
and release for another processor family, whose variant has that target's name."""

import os
import re
import subprocess
from pathlib import Path

from tools import paths, setup, targets
from tools.errors import DevError
from tools.setup import cross, debian, jemalloc, rocksdb
from tools.setup.step import parallel_jobs

SANITIZERS = {
    "release": "",
    "asan": "address,undefined",
    "tsan": "thread",
    "fuzz": "fuzzer-no-link,address,undefined",
}
# TSan wants RocksDB instrumented too (tools/setup/rocksdb.py); the other sanitizers do not.
ROCKSDB_SANITIZERS = {"tsan": SANITIZERS["tsan"]}
# what a package is made of
PRODUCTS = ("ha_rocksdb", "basalt_check_table_files", "basalt_keep_databases")
CLANG = "clang++-14"  # of debian.FUZZ_PACKAGES


def build(
    plugin: bool = True, tests: bool = False, variant: str = "release", more: tuple[str, ...] = ()
) -> Path:
    """Builds incrementally what is asked for, after the set-up if that is incomplete; returns the
    build folder. `plugin`: with all that a package is made of; `more`: CMake targets. Raises
    DevError when the compiler says no; its messages are already shown."""
    target = target_of(variant)
    setup.ensure_target(target)
    folder = paths.build_dir(variant)
    configure(folder, variant)
    wanted = [*PRODUCTS] if plugin and variant in ("release", target.name) else []
    wanted += ["basalt_tests"] if tests else []
    wanted += more
    wanted += ["basalt_fuzz_targets"] if variant == "fuzz" else []
    command = ["ninja", "-C", str(folder), "-j", str(parallel_jobs(1.0)), *wanted]
    if subprocess.run([*command, "--quiet"], env=compiler_environment()).returncode != 0:
        raise DevError(f"the build failed ({variant})")
    if "ha_rocksdb" in wanted:
        if targets.is_host(target):
            link_debian_plugins(paths.plugin_dir())
        check_symbols(paths.plugin(variant), target)
    return folder


def target_of(variant: str) -> targets.Target:
    return targets.TARGETS.get(variant) or targets.host()


def variant_of(target: targets.Target) -> str:
    """The variant that makes the plugin for a target."""
    return "release" if targets.is_host(target) else target.name


def compiler_environment() -> dict[str, str]:
    """Lets ccache find what another clone of the same source has compiled."""
    return os.environ | {"CCACHE_BASEDIR": str(paths.ROOT), "CCACHE_NOHASHDIR": "true"}


def configure(folder: Path, variant: str) -> None:
    """Runs CMake when the folder is new or its inputs from the cache have moved."""
    rocksdb_sanitizer = ROCKSDB_SANITIZERS.get(variant, "")
    if rocksdb_sanitizer and not rocksdb.complete(rocksdb_sanitizer):
        rocksdb.install(rocksdb_sanitizer)
    target = target_of(variant)
    settings = {
        "BASALT_SERVER_HOME": str(server_home(target)),
        "BASALT_ROCKSDB": str(rocksdb.prefix(rocksdb_sanitizer, target)),
        "BASALT_JEMALLOC": str(jemalloc.prefix(target)),
        "BASALT_SANITIZE": SANITIZERS.get(variant, ""),
    }
    if variant == "fuzz":
        debian.install(debian.FUZZ_PACKAGES, "to fuzz")
        settings |= {"BASALT_FUZZ": "ON", "CMAKE_CXX_COMPILER": CLANG}
    stamp = folder / "basalt-settings"
    wanted = "".join(f"{name}={value}\n" for name, value in settings.items())
    if stamp.is_file() and stamp.read_text() == wanted and (folder / "build.ninja").is_file():
        return
    folder.mkdir(parents=True, exist_ok=True)
    command = ["cmake", "-G", "Ninja", "-S", str(paths.ROOT), "-B", str(folder)]
    command += [f"-D{name}={value}" for name, value in settings.items()]
    command += [] if targets.is_host(target) else cross.cmake_settings(target)
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise DevError(f"CMake failed\n{done.stdout}{done.stderr}")
    stamp.write_text(wanted)
    if variant == "release":  # where editors and clang tools look for it
        link = paths.ROOT / "compile_commands.json"
        link.unlink(missing_ok=True)
        link.symlink_to(folder / "compile_commands.json")


def server_home(target: targets.Target) -> Path:
    """The server and headers that a plugin for the target is built with."""
    return paths.server_home() if targets.is_host(target) else cross.home(target)


def link_debian_plugins(folder: Path) -> None:
    """Links Debian's other plugins into a folder with a plugin of ours, so that a server finds them
    there."""
    for source in paths.debian_plugin_dir().iterdir():
        link = folder / source.name
        if source.name == "ha_rocksdb.so":
            continue
        if link.is_symlink() and os.readlink(link) == str(source):
            continue
        link.unlink(missing_ok=True)
        link.symlink_to(source)


def dynamic_symbols(file: Path, kind: str, target: targets.Target) -> set[str]:
    """Names of the defined ('--defined-only') or undefined ('--undefined-only') symbols."""
    done = subprocess.run(
        [target.tool("nm"), "-D", "--without-symbol-versions", kind, str(file)],
        capture_output=True,
        text=True,
        check=True,
    )
    # "ADDRESS TYPE NAME", or "TYPE NAME" for undefined ones; weak ones (w, v) need no definition
    rows = (line.split() for line in done.stdout.splitlines())
    return {row[-1] for row in rows if row[-2] not in ("w", "v")}


def needed_libraries(file: Path, target: targets.Target) -> list[Path]:
    """The libraries the dynamic linker would load for a file; of another target's those that the
    file names itself."""
    if not targets.is_host(target):
        done = subprocess.run(["readelf", "-d", file], capture_output=True, text=True, check=True)
        names = re.findall(r"\(NEEDED\) .*\[(.*)\]", done.stdout)
        found = (d / name for name in names for d in cross.library_dirs(target))
        return [library for library in found if library.is_file()]
    done = subprocess.run(["ldd", str(file)], capture_output=True, text=True, check=True)
    lines = (line.split("=>")[-1].split() for line in done.stdout.splitlines())
    return [Path(words[0]) for words in lines if words and words[0].startswith("/")]


def check_symbols(plugin: Path, target: targets.Target | None = None) -> None:
    """DevError when the plugin needs a symbol that neither the server nor its libraries have, or
    shows another symbol than its declaration and services. The dynamic linker would find the
    first only when the server loads the plugin."""
    target = target or targets.host()
    server = server_home(target) / "root/usr/sbin/mariadbd"
    missing = dynamic_symbols(plugin, "--undefined-only", target)
    for file in [server, *needed_libraries(plugin, target)]:
        missing -= dynamic_symbols(file, "--defined-only", target)
    if missing:
        raise DevError("symbols the server does not have:\n  " + "\n  ".join(sorted(missing)))
    shown = dynamic_symbols(plugin, "--defined-only", target)
    strange = {s for s in shown if not (s.startswith("_maria_") or s.endswith("_service"))}
    if strange or not any(s.startswith("_maria_") for s in shown):
        raise DevError(f"the plugin's exports are wrong: {' '.join(sorted(shown)) or 'none'}")
