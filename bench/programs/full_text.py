# SPDX-License-Identifier: GPL-2.0-only
"""FULLTEXT indexes on articles of English prose: building, size, searches, inserts beside searches.

The articles are those of tools/setup/articles.py, which makes them when they are first asked for.
Both engines get the same rows and the same searches, and turns are interleaved. A search takes the
20 rows that rank highest, which both give without ORDER BY.

What is done so that InnoDB is at its best:
- The first ADD FULLTEXT of a table copies it, for a hidden column. Here the empty table had an
  index before, so the column is there, and the time is that of the index alone.
- The size is that of the files FTS_*.ibd. Basalt's is what the index adds to all its files, after
  a compaction of the rows, so that nothing that they save is set against it.
- The searches come before the inserts, when ADD FULLTEXT has written the whole index. After each
  round of inserts it writes out what it holds in memory (OPTIMIZE TABLE with
  innodb_optimize_fulltext_only), and that takes none of the measured time.

At the end each engine must find exactly the rows that the words of the texts say.
"""

import random
import statistics
import time
from pathlib import Path

from bench import bars, clients
from bench.article_searches import KINDS, Search, Searches
from bench.clients import Client
from bench.contenders import allocated_bytes
from bench.harness import Size
from bench.report import Report
from bench.rounds import Rounds, bars_of_medians, names_of, rounds_of
from bench.sysbench_tool import DATABASE
from tools.errors import DevError

NAME = "full_text"
TITLE = "FULLTEXT indexes"
HELP = "FULLTEXT indexes on articles: build, size, words, phrases, beginnings, inserts"
ENGINES = ("rocksdb", "innodb")  # MyRocks has none
SIZES = {
    "articles": Size(20_000, 200_000, "rows that are indexed"),
    "inserted": Size(300, 1_000, "rows that are inserted beside searches, in all rounds"),
    "searches": Size(100, 500, "searches of each kind in a round"),
    "rounds": Size(3, 5, "rounds of the searches and of the inserts"),
    "checked": Size(10, 10, "searches of each kind of which the rows are compared with the texts"),
    "memory_mb": Size(256, 1024, "size of the cache"),
}
TABLE = "article"
BEST = 20  # rows that a search asks for
SECONDS_TO_BEGIN = 60.0  # of the client that searches beside inserts
WARM = 20  # searches of each kind before the first round
BUILD, DISK = "ADD FULLTEXT", "the index on disk"
INSERTS, SEARCHES = "rows inserted beside searches", "searches beside inserts"


def measure(bench) -> Report:
    size = bench.size
    articles, added = articles_of(bench)
    searches = Searches(articles)
    report = bench.report(
        f"{size['articles']:,} articles of {sum(map(len, articles)) / 1e6:,.0f} MB, "
        f"{size['rounds']} rounds of {size['searches']} searches of each kind, "
        f"{size['inserted']} rows inserted beside searches, {size['memory_mb']} MB of cache"
    )
    bench.start(size["memory_mb"] * 2**20)
    file = written(articles, bench.folder / "articles.tsv")
    add_builds(report, bench.each(lambda c: build(bench, c, file), "rows and index"))
    bench.each(lambda c: search(bench, c, searches, 0, WARM), "warming up")
    add_searches(
        report,
        bench.rounds(size["rounds"], lambda c, n: search(bench, c, searches, n, size["searches"])),
    )
    add_inserts(
        report, bench.rounds(size["rounds"], lambda c, n: inserts(bench, c, searches, added, n))
    )
    checks = {kind: searches.make(kind, "check", size["checked"]) for kind in KINDS}
    present = articles + added[: size["inserted"] // size["rounds"] * size["rounds"]]
    expected = [(s, s.found_in(present)) for found in checks.values() for s in found]
    found = bench.each(lambda c: differences(c, expected), "comparing with the texts")
    for engine, texts in found.items():
        report.failures += [f"{engine}: {text}" for text in texts]
    return report


def articles_of(bench) -> tuple[list[str], list[str]]:
    """Those that are there from the beginning, and those that are inserted. DevError when more
    are asked for than there are."""
    from tools.setup import articles

    number, inserted = bench.size["articles"], bench.size["inserted"]
    bench.facts |= {f"articles: {name}": text for name, text in articles.install().items()}
    found = articles.read(number + inserted)
    return found[:number], found[number:]


def written(articles: list[str], file: Path) -> Path:
    """What LOAD DATA reads. The texts have neither tabs nor backslashes."""
    with file.open("w") as out:
        for number, text in enumerate(articles, 1):
            out.write(f"{number}\t{text}\n")
    return file


def build(bench, contender, file: Path) -> dict[str, float]:
    """Seconds of ADD FULLTEXT, and MiB of the index."""
    contender.new_database()
    with contender.server.connect(DATABASE) as link, link.cursor() as cursor:
        cursor.execute(
            f"CREATE TABLE {TABLE} (id INT NOT NULL PRIMARY KEY, body TEXT NOT NULL, "
            f"FULLTEXT KEY body (body)) CHARACTER SET utf8mb4 {contender.table_options}"
        )
        cursor.execute(f"ALTER TABLE {TABLE} DROP KEY body")
        cursor.execute(f"LOAD DATA INFILE '{file}' INTO TABLE {TABLE} CHARACTER SET utf8mb4")
        contender.settle_compacted()
        before = index_files(contender)
        seconds = clients.timed(cursor, f"ALTER TABLE {TABLE} ADD FULLTEXT KEY body (body)")
        contender.settle()
        added = (index_files(contender) - before) / 2**20
        clients.timed(cursor, f"ANALYZE TABLE {TABLE}")
    bench.say(f"{contender.title}: index in {seconds:.1f} s, {added:.0f} MiB")
    return {BUILD: seconds, DISK: added}


def index_files(contender) -> int:
    """Bytes: InnoDB's files that hold nothing but full-text indexes; all tables of Basalt."""
    if contender.storage_engine == "rocksdb":
        return contender.disk_at_rest()
    files = (contender.server.datadir / DATABASE).glob("*.ibd")
    return sum(allocated_bytes(file) for file in files if file.name.lower().startswith("fts_"))


def search(bench, contender, searches: Searches, number: int, count: int) -> dict[str, tuple]:
    """Kind -> milliseconds of each search. Each round has searches of its own."""
    found = {}
    with contender.server.connect(DATABASE) as link, link.cursor() as cursor:
        for kind in KINDS:
            made = searches.make(kind, f"round {number}", count)
            found[kind] = [clients.timed(cursor, best(one)) * 1e3 for one in made]
    medians = ", ".join(f"{kind} {statistics.median(ms):.2f} ms" for kind, ms in found.items())
    bench.say(f"{contender.title}, round {number}: {medians}")
    return {kind: (statistics.median(ms), slow(ms)) for kind, ms in found.items()}


def best(one: Search) -> str:
    return f"SELECT id FROM {TABLE} WHERE {one.condition()} LIMIT {BEST}"


def slow(milliseconds: list[float]) -> float:
    """The 99th percentile."""
    return clients.percentile([(0.0, ms) for ms in milliseconds], 99)


def inserts(bench, contender, searches: Searches, added: list[str], number: int) -> dict:
    """Rows a second of a client that inserts them one by one, and searches a second of another."""
    rows = bench.size["inserted"] // bench.size["rounds"]
    first = (number - 1) * rows
    made = searches.make("two words", f"inserts {number}", 200)

    def action(cursor, rng: random.Random) -> None:
        clients.timed(cursor, best(rng.choice(made)))

    with contender.server.connect(DATABASE) as link, link.cursor() as cursor:
        with Client(contender, action) as searching:
            wait_for_first(searching)
            started = time.monotonic() - searching.since
            for place, text in enumerate(added[first : first + rows], first):
                key = bench.size["articles"] + place + 1
                cursor.execute(f"INSERT INTO {TABLE} VALUES ({key}, {link.escape(text)})")
            ended = time.monotonic() - searching.since
        write_words(contender, cursor)
    if searching.errors:
        raise DevError(f"{contender.title}, searches: {searching.errors[0]}")
    contender.settle()
    searched = len(clients.between(searching.latencies, started, ended))
    return {INSERTS: rows / (ended - started), SEARCHES: searched / (ended - started)}


def wait_for_first(searching: Client) -> None:
    """Until one search has ended: the client's connection takes a moment. DevError when it does
    not come to one."""
    deadline = time.monotonic() + SECONDS_TO_BEGIN
    while not searching.latencies and not searching.errors:
        if time.monotonic() > deadline:
            raise DevError(f"no search ended in {SECONDS_TO_BEGIN:.0f} s")
        time.sleep(0.01)


def write_words(contender, cursor) -> None:
    """InnoDB keeps the words of new rows in memory until it is told, or has many."""
    if contender.storage_engine == "innodb":
        cursor.execute("SET GLOBAL innodb_optimize_fulltext_only = ON")
        clients.timed(cursor, f"OPTIMIZE TABLE {TABLE}")
        cursor.execute("SET GLOBAL innodb_optimize_fulltext_only = OFF")


def differences(contender, expected: list[tuple[Search, set[int]]]) -> list[str]:
    """Searches that find other rows than the texts say."""
    found = []
    for one, wanted in expected:
        rows = contender.server.sql(f"SELECT id FROM {TABLE} WHERE {one.condition()}", DATABASE)
        keys = [int(key) for key in rows.split()]
        missing, more = wanted - set(keys), set(keys) - wanted
        if missing or more or len(keys) != len(set(keys)):
            found.append(
                f"{one.condition()}: {len(keys)} rows instead of {len(wanted)}; "
                f"missing {sorted(missing)[:3]}, too many {sorted(more)[:3]}"
            )
    return found


def add_builds(report: Report, builds: dict[str, dict[str, float]]) -> None:
    for name, unit, bar in (
        (BUILD, "s", bars.FULL_TEXT_BUILD),
        (DISK, "MiB", bars.FULL_TEXT_DISK),
    ):
        values = {engine: found[name] for engine, found in builds.items()}
        report.add(name, unit, values, False, bar)


def add_searches(report: Report, turns: dict[str, list[dict[str, tuple]]]) -> None:
    medians, slowest = (part_of_times(turns, place) for place in (0, 1))
    for kind in names_of(medians):
        for words, times in (("median", medians), ("99th percentile", slowest)):
            found = rounds_of(kind, times)
            bar = bars.FULL_TEXT_SEARCH
            report.add_rounds(f"{kind}: {words}", "ms", found, False, bar, "Searches, time")
    report.plots.append(bars_of_medians("Searches, median times", "ms", medians, log_y=True))


def part_of_times(turns: dict[str, list[dict[str, tuple]]], place: int) -> Rounds:
    return {
        engine: [{kind: times[place] for kind, times in turn.items()} for turn in found]
        for engine, found in turns.items()
    }


def add_inserts(report: Report, turns: dict[str, list[dict[str, float]]]) -> None:
    for name, unit, bar in (
        (INSERTS, "rows/s", bars.FULL_TEXT_INSERTS),
        (SEARCHES, "1/s", None),
    ):
        rates = rounds_of(name, turns)
        report.add_rounds(name, unit, rates, True, bar, "One client inserts, another searches")
