# SPDX-License-Identifier: GPL-2.0-only
"""Applications of Python's frameworks; they run in a process of their own for each stage.

Django: its contributed applications and django CMS, made by all of their migrations.
Optuna: by Alembic from its first version on, with rows of that version, then used by itself.
"""

import sys
from pathlib import Path

from tests.foreign_keys.applications.application import (
    Action,
    Application,
    Stage,
    copied,
    dropped,
)
from tests.foreign_keys.applications.side import Side
from tests.foreign_keys.applications.touches import Touches
from tools.setup import applications

HERE = Path(__file__).parent


def stage_of(script: str, name: str, *more: str) -> Action:
    """Runs a stage of one of the scripts: `script NAME SOCKET DATABASE`."""

    def run(side: Side) -> list[str]:
        words = [name, str(side.server.socket), side.database, *more]
        command = [sys.executable, "-P", str(HERE / script), *words]
        return side.run(command, applications.python_environment()).splitlines()

    return run


class Site(Application):
    """As Django makes it on an engine that it does not know: with indexes of its own."""

    NAME = "site"
    CONSTRAINTS = 35
    TAKEN_FOR = "ROCKSDB"

    def stages(self) -> list[Stage]:
        script, amount = "site_script.py", "60" if self.long else "12"
        return [
            Stage("migrate", stage_of(script, "migrate", self.TAKEN_FOR)),
            Stage("fill", stage_of(script, "fill", self.TAKEN_FOR, amount)),
            Stage("change", stage_of(script, "change", self.TAKEN_FOR)),
            Stage("copy", copied()),
            Stage("touches", Touches(self.seed)),
            Stage("migrate back", stage_of(script, "back", self.TAKEN_FOR)),
            Stage("drop", dropped),
        ]


class PlainSite(Site):
    """As Django makes it on InnoDB: the engine makes the indexes of foreign keys."""

    NAME = "plain-site"
    TAKEN_FOR = "InnoDB"
    LONG_ONLY = True


class Trials(Application):
    NAME = "trials"
    CONSTRAINTS = 10

    def stages(self) -> list[Stage]:
        script, amount = "trials_script.py", "60" if self.long else "10"
        return [
            Stage("first version", stage_of(script, "first")),
            Stage("upgrade", stage_of(script, "upgrade")),
            Stage("use", stage_of(script, "use", amount)),
            Stage("copy", copied()),
            Stage("touches", Touches(self.seed)),
            Stage("drop", dropped),
        ]
