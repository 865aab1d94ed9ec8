# SPDX-License-Identifier: GPL-2.0-only
"""The harness with clients that change tables beside some that write rows."""

import re

from tests.crash.ddl import DATABASE, Ddl, check_files, check_log
from tests.crash.harness import Harness
from tests.kit.clients.bank import Bank
from tests.kit.clients.client import Problem
from tests.kit.clients.ledger import Ledger, TwoEngines

# A row for each table that has no partitions, and for each partition.
COUNT_TABLES = (
    "SELECT COUNT(*) FROM information_schema.partitions p JOIN information_schema.tables t"
    " USING (table_schema, table_name) WHERE t.engine = 'ROCKSDB'"
)
INNODB_TABLES = "SELECT name FROM information_schema.INNODB_SYS_TABLES"
MENDED = re.compile(r"ROCKSDB: .*(left by|had lost|was found as|more tables|was making)")


class DdlHarness(Harness):
    classes = [Ddl, Ddl, Ddl, Ddl, Ledger, Bank, TwoEngines]

    def check(self) -> list[Problem]:
        ddl = [client for client in self.clients if isinstance(client, Ddl)]
        accounted = {name for client in ddl for name in client.names_in_flight()}
        problems = super().check()
        if not problems:
            accounted |= {name for client in ddl for name in client.tables}
        innodb = {row[0] for row in self.server.query(INNODB_TABLES)}
        problems += check_files(self.server.datadir / DATABASE, innodb)
        return problems + check_log(self.server.log_tail(100000), accounted)

    def finish(self) -> list[Problem]:
        """A clean restart finds the tables that the server knows and nothing to mend."""
        self.server.stop()
        self.server.start()
        known = self.server.query(COUNT_TABLES)[0][0]
        text = self.server.log_tail(100000)
        self.server.stop()
        found = re.search(r"ROCKSDB: .*: (\d+) tables?, ", text)
        problems = check_log(text)
        if found is None or int(found[1]) != known:
            there = found[1] if found else "no"
            problems.append(Problem("broken", f"{there} tables in the dictionary, {known} known"))
        lines = [line for line in text.splitlines() if MENDED.search(line)]
        return problems + [Problem("broken", f"mended by a clean start: {t}") for t in lines[:5]]
