# SPDX-License-Identifier: GPL-2.0-only
"""TPC-C by its specification (scripts/tpcc.lua), at several sizes of cache.

Each engine loads the warehouses once. Then, for each size of cache, the servers are started anew
with it, warmed up, and run in turns; one-second samples of throughput, CPU, bytes, memory and
disk. What an engine owes after its turns (flushes, compactions, dirty pages) counts. After each
size the specification's consistency conditions are checked on every engine.

With --iops or --memory-limit there is a round of turns for each pair of their values instead, in
which every server has a disk and a memory of that size (bench/cgroup.py; root only):

    ./dev bench tpcc --warehouses 10 --iops 1000 --memory-limit 450M --texts words --buffered-reads

Loading, coming to rest and the consistency conditions are not limited. --sweep varies one of
them, --copies lets each turn begin with the same data, --hours makes it a long run.
"""

from dataclasses import asdict, replace
from pathlib import Path

from bench import bars, harness, limits, prices, seconds, tpcc, tpcc_limited, turns
from bench.cgroup import Limits
from bench.copies import Copies
from bench.harness import Size
from bench.plot import Plot
from bench.report import Report
from bench.tpcc_limited import Point
from tools.errors import DevError

NAME = "tpcc"
TITLE = "TPC-C"
HELP = "TPC-C at several sizes of cache, one-second samples, consistency checked"
ENGINES = harness.ENGINES
CONDITION_SECONDS = 60
SIZES = {
    "warehouses": Size(2, 10, "92 MB each in InnoDB"),
    "memory_mb": Size((16, 48, 256), (64, 256, 1024), "sizes of the cache"),
    "threads": Size(4, 4, "client threads"),
    "warmup": Size(4, 60, "seconds before a size is measured"),
    "seconds": Size(16, 1200, "length of a turn"),
    "turns": Size(1, 3, "turns of each engine for each size"),
}


def add_options(parser) -> None:
    limits.add_options(parser)
    limits.add_sweep_option(parser)
    harness.add_hours_option(parser)
    harness.add_binlog_options(parser)
    harness.add_malloc_option(parser)
    parser.add_argument(
        "--copies",
        nargs="?",
        const="",
        metavar="DIR",
        help="each turn begins with a copy of what was loaded, and not with what the last turn "
        "left; with DIR the copies stay there, and later runs of the same data load nothing",
    )
    parser.add_argument(
        "--cold",
        action="store_true",
        help="each turn begins with the start of the server, under the limits, with nothing in the "
        "page cache and without a warm-up; with --copies",
    )
    parser.add_argument(
        "--prices",
        type=Path,
        default=prices.FILE,
        metavar="FILE",
        help="the price list of volumes (default: bench/prices.json)",
    )
    parser.add_argument(
        "--buffered-reads",
        action="store_true",
        help="the RocksDB engines read and write files through the page cache, as by default; it "
        "then holds compressed blocks",
    )
    parser.add_argument(
        "--texts",
        choices=tpcc.TEXTS,
        default=tpcc.TEXTS[0],
        help="random letters and digits by the specification (default), which hardly compress, or "
        "words, as published results had them",
    )


def measure(bench) -> Report:
    args = bench.args
    if args.hours:
        bench.size |= {"turns": args.hours, "seconds": turns.HOUR}
    report = bench.report("")
    start(bench)
    copies = copies_of(bench)
    sweep: dict[Point, dict[str, turns.Sum]] = {}
    single = 0  # what a single one of the data takes: the same memory for all multiples
    for data in args.data:
        size = bench.size | {"warehouses": bench.size["warehouses"] * data}
        label = f"{data} times the data" if len(args.data) > 1 or data > 1 else ""
        files = load(bench, report, size["warehouses"], copies, label)
        single = single or files // data
        for point in tpcc_limited.points(args, size["memory_mb"], single, data):
            sweep[point] = measure_point(bench, report, point, files, size, copies)
        disks = {c.engine: c.disk_bytes() / 2**20 for c in bench.contenders}
        report.add("disk at the end", "MiB", disks, False, DISK_BARS[args.texts], label)
    report.size = size_text(bench, list(sweep))
    if limits.is_limited(args):
        tpcc_limited.add_sweep(report, sweep)
    else:
        add_sweep(report, {point.cache_bytes // 2**20: sums for point, sums in sweep.items()})
    return report


def start(bench) -> None:
    """With the largest cache that was asked for, and without limits until there are points."""
    args = bench.args
    check(args, bench.size["memory_mb"])
    asked = tpcc_limited.points(args, bench.size["memory_mb"], LOADED_BYTES)
    largest = max(point.cache_bytes for point in asked)
    limited = Limits() if limits.is_limited(args) else None
    bench.start(largest, buffered_reads=args.buffered_reads, limits=limited)


def check(args, memory_mb: tuple[int, ...]) -> None:
    """DevError, before anything is loaded, for what cannot be measured."""
    prices.volumes(args.prices)
    tpcc_limited.points(args, memory_mb, 0)
    if args.cold and (not limits.is_limited(args) or args.copies is None or args.hours):
        raise DevError("--cold: only with --copies, and with --iops or --memory-limit, by turns")
    if not limits.is_limited(args) and args.data != (1,):
        raise DevError("--sweep data=...: only with --iops or --memory-limit")


def size_text(bench, points: list[Point]) -> str:
    size, args = bench.size, bench.args
    begin = ", each from a copy of the loaded data" if args.copies is not None else ""
    return (
        f"{size['warehouses']} warehouses with {TEXTS_SHOWN[args.texts]}, {size['threads']} "
        f"threads, {tpcc_limited.shown(points, args)}, {harness.binlog_shown(args)}, "
        f"{size['turns']} turns of {size['seconds']} s each{begin}"
    )


TEXTS_SHOWN = {"random": "the specification's random texts", "words": "texts of words"}
DISK_BARS = {"random": bars.TPCC_DISK, "words": bars.TPCC_DISK_WORDS}
MOST_LOADERS = 16
LOADED_BYTES = 2**28  # what the files take is not known before the load


def copies_of(bench) -> Copies | None:
    """None where turns go on with what the last one left."""
    asked = bench.args.copies
    if asked is None:
        return None
    return Copies(Path(asked).absolute() if asked else bench.folder / "copies")


def load(bench, report: Report, warehouses: int, copies: Copies | None, part: str) -> int:
    """Returns what Basalt's files take (the first engine's where it does not run)."""
    texts = bench.args.texts
    wanted_data = {"warehouses": warehouses, "texts": texts}

    def loaded(contender) -> tpcc.Loaded:
        kept = copies.known(contender.engine, wanted_data) if copies else None
        if kept is not None:
            report.facts[f"{contender.title}: data"] = "loaded by an earlier run"
            return tpcc.Loaded.from_json(kept)
        found = tpcc.load(contender, warehouses, min(warehouses, MOST_LOADERS), texts)
        if copies:
            copies.keep(contender, wanted_data, asdict(found))
        return found

    bench.lost.clear()
    loads = bench.each(loaded, "loading")
    for engine, found in loads.items():
        bench.say(f"{engine}: loaded in {found.seconds:.0f} s, {found.disk_bytes / 2**20:.0f} MiB")
    report.add("load", "s", {e: f.seconds for e, f in loads.items()}, False, part=part)
    written = {e: f.used.written_bytes / 2**20 for e, f in loads.items()}
    report.add("written by the load", "MiB", written, False, part=part)
    disks = {e: f.disk_bytes / 2**20 for e, f in loads.items()}
    report.add("disk after the load", "MiB", disks, False, DISK_BARS[texts], part)
    return loads[report.mine].disk_bytes


def measure_point(
    bench, report: Report, point: Point, files: int, size: dict, copies: Copies | None
) -> dict[str, turns.Sum]:
    """All turns with one size of cache, under the same limits; engine -> what they came to. An
    engine that fails is missing in it, and named among the report's failures."""
    bench.lost.clear()
    fresh = copies is not None and not bench.args.hours

    def begin(contender) -> None:
        copy = copies.of(contender.engine) if copies else None
        cache = point.cache_of(contender.storage_engine)
        if point.cold:
            contender.restart(cache, point.limits, copy, limited=True)
            return
        contender.restart(cache, point.limits, copy)
        contender.settle()  # levels have other sizes with another cache
        contender.limit()
        tpcc.run(contender, size, size["warmup"], 0)

    def turn(contender, number: int) -> turns.Turn:
        if fresh:
            begin(contender)
        found = one_turn(bench, contender, point, size, number)
        return replace(found, used=found.used + contender.settle()) if fresh else found

    if not fresh:
        bench.each(bench.tolerant(report, point.label, begin), f"{point.label}, warm-up")
    found = bench.rounds(size["turns"], bench.tolerant(report, point.label, turn))
    add_mix(report, point, found)
    owed = bench.each(lambda c: c.settle(), "coming to rest") if not fresh else {}
    check_conditions(bench, report, point.label)
    sums = {engine: turns.summed(found[engine], owed.get(engine)) for engine in found}
    if point.limits:
        tpcc_limited.add_point(report, point, sums, files, bench.args.prices)
    else:
        memory = point.cache_bytes // 2**20
        add_memory(report, memory, sums, wanted(size["memory_mb"], memory))
    return sums


def one_turn(bench, contender, point: Point, size: dict, number: int) -> turns.Turn:
    prefix = f"{point.label}, turn {number}: {contender.title}"
    every = 60 if size["seconds"] > 600 else 5
    return tpcc.run(
        contender,
        size,
        size["seconds"],
        number,
        lambda i: i.second % every or bench.say(f"{prefix} {i.events_per_second:,.0f} a second"),
    )


def add_mix(report: Report, point: Point, found: dict[str, list[turns.Turn]]) -> None:
    for engine, made in found.items():
        shares = tpcc.mix([turn.run.kinds for turn in made])
        text = ", ".join(f"{name} {share:.1%}" for name, share in shares.items())
        report.facts[f"mix, {point.label}, {engine}"] = text


def check_conditions(bench, report: Report, label: str) -> None:
    bench.each(lambda c: tpcc.count_rows(c.server), "statistics")
    found = bench.each(lambda c: conditions_in_time(c.server), "consistency conditions")
    for engine, of in found.items():
        report.failures += [f"{engine}, {label}: condition {text}" for text in of.broken]
        if of.unanswered:
            numbers = ", ".join(text.partition(":")[0] for text in of.unanswered)
            report.facts[f"conditions not answered in {CONDITION_SECONDS} s, {label}, {engine}"] = (
                numbers
            )
    number = sum(len(of.broken) for of in found.values())
    bench.say(f"{label}: consistency conditions checked, {number} broken")


def conditions_in_time(server) -> tpcc.Conditions:
    """With little memory stock MyRocks may need minutes for one of them."""
    server.sql(f"SET GLOBAL max_statement_time = {CONDITION_SECONDS}")
    try:
        return tpcc.conditions(server)
    finally:
        server.sql("SET GLOBAL max_statement_time = 0")


def wanted(memories: tuple[int, ...], memory: int) -> set[str]:
    """Which bars hold at one size of cache. They were set for a sixteenth and a quarter of the
    data, which are the smallest and the second of three sizes."""
    place = sorted(memories).index(memory)
    found = {"rate"} if place < 2 or len(memories) < 3 else set()
    if place == min(1, len(memories) - 1):
        found |= {"written", "steady"}
    return found | ({"memory"} if place == 0 else set())


def add_memory(report: Report, memory: int, sums: dict[str, turns.Sum], bar: set[str]) -> None:
    """The figures of one size of cache; `bar` says which of them have bars."""
    label = f"{memory} MB: "

    def add(name: str, unit: str, value, more_is_better=False, limit=None, key="") -> None:
        values = {engine: value(s) for engine, s in sums.items()}
        report.add(label + name, unit, values, more_is_better, limit if key in bar else None)

    def each(value):
        return lambda s: s.per_transaction(value(s))

    rates = {e: [t.run.outcome.events_per_second for t in s.turns] for e, s in sums.items()}
    limit = bars.TPCC_RATE if "rate" in bar else None
    report.add_rounds(f"{label}transactions a second", "1/s", rates, True, limit)
    steady = bars.TPCC_STEADY if "steady" in bar else None
    seconds.add_evenness(report, "", sums, steady, prefix=label)
    add("p99", "ms", lambda s: s.p99)
    written = ("written a transaction", "KB", each(lambda s: s.used.written_bytes / 1e3))
    add(*written, False, bars.TPCC_WRITTEN_KB, "written")
    add("of that, binary log", "KB", each(lambda s: s.binlog_bytes / 1e3), None)
    add("read a transaction", "KB", each(lambda s: s.used.read_bytes / 1e3))
    add("CPU a transaction", "ms", each(lambda s: s.used.cpu_seconds * 1e3))
    memory_figure = ("peak memory (RSS)", "MiB", lambda s: s.resident / 2**20)
    add(*memory_figure, False, bars.TPCC_MEMORY, "memory")
    add_curves(report, label, sums)


def add_curves(report: Report, label: str, sums: dict[str, turns.Sum]) -> None:
    """What happened second by second."""
    name = label.removesuffix(": ")
    seconds.add_turns(report, name, sums)
    seconds.add_plots(report, name, sums)
    report.seconds_measured += seconds.rows_of(name, sums)
    slower = {engine: s.slower() for engine, s in sums.items()}
    title = f"{label}share of the transactions that took longer"
    report.plots.append(Plot(title, "ms", "share", slower, log_y=True, log_x=True))


def add_sweep(report: Report, sweep: dict[int, dict[str, turns.Sum]]) -> None:
    """The curves over the sizes of the cache."""

    def curves(value) -> dict[str, list[tuple]]:
        return {e: [(m, value(sums[e])) for m, sums in sweep.items()] for e in report.engines}

    report.plots += [
        Plot("Memory sweep: throughput", "MB of cache", "transactions/s", curves(lambda s: s.rate)),
        Plot(
            "Memory sweep: bytes read",
            "MB of cache",
            "KB a transaction",
            curves(lambda s: s.per_transaction(s.used.read_bytes) / 1e3),
        ),
        Plot(
            "Memory sweep: bytes written",
            "MB of cache",
            "KB a transaction",
            curves(lambda s: s.per_transaction(s.used.written_bytes) / 1e3),
            log_y=True,
        ),
    ]
