# SPDX-License-Identifier: GPL-2.0-only
"""Looks at a server again and again, and keeps what the page shows: the last look, and some minutes
of rates. A server that goes away is asked for until it is back."""

import contextlib
import json
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable
from typing import Any

import pymysql

from programs.top import output
from programs.top import rates as measures
from programs.top.attention import attention
from programs.top.collector import Collector, NoEngine
from programs.top.panels import weight
from programs.top.rates import Rates
from programs.top.snapshot import Snapshot

# grows when a name changes its meaning or goes
FORMAT = 1
HISTORY_SECONDS = 600.0
# of rows that the page is given of anything that may be many
MOST_ROWS = 100
MANY = ("transactions", "waits", "statements", "deadlocks")

# the rates of which the page has lines
LINES: dict[str, Callable[[Rates], float | None]] = {
    "questions": lambda rates: rates.of("questions"),
    "commits": lambda rates: rates.of("com_commit"),
    "rows_read": lambda rates: rates.of("rocksdb_rows_read"),
    "rows_written": lambda rates: rates.sum_of(
        "rocksdb_rows_inserted", "rocksdb_rows_updated", "rocksdb_rows_deleted"
    ),
    "log": lambda rates: rates.of("rocksdb_wal_bytes"),
    "flushed": lambda rates: rates.of("rocksdb_flush_write_bytes"),
    "compacted": lambda rates: rates.of("rocksdb_compact_write_bytes"),
    "cache_hits": measures.cache_hits,
    "stalled": measures.stalled,
    "lock_waits": lambda rates: rates.of("rocksdb_row_lock_waits"),
}


class Observer:
    """`connect` makes a collector with a new connection; `where` says whereto. `sentence_of` tells
    an error of PyMySQL. `state` is the JSON document for the page, as bytes: each look puts a new
    one there, so any thread may take it."""

    def __init__(
        self,
        connect: Callable[[], Collector],
        sentence_of: Callable[[pymysql.Error], str],
        where: str,
        interval: float,
        clock: Callable[[], float] = time.monotonic,
    ):
        self.connect = connect
        self.sentence_of = sentence_of
        self.where = where
        self.interval = interval
        self.clock = clock
        self.collector: Collector | None = None
        self.before: Snapshot | None = None
        self.seen: dict[str, Any] | None = None
        self.seen_at = 0.0
        self.looks = 0
        self.history: deque[tuple[float, list[float | None]]] = deque()
        self.state = b""
        self.told_at = clock()

    def look(self) -> None:
        """Once. What goes wrong is passed on; the next look has a new connection."""
        try:
            if self.collector is None:
                self.collector = self.connect()
            now = self.collector.take()
        except Exception:
            self.let_go()
            raise
        rates = measures.between(self.before, now)
        errors = self.before.background_errors if self.before else None
        sentences = attention(now, rates, errors)
        self.before, self.seen_at = now, self.clock()
        self.seen = shortened(output.document(now, rates, sentences), now)
        if not rates.since_start:
            self.note(rates)
        self.publish("")

    def look_and_tell(self) -> None:
        """Once. What goes wrong is told on the page."""
        try:
            self.look()
        except NoEngine as error:
            self.publish(str(error))
        except pymysql.Error as error:
            self.publish(self.sentence_of(error))
        except Exception:
            traceback.print_exc(file=sys.stderr)
            self.publish("the look has failed; what basalt-console has printed says how")

    def run(self, ending: threading.Event) -> None:
        """Looks at the interval, which a look that takes long makes longer."""
        while not ending.wait(self.interval):
            self.look_and_tell()

    def let_go(self) -> None:
        """Of the connection. Rates begin anew with the next one."""
        link = self.collector.connection if self.collector else None
        self.collector = self.before = None
        if link is not None:
            with contextlib.suppress(pymysql.Error):
                link.close()

    def note(self, rates: Rates) -> None:
        values = [rounded(measure(rates)) for measure in LINES.values()]
        self.history.append((self.seen_at, values))
        while self.history[0][0] < self.seen_at - HISTORY_SECONDS:
            self.history.popleft()

    def told(self) -> tuple[bytes, float]:
        """`state`, and for how many seconds there has been none that is newer. A server that hangs
        keeps a look from ending."""
        return self.state, max(0.0, self.clock() - self.told_at)

    def publish(self, problem: str) -> None:
        """`problem`: why there was nothing to be seen this time, '' when there was."""
        self.looks += 1
        now = self.told_at = self.clock()
        points = [[round(at - now, 2) + 0.0, *values] for at, values in self.history]
        document = {
            "format": FORMAT,
            "look": self.looks,
            "where": self.where,
            "interval": self.interval,
            "problem": problem,
            "age": round(now - self.seen_at, 2),
            "history_seconds": HISTORY_SECONDS,
            "lines": list(LINES),
            # seconds before this look, then a value for each line
            "history": points,
            "seen": self.seen,
        }
        self.state = json.dumps(document, allow_nan=False, separators=(",", ":")).encode()


def shortened(document: dict[str, Any], snapshot: Snapshot) -> dict[str, Any]:
    """With the most important of what is many, and `numbers`: how many there are."""
    document["numbers"] = {name: len(document[name]) for name in MANY}
    chosen = sorted(
        range(len(snapshot.transactions)), key=lambda n: weight(snapshot.transactions[n])
    )
    document["transactions"] = [document["transactions"][n] for n in chosen]
    for name in MANY:
        document[name] = document[name][:MOST_ROWS]
    return document


def rounded(value: float | None) -> float | None:
    """To four digits, which is more than a line shows."""
    return None if value is None else float(f"{value:.4g}")
