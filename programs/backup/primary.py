# SPDX-License-Identifier: GPL-2.0-only
"""The primary of a new replica: who it is, whether it would let the replica in, and the statement
that names it. An option file says where it is and which account replicates."""

import contextlib
import subprocess
from pathlib import Path

import pymysql

from programs import connection
from programs.backup.errors import BackupError, NoConnection
from programs.backup.server import text_of
from programs.connection import BadOptions

TLS_WORDS = {
    "ssl_ca": "MASTER_SSL_CA",
    "ssl_capath": "MASTER_SSL_CAPATH",
    "ssl_cert": "MASTER_SSL_CERT",
    "ssl_key": "MASTER_SSL_KEY",
}
SLAVE = ("REPLICATION SLAVE", "ALL PRIVILEGES ON *.*")


class Primary:
    def __init__(self, file: Path, program: str):
        """`file`: host, port, user, password and the options of TLS in the group [client]."""
        self.file = file
        self.options = connection.gather(connection.Options(), connection.Files(str(file)), program)
        self.program = program
        if self.options.local:
            text = f"{file}: it must name the primary with host=, as the new server reaches it"
            raise BadOptions(text)

    def __str__(self) -> str:
        return self.options.shown

    def check(self, server_id: int, version: str) -> None:
        """What a replica with that id and of that version could not replicate from is refused."""
        try:
            link = connection.connect(self.options, self.program, connection.CONNECT_SECONDS)
        except (pymysql.Error, OSError) as error:
            text = f"the primary {self} does not let {self.options.user} in: {text_of(error)}"
            raise NoConnection(text) from error
        with contextlib.closing(link), link.cursor() as cursor:
            cursor.execute("SELECT @@server_id, @@log_bin, @@version")
            self.compare(*cursor.fetchone(), server_id, version)
            cursor.execute("SHOW GRANTS")
            grants = "\n".join(row[0] for row in cursor.fetchall())
        if not any(privilege in grants for privilege in SLAVE):
            text = f"the account {self.options.user} has no REPLICATION SLAVE on the primary {self}"
            raise BackupError(text)

    def compare(self, there: int, log: int, theirs: str, server_id: int, version: str) -> None:
        if not log:
            raise BackupError(f"the primary {self} writes no binary log: set log_bin there")
        if there == server_id:
            raise BackupError(
                f"server_id {server_id} is the primary's too: give the new server one of its own"
            )
        if series(theirs) > series(version):
            text = (
                f"the primary is of version {theirs}, the new server of {version}, which is older"
            )
            raise BackupError(text)

    def statement(self) -> tuple[str, list]:
        """CHANGE MASTER, and the values for its places."""
        values = {
            "MASTER_HOST": self.options.host,
            "MASTER_PORT": self.options.port,
            "MASTER_USER": self.options.user,
            "MASTER_PASSWORD": self.options.password or "",
        }
        if self.options.tls:
            values |= self.tls()
        words = ", ".join(f"{name}=%s" for name in values)
        return f"CHANGE MASTER TO {words}, MASTER_USE_GTID=slave_pos", list(values.values())

    def tls(self) -> dict[str, object]:
        files = {TLS_WORDS[name]: str(path) for name, path in self.tls_files().items()}
        verify = int(bool(self.options.ssl_verify_server_cert))
        return {"MASTER_SSL": 1, **files, "MASTER_SSL_VERIFY_SERVER_CERT": verify}

    def tls_files(self) -> dict[str, Path]:
        """By option. The new server would look for other paths in its data directory."""
        given = {name: vars(self.options)[name] for name in TLS_WORDS}
        return {name: Path(file).absolute() for name, file in given.items() if file}

    def check_readable(self, account: dict[str, object]) -> None:
        """The new server reads the files of TLS itself, as whom it runs as; `account` says that to
        subprocess.run."""
        for path in self.tls_files().values():
            if subprocess.run(["test", "-r", str(path)], **account).returncode:
                raise BackupError(f"the new server's user cannot read {path}")


def series(version: str) -> tuple[int, ...]:
    """10.11.18-MariaDB -> (10, 11): within a series either side may be the newer one."""
    parts = version.partition("-")[0].split(".")[:2]
    return tuple(int(part) if part.isdigit() else 0 for part in parts)
