# SPDX-License-Identifier: GPL-2.0-only
"""A Spider node and its shards: what all scenarios about shards share.

Each shard has an address of the loopback interface of its own, as shards have on a network. Spider
needs that: two members of one XA transaction on one address are refused (error 12606)."""

import time
from collections.abc import Callable, Iterable
from pathlib import Path

from tests.cluster.spider_gate import Gate
from tests.kit.replicas.node import DATABASE, Broken, Node
from tests.kit.replicas.scenario import Scenario
from tools import paths
from tools.setup import spider

SPIDER, FIRST_SHARD = 1, 11
USER, PASSWORD = "spider", "secret"
# as the page says: without the first two some answers are wrong, without the third each transaction
# makes new connections to the shards
SPIDER_OPTIONS = (
    "--plugin-load-add=ha_spider.so",
    "--loose-spider-disable-group-by-handler=ON",
    "--loose-spider-direct-aggregate=OFF",
    "--loose-spider-conn-recycle-mode=2",
    "--loose-rocksdb-lock-wait-timeout=10",
)
SHARD_OPTIONS = ("--loose-rocksdb-lock-wait-timeout=10", "--binlog-format=ROW")


class Sharded(Scenario):
    """Subclasses call start_all() first."""

    needs_spider = True
    through_gates = True

    def start_all(self, shards: int) -> None:
        self.gates: dict[int, Gate] = {}  # by the number of the node behind
        self.shards = [self.shard(FIRST_SHARD + n) for n in range(shards)]
        self.spider = self.node(SPIDER, binlog=False)
        self.spider.server.plugin_dir = plugin_folder(self.folder / "plugins")
        self.start_spider()
        self.add_user(self.spider)
        for node in self.shards:
            host, port = self.address(node)
            self.spider.one(create_server(name(node), host, port))

    def shard(self, number: int) -> Node:
        node = self.node(number, binlog=True)
        self.start_shard(node)
        self.add_user(node)
        return node

    def add_user(self, node: Node) -> None:
        node.server.sql(
            f"CREATE USER {USER}@'127.%' IDENTIFIED BY '{PASSWORD}';"
            f"GRANT ALL ON {DATABASE}.* TO {USER}@'127.%';"
            f"GRANT REPLICATION SLAVE ON *.* TO {USER}@'127.%'"
        )

    def start_shard(self, node: Node) -> None:
        own = (f"--bind-address={host_of(node)}", f"--gtid-domain-id={node.number}")
        node.start(*own, *SHARD_OPTIONS)

    def start_spider(self) -> None:
        self.spider.start(*SPIDER_OPTIONS)

    def run(self) -> None:
        super().run()
        for gate in self.gates.values():
            gate.close()

    def address(self, node: Node) -> tuple[str, int]:
        """Where Spider finds a shard."""
        if not self.through_gates:
            return host_of(node), node.server.port
        self.gates[node.number] = Gate(host_of(node), (host_of(node), node.server.port))
        return host_of(node), self.gates[node.number].port

    def create(self, table: str, definition: str, keys: str, partitions: Iterable[str]) -> None:
        """A table on every shard, and on the Spider node the table that leads to them."""
        for node in self.shards:
            execute(node, f"CREATE TABLE {table} ({definition})")
        execute(self.spider, spider_table(table, definition, keys, partitions))


def plugin_folder(folder: Path) -> Path:
    """A plugin folder with our engine and Spider."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in (paths.plugin(), spider.plugin()):
        (folder / file.name).symlink_to(file)
    return folder


def name(node: Node) -> str:
    """Of the shard in CREATE SERVER."""
    return f"shard{node.number - FIRST_SHARD}"


def host_of(node: Node) -> str:
    return f"127.0.0.{node.number}"


def create_server(server: str, host: str, port: int) -> str:
    return (
        f"CREATE SERVER {server} FOREIGN DATA WRAPPER mysql OPTIONS (HOST '{host}', PORT {port},"
        f" DATABASE '{DATABASE}', USER '{USER}', PASSWORD '{PASSWORD}')"
    )


def spider_table(
    table: str, definition: str, keys: str, partitions: Iterable[str], remote: str = ""
) -> str:
    """`remote`: its name on the shards, if that is another one."""
    return (
        f"CREATE TABLE {table} ({definition}) ENGINE=SPIDER"
        f""" COMMENT='wrapper "mysql", table "{remote or table}"'"""
        f" PARTITION BY {keys} ({', '.join(partitions)})"
    )


def partition(part: str, shard: Node | str, values: str = "") -> str:
    server = shard if isinstance(shard, str) else name(shard)
    return f"""PARTITION {part} {values} COMMENT='srv "{server}"'"""


def execute(node: Node, statement: str, database: str = DATABASE) -> list[tuple]:
    """Rows of one statement on a connection of its own."""
    with node.connect(database) as link, link.cursor() as cursor:
        cursor.execute(statement)
        return list(cursor.fetchall()) if cursor.description else []


def wait_until(condition: Callable[[], bool], what: str, seconds: float = 60.0) -> None:
    """Asks again and again; Broken when the time is over."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise Broken(f"{what}: not after {seconds:.0f} s")
        time.sleep(0.02)
