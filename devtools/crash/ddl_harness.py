# SPDX-License-Identifier: GPL-2.0-only
"""The harness with clients that change tables beside some that write rows."""

from devtools.crash.bank import Bank
from devtools.crash.client import Problem
from devtools.crash.ddl import DATABASE, Ddl, check_files, check_log
from devtools.crash.harness import Harness
from devtools.crash.ledger import Ledger, TwoEngines


class DdlHarness(Harness):
    classes = [Ddl, Ddl, Ddl, Ddl, Ledger, Bank, TwoEngines]

    def check(self) -> list[Problem]:
        problems = super().check()
        problems += check_files(self.server.datadir / DATABASE)
        return problems + check_log(self.server.log_tail(100000))
