# SPDX-License-Identifier: GPL-2.0-only
"""A small Report of each benchmark, made by its own code from made-up measurements."""

import random
from types import SimpleNamespace

from bench import (
    bars,
    instant_instructions,
    instant_reads,
    olap,
    online_index,
    sysbench_report,
    tpcc_limited,
    turns,
)
from bench.article_searches import KINDS
from bench.cgroup import Limits
from bench.process_usage import Usage
from bench.programs import (
    commits,
    ddl,
    delete,
    foreign_keys,
    full_text,
    insert,
    instructions,
    linkbench,
    locks,
    profile,
    replica,
    space,
    spatial,
)
from bench.programs import olap as olap_program
from bench.programs import tpcc as tpcc_program
from bench.report import Report
from bench.results import Results
from bench.sampler import Sample
from bench.summary import Run
from bench.sysbench_tool import Interval, Outcome, ScriptRun

ENGINES = ("rocksdb", "myrocks", "innodb")
RATES = (("rocksdb", 90.0), ("innodb", 100.0))


def outcome(rate: float, seconds: float = 10.0, histogram=((1.0, 90), (2.0, 10))) -> Outcome:
    events = int(rate * seconds)
    return Outcome(seconds, events, events * 2, 0, 0, 1.0, 2.0, list(histogram))


def rounds(test: str, **rates: list[float]) -> list[Run]:
    """Runs of a test; the keywords are engines with the throughput of each round."""
    return [
        Run(test, engine, number, outcome(rate), Usage(1.0, 1000))
        for engine, values in rates.items()
        for number, rate in enumerate(values, 1)
    ]


def script_run(rate: float) -> ScriptRun:
    intervals = [Interval(float(n), rate + n % 3, 0, 0, 5.0 + n) for n in range(1, 20)]
    return ScriptRun(outcome(rate), intervals, {})


def samples() -> list[Sample]:
    return [Sample(float(n), Usage(n / 2, n * 10**6, n), n * 100, 2**20 * n) for n in range(1, 9)]


def device_samples() -> list[Sample]:
    """Of a server under limits: 10 reads and 20 writes a second."""
    return [
        Sample(
            float(n), Usage(n / 2, n, n, n * 10, n * 20, n * 2**20, n * 2**21), n, 2**20, n * 2**20
        )
        for n in range(1, 9)
    ]


def each(value) -> dict:
    """engine -> value(number of the engine, from 1)."""
    return {engine: value(float(number)) for number, engine in enumerate(ENGINES, 1)}


def empty(program) -> Report:
    return Report(program.NAME, program.TITLE, "small", list(program.ENGINES))


def sysbench_results() -> Results:
    runs = rounds("oltp_point_select", rocksdb=[9.0, 8.0], myrocks=[4.0, 4.0], innodb=[9.0, 9.0])
    runs += rounds("oltp_insert", rocksdb=[2.0, 2.0], myrocks=[2.0, 2.0], innodb=[3.0, 3.0])
    known = {"seconds": 1.0, "cpu_seconds": 1.0, "written_bytes": 5, "disk_bytes": 2**20}
    return Results(
        started="2026-01-01 00:00:00",
        command=["bench", "sysbench", "--server-option", "innodb:--a=<b>"],
        machine={"processors": "2"},
        load={"tables": 4, "rows": 5, "threads": 2, "distribution": "special", "seconds": 1.0,
              "rounds": 2},
        memory_bytes=2**30,
        servers={e: {"server": "10.11", "options": "--x"} for e in ENGINES},
        prepared=dict.fromkeys(ENGINES, known),
        final_disk=dict.fromkeys(ENGINES, 2**21),
        runs=runs,
        afterwards={("oltp_insert", "rocksdb"): Usage(1.0, 100)},
    )  # fmt: skip


def of_sysbench() -> Report:
    return sysbench_report.report(sysbench_results())


COMMIT_RATES = {"1": each(lambda n: [n, n * 2, n * 4]), "8": each(lambda n: [n * 5, n, n * 3])}


def of_commits() -> Report:
    return commits.report(COMMIT_RATES, "small")


def of_tpcc() -> Report:
    report, sweep = empty(tpcc_program), {}
    for memory in (16, 48):
        turn = turns.Turn(script_run(memory), samples(), Usage(1.0, 1000, 500), 77)
        sweep[memory] = each(lambda n, t=turn: turns.summed([t], Usage(n, 10, 10)))
        tpcc_program.add_memory(report, memory, sweep[memory], {"rate", "written", "memory"})
    tpcc_program.add_sweep(report, sweep)
    add_limited(report)
    return report


def add_limited(report: Report) -> None:
    """Turns under limits of the disk and of memory."""
    sweep = {}
    for operations in (500, 1000):
        limits = Limits(450 * 2**20, operations, operations)
        point = tpcc_limited.Point(64 * 2**20, 192 * 2**20, limits)
        turn = turns.Turn(script_run(operations), device_samples(), device_samples()[-1].used, 77)
        sweep[point] = each(lambda n, t=turn: turns.summed([t], Usage(n, 10, 10)))
        tpcc_limited.add_point(report, point, sweep[point], 2**28)
    tpcc_limited.add_sweep(report, sweep)


def of_linkbench() -> Report:
    report = empty(linkbench)
    made = each(lambda n: [turns.Turn(script_run(n), samples(), Usage(n, 10))] * 2)
    linkbench.add_turns(report, {e: turns.summed(t, Usage(1.0, 5, 5)) for e, t in made.items()})
    return report


def of_insert() -> Report:
    report, small = empty(insert), SimpleNamespace(size={"batch": 10, "rows": 1000})

    def turn(n: float) -> turns.Turn:
        return turns.Turn(script_run(n), device_samples(), Usage(n, 10))

    insert.add_growth(small, report, each(lambda n: [{"turn": turn(n), "disk": 2**20 * n}] * 2))
    insert.add_mixed(
        small, report, each(lambda n: [{"inserts": turn(n), "queries": turn(n + 1)}] * 2)
    )  # fmt: skip
    return report


def of_olap() -> Report:
    def loaded(n: float) -> dict:
        names = ("LOAD DATA", "INSERT", "reload", "written", "disk", "disk of both",
                 "disk after reloads")  # fmt: skip
        words = {"small": {"load": 1.0, "disk": 100.0, "scan": 2.0}} if n == 1 else {}
        return dict.fromkeys(names, n) | {"presets": words}

    report = empty(olap_program)
    olap_program.add_loads(report, each(loaded), SimpleNamespace(bytes=1000))
    olap_program.add_presets(report, each(loaded))
    olap_program.add_queries(report, each(lambda n: [dict.fromkeys(olap.QUERIES, n)] * 3))
    walks = [name for name, *_ in olap.WALKS]
    olap_program.add_walks(report, each(lambda n: [dict.fromkeys(walks, n)] * 3))
    return report


def of_delete() -> Report:
    report = empty(delete)
    seen = SimpleNamespace(latencies=[(n / 3, float(n)) for n in range(1, 30)])
    delete.add_queue(
        report, each(lambda n: {"producer": seen, "consumer": seen, "observer": seen})
    )  # fmt: skip
    scans = ("one sensor", "newest", "oldest")
    delete.add_purge(
        report,
        each(
            lambda n: {
                "seconds": n,
                "rows": 100,
                "disk": 0.5,
                "clients": dict.fromkeys(scans, seen),
                "after": dict.fromkeys(scans, n),
            }
        ),
    )
    return report


def of_foreign_keys() -> Report:
    report = empty(foreign_keys)
    turns = {
        case.title: {
            clients: {e: [foreign_keys.Turn(n * k, 9.0) for k in (1.0, 2.0)] for e, n in RATES}
            for clients in (1, 8)
        }
        for case in foreign_keys.CASES
    }
    foreign_keys.add_turns(report, turns)
    return report


def of_ddl() -> Report:
    def turn(n: float) -> dict:
        names = ("nothing", *ddl.statements(""))
        curves = {f"{what} curve": [(1.0, n), (2.0, n * 10)] for what in ("read", "update")}
        # no client has read anything beside the DROP of the first engine
        known = {name: {"seconds": n, "read": n, "update": n} for name in names}
        known["DROP TABLE"]["read"] = None if n == 1 else n
        return known | curves

    report = empty(ddl)
    ddl.add_turns(report, each(lambda n: [turn(n), turn(n)]))
    online_index.add(report, index_turns())
    instant_reads.add(report, instant_reads_found())
    instant_instructions.add(report, instant_instructions_found())
    return report


def beside(n: float) -> online_index.Beside:
    """Writers from 100 to 104; an ALTER of n seconds from 110, with a statement of 10 n ms."""
    before = online_index.Window(100.0, 104.0, 4000)
    meanwhile = online_index.Window(110.0, 110.0 + n, int(500 * n))
    seen = [(100.0 + second, Interval(second, 1000.0, 0, 0, 5.0)) for second in range(1, 15)]
    latencies = [(101.0, 2.0), (103.0, 4.0), (110.5, 10.0 * n), (130.0, 999.0)]
    return online_index.Beside(before, meanwhile, seen, latencies, 0.1 * n)


def index_turns() -> dict[str, list[online_index.Turn]]:
    """Two of each engine; MyRocks lets its writers wait."""
    return {
        engine: [
            online_index.Turn(n, 2 * n, 0.2, None if engine == "myrocks" else beside(n))
            for _ in range(2)
        ]
        for n, engine in enumerate(ENGINES, 1)
    }


def instant_instructions_found() -> dict[str, dict[str, dict[str, float]]]:
    """Of the tables of instant_reads_found(); each has 1 % more than the one before."""
    return {
        engine: {
            table: {"point read": 20000.0 + 200 * n, "full scan": 100.0 + n}
            for n, table in enumerate(tables)
        }
        for engine, tables in instant_reads_found().items()
    }


def instant_reads_found() -> dict[str, dict[str, instant_reads.Reads]]:
    """InnoDB copies for a wider type, MyRocks for everything."""
    copied = {"rocksdb": (), "innodb": ("wider_old", "wider_new"), "myrocks": None}
    found = {}
    for engine, without in copied.items():
        shapes = instant_reads.SHAPES[:1] if without is None else instant_reads.SHAPES
        found[engine] = {
            shape.name: instant_reads.Reads([0.5 + n / 100, 0.6], [2e-5, 2e-5 + n / 1e6])
            for n, shape in enumerate(shapes)
            if shape.name not in (without or ())
        }
    return found


def of_space() -> Report:
    report = empty(space)
    names = ("rest", "after", "load", "rate", "update", "query", "drop")
    found = {e: dict.fromkeys(names, float(n)) for n, e in enumerate(space.ENGINES, 1)}
    space.add(report, "TPC-C", found, bars.TPCC_DISK)
    space.add(report, "fact table", found, bars.OLAP_DISK)
    return report


def of_replica() -> Report:
    report = empty(replica)
    missing = [(0.0, 500.0), (1.0, 200.0), (2.0, 0.0)]
    found = each(
        lambda n: {"seconds": n, "used": Usage(n, 9), "missing": missing, "given up": 0}
    )  # fmt: skip
    replica.add(report, 0, 1000, 500, found)
    return report


def lock_outcomes() -> dict[str, dict[str, list[dict]]]:
    draw = random.Random(1)
    names = ("seconds", "cpu_seconds", "memory_bytes", "release_seconds", "least", "failures")
    return {
        scenario: {
            contender: [{name: draw.random() for name in names} | {"operations": 1000}] * 3
            for contender in locks.contenders_of(scenario)
        }
        for scenario in locks.SCENARIOS
    }


def of_locks() -> Report:
    return locks.report(lock_outcomes(), "small")


def of_profile() -> Report:
    functions = [(9.5, ["ha_rocksdb.so", "[.] Get<int> [x]"]), (1.0, ["[kernel]", "[k] read"])]
    objects = [(60.0, ["ha_rocksdb.so"]), (40.0, ["[kernel]"])]
    return profile.report("innodb", "small", outcome(5.0), Usage(1.0), objects, functions)


def of_instructions() -> Report:
    args = SimpleNamespace(tests="range,oltp_insert", rows=1000, flush_log=2, functions=True)
    functions = [("rocksdb::DB::Get<int>()", 20.0, 60.0)]
    tests = {
        "range": ({"engine": 150.0, "server": 300.0}, functions),
        "oltp_insert": ({"engine": 40.0, "server": 90.0}, functions),
    }
    return instructions.report(args, {"rocksdb": tests, "innodb": tests})


def of_spatial() -> Report:
    report = empty(spatial)
    spatial.add_builds(
        report, each(lambda n: {t: {"seconds": n, "bytes": n * 2**20} for t in spatial.TABLES})
    )
    windows = ("points, small window", "areas, large window")
    spatial.add_windows(report, each(lambda n: [dict.fromkeys(windows, n)] * 3))
    spatial.add_changes(report, each(lambda n: [{"points, inserts": n}] * 3))
    return report


def of_full_text() -> Report:
    report = empty(full_text)
    full_text.add_builds(report, each(lambda n: {full_text.BUILD: n, full_text.DISK: n * 9}))
    full_text.add_searches(report, each(lambda n: [dict.fromkeys(KINDS, (n, n * 3))] * 3))
    full_text.add_inserts(
        report, each(lambda n: [{full_text.INSERTS: n, full_text.SEARCHES: n * 2}] * 3)
    )
    return report


# the programs that measure, and how to make a report of each
OF_PROGRAMS = {
    "commits": of_commits,
    "ddl": of_ddl,
    "delete": of_delete,
    "foreign_keys": of_foreign_keys,
    "full_text": of_full_text,
    "insert": of_insert,
    "instructions": of_instructions,
    "linkbench": of_linkbench,
    "locks": of_locks,
    "olap": of_olap,
    "profile": of_profile,
    "replica": of_replica,
    "space": of_space,
    "spatial": of_spatial,
    "sysbench": of_sysbench,
    "tpcc": of_tpcc,
}
