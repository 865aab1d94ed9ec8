# SPDX-License-Identifier: GPL-2.0-only
"""The dashboard for Grafana asks only for what there is, and for all that the page on monitoring
tells to watch. Counters are looked up in docs/status.md, which `./dev test surface` compares with a
server; the exporter's names of them in the tier `tools`, scenario `metrics`."""

import json
import re
import unittest

from tools import paths

OPERATE = paths.ROOT / "docs" / "operate"
DASHBOARD = json.loads((OPERATE / "dashboard.json").read_text())
STATUS = "mysql_global_status_"
VARIABLES = "mysql_global_variables_"
# of the server itself, and of node_exporter
OTHERS = {
    f"{STATUS}questions",
    f"{STATUS}slow_queries",
}
# words of PromQL, labels and variables of Grafana in the queries
LANGUAGE = {"rate", "increase", "min", "by", "topk", "instance"}
# sections of the page
WATCHED = ("The six numbers", "By question")


def panels() -> list[dict]:
    return [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]


def queries() -> list[str]:
    return [target["expr"] for panel in panels() for target in panel["targets"]]


def names(query: str) -> set[str]:
    """Metrics of a query: texts, ranges and variables of Grafana aside."""
    plain = re.sub(r'"[^"]*"|\[[^]]*\]', "", query)
    return set(re.findall(r"\b[a-z_][a-z0-9_]*\b", plain)) - LANGUAGE


def counters(page: str) -> set[str]:
    return set(re.findall(r"^\| `rocksdb_(\w+)`", (paths.ROOT / page).read_text(), re.M))


def text_file_metrics() -> set[str]:
    """What the page on monitoring writes for node_exporter."""
    page = (OPERATE / "monitor.md").read_text()
    return set(re.findall(r"CONCAT\('(basalt_\w+)", page))


def watched() -> set[str]:
    """Counters by their full names in the sections with what to watch."""
    page = (OPERATE / "monitor.md").read_text()
    sections = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", page, re.S | re.M))
    text = "".join(sections[name] for name in WATCHED)
    return set(re.findall(r"\brocksdb_(\w+)", text)) & counters("docs/status.md")


class DashboardTest(unittest.TestCase):
    def known(self) -> set[str]:
        status = {f"{STATUS}rocksdb_{name}" for name in counters("docs/status.md")}
        variables = {f"{VARIABLES}rocksdb_{name}" for name in counters("docs/variables.md")}
        return status | variables | OTHERS | text_file_metrics()

    def test_every_query_names_what_exists(self):
        self.assertGreater(len(self.known()), 100)
        for query in queries():
            self.assertTrue(names(query), query)
            self.assertEqual(set(), names(query) - self.known(), query)

    def test_a_wrong_name_would_be_found(self):
        self.assertIn(f"{STATUS}rocksdb_no_such", names(f"rate({STATUS}rocksdb_no_such[5m])"))
        self.assertNotIn(f"{STATUS}rocksdb_no_such", self.known())

    def test_all_that_the_page_watches_is_there(self):
        asked = {name for query in queries() for name in names(query)}
        self.assertGreater(len(watched()), 15)
        missing = {f"{STATUS}rocksdb_{name}" for name in watched()} - asked
        self.assertEqual(set(), missing)
        self.assertEqual(set(), text_file_metrics() - asked)

    def test_no_place_is_taken_twice(self):
        ids = [panel["id"] for panel in DASHBOARD["panels"]]
        self.assertEqual(len(ids), len(set(ids)))
        taken: set[tuple[int, int]] = set()
        for panel in DASHBOARD["panels"]:
            at = panel["gridPos"]
            place = {
                (x, y)
                for x in range(at["x"], at["x"] + at["w"])
                for y in range(at["y"], at["y"] + at["h"])
            }
            self.assertFalse(place & taken, panel["title"])
            self.assertLessEqual(at["x"] + at["w"], 24, panel["title"])
            taken |= place

    def test_whoever_loads_it_chooses_source_and_server(self):
        chosen = {variable["name"] for variable in DASHBOARD["templating"]["list"]}
        used = set(re.findall(r"\$\{?([a-z]\w*)", json.dumps(DASHBOARD)))
        self.assertEqual({"datasource", "instance"}, chosen)
        self.assertEqual(chosen, used)
        for panel in panels():
            self.assertEqual("${datasource}", panel["datasource"]["uid"])


if __name__ == "__main__":
    unittest.main()
