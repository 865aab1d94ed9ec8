# SPDX-License-Identifier: GPL-2.0-only
"""Backups between two machines by ssh, with the lines of docs/backup.md: sent by the server's
machine, or fetched by the one with the repository. The connection is killed in the middle."""

import json
import shlex
import subprocess
import time
from pathlib import Path

from tests.backup.scenario import OnPrimary
from tests.kit import backup_program as program
from tests.kit.clients.client import Problem
from tests.kit.replicas.node import Broken
from tests.kit.ssh import Ssh

WAIT_SECONDS = 60.0
# what ssh says: it was reading, was writing (a sentence of client_loop), or had more to read
LOST = ("closed by remote host", "client_loop: ", "Connection reset by")
SEND = (
    "ssh store basalt-backup known {there} > {known}",
    "basalt-backup stream {options} --known {known}",
    "ssh store basalt-backup receive {there} --json",
)
FETCH = (
    "basalt-backup known {there} > {known}",
    "ssh db1 basalt-backup stream {options} --known - < {known}",
    "basalt-backup receive {there} --json",
)


class OverSsh(OnPrimary):
    NAME = "over-ssh"

    def play(self) -> None:
        why = Ssh.why_not()
        if why:
            self.skip(why)
            return
        self.begin()
        # a user's login there has no place for the one of the driver
        with Ssh(self.folder / "ssh", program.path()) as ssh:
            self.ssh = ssh
            self.both_ways(SEND, self.repository, "sent")
            self.both_ways(FETCH, self.folder / "fetched", "fetched")

    def both_ways(self, lines: tuple[str, ...], there: Path, what: str) -> None:
        self.cut(lines, there, what)
        full = self.under_load(lambda: self.moved(lines, there))
        later = self.under_load(lambda: self.moved(lines, there))
        found = self.expect(full["base"] == "", f"not full: {full}")
        found += self.expect(later["base"] == full["id"], f"no increment: {later}")
        listed = self.shell(f"ssh store basalt-backup verify {there}")
        found += self.expect(listed.returncode == 0, listed.stdout + listed.stderr)
        text = f"{what} by ssh: after the cut the same again, an increment; verified there"
        self.step(found + self.left_overs(), text)
        self.followed(self.restored(there, later["id"], f"{what}-back"), later, f"{what} by ssh")

    def words(self, lines: tuple[str, ...], there: Path) -> list[str]:
        known, options = self.folder / "known", shlex.join(self.connection())
        return [line.format(there=there, known=known, options=options) for line in lines]

    def moved(self, lines: tuple[str, ...], there: Path) -> dict:
        """As the page has it. A receiver that has lost its connection may live a moment longer."""
        known, sender, receiver = self.words(lines, there)
        deadline = time.monotonic() + WAIT_SECONDS
        while True:
            done = self.shell(f"{known}; {sender} | {receiver}")
            if done.returncode == 0:
                return json.loads(done.stdout)
            if "another basalt-backup" not in done.stderr or time.monotonic() > deadline:
                raise Broken(f"by ssh: {done.returncode}: {done.stderr}")

    def shell(self, line: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            ["bash", "-o", "pipefail", "-c", line],
            capture_output=True,
            text=True,
            env=self.environment(),
            cwd=self.folder,
        )

    def environment(self) -> dict[str, str]:
        return program.environment() | {"PATH": f"{self.ssh.programs}:{program.path()}"}

    # --- the connection is killed

    def cut(self, lines: tuple[str, ...], there: Path, what: str) -> None:
        """In the middle of the first, full backup. Both ends say so, each in a sentence of its own,
        as far as its machine can still be heard."""
        known, sender, receiver = self.words(lines, there)
        self.shell(known)
        first = self.begin_one(sender, stdin=subprocess.DEVNULL)
        second = self.begin_one(receiver, stdin=first.stdout)
        first.stdout.close()
        self.wait_for_files(there, second)
        found = self.expect(self.ssh.cut() > 0, "no connection was there")
        answers = [self.ended(second), self.ended(first)]
        for line, answer in zip((receiver, sender), answers, strict=True):
            found += self.told(line, answer)
        backups = program.must("list", there, "--json").json()["backups"]
        found += self.expect(backups == [], f"half a backup is there: {backups}")
        text = f"{what} by ssh, the connection is killed: both ends say so, and no backup is there"
        self.step(found, text)

    def begin_one(self, line: str, **options) -> subprocess.Popen:
        return subprocess.Popen(
            ["bash", "-c", f"exec {line}"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.environment(),
            cwd=self.folder,
            **options,
        )

    def wait_for_files(self, there: Path, receiver: subprocess.Popen) -> None:
        program.wait_for(
            receiver, lambda: bool(program.names_in(there / "incoming")), "what comes by ssh"
        )

    def ended(self, process: subprocess.Popen) -> program.Answer:
        said = process.stderr.read().decode()
        return program.Answer(process.wait(program.SECONDS), b"", said)

    def told(self, line: str, answer: program.Answer) -> list[Problem]:
        if line.startswith("ssh"):
            lost = answer.status == 255 and any(words in answer.said for words in LOST)
            return self.expect(lost, f"ssh: {answer.status}: {answer.said!r}")
        if "stream" in line:
            return self.refused(answer, "standard output", "Broken pipe")
        return self.refused(answer, "the stream is cut off")
