# SPDX-License-Identifier: GPL-2.0-only
"""One table by pt-online-schema-change of Percona's toolkit: it copies in pieces while triggers
keep the copy up to date, so writers go on, replicas keep up, and the load stays bounded."""

import contextlib
import ctypes
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator

from programs.connection import tls_lines
from programs.migrate.catalog import SCRATCH
from programs.migrate.errors import MigrateError, SqlError, Stopped
from programs.migrate.interrupt import Interrupt
from programs.migrate.names import Name, quoted
from programs.migrate.progress import Progress
from programs.migrate.server import Server
from programs.migrate.throttle import Limits

PROGRAM = "pt-online-schema-change"
DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of prctl(2)
LONGEST_NAME = 64
COPIED = re.compile(r"^Copying .*?:\s+(\d+)% (\S+) remain")
QUIET_LOOKS, LOOK_SECONDS = 5, 0.3


class OnlineChange:
    def __init__(
        self,
        control: Server,
        limits: Limits,
        log: bool,
        progress: Progress,
        interrupt: Interrupt,
    ):
        self.control = control
        self.limits = limits
        self.log = log
        self.progress = progress
        self.interrupt = interrupt
        if shutil.which(PROGRAM) is None:
            raise MigrateError(f"{PROGRAM} is not installed (package percona-toolkit)")

    def run(self, name: Name, target: str, rows: int) -> None:
        """SqlError when it ends otherwise than well; then the table is as it was."""
        with self.replica_table(), self.option_file() as file:
            process = subprocess.Popen(
                self.command(name, target, file), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL, text=True, errors="replace", pass_fds=[file],
                preexec_fn=die_with_parent,
            )  # fmt: skip
            self.interrupt.child = process
            try:
                said = self.follow(process, str(name), rows)
            finally:
                self.interrupt.child = None
        if process.returncode != 0:
            remove_leftovers(self.control, name, self.log, self.progress)
            if self.interrupt.wanted:
                raise Stopped(f"{name}: stopped, the table is as it was")
            raise SqlError(0, f"{PROGRAM} ended with {process.returncode}: {reason(said)}")

    def command(self, name: Name, target: str, file: int = 0) -> list[str]:
        """No password is in it: the account stands in a file that only this process has."""
        dsn = {"D": name.schema, "t": name.table, "F": f"/proc/self/fd/{file}" if file else "FILE"}
        variables = "binlog_format=ROW" + ("" if self.log else ",sql_log_bin=0")
        command = [
            PROGRAM, "--alter", f"ENGINE={target}", "--execute", "--no-version-check",
            "--progress", "time,1", "--new-table-name", copy_of(name),
            "--max-lag", str(self.limits.lag), *self.replicas(),
            *(["--set-vars", variables] if self.control.binary_log else []),
        ]  # fmt: skip
        if self.limits.load is not None:
            command += ["--max-load", f"Threads_running={self.limits.load}"]
            command += ["--critical-load", f"Threads_running={10 * self.limits.load + 100}"]
        return [*command, ",".join(f"{key}={word}" for key, word in dsn.items())]

    def replicas(self) -> list[str]:
        if not self.limits.replicas:
            return ["--recursion-method", "none"]
        return ["--recursion-method", f"dsn=D={SCRATCH},t=replicas"]

    @contextlib.contextmanager
    def replica_table(self) -> Iterator[None]:
        """The tool reads from a table which replicas it shall wait for."""
        if not self.limits.addresses:
            yield
            return
        table = f"{SCRATCH}.replicas"
        self.control.do(f"DROP TABLE IF EXISTS {table}")
        self.control.do(
            f"CREATE TABLE {table} (id INT PRIMARY KEY, parent_id INT, dsn VARCHAR(255))"
            " ENGINE=InnoDB"
        )
        for number, at in enumerate(self.limits.addresses, 1):
            dsn = f"S={at.socket}" if at.local else f"h={at.host},P={at.port}"
            self.control.do(f"INSERT INTO {table} VALUES (%s, NULL, %s)", number, dsn)
        try:
            yield
        finally:
            with contextlib.suppress(SqlError):
                self.control.do(f"DROP TABLE IF EXISTS {table}")

    @contextlib.contextmanager
    def option_file(self) -> Iterator[int]:
        """Lives in memory, so that nothing of it stays on a disk when the program is killed."""
        file = os.memfd_create("options", 0)
        try:
            # the client library reads no file that everybody may write
            os.fchmod(file, 0o600)
            os.write(file, option_text(self.control).encode())
            yield file
        finally:
            os.close(file)

    def follow(self, process: subprocess.Popen, label: str, rows: int) -> list[str]:
        """What it says, until it ends."""
        said, began = [], time.monotonic()
        assert process.stdout is not None
        for line in process.stdout:
            found = COPIED.match(line)
            if found:
                self.progress.update(describe(label, rows, found, time.monotonic() - began))
            else:
                said.append(line.rstrip())
        process.wait()
        self.progress.clear()
        return said


def remove_leftovers(control: Server, name: Name, log: bool, progress: Progress) -> None:
    """Of a tool that was killed: its triggers, then its copy. It dies with the program that has
    started it, so only a moment is waited for."""
    copy = Name(name.schema, copy_of(name))
    triggers = control.rows(
        "SELECT trigger_name FROM information_schema.triggers WHERE event_object_schema=%s AND"
        " event_object_table=%s AND trigger_name LIKE 'pt\\_osc\\_%%'"
        " AND INSTR(action_statement, %s) > 0", name.schema, name.table, copy.table,
    )  # fmt: skip
    there = control.one(
        "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema=%s AND table_name=%s",
        copy.schema, copy.table,
    )  # fmt: skip
    if not triggers and not there:
        return
    wait_until_quiet(control, copy)
    with control.logged(log):
        for (trigger,) in triggers:
            control.do(f"DROP TRIGGER IF EXISTS {quoted(name.schema)}.{quoted(trigger)}")
        control.do(f"DROP TABLE IF EXISTS {copy.sql}")
    progress.say(f"{name}: what a killed {PROGRAM} had left is gone")


def wait_until_quiet(control: Server, copy: Name) -> None:
    quiet = 0
    while quiet < QUIET_LOOKS:
        busy = control.one(
            "SELECT COUNT(*) FROM information_schema.processlist"
            " WHERE id <> CONNECTION_ID() AND INSTR(info, %s) > 0"
            " AND INSTR(info, 'pt-online-schema-change') > 0", copy.table,
        )  # fmt: skip
        quiet = 0 if busy else quiet + 1
        time.sleep(LOOK_SECONDS)


def copy_of(name: Name) -> str:
    """A name that tells whose it is, so that what is left can be removed."""
    end = "_basalt_new"
    return f"_{name.table[: LONGEST_NAME - len(end) - 1]}{end}"


def option_text(server: Server) -> str:
    options = server.options
    where = (
        f"socket={options.socket}"
        if options.local
        else f"protocol=tcp\nhost={options.host}\nport={options.port}"
    )
    password = (options.password or "").replace("\\", "\\\\").replace('"', '\\"')
    tls = "".join(f"{line}\n" for line in tls_lines(options))
    return f'[client]\nuser={options.user}\npassword="{password}"\n{where}\n{tls}'


def describe(label: str, rows: int, found: re.Match, seconds: float) -> str:
    percent = int(found[1])
    done = rows * percent // 100
    rate = int(done / max(seconds, 0.1))
    return (
        f"{label}: {percent} %, {done:,} of about {rows:,} rows, {rate:,} rows/s, {found[2]} left"
    )


def reason(said: list[str]) -> str:
    """The first line of an error, without the place in the tool's source; else the last line."""
    errors = [line for line in said if re.search(r"error|refuse|cannot|failed|denied", line, re.I)]
    line = (errors or said[-1:] or ["it said nothing"])[0]
    return re.sub(r"\s+at /\S+ line \d+\.?$", "", line)


def die_with_parent() -> None:
    """In the child: SIGTERM when the parent dies in any way; the tool cleans up then."""
    ctypes.CDLL(None).prctl(DEATH_SIGNAL, signal.SIGTERM)
