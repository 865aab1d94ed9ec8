# SPDX-License-Identifier: GPL-2.0-only
"""A private MariaDB server on one data directory: start, ask, stop, kill.

    with PrivateServer("data", engine="rocksdb") as server:
        print(server.sql("SELECT VERSION()"))

It listens on a Unix socket only (on 127.0.0.1 too when a port is given), reads no option file, and
touches no installed server. Beside the database it keeps server.sock, server.pid, error.log and the
folder #tmp in the data directory. Objects are not thread safe; make one an object a thread, or use
connect().
"""

import hashlib
import os
import shutil
import signal
import socket as sockets
import subprocess
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

import psutil

from tools import paths
from tools.errors import DevError

ENGINES = ("rocksdb", "innodb", "myrocks")
# sun_path of a Unix socket holds 108 bytes with the closing zero (man 7 unix)
MAX_SOCKET_PATH = 107


class PrivateServer:
    """One server process. `engine` is its default storage engine:
    'rocksdb' our plugin, 'myrocks' Debian's stock plugin, 'innodb' the built-in engine.
    `options` are appended to the command line and so win over the defaults below.
    `plugin_dir` replaces the folder of the plugin (another build, a sanitizer build).
    `environment` adds variables for the server process. `wrapper` is put before mariadbd
    (e.g. ["taskset", "-c", "0"]); the pid is then still mariadbd's as long as it execs. `root` is
    the folder with the server's packages, unpacked; default: the private server.
    """

    def __init__(
        self,
        datadir: str | os.PathLike,
        engine: str = "rocksdb",
        options: Iterable[str] = (),
        *,
        port: int | None = None,
        plugin_dir: str | os.PathLike | None = None,
        environment: dict[str, str] | None = None,
        wrapper: Iterable[str] = (),
        root: Path | None = None,
        start_timeout: float = 180.0,
    ):
        if engine not in ENGINES:
            raise DevError(f"no engine '{engine}'; there are {', '.join(ENGINES)}")
        self.datadir = Path(datadir).absolute()
        self.engine = engine
        self.options = list(options)
        self.port = port
        self.plugin_dir = Path(plugin_dir) if plugin_dir else default_plugin_dir(engine)
        self.environment = dict(environment or {})
        self.wrapper = list(wrapper)
        self.basedir = (root or paths.server_root()) / "usr"
        self.program = self.basedir / "sbin" / "mariadbd"
        self.start_timeout = start_timeout
        self.error_log = self.datadir / "error.log"
        self.pid_file = self.datadir / "server.pid"
        # a folder of its own: a server that starts removes all temporary tables that it finds in it
        self.temporary = self.datadir / "#tmp"
        self.socket = socket_path(self.datadir)
        self._process: subprocess.Popen | None = None

    def __enter__(self) -> "PrivateServer":
        return self.start()

    def __exit__(self, *_) -> None:
        self.stop()

    @property
    def pid(self) -> int | None:
        """The process id when the server lives, also one started by another ./dev; else None."""
        if self._process is not None:
            return self._process.pid if self._process.poll() is None else None
        try:
            pid = int(self.pid_file.read_text())
            command = psutil.Process(pid).cmdline()
        except (OSError, ValueError, psutil.Error):
            return None
        return pid if f"--datadir={self.datadir}" in command else None

    def running(self) -> bool:
        return self.pid is not None

    def command(self) -> list[str]:
        """The command line of the server."""
        command = [
            *self.wrapper,
            str(self.program),
            "--no-defaults",
            f"--basedir={self.basedir}",
            f"--datadir={self.datadir}",
            f"--lc-messages-dir={self.basedir / 'share' / 'mysql'}",
            f"--plugin-dir={self.plugin_dir}",
            f"--socket={self.socket}",
            f"--pid-file={self.pid_file}",
            f"--log-error={self.error_log}",
            f"--tmpdir={self.temporary}",
            f"--ignore-db-dirs={self.temporary.name}",
            "--innodb-buffer-pool-size=64M",
            "--innodb-log-file-size=32M",
        ]
        if os.geteuid() == 0:
            command.append("--user=root")
        if self.port:
            command += [f"--port={self.port}", "--bind-address=127.0.0.1"]
        else:
            command.append("--skip-networking")
        if self.engine != "innodb":
            command += ["--plugin-load-add=ha_rocksdb.so", "--default-storage-engine=ROCKSDB"]
        return command + self.options

    def start(self, wait: bool = True) -> "PrivateServer":
        """Starts the server, making the data directory if it is missing, and waits until it
        answers. Raises DevError with the end of the error log when it dies or does not answer."""
        if self.running():
            raise DevError(f"a server already runs on {self.datadir} (pid {self.pid})")
        self._check_programs()
        if not (self.datadir / "mysql" / "db.frm").is_file():
            install_data_directory(self.datadir)
        self.temporary.mkdir(exist_ok=True)
        for stale in (self.socket, self.pid_file):
            Path(stale).unlink(missing_ok=True)
        self._log_offset = self.error_log.stat().st_size if self.error_log.exists() else 0
        with open(self.error_log, "ab") as log:
            self._process = subprocess.Popen(
                self.command(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, **self.environment},
                cwd=self.datadir,
                start_new_session=True,  # Ctrl-C in the terminal is not for the server
            )
        if wait:
            self.wait_until_ready()
        return self

    def wait_until_ready(self) -> None:
        """Returns once the server greets a client; needed only after start(wait=False)."""
        deadline = time.monotonic() + self.start_timeout
        while not answers(self.socket):
            if self._process is not None and self._process.poll() is not None:
                status = self._process.returncode
                why = f"the server ended with status {status}{self.first_error()}"
                raise DevError(f"{why}\n{self.log_tail()}")
            if time.monotonic() > deadline:
                self.kill()
                raise DevError(
                    f"the server did not answer in {self.start_timeout:.0f} s\n{self.log_tail()}"
                )
            time.sleep(0.02)

    def stop(self, timeout: float = 120.0) -> int | None:
        """Clean shutdown. Returns the exit status (None for a server of another process); no
        error when none runs. Raises DevError, after a kill, when it does not end in time."""
        pid = self.pid
        if pid is None:
            return self._reap()
        os.kill(pid, signal.SIGTERM)
        if not self._wait_gone(pid, timeout):
            self.kill()
            raise DevError(f"the server did not stop in {timeout:.0f} s\n{self.log_tail()}")
        return self._reap()

    def kill(self) -> None:
        """kill -9, and waits until the process is gone. No error when none runs."""
        pid = self.pid
        if pid is not None:
            os.kill(pid, signal.SIGKILL)
            self._wait_gone(pid, 60.0)
        self._reap()

    def restart(self) -> "PrivateServer":
        """A clean stop and a start."""
        self.stop()
        return self.start()

    def remove(self) -> None:
        """Stops the server and deletes its data directory."""
        self.stop()
        shutil.rmtree(self.datadir, ignore_errors=True)

    def client_command(self, *arguments: str, program: str = "mariadb") -> list[str]:
        """A command line of a client program for this server."""
        return [
            str(paths.client(program)),
            "--no-defaults",
            f"--socket={self.socket}",
            "--user=root",
            *arguments,
        ]

    def sql(self, statements: str, database: str = "", check: bool = True) -> str:
        """Runs statements through the client program; returns tab-separated rows without column
        names. Raises DevError with the client's message when one fails and `check` is set."""
        command = self.client_command("--batch", "--skip-column-names", "--raw")
        done = subprocess.run(
            [*command, *([database] if database else [])],
            input=statements,
            capture_output=True,
            text=True,
            errors="surrogateescape",
        )
        if check and done.returncode != 0:
            raise DevError(done.stderr.strip() or f"client status {done.returncode}")
        return done.stdout

    def connect(self, database: str | None = None, **options):
        """A new PyMySQL connection as root, autocommit on; close it yourself. Each thread needs
        its own. `options` go to pymysql.connect, e.g. client_flag, read_timeout (seconds)."""
        import pymysql

        settings = {"charset": "utf8mb4", "autocommit": True, **options}
        return pymysql.connect(
            unix_socket=str(self.socket), user="root", database=database, **settings
        )

    def query(self, statement: str, database: str | None = None) -> list[tuple]:
        """Runs one statement on a connection of its own; returns all rows."""
        with self.connect(database) as connection, connection.cursor() as cursor:
            cursor.execute(statement)
            return list(cursor.fetchall())

    def status(self, name: str) -> str:
        """One global status variable; '' when there is none of that name."""
        rows = self.query(f"SHOW GLOBAL STATUS LIKE '{name}'")
        return rows[0][1] if rows else ""

    def log(self) -> str:
        """What the server has logged since its last start here; '' when nothing can be read."""
        try:
            with open(self.error_log, "rb") as log:
                log.seek(getattr(self, "_log_offset", 0))
                return log.read().decode(errors="replace")
        except OSError:
            return ""

    def first_error(self) -> str:
        """': ' and the first error in log(), from which the others follow; '' without one."""
        errors = (line for line in self.log().splitlines() if "[ERROR]" in line)
        first = next(errors, "")
        return f": {first[first.index('[ERROR]') :]}" if first else ""

    def log_tail(self, lines: int = 25) -> str:
        """The end of log(), for a message."""
        text = self.log()
        if not text:
            return "(no error log)"
        return f"--- end of {self.error_log}\n" + "\n".join(text.splitlines()[-lines:])

    def write_stacks(self) -> str:
        """Asks gdb what all threads are doing; returns the file with its answer, beside the error
        log, or why there is none."""
        gdb = shutil.which("gdb")
        if gdb is None or self.pid is None:
            return "none (no gdb)" if gdb is None else "none (no server)"
        file = self.datadir / "stacks.txt"
        command = [gdb, "-p", str(self.pid), "-batch", "-ex", "thread apply all backtrace"]
        with open(file, "wb") as output:
            try:
                subprocess.run(
                    command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, timeout=60
                )
            except subprocess.TimeoutExpired:
                return f"{file} (gdb did not end)"
        return str(file)

    def _check_programs(self) -> None:
        if not self.program.exists():
            raise DevError("missing: the private server; run ./dev setup")
        if self.engine != "innodb" and not (self.plugin_dir / "ha_rocksdb.so").exists():
            raise DevError(f"missing: {self.plugin_dir / 'ha_rocksdb.so'}; run ./dev build")

    def _wait_gone(self, pid: int, timeout: float) -> bool:
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            child = self._process
            if child.poll() is not None if child is not None else not alive(pid):
                return True
            time.sleep(0.01)
        return False

    def _reap(self) -> int | None:
        process, self._process = self._process, None
        return process.wait() if process is not None else None


def default_plugin_dir(engine: str) -> Path:
    """The plugin folder for an engine: our build's for ours, Debian's for the peers."""
    return paths.plugin_dir() if engine == "rocksdb" else paths.debian_plugin_dir()


def socket_path(datadir: Path) -> Path:
    """The socket in the data directory, or in the temporary folder when that path is too long."""
    inside = datadir / "server.sock"
    if len(os.fsencode(inside)) <= MAX_SOCKET_PATH:
        return inside
    digest = hashlib.sha256(os.fsencode(datadir)).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"basalt-{digest}.sock"


def install_data_directory(datadir: Path) -> None:
    """Makes a fresh data directory: root without a password, no test database."""
    if datadir.is_dir() and any(p.name not in ("error.log",) for p in datadir.iterdir()):
        raise DevError(f"{datadir} is neither empty nor a data directory")
    datadir.mkdir(parents=True, exist_ok=True)
    command = [
        str(paths.client("mariadb-install-db")),
        "--no-defaults",
        f"--basedir={paths.basedir()}",
        f"--datadir={datadir}",
        f"--lc-messages-dir={paths.lc_messages_dir()}",
        "--auth-root-authentication-method=normal",
        "--skip-test-db",
        "--innodb-log-file-size=32M",
        "--innodb-buffer-pool-size=64M",
    ]
    if os.geteuid() == 0:
        command.append("--user=root")
    # any server that starts meanwhile with the system's folder would remove its temporary tables
    with tempfile.TemporaryDirectory(prefix="basalt-install-") as own:
        command.append(f"--tmpdir={own}")
        done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        shutil.rmtree(datadir, ignore_errors=True)
        tail = "\n".join((done.stdout + done.stderr).splitlines()[-15:])
        raise DevError(f"mariadb-install-db failed for {datadir}\n{tail}")


def answers(path: Path) -> bool:
    """True when a server greets on the socket: the greeting comes only when it takes clients."""
    try:
        with sockets.socket(sockets.AF_UNIX, sockets.SOCK_STREAM) as client:
            client.settimeout(5.0)
            client.connect(str(path))
            # 4 bytes packet header, then protocol version 10 (client/server protocol, handshake)
            greeting = client.recv(5)
            return len(greeting) == 5 and greeting[4] == 10
    except OSError:
        return False


def alive(pid: int) -> bool:
    """True while the process exists and is not a zombie."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False
