# SPDX-License-Identifier: GPL-2.0-only
"""Inserts into children of foreign keys (scripts/foreign_keys.lua), by the number of clients.

Children with one and with three parents that are drawn at random, and a child of which all clients
name the same parent. Beside them the same tables without constraints: what the check costs. Turns
are short and interleaved. At the end no child may be without its parent.
"""

from dataclasses import dataclass

from bench import bars, sysbench_tool
from bench.harness import Size
from bench.plot import Plot
from bench.report import Report
from bench.sysbench_tool import DATABASE

NAME = "foreign_keys"
TITLE = "Foreign keys"
HELP = "inserts into children of one and three parents, and what the check costs"
ENGINES = ("rocksdb", "innodb")  # MyRocks has no foreign keys
SIZES = {
    "parents": Size(100_000, 2_000_000, "rows of each parent"),
    "clients": Size((1, 8, 32), (1, 8, 32), "numbers of clients"),
    "seconds": Size(2, 20, "length of a turn"),
    "rounds": Size(2, 5, "turns of each engine, case and number of clients"),
    "batch": Size(100, 100, "rows of the larger statements"),
    "memory_mb": Size(256, 1024, "size of the cache"),
}
# orphans of a child, by its column and its parent's table, which have one name
ORPHANS = "SELECT COUNT(*) FROM {0} LEFT JOIN {1} ON {1}.id = {0}.{1} WHERE {1}.id IS NULL"
PARENTS = {
    "one_parent": ("customer",),
    "three_parents": ("customer", "product", "warehouse"),
    "one_country": ("country",),
}


@dataclass(frozen=True)
class Case:
    """What the clients of a turn insert. `free`: the name of the same without constraints."""

    title: str
    table: str
    many_rows: bool = False
    free: str = ""

    @property
    def constrained(self) -> bool:
        return self.table in PARENTS


CASES = (
    Case("one parent", "one_parent", free="one parent, unchecked"),
    Case("one parent, unchecked", "one_parent_free"),
    Case("three parents", "three_parents", free="three parents, unchecked"),
    Case("three parents, unchecked", "three_parents_free"),
    Case("many rows, three parents", "three_parents", True, "many rows, unchecked"),
    Case("many rows, unchecked", "three_parents_free", True),
    Case("one hot parent", "one_country"),
)


@dataclass(frozen=True)
class Turn:
    """What one turn has shown: rows a second, and the server's processor time for one of them."""

    rate: float
    cpu_microseconds: float


# case -> clients -> engine -> turns
Turns = dict[str, dict[int, dict[str, list[Turn]]]]


def measure(bench) -> Report:
    size = bench.size
    report = bench.report(
        f"{size['parents']:,} rows of each parent, {size['rounds']} rounds of {size['seconds']} s "
        f"a case, {size['batch']} rows of the larger statements, {size['memory_mb']} MB of cache"
    )
    bench.start(size["memory_mb"] * 2**20)
    bench.each(lambda c: create(bench, c), "parents")
    turns: Turns = {
        case.title: {n: {c.engine: [] for c in bench.contenders} for n in size["clients"]}
        for case in CASES
    }
    for number in range(1, size["rounds"] + 1):
        for case in CASES:
            run_case(bench, case, number, turns[case.title])
        bench.each(lambda c: c.settle(), f"end of round {number}")
    add_turns(report, turns)
    for engine, found in bench.each(orphans, "orphans").items():
        report.failures += [f"{engine}: {text}" for text in found]
    return report


def create(bench, contender) -> None:
    contender.new_database()
    options = (
        f"--table-options={contender.table_options}",
        f"--parents={bench.size['parents']}",
    )
    socket = contender.server.socket
    sysbench_tool.call(sysbench_tool.script_command("foreign_keys", "create", socket, *options))
    contender.settle()


def run_case(bench, case: Case, number: int, found: dict[int, dict[str, list[Turn]]]) -> None:
    """One round of a case: each number of clients, on each engine in turn."""
    for clients, by_engine in found.items():
        for contender in bench.contenders:
            turn = contender.while_running(
                lambda c, n=clients: run_turn(bench, c, case, n, number)
            )  # fmt: skip
            by_engine[contender.engine].append(turn)
            bench.say(
                f"round {number}, {case.title}, {clients} clients: {contender.title} "
                f"{turn.rate:,.0f} rows a second"
            )


def run_turn(bench, contender, case: Case, clients: int, number: int) -> Turn:
    """The child is empty when a turn begins: no engine may meet larger indexes than the others."""
    contender.server.sql(f"TRUNCATE TABLE {case.table}", DATABASE)
    batch = bench.size["batch"] if case.many_rows else 1
    before = contender.usage_so_far()
    run = sysbench_tool.run_script(
        "foreign_keys",
        contender.server.socket,
        bench.size["seconds"],
        f"--table={case.table}",
        f"--parents={bench.size['parents']}",
        f"--batch={batch}",
        f"--threads={clients}",
        f"--seed={number}",
    )
    cpu = (contender.usage_so_far() - before).cpu_seconds
    rows = run.outcome.events * batch
    return Turn(run.outcome.events_per_second * batch, cpu * 1e6 / rows)


def orphans(contender) -> list[str]:
    """What is wrong with the children that the last round has left."""
    found = []
    for child, parents in PARENTS.items():
        for parent in parents:
            number = int(contender.server.sql(ORPHANS.format(child, parent), DATABASE))
            if number:
                found.append(f"{number} rows of {child} without their {parent}")
    return found


def add_turns(report: Report, turns: Turns) -> None:
    for case in CASES:
        add_case(report, case, turns[case.title])
    for case in CASES:
        if case.free:
            add_cost(report, case, turns)


def add_case(report: Report, case: Case, by_clients: dict[int, dict[str, list[Turn]]]) -> None:
    bar = bars.FOREIGN_KEYS if case.constrained else None
    for clients, found in by_clients.items():
        rates = {engine: [turn.rate for turn in turns] for engine, turns in found.items()}
        name = f"{case.title}: {clients} clients"
        report.add_rounds(name, "rows/s", rates, True, bar, part="Rows a second")
        cpu = {engine: [t.cpu_microseconds for t in turns] for engine, turns in found.items()}
        report.add_rounds(name, "us", cpu, False, part="CPU of the server for a row")
    medians = {
        engine: [(clients, rate_of(by_clients[clients][engine])) for clients in by_clients]
        for engine in report.engines
    }
    title = f"{case.title[0].upper()}{case.title[1:]}, by number of clients"
    report.plots.append(Plot(title, "clients", "rows a second", medians))


def add_cost(report: Report, case: Case, turns: Turns) -> None:
    """The rate as a part of that of the same table without constraints, round by round."""
    for clients, found in turns[case.title].items():
        free = turns[case.free][clients]
        parts = {
            engine: [a.rate / b.rate for a, b in zip(own, free[engine], strict=True)]
            for engine, own in found.items()
        }
        name = f"{case.title}: {clients} clients"
        report.add_rounds(name, "", parts, True, part="Part of the rate without constraints")


def rate_of(turns: list[Turn]) -> float:
    return sorted(turn.rate for turn in turns)[len(turns) // 2]
