# SPDX-License-Identifier: GPL-2.0-only
"""Transactions over two shards of Spider, with a kill of a shard or of the Spider node before or
after each message of the commit. Recovery is done by the statements of docs/operate/shards.md.
Afterwards a transaction is on both shards or on none, and one that was acknowledged is on both."""

from dataclasses import dataclass
from itertools import product

import pymysql

from tests.cluster.spider_gate import Gate, Stop
from tests.cluster.spider_nodes import Sharded, execute, partition
from tests.cluster.spider_recovery import recorded, recover
from tests.kit.clients.client import Problem
from tests.kit.replicas.node import Node

SPLIT = 1_000_000  # ids of the second shard begin here
HALF = (
    f"SELECT COUNT(*) FROM pair a LEFT JOIN pair b ON b.id = a.id + {SPLIT}"
    f" WHERE a.id < {SPLIT} AND b.id IS NULL"
)


@dataclass(frozen=True)
class Case:
    user_xa: bool  # XA START ... by the client; else BEGIN ... with spider_internal_xa
    statement: str
    after: bool
    shard: int
    kills_spider: bool  # else that shard

    def __str__(self) -> str:
        kind = "user XA" if self.user_xa else "internal XA"
        victim = "Spider" if self.kills_spider else "the shard"
        when = "after" if self.after else "before"
        return f"{kind}, {victim} killed {when} '{self.statement}' of shard {self.shard}"


ALL = [
    Case(*values)
    for values in product(
        (False, True), ("xa end", "xa prepare", "xa commit"), (False, True), (0, 1), (False, True)
    )
]
SHORT = [
    Case(False, "xa commit", True, 0, True),
    Case(False, "xa commit", False, 1, False),
    Case(True, "xa prepare", True, 1, True),
    Case(True, "xa commit", True, 0, True),
    Case(True, "xa commit", False, 1, False),
]


class SpiderXa(Sharded):
    NAME = "spider xa"

    def play(self) -> None:
        self.start_all(2)
        parts = [
            partition("p0", self.shards[0], f"VALUES LESS THAN ({SPLIT})"),
            partition("p1", self.shards[1], "VALUES LESS THAN MAXVALUE"),
        ]
        self.create("pair", "id INT PRIMARY KEY", "RANGE (id)", parts)
        self.number, self.half_before = 0, 0
        cases = ALL if self.long else [*SHORT, self.rng.choice(ALL)]
        for case in cases:
            self.step(self.kill(case), str(case))
        text = f"{self.half_before} of {len(cases)} were visible by half before the recovery"
        print(f"   {self.NAME}: {text}")
        self.step(self.compare_all(), f"{len(cases)} transactions, by Spider none by half")

    def gate(self, shard: int) -> Gate:
        return self.gates[self.shards[shard].number]

    # --- kills

    def kill(self, case: Case) -> list[Problem]:
        """One transaction, with the kill in it, the recovery, and what is there then."""
        self.number += 1
        victim = self.spider if case.kills_spider else self.shards[case.shard]
        gate = self.gate(case.shard)
        gate.arm(Stop(case.statement, case.after, victim.server.kill))
        prepared, committed = self.transaction(case.user_xa)
        reached = gate.done.wait(30)
        gate.disarm()
        if not reached:
            return [Problem("broken", f"{case}: Spider has not sent the statement")]
        self.restart(victim)
        self.half_before += execute(self.spider, HALF)[0][0]
        recover(self.spider, self.shards, {self.xid()} if prepared else set())
        return self.check(case, prepared or committed, committed)

    def transaction(self, user_xa: bool) -> tuple[bool, bool]:
        """Whether the client heard that it is prepared, and that it is committed. A client with
        XA of its own commits what is prepared, whatever happens then."""
        begin, end = ["SET spider_internal_xa = ON", "BEGIN"], ["COMMIT"]
        if user_xa:
            begin = [f"XA START '{self.xid()}'"]
            end = [f"XA {verb} '{self.xid()}'" for verb in ("END", "PREPARE", "COMMIT")]
        rows = [f"INSERT INTO pair VALUES ({self.number + n})" for n in (0, SPLIT)]
        done = ""
        link = self.spider.connect()
        try:
            with link.cursor() as cursor:
                for sql in [*begin, *rows, *end]:
                    cursor.execute(sql)
                    done = sql
        except (pymysql.Error, OSError):
            pass
        finally:
            link._force_close()
        return done.startswith(("XA PREPARE", "XA COMMIT")), done == end[-1]

    def xid(self) -> str:
        return f"x{self.number}"

    def restart(self, victim: Node) -> None:
        if victim is self.spider:
            self.start_spider()
        else:
            self.start_shard(victim)

    def check(self, case: Case, must: bool, acknowledged: bool) -> list[Problem]:
        found = []
        there = [
            execute(node, f"SELECT COUNT(*) FROM pair WHERE id = {self.number + n * SPLIT}")[0][0]
            for n, node in enumerate(self.shards)
        ]
        if there[0] != there[1]:
            found.append(Problem("half", f"{case}: rows on the shards: {there}"))
        elif must and not there[0]:
            found.append(Problem("lost", f"{case}: acknowledged: {acknowledged}, and not there"))
        for node in (*self.shards, self.spider):
            if left := node.prepared():
                found.append(Problem("broken", f"{case}: {left} prepared on {node.number}"))
        if left := recorded(self.spider):
            found.append(Problem("broken", f"{case}: {left} in mysql.spider_xa"))
        return found

    def compare_all(self) -> list[Problem]:
        """Through Spider too."""
        if half := execute(self.spider, HALF)[0][0]:
            return [Problem("half", f"{half} transactions")]
        return []
