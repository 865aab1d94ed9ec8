# SPDX-License-Identifier: GPL-2.0-only
"""The machine dies right before a sync of a statement that makes, changes, moves or drops a table.
What a disk holds for certain changes with syncs only, so these are all the states that a power cut
can leave of the statement.

Afterwards the table has its old shape or its new one, with nothing left over. With a binary log it
has the new one when, and only when, the log has the statement, which replicas then carry out, too.
Without one the server syncs less on the way, so there are other states.
"""

from pathlib import Path

import pymysql

from tests.faults.ddl_power_cuts import Case, database, make
from tests.faults.full_disk import expect
from tests.kit.kill_point import KillPoint
from tests.kit.loop_disk import LoopDisk
from tools.errors import DevError
from tools.server import PrivateServer

BINARY_LOG = ("--log-bin=log", "--server-id=1", "--sync-binlog=1")


# With a binary log or not, the names of the cases of the short form.
SHORT = {
    False: ("RENAME, partitions", "RENAME in a circle", "DROP PARTITION", "ADD PARTITION"),
    True: ("DROP", "CREATE OR REPLACE"),
}


class SyncPoints:
    """Of one server, which has its options and environment; it must be running, and runs
    afterwards."""

    def __init__(self, folder: Path, binary_log: bool):
        self.kill_point = KillPoint(folder / "control", operation="sync")
        self.binary_log = binary_log
        self.options = BINARY_LOG if binary_log else ()
        self.environment = self.kill_point.environment()

    def cut_before_each(self, case: Case, server: PrivateServer, disk: LoopDisk) -> str:
        """What was tried. Raises AssertionError when something is neither whole nor gone."""
        before = shape_after(case, server, "")
        after = shape_after(case, server, case.statement.format("model"))
        between = [shape_after(case, server, steps) for steps in case.between]
        found: list[str] = []
        sync = 0
        while self.dies(case, sync := sync + 1, server, disk):
            point = self.kill_point.point()
            disk.cut_power(server)
            server.start()
            wrong = self.judge(case, server, before, after, between)
            if wrong:
                found.append(f"before sync {sync} ({point}): {wrong}")
        expect(sync > 1, "no sync was met")
        expect(not found, f"{case.statement}: {'; '.join(found)}")
        return f"{sync - 1} syncs"

    def dies(self, case: Case, sync: int, server: PrivateServer, disk: LoopDisk) -> bool:
        """False when the statement has fewer syncs; it is carried out then."""
        make(case, server, "d")
        if self.binary_log:
            server.sql("RESET MASTER")
        disk.sync()
        with server.connect("d") as connection, connection.cursor() as cursor:
            self.kill_point.mark(cursor.execute)
            self.kill_point.arm(sync)
            try:
                for statement in case.statement.format("d").split("; "):
                    cursor.execute(statement)
            except pymysql.OperationalError:
                if not self.kill_point.point():
                    raise DevError(f"the server died by itself\n{server.log_tail()}") from None
                return True
            finally:
                self.kill_point.disarm()
        return False

    def judge(
        self, case: Case, server: PrivateServer, before: dict, after: dict, between: list[dict]
    ) -> str:
        """What is wrong; '' when nothing is."""
        found = shape(server, "d")
        if found not in (before, after):
            return "" if found in between else f"there is {found}"
        if not self.binary_log or before == after or is_logged(case, server) == (found == after):
            return ""
        if case.logged_late and found == after:
            return ""
        done, has = ("done", "lacks") if found == after else ("not done", "has")
        return f"it is {done}, and the binary log {has} it"


def shape_after(case: Case, server: PrivateServer, statements: str) -> dict:
    """Of the case's database, when these statements have been carried out in it."""
    make(case, server, "model")
    if statements:
        server.sql(f"USE model; {statements}")
    return shape(server, "model")


def shape(server: PrivateServer, name: str) -> dict:
    """Of a database. What InnoDB's own files are called after a power cut is not looked at, nor
    whether a DROP DATABASE that has not ended has dropped the default character set."""
    found = database(server, name)
    found["files"] = [file for file in found["files"] if not file.endswith((".ibd", "db.opt"))]
    return found


def is_logged(case: Case, server: PrivateServer) -> bool:
    """Whether the binary logs have the statement: the only one in the database since they began.
    The server's recovery undoes a CREATE that is there by a DROP behind it."""
    texts = [
        event[5]
        for (name, *_) in server.query("SHOW BINARY LOGS")
        for event in server.query(f"SHOW BINLOG EVENTS IN '{name}'")
    ]
    is_creation = case.statement.startswith("CREATE TABLE")
    if is_creation and any("/* generated by ddl recovery */" in text for text in texts):
        return False
    return any(text.startswith("use `d`; ") or "DROP DATABASE" in text for text in texts)
