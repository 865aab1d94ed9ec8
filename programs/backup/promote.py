# SPDX-License-Identifier: GPL-2.0-only
"""A replica becomes the primary by one command: all that it has received is applied, what another
replica has more is named, and only then it is made writable.

RESET SLAVE ALL comes last. So what was interrupted is done to its end by the same command.

One thing is dangerous here. With GTIDs, START SLAVE throws away the relay logs when neither thread
runs, and with them what was received, acknowledged and not yet applied. So the applying thread goes
on to the end, and where both have been stopped the relay logs are read.
"""

import re
import shlex
import subprocess
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pymysql.cursors

from programs.backup import gtid
from programs.backup.errors import BackupError
from programs.backup.extract import find
from programs.backup.gtid import Position
from programs.backup.progress import Progress
from programs.backup.server import Server

STEP_SECONDS = 1.0
ON = ("1", "ON")
# of mariadb-binlog's output: the begin of a transaction, its ends, a statement
GTID_EVENT = re.compile(r"#.*\bGTID (\d+-\d+-\d+) (\S*)")
END = re.compile(r"COMMIT|ROLLBACK|XA ")
QUERY = re.compile(r"#.*\tQuery\t")


@dataclass
class Promoted:
    """`gtid`: where the histories meet. `others`: what the other replicas are to do."""

    gtid: str
    old_primary: str
    others: list[str]
    notes: list[str]


class Promotion:
    """`others`: other replicas of the same primary, which may have received more."""

    def __init__(self, server: Server, others: dict[str, Server], progress: Progress):
        self.server, self.others, self.progress = server, others, progress
        self.unreadable = ""

    def run(self, wanted: Position, seconds: float) -> Promoted:
        """`wanted`: where the primary ended, {} where nobody knows. Refused as long as `seconds`
        pass without the end of what was received; the replica goes on applying it then."""
        before = self.status()
        if wanted:
            self.progress.begin(f"waiting for {gtid.text_of(wanted)}")
            self.wait(wanted, seconds)
        elif before["Slave_IO_Running"] == "Yes":
            raise BackupError(ALIVE.format(address(before)))
        self.check_others()
        self.start_applying()
        self.apply(seconds)
        # only now, so that an error above leaves the relay logs where START SLAVE keeps them
        self.server.run("STOP SLAVE IO_THREAD")
        self.apply(seconds)
        return self.take_over(before)

    def status(self) -> dict[str, object]:
        """Of its only connection, which becomes the default one of this session."""
        rows = statuses(self.server)
        if not rows:
            raise BackupError("this server is no replica: SHOW ALL SLAVES STATUS is empty")
        if len(rows) > 1:
            names = ", ".join(repr(row["Connection_name"]) for row in rows)
            raise BackupError(f"this server follows several primaries: {names}; unsupported")
        if rows[0]["Using_Gtid"] == "No":
            raise BackupError("this replica goes by files and offsets: set MASTER_USE_GTID first")
        name = rows[0]["Connection_name"].replace("'", "''")
        self.server.run(f"SET SESSION default_master_connection='{name}'")
        return rows[0]

    # --- what was received

    def start_applying(self) -> None:
        """Refused when nothing runs and something is left in the relay logs."""
        now = self.status()
        if now["Slave_SQL_Running"] != "No":
            return
        if now["Slave_IO_Running"] == "No":
            self.check_relay_logs(now)
        else:  # the other thread keeps the relay logs
            self.server.run("START SLAVE SQL_THREAD")

    def apply(self, seconds: float) -> None:
        received = gtid.parse(str(self.status()["Gtid_IO_Pos"]))
        if gtid.beyond(received, self.applied()):
            self.progress.begin(f"applying what was received, up to {gtid.text_of(received)}")
        self.wait(received, seconds)

    def applied(self) -> Position:
        """Not by the binary log: what somebody wrote here would hide what is missing."""
        return gtid.parse(self.server.variable("gtid_slave_pos"))

    def wait(self, wanted: Position, seconds: float) -> None:
        """Waits as long as something comes."""
        reached, deadline = self.applied(), time.monotonic() + seconds
        while missing := gtid.beyond(wanted, reached):
            self.check_running(missing)
            text = gtid.text_of(missing)
            self.server.run(f"SELECT MASTER_GTID_WAIT('{text}', {min(STEP_SECONDS, seconds)})")
            now = self.applied()
            if now != reached:
                reached, deadline = now, time.monotonic() + seconds
            elif time.monotonic() > deadline:
                at = gtid.text_of(reached)
                raise BackupError(f"nothing came for {seconds:.0f} s: it is at {at}, not at {text}")

    def check_running(self, missing: Position) -> None:
        status = self.status()
        if status["Slave_SQL_Running"] == "No":
            why = status["Last_SQL_Error"] or "its SQL thread is stopped"
            text = gtid.text_of(missing)
            raise BackupError(f"what was received up to {text} cannot be applied: {why}")

    def check_relay_logs(self, status: dict[str, object]) -> None:
        """Refused when they have what is not applied: START SLAVE would throw it away."""
        files, applied = self.relay_logs(status), self.applied()
        there: Position = {}
        for file in files:
            found, self.unreadable = read_relay_log(file)
            there = gtid.later(there, found)
            if self.unreadable:
                break  # as mariadb-binlog does
        if not gtid.beyond(there, applied):
            return
        why = f" ({status['Last_SQL_Error']})" if status["Last_SQL_Error"] else ""
        start = [f"--start-position={gtid.text_of(applied)}"] if applied else []
        command = shlex.join([*reader(), *start, *map(str, files)])
        end = gtid.text_of(gtid.later(applied, there))
        raise BackupError(UNAPPLIED.format(why, end, command))

    def relay_logs(self, status: dict[str, object]) -> list[Path]:
        """As the index of this connection has them."""
        index = self.server.datadir / self.server.variable("relay_log_index")
        if status["Connection_name"] or index == self.server.datadir:
            folder = self.server.datadir if index == self.server.datadir else index.parent
            index = folder / (str(status["Relay_Log_File"]).rpartition(".")[0] + ".index")
        try:
            names = index.read_text().split("\n")
        except OSError as error:
            text = f"{index} cannot be read, so nobody knows what is not applied: {error.strerror}"
            raise BackupError(text) from error
        return [self.server.datadir / name for name in names if name]

    def check_others(self) -> None:
        """One that has more than this server would be lost work, and cannot follow it."""
        rows = statuses(self.server)
        mine = gtid.later(self.applied(), gtid.parse(str(rows[0]["Gtid_IO_Pos"])))
        for name, other in self.others.items():
            texts = [str(row["Gtid_IO_Pos"]) for row in statuses(other)]
            texts.append(other.variable("gtid_slave_pos"))
            for text in texts:
                more = gtid.beyond(gtid.parse(text), mine)
                if more:
                    at = gtid.text_of(more)
                    raise BackupError(f"{name} has more, up to {at}: promote that one instead")

    # --- the new role

    def take_over(self, before: dict[str, object]) -> Promoted:
        self.progress.begin("taking over")
        run, variable = self.server.run, self.server.variable
        run("STOP SLAVE")
        end = self.applied()
        semi_sync = variable("rpl_semi_sync_slave_enabled") in ON
        if semi_sync:
            run("SET GLOBAL rpl_semi_sync_slave_enabled=OFF")
        notes = [*self.enable_events(), *self.notes(end, semi_sync)]
        run("SET GLOBAL read_only=OFF")
        run("RESET SLAVE ALL")
        return Promoted(gtid.text_of(end), address(before), self.advice(), notes)

    def enable_events(self) -> list[str]:
        """Those of the old primary, which a replica does not run. Their owners stay. Returns what
        the server says of those that it does not switch on."""
        asked = "SELECT event_schema, event_name, definer FROM information_schema.EVENTS"
        refused = []
        for *name, definer in self.server.run(f"{asked} WHERE status='SLAVESIDE_DISABLED'"):
            user, _, host = definer.rpartition("@")
            words = f"ALTER DEFINER={quoted(user)}@{quoted(host)} EVENT"
            try:
                self.server.run(f"{words} {'.'.join(map(quoted, name))} ENABLE")
            except BackupError as error:
                refused.append(str(error))
        return refused

    def advice(self) -> list[str]:
        host = self.server.variable("report_host") or self.server.variable("hostname")
        there = f"MASTER_HOST='{host}', MASTER_PORT={self.server.variable('port')}"
        return [
            "STOP SLAVE",
            f"CHANGE MASTER TO {there}, MASTER_USE_GTID=slave_pos",
            "START SLAVE",
        ]

    def notes(self, end: Position, semi_sync: bool) -> list[str]:
        found = [f"not read to its end: {self.unreadable}"] if self.unreadable else []
        own = gtid.beyond(gtid.parse(self.server.variable("gtid_binlog_pos")), end)
        if own:
            found.append(f"written here and on no primary, up to {gtid.text_of(own)}")
        if self.server.variable("log_bin") not in ON:
            found.append("log_bin is off: no replica can follow this server")
        elif self.server.variable("log_slave_updates") not in ON:
            found.append("log_slave_updates is off: a replica that is behind cannot follow it")
        if semi_sync:
            found.append("semi-sync: set rpl_semi_sync_master_enabled once a replica is there")
        found.append("the old primary can follow unless its @@gtid_binlog_pos is beyond this GTID")
        found.append("take read_only, and what made it a replica, out of its option file")
        return found


ALIVE = (
    "the primary {} answers: make it read-only and give its @@gtid_binlog_pos by --position."
    " If it is gone, and this was not noticed yet: STOP SLAVE IO_THREAD"
)
UNAPPLIED = (
    "replication is stopped{0}, and the relay logs have transactions up to {1} that are not"
    " applied; START SLAVE would throw them away. Apply them, then promote:"
    " ({2}; echo \"SET GLOBAL gtid_slave_pos='{1}'\") | mariadb"
)


def reader() -> list[str]:
    return [find("mariadb-binlog", "mariadb-client"), "--no-defaults"]


def read_relay_log(file: Path) -> tuple[Position, str]:
    """What is whole in it, and why it cannot be read to its end, '' when it can."""
    with subprocess.Popen(
        [*reader(), str(file)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    ) as process:
        found = whole(process.stdout)
        said = process.stderr.read().strip().split("\n")[-1]
    return found, f"{file}: {said}" if process.returncode else ""


def whole(lines: Iterable[str]) -> Position:
    """Of the transactions in mariadb-binlog's output, those of which the end is there too. One that
    is cut off was acknowledged to nobody."""
    found: Position = {}
    begun, alone = "", False
    for line in lines:
        if match := GTID_EVENT.match(line):
            begun, alone = match[1], match[2] == "ddl"
        elif begun and (END.match(line) or (alone and QUERY.match(line))):
            found, begun = gtid.later(found, gtid.parse(begun)), ""
    return found


def statuses(server: Server) -> list[dict[str, object]]:
    with server.link.cursor(pymysql.cursors.DictCursor) as cursor:
        cursor.execute("SHOW ALL SLAVES STATUS")
        return list(cursor.fetchall())


def address(status: dict[str, object]) -> str:
    return f"{status['Master_Host']}:{status['Master_Port']}"


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
