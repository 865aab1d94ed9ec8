# SPDX-License-Identifier: GPL-2.0-only
"""Load, kill -9, restart, check, again. One Harness is one data directory under one server setting
(binary log on or off: a crash with it on cannot be recovered with it off)."""

import threading
import time
from pathlib import Path
from random import Random

from tests.kit.clients.all_clients import check_clients
from tests.kit.clients.articles import Articles
from tests.kit.clients.bank import Bank
from tests.kit.clients.client import Client, Problem
from tests.kit.clients.events import Events
from tests.kit.clients.family import Family
from tests.kit.clients.large import Large
from tests.kit.clients.ledger import Counter, Ledger, TwoEngines
from tests.kit.clients.places import Places
from tests.kit.clients.prepared import Prepared
from tests.kit.clients.scratch import Scratch
from tools.errors import DevError
from tools.server import PrivateServer

CLASSES = [
    *(Ledger, Ledger, Counter, Bank, Bank, Bank, Events, Prepared, Large, Scratch, TwoEngines),
    *(Family, Places, Articles),
]
COMMON = [
    "--innodb-flush-log-at-trx-commit=2",
    "--innodb-lock-wait-timeout=1",
    "--default-tmp-storage-engine=MyISAM",
    "--character-set-server=utf8mb4",
]
# rotation, and with it checkpoint requests to the engines, every moment
BINLOG = ["--log-bin=binlog", "--server-id=1", "--binlog-format=ROW", "--max-binlog-size=262144"]
ENGINE_OPTIONS = {
    "rocksdb": ["--rocksdb-lock-wait-timeout=1", "--rocksdb-spill-threshold=262144"],
    "myrocks": ["--rocksdb-lock-wait-timeout=1"],
    "innodb": [],
}


class Harness:
    classes: list[type[Client]] = CLASSES
    server_kind: type[PrivateServer] = PrivateServer
    double_kill_share = 0.2  # of restarts, which are killed too

    def __init__(self, folder: Path, engine: str, binlog: bool, seed: int, seconds: float):
        self.rng = Random(seed)
        self.engine, self.binlog, self.seconds = engine, binlog, seconds
        self.server = self.server_kind(folder, engine, self.options(), start_timeout=90)
        self.clients: list[Client] = [
            kind(number, seed, self.connect) for number, kind in enumerate(self.classes)
        ]
        for client in self.clients:
            client.binlog = binlog
        self.kills = self.double_kills = 0
        self.problems: list[Problem] = []

    def options(self) -> list[str]:
        """The server's options; some are drawn anew for each start."""
        options = COMMON + ENGINE_OPTIONS[self.engine]
        if self.binlog:
            options += BINLOG + [f"--sync-binlog={self.rng.choice([0, 1])}"]
        if self.engine != "innodb":
            # 2 hands the log to the operating system, which a kill of the process leaves alive
            level = self.rng.choice([1, 2])
            options.append(f"--rocksdb-flush-log-at-trx-commit={level}")
            buffers = self.rng.choice([0, 0, 4 << 20])
            options.append(f"--rocksdb-db-write-buffer-size={buffers}")
        return options

    def connect(self):
        return self.server.connect("crash", ssl_disabled=True, read_timeout=60, connect_timeout=10)

    def prepare(self) -> None:
        self.server.start()
        with self.server.connect() as link, link.cursor() as cursor:
            cursor.execute("CREATE DATABASE crash")
            cursor.execute("USE crash")
            for kind in dict.fromkeys(self.classes):
                client = next(c for c in self.clients if type(c) is kind)
                for sql in client.create():
                    cursor.execute(sql)

    def round(self) -> str:
        """One load, kill, restart and check; returns a line about it."""
        before = [sum(getattr(c.counts, n) for c in self.clients) for n in COUNTED]
        self.load_and_kill()
        restart = self.restart()
        started = time.monotonic()
        found = self.check()
        self.problems += found
        after = [sum(getattr(c.counts, n) for c in self.clients) for n in COUNTED]
        acknowledged, in_flight, whole = (b - a for a, b in zip(before, after, strict=True))
        line = f"{acknowledged} acknowledged, {in_flight} in flight ({whole} of them whole)"
        line += f", restart {restart:.1f} s, check {time.monotonic() - started:.1f} s"
        return line + "".join(f"\n      {p}" for p in found)

    def load_and_kill(self) -> None:
        threads = self.start_load(self.clients)
        time.sleep(self.rng.uniform(0.2, 2 * self.seconds - 0.2))
        died = not self.server.running()
        self.kill_under_load(threads)
        if died:
            text = "the server died by itself\n" + self.server.log_tail(40)
            self.problems.append(Problem("broken", text))

    def start_load(self, clients: list[Client]) -> list[threading.Thread]:
        threads = []
        for client in clients:
            client.stop.clear()
            threads.append(threading.Thread(target=client.run, daemon=True))
        for thread in threads:
            thread.start()
        return threads

    def kill_under_load(self, threads: list[threading.Thread]) -> None:
        """Returns when the clients have noticed."""
        self.server.kill()
        self.kills += 1
        for client in self.clients:
            client.stop.set()
        for thread in threads:
            thread.join(90)

    def restart(self) -> float:
        """Starts the server again, sometimes killing that start too; returns the seconds taken."""
        self.server.options = self.options()
        if self.rng.random() < self.double_kill_share:
            self.kill_start()
        started = time.monotonic()
        self.server.start()
        return time.monotonic() - started

    def kill_start(self) -> None:
        self.server.start(wait=False)
        time.sleep(self.rng.uniform(0.02, 0.6))
        self.server.kill()
        self.double_kills += 1

    def finish(self) -> list[Problem]:
        """After the last round; the server is stopped."""
        self.server.stop()
        return []

    def check(self) -> list[Problem]:
        try:
            with self.connect() as link:
                return check_clients(self.clients, link, "crash")
        except Exception as error:
            if self.server.running():
                raise
            raise DevError(f"the server died in a check\n{self.server.log_tail()}") from error

    def total(self, name: str) -> int:
        return sum(getattr(c.counts, name) for c in self.clients)


COUNTED = ("acknowledged", "in_flight", "in_flight_whole")
