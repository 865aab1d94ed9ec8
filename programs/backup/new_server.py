# SPDX-License-Identifier: GPL-2.0-only
"""The server that is to run on a new data directory: what its option files say, and a first start
of it, in private, for what only a server can write there.

In that start nobody can reach it but by a socket in a folder of ours, it replicates nothing, writes
no binary log, and leaves nothing behind but what it was asked for. It ends when this program does.
"""

import contextlib
import os
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pymysql

from programs.backup.child import end_with_parent, find
from programs.backup.errors import BackupError, naming
from programs.backup.mariabackup import tail

START_SECONDS = 600.0
GROUPS = ("mysqld", "server", "mariadb", "mariadbd", "client-server")
SERVER_ID = re.compile(r"--server[-_]id=(\d+)")
VERSION = re.compile(r"Ver (\S+)")


class NewServer:
    """`file` is its only option file, None: those that every server reads. `options` are those of
    its command line."""

    def __init__(self, file: Path | None, options: list[str]):
        self.program = find("mariadbd", "mariadb-server")
        if file is not None and not os.access(file, os.R_OK):
            raise BackupError(f"the option file {file} cannot be read")
        self.files = [f"--defaults-file={file.absolute()}"] if file else []
        self.options = options

    def server_id(self) -> int:
        """Without one in its options it is 1."""
        series = "-" + ".".join(self.version().split(".")[:2])
        groups = [*GROUPS, *(name + series for name in GROUPS)]
        reader = find("my_print_defaults", "mariadb-client-core")
        said = output([reader, *self.files, *groups])
        found = SERVER_ID.findall("\n".join([said, *self.options]))
        return int(found[-1]) if found else 1

    def version(self) -> str:
        found = VERSION.search(output([self.program, "--no-defaults", "--version"]))
        return found[1] if found else ""

    @contextlib.contextmanager
    def started(self, datadir: Path, work: Path, rocksdb: bool) -> Iterator[pymysql.Connection]:
        """`work`, inside of the data directory, gets all that is not to stay."""
        with naming(work):
            work.chmod(0o700)  # nobody else comes to the socket
        process = subprocess.Popen(
            self.command(datadir, work, rocksdb),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=end_with_parent,
            **account(datadir),
        )
        try:
            with contextlib.closing(connect(process, work)) as link:
                yield link
            process.terminate()
            if process.wait() != 0:
                raise BackupError(f"the new server ended badly: {tail(work / LOG)}")
        finally:
            process.kill()
            process.wait()

    def command(self, datadir: Path, work: Path, rocksdb: bool) -> list[str]:
        """What comes later wins over the option files."""
        command = [self.program, *self.files, *self.options, f"--datadir={datadir}"]
        command += [f"--{name}={work / file}" for name, file in FILES.items()]
        command += ["--skip-networking", "--skip-grant-tables", "--skip-slave-start"]
        command += ["--skip-log-bin", "--init-file=", f"--tmpdir={work}"]
        command += ["--user=root"] if datadir.stat().st_uid == 0 else []
        return command + (["--plugin-load-add=ha_rocksdb.so"] if rocksdb else [])


SOCKET, LOG = "socket", "server.log"
FILES = {
    "socket": SOCKET,
    "pid-file": "pid",
    "log-error": LOG,
    "relay-log": "relay",
    "relay-log-index": "relay.index",
    "relay-log-info-file": "relay.info",
}


def account(datadir: Path) -> dict[str, object]:
    """Root starts the server as whom the data directory belongs to."""
    owner = datadir.stat()
    if os.geteuid() != 0:
        return {}
    return {"user": owner.st_uid, "group": owner.st_gid, "extra_groups": []}


def connect(process: subprocess.Popen, work: Path) -> pymysql.Connection:
    deadline = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        with contextlib.suppress(pymysql.Error, OSError):
            return pymysql.connect(
                unix_socket=str(work / SOCKET), user="root", charset="utf8mb4", autocommit=True
            )
        time.sleep(0.1)
    raise BackupError(f"the new server does not start: {tail(work / LOG)}")


def output(command: list[str]) -> str:
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        said = (done.stderr.strip() or f"status {done.returncode}").splitlines()[-1]
        raise BackupError(f"{Path(command[0]).name}: {said}")
    return done.stdout
