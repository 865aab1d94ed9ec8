# SPDX-License-Identifier: GPL-2.0-only
"""A wide fact table: LOAD DATA, INSERT .. SELECT, reloads of one day, scans, GROUP BYs,
walks in both directions; its size with each word of COMPRESSION.

The rows are made once (bench/olap_data.py) and loaded into every engine. Queries run in
turns on a table that was read before; a turn's time is one query's.
"""

import statistics

from bench import bars, clients, harness, olap
from bench.contenders import base_of
from bench.harness import Size
from bench.plot import Plot
from bench.report import Report
from bench.rounds import bars_of_medians, rounds_of
from bench.sysbench_tool import DATABASE

NAME = "olap"
TITLE = "Wide fact table"
HELP = "wide fact table: LOAD DATA, INSERT .. SELECT, reloads, scans, GROUP BYs, disk"
ENGINES = harness.ENGINES
SIZES = {
    "days": Size(20, 365, "days in the table"),
    "rows_a_day": Size(8_000, 100_000, "rows of a day"),
    "reloads": Size(2, 10, "days that are loaded anew"),
    "turns": Size(3, 5, "turns of the queries"),
    "memory_mb": Size(256, 4096, "size of the cache; smaller than the table means cold scans"),
}


def measure(bench) -> Report:
    size = bench.size
    report = bench.report(
        f"{size['days']} days of {size['rows_a_day']:,} rows, {size['reloads']} reloads, "
        f"{size['turns']} turns of the queries, {size['memory_mb']} MB of cache"
    )
    bench.folder.mkdir(parents=True, exist_ok=True)
    data = olap.Data(bench.folder, size["days"], size["rows_a_day"], size["reloads"])
    bench.say(f"{data.bytes / 2**20:.0f} MiB of text made")
    bench.start(size["memory_mb"] * 2**20)
    loads = bench.each(lambda c: load(bench, c, data), "loading")
    add_loads(report, loads, data)
    add_presets(report, loads)
    add_queries(report, bench.rounds(size["turns"], lambda c, n: queries(bench, c, n)))
    rows = size["days"] * size["rows_a_day"] // 2
    add_walks(report, bench.rounds(size["turns"], lambda c, n: walks(bench, c, rows)))
    check_answers(report, bench)
    return report


def add_queries(report: Report, turns: dict[str, list[dict[str, float]]]) -> None:
    for name in olap.QUERIES:
        seconds = rounds_of(name, turns)
        report.add_rounds(f"query: {name}", "s", seconds, False, olap.BARS.get(name))
    report.plots.append(bars_of_medians("Query times, medians", "seconds", turns))


def load(bench, contender, data: olap.Data) -> dict[str, float]:
    """All that writes, with seconds of each part and the sizes after them."""
    contender.new_database()
    found = {}
    with contender.server.connect(DATABASE) as link, link.cursor() as cursor:
        olap.create(cursor, "fact", contender.table_options)
        olap.create(cursor, "fact2", contender.table_options)
        before = contender.usage()
        found["LOAD DATA"] = clients.timed(cursor, olap.load_statement("fact", data.all))
        contender.settle()
        found["written"] = (contender.usage() - before).written_bytes
        found["disk"] = contender.disk_bytes()
        found["presets"] = presets(contender, cursor, data)
        found["INSERT"] = clients.timed(cursor, "INSERT INTO fact2 SELECT * FROM fact")
        contender.settle()
        found["disk of both"] = contender.disk_bytes()
        reloads = [olap.reload(cursor, "fact", *again) for again in data.again]
        found["reload"] = statistics.median(reloads)
        clients.timed(cursor, "DROP TABLE fact2")
        clients.timed(cursor, "ANALYZE TABLE fact")
    contender.settle()
    found["disk after reloads"] = contender.disk_at_rest()
    bench.say(
        f"{contender.title}: loaded in {found['LOAD DATA']:.1f} s, {found['disk'] / 2**20:.0f} MiB"
    )
    return found


def presets(contender, cursor, data: olap.Data) -> dict[str, dict[str, float]]:
    """Of a table with each of Basalt's words for compression: seconds of LOAD DATA and of a scan,
    bytes on disk. Empty for others."""
    found = {}
    for word in olap.PRESETS if base_of(contender.engine) == "rocksdb" else ():
        before = contender.disk_bytes()
        olap.create(cursor, word, f"{contender.table_options} COMPRESSION='{word}'")
        load = clients.timed(cursor, olap.load_statement(f"`{word}`", data.all))
        contender.settle()
        disk = contender.disk_bytes() - before
        scan = [clients.timed(cursor, olap.full_scan(word)) for _ in range(2)][-1]
        found[word] = {"load": load, "disk": disk, "scan": scan}
    for word in found:
        clients.timed(cursor, f"DROP TABLE `{word}`")
    contender.disk_at_rest()
    return found


def add_presets(report: Report, loads: dict[str, dict]) -> None:
    """Basalt's words for compression beside the only size that each other engine has."""
    words = next((found["presets"] for found in loads.values() if found["presets"]), {})
    for word in words:
        own = {e: f["presets"][word] for e, f in loads.items() if f["presets"]}
        disk = {e: own.get(e, f)["disk"] * 2**-20 for e, f in loads.items()}
        bar = bars.OLAP_DISK if word == "small" else None
        report.add(f"disk, COMPRESSION={word}", "MiB", disk, False, bar)
        for title, what in (("LOAD DATA", "load"), ("full scan", "scan")):
            seconds = {e: known[what] for e, known in own.items()}
            report.add(f"{title}, COMPRESSION={word}", "s", seconds, False)


def add_loads(report: Report, loads: dict[str, dict], data: olap.Data) -> None:
    def values(name: str, scale: float = 1.0) -> dict[str, float]:
        return {engine: found[name] * scale for engine, found in loads.items()}

    report.add("LOAD DATA", "s", values("LOAD DATA"), False)
    report.add("INSERT .. SELECT", "s", values("INSERT"), False)
    report.add("reload of a day", "s", values("reload"), False)
    report.add("written by LOAD DATA", "MiB", values("written", 2**-20), False)
    report.add("disk after LOAD DATA", "MiB", values("disk", 2**-20), False)
    report.add("disk / text of the rows", "", values("disk", 1 / data.bytes), False)
    report.add("disk after INSERT .. SELECT", "MiB", values("disk of both", 2**-20), False)
    report.add("disk after reloads", "MiB", values("disk after reloads", 2**-20), False)
    sizes = {
        e: [(name, f[name] / 2**20) for name in ("disk", "disk of both", "disk after reloads")]
        for e, f in loads.items()
    }
    report.plots.append(Plot("Disk", "", "MiB", sizes, "bars"))
    seconds = {
        e: [(name, f[name]) for name in ("LOAD DATA", "INSERT", "reload")] for e, f in loads.items()
    }
    report.plots.append(Plot("Time of loading", "", "seconds", seconds, "bars"))


def queries(bench, contender, number: int) -> dict[str, float]:
    """Seconds of each query; before the first turn each has run once."""
    with contender.server.connect(DATABASE) as link, link.cursor() as cursor:
        if number == 1:
            for query in olap.QUERIES.values():
                clients.timed(cursor, query)
        found = {name: clients.timed(cursor, query) for name, query in olap.QUERIES.items()}
    bench.say(f"{contender.title}: turn {number}, all queries in {sum(found.values()):.1f} s")
    return found


def add_walks(report: Report, turns: dict[str, list[dict[str, float]]]) -> None:
    """ORDER BY .. DESC as a multiple of ORDER BY, over half of the rows."""
    for name, *_ in olap.WALKS:
        ratios = rounds_of(name, turns)
        report.add_rounds(f"backwards / forwards, {name}", "", ratios, False, bars.OLAP_BACKWARDS)


def walks(bench, contender, rows: int) -> dict[str, float]:
    """The ratio of each walk; each direction has run once before it counts."""
    found = {}
    with contender.server.connect(DATABASE) as link, link.cursor() as cursor:
        for name, index, *orders in olap.WALKS:
            queries = [olap.walk(index, order, rows) for order in orders]
            for query in queries:
                clients.timed(cursor, query)
            up, down = (clients.timed(cursor, query) for query in queries)
            found[name] = down / up
    bench.say(f"{contender.title}: walks backwards take {max(found.values()):.2f} times as long")
    return found


def check_answers(report: Report, bench) -> None:
    """All engines must answer alike."""
    answers = bench.each(
        lambda c: {name: c.server.query(q, DATABASE) for name, q in olap.QUERIES.items()},
        "answers",
    )
    first, *others = bench.engines
    for other in others:
        for name in olap.QUERIES:
            if sorted(answers[first][name]) != sorted(answers[other][name]):
                report.failures.append(f"{other} and {first} answer differently: {name}")
