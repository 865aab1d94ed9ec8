# SPDX-License-Identifier: GPL-2.0-only
"""One run of pt-online-schema-change on a table with constraints, while a client writes.

The tool tells where it is by its own hooks (--plugin): it waits for the client before it copies
rows and before it swaps the tables, so that statements run in each part on any machine.
"""

import threading
import time
from dataclasses import dataclass
from pathlib import Path

from tests.client_tools import programs
from tests.client_tools.constraints.schema import Pair
from tests.client_tools.constraints.writer import Writer
from tests.kit.clients.client import Problem
from tests.kit.replicas.node import Node
from tools.setup import client_tools

HOOKS = """
package pt_online_schema_change_plugin;
sub new { my ($class, %args) = @_; return bless {%args}, $class; }
sub meet {
   my $file = "FOLDER/" . shift;
   open(my $asked, '>', "$file.asked") or die $!;
   close $asked;
   select(undef, undef, undef, 0.01) until -e "$file.granted";
}
sub before_copy_rows { meet('copy') }
sub before_swap_tables { meet('swap') }
1;
"""
STATEMENTS = 40  # of the client before the tool may go on


PAUSE_SECONDS = 0.002  # between its statements; what it does is done again afterwards


@dataclass(frozen=True)
class Case:
    """`options`: what the user adds, with {near} and {far} for the databases. `missing`: for a
    moment there is no table. `cut_off`: its children refer to nothing in the end. `status`: how the
    tool ends, and `says` what it says, on every engine."""

    name: str
    table: str
    options: tuple[str, ...] = ()
    missing: bool = False
    cut_off: bool = False
    status: int = 0
    says: str = "Successfully altered"


METHOD = "--alter-foreign-keys-method="
SELF = "--no-check-foreign-keys"  # else it refuses a table that refers to itself
# It takes a server for MariaDB by `version_comment`, where Debian's has "Debian 12", and refuses
# drop_swap for MySQL 8.0 and later. A server that gives itself a lower version is not refused.
OLDER = "--version=5.7.99-MariaDB"
# On tables of an engine named ROCKSDB it refuses FOREIGN KEY, but looks for it with one space only.
ADDED = (
    "--alter=ADD COLUMN extra INT NOT NULL DEFAULT 5,"
    " ADD CONSTRAINT added FOREIGN{space}KEY (extra) REFERENCES {{far}}.region (id)"
)
REFUSED_BY_NAME = Case(
    "a new constraint, refused",
    "item",
    (ADDED.format(space=" "),),
    status=17,
    says="FOREIGN KEYS are not supported by the RocksDB engine",
)
CASES = (
    Case("rebuild_constraints", "customer", (f"{METHOD}rebuild_constraints",)),
    Case(
        "drop_swap, refused by the version",
        "customer",
        (f"{METHOD}drop_swap",),
        status=1,
        says="doesn't work with MySQL 8.0+",
    ),
    Case("none", "customer", (f"{METHOD}none", "--force"), missing=True, cut_off=True),
    Case("no method, refused", "customer", status=1, says="You did not specify --alter-foreign"),
    Case("a child", "item"),
    Case("a new constraint", "item", (ADDED.format(space="  "),)),
    Case("a child that is a parent", "orders", (f"{METHOD}rebuild_constraints",)),
    Case(
        "auto, circle of two tables",
        "team",
        (f"{METHOD}auto", "--chunk-size=1000"),
        says="can use rebuild_constraints",
    ),
    Case(
        "refers to itself, refused",
        "category",
        (f"{METHOD}auto",),
        status=1,
        says="has self-referencing foreign keys",
    ),
    Case("refers to itself", "category", (f"{METHOD}rebuild_constraints", SELF)),
)
OLDER_CASES = (
    Case("drop_swap", "customer", (f"{METHOD}drop_swap",), missing=True),
    Case(
        "auto, many children",
        "customer",
        (f"{METHOD}auto",),
        missing=True,
        says="must use drop_swap",
    ),
)


class Change:
    """Runs a case on the tables of a pair, made anew. `rests`: the client writes nothing while the
    tool swaps the tables and afterwards."""

    def __init__(self, case: Case, node: Node, pair: Pair, seed: str, log: Path, rests: bool):
        self.case, self.node, self.pair, self.log = case, node, pair, log
        self.rests = rests
        self.writer = Writer(seed, pair, case.table)
        self.meetings = log.with_suffix("")
        self.ended = threading.Event()

    def run(self) -> None:
        """Raises Broken when the tool ends in another way than it should."""
        self.meetings.mkdir(parents=True)
        client = threading.Thread(target=self.write, daemon=True)
        client.start()
        try:
            programs.run(self.log, self.command(), good=(self.case.status,))
        finally:
            self.ended.set()
            client.join()

    def heard(self) -> list[Problem]:
        """Whether the tool ended for the reason that is meant."""
        if self.case.says in self.log.read_text():
            return []
        return [Problem("broken", f"the tool does not say '{self.case.says}' in {self.log}")]

    def command(self) -> list[object]:
        hooks = self.meetings / "hooks.pm"
        hooks.write_text(HOOKS.replace("FOLDER", str(self.meetings)))
        return [
            client_tools.program("pt-online-schema-change"),
            f"S={self.node.server.socket},u=root,D={self.pair.near},t={self.case.table}",
            "--alter=ADD COLUMN extra INT NOT NULL DEFAULT 5",
            f"--plugin={hooks}",
            "--recursion-method=none",
            "--no-version-check",
            "--no-check-replication-filters",
            "--chunk-size=100",
            "--execute",
            *map(self.pair.format, self.case.options),
        ]

    def write(self) -> None:
        with self.node.connect(self.pair.near) as link, link.cursor() as cursor:
            while not self.ended.is_set():
                self.writer.write(cursor)
                self.meet(cursor)
                if self.rests and self.granted("swap").exists():
                    break
                time.sleep(PAUSE_SECONDS)

    def granted(self, name: str) -> Path:
        """The file that lets the tool go on."""
        return self.meetings / f"{name}.granted"

    def meet(self, cursor) -> None:
        """Lets the tool go on when it waits, after more statements."""
        for name in ("copy", "swap"):
            granted = self.granted(name)
            if granted.exists() or not (self.meetings / f"{name}.asked").exists():
                continue
            if name == "swap":
                self.writer.be_careful(self.case.missing)
            for _ in range(STATEMENTS):
                self.writer.write(cursor)
            granted.touch()
