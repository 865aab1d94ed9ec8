# SPDX-License-Identifier: GPL-2.0-only
"""The page of reports: all of it in one file, each plot with its data, to be zoomed offline."""

import html.parser
import json
import re
import unittest

from bench import page, page_check
from bench.plot import Plot
from bench.report import Report
from tests.unit.python import bench_reports

ENGINES = list(bench_reports.ENGINES)


class Elements(html.parser.HTMLParser):
    """Counts elements and keeps what the viewer is told of each plot."""

    def __init__(self, text: str):
        super().__init__()
        self.names: list[str] = []
        self.views: list[dict] = []
        self.ids: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        known = dict(attrs)
        self.names.append(tag)
        self.ids += [known["id"]] if "id" in known else []
        self.views += [json.loads(known["data-view"])] if "data-view" in known else []


def small() -> Report:
    found = Report("tpcc", "TPC-C <1>", "2 warehouses", ENGINES)
    found.facts = {"command": "./dev bench tpcc --a=<b>"}
    line = [(float(n), float(n % 3)) for n in range(1, 40)]
    found.plots.append(Plot("by second", "s", "n", dict.fromkeys(ENGINES, line)))
    bars = {"rocksdb": [("a", 1.0), ("b", 2.0)], "innodb": [("a", 3.0), ("b", 4.0)]}
    found.plots.append(Plot("sizes", "", "MiB", bars, "bars", rounds=bars, level=2.0))
    return found


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.reports = {name: made() for name, made in bench_reports.OF_PROGRAMS.items()}
        cls.pages = {name: page.page([report]) for name, report in cls.reports.items()}

    def test_every_program_has_a_page_with_all_its_data(self):
        for name, text in self.pages.items():
            with self.subTest(name):
                self.assertEqual([], page_check.missing(text))
                self.assertEqual([], page_check.references(text))
                plots = self.reports[name].plots
                self.assertEqual(len(plots), Elements(text).names.count("svg"))

    def test_ids_are_unique_in_a_page(self):
        # a page of all has the sections of the single ones
        found = Elements("".join(self.pages.values())).ids
        self.assertEqual(sorted(set(found)), sorted(found))

    def test_reports_share_a_page_with_all_bars_above(self):
        text = page.page([small(), self.reports["commits"]])
        self.assertEqual([], page_check.missing(text) + page_check.references(text))
        self.assertLess(text.index("<h3>Bars</h3>"), text.index('<h2 id="commits">'))
        self.assertIn('<a href="#commits">', text)

    def test_ids_that_are_used_are_there(self):
        text = page.page([small(), bench_reports.of_sysbench()])
        text = text.partition("<script>")[0]
        used = re.findall(r'(?:href="|url\()#([^")]+)', text)
        self.assertTrue(used)
        self.assertEqual(set(), set(used) - set(Elements(text).ids))

    def test_texts_are_escaped(self):
        text = page.page([small()])
        self.assertIn("TPC-C &lt;1&gt;", text)
        self.assertIn("--a=&lt;b&gt;", text)

    def test_lost_points_are_noticed(self):
        text = page.page([small()])
        cut = text.replace('<g id="tpcc-0-rocksdb">', '<g id="gone">')
        self.assertEqual(["tpcc-0: tpcc-0-rocksdb has 0 of 39 points"], page_check.missing(cut))
        for element, points in (("innodb-1", 1), ("innodb-rounds", 2), ("level", 2)):
            cut = text.replace(f'id="tpcc-1-{element}"', 'id="gone"')
            expected = [f"tpcc-1: tpcc-1-{element} has 0 of {points} points"]
            self.assertEqual(expected, page_check.missing(cut))
        empty = small()
        empty.plots[0].series = {"rocksdb": []}
        self.assertIn("tpcc-0: a plot without data", page_check.missing(page.page([empty])))

    def test_the_viewer_knows_every_point(self):
        lines, bars = Elements(page.page([small()])).views
        self.assertEqual(["Basalt", "MyRocks", "InnoDB"], [s["title"] for s in lines["series"]])
        self.assertEqual([1.0, 1.0], lines["series"][0]["points"][0])
        self.assertEqual(39, len(lines["series"][2]["points"]))
        self.assertEqual([[0, 3.0, "a"], [1, 4.0, "b"]], bars["series"][1]["points"])
        self.assertEqual(0.0, lines["y"]["ends"][0])
        self.assertIn("tpcc-1-level", bars["moving"])

    def test_what_is_no_number_is_a_gap(self):
        report = small()
        report.plots = [Plot("gap", "s", "n", {"rocksdb": [(1.0, 2.0), (2.0, None), (3.0, 4.0)]})]
        (view,) = Elements(page.page([report])).views
        self.assertEqual([[1.0, 2.0], [2.0, None], [3.0, 4.0]], view["series"][0]["points"])


class ReferencesTest(unittest.TestCase):
    """A page that leads out of its file is found out."""

    def test_what_leads_out_is_found(self):
        text = page.page([small()])
        for more in (
            '<img src="https://example.org/a.png">',
            '<img src="a.png">',
            '<img srcset="a.png 2x">',
            '<script src="plot.js"></script>',
            '<link rel="stylesheet" href="//example.org/a.css">',
            '<a href="https://example.org">more</a>',
            '<iframe srcdoc="x"></iframe>',
            '<svg><use href="other.svg#a"/></svg>',
            '<svg><image xlink:href="a.png"/></svg>',
            '<svg><rect fill="url(other.svg#a)"/></svg>',
            '<p style="background: url(a.png)">x</p>',
            "<style>@import 'a.css';</style>",
            "<style>p { background: url('a.png') }</style>",
            "<script>fetch('a.json')</script>",
            "<script>import('./a.js')</script>",
            "<script>import a from './a.js';</script>",
            "<script>new Image().src = '//example.org/a';</script>",
            "<script>new WebSocket('wss://example.org')</script>",
            "<script>new XMLHttpRequest()</script>",
            "<script>navigator.sendBeacon(x)</script>",
            "<p onclick=\"location = '/a'\">x</p>",
            '<meta http-equiv="refresh" content="1; url=a.html">',
            '<form action="a"></form>',
            '<object data="a.svg"></object>',
            '<video poster="a.png"></video>',
            '<svg><a rdf:resource="http://example.org/a"></a></svg>',
        ):
            with self.subTest(more):
                found = page_check.references(text.replace("</body>", more + "</body>"))
                self.assertTrue(found)

    def test_texts_may_name_addresses(self):
        report = small()
        report.facts["server"] = "see https://example.org and url(a.png)"
        report.plots[0].note = "fetch( what you like"
        self.assertEqual([], page_check.references(page.page([report])))

    def test_a_browser_is_told_to_fetch_nothing(self):
        self.assertIn("default-src 'none'", page.page([small()]))


# turns the wheel over the first plot, moves the pointer, goes back; notes what is to be seen
ZOOM = """
const figure = document.getElementById('tpcc-0'), svg = figure.querySelector('svg');
const box = svg.getBoundingClientRect();
const middle = {clientX: box.left + box.width / 2, clientY: box.top + box.height / 2,
                bubbles: true, cancelable: true};
const group = figure.querySelector('.zoomed'), tip = figure.querySelector('.tip');
const turn = (more) => new WheelEvent('wheel', {...middle, deltaY: -1, ...more});
const wheel = (more) => svg.dispatchEvent(turn(more));
const scale = () => new DOMMatrix(getComputedStyle(group).transform).a;
const texts = () => [...figure.querySelectorAll('.ticks text')].map((t) => t.textContent);
const numbers = () => texts().map(Number);
seen.lines = group.querySelectorAll('path').length;
wheel({});
seen.unasked = scale();
for (let n = 0; n < 5; n++) wheel({ctrlKey: true});
seen.zoomed = scale();
seen.numbers = numbers();
svg.dispatchEvent(new PointerEvent('pointermove', middle));
seen.tip = tip.textContent;
svg.dispatchEvent(new PointerEvent('pointerdown', middle));
seen.focused = document.activeElement === figure;
const moved = {...middle, clientX: middle.clientX + box.width / 4};
svg.dispatchEvent(new PointerEvent('pointermove', moved));
dispatchEvent(new PointerEvent('pointerup', moved));
seen.moved = numbers();
for (const button of figure.querySelectorAll('button')) {
  if (button.textContent === 'whole') button.click();
}
seen.whole = scale();
seen.left = numbers();
"""


@unittest.skipUnless(page_check.browser(), "no headless browser is installed")
class BrowserTest(unittest.TestCase):
    def test_a_browser_shows_every_plot(self):
        text = page.page([small(), bench_reports.of_sysbench(), bench_reports.of_locks()])
        self.assertEqual([], page_check.rendered(text, page_check.browser()))
        cut = text.replace('<g id="tpcc-0-rocksdb">', '<g id="gone">')
        found = page_check.rendered(cut, page_check.browser())
        self.assertEqual(["tpcc-0-rocksdb is not to be seen"], found)

    def test_a_plot_is_zoomed_moved_and_shown_whole_again(self):
        seen = page_check.seen_by(page.page([small()]), page_check.browser(), ZOOM)
        self.assertEqual(3, seen["lines"])
        self.assertEqual(1, seen["unasked"])  # the page scrolls
        self.assertGreater(seen["zoomed"], 2)
        xs = [n for n in seen["numbers"] if n > 2]
        self.assertTrue(xs and min(xs) > 10 and max(xs) < 30, seen)  # of 1 to 39
        # the pointer is near the middle of 1 .. 39, and each value is the rest of a division by 3
        near = int(seen["tip"].partition(".")[0])
        self.assertTrue(15 < near < 25, seen)
        y = near % 3
        self.assertEqual(f"{near}.0Basalt: {y} nMyRocks: {y} nInnoDB: {y} n", seen["tip"])
        self.assertTrue(seen["focused"])
        self.assertLess(max(seen["moved"]), max(xs))
        self.assertEqual((1, []), (seen["whole"], seen["left"]))


if __name__ == "__main__":
    unittest.main()
