# SPDX-License-Identifier: GPL-2.0-only
"""Debian's programs mariabackup and mbstream (package mariadb-backup), and zstd.

mariabackup copies all tables but those of ROCKSDB, into one stream in mbstream's format.
"""

import contextlib
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from programs.backup.errors import BackupError, naming
from programs.backup.objects import CHUNK
from programs.connection import Options

PACKAGES = {"mariabackup": "mariadb-backup", "mbstream": "mariadb-backup", "zstd": "zstd"}
ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r"}
TAIL = 4
NOTE = re.compile(r"^\[\d\d\] \d{4}-\d\d-\d\d \d\d:\d\d:\d\d *")
LSN = re.compile(r"^(from|to)_lsn = (\d+)$", re.M)


def program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise BackupError(f"the program {name} is missing: install the package {PACKAGES[name]}")
    return found


def tail(log: Path) -> str:
    """The last lines of what a program said, without its times, as the end of a sentence."""
    with contextlib.suppress(OSError):
        lines = [NOTE.sub("", line) for line in log.read_text(errors="replace").split("\n")]
        return "; ".join([line for line in lines if line.strip()][-TAIL:])
    return "it said nothing"


class Copy:
    """A run of `mariabackup --backup` to its end. Iterate over stream(), then read lsns(). Context
    manager: ends the programs when the caller gives up."""

    def __init__(
        self,
        folder: Path,
        socket: Path,
        account: Options,
        from_lsn: int,
        level: int,
        databases: tuple[str, ...] = (),
    ):
        """`folder` is empty, and nobody else can read it: it gets a file with the password. `level`
        of zstd, 0: not compressed. `databases`: their folders; () copies all."""
        self.folder, self.log = folder, folder / "mariabackup.log"
        self.processes: list[subprocess.Popen] = []
        self.account, self.options = account, folder / "account.cnf"
        self.command = [program("mariabackup"), f"--defaults-file={self.options}"]
        self.command += ["--backup", "--stream=mbstream"]
        self.command += [f"--socket={socket}", "--skip-ssl", "--skip-rocksdb-backup"]
        self.command += [f"--target-dir={folder / 'target'}", f"--extra-lsndir={folder / 'lsn'}"]
        self.command += [f"--incremental-lsn={from_lsn}"] if from_lsn else []
        self.command += [f"--databases={' '.join(databases)}"] if databases else []
        self.filter = [program("zstd"), "-q", "-c", f"-{level}"] if level else []

    def __enter__(self) -> "Copy":
        with naming(self.folder):
            (self.folder / "target").mkdir()
            self.options.touch(mode=0o600)
            self.options.write_text(option_file(self.account))
        return self

    def __exit__(self, *_) -> None:
        for process in self.processes:
            if process.poll() is None:
                process.terminate()
            if process.stdout:
                process.stdout.close()
            process.wait()

    def start(self, command: list[str], source, log) -> subprocess.Popen:
        self.processes.append(
            subprocess.Popen(command, stdin=source, stdout=subprocess.PIPE, stderr=log, bufsize=0)
        )
        return self.processes[-1]

    def stream(self) -> Iterator[bytes]:
        """BackupError with mariabackup's words when one of the programs fails."""
        with naming(self.log), open(self.log, "wb") as log:
            last = self.start(self.command, subprocess.DEVNULL, log)
            if self.filter:
                packed = self.start(self.filter, last.stdout, log)
                last.stdout.close()
                last = packed
        while data := last.stdout.read(CHUNK):
            yield data
        for process in self.processes:
            if process.wait() != 0:
                name = Path(process.args[0]).name
                raise BackupError(f"{name} ended with {process.returncode}: {tail(self.log)}")

    def lsns(self) -> tuple[int, int]:
        path = self.folder / "lsn" / "xtrabackup_checkpoints"
        with naming(path):
            found = dict(LSN.findall(path.read_text()))
        return int(found["from"]), int(found["to"])


def option_file(account: Options) -> str:
    """No other process may see a password on a command line."""
    values = {"user": account.user, "password": account.password}
    lines = [f"{name}={quoted(value)}\n" for name, value in values.items() if value]
    return "[mariabackup]\n" + "".join(lines)


def quoted(value: str) -> str:
    """As option files have a value with blanks, quotes or a # in it."""
    return '"' + "".join(ESCAPES.get(letter, letter) for letter in value) + '"'


def run(log: Path, command: list[str]) -> None:
    """BackupError with its words when it fails."""
    with naming(log), open(log, "wb") as output:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
        )
    if done.returncode:
        raise BackupError(f"{Path(command[0]).name} ended with {done.returncode}: {tail(log)}")


def unpack(archive: Iterable[bytes], compressed: bool, folder: Path, log: Path) -> None:
    """The files of an archive into an empty folder. Damaged when the bytes of the archive are not
    those that were written: then the folder is no good either."""
    folder.mkdir()
    with naming(log), open(log, "wb") as output, contextlib.ExitStack() as ends:
        mbstream = [program("mbstream"), "-x", "-C", str(folder)]
        first = last = start(mbstream, subprocess.PIPE, output, output, ends)
        if compressed:
            zstd = [program("zstd"), "-q", "-d", "-c"]
            first = start(zstd, subprocess.PIPE, last.stdin, output, ends)
        feed(archive, first.stdin)
    for process in (first, last):
        if process.returncode:
            name = Path(process.args[0]).name
            raise BackupError(f"{name} ended with {process.returncode}: {tail(log)}")


def start(
    command: list[str], source: int, output, errors, ends: contextlib.ExitStack
) -> subprocess.Popen:
    """`ends` closes its input and waits for it."""
    process = subprocess.Popen(command, stdin=source, stdout=output, stderr=errors)
    ends.callback(process.wait)
    ends.callback(close, process.stdin)
    return process


def close(pipe: BinaryIO) -> None:
    with contextlib.suppress(BrokenPipeError):
        pipe.close()


def feed(archive: Iterable[bytes], target: BinaryIO) -> None:
    """Reads the archive to its end in any case: whether it is damaged is known only there, and
    is a better reason than what the program says that has met the damage."""
    goes_on = True
    for data in archive:
        try:
            if goes_on:
                target.write(data)
        except BrokenPipeError:
            goes_on = False
    with contextlib.suppress(BrokenPipeError):
        target.flush()


def prepare(folder: Path, increment: Path | None, log: Path) -> None:
    """Applies the log to a full copy, or the changes of an increment to a copy that is prepared."""
    command = [program("mariabackup"), "--no-defaults", "--prepare", f"--target-dir={folder}"]
    run(log, command + ([f"--incremental-dir={increment}"] if increment else []))


def move_back(folder: Path, datadir: Path, log: Path) -> None:
    command = [program("mariabackup"), "--no-defaults", "--move-back", f"--target-dir={folder}"]
    run(log, [*command, f"--datadir={datadir}", "--force-non-empty-directories"])
