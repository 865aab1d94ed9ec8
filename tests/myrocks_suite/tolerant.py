# SPDX-License-Identifier: GPL-2.0-only
"""The tests as they are, but for one thing: where one expects an error, none is taken too.

A test ends at the first statement that answers otherwise than it says. So one that expects MyRocks
to refuse what Basalt does would end there, and nothing behind would be seen. In this copy, made in
the build folder for the time of a run, such a test goes on, and the whole difference shows in its
result. Tests run from here when they have ended early as they are. mysqltest writes no error down
where none would do, so that a result from here is only good to be compared with another.
"""

import re
import shutil
from pathlib import Path

from pymysql.constants import ER

from tests.myrocks_suite import suite
from tools import mtr

VARIANT = "tolerant"
ERROR = re.compile(r"^(\s*(?:--)?\s*error\s+)(?!0\b)(?=[A-Z0-9])", re.M)
# success, lock wait timeout, deadlock, not supported: what Basalt may answer in the place of others
ALSO = f"0,{ER.LOCK_WAIT_TIMEOUT},{ER.LOCK_DEADLOCK},{ER.NOT_SUPPORTED_YET},"


def tolerate(text: str) -> str:
    """Adds what is taken too to each `--error` of a test."""
    return ERROR.sub(lambda match: match[1] + ALSO, text)


def make_installation(engine: str) -> Path:
    """Like mtr.make_installation(); the copies are made anew each time."""
    tests = mtr.make_installation(engine, VARIANT)
    copy = tests / "plugin" / "rocksdb"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(suite.folder(), copy, symlinks=True)
    for name in suite.SUITES:
        for file in (copy / name).glob("*/*"):
            if file.suffix in (".test", ".inc"):
                # latin1: every byte stays as it is
                text = file.read_text(encoding="latin1")
                file.write_text(tolerate(text), encoding="latin1")
    return tests
