# SPDX-License-Identifier: GPL-2.0-only
"""Pictures of the page of basalt-console for docs/operate:

./dev test console --screenshots
"""

import itertools
import math
import time
from pathlib import Path

from tests.console.browser import Browser
from tests.console.busy import Busy
from tests.console.served import Console
from tests.kit.check import expect
from tests.kit.tier_result import TierResult
from tools import paths
from tools.server import PrivateServer

FOLDER = paths.ROOT / "docs" / "operate"
MOST_BYTES = 200_000
# so that the lines fill their boxes
SECONDS = 70
# name, window, colours
PICTURES = (
    ("console-light", (1280, 1120), "light"),
    ("console-dark", (1280, 900), "dark"),
    ("console-phone", (390, 1000), "light"),
)
SCHEMA = (
    "CREATE TABLE shop.customers (id INT PRIMARY KEY, name VARCHAR(40), KEY (name))",
    "INSERT INTO shop.customers SELECT seq, MD5(seq) FROM shop.seq_1_to_20000",
    "CREATE TABLE shop.stock (item INT PRIMARY KEY, pieces INT NOT NULL)",
    "INSERT INTO shop.stock SELECT seq, 100 FROM shop.seq_1_to_2000",
)
READS = (
    "SELECT name FROM shop.customers WHERE id = {} + 1",
    "SELECT SUM(pieces) FROM shop.stock WHERE item BETWEEN {0} AND {0} + 80",
    "UPDATE shop.stock SET pieces = pieces - 1 WHERE item = {} % 2000 + 1",
    "SELECT COUNT(*) FROM shop.orders WHERE grp = {} % 100",
)


class Shop(Busy):
    """Customers besides, now more and now fewer."""

    def __enter__(self) -> "Shop":
        for statement in SCHEMA:
            self.server.query(statement)
        self.start(self.buy)
        super().__enter__()
        return self

    def buy(self) -> None:
        link = self.server.connect()
        with link, link.cursor() as cursor:
            for turn in itertools.count():
                if self.stopping.is_set():
                    return
                cursor.execute("BEGIN")
                for statement in READS:
                    cursor.execute(statement.format(turn * 7919 % 20_000))
                cursor.execute("COMMIT")
                time.sleep(0.02 * (1.1 + math.sin(time.monotonic() / 6)))


def draw(server: PrivateServer, folder: Path, result: TierResult) -> TierResult:
    """Counts each picture as passed. A CheckFailed is passed on."""
    options = ("--interval=1", "--tables-every=5")
    # the page shows the path by which the server was reached
    socket = server.socket
    with (
        Shop(server),
        Console(socket.parent, socket.name, *options) as console,
        Browser(folder) as browser,
    ):
        browser.call("Emulation.setScrollbarsHidden", hidden=True)
        browser.go(console.url)
        browser.wait_for_text("#live", "live")
        time.sleep(SECONDS)
        for name, size, scheme in PICTURES:
            browser.resize(size)
            browser.prefer(scheme)
            file = FOLDER / f"{name}.png"
            browser.picture(file, *size)
            expect(file.stat().st_size < MOST_BYTES, f"{file} is too large")
            print(f"   {file.relative_to(paths.ROOT)}: {file.stat().st_size} bytes", flush=True)
            result.passed += 1
    return result
