# SPDX-License-Identifier: GPL-2.0-only
"""Debian's Prometheus and its exporters: the rules of docs/operate/alerts.yml are tested, and every
query of docs/operate/dashboard.json has an answer, also those of the text files that the page on
monitoring makes by SQL."""

import contextlib
import json
import re
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

from tests.client_tools.exporter import exporter, serving
from tests.kit.clients.client import Problem
from tests.kit.replicas.scenario import Scenario
from tools import paths
from tools.setup import client_tools

OPERATE = paths.ROOT / "docs" / "operate"
# in the place of variables of Grafana
VARIABLES = {"$__rate_interval": "10s", "$instance": ".*"}
PATIENCE_SECONDS = 60.0
SCHEMA = (
    "CREATE DATABASE shop",
    "CREATE TABLE shop.orders (id INT PRIMARY KEY AUTO_INCREMENT, note VARCHAR(200), KEY (note))",
)
WORK = (
    "INSERT INTO orders (note) SELECT MD5(RAND()) FROM seq_1_to_50",
    "SELECT COUNT(*) FROM orders WHERE note > 'c'",
    "SELECT note FROM orders WHERE id = 7",
    "UPDATE orders SET note = 'x' WHERE id = 9",
    "DELETE FROM orders WHERE id < 5",
)
CONFIGURATION = """\
global: {{scrape_interval: 1s, evaluation_interval: 1s}}
rule_files: ['{rules}']
scrape_configs:
  - job_name: servers
    static_configs: [{{targets: ['{server}', '{machine}']}}]
"""


class Prometheus(Scenario):
    NAME = "prometheus"

    def play(self) -> None:
        client_tools.install_monitoring()
        self.step(self.rules(), "promtool: the rules are well formed, and their tests pass")
        self.primary = self.node(1, binlog=False)
        self.primary.start()
        self.primary.server.sql("; ".join(SCHEMA))
        self.primary.server.sql("SET GLOBAL rocksdb_force_flush_memtable_now=1")
        with contextlib.ExitStack() as stack:
            address = stack.enter_context(self.prometheus(stack))
            found = self.answered(address)
            self.step(found, f"{len(queries())} queries of the dashboard have an answer")
            self.step(self.rules_evaluated(address), "Prometheus evaluates every rule")

    def rules(self) -> list[Problem]:
        found = []
        for action, file in (("check", "alerts.yml"), ("test", "alerts_test.yml")):
            command = [self.program("promtool"), action, "rules", file]
            done = subprocess.run(command, cwd=OPERATE, capture_output=True, text=True)
            if done.returncode != 0:
                found.append(Problem("broken", f"promtool {action}: {done.stdout}{done.stderr}"))
        return found

    def program(self, name: str) -> Path:
        return client_tools.program(name, client_tools.monitoring_home())

    def prometheus(self, stack: contextlib.ExitStack):
        """Prometheus with the exporters of the server and of the machine."""
        texts = self.folder / "texts"
        texts.mkdir()
        (texts / "rocksdb.prom").write_text(self.primary.server.sql(text_file_sql()))
        machine = [
            self.program("prometheus-node-exporter"),
            f"--collector.textfile.directory={texts}",
        ]
        environment = client_tools.environment()
        addresses = {
            "server": stack.enter_context(exporter(self.primary, self.log("exporter"))),
            "machine": stack.enter_context(serving(machine, self.log("machine"), environment)),
        }
        file = self.folder / "prometheus.yml"
        file.write_text(CONFIGURATION.format(rules=OPERATE / "alerts.yml", **addresses))
        command = [self.program("prometheus"), f"--config.file={file}"]
        command += [f"--storage.tsdb.path={self.folder / 'tsdb'}"]
        return serving(command, self.log("prometheus"), environment)

    def log(self, name: str) -> Path:
        return self.folder / f"{name}.log"

    def answered(self, address: str) -> list[Problem]:
        """Works until every query has an answer, or patience is at its end."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            self.primary.server.sql("; ".join(WORK), "shop")
            without = [query for query in queries() if not self.answer(address, query)]
            if not without or time.monotonic() > deadline:
                return [Problem("broken", f"no answer: {query}") for query in without]
            time.sleep(0.5)

    def answer(self, address: str, query: str) -> list[Any]:
        for name, value in VARIABLES.items():
            query = query.replace(name, value)
        path = "query?" + urllib.parse.urlencode({"query": query})
        return self.ask(address, path).get("result", [])

    def rules_evaluated(self, address: str) -> list[Problem]:
        groups = self.ask(address, "rules").get("groups", [])
        rules = [rule for group in groups for rule in group["rules"]]
        bad = [f"{rule['name']}: {rule['health']}" for rule in rules if rule["health"] != "ok"]
        if not rules:
            bad.append("there is none")
        return [Problem("broken", f"rules: {bad}")] if bad else []

    def ask(self, address: str, path: str) -> dict[str, Any]:
        """{} while it does not listen yet."""
        try:
            with urllib.request.urlopen(f"http://{address}/api/v1/{path}", timeout=10) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as error:
            self.add([Problem("broken", f"{path}: {error.read().decode()}")])
            return {}
        except OSError:
            return {}


def queries() -> list[str]:
    panels = json.loads((OPERATE / "dashboard.json").read_text())["panels"]
    return [target["expr"] for panel in panels for target in panel.get("targets", [])]


def text_file_sql() -> str:
    """The statements of the page that make the text file."""
    page = (OPERATE / "monitor.md").read_text()
    return re.search(r"<<'SQL'[^\n]*\n(.*?)\n +SQL\n", page, re.S)[1]
