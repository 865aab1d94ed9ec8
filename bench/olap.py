# SPDX-License-Identifier: GPL-2.0-only
"""The fact table of several benchmarks: its files, statements and queries."""

from pathlib import Path

from bench import bars, clients, olap_data

QUERIES = {
    "COUNT(*)": "SELECT COUNT(*) FROM fact",
    "full scan": "SELECT SUM(amount), SUM(LENGTH(url)), MAX(note) FROM fact",
    "by country": "SELECT country, COUNT(*), SUM(amount) FROM fact GROUP BY country",
    "by day and device": "SELECT day, device, SUM(quantity) FROM fact GROUP BY day, device",
    "best products": "SELECT sku, product, SUM(amount) AS total FROM fact GROUP BY sku, product "
    "ORDER BY total DESC, sku LIMIT 20",
    "customers": "SELECT COUNT(DISTINCT customer) FROM fact",
    "one week": "SELECT category, AVG(discount) FROM fact WHERE day BETWEEN '2024-01-02' AND "
    "'2024-01-08' GROUP BY category",
    "one customer": "SELECT COUNT(*), SUM(amount) FROM fact WHERE customer = 17",
}
# Walks over half of the table that read a column of each row, in the order of the primary key and
# in that of an index: (name, index, ORDER BY upwards, downwards).
WALKS = (
    ("rows", "PRIMARY", "day, id", "day DESC, id DESC"),
    ("an index", "customer_day", "customer, day", "customer DESC, day DESC"),
)
# Basalt's words for compression
PRESETS = ("fast", "default", "small")
BARS = dict.fromkeys(("COUNT(*)", "full scan"), bars.OLAP_SCAN)


class Data:
    """Text files in a folder: all rows, and some days anew. `again`: (day, file)."""

    def __init__(self, folder: Path, days: int, rows_a_day: int, reloads: int):
        generator = olap_data.Generator(rows_a_day)
        self.all = folder / "all.tsv"
        self.bytes = olap_data.write(generator, range(days), self.all)
        self.again = []
        for number in range(days - 1, max(-1, days - 1 - reloads), -1):
            file = folder / f"day{number}.tsv"
            olap_data.write(generator, range(number, number + 1), file, version=1)
            self.again.append((olap_data.day_text(number), file))


def full_scan(table: str) -> str:
    return QUERIES["full scan"].replace("FROM fact", f"FROM `{table}`")


def create(cursor, table: str, options: str) -> None:
    cursor.execute(f"CREATE TABLE `{table}` ({olap_data.COLUMNS}) {options}")


def walk(index: str, order: str, rows: int) -> str:
    """A query that reads `rows` rows in this order and answers with the amount of the last."""
    source = f"fact FORCE INDEX FOR ORDER BY ({index})"
    return f"SELECT amount FROM {source} ORDER BY {order} LIMIT {rows - 1}, 1"


def load_statement(table: str, file: Path) -> str:
    return f"LOAD DATA INFILE '{file}' INTO TABLE {table}"


def reload(cursor, table: str, day: str, file: Path) -> float:
    """Replaces the rows of a day; seconds."""
    seconds = clients.timed(cursor, f"DELETE FROM {table} WHERE day = '{day}'")
    return seconds + clients.timed(cursor, load_statement(table, file))
