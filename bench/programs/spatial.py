# SPDX-License-Identifier: GPL-2.0-only
"""SPATIAL indexes: building, size, windows of three sizes, the nearest ten, inserts and updates.

Points and areas are those of the earth's shores (bench/shore_rows.py). Both engines get the same
rows and the same windows, and turns are interleaved. Windows lie at shores, where there is
something to be found. At the end each engine must find as many rows with the index as without it.
"""

import random
import statistics
from pathlib import Path
from typing import TYPE_CHECKING

from bench import bars, clients
from bench.harness import Size
from bench.report import Report
from bench.rounds import bars_of_medians, names_of, rounds_of
from bench.sysbench_tool import DATABASE

if TYPE_CHECKING:
    from bench.shore_rows import ShoreRows

NAME = "spatial"
TITLE = "SPATIAL indexes"
HELP = "SPATIAL indexes on points and areas: build, size, windows, inserts, updates"
ENGINES = ("rocksdb", "innodb")  # MyRocks has none
SIZES = {
    "rows": Size(100_000, 1_000_000, "rows of each table"),
    "windows": Size(200, 300, "windows of each size in a round"),
    "rounds": Size(3, 5, "rounds of the windows, of the inserts and of the updates"),
    "batch": Size(100, 100, "rows of an INSERT or UPDATE"),
    "batches": Size(50, 200, "of these in a round"),
    "memory_mb": Size(256, 2048, "size of the cache"),
}
TABLES = ("points", "areas")
# name -> side in degrees
WINDOWS = {"small": 0.05, "middle": 1.0, "large": 10.0}
NEAR = 0.5  # side of the window in which the nearest ten are looked for


def measure(bench) -> Report:
    size = bench.size
    rows = rows_of(bench)
    report = bench.report(
        f"{size['rows']:,} points and as many areas, {size['rounds']} rounds of {size['windows']} "
        f"windows of each size, {size['memory_mb']} MB of cache"
    )
    bench.start(size["memory_mb"] * 2**20)
    files = {t: rows.write(t, size["rows"], bench.folder / f"{t}.tsv") for t in TABLES}
    add_builds(report, bench.each(lambda c: build(bench, c, files), "rows and indexes"))
    bench.each(warm_up, "reading all rows once")
    add_windows(report, bench.rounds(size["rounds"], lambda c, n: windows(bench, c, rows, n)))
    add_changes(report, bench.rounds(size["rounds"], lambda c, n: changes(bench, c, rows, n)))
    found = bench.each(lambda c: differences(c, rows), "comparing with scans")
    for engine, texts in found.items():
        report.failures += [f"{engine}: {text}" for text in texts]
    return report


def rows_of(bench) -> "ShoreRows":
    """Those that are there from the beginning, and then those that are inserted. DevError when more
    are asked for than there are."""
    from bench.shore_rows import ShoreRows  # numpy is slow to import, and all programs are for help
    from tools.setup import shores

    size = bench.size
    bench.facts |= {f"shores: {name}": text for name, text in shores.install().items()}
    rows = ShoreRows(shores.read())
    rows.check(size["rows"] + size["rounds"] * size["batches"] * size["batch"])
    return rows


def build(bench, contender, files: dict[str, Path]) -> dict[str, dict[str, float]]:
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
                f"LOAD DATA INFILE '{files[table]}' INTO TABLE {table} (id, @wkb) "
                "SET g = ST_GeomFromWKB(UNHEX(@wkb))"
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


def warm_up(contender) -> None:
    """The cache has all of both tables. InnoDB's has it from the build; ours leaves the cache alone
    then."""
    world = "ST_GeomFromText('POLYGON((-200 -100,-200 100,400 100,400 -100,-200 -100))')"
    with contender.server.connect(DATABASE) as link, link.cursor() as cursor:
        for table in TABLES:
            cursor.execute(
                f"SELECT COUNT(*) FROM {table} FORCE INDEX (g) WHERE MBRIntersects(g, {world})"
            )


def square(rng: random.Random, rows: "ShoreRows", side: float) -> str:
    """With a place at a shore somewhere in it."""
    x, y = (place - rng.uniform(0, side) for place in rows.near(rng))
    corners = ((x, y), (x, y + side), (x + side, y + side), (x + side, y), (x, y))
    ring = ",".join(f"{a:.6f} {b:.6f}" for a, b in corners)
    return f"ST_GeomFromText('POLYGON(({ring}))')"


def windows(bench, contender, rows: "ShoreRows", number: int) -> dict[str, float]:
    """Name -> milliseconds of the median query. Each round has windows of its own."""
    found = {}
    with contender.server.connect(DATABASE) as link, link.cursor() as cursor:
        for table in TABLES:
            for name, side in WINDOWS.items():
                rng = random.Random(f"{table} {name} {number}")
                found[f"{table}, {name} window"] = median_time(
                    cursor,
                    f"SELECT COUNT(*) FROM {table} WHERE MBRIntersects(g, {{window}})",
                    [square(rng, rows, side) for _ in range(bench.size["windows"])],
                )
        rng = random.Random(f"nearest {number}")
        found["points, nearest 10"] = median_time(
            cursor,
            "SELECT id FROM points WHERE MBRIntersects(g, {window}) "
            "ORDER BY ST_Distance(g, ST_Centroid({window})) LIMIT 10",
            [square(rng, rows, NEAR) for _ in range(bench.size["windows"])],
        )
    return found


def median_time(cursor, query: str, windows: list[str]) -> float:
    seconds = [clients.timed(cursor, query.format(window=window)) for window in windows]
    return statistics.median(seconds) * 1e3


def changes(bench, contender, rows: "ShoreRows", number: int) -> dict[str, float]:
    """Name -> rows a second."""
    size = bench.size
    changed = size["batch"] * size["batches"]
    first = size["rows"] + (number - 1) * changed
    rng = random.Random(f"changes {number}")
    found = {}
    with contender.server.connect(DATABASE) as link, link.cursor() as cursor:
        for table in TABLES:
            inserted = updated = 0.0
            for batch in range(size["batches"]):
                start = first + batch * size["batch"]
                values = inserted_values(rows, table, range(start, start + size["batch"]))
                inserted += clients.timed(cursor, f"INSERT INTO {table} VALUES {values}")
                old = rng.randrange(1, size["rows"] - size["batch"])
                updated += clients.timed(
                    cursor,
                    f"UPDATE {table} SET g = {moved(table)} "
                    f"WHERE id BETWEEN {old} AND {old + size['batch'] - 1}",
                )
            found[f"{table}, inserts"] = changed / inserted
            found[f"{table}, updates"] = changed / updated
    return found


def inserted_values(rows: "ShoreRows", table: str, numbers: range) -> str:
    return ",".join(
        f"({row + 1},ST_GeomFromWKB(x'{rows.geometry(table, row).hex()}'))" for row in numbers
    )


def moved(table: str) -> str:
    """The geometry a little to the side of where it is."""
    if table == "points":
        return "POINT(ST_X(g) + 0.01, ST_Y(g))"
    return "ST_Envelope(ST_Buffer(ST_Envelope(g), 0.001))"


def differences(contender, rows: "ShoreRows") -> list[str]:
    found = []
    rng = random.Random("check")
    for table in TABLES:
        for side in WINDOWS.values():
            window = square(rng, rows, side)
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
