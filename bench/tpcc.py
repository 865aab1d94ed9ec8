# SPDX-License-Identifier: GPL-2.0-only
"""The TPC-C load of several benchmarks: loading, turns with samples, consistency conditions."""

import operator
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from bench import engine_counters, summary, sysbench_tool
from bench.process_usage import Usage
from bench.sampler import Sample, Sampler
from bench.sysbench_tool import DATABASE, Interval, ScriptRun

TABLES = (
    "warehouse",
    "district",
    "customer",
    "history",
    "new_order",
    "orders",
    "order_line",
    "item",
    "stock",
)
# the specification's random letters and digits; words, which compress
TEXTS = ("random", "words")
KINDS = ("new_order", "payment", "order_status", "delivery", "stock_level")

# The twelve conditions of clause 3.3.2 of the specification; each query counts the violations.
CONDITIONS = {
    "1: a warehouse's W_YTD is the sum of its districts' D_YTD": (
        "SELECT COUNT(*) FROM warehouse JOIN (SELECT d_w_id, SUM(d_ytd) AS total FROM district "
        "GROUP BY d_w_id) AS d ON d_w_id = w_id WHERE w_ytd <> total"
    ),
    "2: D_NEXT_O_ID - 1 is the highest order and new order": (
        "SELECT COUNT(*) FROM district LEFT JOIN (SELECT o_w_id, o_d_id, MAX(o_id) AS last "
        "FROM orders GROUP BY o_w_id, o_d_id) AS o ON o_w_id = d_w_id AND o_d_id = d_id "
        "LEFT JOIN (SELECT no_w_id, no_d_id, MAX(no_o_id) AS last FROM new_order "
        "GROUP BY no_w_id, no_d_id) AS n ON no_w_id = d_w_id AND no_d_id = d_id "
        "WHERE NOT d_next_o_id - 1 <=> o.last OR n.last <> o.last"
    ),
    "3: the new orders of a district have no gap": (
        "SELECT COUNT(*) FROM (SELECT 1 FROM new_order GROUP BY no_w_id, no_d_id "
        "HAVING MAX(no_o_id) - MIN(no_o_id) + 1 <> COUNT(*)) AS gaps"
    ),
    "4: a district's O_OL_CNT add up to its order lines": (
        "SELECT COUNT(*) FROM (SELECT o_w_id, o_d_id, SUM(o_ol_cnt) AS wanted FROM orders "
        "GROUP BY o_w_id, o_d_id) AS o JOIN (SELECT ol_w_id, ol_d_id, COUNT(*) AS there "
        "FROM order_line GROUP BY ol_w_id, ol_d_id) AS l ON ol_w_id = o_w_id AND ol_d_id = o_d_id "
        "WHERE wanted <> there"
    ),
    "5: an order has no carrier exactly when it is a new order": (
        "SELECT COUNT(*) FROM orders LEFT JOIN new_order ON no_w_id = o_w_id AND no_d_id = o_d_id "
        "AND no_o_id = o_id WHERE (o_carrier_id IS NULL) <> (no_o_id IS NOT NULL)"
    ),
    "6: an order has O_OL_CNT lines": (
        "SELECT COUNT(*) FROM orders LEFT JOIN (SELECT ol_w_id, ol_d_id, ol_o_id, COUNT(*) AS n "
        "FROM order_line GROUP BY ol_w_id, ol_d_id, ol_o_id) AS l ON ol_w_id = o_w_id "
        "AND ol_d_id = o_d_id AND ol_o_id = o_id WHERE NOT o_ol_cnt <=> n"
    ),
    "7: a line has no delivery date exactly when its order has no carrier": (
        "SELECT COUNT(*) FROM order_line JOIN orders ON o_w_id = ol_w_id AND o_d_id = ol_d_id "
        "AND o_id = ol_o_id WHERE (ol_delivery_d IS NULL) <> (o_carrier_id IS NULL)"
    ),
    "8: a warehouse's W_YTD is the sum of its history": (
        "SELECT COUNT(*) FROM warehouse JOIN (SELECT h_w_id, SUM(h_amount) AS total FROM history "
        "GROUP BY h_w_id) AS h ON h_w_id = w_id WHERE w_ytd <> total"
    ),
    "9: a district's D_YTD is the sum of its history": (
        "SELECT COUNT(*) FROM district JOIN (SELECT h_w_id, h_d_id, SUM(h_amount) AS total "
        "FROM history GROUP BY h_w_id, h_d_id) AS h ON h_w_id = d_w_id AND h_d_id = d_id "
        "WHERE d_ytd <> total"
    ),
    "10: C_BALANCE is what was delivered less what was paid": (
        "SELECT COUNT(*) FROM customer LEFT JOIN ({delivered}) AS l ON o_w_id = c_w_id "
        "AND o_d_id = c_d_id AND o_c_id = c_id LEFT JOIN ({paid}) AS h ON h_c_w_id = c_w_id "
        "AND h_c_d_id = c_d_id AND h_c_id = c_id "
        "WHERE c_balance <> IFNULL(l.total, 0) - IFNULL(h.total, 0)"
    ),
    "11: orders less new orders of a district are 2100 more than in the beginning": (
        "SELECT COUNT(*) FROM (SELECT o_w_id, o_d_id, COUNT(*) AS n FROM orders "
        "GROUP BY o_w_id, o_d_id) AS o LEFT JOIN (SELECT no_w_id, no_d_id, COUNT(*) AS n "
        "FROM new_order GROUP BY no_w_id, no_d_id) AS x ON no_w_id = o_w_id AND no_d_id = o_d_id "
        "JOIN (SELECT c_w_id, c_d_id, SUM(c_delivery_cnt) AS n FROM customer "
        "GROUP BY c_w_id, c_d_id) AS c ON c_w_id = o_w_id AND c_d_id = o_d_id "
        "WHERE o.n - IFNULL(x.n, 0) <> 2100 + c.n"
    ),
    "12: C_BALANCE + C_YTD_PAYMENT is what was delivered": (
        "SELECT COUNT(*) FROM customer LEFT JOIN ({delivered}) AS l ON o_w_id = c_w_id "
        "AND o_d_id = c_d_id AND o_c_id = c_id "
        "WHERE c_balance + c_ytd_payment <> IFNULL(l.total, 0)"
    ),
}
PARTS = {
    "{delivered}": (
        "SELECT o_w_id, o_d_id, o_c_id, SUM(ol_amount) AS total FROM orders JOIN order_line "
        "ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id "
        "WHERE ol_delivery_d IS NOT NULL GROUP BY o_w_id, o_d_id, o_c_id"
    ),
    "{paid}": (
        "SELECT h_c_w_id, h_c_d_id, h_c_id, SUM(h_amount) AS total FROM history "
        "GROUP BY h_c_w_id, h_c_d_id, h_c_id"
    ),
}


# what a curve takes from Usage, and in which unit
DEVICE_CURVES = {
    "operations": ("operations", 1.0),
    "read": ("device_read_bytes", 2**20),
    "written": ("device_written_bytes", 2**20),
}


@dataclass
class Loaded:
    """What loading took, with all that the engine owed afterwards."""

    seconds: float
    used: Usage
    disk_bytes: int


@dataclass
class Turn:
    """One run with its samples. `counters` are those of engine_counters.py, under limits."""

    run: ScriptRun
    samples: list[Sample]
    used: Usage
    binlog_bytes: int
    counters: dict[str, int] = field(default_factory=dict)

    def curve(self, what: str) -> list[tuple[float, float]]:
        """As Sum.curve() for this turn alone."""
        if what in ("rate", "p99"):
            name = "events_per_second" if what == "rate" else "latency"
            return self.run.curve(operator.attrgetter(name))
        if what == "disk":
            return [(s.second, s.disk_bytes / 2**20) for s in self.samples]
        name, scale = DEVICE_CURVES[what]
        return by_second(self.samples, operator.attrgetter(name), scale)


@dataclass
class Sum:
    """The turns of one engine. `used` includes what it owed after them."""

    turns: list[Turn]
    used: Usage
    binlog_bytes: int

    @property
    def transactions(self) -> int:
        return sum(t.run.outcome.events for t in self.turns)

    @property
    def rate(self) -> float:
        return statistics.median(t.run.outcome.events_per_second for t in self.turns)

    @property
    def steadiness(self) -> float:
        """The lowest second's throughput over the median second's."""
        return self._of_median(0)

    @property
    def slowest(self) -> float:
        """The throughput that 1 % of the seconds stay below, over the median second's."""
        return self._of_median(len(self.rates()) // 100)

    def _of_median(self, place: int) -> float:
        """The second at a place, the slowest being 0, over the median second."""
        rates = sorted(self.rates())
        middle = statistics.median(rates) if rates else 0
        return rates[place] / middle if middle else 0.0

    def rates(self) -> list[float]:
        """The throughput of each second, without the first of each turn."""
        return [rate for _, rate in self.curve("rate")]

    @property
    def empty_seconds(self) -> int:
        """Seconds in which no transaction ended."""
        return sum(rate == 0 for rate in self.rates())

    @property
    def decay(self) -> float:
        """The throughput of the last quarter of the seconds over that of the first."""
        rates = self.rates()
        quarter = max(1, len(rates) // 4)
        first = sum(rates[:quarter])
        return sum(rates[-quarter:]) / first if first else 0.0

    @property
    def counters(self) -> dict[str, int]:
        """Of all turns, without what was owed after them."""
        names = self.turns[0].counters if self.turns else {}
        return {name: sum(turn.counters[name] for turn in self.turns) for name in names}

    @property
    def p99(self) -> float:
        return summary.percentile(summary.merged(t.run.outcome.histogram for t in self.turns), 99)

    def slower(self) -> list[tuple[float, float]]:
        """(milliseconds, share of the transactions that took longer)."""
        histogram = summary.merged(t.run.outcome.histogram for t in self.turns)
        return list(zip(*summary.slower_share(histogram), strict=True))

    @property
    def resident(self) -> int:
        return max((s.resident_bytes for t in self.turns for s in t.samples), default=0)

    @property
    def group_bytes(self) -> int:
        """The most memory of the server and its page cache; 0 without limits."""
        return max((s.group_bytes for t in self.turns for s in t.samples), default=0)

    @property
    def files(self) -> int:
        """The bytes of the files that hold tables, at the end."""
        ends = [turn.samples[-1].disk_bytes for turn in self.turns if turn.samples]
        return ends[-1] if ends else 0

    def per_transaction(self, amount: float) -> float:
        return amount / self.transactions

    def curve(self, what: str) -> list[tuple[float, float]]:
        """(second, value) of 'rate' a second, 'p99' in ms, 'disk' in MiB, or of what a server
        under limits asks its disk for: 'operations', 'read' and 'written' in MiB a second. Turn
        after turn, without the first second of each for rate and p99."""
        points, start = [], 0.0
        for turn in self.turns:
            points += [(start + x, y) for x, y in turn.curve(what)]
            start += turn.run.outcome.seconds
        return points


def by_second(
    samples: list[Sample], value: Callable[[Usage], float], scale: float
) -> list[tuple[float, float]]:
    """(second, growth of value / scale a second) between neighbouring samples."""
    return [
        (b.second, (value(b.used) - value(a.used)) / (b.second - a.second) / scale)
        for a, b in zip([Sample(0.0, Usage(), 0, 0), *samples], samples, strict=False)
        if b.second > a.second
    ]


def load(contender, warehouses: int, threads: int, texts: str = TEXTS[0]) -> Loaded:
    """Creates and fills the tables and waits until the engine rests."""
    before, started = contender.usage(), time.monotonic()
    create_and_fill(contender, warehouses, threads, contender.table_options, texts)
    seconds = time.monotonic() - started
    contender.settle()
    used = contender.usage() - before
    names = ", ".join(f"{DATABASE}.{name}" for name in TABLES)
    contender.server.sql(f"ANALYZE TABLE {names}")
    return Loaded(seconds, used, contender.disk_at_rest())


def create_and_fill(
    contender, warehouses: int, threads: int, table_options: str, texts: str = TEXTS[0]
) -> None:
    """A new database with the tables; `table_options` end each CREATE TABLE. `texts` is one of
    TEXTS."""
    contender.new_database()
    socket, number = contender.server.socket, f"--warehouses={warehouses}"
    create = (number, f"--table-options={table_options}")
    sysbench_tool.call(sysbench_tool.script_command("tpcc", "create", socket, *create))
    fill = (number, f"--threads={min(warehouses, threads)}", f"--texts={texts}")
    sysbench_tool.call(sysbench_tool.script_command("tpcc", "prepare", socket, *fill))


def run(
    contender,
    size: dict,
    seconds: float,
    seed: int,
    on_interval: Callable[[Interval], None] = lambda _: None,
) -> Turn:
    """One turn; the same seed draws the same keys."""
    before, counted = contender.binlog_bytes(), contender.counters()
    with Sampler(contender) as sampler:
        found = sysbench_tool.run_script(
            "tpcc",
            contender.server.socket,
            seconds,
            f"--warehouses={size['warehouses']}",
            f"--threads={size['threads']}",
            f"--seed={seed + 1}",
            on_interval=on_interval,
        )
    counters = engine_counters.grown(counted, contender.counters())
    binlog = contender.binlog_bytes() - before
    return Turn(found, sampler.samples, sampler.used, binlog, counters)


def summed(turns: list[Turn], owed: Usage) -> Sum:
    used = sum((t.used for t in turns), owed)
    return Sum(turns, used, sum(t.binlog_bytes for t in turns))


def violations(server) -> list[str]:
    """The conditions that do not hold, with the number of rows that break them."""
    found = []
    for condition, query in CONDITIONS.items():
        for name, part in PARTS.items():
            query = query.replace(name, part)
        count = server.query(query, DATABASE)[0][0]
        if count:
            found.append(f"{condition}: {count} times not")
    return found


def mix(counted: list[dict[str, int]]) -> dict[str, float]:
    """The share of each transaction in all runs; what was rolled back are new orders too."""
    total = dict.fromkeys(KINDS, 0)
    for kinds in counted:
        for name, count in kinds.items():
            total["new_order" if name == "rolled_back" else name] += count
    return {name: count / max(1, sum(total.values())) for name, count in total.items()}
