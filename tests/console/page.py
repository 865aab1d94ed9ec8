# SPDX-License-Identifier: GPL-2.0-only
"""The page of basalt-console in a browser."""

import json
import os
import signal
import threading

from programs.top import units
from tests.console.browser import NARROW, WIDE, Browser
from tests.console.busy import DELETED, ROWS, Busy, execute, wait_until
from tests.console.served import Console
from tests.console.shown import PREPARED
from tests.kit.check import Check, expect, expect_in
from tools.server import PrivateServer

MARKUP = "<img src=x onerror=document.title='run'>"
SCRIPT = "<script>document.title='run'</script>"
NUMBERS = (0, 0.04, 0.31, 1, 5.5, 9.97, 42, 59.6, 61, 999, 1000, 1023.6, 9999, 10_000, 12_345,
           99_999, 172_801, 999_960, 10**6, 1.5e9, 3.2e12)  # fmt: skip
SHARES = (None, 0, 0.0004, 0.003, 0.0996, 0.5, 0.9, 0.9004, 0.999, 0.9996, 1)
# of text and what it stands on (WCAG 2, AA)
LEAST_CONTRAST = 4.5
CONTRAST = """
(() => {
  const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (colour) => parts(colour).slice(0, 3)
    .map((part) => part / 255)
    .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, number) => sum + part * [0.2126, 0.7152, 0.0722][number], 0);
  const ground = (node) => {
    for (; node; node = node.parentElement) {
      const colour = getComputedStyle(node).backgroundColor;
      if ((parts(colour)[3] ?? 1) === 1) return colour;
    }
  };
  const found = {};
  for (const node of document.querySelectorAll('body *')) {
    if (![...node.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim())) continue;
    const [one, two] = [light(getComputedStyle(node).color), light(ground(node))];
    const contrast = (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
    if (contrast < LEAST) found[node.outerHTML.slice(0, 80)] = contrast;
  }
  return found;
})()"""
# what reaches over the right edge of a narrow window, parts that scroll by themselves aside
TOO_WIDE = """
[...document.querySelectorAll('body *')]
  .filter((node) => !node.closest('nav, .skip, svg'))
  .filter((node) => node.getBoundingClientRect().right > innerWidth + 0.5)
  .map((node) => node.outerHTML.slice(0, 80))"""


class Page:
    """`server` is killed, and started again."""

    def __init__(self, server: PrivateServer, console: Console, browser: Browser):
        self.server = server
        self.console = console
        self.browser = browser
        browser.go(console.url)

    def checks(self) -> list[Check]:
        return [
            Check("page: a quiet server", self.quiet),
            Check("page: a busy server; a wait comes and goes", self.busy),
            Check("page: what needs attention comes and goes", self.attention),
            Check("page: names and statements are text", self.text),
            Check("page: numbers as basalt-top writes them", self.units),
            Check("page: by keyboard", self.keyboard),
            Check("page: a narrow window", self.narrow),
            Check("page: light and dark", self.colours),
            Check("page: the server goes away and comes back", self.goes),
            Check("page: the server hangs", self.hangs),
            Check("page: nothing to complain of, nothing from elsewhere", self.clean),
            Check("page: without the key, without the program", self.alone),
        ]

    def quiet(self) -> None:
        self.browser.wait_for_text("#live", "live")
        expect("key" not in self.browser.ask("location.href"), "the key stays in the address")
        self.browser.wait_for_text("#sentences", "Nothing needs attention.")
        self.browser.wait_for_text("#locks", "nobody waits")
        version = self.server.query("SELECT VERSION()")[0][0]
        expect_in(f"MariaDB {version}", self.browser.text("header"), "the header")

    def busy(self) -> None:
        with Busy(self.server) as busy:
            page = self.browser
            row = f"{busy.waiter}\t{busy.holder}\tX"
            page.wait_for_text("#locks", row, "shop.orders.PRIMARY", "DELETE FROM shop.orders")
            page.wait_for_text("#transactions", str(busy.holder), "waits", ", the oldest taken ")
            page.wait_for_text("#compactions tr.running", "default", "running")
            page.wait_for_text("#tree tr.running", "default")
            page.wait_for_text("#statements", str(busy.waiter), "Waiting for row lock: DELETE")
            page.wait_for_text("#ended", "INSERT INTO `shop` . `events`")
            # the deletions may not be in files yet
            rows = [f"shop.orders\t\\d+\t{units.count(n)}" for n in (ROWS, ROWS - DELETED)]
            page.wait_for(f"/{'|'.join(rows)}/.test(document.querySelector('#tables').innerText)")
            self.lines()
            self.numbers()
        self.browser.wait_for_text("#locks", "nobody waits")
        self.browser.wait_for("!document.querySelector('#transactions tbody tr')")

    def lines(self) -> None:
        """They have what the writer writes, and grow."""
        course = "document.querySelectorAll('.chart')[2].querySelector('.line').getAttribute('d')"
        before = self.browser.wait_for(f"{course}.split('L').length > 2 && {course}")
        self.browser.wait_for(f"{course} !== {json.dumps(before)}")
        self.browser.wait_for("parseFloat(document.querySelectorAll('.chart b')[3].innerText) > 0")

    def numbers(self) -> None:
        """Those of the page are those of the server."""
        uptime = int(self.server.status("Uptime"))
        seen = self.console.state()["seen"]
        expect(abs(seen["counters"]["uptime"] - uptime) <= 60, str(seen["counters"]))
        rows = self.browser.ask("document.querySelector('#cache dl').innerText")
        size = int(self.server.query("SELECT @@rocksdb_block_cache_size")[0][0])
        expect_in(f"cache\n{units.size(size)}\n", rows, "the cache")
        before = int(self.browser.ask("last.seen.counters.rocksdb_rows_inserted"))
        self.browser.wait_for(f"last.seen.counters.rocksdb_rows_inserted > {before}")
        after = int(self.server.status("Rocksdb_rows_inserted"))
        seen = int(self.browser.ask("last.seen.counters.rocksdb_rows_inserted"))
        self.browser.wait_for(f"last.seen.counters.rocksdb_rows_inserted >= {after}")
        expect(before < seen, f"{before}, {seen}")

    def attention(self) -> None:
        self.server.sql(PREPARED)
        said = "Prepared transactions without a connection: 1; see XA RECOVER."
        self.browser.wait_for_text("#sentences .bad", said)
        self.browser.wait_for_text("#transactions", "prepared", "XA ")
        expect(self.browser.ask("document.title").startswith("(1) "), "the title has no number")
        self.server.sql("XA ROLLBACK 'x'")
        self.browser.wait_for_text("#sentences .good", "Nothing needs attention.")

    def text(self) -> None:
        """A table's name with markup, and a statement that runs."""
        self.server.query(f"CREATE TABLE shop.`{MARKUP}` (a INT PRIMARY KEY)")
        self.server.query(f"INSERT INTO shop.`{MARKUP}` VALUES (1)")
        link = self.server.connect()
        statement = f"SELECT SLEEP(600) /* {SCRIPT} */"
        sleeping = threading.Thread(target=execute, args=(link, statement))
        sleeping.start()
        try:
            self.text_shown()
        finally:
            self.server.query(f"KILL {link.thread_id()}")
            sleeping.join()
            self.server.query(f"DROP TABLE shop.`{MARKUP}`")

    def text_shown(self) -> None:
        self.browser.wait_for_text("#tables", f"shop.{MARKUP}")
        self.browser.wait_for_text("#statements", SCRIPT)
        expect(not self.browser.ask("document.images.length"), "markup became an element")
        expect(self.browser.ask("document.scripts.length") == 1, "a script more")
        expect("run" not in self.browser.ask("document.title"), "a script has run")

    def units(self) -> None:
        for name in ("size", "count", "duration", "milliseconds", "percent"):
            values = SHARES if name == "percent" else NUMBERS
            found = self.browser.ask(f"{json.dumps(values)}.map({name})")
            wanted = [getattr(units, name)(value) for value in values]
            expect(found == wanted, f"{name}: {found} instead of {wanted}")

    def keyboard(self) -> None:
        page = self.browser
        page.go(self.console.url.replace("#", "?anew#"))
        page.wait_for_text("#live", "live")
        page.press("Tab")
        self.focus_is("skip", "document.activeElement.className")
        page.press("Enter")
        self.focus_is("attention")
        page.press("3")
        self.focus_is("tree")
        page.press("p")
        page.wait_for_text("#live", "paused")
        page.press("p")
        page.wait_for_text("#live", "live")
        page.press("a")
        page.wait_for("document.body.classList.contains('all')")
        page.press("a")
        page.press("2")
        self.focus_is("rates")
        page.wait_for("charts[0].points.length > 3")
        page.press("Tab")
        self.focus_is("chart", "document.activeElement.className")
        page.press("ArrowLeft")
        page.press("ArrowLeft")
        page.wait_for_text(".chart .legend", " s ago", "up to")
        page.wait_for("document.querySelector('.chart .cursor').style.display === ''")
        seen = page.ask("[...document.querySelectorAll('a, button, [tabindex=\"0\"]')].length")
        expect(seen > 25, f"{seen} places for the focus")

    def focus_is(self, name: str, where: str = "document.activeElement.id") -> None:
        self.browser.wait_for(f"{where} === {json.dumps(name)}")

    def narrow(self) -> None:
        self.browser.resize(NARROW)
        with Busy(self.server):
            self.browser.wait_for_text("#locks", "DELETE FROM shop.orders")
            width = self.browser.ask("document.documentElement.scrollWidth")
            expect(width <= NARROW[0], f"the page is {width} wide")
            wide = self.browser.ask(TOO_WIDE)
            expect(not wide, f"too wide: {wide}")
        self.browser.resize(WIDE)

    def colours(self) -> None:
        grounds = []
        for scheme in ("light", "dark"):
            self.browser.prefer(scheme)
            ground = self.browser.ask("getComputedStyle(document.body).backgroundColor")
            grounds.append(ground)
            pale = self.browser.ask(CONTRAST.replace("LEAST", str(LEAST_CONTRAST)))
            expect(not pale, f"{scheme}: hard to read: {pale}")
        expect(grounds[0] != grounds[1], f"both are {grounds}")

    def goes(self) -> None:
        self.server.kill()
        self.browser.wait_for_text("#live", "gone for ")
        self.browser.wait_for_text("#sentences .bad", "No connection: Can't connect to", "tries")
        expect_in("shop.orders", self.browser.text("#tables"), "what was seen before")
        self.server.start()
        self.browser.wait_for_text("#live", "live")
        self.browser.wait_for_text("#sentences .good", "Nothing needs attention.")
        wait_until(self.server, "SELECT COUNT(*) FROM shop.orders")

    def hangs(self) -> None:
        os.kill(self.server.pid, signal.SIGSTOP)
        try:
            self.browser.wait_for_text("#sentences .bad", "The server has not answered for ")
        finally:
            os.kill(self.server.pid, signal.SIGCONT)
        self.browser.wait_for_text("#live", "live")

    def clean(self) -> None:
        expect(not self.browser.complaints, str(self.browser.complaints))
        requested = set(self.browser.requested)
        expect(len(requested) >= 4, f"only {requested}")
        others = [url for url in requested if not url.startswith(self.console.origin)]
        expect(not others, f"asked elsewhere: {others}")

    def alone(self) -> None:
        page = self.browser
        page.ask("sessionStorage.clear()")
        page.go(self.console.origin)
        page.wait_for_text("#sentences .bad", "needs the whole address", "with the key")
        page.go(self.console.url)
        page.wait_for_text("#live", "live")
        status, said = self.console.stop()
        expect(status == 0 and not said, f"status {status}: {said}")
        page.wait_for_text("#sentences .bad", "The program basalt-console does not answer")
