# SPDX-License-Identifier: GPL-2.0-only
"""What stock Spider does wrong, or does not do: the smallest case of each line of that table in
docs/operate/shards.md. A case that fails here says that Spider has changed, and the page must."""

import threading

import pymysql
from pymysql.constants import ER

from tests.cluster.spider_gate import Gate, Stop
from tests.cluster.spider_nodes import (
    Sharded,
    create_server,
    execute,
    host_of,
    partition,
    spider_table,
    wait_until,
)
from tests.cluster.spider_recovery import decide, prepared
from tests.kit.clients.client import Problem

TWO = "SELECT COUNT(*) FROM two"
BOTH = "INSERT INTO two (id) VALUES ({0}), (1{0})"  # a row on each shard: 1 to 9, and 11 to 19
XID_MEMBER_EXISTS = 12606  # 'This xid member already exists'


class Faults:
    def __init__(self, cluster: Sharded):
        self.cluster = cluster
        self.spider, self.shards = cluster.spider, cluster.shards[:2]
        self.gates = cluster.gates

    def play(self) -> None:
        step = self.cluster.step
        parts = [
            partition("p0", self.shards[0], "VALUES LESS THAN (10)"),
            partition("p1", self.shards[1], "VALUES LESS THAN MAXVALUE"),
        ]
        self.cluster.create("two", "id INT PRIMARY KEY, v INT", "RANGE (id)", parts)
        step(self.wrong_answers(), "fault: with its GROUP BY handler UNION loses rows")
        step(self.lost_counts(), "fault: aggregates counted by the shards lose rows")
        step(self.half_is_seen(), "fault: a reader sees a transaction by half while it commits")
        step(self.half_for_good(), "fault: without XA a shard that dies leaves half of one")
        step(self.forgotten(), "fault: XA COMMIT by another session says OK, and tells no shard")
        step(self.one_address(), "fault: no XA transaction over two shards on one address")
        step(self.nothing_moved(), "fault: ALTER TABLE .. REORGANIZE PARTITION copies no row")

    def expect(self, what: str, found, wanted) -> list[Problem]:
        if found == wanted:
            return []
        return [Problem("broken", f"{what}: {found} instead of {wanted}; has Spider changed?")]

    def wrong_answers(self) -> list[Problem]:
        """Where each table of a SELECT is on one shard, Spider sends it whole, and wrong."""
        execute(self.spider, "INSERT INTO two VALUES (1, 1), (11, 1), (12, 2)")
        union = "SELECT v FROM two WHERE id < 10 UNION SELECT v FROM two WHERE id >= 10"
        window = "SELECT RANK() OVER (PARTITION BY id ORDER BY id) FROM two t WHERE id < 10"
        rows, errors = [], []
        with self.spider.connect() as link, link.cursor() as cursor:
            for switch in ("ON", "OFF"):
                cursor.execute(f"SET spider_disable_group_by_handler = {switch}")
                rows.append(cursor.execute(union))
                try:
                    cursor.execute(window)
                except pymysql.Error as error:
                    errors.append((switch, error.args[0]))
        found = self.expect("rows of UNION", rows, [2, 1])
        found += self.expect("errors of OVER", errors, [("OFF", ER.BAD_FIELD_ERROR)])
        execute(self.spider, "DELETE FROM two")
        return found

    def lost_counts(self) -> list[Problem]:
        """With its count a shard sends the least value of each column of the WHERE. The server
        tests the WHERE on that row, which no table has."""
        execute(self.spider, "INSERT INTO two VALUES (1, 9), (2, 5)")
        counts = []
        with self.spider.connect() as link, link.cursor() as cursor:
            for switch in ("ON", "OFF"):
                cursor.execute(f"SET spider_direct_aggregate = {switch}")
                cursor.execute(f"{TWO} WHERE id = 2 OR v = 9")
                counts.append(cursor.fetchone()[0])
        execute(self.spider, "DELETE FROM two")
        return self.expect("COUNT(*) of two rows", counts, [0, 2])

    def half_is_seen(self) -> list[Problem]:
        """The second shard's XA COMMIT is held back while another session reads."""
        go_on = threading.Event()
        gate = self.gates[self.shards[1].number]
        gate.arm(Stop("xa commit", False, lambda: go_on.wait(60), passes=True))
        writer = threading.Thread(target=self.write, args=(1, True))
        writer.start()
        gate.reached.wait(60)
        during = execute(self.spider, TWO)[0][0]
        go_on.set()
        writer.join()
        return self.expect("rows seen", (during, execute(self.spider, TWO)[0][0]), (1, 2))

    def write(self, number: int, internal_xa: bool) -> int:
        """The number of the error of a COMMIT over both shards, or 0."""
        with self.spider.connect() as link, link.cursor() as cursor:
            cursor.execute(f"SET spider_internal_xa = {internal_xa}")
            cursor.execute("BEGIN")
            cursor.execute(BOTH.format(number))
            try:
                cursor.execute("COMMIT")
            except pymysql.Error as error:
                return error.args[0]
        return 0

    def half_for_good(self) -> list[Problem]:
        """Plain COMMITs go to one shard after the other; the second dies before its own."""
        before = execute(self.spider, TWO)[0][0]
        shard = self.shards[1]
        self.gates[shard.number].arm(Stop("commit", False, shard.server.kill))
        error = self.write(2, False)
        self.gates[shard.number].done.wait(30)
        self.cluster.start_shard(shard)
        after = execute(self.spider, TWO)[0][0]
        return self.expect("error, new rows", (error > 0, after - before), (True, 1))

    def forgotten(self) -> list[Problem]:
        with self.spider.connect() as link, link.cursor() as cursor:
            for sql in ("XA START 'f'", BOTH.format(3), "XA END 'f'", "XA PREPARE 'f'"):
                cursor.execute(sql)
        before = execute(self.spider, TWO)[0][0]
        wait_until(lambda: self.commits("f"), "XA COMMIT on the Spider node")
        left = [prepared(node) for node in (*self.shards, self.spider)]
        new = execute(self.spider, TWO)[0][0] - before
        for shard in self.shards:
            decide(shard, "XA COMMIT 'f'")
        found = self.expect("prepared, new rows", (left, new), ([["X'66',X'',1"]] * 2 + [[]], 0))
        wanted = before + 2
        return found + self.expect("rows", execute(self.spider, TWO)[0][0], wanted)

    def commits(self, xid: str) -> bool:
        try:
            execute(self.spider, f"XA COMMIT '{xid}'")
        except pymysql.Error:
            return False  # its session has not ended yet
        return True

    def one_address(self) -> list[Problem]:
        """The second shard at another port of the first one's address."""
        here, there = self.shards
        self.gates[0] = Gate(host_of(here), (host_of(there), there.server.port))
        self.spider.one(create_server("near_by", host_of(here), self.gates[0].port))
        for shard in self.shards:
            execute(shard, "CREATE TABLE near (id INT PRIMARY KEY)")
        parts = [
            partition("p0", here, "VALUES LESS THAN (10)"),
            partition("p1", "near_by", "VALUES LESS THAN MAXVALUE"),
        ]
        execute(self.spider, spider_table("near", "id INT PRIMARY KEY", "RANGE (id)", parts))
        with self.spider.connect() as link, link.cursor() as cursor:
            cursor.execute("SET spider_internal_xa = ON")
            cursor.execute("BEGIN")
            cursor.execute("INSERT INTO near VALUES (1), (11)")
            try:
                cursor.execute("COMMIT")
                error = 0
            except pymysql.Error as problem:
                error = problem.args[0]
        return self.expect("error", error, XID_MEMBER_EXISTS)

    def nothing_moved(self) -> list[Problem]:
        here, there = self.shards
        execute(here, "CREATE TABLE rest (id INT PRIMARY KEY)")
        execute(there, "CREATE TABLE rest (id INT PRIMARY KEY)")
        whole = [partition("p0", here, "VALUES LESS THAN MAXVALUE")]
        execute(self.spider, spider_table("rest", "id INT PRIMARY KEY", "RANGE (id)", whole))
        execute(self.spider, "INSERT INTO rest SELECT seq FROM seq_1_to_10")
        target = partition("p0", there, "VALUES LESS THAN MAXVALUE")
        execute(self.spider, f"ALTER TABLE rest REORGANIZE PARTITION p0 INTO ({target})")
        counts = [
            execute(node, "SELECT COUNT(*) FROM rest")[0][0] for node in (self.spider, here, there)
        ]
        return self.expect("rows by Spider, left, copied", counts, [0, 10, 0])
