# SPDX-License-Identifier: GPL-2.0-only
"""What a statement costs through Spider, beside the same on the shard itself. Prints ratios, and
judges none: they are the figures of docs/operate/shards.md."""

import subprocess
from statistics import median

import psutil

from tests.cluster.spider_nodes import (
    PASSWORD,
    USER,
    Sharded,
    execute,
    host_of,
    partition,
)
from tests.kit.replicas.node import DATABASE, Node
from tools import paths
from tools.errors import DevError

ROWS = 20_000
COST = "id BIGINT UNSIGNED PRIMARY KEY, n INT NOT NULL, note VARCHAR(100), KEY (n)"
INSERT = "INSERT INTO {} VALUES (UUID_SHORT(), 7, REPEAT('x', 80));"
TURNS, STATEMENTS = 3, 1000
CLIENTS = (1, 4)


class SpiderCost(Sharded):
    NAME = "spider cost"
    only_long = True
    through_gates = False

    def play(self) -> None:
        self.start_all(2)
        parts = [partition(f"p{n}", shard) for n, shard in enumerate(self.shards)]
        self.create("cost", COST, "KEY (id)", parts)
        # the other side of each comparison: one shard has all rows
        execute(self.shards[0], f"CREATE TABLE direct ({COST})")
        fill = f"SELECT seq, seq % 100, REPEAT('y', 80) FROM seq_1_to_{ROWS}"
        execute(self.spider, f"INSERT INTO cost {fill}")
        execute(self.shards[0], f"INSERT INTO direct {fill}")
        for clients in CLIENTS:
            self.rows(clients)

    def rows(self, clients: int) -> None:
        shard, spider = self.shards[0], self.spider
        point = "SELECT note FROM {} WHERE id = %d;"
        two = "BEGIN;" + INSERT * 2 + "COMMIT;"
        xa = "SET spider_internal_xa = ON;" + two
        self.compare("point read", clients, (shard, "direct"), (spider, "cost"), point)
        self.compare("insert", clients, (shard, "direct"), (spider, "cost"), INSERT)
        self.compare("two inserts", clients, (shard, "direct"), (spider, "cost"), two, 4)
        self.compare("the same with XA", clients, (shard, "direct"), (spider, "cost"), two, 4, xa)

    def compare(self, what, clients, direct, sharded, text, share=1, other="") -> None:
        """In turns, one after the other. Of times the median; processor time of all servers, which
        hardly depends on what else the machine does."""
        count = STATEMENTS // share
        seconds: list[list[float]] = [[], []]
        used = [0.0, 0.0]
        sides = ((*direct, text), (*sharded, other or text))
        for _ in range(TURNS):
            for side, (node, table, sql) in enumerate(sides):
                before = self.processor_seconds()
                lines = statements(sql.replace("{}", table), count)
                seconds[side].append(self.seconds(node, lines, clients))
                used[side] += self.processor_seconds() - before
        here, there = (median(turns) for turns in seconds)
        each = [1e6 * total / (TURNS * count * clients) for total in used]
        line = f"{what}, {clients} clients: {1e6 * here / count:.0f} us direct"
        line += f", {1e6 * there / count:.0f} us by Spider: {there / here:.1f} times the time"
        line += f"; processor time {each[0]:.0f} and {each[1]:.0f} us"
        self.step([], line)

    def processor_seconds(self) -> float:
        times = [psutil.Process(node.server.pid).cpu_times() for node in self.nodes]
        return sum(time.user + time.system for time in times)

    def seconds(self, node: Node, text: str, clients: int) -> float:
        """By mariadb-slap, over TCP in both cases; each client runs all statements."""
        file = self.folder / "statements.sql"
        file.write_text(text)
        command = [
            paths.client("mariadb-slap"),
            "--no-defaults",
            f"--host={host_of(node)}",
            f"--port={node.server.port}",
            f"--user={USER}",
            f"--password={PASSWORD}",
            f"--create-schema={DATABASE}",
            f"--query={file}",
            "--delimiter=;",
            f"--concurrency={clients}",
            "--iterations=1",
            "--no-drop",
            "--csv",
        ]
        done = subprocess.run(command, capture_output=True, text=True)
        fields = done.stdout.strip().split(",")
        if done.returncode or len(fields) < 3:
            raise DevError(f"mariadb-slap: {done.stdout}{done.stderr}")
        return float(fields[2])


def statements(text: str, count: int) -> str:
    if "%d" not in text:
        return text * count
    return "".join(text % (n * 7919 % ROWS + 1) for n in range(count))
