# SPDX-License-Identifier: GPL-2.0-only
"""Where a commit is when its client has the answer: on the primary only, in the memory of the
replica's machine, in its relay log on disk, or committed there; and what is left when both servers
die. docs/operate/replicas.md has a line for each step here.

So that nothing depends on who is faster, the replica's thread that applies is stopped where a
commit is to be received and no more.
"""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator

from tests.cluster.copied import WithBackup
from tests.kit import backup_program as program
from tests.kit.loop_disk import LoopDisk
from tests.kit.replicas.node import Broken, Node
from tools import paths

SHORT_WAIT = 0.2  # seconds, for what must not happen
LONG_WAIT = 120
ROUNDS, LONG_ROUNDS = 15, 1000
ROWS = 20
MEGABYTES = 768  # of the replica's disk
PRIMARY = (
    "--sync-binlog=1",
    "--rpl-semi-sync-master-enabled=ON",
    "--rpl-semi-sync-master-wait-point=AFTER_SYNC",
    "--rpl-semi-sync-master-timeout=100000000",
)
REPLICA = ("--sync-binlog=1", "--rpl-semi-sync-slave-enabled=ON", "--sync-relay-log=1")
COMMAND = re.compile(r"then promote: (\(.*\) \| mariadb)$", re.M)


class Acknowledgements(WithBackup):
    NAME = "acknowledgements"

    def play(self) -> None:
        with contextlib.ExitStack() as self.disks:
            self.begin()
            self.asynchronous()
            self.own_writes()
            self.not_applied()
            self.semi_synchronous()
            self.unseen()
            self.both_come_back()
            self.only_the_replica_comes_back()
            for node in self.nodes:
                node.server.kill()

    def begin(self) -> None:
        self.row = 0
        self.primary = self.node(1, binlog=True)
        why = LoopDisk.why_not()
        self.disk = None if why else LoopDisk(self.folder / "disk", MEGABYTES)
        if self.disk:
            self.disks.enter_context(self.disk)
        else:
            self.skip(f"the replica's machine cannot die: {why}")
        self.replica = self.node(2, binlog=True, disk=self.disk.path if self.disk else None)
        self.primary.start()
        self.replica.start(*REPLICA)
        self.primary.one("CREATE TABLE rpl.written (id INT PRIMARY KEY)")
        self.replica.follow(self.primary)
        self.replica.catch_up(self.primary.position())
        if self.disk:
            self.disk.sync()  # the copy of the template was not

    def write(self) -> tuple[int, str]:
        """One commit: its row, and its GTID, as its session is told."""
        self.row += 1
        with self.primary.connect() as link, link.cursor() as cursor:
            cursor.execute(f"INSERT INTO written VALUES ({self.row})")
            cursor.execute("SELECT @@last_gtid")
            return self.row, cursor.fetchone()[0]

    @staticmethod
    def has(node: Node, row: int) -> bool:
        return node.one(f"SELECT COUNT(*) FROM rpl.written WHERE id = {row}") == 1

    def received(self, gtid: str) -> bool:
        return sequence(self.replica.slave_status()["Gtid_IO_Pos"]) >= sequence(gtid)

    def asynchronous(self) -> None:
        self.replica.one("STOP SLAVE IO_THREAD")
        row, gtid = self.write()
        found = self.expect(not self.received(gtid), "a thread that does not run has received")
        found += self.expect(not self.has(self.replica, row), "the replica has the row")
        self.replica.one("START SLAVE IO_THREAD")
        self.replica.catch_up(gtid)
        found += self.expect(self.has(self.replica, row), "the replica lacks the row")
        self.step(found, "asynchronous: acknowledged, and on the primary only")

    def own_writes(self) -> None:
        """A session that has written asks the replica to wait, and then finds what it wrote."""
        self.replica.one("STOP SLAVE SQL_THREAD")
        gtid = self.write()[1]
        answer = self.replica.one(f"SELECT MASTER_GTID_WAIT('{gtid}', {SHORT_WAIT})")
        found = self.expect(answer == -1, f"a replica that does not move answers {answer}")
        self.replica.one("START SLAVE SQL_THREAD")
        for _ in range(LONG_ROUNDS if self.long else ROUNDS):
            row, gtid = self.write()
            answer = self.replica.one(f"SELECT MASTER_GTID_WAIT('{gtid}', {LONG_WAIT})")
            found += self.expect(answer == 0 and self.has(self.replica, row), f"row {row} lacks")
        self.step(found, "MASTER_GTID_WAIT: 0 with the row there, -1 when it is not in time")

    def not_applied(self) -> None:
        """A replica that cannot apply, or that lacks something, becomes no primary."""
        unlogged = "SET sql_log_bin=0;"
        self.replica.server.sql(f"{unlogged} INSERT INTO rpl.written VALUES ({self.row + 1})")
        gtid = self.write()[1]
        promote = ["promote", *self.socket(self.replica), "--seconds", "1", "--position"]
        found = self.refused(program.run(*promote, gtid), 1, gtid, "Duplicate entry")
        self.replica.server.sql(f"{unlogged} DELETE FROM rpl.written WHERE id = {self.row}")
        self.replica.one("START SLAVE SQL_THREAD")
        self.replica.catch_up(gtid)
        answer = program.run(*promote, "0-1-999999")
        found += self.refused(answer, 1, "nothing came", f"at {gtid}, not at 0-1-999999")
        running = [self.replica.slave_status()[f"Slave_{name}_Running"] for name in ("IO", "SQL")]
        found += self.expect(running == ["Yes", "Yes"], f"its threads: {running}")
        self.step(found, "what cannot be applied, or does not come: no promotion, and it goes on")

    # --- semi-sync

    def semi_synchronous(self) -> None:
        self.primary.server.stop()
        self.primary.start(*PRIMARY)
        self.wait_for_replica()
        with self.receives_only():
            row, gtid = self.write()
            found = self.expect(self.received(gtid), "acknowledged, and not received")
            found += self.expect(not self.has(self.replica, row), "the replica has the row")
        self.replica.catch_up(gtid)
        self.step(found, "semi-sync: acknowledged, in the relay log, and not committed there")

    def wait_for_replica(self) -> None:
        self.wait_until(
            "a semi-synchronous replica",
            lambda: self.primary.status("Rpl_semi_sync_master_clients") == "1",
        )

    @contextlib.contextmanager
    def receives_only(self) -> Iterator[None]:
        self.replica.one("STOP SLAVE SQL_THREAD")
        yield
        self.replica.one("START SLAVE SQL_THREAD")

    def unseen(self) -> None:
        """The replica's process stands still, so that it cannot answer."""
        os.kill(self.replica.server.pid, signal.SIGSTOP)
        try:
            writer = threading.Thread(target=self.write, daemon=True)
            writer.start()
            self.wait_until("a commit that waits", self.waits)
            found = self.expect(not self.has(self.primary, self.row), "others see it before")
            writer.join(SHORT_WAIT)
            found += self.expect(writer.is_alive(), "acknowledged without an answer")
        finally:
            os.kill(self.replica.server.pid, signal.SIGCONT)
        writer.join(LONG_WAIT)
        found += self.expect(not writer.is_alive(), "it waits for ever")
        found += self.expect(self.has(self.primary, self.row), "others do not see it")
        self.step(found, "AFTER_SYNC: nobody sees a commit before the replica has received it")

    def waits(self) -> bool:
        asked = "SELECT COUNT(*) FROM information_schema.processlist WHERE state LIKE"
        return self.primary.one(f"{asked} 'Waiting for semi-sync ACK%'") == 1

    # --- both servers die

    def die_together(self) -> int:
        """With rows that are acknowledged and that the replica has only received: the number of
        rows that clients know of. The replica's machine dies too, where it can."""
        self.wait_for_replica()
        self.replica.one("STOP SLAVE SQL_THREAD")
        for _ in range(ROWS):
            self.write()
        self.primary.server.kill()
        if self.disk:
            self.disk.cut_power(self.replica.server)
        else:
            self.replica.server.kill()
        return self.row

    def rows(self, node: Node) -> int:
        return node.one("SELECT COUNT(*) FROM rpl.written")

    def both_come_back(self) -> None:
        """The relay log need not be on the disk for this: the primary has all."""
        self.replica.one("SET GLOBAL sync_relay_log=10000")
        rows = self.die_together()
        if self.disk:
            self.comes_back_unsynced(rows)
        self.primary.start(*PRIMARY)
        self.replica.start(*REPLICA)
        self.replica.catch_up(self.primary.position())
        counts = self.rows(self.primary), self.rows(self.replica)
        found = self.expect(counts == (rows, rows), f"{counts} of {rows} rows")
        self.step(found, "both die and come back: both have all that was acknowledged")

    def comes_back_unsynced(self, rows: int) -> None:
        """What its machine had in memory of the relay logs is gone. Of a copy, because the replica
        goes on. How much is gone is the file system's choice; what is there has no gap."""
        twin = self.twin("unsynced", 4)
        twin.start(*REPLICA, "--skip-slave-start")
        words = ["promote", *self.socket(twin)]
        answer = program.run(*words)
        if "are not applied" in answer.said:
            self.apply(answer.said, twin)
            answer = program.run(*words)
        found = self.expect(answer.status == 0, answer.said)
        count, last = self.rows(twin), twin.one("SELECT MAX(id) FROM rpl.written")
        found += self.expect(count == last, f"{count} rows up to {last}")
        found += self.expect(rows - ROWS <= count <= rows, f"{count} of {rows} rows")
        text = f"both die, relay log not synced, the replica alone: {rows - count} of {ROWS} gone"
        self.step(found, text)
        self.done_with(twin)

    def twin(self, name: str, number: int) -> Node:
        """A copy of the replica, which does not run."""
        twin = Node(self.folder / name, number, self.engine, binlog=True)
        sockets = shutil.ignore_patterns("*.sock")
        shutil.copytree(self.replica.server.datadir, twin.server.datadir, ignore=sockets)
        self.nodes.append(twin)
        return twin

    def only_the_replica_comes_back(self) -> None:
        """Nothing but its relay logs has the last rows."""
        rows = self.die_together()
        twin = self.twin("twin", 3)
        self.rescued(rows)
        twin.start(*REPLICA)
        found = self.expect(self.rows(twin) == rows - ROWS, f"{self.rows(twin)} of {rows} rows")
        self.step(found, "the same without skip_slave_start: the server throws them away")
        self.by_files(twin)

    def by_files(self, node: Node) -> None:
        """Where it is in the primary's history, and what it lacks, only GTIDs tell."""
        node.one("STOP SLAVE")
        node.one("CHANGE MASTER TO MASTER_USE_GTID=no")
        answer = program.run("promote", *self.socket(node))
        self.step(self.refused(answer, 1, "MASTER_USE_GTID"), "a replica without GTIDs: refused")

    def rescued(self, rows: int) -> None:
        self.replica.start(*REPLICA, "--skip-slave-start")
        words = ["promote", *self.socket(self.replica)]
        answer = program.run(*words)
        found = self.refused(answer, 1, "are not applied", "START SLAVE would throw them away")
        found += self.expect(self.rows(self.replica) == rows - ROWS, "somebody has applied them")
        self.apply(answer.said, self.replica)
        program.must(*words)
        count = self.rows(self.replica)
        found += self.expect(count == rows, f"{count} of {rows} rows")
        text = "both die, the primary for good: the relay logs have all that was acknowledged"
        self.step(found, text)

    def apply(self, said: str, node: Node) -> None:
        """The command that the refusal names, as it stands there."""
        command = COMMAND.search(said)
        if command is None:
            raise Broken(f"no command is named: {said}")
        (self.folder / ".my.cnf").write_text(self.root_file(node).read_text())
        done = subprocess.run(
            command[1],
            shell=True,
            capture_output=True,
            text=True,
            env={**program.environment(), "HOME": str(self.folder)},
            cwd=paths.scratch(),
        )
        if done.returncode:
            raise Broken(f"{command[1]}: {done.stderr}")


def sequence(gtid: str) -> int:
    """The number in a position of one domain."""
    return int(gtid.rpartition("-")[2]) if gtid else 0
