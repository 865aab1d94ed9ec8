# SPDX-License-Identifier: GPL-2.0-only
"""TPC-C by its specification (scripts/tpcc.lua), at several sizes of cache.

Each engine loads the warehouses once. Then, for each size of cache, the servers are started anew
with it, warmed up, and run in turns; one-second samples of throughput, CPU, bytes, memory and
disk. What an engine owes after its turns (flushes, compactions, dirty pages) counts. After each
size the specification's consistency conditions are checked on every engine.

With --iops or --memory-limit there is a round of turns for each pair of their values instead, in
which every server has a disk and a memory of that size (bench/cgroup.py; root only):

    ./dev bench tpcc --warehouses 10 --iops 1000 --memory-limit 450M --texts words --buffered-reads

Loading, coming to rest and the consistency conditions are not limited.
"""

from bench import bars, harness, limits, tpcc, tpcc_limited
from bench.harness import Size
from bench.plot import Plot
from bench.report import Report
from bench.tpcc_limited import Point

NAME = "tpcc"
TITLE = "TPC-C"
HELP = "TPC-C at several sizes of cache, one-second samples, consistency checked"
ENGINES = harness.ENGINES
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
    size, args = bench.size, bench.args
    points = tpcc_limited.points(args, size["memory_mb"])
    report = bench.report(
        f"{size['warehouses']} warehouses with {TEXTS_SHOWN[args.texts]}, {size['threads']} "
        f"threads, {tpcc_limited.shown(points, args)}, {size['turns']} turns of "
        f"{size['seconds']} s each"
    )
    first = max(points, key=lambda p: p.cache_bytes)
    bench.start(first.cache_bytes, buffered_reads=args.buffered_reads, limits=first.limits)
    files = load(bench, report)
    sweep = {point: measure_point(bench, report, point, files) for point in points}
    disks = {c.engine: c.disk_bytes() / 2**20 for c in bench.contenders}
    report.add("disk at the end", "MiB", disks, False, DISK_BARS[args.texts])
    if points[0].limits:
        tpcc_limited.add_sweep(report, sweep)
    else:
        add_sweep(report, {point.cache_bytes // 2**20: sums for point, sums in sweep.items()})
    return report


TEXTS_SHOWN = {"random": "the specification's random texts", "words": "texts of words"}
DISK_BARS = {"random": bars.TPCC_DISK, "words": bars.TPCC_DISK_WORDS}


def load(bench, report: Report) -> int:
    """Returns what Basalt's files take (the first engine's where it does not run)."""
    warehouses, texts = bench.size["warehouses"], bench.args.texts
    loads = bench.each(lambda c: tpcc.load(c, warehouses, warehouses, texts), "loading")
    for engine, found in loads.items():
        bench.say(f"{engine}: loaded in {found.seconds:.0f} s, {found.disk_bytes / 2**20:.0f} MiB")
    report.add("load", "s", {e: f.seconds for e, f in loads.items()}, False)
    written = {e: f.used.written_bytes / 2**20 for e, f in loads.items()}
    report.add("written by the load", "MiB", written, False)
    disks = {e: f.disk_bytes / 2**20 for e, f in loads.items()}
    report.add("disk after the load", "MiB", disks, False, DISK_BARS[texts])
    return loads[report.mine].disk_bytes


def measure_point(bench, report: Report, point: Point, files: int) -> dict[str, tpcc.Sum]:
    """All turns with one size of cache, under the same limits; engine -> what they came to."""
    for contender in bench.contenders:
        contender.restart(point.cache_of(contender.storage_engine), point.limits)
        contender.limit()
        tpcc.run(contender, bench.size, bench.size["warmup"], 0)
        contender.pause()

    def turn(contender, number: int) -> tpcc.Turn:
        prefix = f"{point.label}, turn {number}: {contender.title}"
        return tpcc.run(
            contender,
            bench.size,
            bench.size["seconds"],
            number,
            lambda i: i.second % 5 or bench.say(f"{prefix} {i.events_per_second:,.0f} a second"),
        )

    turns = bench.rounds(bench.size["turns"], turn)
    for engine, found in turns.items():
        shares = tpcc.mix([turn.run.kinds for turn in found])
        text = ", ".join(f"{name} {share:.1%}" for name, share in shares.items())
        report.facts[f"mix, {point.label}, {engine}"] = text
    owed = bench.each(lambda c: c.settle(), "coming to rest")
    check_conditions(bench, report, point.label)
    sums = {engine: tpcc.summed(turns[engine], owed[engine]) for engine in turns}
    if point.limits:
        tpcc_limited.add_point(report, point, sums, files)
    else:
        memory = point.cache_bytes // 2**20
        add_memory(report, memory, sums, wanted(bench.size["memory_mb"], memory))
    return sums


def check_conditions(bench, report: Report, label: str) -> None:
    broken = bench.each(lambda c: tpcc.violations(c.server), "consistency conditions")
    for engine, found in broken.items():
        report.failures += [f"{engine}, {label}: condition {text}" for text in found]
    number = sum(map(len, broken.values()))
    bench.say(f"{label}: consistency conditions checked, {number} broken")


def wanted(memories: tuple[int, ...], memory: int) -> set[str]:
    """Which bars hold at one size of cache. They were set for a sixteenth and a quarter of the
    data, which are the smallest and the second of three sizes."""
    place = sorted(memories).index(memory)
    found = {"rate"} if place < 2 or len(memories) < 3 else set()
    if place == min(1, len(memories) - 1):
        found |= {"written", "steady"}
    return found | ({"memory"} if place == 0 else set())


def add_memory(report: Report, memory: int, sums: dict[str, tpcc.Sum], bar: set[str]) -> None:
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
    steady = ("lowest second / median second", "", lambda s: s.steadiness)
    add(*steady, True, bars.TPCC_STEADY, "steady")
    add("p99", "ms", lambda s: s.p99)
    written = ("written a transaction", "KB", each(lambda s: s.used.written_bytes / 1e3))
    add(*written, False, bars.TPCC_WRITTEN_KB, "written")
    add("of that, binary log", "KB", each(lambda s: s.binlog_bytes / 1e3), None)
    add("read a transaction", "KB", each(lambda s: s.used.read_bytes / 1e3))
    add("CPU a transaction", "ms", each(lambda s: s.used.cpu_seconds * 1e3))
    memory_figure = ("peak memory (RSS)", "MiB", lambda s: s.resident / 2**20)
    add(*memory_figure, False, bars.TPCC_MEMORY, "memory")
    add_curves(report, label, sums)


def add_curves(report: Report, label: str, sums: dict[str, tpcc.Sum]) -> None:
    """What happened second by second."""
    rates = {engine: s.curve("rate") for engine, s in sums.items()}
    report.plots.append(Plot(f"{label}throughput by second", "seconds", "transactions", rates))
    p99s = {engine: s.curve("p99") for engine, s in sums.items()}
    report.plots.append(
        Plot(f"{label}p99 latency by second", "seconds", "ms", p99s, log_y=True)
    )  # fmt: skip
    slower = {engine: s.slower() for engine, s in sums.items()}
    title = f"{label}share of the transactions that took longer"
    report.plots.append(Plot(title, "ms", "share", slower, log_y=True, log_x=True))
    disks = {engine: s.curve("disk") for engine, s in sums.items()}
    report.plots.append(Plot(f"{label}disk by second", "seconds", "MiB", disks))


def add_sweep(report: Report, sweep: dict[int, dict[str, tpcc.Sum]]) -> None:
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
