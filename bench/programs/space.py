# SPDX-License-Identifier: GPL-2.0-only
"""Bytes on disk: the tables of tpcc and olap at rest and after updates, also against InnoDB's ways
to compress, with what that costs: load, query, update and DROP times.

Contenders are Basalt, MyRocks, InnoDB, InnoDB with ROW_FORMAT=COMPRESSED in 8k and 4k pages, and
InnoDB with PAGE_COMPRESSED=1 (holes in its files).
"""

import time

from bench import bars, clients, olap, tpcc
from bench.harness import Size
from bench.plot import Plot
from bench.report import Report
from bench.sysbench_tool import DATABASE

NAME = "space"
TITLE = "Bytes on disk"
HELP = "disk of the tpcc and olap tables, also against InnoDB's compression"
ENGINES = ("rocksdb", "myrocks", "innodb", "innodb-8k", "innodb-4k", "innodb-page")
SIZES = {
    "warehouses": Size(1, 10, "of TPC-C"),
    "days": Size(10, 100, "of the fact table"),
    "rows_a_day": Size(5_000, 100_000, "rows of a day"),
    "memory_mb": Size(128, 1024, "size of the cache"),
    "threads": Size(4, 4, "client threads of TPC-C"),
    "seconds": Size(10, 3600, "of TPC-C transactions, for the size after updates"),
    "reloads": Size(2, 20, "days that are loaded anew"),
}


def measure(bench) -> Report:
    size = bench.size
    report = bench.report(
        f"TPC-C: {size['warehouses']} warehouses, then {size['seconds']} s of transactions; fact "
        f"table: {size['days']} days of {size['rows_a_day']:,} rows, then {size['reloads']} days "
        f"loaded anew; {size['memory_mb']} MB of cache"
    )
    bench.folder.mkdir(parents=True, exist_ok=True)
    data = olap.Data(bench.folder, size["days"], size["rows_a_day"], size["reloads"])
    bench.start(size["memory_mb"] * 2**20)
    add(report, "TPC-C", bench.each(lambda c: transactions(bench, c), "TPC-C"), bars.TPCC_DISK)
    add(
        report,
        "fact table",
        bench.each(lambda c: facts(bench, c, data), "fact table"),
        bars.OLAP_DISK,
    )
    return report


def transactions(bench, contender) -> dict[str, float]:
    """Sizes and times with the tables of TPC-C, which are gone afterwards."""
    loaded = tpcc.load(contender, bench.size["warehouses"], bench.size["threads"])
    turn = tpcc.run(contender, bench.size, bench.size["seconds"], 0)
    contender.settle()
    after = contender.disk_bytes()
    with contender.server.connect(DATABASE) as link, link.cursor() as cursor:
        query = clients.timed(cursor, "SELECT SUM(ol_amount) FROM order_line")
    return {
        "rest": loaded.disk_bytes,
        "after": after,
        "load": loaded.seconds,
        "rate": turn.run.outcome.events_per_second,
        "query": query,
        "drop": dropped(bench, contender),
    }


def facts(bench, contender, data: olap.Data) -> dict[str, float]:
    """The same with the fact table; updates are days that are loaded anew and single rows."""
    contender.forget_dropped()
    contender.new_database()
    with contender.server.connect(DATABASE) as link, link.cursor() as cursor:
        olap.create(cursor, "fact", contender.table_options)
        load = clients.timed(cursor, olap.load_statement("fact", data.all))
        contender.settle()
        rest = contender.disk_bytes()
        query = clients.timed(cursor, olap.QUERIES["full scan"])
        update = clients.timed(
            cursor, "UPDATE fact SET status = 'checked', seconds = seconds + 1 WHERE id % 10 = 3"
        )
        for day, file in data.again:
            update += olap.reload(cursor, "fact", day, file)
    contender.settle()
    return {
        "rest": rest,
        "after": contender.disk_bytes(),
        "load": load,
        "update": update,
        "query": query,
        "drop": dropped(bench, contender),
    }


def dropped(bench, contender) -> float:
    """Seconds until the tables are gone for their users."""
    started = time.monotonic()
    contender.server.sql(f"DROP DATABASE {DATABASE}")
    seconds = time.monotonic() - started
    contender.settle()
    bench.say(f"{contender.title}: tables dropped in {seconds:.2f} s")
    return seconds


def add(report: Report, what: str, found: dict[str, dict[str, float]], bar) -> None:
    def values(name: str, scale: float = 1.0) -> dict[str, float]:
        return {engine: one[name] * scale for engine, one in found.items()}

    report.add(f"{what}: disk at rest", "MiB", values("rest", 2**-20), False, bar)
    report.add(f"{what}: disk after updates", "MiB", values("after", 2**-20), False, bar)
    report.add(f"{what}: load", "s", values("load"), False)
    if what == "TPC-C":
        report.add(f"{what}: transactions", "1/s", values("rate"))
    else:
        report.add(f"{what}: updates", "s", values("update"), False)
    report.add(f"{what}: scan", "s", values("query"), False)
    report.add(f"{what}: DROP", "s", values("drop"), False)
    sizes = {
        e: [("at rest", one["rest"] / 2**20), ("after updates", one["after"] / 2**20)]
        for e, one in found.items()
    }
    report.plots.append(Plot(f"{what}: disk", "", "MiB", sizes, "bars"))
    times = {e: [(n, one[n]) for n in ("load", "query", "drop")] for e, one in found.items()}
    report.plots.append(Plot(f"{what}: times", "", "seconds", times, "bars", log_y=True))
