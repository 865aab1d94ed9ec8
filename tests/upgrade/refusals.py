# SPDX-License-Identifier: GPL-2.0-only
"""Directories that cannot be served: the server names the reason and no byte of the store
changes."""

import hashlib
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.upgrade.pair import Link, new_server
from tools import paths
from tools.errors import DevError

TABLE = "0x00000001642e74"  # the dictionary's record of d.t
PRIMARY = "0x000000020000000000000100"  # of its primary key, index 256


@dataclass
class Case:
    """`damage` changes the store's directory; `reason` must be in the error log. `override`:
    server options with which it must start all the same."""

    name: str
    damage: Callable[[Path], None]
    reason: str
    override: str = ""


def put(key: str, value: str) -> Callable[[Path], None]:
    """Writes a record of the dictionary with the stock package's own tool."""

    def damage(store: Path) -> None:
        tool = [str(paths.client("mariadb-ldb")), f"--db={store}", "--column_family=__system__"]
        done = subprocess.run([*tool, "--hex", "put", key, value], capture_output=True, text=True)
        if done.returncode != 0 or "OK" not in done.stdout:
            raise DevError(f"mariadb-ldb: {done.stdout}{done.stderr}")

    return damage


def newest(store: Path, pattern: str) -> Path:
    return max(store.glob(pattern))


def later_rocksdb(store: Path) -> None:
    file = newest(store, "OPTIONS-*")
    file.write_text(file.read_text().replace("rocksdb_version=6.29.5", "rocksdb_version=90.1.0"))


def other_merge_operator(store: Path) -> None:
    file = newest(store, "OPTIONS-*")
    file.write_text(file.read_text().replace("=Rdb_system_merge_op", "=Some_other_merge"))


def other_comparator(store: Path) -> None:
    """The manifest holds the name; one of the same length keeps everything but a checksum."""
    file = newest(store, "MANIFEST-*")
    file.write_bytes(file.read_bytes().replace(b"RocksDB_SE_v3.10", b"RocksDB_SE_v9.10"))


def cut(pattern: str) -> Callable[[Path], None]:
    def damage(store: Path) -> None:
        file = newest(store, pattern)
        file.write_bytes(file.read_bytes()[:-7])

    return damage


def remove(pattern: str) -> Callable[[Path], None]:
    return lambda store: newest(store, pattern).unlink()


CASES = [
    Case("table record", put(TABLE, "0x0001"), "no list of indexes"),
    Case("table record of a later version", put(TABLE, "0x0002" + "00" * 8), "version 2"),
    Case("table without its index", put(TABLE, "0x00010000000000000999"), "no record"),
    Case("index record", put(PRIMARY, "0x000601"), "cut off"),
    Case("later index record", put(PRIMARY, "0x0008" + "00" * 15), "version 8"),
    Case("layout of rows", put(PRIMARY, "0x000701000d" + "00" * 12), "time to live is cut off"),
    Case("later row format", put(PRIMARY, "0x000601ffff" + "00" * 12), "newer than"),
    Case("later index flags", put(PRIMARY, "0x000601000d00000008" + "00" * 8), "flags"),
    Case("column family record", put("0x0000000300000000", "0x00010000"), "bytes, not 6"),
    Case("reversed column family", put("0x0000000300000000", "0x000100000001"), "contradicts"),
    Case("drop of an index in use", put("0x000000050000000000000100", "0x0001"), "as dropped"),
    Case("highest number", put("0x00000007", "0x00"), "bytes, not 6"),
    Case("build record", put("0x0000000800", "0x0001"), "wrong length"),
    Case("later RocksDB", later_rocksdb, "newer than this plugin's"),
    Case("merge operator", other_merge_operator, "Some_other_merge"),
    Case("manifest", other_comparator, "orruption"),
    Case("table file cut off", cut("*.sst"), "size"),
    Case("table file missing", remove("*.sst"), "No such file"),
    Case("manifest missing", remove("MANIFEST-*"), "MANIFEST"),
    Case(
        "marked as damaged",
        lambda store: (store / "ROCKSDB_CORRUPTED").write_text("x"),
        "rocksdb_allow_to_start_after_corruption",
        "--rocksdb-allow-to-start-after-corruption=ON",
    ),
]


class Refusals:
    """All cases on copies of one small directory of the stock plugin."""

    def __init__(self, folder: Path, report):
        self.folder, self.report = folder, report
        self.problems: list[str] = []

    def run(self) -> None:
        base = self.folder / "base"
        self.make(base)
        for case in CASES:
            for problem in self.try_case(base, case):
                self.problems.append(f"{case.name}: {problem}")
        self.report(f"{len(CASES)} damaged directories refused, byte for byte as they were")

    def make(self, base: Path) -> None:
        with new_server(base, "myrocks") as server, Link(server) as link:
            link.execute("CREATE DATABASE d")
            link.execute("USE d")
            link.execute("CREATE TABLE d.t (a INT PRIMARY KEY, b INT, KEY (b)) ENGINE=ROCKSDB")
            link.execute("INSERT INTO d.t SELECT seq, seq FROM seq_1_to_100")
            link.execute("SET GLOBAL rocksdb_force_flush_memtable_now=1")
            link.execute("INSERT INTO d.t VALUES (1000, 1000)")

    def try_case(self, base: Path, case: Case) -> list[str]:
        folder = self.folder / "case"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(base, folder)
        store = folder / "#rocksdb"
        case.damage(store)
        before = fingerprint(store)
        problems = []
        text = self.start(folder)
        if text is None:
            problems.append("the server has started")
        elif case.reason not in text:
            problems.append(f"the log does not say '{case.reason}': {text[-600:]}")
        if fingerprint(store) != before:
            changed = set(fingerprint(store).items()) ^ set(before.items())
            problems.append(f"files have changed: {sorted(name for name, _ in changed)}")
        if case.override and self.start(folder, case.override) is not None:
            problems.append(f"it does not start with {case.override}")
        return problems

    def start(self, folder: Path, *options: str) -> str | None:
        """What the log says when the server does not start; None when it does."""
        server = new_server(folder, "rocksdb", options)
        try:
            server.start()
        except DevError:
            return server.log_tail(200)
        server.stop()
        return None


def fingerprint(store: Path) -> dict[str, tuple[int, str]]:
    """Time of the last change and contents of every file."""
    return {
        file.name: (file.stat().st_mtime_ns, hashlib.sha256(file.read_bytes()).hexdigest())
        for file in store.iterdir()
        if file.is_file()
    }
