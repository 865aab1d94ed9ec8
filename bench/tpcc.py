# SPDX-License-Identifier: GPL-2.0-only
"""The TPC-C load of several benchmarks: loading, turns with samples, consistency conditions."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import pymysql

from bench import engine_counters, sysbench_tool
from bench.process_usage import Usage
from bench.sampler import Sampler
from bench.sysbench_tool import DATABASE, Interval
from bench.turns import Turn

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
STATEMENT_TIMEOUT = 1969
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


@dataclass
class Loaded:
    """What loading took, with all that the engine owed afterwards."""

    seconds: float
    used: Usage
    disk_bytes: int

    @classmethod
    def from_json(cls, plain: dict) -> "Loaded":
        """What asdict() has made of one."""
        return cls(plain["seconds"], Usage(**plain["used"]), plain["disk_bytes"])


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


def count_rows(server) -> None:
    """Before conditions(): without statistics stock MyRocks may join customers and orders by a plan
    that takes hours."""
    server.query(f"ANALYZE TABLE {', '.join(TABLES)}", DATABASE)


@dataclass
class Conditions:
    """What was found of them. `broken`: those that do not hold, with the number of rows that break
    them. `unanswered`: those whose query came to the server's max_statement_time."""

    broken: list[str]
    unanswered: list[str]


def conditions(server) -> Conditions:
    found = Conditions([], [])
    for condition, query in CONDITIONS.items():
        for name, part in PARTS.items():
            query = query.replace(name, part)
        try:
            count = server.query(query, DATABASE)[0][0]
        except pymysql.OperationalError as error:
            if error.args[0] != STATEMENT_TIMEOUT:
                raise
            found.unanswered.append(condition)
            continue
        if count:
            found.broken.append(f"{condition}: {count} times not")
    return found


def mix(counted: list[dict[str, int]]) -> dict[str, float]:
    """The share of each transaction in all runs; what was rolled back are new orders too."""
    total = dict.fromkeys(KINDS, 0)
    for kinds in counted:
        for name, count in kinds.items():
            total["new_order" if name == "rolled_back" else name] += count
    return {name: count / max(1, sum(total.values())) for name, count in total.items()}
