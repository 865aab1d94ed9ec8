# SPDX-License-Identifier: GPL-2.0-only
"""The harness with clients that write rows with foreign keys, and nothing else: cascades under way
at each kill, parents that many want at the same time, XA transactions that hold parents and
children over it."""

from tests.crash.harness import Harness
from tests.kit.clients.client import Problem
from tests.kit.clients.family import Family
from tests.kit.clients.prepared_family import PreparedFamily
from tests.kit.clients.rival import Rival


class CascadeHarness(Harness):
    classes = [Family, Family, Family, Rival, Rival, Rival, Rival, PreparedFamily, PreparedFamily]

    def finish(self) -> list[Problem]:
        waits = sum(c.waits for c in self.clients if isinstance(c, PreparedFamily))
        print(f"   {waits} statements had to wait for a prepared transaction, as they must")
        return super().finish()
