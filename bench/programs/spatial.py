# SPDX-License-Identifier: GPL-2.0-only
"""SPATIAL indexes: building, size, windows of three sizes, the nearest ten, inserts and updates.

Points and squares lie around a thousand centres, as towns do around cities; the squares have sides
from a few metres to several degrees. Both engines get the same rows and the same windows, and turns
are interleaved. At the end each engine must find as many rows with the index as without it.
"""

import random
import statistics

from bench import bars, clients
from bench.harness import Size
from bench.report import Report
from bench.rounds import bars_of_medians, names_of, rounds_of
from bench.sysbench_tool import DATABASE

NAME = "spatial"
TITLE = "SPATIAL indexes"
HELP = "SPATIAL indexes on points and areas: build, size, windows, inserts, updates"
ENGINES = ("rocksdb", "innodb")  # MyRocks has none
SIZES = {
    "rows": Size(100_000, 1_000_000, "rows of each table"),
    "windows": Size(200, 1_000, "windows of each size in a round"),
    "rounds": Size(3, 5, "rounds of the windows, of the inserts and of the updates"),
    "batch": Size(100, 100, "rows of an INSERT or UPDATE"),
    "batches": Size(50, 200, "of these in a round"),
    "memory_mb": Size(256, 2048, "size of the cache"),
}
TABLES = ("points", "areas")
CENTRES = 1000
# name -> side in degrees
WINDOWS = {"small": 0.05, "middle": 1.0, "large": 10.0}
NEAR = 0.5  # side of the window in which the nearest ten are looked for
# A normal distribution is near enough the sum of a few even ones. RAND(n) is the same everywhere.
PLACE = "ROUND({centre} + {spread} * (RAND(seq * 7 + {n}) + RAND(seq * 13 + {n}) - 1), 6)"
X = PLACE.format(centre="-170 + (seq % 1000) * 7919 % 1000 * 0.34", spread="1.5", n=1)
Y = PLACE.format(centre="-80 + (seq % 1000) * 104729 % 1000 * 0.16", spread="1.5", n=2)
SIDE = "POW(10, -4 + 4.5 * POW(RAND(seq * 17 + 3), 2))"
GEOMETRIES = {
    "points": "POINT(x, y)",
    "areas": "ST_GeomFromText(CONCAT('POLYGON((', x, ' ', y, ',', x, ' ', y + side, ',', x + side, "
    "' ', y + side, ',', x + side, ' ', y, ',', x, ' ', y, '))'))",
}


def measure(bench) -> Report:
    size = bench.size
    report = bench.report(
        f"{size['rows']:,} points and as many areas, {size['rounds']} rounds of {size['windows']} "
        f"windows of each size, {size['memory_mb']} MB of cache"
    )
    bench.start(size["memory_mb"] * 2**20)
    add_builds(report, bench.each(lambda c: build(bench, c), "rows and indexes"))
    add_windows(report, bench.rounds(size["rounds"], lambda c, n: windows(bench, c, n)))
    add_changes(report, bench.rounds(size["rounds"], lambda c, n: changes(bench, c, n)))
    for engine, found in bench.each(differences, "comparing with scans").items():
        report.failures += [f"{engine}: {text}" for text in found]
    return report


def build(bench, contender) -> dict[str, dict[str, float]]:
    """table -> seconds of ADD SPATIAL INDEX, and bytes that it adds to the files."""
    contender.new_database()
    found = {}
    with contender.server.connect(DATABASE) as link, link.cursor() as cursor:
        for table in TABLES:
            cursor.execute(
                f"CREATE TABLE {table} (id INT NOT NULL PRIMARY KEY, g GEOMETRY NOT NULL) "
                f"{contender.table_options}"
            )
            cursor.execute(
                f"INSERT INTO {table} SELECT seq, {GEOMETRIES[table]} FROM (SELECT seq, {X} AS x, "
                f"{Y} AS y, ROUND({SIDE}, 6) AS side FROM seq_1_to_{bench.size['rows']}) AS made"
            )
            before = contender.disk_at_rest()
            seconds = clients.timed(cursor, f"ALTER TABLE {table} ADD SPATIAL INDEX g (g)")
            added = contender.disk_at_rest() - before
            clients.timed(cursor, f"ANALYZE TABLE {table}")
            found[table] = {"seconds": seconds, "bytes": added}
            bench.say(
                f"{contender.title}: index of {table} {seconds:.1f} s, {added / 2**20:.0f} MiB"
            )
    contender.settle()
    return found


def square(rng: random.Random, side: float) -> str:
    """Around one of the centres, where there is something to be found."""
    number = rng.randrange(CENTRES)
    x = -170 + number * 7919 % 1000 * 0.34 + rng.uniform(-1, 1) - side / 2
    y = -80 + number * 104729 % 1000 * 0.16 + rng.uniform(-1, 1) - side / 2
    corners = ((x, y), (x, y + side), (x + side, y + side), (x + side, y), (x, y))
    ring = ",".join(f"{a:.6f} {b:.6f}" for a, b in corners)
    return f"ST_GeomFromText('POLYGON(({ring}))')"


def windows(bench, contender, number: int) -> dict[str, float]:
    """Name -> milliseconds of the median query. Each round has windows of its own."""
    found = {}
    with contender.server.connect(DATABASE) as link, link.cursor() as cursor:
        for table in TABLES:
            for name, side in WINDOWS.items():
                rng = random.Random(f"{table} {name} {number}")
                found[f"{table}, {name} window"] = median_time(
                    cursor,
                    f"SELECT COUNT(*) FROM {table} WHERE MBRIntersects(g, {{window}})",
                    [square(rng, side) for _ in range(bench.size["windows"])],
                )
        rng = random.Random(f"nearest {number}")
        found["points, nearest 10"] = median_time(
            cursor,
            "SELECT id FROM points WHERE MBRIntersects(g, {window}) "
            "ORDER BY ST_Distance(g, ST_Centroid({window})) LIMIT 10",
            [square(rng, NEAR) for _ in range(bench.size["windows"])],
        )
    return found


def median_time(cursor, query: str, windows: list[str]) -> float:
    seconds = [clients.timed(cursor, query.format(window=window)) for window in windows]
    return statistics.median(seconds) * 1e3


def changes(bench, contender, number: int) -> dict[str, float]:
    """Name -> rows a second."""
    size = bench.size
    rows = size["batch"] * size["batches"]
    first = 10**7 * number
    rng = random.Random(f"changes {number}")
    found = {}
    with contender.server.connect(DATABASE) as link, link.cursor() as cursor:
        for table in TABLES:
            inserted = updated = 0.0
            for batch in range(size["batches"]):
                start = first + batch * size["batch"]
                inserted += clients.timed(
                    cursor,
                    f"INSERT INTO {table} SELECT seq, {GEOMETRIES[table]} FROM (SELECT seq, {X} AS "
                    f"x, {Y} AS y, ROUND({SIDE}, 6) AS side "
                    f"FROM seq_{start}_to_{start + size['batch'] - 1}) AS made",
                )
                old = rng.randrange(1, size["rows"] - size["batch"])
                updated += clients.timed(
                    cursor,
                    f"UPDATE {table} SET g = {moved(table)} "
                    f"WHERE id BETWEEN {old} AND {old + size['batch'] - 1}",
                )
            found[f"{table}, inserts"] = rows / inserted
            found[f"{table}, updates"] = rows / updated
    return found


def moved(table: str) -> str:
    """The geometry a little to the side of where it is."""
    if table == "points":
        return "POINT(ST_X(g) + 0.01, ST_Y(g))"
    return "ST_Envelope(ST_Buffer(ST_Envelope(g), 0.001))"


def differences(contender) -> list[str]:
    found = []
    rng = random.Random("check")
    for table in TABLES:
        for side in WINDOWS.values():
            window = square(rng, side)
            query = f"SELECT COUNT(*) FROM {table} {{}} INDEX (g) WHERE MBRIntersects(g, {window})"
            through, without = (
                contender.server.sql(query.format(how), DATABASE) for how in ("FORCE", "IGNORE")
            )
            if through != without:
                found.append(f"{table}, window of {side}: {through} rows instead of {without}")
    return found


def add_builds(report: Report, builds: dict[str, dict]) -> None:
    for table in TABLES:
        seconds = {e: found[table]["seconds"] for e, found in builds.items()}
        report.add(f"{table}: ADD SPATIAL INDEX", "s", seconds, False, bars.SPATIAL_BUILD)
        disk = {e: found[table]["bytes"] / 2**20 for e, found in builds.items()}
        report.add(f"{table}: the index on disk", "MiB", disk, False, bars.SPATIAL_DISK)


def add_windows(report: Report, turns: dict[str, list[dict[str, float]]]) -> None:
    for name in names_of(turns):
        times = rounds_of(name, turns)
        bar = bars.SPATIAL_SMALL if "small" in name else bars.SPATIAL_WINDOW
        report.add_rounds(name, "ms", times, False, bar, "Searches, median time")
    report.plots.append(bars_of_medians("Searches, median times", "ms", turns, log_y=True))


def add_changes(report: Report, turns: dict[str, list[dict[str, float]]]) -> None:
    for name in names_of(turns):
        rates = rounds_of(name, turns)
        report.add_rounds(name, "rows/s", rates, True, bars.SPATIAL_CHANGES, "Changes")
