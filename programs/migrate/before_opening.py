# SPDX-License-Identifier: GPL-2.0-only
"""A data directory of MyRocks before Basalt opens it: what can be told from outside.

What the store itself holds is not looked at here. Basalt looks at it when it starts, and refuses
what it cannot serve with the reason, before it changes a byte.
"""

import fcntl
import re
import shutil
import struct
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from programs.migrate.errors import BadUse

LIBRARY = "ha_rocksdb.so"
STORE = "#rocksdb"
NEEDED = ("CURRENT", "MANIFEST-*", "OPTIONS-*")
GROUPS = ("mysqld", "server", "mysqld-10.11", "mariadb", "mariadb-10.11", "mariadbd")
SECONDS = 120
PREFIXES = ("loose-", "skip-", "disable-", "enable-", "maximum-", "minimum-", "autoset-")


@dataclass(frozen=True)
class Finding:
    text: str
    bad: bool = False


def look(datadir: Path, file: str | None, plugins: Path, program: str) -> list[Finding]:
    """BadUse when there is nothing to look at."""
    if not datadir.is_dir():
        raise BadUse(f"there is no directory {datadir}")
    if shutil.which(program) is None:
        raise BadUse(f"there is no program {program}; name the server's with --server")
    lines = option_lines(file)
    known, problem = known_options(program, plugins)
    found = [problem] if problem else [Finding(f"{plugins / LIBRARY} loads in this server")]
    found += unknown_options(lines, known) if known else []
    return found + look_at_store(store_of(datadir, lines))


# --- the option file


def option_lines(file: str | None) -> list[str]:
    """Of the groups that the server reads, as --name=value."""
    reader = shutil.which("my_print_defaults")
    if reader is None:
        raise BadUse("my_print_defaults, which reads option files, is not installed")
    if file and not Path(file).is_file():
        raise BadUse(f"the option file {file} cannot be read")
    command = [reader, *([f"--defaults-file={Path(file).absolute()}"] if file else []), *GROUPS]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise BadUse(f"the option files cannot be read: {done.stderr.strip()}")
    return done.stdout.splitlines()


def known_options(program: str, plugins: Path) -> tuple[set[str], Finding | None]:
    """Names of the engine's options, as the server itself lists them with the plugin loaded. An
    empty set with the reason when it does not load."""
    if not (plugins / LIBRARY).is_file():
        return set(), Finding(f"there is no {plugins / LIBRARY}", bad=True)
    with tempfile.TemporaryDirectory(prefix="basalt-migrate-") as empty:
        command = [program, "--no-defaults", f"--datadir={empty}", f"--plugin-dir={plugins}"]
        command += ["--plugin-load-add=ha_rocksdb", "--verbose", "--help"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS,
                              errors="replace")  # fmt: skip
    names = set(re.findall(r"^ +--(rocksdb[a-z0-9-]*)", done.stdout, re.M))
    if len(names) > 1:
        return names, None
    said = [line for line in done.stderr.splitlines() if "ERROR" in line]
    reason = re.sub(r"^.*\[ERROR\] ", "", said[0]) if said else "the server does not say why"
    return set(), Finding(f"{plugins / LIBRARY} does not load: {reason}", bad=True)


def unknown_options(lines: list[str], known: set[str]) -> list[Finding]:
    found = []
    for line in lines:
        name = line.removeprefix("--").partition("=")[0].replace("_", "-")
        bare = without_prefix(name)
        if not bare.startswith("rocksdb") or is_known(bare, known):
            continue
        if name.startswith("loose-"):
            found.append(Finding(f"{bare} in the option file has no effect any more"))
        else:
            text = f"{bare} in the option file is unknown: the server would not start"
            found.append(Finding(f"{text}; remove it, or write loose_ before it", bad=True))
    return found or [Finding("all options of the engine in the option file are known")]


def is_known(name: str, known: set[str]) -> bool:
    """Servers take beginnings of names that fit one option only. Those of the plugins of tables in
    INFORMATION_SCHEMA, which have no variables, are known when the plugin is."""
    return name in known or len([k for k in known if k.startswith(name)]) == 1


def without_prefix(name: str) -> str:
    for prefix in PREFIXES:
        name = name.removeprefix(prefix)
    return name


def store_of(datadir: Path, lines: list[str]) -> Path:
    for line in reversed(lines):
        name, _, value = line.removeprefix("--").partition("=")
        if without_prefix(name.replace("_", "-")) == "rocksdb-datadir" and value:
            return datadir / value
    return datadir / STORE


# --- the store's files


def look_at_store(store: Path) -> list[Finding]:
    if not store.is_dir():
        return [Finding(f"there is no {store}: no tables of MyRocks", bad=True)]
    found = [
        Finding(f"{store} has no {pattern}: it is no whole store", bad=True)
        for pattern in NEEDED
        if not list(store.glob(pattern))
    ]
    holder = lock_holder(store / "LOCK")
    if holder:
        text = f"process {holder} has the store open: stop the server first"
        found.append(Finding(text, bad=True))
    version = written_by(store)
    if version:
        found.append(Finding(f"last written with RocksDB {version}"))
    size = sum(f.stat().st_size for f in store.iterdir() if f.is_file())
    count = len(list(store.glob("*.sst")))
    found.append(Finding(f"{count} table files, {size / 1e6:,.1f} MB in all"))
    return found


def lock_holder(file: Path) -> int:
    """The process that has locked it; 0 without one. It is only asked for, not taken."""
    try:
        with open(file, "rb") as lock:
            question = struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0)
            answer = fcntl.fcntl(lock, fcntl.F_GETLK, question)
    except OSError:
        return 0
    kind, _, _, _, process = struct.unpack("hhqqi4x", answer)
    return 0 if kind == fcntl.F_UNLCK else process


def written_by(store: Path) -> str:
    """The version in the newest file of options."""
    files = sorted(store.glob("OPTIONS-[0-9]*"), key=lambda file: int(file.name.split("-")[1]))
    if not files:
        return ""
    found = re.search(r"^\s*rocksdb_version=(\S+)", files[-1].read_text(errors="replace"), re.M)
    return found[1] if found else ""
