# SPDX-License-Identifier: GPL-2.0-only
"""Tables that lose rows all the time: a queue, and a time series whose old half is purged.

Queue: a producer and a consumer work on it while a third client looks at its head, which is where
deleted rows lie. Time series: the older half is deleted in batches by time, through a secondary
index, while clients scan single sensors (through what was deleted) and the newest minute.
"""

import time

from bench import clients, harness
from bench.clients import Client
from bench.harness import Size
from bench.plot import Plot
from bench.report import Report
from bench.sysbench_tool import DATABASE

NAME = "delete"
TITLE = "Queue table and purge of a time series"
HELP = "queue table and time-series purge, with scans beside them"
ENGINES = harness.ENGINES
SIZES = {
    "memory_mb": Size(64, 256, "size of the cache"),
    "queue_rows": Size(20_000, 500_000, "rows in the queue in the beginning"),
    "seconds": Size(12, 600, "how long the queue is used"),
    "series_rows": Size(300_000, 20_000_000, "rows of the time series"),
}
SENSORS = 50
BATCH = 50
PURGE_BATCH = 5000
QUEUE = """CREATE TABLE queue (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, due INT NOT NULL,
 payload VARCHAR(200) NOT NULL, KEY due (due)) """
SERIES = """CREATE TABLE series (sensor INT NOT NULL, at INT NOT NULL, value DOUBLE NOT NULL,
 note VARCHAR(60) NOT NULL, PRIMARY KEY (sensor, at), KEY at (at)) """


def measure(bench) -> Report:
    size = bench.size
    report = bench.report(
        f"queue of {size['queue_rows']:,} rows for {size['seconds']} s, series of "
        f"{size['series_rows']:,} rows, {size['memory_mb']} MB of cache"
    )
    bench.start(size["memory_mb"] * 2**20)
    bench.each(lambda c: c.new_database(), "start")
    queues = bench.each(lambda c: use_queue(bench, c), "queue")
    add_queue(report, queues)
    purges = bench.each(lambda c: purge(bench, c), "purge")
    add_purge(report, purges)
    for engine in bench.engines:
        for who in [*queues[engine].values(), *purges[engine]["clients"].values()]:
            report.failures += [f"{engine}: {text}" for text in who.errors]
    return report


def use_queue(bench, contender) -> dict[str, Client]:
    """Runs the three clients; what each of them has seen."""
    contender.server.sql(
        QUEUE + contender.table_options + f"; INSERT INTO queue (due, payload) "
        f"SELECT seq, REPEAT(MD5(seq), 4) FROM seq_1_to_{bench.size['queue_rows']}",
        DATABASE,
    )
    contender.settle()
    with Client(contender, produce) as producer, Client(contender, consume) as consumer:
        with Client(contender, look, pause=0.005) as observer:
            time.sleep(bench.size["seconds"])
    bench.say(f"{contender.title}: {len(consumer.latencies) * BATCH:,} rows through the queue")
    contender.settle()
    return {"producer": producer, "consumer": consumer, "observer": observer}


def produce(cursor, random) -> None:
    rows = ",".join(
        f"({random.randrange(10**9)}, REPEAT(MD5({random.random()}), 4))" for _ in range(BATCH)
    )
    cursor.execute(f"INSERT INTO queue (due, payload) VALUES {rows}")


def consume(cursor, _) -> None:
    cursor.execute(f"SELECT id, payload FROM queue ORDER BY id LIMIT {BATCH}")
    found = [str(row[0]) for row in cursor.fetchall()]
    if found:
        cursor.execute(f"DELETE FROM queue WHERE id IN ({','.join(found)})")


def look(cursor, _) -> None:
    cursor.execute("SELECT id, due FROM queue ORDER BY id LIMIT 1")
    cursor.fetchall()


def add_queue(report: Report, queues: dict[str, dict[str, Client]]) -> None:
    def values(who: str, value) -> dict:
        return {engine: value(found[who].latencies) for engine, found in queues.items()}

    def rate(latencies) -> float | None:
        return len(latencies) * BATCH / latencies[-1][0] if latencies else None

    report.add("queue: rows put in", "1/s", values("producer", rate))
    report.add("queue: rows taken out", "1/s", values("consumer", rate))
    for percent in (50, 99, 100):
        found = values("observer", lambda seen, p=percent: clients.percentile(seen, p))
        name = "longest" if percent == 100 else f"p{percent}"
        report.add(f"queue: look at the head, {name}", "ms", found, False)
    worst = values("observer", clients.worst_by_second)
    report.plots.append(
        Plot("Queue: longest look at the head by second", "seconds", "ms", worst, log_y=True)
    )  # fmt: skip


def fill_series(bench, contender) -> int:
    """Returns the time that half of the rows are older than."""
    ticks = bench.size["series_rows"] // SENSORS
    contender.server.sql(
        SERIES + contender.table_options + f"; INSERT INTO series SELECT s.seq, t.seq, "
        f"RAND(t.seq) * 100, MD5(t.seq * 31 + s.seq) FROM seq_1_to_{SENSORS} s JOIN "
        f"seq_1_to_{ticks} t; ANALYZE TABLE series",
        DATABASE,
    )
    contender.settle()
    return ticks // 2


def purge(bench, contender) -> dict:
    """Deletes the older half in batches; latencies of scans meanwhile and of the same after it."""
    cut = fill_series(bench, contender)
    before_disk = contender.disk_bytes()

    def one_sensor(cursor, random) -> None:
        cursor.execute(
            f"SELECT COUNT(*), AVG(value) FROM series WHERE sensor = {random.randint(1, SENSORS)} "
            f"AND at < {cut + 200}"
        )
        cursor.fetchall()

    def newest(cursor, _) -> None:
        cursor.execute(f"SELECT MIN(at), COUNT(*) FROM series WHERE at >= {2 * cut - 20}")
        cursor.fetchall()

    def oldest(cursor, _) -> None:
        cursor.execute("SELECT at FROM series ORDER BY at LIMIT 1")
        cursor.fetchall()

    actions = {"one sensor": one_sensor, "newest": newest, "oldest": oldest}
    with Client(contender, one_sensor, 0.02) as a, Client(contender, newest, 0.02) as b:
        with Client(contender, oldest, 0.02) as c:
            seconds = delete_older(contender, cut)
    bench.say(f"{contender.title}: half of the series deleted in {seconds:.1f} s")
    after = {}
    for name, action in actions.items():
        with Client(contender, action) as client:
            time.sleep(1.0)
        after[name] = clients.percentile(client.latencies, 50)
    contender.settle()
    return {
        "seconds": seconds,
        "clients": dict(zip(actions, (a, b, c), strict=True)),
        "after": after,
        "rows": cut * SENSORS,
        "disk": contender.disk_at_rest() / before_disk,
    }


def delete_older(contender, cut: int) -> float:
    """Seconds until no row is older."""
    started = time.monotonic()
    with contender.server.connect(DATABASE) as link, link.cursor() as cursor:
        statement = f"DELETE FROM series WHERE at <= {cut} ORDER BY at LIMIT {PURGE_BATCH}"
        while cursor.execute(statement):
            pass
    return time.monotonic() - started


def add_purge(report: Report, purges: dict[str, dict]) -> None:
    rates = {e: found["rows"] / found["seconds"] for e, found in purges.items()}
    report.add("purge: rows deleted", "1/s", rates)
    for name in ("one sensor", "newest", "oldest"):
        seen = {e: found["clients"][name].latencies for e, found in purges.items()}
        for percent in (50, 99):
            values = {e: clients.percentile(points, percent) for e, points in seen.items()}
            report.add(f"purge: scan of {name} meanwhile, p{percent}", "ms", values, False)
        after = {e: found["after"][name] for e, found in purges.items()}
        report.add(f"purge: scan of {name} at once after it, p50", "ms", after, False)
        worst = {e: clients.worst_by_second(points) for e, points in seen.items()}
        title = f"Purge: longest scan of {name} by second"
        report.plots.append(Plot(title, "seconds", "ms", worst, log_y=True))
    kept = {e: found["disk"] for e, found in purges.items()}
    report.add("purge: disk after it over disk before it", "", kept, False)
