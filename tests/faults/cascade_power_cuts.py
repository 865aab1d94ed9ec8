# SPDX-License-Identifier: GPL-2.0-only
"""The machine dies while clients write rows with foreign keys: cascades, parents that many want at
the same time, prepared XA transactions over both. One writes geometries under a SPATIAL index, one
texts under a FULLTEXT index.
Afterwards what was acknowledged is there, a cascade is there whole or not at all, no row is without
its parent, and indexes are those of the rows."""

import threading
import time
from random import Random

from tests.faults.full_disk import expect
from tests.kit.clients.all_clients import check_clients
from tests.kit.clients.articles import Articles
from tests.kit.clients.client import Client
from tests.kit.clients.family import Family
from tests.kit.clients.places import Places
from tests.kit.clients.prepared_family import PreparedFamily
from tests.kit.clients.rival import Rival
from tests.kit.loop_disk import LoopDisk
from tools.server import PrivateServer

CUTS, LONG_CUTS = 2, 50
LONGEST = 2.0  # seconds until a cut
CLASSES = (Family, Family, Rival, Rival, Rival, PreparedFamily, Places, Articles)
DATABASE = "cascades"
# each acknowledged transaction is on the disk
OPTIONS = ("--rocksdb-flush-log-at-trx-commit=1", "--rocksdb-lock-wait-timeout=1")
BINARY_LOG = ("--log-bin=log", "--server-id=1", "--sync-binlog=1")


class CascadePowerCuts:
    """Of one server on a disk whose power can be cut; it must run, but for prepare()."""

    def __init__(self, disk: LoopDisk, binary_log: bool, seed: int):
        options = (*OPTIONS, *BINARY_LOG) if binary_log else OPTIONS
        self.server = PrivateServer(disk.path / "data", "rocksdb", options)
        self.rng = Random(seed)
        self.clients: list[Client] = [
            kind(number, seed, self.connect) for number, kind in enumerate(CLASSES)
        ]

    def connect(self):
        return self.server.connect(DATABASE, read_timeout=60)

    def prepare(self) -> None:
        self.server.start()
        with self.server.connect() as link, link.cursor() as cursor:
            cursor.execute(f"CREATE DATABASE {DATABASE}")
            cursor.execute(f"USE {DATABASE}")
            for kind in dict.fromkeys(CLASSES):
                client = next(c for c in self.clients if type(c) is kind)
                for sql in client.create():
                    cursor.execute(sql)

    def cut(self, server: PrivateServer, disk: LoopDisk) -> str:
        """What was tried. Raises AssertionError when something is lost, half or without a
        parent."""
        before = self.total("acknowledged")
        threads = [threading.Thread(target=client.run, daemon=True) for client in self.clients]
        for client in self.clients:
            client.stop.clear()
        for thread in threads:
            thread.start()
        time.sleep(self.rng.uniform(0.1, LONGEST))
        disk.cut_power(server)
        for client in self.clients:
            client.stop.set()
        for thread in threads:
            thread.join()
        server.start()
        with self.connect() as link:
            problems = check_clients(self.clients, link, DATABASE)
        expect(not problems, "; ".join(map(str, problems)))
        return f"{self.total('acknowledged') - before} acknowledged"

    def total(self, name: str) -> int:
        return sum(getattr(client.counts, name) for client in self.clients)

    def told(self) -> str:
        """Of all cuts."""
        waits = sum(client.waits for client in self.clients if isinstance(client, PreparedFamily))
        return (
            f"{self.total('acknowledged')} acknowledged, {self.total('in_flight')} in flight"
            f" ({self.total('in_flight_whole')} of them whole), {waits} statements had to wait for"
            " a prepared transaction"
        )
