# SPDX-License-Identifier: GPL-2.0-only
"""What all scenarios of the replication tier share: nodes, problems, counts to report."""

import shutil
from pathlib import Path
from random import Random

from tests.kit.clients.client import Problem
from tests.kit.replicas.node import Broken, Node, copy_template
from tests.kit.tier_result import TierResult
from tools.errors import DevError


class Scenario:
    """Subclasses define NAME, HELP and play(). A scenario never raises for what it finds."""

    NAME = ""

    def __init__(self, folder: Path, template: Path, engine: str, seed: int, long: bool):
        self.folder, self.template, self.engine = folder / self.NAME, template, engine
        self.rng = Random(f"{seed}-{self.NAME}")
        self.seed, self.long = seed, long
        self.nodes: list[Node] = []
        self.problems: list[Problem] = []
        self.counts: dict[str, int] = {}
        self.passed = self.skipped = 0

    def play(self) -> None:
        raise NotImplementedError

    def run(self) -> None:
        try:
            self.play()
            for node in self.nodes:
                node.server.stop()
        except Broken as error:
            self.add([Problem("broken", str(error))])
        except DevError as error:
            self.add([Problem("broken", str(error))])
        finally:
            for node in self.nodes:
                node.server.kill()

    # --- for subclasses

    def node(self, number: int, *, binlog: bool, disk: Path | None = None) -> Node:
        """A node on a copy of the template, in the scenario's folder or on a disk of its own; not
        started."""
        folder = (disk or self.folder) / f"node{number}"
        copy_template(self.template, folder)
        self.nodes.append(Node(folder, number, self.engine, binlog=binlog))
        return self.nodes[-1]

    def renew(self, node: Node) -> None:
        """Stops the node and gives it a new copy of the template."""
        node.server.stop()
        shutil.rmtree(node.server.datadir)
        copy_template(self.template, node.server.datadir)

    def done_with(self, node: Node) -> None:
        node.server.remove()
        self.nodes.remove(node)

    def expect(self, holds: bool, text: str) -> list[Problem]:
        return [] if holds else [Problem("broken", text)]

    def add(self, found: list[Problem]) -> None:
        for problem in found:
            print(f"      {problem}")
        self.problems += found

    def step(self, found: list[Problem], line: str) -> None:
        """One thing that was tried, with what it showed."""
        print(f"   {self.NAME}: {line}")
        self.passed += not found
        self.add(found)

    def skip(self, why: str) -> None:
        """One thing that cannot be tried here."""
        print(f"   {self.NAME}: {why}")
        self.skipped += 1

    def count(self, name: str, number: int = 1) -> None:
        self.counts[name] = self.counts.get(name, 0) + number


def take(scenario: Scenario, result: TierResult) -> None:
    result.passed += scenario.passed
    result.skipped += scenario.skipped
    result.failed += len(scenario.problems)
    result.failures += [f"{scenario.NAME}: {p}".splitlines()[0] for p in scenario.problems]
