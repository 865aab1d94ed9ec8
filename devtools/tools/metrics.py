# SPDX-License-Identifier: GPL-2.0-only
"""The exporter of Prometheus: each counter of the engine arrives, as a number, and those that a
load must move do move."""

import contextlib
import re
import subprocess
import time
import urllib.request

from devtools.crash.client import Problem
from devtools.replication.node import Broken, free_port
from devtools.setup import tools
from devtools.tools.copied import Copied

PREFIX = "mysql_global_status_rocksdb_"
# what this load moves for certain, of what dashboards of MyRocks read
MOVING = [
    "bytes_read",
    "bytes_written",
    "number_keys_read",
    "number_keys_written",
    "memtable_hit",
    "memtable_miss",
    "block_cache_add",
    "block_cache_hit",
    "block_cache_miss",
    "number_db_seek",
    "number_db_next",
    "wal_bytes",
    "wal_synced",
    "rows_inserted",
    "rows_updated",
    "rows_deleted",
    "rows_read",
]


class Metrics(Copied):
    NAME = "metrics"

    def play(self) -> None:
        self.begin()
        self.primary.one("SET GLOBAL rocksdb_force_flush_memtable_now=1")
        with self.exporter() as address:
            before = self.scrape(address)
            self.under_load(lambda: self.primary.one("SELECT SUM(LENGTH(text)) FROM rpl.filler"))
            after = self.scrape(address)
        self.step(self.arrived(before), f"mysqld_exporter: {len(before)} counters as numbers")
        here = [name for name in MOVING if name in before]
        still = [name for name in here if after[name] <= before[name]]
        found = (
            [Problem("broken", f"counters that the load does not move: {still}")] if still else []
        )
        self.step(found, f"mysqld_exporter: {len(here)} counters move under load")

    @contextlib.contextmanager
    def exporter(self):
        address = f"127.0.0.1:{free_port()}"
        environment = tools.environment()
        environment["DATA_SOURCE_NAME"] = f"root@unix({self.primary.server.socket})/"
        with open(self.log("exporter"), "w") as log:
            process = subprocess.Popen(
                [tools.program("prometheus-mysqld-exporter"), f"--web.listen-address={address}"],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        try:
            yield address
        finally:
            process.terminate()
            process.wait()

    def scrape(self, address: str) -> dict[str, float]:
        """Counters of the engine by their names without prefix."""
        deadline = time.monotonic() + 20
        while True:
            try:
                with urllib.request.urlopen(f"http://{address}/metrics", timeout=10) as answer:
                    text = answer.read().decode()
                break
            except OSError as error:
                if time.monotonic() > deadline:
                    raise Broken(f"the exporter does not answer: {error}") from error
                time.sleep(0.1)
        pattern = rf"^{PREFIX}(\w+)(?:\{{[^}}]*\}})? (\S+)$"
        return {name: float(value) for name, value in re.findall(pattern, text, re.M)}

    def arrived(self, scraped: dict[str, float]) -> list[Problem]:
        """The exporter drops what is no number, without a word."""
        status = self.primary.server.query("SHOW GLOBAL STATUS LIKE 'rocksdb\\_%'")
        names = {name.lower().removeprefix("rocksdb_") for name, _ in status}
        missing = sorted(names - scraped.keys())
        if not names:
            return [Problem("broken", "the server shows no counter of the engine")]
        return [Problem("broken", f"counters that do not arrive: {missing}")] if missing else []
