# SPDX-License-Identifier: GPL-2.0-only
"""`basalt-backup clone` and `promote`, with three servers: a primary that clients write to, in
ROCKSDB, in InnoDB and in both at once, a replica made of it meanwhile, and another one by ssh.
The primary dies, a replica takes its place, and the other one follows it.

What a clone has too few or too many shows when it follows its primary: it stops, or rows differ.
"""

import contextlib
import json
import shlex
import time
from collections.abc import Callable
from pathlib import Path

from tests.cluster.copied import ACCOUNT, PASSWORD, WithBackup, sql_text
from tests.kit import backup_program as program
from tests.kit.clients.bank import Bank
from tests.kit.clients.client import Problem
from tests.kit.clients.events import Events
from tests.kit.clients.ledger import Counter, Ledger, TwoEngines
from tests.kit.replicas.compare import compare
from tests.kit.replicas.load import IdempotentScratch, Load
from tests.kit.replicas.node import Broken, Node
from tests.kit.small_disk import SmallDisk
from tests.kit.ssh import Ssh

CLASSES = [Ledger, Counter, Bank, Events, IdempotentScratch, TwoEngines]
OPTIONS = ("--binlog-format=ROW", "--loose-rocksdb-lock-wait-timeout=5")
REPLICA = ("--slave-parallel-threads=4", "--read-only=ON", "--report-host=127.0.0.1")
SMALL_DISK_MEGABYTES = 400
WORK = "basalt-backup-restoring"
EVENT = "CREATE EVENT rpl.daily ON SCHEDULE EVERY 1 DAY DO DELETE FROM rpl.event WHERE id < 0"


class Clones(WithBackup):
    NAME = "clone"
    needs_ssh = True

    def play(self) -> None:
        self.primary = self.node(1, binlog=True)
        self.primary.start(*OPTIONS)
        self.load = Load(CLASSES, self.seed, self.primary)
        self.load.create()
        self.primary.one(EVENT)
        self.let_in(self.primary)
        self.first, self.second = self.new_node(2), self.new_node(3)
        self.refusals()
        self.killed()
        if self.long:
            self.broken_pipe()
            self.full_disk()
        self.made(self.first, self.words(self.first), "a clone")
        with contextlib.ExitStack() as ends:
            there, what = self.other_machine(ends)
            self.made(self.second, self.by_pipe(self.second, there), what)
        self.same()
        self.fail_over()

    def words(self, node: Node, **file: str) -> list[str | Path]:
        """The command line of a clone; the server that is copied is said by its socket."""
        primary = self.primary_file(self.primary, **file)
        words = ["clone", node.server.datadir, "--primary", primary, "--json"]
        words += ["--server-defaults-file", self.server_file(node.number)]
        return [*words, *self.socket(self.primary)]

    def by_pipe(self, node: Node, there: str = "") -> list[str | Path]:
        """`there`: what a command begins with that runs on the primary's machine."""
        sender = [str(program.PROGRAM), "stream", "--quiet", *self.socket(self.primary)]
        return [*self.words(node), "--stream", there + shlex.join(sender)]

    def other_machine(self, ends: contextlib.ExitStack) -> tuple[str, str]:
        """What a command for it begins with, and the name of the clone; `ends` closes it."""
        why = Ssh.why_not()
        if why:
            self.skip(why)
            return "", "a clone through a pipe"
        ssh = ends.enter_context(Ssh(self.folder / "ssh", program.path()))
        return f"{ssh.programs / 'ssh'} db1 ", "a clone by ssh"

    # --- what is refused before anything is copied

    def refusals(self) -> None:
        folder = self.first.server.datadir
        folder.mkdir()
        (folder / "file").write_text("somebody's")
        found = self.refused(program.run(*self.words(self.first)), 1, str(folder), "not empty")
        found += self.expect((folder / "file").exists(), "somebody's file is gone")
        (folder / "file").unlink()
        wrong = self.words(self.first, password="wrong")
        found += self.refused(program.run(*wrong), 2, "does not let", "Access denied")
        nobody = self.words(self.first, user="repl", password="")
        self.primary.one("REVOKE REPLICATION SLAVE ON *.* FROM repl@'127.0.0.1'")
        found += self.refused(program.run(*nobody), 1, "repl has no REPLICATION SLAVE")
        self.primary.one("GRANT REPLICATION SLAVE ON *.* TO repl@'127.0.0.1'")
        twin = [*self.words(self.first), "--server-option=--server-id=1"]
        found += self.refused(program.run(*twin), 1, "server_id 1 is the primary's too")
        found += self.expect(not any(folder.iterdir()), "something was copied")
        silent = [*self.words(self.first), "--stream", "exit 3"]
        found += self.refused(program.run(*silent), 1, "ended with 3")
        some = self.by_pipe(self.first)
        some[-1] = f"{some[-1]} --databases rpl"
        found += self.refused(program.run(*some), 1, "a replica needs all databases")
        self.step(
            found,
            "refused: no room, right, password, the primary's id, no stream, or of too little",
        )

    # --- killed

    def killed(self) -> None:
        """Each time the same command is given again, by made() at last."""
        moments: dict[str, Callable[[Path], bool]] = {
            "copied": lambda work: bool(program.names_in(work / "repository" / "incoming")),
            "prepared": lambda work: (work / "full").exists(),
            "told its primary": lambda work: (work / "pid").exists(),
        }
        for moment, there in moments.items():
            self.kill_when(moment, there)
            answer = self.first_start_is_refused()
            self.step(answer, f"killed while it is {moment}: no server takes it for whole")

    def kill_when(self, moment: str, there: Callable[[Path], bool]) -> None:
        process = program.start(*self.words(self.first))
        work = self.first.server.datadir / WORK
        program.wait_for(process, lambda: there(work), f"a clone that is {moment}")
        process.kill()
        process.communicate()
        self.count("kills of a clone")

    def first_start_is_refused(self) -> list[Problem]:
        return self.expect((self.first.server.datadir / WORK).is_dir(), "no sign of a half clone")

    def broken_pipe(self) -> None:
        words = self.by_pipe(self.first)
        words[-1] = f"{words[-1]} | head -c 2000000"
        found = self.refused(program.run(*words), 1, "cut off", "the command ended with 0")
        found += self.first_start_is_refused()
        self.step(found, "a stream that is cut off: refused, and no server takes it for whole")

    def full_disk(self) -> None:
        """The same command works once there is room."""
        why = SmallDisk.why_not()
        if why:
            self.skip(f"no full disk: {why}")
            return
        with SmallDisk(self.folder / "small", SMALL_DISK_MEGABYTES) as disk:
            words = self.words(self.first)
            words[1] = disk.path / "data"
            disk.fill(16 << 10)
            found = self.refused(program.run(*words), 1, "No space left on device")
            disk.free()
            again = program.run(*words)
            found += self.expect(again.status == 0, again.said)
        self.step(found, "a full disk: said so; with room the same command works")

    # --- made, and followed

    def made(self, node: Node, words: list[str | Path], what: str) -> None:
        """It is started as it is, and no statement is given to it."""
        self.load.start()
        result = program.must(*words).json()
        found = self.load.stop()
        node.start(*OPTIONS, *REPLICA)
        found += self.expect(not (node.server.datadir / WORK).exists(), "work is left")
        found += self.expect(bool(result["gtid"]), f"no position: {result}")
        node.catch_up(self.primary.position())
        status = node.one("SELECT status FROM information_schema.events")
        found += self.expect(status == "SLAVESIDE_DISABLED", f"an event is {status} on a replica")
        self.step(found, f"{what} under load: catches up from {result['gtid']} by itself")

    def same(self) -> None:
        found = self.caught_up(self.first) + self.caught_up(self.second)
        self.step(found, "three servers are the same, row by row")

    def caught_up(self, replica: Node) -> list[Problem]:
        replica.catch_up(self.primary.position())
        return compare(self.primary, replica)

    # --- the primary dies

    def fail_over(self) -> None:
        answer = self.promote(self.first)
        self.step(self.refused(answer, 1, "answers"), "a primary that answers: no promotion")
        self.acknowledged_by(self.second)
        self.load.start()
        time.sleep(0.3)
        self.first.one("STOP SLAVE IO_THREAD")  # receives less than the other one
        self.second.one("STOP SLAVE SQL_THREAD")  # has received, and not applied
        self.write_on(200)
        self.primary.server.kill()
        found = self.load.stop()
        self.wait_until("the second notices", lambda: self.receiving(self.second) != "Yes")
        found += self.refused(
            self.promote(self.first, self.second), 1, "root-3.cnf has more", "promote that one"
        )
        self.step(found, "the primary is dead: the replica that has less is refused")
        self.promoted()

    def acknowledged_by(self, replica: Node) -> None:
        """Semi-sync: what a client had an answer for may not be missing afterwards."""
        replica.one("SET GLOBAL rpl_semi_sync_slave_enabled=ON")
        replica.one("STOP SLAVE IO_THREAD")
        replica.one("START SLAVE IO_THREAD")
        self.primary.one("SET GLOBAL rpl_semi_sync_master_wait_point=AFTER_SYNC")
        self.primary.one("SET GLOBAL rpl_semi_sync_master_timeout=100000")
        self.primary.one("SET GLOBAL rpl_semi_sync_master_enabled=ON")
        self.wait_until(
            "one semi-synchronous replica",
            lambda: self.primary.status("Rpl_semi_sync_master_clients") == "1",
        )

    def write_on(self, commits: int) -> None:
        enough = self.load.total("acknowledged") + commits
        self.wait_until("commits", lambda: self.load.total("acknowledged") >= enough)

    def receiving(self, node: Node) -> str:
        return str(node.slave_status()["Slave_IO_Running"])

    def promoted(self) -> None:
        new, other = self.second, self.first
        result = self.killed_once(self.promotion(new, other))
        found = self.load.check(new)
        state = new.one("SELECT status FROM information_schema.events")
        found += self.expect(state == "ENABLED", f"an event is {state} on the new primary")
        found += self.expect(new.one("SELECT @@read_only") == 0, "the new primary is read-only")
        again = program.run(*self.promotion(new))
        found += self.refused(again, 1, "no replica")
        unreadable = program.run(*self.promotion(new), "--position", "binlog.000001")
        found += self.refused(unreadable, 2, "is no position")
        for statement in result["others"]:
            other.one(statement)
        self.load.primary = self.primary = new
        found += self.go_on(other)
        text = f"promoted at {result['gtid']}: nothing acknowledged is missing, the third follows"
        self.step(found, text)
        self.switched_back(other, new)

    def killed_once(self, words: list[str]) -> dict:
        """While it applies what was received; the same command goes on. It may have been faster."""
        process = program.start(*words)
        while (line := process.stderr.readline()) and b"applying" not in line:
            pass
        process.kill()
        output, said = process.communicate()
        self.count("kills of a promotion", process.returncode != 0)
        if process.returncode > 0:
            raise Broken(f"a promotion ended with {process.returncode}: {line + said}")
        return json.loads(output) if process.returncode == 0 else program.must(*words).json()

    def go_on(self, replica: Node) -> list[Problem]:
        """Clients write to the primary of now; its replica has it all."""
        self.load.start()
        self.write_on(100)
        found = self.load.stop()
        return found + self.load.check(self.primary) + self.caught_up(replica)

    def switched_back(self, new: Node, old: Node) -> None:
        """Nothing is broken; the roles are to change."""
        old.one("SET GLOBAL read_only=ON")
        words = [*self.promotion(new), "--position", old.position()]
        result = program.must(*words).json()
        for statement in result["others"]:
            if statement.startswith("CHANGE MASTER"):
                account = f"MASTER_USER='{ACCOUNT}', MASTER_PASSWORD='{sql_text(PASSWORD)}'"
                statement += f", {account}, MASTER_DEMOTE_TO_SLAVE=1"
            old.one(statement)
        self.load.primary = self.primary = new
        self.step(self.go_on(old), "a planned change of roles: the old primary follows the new one")

    def promotion(self, node: Node, *others: Node) -> list[str]:
        files = [word for other in others for word in ("--other", str(self.root_file(other)))]
        return ["promote", *self.socket(node), "--json", *files]

    def promote(self, node: Node, *others: Node) -> program.Answer:
        return program.run(*self.promotion(node, *others))
