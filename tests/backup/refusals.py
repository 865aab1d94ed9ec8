# SPDX-License-Identifier: GPL-2.0-only
"""What basalt-backup refuses, by name, and what a kill leaves: nothing in the way."""

import os
import signal
import subprocess
from pathlib import Path

from tests.backup.scenario import OnPrimary
from tests.kit import backup_program as program
from tests.kit.clients.client import Problem
from tests.kit.manual_page import differences
from tests.kit.replicas.node import DATABASE, Broken
from tests.kit.small_disk import SmallDisk

PAGE = program.PROGRAM.with_name("basalt-backup.1")
SMALL_DISK_MEGABYTES = 16


class Refusals(OnPrimary):
    NAME = "refusals"

    def play(self) -> None:
        self.manual()
        self.begin()
        self.killed()
        made = self.under_load(self.two_at_once)
        self.damaged(made["id"])
        self.damaged_source(made["id"])
        self.no_connection()
        self.broken_stream()
        self.full_disks(made["id"])
        self.restores(made["id"])
        if self.long:
            self.elsewhere()

    def manual(self) -> None:
        """The page of the manual has each command, and the options of all."""
        helped = program.help_of_all()
        text = PAGE.read_text()
        missing = [name for name in helped if f"\n.TP\n.B {name}\n" not in text]
        missing += differences(PAGE, "".join(helped.values()))
        found = self.expect(bool(helped) and not missing, f"only in one of both: {missing}")
        self.step(found, "the page of the manual has what --help has")

    def killed(self) -> None:
        """While all tables are copied, and with the checkpoint made. The next backup clears away
        what is left."""
        self.under_load(lambda: self.kill_when(self.repository / "incoming", "*"))
        store = self.primary.server.datadir / "#rocksdb"
        self.under_load(lambda: self.kill_when(store, "basalt-backup-checkpoint"))
        made = program.must("list", self.repository, "--json").json()
        nothing = {"format": 1, "backups": []}
        found = self.expect(made == nothing, f"a killed run made {made}")
        self.step(found, "killed twice: no backup")

    def kill_when(self, folder: Path, name: str) -> None:
        """kill -9, once there is such a file."""
        process = self.begun(folder, name)
        process.kill()
        process.communicate()

    def begun(self, folder: Path, name: str, *options: str) -> subprocess.Popen:
        """A backup that has come so far that it has made such a file."""
        before = program.names_in(folder, name)
        process = program.start("backup", self.repository, *self.connection(), *options)
        program.wait_for(
            process,
            lambda: bool(program.names_in(folder, name) - before),
            f"{name} in {folder}",
        )
        return process

    def object_of(self, backup: str, suffix: str) -> tuple[Path, str]:
        """The largest file with that ending in a backup, and its name there."""
        from programs.backup.repository import Repository

        repository = Repository.open(self.repository)
        files = [f for f in repository.load(backup).store if f.name.endswith(suffix)]
        largest = max(files, key=lambda file: file.size)
        return repository.objects.path(largest.sha256), largest.name

    def damaged(self, backup: str) -> None:
        path, name = self.object_of(backup, ".sst")
        good = path.read_bytes()
        flip(path)
        self.is_named(backup, path, name, "a flipped bit in a table file")
        if self.long:
            self.mended()
        path.write_bytes(good[:-1])
        self.is_named(backup, path, name, "a table file without its last byte")
        path.write_bytes(good)
        manifest = self.repository / "backups" / backup
        whole = manifest.read_bytes()
        manifest.write_bytes(whole[:-20])
        answer = program.run("verify", self.repository)
        found = self.expect(answer.status == 1 and backup in answer.output.decode(), "not found")
        restore = program.run("restore", self.repository, self.folder / "no", "--id", backup)
        found += self.refused(restore, str(manifest))
        self.step(found, "a manifest that is cut off: named by verify and by restore")
        manifest.write_bytes(whole)

    def mended(self) -> None:
        answer = self.backup("--full")
        found = self.expect(answer.status == 0, answer.said)
        found += self.expect(program.run("verify", self.repository).status == 0, "not mended")
        self.step(found, "a full backup mends the file that it shares with the damaged one")

    def damaged_source(self, backup: str) -> None:
        """Its bytes are copied as they are, and no checksum of a file knows better: the checksums
        of blocks do."""
        _, name = self.object_of(backup, ".sst")
        source = self.primary.server.datadir / "#rocksdb" / name
        flip(source)
        other = self.folder / "of-damaged"
        found = self.refused(self.backup(repository=other), name, "Corruption")
        flip(source)
        found += self.expect(not list((other / "backups").iterdir()), "a backup is there")
        self.step(found, "a table file that is damaged in the server: named, no backup")

    def is_named(self, backup: str, path: Path, name: str, what: str) -> None:
        answer = program.run("verify", self.repository, backup)
        text = answer.output.decode()
        found = self.expect(answer.status == 1, f"verify ends with {answer.status}")
        found += self.expect(name in text and str(path) in text, f"verify says {text}")
        target = self.folder / "damaged"
        words = ["restore", self.repository, target, "--id", backup]
        found += self.refused(program.run(*words), name, str(path))
        found += self.expect(not (target / "mysql").exists(), "restore has gone on")
        self.step(found, f"{what}: named by verify and by restore")

    def two_at_once(self) -> dict:
        """While one is in the middle of its copy, held there, a second one is refused: into its
        repository, and of its server. The first goes on to its end."""
        first = self.begun(self.repository / "incoming", "*", "--json")
        first.send_signal(signal.SIGSTOP)
        found = self.refused(self.backup(), "another basalt-backup is writing to")
        beside = self.backup(repository=self.folder / "beside")
        found += self.refused(beside, "another basalt-backup is copying this server")
        first.send_signal(signal.SIGCONT)
        output, said = first.communicate(timeout=program.SECONDS)
        if first.returncode:
            raise Broken(f"the first of two ended with {first.returncode}: {said.decode()}")
        found += self.left_overs()
        self.step(found, "two at once, after kills: the second is refused, the first goes on")
        return program.Answer(0, output, "").json()

    def no_connection(self) -> None:
        """A server that is not there, a password that is wrong, an option file that is missing."""
        nowhere = self.folder / "nowhere"
        asked = {
            "no connection to the server: Can't connect": ["--no-defaults", "--socket", nowhere],
            "no connection to the server: Access denied": [*self.connection(), "--password=wrong"],
            f"the option file {nowhere} cannot be read": ["--defaults-file", nowhere],
        }
        found = []
        for said, options in asked.items():
            answer = program.run("backup", self.repository, *options)
            found += self.refused(answer, said, status=2)
        found += self.expect(program.run("backup").status == 2, "a command line without an end")
        self.step(found, "no server, a wrong password, wrong options: status 2")

    def elsewhere(self) -> None:
        """A table that a restore into one directory could not put back."""
        place = self.folder / "place"
        place.mkdir()
        table = f"elsewhere (id INT) ENGINE=InnoDB DATA DIRECTORY='{place}'"
        self.primary.server.sql(f"CREATE TABLE {table}", DATABASE)
        found = self.refused(self.backup(), f"{DATABASE}/elsewhere", str(place))
        self.primary.server.sql("DROP TABLE elsewhere", DATABASE)
        self.step(found, "a table outside of the data directory: refused")

    def broken_stream(self) -> None:
        sender = program.start("stream", *self.connection(), "--quiet")
        part = sender.stdout.read(2_000_000)
        sender.stdout.close()
        said = sender.stderr.read().decode()
        answer = program.Answer(sender.wait(), b"", said)
        found = self.refused(answer, "standard output", "Broken pipe") + self.left_overs()
        self.step(found, "a pipe that breaks: the sender says so")
        other = self.folder / "cut-off"
        answer = program.run("receive", other, data=part)
        found = self.refused(answer, "cut off")
        found += self.expect(not list((other / "backups").iterdir()), "half a backup is there")
        again = self.streamed(other)
        found += self.expect(again["base"] == "", f"an increment to half a backup: {again}")
        self.step(found, "a stream that is cut off: refused, no backup; the same again works")
        self.killed_receiver()

    def killed_receiver(self) -> None:
        """kill -9 in the middle of what comes. The next one clears away what is left."""
        there = self.folder / "killed-receiver"
        sender = program.start("stream", *self.connection(), "--quiet")
        receiver = program.start("receive", there, "--quiet", stdin=sender.stdout)
        sender.stdout.close()
        program.wait_for(
            receiver, lambda: bool(program.names_in(there / "incoming")), "what is received"
        )
        receiver.kill()
        receiver.communicate()
        said = sender.stderr.read().decode()
        answer = program.Answer(sender.wait(program.SECONDS), b"", said)
        found = self.refused(answer, "standard output", "Broken pipe") + self.left_overs()
        left = list((there / "incoming").iterdir())
        found += self.expect(bool(left), "nothing was left: it was killed too late")
        made = program.must("list", there, "--json").json()["backups"]
        found += self.expect(made == [], f"half a backup is there: {made}")
        again = self.streamed(there)
        left = list((there / "incoming").iterdir())
        found += self.expect(again["base"] == "" and not left, f"{again}, and left: {left}")
        self.step(found, "a receiver that is killed: no backup; the same again works")

    def full_disks(self, backup: str) -> None:
        """The same command works once there is room."""
        why = SmallDisk.why_not()
        if why:
            self.skip(f"no full disk: {why}")
            return
        with SmallDisk(self.folder / "disk", 8 * SMALL_DISK_MEGABYTES) as disk:
            target = disk.path / "repository"
            disk.fill(SMALL_DISK_MEGABYTES << 10)
            answer = self.backup(repository=target)
            found = self.refused(answer, str(target), "No space left on device")
            disk.free()
            again = self.backup(repository=target)
            found += self.expect(again.status == 0, again.said)
            if self.long:
                found += self.full_at_restore(disk, target, again.json()["id"], backup)
        self.step(found + self.left_overs(), "a full disk: said so; with room the same works")

    def full_at_restore(
        self, disk: SmallDisk, target: Path, made: str, backup: str
    ) -> list[Problem]:
        program.must("remove", target, made)
        words = ["restore", self.repository, disk.path / "restored", "--id", backup]
        disk.fill(SMALL_DISK_MEGABYTES << 10)
        found = self.refused(program.run(*words), "No space left on device")
        disk.free()
        again = program.run(*words)
        return found + self.expect(again.status == 0, again.said)

    def restores(self, backup: str) -> None:
        target = self.folder / "target"
        target.mkdir()
        (target / "file").write_text("somebody's")
        words = ["restore", self.repository, target, "--id", backup]
        found = self.refused(program.run(*words), "not empty")
        found += self.expect(os.listdir(target) == ["file"], "what was there has changed")
        self.step(found, "a restore into a directory that is not empty: refused, nothing changed")
        (target / "file").unlink()
        process = program.start(*words)
        full = target / "basalt-backup-restoring" / "full"
        program.wait_for(process, full.exists, "a restore that prepares its files")
        process.kill()
        process.communicate()
        node = self.restored(self.repository, backup, "target")
        public = [f for f in (target / "#rocksdb").glob("*.sst") if f.stat().st_mode & 0o007]
        found = self.sums(node) + self.expect(not public, f"everybody may read {public}")
        self.step(found, "a restore that was killed: the same command again works")
        if self.long:
            self.other_history(node)
        self.done_with(node)

    def other_history(self, node) -> None:
        """A restored server may not get an increment to backups of the server it came from."""
        connection = ["--defaults-file", str(self.options_of(node)), "--json"]
        made = program.must("backup", self.repository, *connection).json()
        found = self.expect(made["base"] == "", f"an increment over a restore: {made}")
        again = program.must("backup", self.repository, *connection).json()
        found += self.expect(again["base"] == made["id"], f"no increment to its own: {again}")
        self.step(found, "a restored server begins with a full backup")


def flip(file: Path) -> None:
    """One bit in the middle; a second time it is as it was."""
    with open(file, "r+b") as opened:
        middle = file.stat().st_size // 2
        opened.seek(middle)
        byte = opened.read(1)[0]
        opened.seek(middle)
        opened.write(bytes([byte ^ 1]))
