# SPDX-License-Identifier: GPL-2.0-only
"""The exporter of Prometheus: each counter of the engine arrives, as a number, and what the
dashboard of MyRocks reads moves under load, but for what cannot (dashboard.py)."""

import time
import urllib.request

from prometheus_client.parser import text_string_to_metric_families

from tests.client_tools import dashboard
from tests.client_tools.copied import Copied
from tests.client_tools.exporter import exporter
from tests.kit.clients.client import Problem
from tests.kit.replicas.node import DATABASE, Broken

COUNTERS = "mysql_global_status_rocksdb_"
VARIABLES = "mysql_global_variables_rocksdb_"
# how long the load goes on until everything has moved: some counters need luck with threads
PATIENCE_SECONDS = 60.0


def problem(found: list[str], text: str) -> list[Problem]:
    return [Problem("broken", f"{text}: {found}")] if found else []


def numbers(text: str, prefix: str) -> dict[str, float]:
    """The samples of a page of metrics whose names begin with `prefix`, by their names without it,
    whatever their labels."""
    samples = (s for family in text_string_to_metric_families(text) for s in family.samples)
    return {s.name.removeprefix(prefix): s.value for s in samples if s.name.startswith(prefix)}


def still_standing(before: dict[str, float], after: dict[str, float]) -> list[str]:
    """What should have moved and has not; a counter that is missing has not either."""

    moving = [name for name in dashboard.NAMES if name not in dashboard.STILL]
    nowhere = [name for name in moving if name not in before or name not in after]
    return nowhere + [n for n in moving if n not in nowhere and after[n] <= before[n]]


def restless(after: dict[str, float]) -> list[str]:
    """What is not there, or not 0, although it cannot move."""
    return [name for name in dashboard.STILL if after.get(name) != 0]


class Metrics(Copied):
    NAME = "metrics"

    def play(self) -> None:
        self.begin(*dashboard.OPTIONS)
        self.primary.server.sql("; ".join(dashboard.TABLES), DATABASE)
        with exporter(self.primary, self.log("exporter")) as address:
            before = self.scrape(address)
            after = self.moved(before, address)
            variables = self.scrape(address, VARIABLES)
        self.step(self.arrived(before), f"mysqld_exporter: {len(before)} counters as numbers")
        found = problem(still_standing(before, after), "counters that the load does not move")
        found += problem(restless(after), "counters that cannot move and have, or are missing")
        if not variables.get(dashboard.VARIABLE):
            found.append(Problem("broken", f"the variable {dashboard.VARIABLE} does not arrive"))
        count = len(dashboard.NAMES) - len(dashboard.STILL)
        line = f"{count} counters of the dashboard move in {self.counts['rounds']} rounds of load"
        self.step(found, f"mysqld_exporter: {line}")

    def moved(self, before: dict[str, float], address: str) -> dict[str, float]:
        """The counters after the load, when all have moved or patience is at its end."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            self.count("rounds")
            self.under_load(self.execute)
            after = self.scrape(address)
            if not still_standing(before, after) or time.monotonic() > deadline:
                return after

    def execute(self) -> None:
        with self.primary.connect() as link, link.cursor() as cursor:
            for statement in dashboard.STATEMENTS:
                cursor.execute(statement)

    def scrape(self, address: str, prefix: str = COUNTERS) -> dict[str, float]:
        """Counters, or other numbers, of the engine by their names without prefix."""
        deadline = time.monotonic() + 20
        while True:
            try:
                with urllib.request.urlopen(f"http://{address}/metrics", timeout=10) as answer:
                    text = answer.read().decode()
                break
            except OSError as error:
                if time.monotonic() > deadline:
                    raise Broken(f"the exporter does not answer: {error}") from error
                time.sleep(0.1)
        return numbers(text, prefix)

    def arrived(self, scraped: dict[str, float]) -> list[Problem]:
        """The exporter drops what is no number, without a word."""
        status = self.primary.server.query("SHOW GLOBAL STATUS LIKE 'rocksdb\\_%'")
        names = {name.lower().removeprefix("rocksdb_") for name, _ in status}
        missing = sorted(names - scraped.keys())
        if not names:
            return [Problem("broken", "the server shows no counter of the engine")]
        return [Problem("broken", f"counters that do not arrive: {missing}")] if missing else []
