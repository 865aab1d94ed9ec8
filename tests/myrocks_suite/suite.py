# SPDX-License-Identifier: GPL-2.0-only
"""The tests of MyRocks that Debian's package mariadb-test-data brings."""

from dataclasses import dataclass
from pathlib import Path

from tools import paths
from tools.errors import DevError

SUITES = ("rocksdb", "rocksdb_sys_vars", "rocksdb_rpl", "rocksdb_hotbackup", "rocksdb_stress")

# The suites run most tests twice, once a write policy. Basalt has one way to write, so each runs
# once, in the combination of the policy that stock has as its default. The few of replication run
# in both: that is how stock's results are counted (README.md), and for us it is twice the
# same.
COMBINATIONS = {
    "rocksdb": "write_committed",
    "rocksdb_rpl": "row-write-committed",
    "rocksdb_stress": "write_committed",
}
IN_ALL_COMBINATIONS = ("rocksdb_rpl",)


@dataclass(frozen=True)
class SuiteTest:
    """One test file. `disabled` is the reason why the suite itself switches it off, or ''."""

    suite: str
    name: str
    disabled: str

    @property
    def full_name(self) -> str:
        return f"{self.suite}.{self.name}"

    @property
    def argument(self) -> str:
        """How the runner is asked for it."""
        combination = COMBINATIONS.get(self.suite)
        if self.suite in IN_ALL_COMBINATIONS:
            return self.full_name
        return f"{self.full_name},{combination}" if combination else self.full_name


def folder() -> Path:
    return paths.mysql_test_dir() / "plugin" / "rocksdb"


def all_tests() -> list[SuiteTest]:
    """Every test, by suite and name. DevError when the package is not there."""
    if not folder().is_dir():
        raise DevError(f"missing: {folder()} (mariadb-test-data); run ./dev setup")
    tests = []
    for suite in SUITES:
        disabled = read_disabled(folder() / suite / "t" / "disabled.def")
        names = sorted(file.stem for file in (folder() / suite / "t").glob("*.test"))
        tests += [SuiteTest(suite, name, disabled.get(name, "")) for name in names]
    return tests


def read_disabled(file: Path) -> dict[str, str]:
    """Lines `name : reason` of a list of tests that are switched off; no file means none."""
    reasons = {}
    for line in file.read_text().splitlines() if file.is_file() else []:
        name, colon, reason = line.partition(":")
        if colon and not line.lstrip().startswith("#"):
            reasons[name.strip().rpartition(".")[2]] = reason.strip() or "no reason given"
    return reasons
