# SPDX-License-Identifier: GPL-2.0-only
"""`check` of a data directory that stock MyRocks has written."""

import hashlib
from pathlib import Path

from tests.kit.check import Check, expect, expect_in
from tests.migrate.program import Migrate, expect_same
from tools import paths
from tools.server import PrivateServer


class Opened:
    def __init__(self, folder: Path, template: Path, program: Migrate):
        self.folder = folder
        self.server = PrivateServer(template, "myrocks")
        self.program = program

    def checks(self) -> list[Check]:
        return [
            Check("check: a server that runs", self.running),
            Check("check: a stopped one, and no byte changes", self.stopped),
            Check("check: options that Basalt does not know", self.options),
            Check("check: a plugin that does not load; no store", self.refused),
        ]

    def check(self, status: int, *lines: str, plugins: Path | None = None, datadir="") -> str:
        file = self.folder / "server.cnf"
        file.write_text("[mysqld]\n" + "".join(f"{line}\n" for line in lines))
        told = self.program.told(
            status,
            "check",
            str(datadir or self.server.datadir),
            f"--defaults-file={file}",
            f"--plugin-dir={plugins or paths.plugin_dir()}",
            f"--server={paths.mariadbd()}",
        )
        return "\n".join(finding["text"] for finding in told["findings"])

    def running(self) -> None:
        with self.server:
            self.server.sql("CREATE DATABASE d; CREATE TABLE d.t (id INT PRIMARY KEY);"
                            " INSERT INTO d.t VALUES (1)")  # fmt: skip
            text = f"process {self.server.pid} has the store open: stop the server first"
            expect_in(text, self.check(1), "findings")

    def stopped(self) -> None:
        before = self.bytes()
        found = self.check(0, "rocksdb_block_cache_size=64M", "innodb_buffer_pool_size=64M")
        for part in ("loads in this server", "known", "last written with RocksDB 6.29"):
            expect_in(part, found, "findings")
        expect_same(self.bytes(), before, "the store's bytes")

    def options(self) -> None:
        found = self.check(
            1,
            "rocksdb_no_such_thing=1",
            "loose-rocksdb-another=1",
            "loose_rocksdb_block_cache_size=64M",
        )
        expect_in("rocksdb-no-such-thing in the option file is unknown", found, "findings")
        expect_in("rocksdb-another in the option file has no effect", found, "findings")
        expect("block-cache-size" not in found, found)

    def refused(self) -> None:
        plugins = self.folder / "plugins"
        plugins.mkdir()
        (plugins / "ha_rocksdb.so").write_bytes(b"\x7fELF")
        expect_in("ha_rocksdb.so does not load: ", self.check(1, plugins=plugins), "findings")
        empty = self.folder / "empty"
        empty.mkdir()
        expect_in("no tables of MyRocks", self.check(1, datadir=empty), "findings")
        self.program.refused(2, "there is no directory /no/such", "check", "/no/such",
                             f"--plugin-dir={plugins}")  # fmt: skip

    def bytes(self) -> dict[str, str]:
        store = self.server.datadir / "#rocksdb"
        return {f.name: hashlib.sha256(f.read_bytes()).hexdigest() for f in store.iterdir()}
