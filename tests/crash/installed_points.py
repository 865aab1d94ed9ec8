# SPDX-License-Identifier: GPL-2.0-only
"""A transaction over two engines, on a server that has got ROCKSDB by INSTALL SONAME and writes no
binary log, so that there is no two-phase commit (docs/durability.md): killed before each file
operation of its COMMIT. One engine commits after the other, so some of these deaths leave half of
it. That is counted, and must be seen, because the document says so. What was acknowledged is in
both."""

from pathlib import Path

from tests.crash.commit_points import Contents, Script, Step
from tests.crash.harness import COMMON
from tests.crash.point_harness import PointHarness
from tests.kit.clients.client import Problem
from tools.errors import DevError
from tools.server import PrivateServer, default_plugin_dir

HERE, THERE = "INSERT INTO here VALUES (8, 80)", "INSERT INTO there VALUES (8, 80)"
ROW = (8, 80)


class TwoEnginesScript(Script):
    """Not run as a thread. `halves`: by statement, how often its half was found."""

    filled = ("here", "there")

    def __init__(self, number: int, seed: int, connect):
        super().__init__(number, seed, connect)
        self.halves = dict.fromkeys(self.statements(), 0)
        self.statement = ""
        self.found = ""  # of the last check, in words

    def create(self) -> list[str]:
        return [
            "CREATE TABLE here (id INT PRIMARY KEY, v INT NOT NULL, KEY v (v)) ENGINE=ROCKSDB",
            "CREATE TABLE there (id INT PRIMARY KEY, v INT NOT NULL) ENGINE=InnoDB",
            "CREATE TABLE settled (n INT) ENGINE=InnoDB",
        ]

    def clear(self) -> None:
        for table in ("here", "there"):
            self.execute(f"DELETE FROM {table}")

    def statements(self) -> dict[str, list[Step]]:
        """In both orders: the server commits the engine first that came last."""
        old = Contents()
        new = Contents(here=old.here | {ROW}, there=old.there | {ROW})
        return {
            "ROCKSDB, then InnoDB": [("BEGIN", None), (HERE, None), (THERE, None), ("COMMIT", new)],
            "InnoDB, then ROCKSDB": [("BEGIN", None), (THERE, None), (HERE, None), ("COMMIT", new)],
        }

    def check(self, execute) -> list[Problem]:
        found = self.read(execute)
        here, there = ROW in found.here, ROW in found.there
        self.found = "all" if here and there else "none"
        if self.pending is not None and here != there:
            self.found = f"half, in {'ROCKSDB' if here else 'InnoDB'}"
            self.halves[self.statement] += 1
            self.settle(False)
            self.known, self.pending = found, None
            return []
        return super().check(execute)

    def read(self, execute) -> Contents:
        return Contents(
            here=frozenset(execute("SELECT id, v FROM here FORCE INDEX (v)")),
            there=frozenset(execute("SELECT id, v FROM there")),
        )

    # It has no table with an AUTO_INCREMENT column or versions.

    def check_numbers(self, execute) -> list[Problem]:
        return []

    def check_registry(self, execute) -> list[Problem]:
        return []

    def fill_versions(self, fresh: Contents) -> None:
        pass


class LateServer(PrivateServer):
    """Gets the engine when it runs, at each start anew."""

    def __init__(self, folder: Path, engine: str, options: list[str], **settings):
        plugins = default_plugin_dir(engine)
        super().__init__(folder, "innodb", options, plugin_dir=plugins, **settings)

    def start(self, wait: bool = True) -> "LateServer":
        super().start(wait)
        # The next start shall not find the engine: it would give it two-phase commit.
        self.sql("INSTALL SONAME 'ha_rocksdb'; DELETE FROM mysql.plugin")
        xa = self.query("SELECT xa FROM information_schema.engines WHERE engine = 'ROCKSDB'")
        if xa != [("NO",)]:
            raise DevError(f"ROCKSDB by INSTALL SONAME: two-phase commit is {xa}, not NO")
        return self


class InstalledPoints(PointHarness):
    classes = [TwoEnginesScript]
    server_kind = LateServer
    double_kill_share = 0  # the start does not have the engine yet

    def options(self) -> list[str]:
        return COMMON  # none of the engine's, which is not there at the start

    def plan_kills(self, kills: int | None) -> int:
        """All points, however many kills are asked for: they are few. And the end of each
        statement, when it is acknowledged."""
        self.plan = [(n, p) for n, count in self.operations.items() for p in range(1, count + 2)]
        return len(self.plan)

    def load_and_kill(self) -> None:
        self.script.statement = self.plan[self.kills][0]
        super().load_and_kill()

    def round(self) -> str:
        line = super().round()
        return f"{line}; found: {self.script.found}"

    def finish(self) -> list[Problem]:
        for name, count in self.script.halves.items():
            kills = sum(n == name for n, _ in self.plan)
            print(f"   {name}: {count} of {kills} deaths left half of the transaction")
        return super().finish() + [
            Problem("broken", f"{name}: no half was left; docs/durability.md says that one can be")
            for name, count in self.script.halves.items()
            if count == 0
        ]
