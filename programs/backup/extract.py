# SPDX-License-Identifier: GPL-2.0-only
"""Tables of a backup as SQL: restored into a scratch folder, read by a private server there.

One store has the rows of all databases in common files, so that there is no shorter way to some of
its tables. The server has no network and nobody but this user can reach its socket.
"""

import contextlib
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pymysql

from programs.backup.child import end_with_parent, find
from programs.backup.errors import BackupError, naming
from programs.backup.mariabackup import tail
from programs.backup.new_server import START_SECONDS
from programs.backup.progress import Progress
from programs.backup.restore import Restore
from programs.backup.server import OWN_DATABASES

WORKING = "basalt-backup-extracting"


class Extract:
    """`work` is an empty folder; what is made in it is removed. `options` go to the server."""

    def __init__(self, restored: Restore, work: Path, options: list[str], progress: Progress):
        self.restored, self.work, self.options = restored, work, options
        self.progress = progress
        self.datadir, self.log = work / "data", work / "server.log"
        self.socket = work / "socket"

    def run(self, database: str, tables: list[str]) -> None:
        """The SQL goes to the standard output, without USE: into any database."""
        backup = self.restored.chain[-1]
        if backup.databases and database not in (*backup.databases, *OWN_DATABASES):
            there = ", ".join(backup.databases)
            raise BackupError(f"backup {backup.id} lacks the database '{database}'; it has {there}")
        dump = find("mariadb-dump", "mariadb-client")
        with self.folder():
            self.restored.run()
            with self.server():
                self.progress.begin("writing SQL")
                command = [dump, "--no-defaults", f"--socket={self.socket}", "--single-transaction"]
                done = subprocess.run([*command, "--", database, *tables])
        if done.returncode:
            raise BackupError(f"mariadb-dump ended with {done.returncode}: the SQL is not whole")

    @contextlib.contextmanager
    def folder(self) -> Iterator[None]:
        with naming(self.work):
            self.work.mkdir(parents=True, exist_ok=True)
            if any(self.work.iterdir()) and not (self.work / WORKING).exists():
                raise BackupError(f"{self.work} is not empty")
            self.clear()  # what a run that was killed has left
            (self.work / WORKING).touch()
        try:
            yield
        finally:
            self.clear()

    def clear(self) -> None:
        """The file that says whose the folder is goes last."""
        for path in sorted(self.work.iterdir(), key=lambda path: path.name == WORKING):
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    def command(self) -> list[str]:
        command = [find("mariadbd", "mariadb-server"), "--no-defaults", *self.options]
        command += [f"--datadir={self.datadir}", f"--socket={self.socket}", "--skip-networking"]
        command += ["--skip-grant-tables", "--skip-slave-start", "--skip-log-bin"]
        command += [f"--pid-file={self.work / 'pid'}", f"--tmpdir={self.work}"]
        command += ["--user=root"] if self.work.stat().st_uid == 0 else []
        loads = bool(self.restored.chain[-1].store)
        return command + (["--plugin-load-add=ha_rocksdb.so"] if loads else [])

    def account(self) -> dict[str, object]:
        """Root starts the server as the owner of the folder, who owns the copy as well."""
        owner = self.work.stat()
        if os.geteuid() != 0:
            return {}
        return {"user": owner.st_uid, "group": owner.st_gid, "extra_groups": []}

    @contextlib.contextmanager
    def server(self) -> Iterator[None]:
        self.progress.begin("starting a private server on the copy")
        with naming(self.log), open(self.log, "wb") as log:
            self.work.chmod(0o700)
            process = subprocess.Popen(
                self.command(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                preexec_fn=end_with_parent,
                **self.account(),
            )
        try:
            self.wait_until_ready(process)
            yield
        finally:
            # not in order: the copy goes as well, and a server that starts may not hear SIGTERM
            process.kill()
            process.wait()

    def wait_until_ready(self, process: subprocess.Popen) -> None:
        deadline = time.monotonic() + START_SECONDS
        while process.poll() is None and time.monotonic() < deadline:
            with contextlib.suppress(pymysql.Error, OSError):
                pymysql.connect(unix_socket=str(self.socket), user="root").close()
                return
            time.sleep(0.1)
        raise BackupError(f"the private server does not answer: {tail(self.log)}")
