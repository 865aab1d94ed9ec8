# SPDX-License-Identifier: GPL-2.0-only
"""Everything that sysbench's tests have found: the raw runs, what was run on what, the sums."""

import functools
import os
import platform
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

from bench import summary
from bench.process_usage import Usage
from bench.sampler import Sample
from bench.summary import Run, Summary
from bench.sysbench_tool import Interval, Outcome


@dataclass
class Results:
    """`afterwards`: (test, engine) -> what the engine used after the rounds to get even;
    `failures`: tests that did not end, of which there are no runs."""

    started: str
    command: list[str]
    machine: dict[str, str]
    load: dict
    memory_bytes: int
    servers: dict[str, dict[str, str]]
    prepared: dict[str, dict]
    final_disk: dict[str, int]
    runs: list[Run]
    afterwards: dict[tuple[str, str], Usage]
    failures: list[str] = field(default_factory=list)

    @functools.cached_property
    def summaries(self) -> dict[str, dict[str, Summary]]:
        return summary.summaries(self.runs, self.afterwards)

    @functools.cached_property
    def ratios(self) -> dict[str, dict[str, float]]:
        return summary.ratios(self.runs)

    @property
    def engines(self) -> list[str]:
        return list(self.prepared)

    def as_json(self) -> dict:
        """The raw numbers and the sums, as JSON can hold them."""
        plain = asdict(self)
        plain["afterwards"] = [
            {"test": test, "engine": engine, **asdict(used)}
            for (test, engine), used in self.afterwards.items()
        ]
        plain["cells"] = {
            test: {engine: asdict(one) for engine, one in by_engine.items()}
            for test, by_engine in self.summaries.items()
        }
        plain["ratios"] = self.ratios
        return plain

    @classmethod
    def from_json(cls, plain: dict) -> "Results":
        """What as_json() has kept; sums and ratios are computed again."""
        known = {name: value for name, value in plain.items() if name not in ("cells", "ratios")}
        known["runs"] = [run_of(one) for one in plain["runs"]]
        known["afterwards"] = {
            (one["test"], one["engine"]): usage_of(one) for one in plain["afterwards"]
        }
        return cls(**known)


def run_of(plain: dict) -> Run:
    outcome = Outcome(**plain["outcome"])
    outcome.histogram = [(value, count) for value, count in outcome.histogram]
    return Run(
        plain["test"],
        plain["engine"],
        plain["round"],
        outcome,
        usage_of(plain["usage"]),
        [Interval(**one) for one in plain.get("intervals", [])],
        [Sample(**one | {"used": usage_of(one["used"])}) for one in plain.get("samples", [])],
    )


def usage_of(plain: dict) -> Usage:
    """Older files do not know all of it."""
    return Usage(**{f.name: plain[f.name] for f in fields(Usage) if f.name in plain})


def machine() -> dict[str, str]:
    """The machine, as far as it matters to the numbers."""
    model = ""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
            break
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {
        "processor": model,
        "processors": str(len(os.sched_getaffinity(0))),
        "memory": f"{memory / 2**30:.0f} GiB",
        "kernel": platform.release(),
        "load before": f"{os.getloadavg()[0]:.2f}",
    }


def server_facts(contender) -> dict[str, str]:
    """Version of the server and of the engine, and the server's options."""
    version = contender.server.query("SELECT VERSION()")[0][0]
    engine = contender.server.query(
        "SELECT CONCAT(plugin_version, ' ', IFNULL(plugin_description, '')) "
        "FROM information_schema.plugins "
        f"WHERE plugin_name = '{contender.storage_engine}'"
    )
    command = contender.server.command()
    return {
        "server": version,
        "engine": engine[0][0] if engine else "",
        "options": " ".join(command[len(contender.server.wrapper) + 1 :]),
    }
