# SPDX-License-Identifier: GPL-2.0-only
"""Does each plot of a report have its data, and does the page fetch nothing?

    python -m bench.page_check REPORT.html    (with PYTHONPATH at the clone's root)

missing() reads the file alone: every element that a <figure> names in data-series must be there
and have as many points as the series. references() finds whatever leads out of the file.
rendered() lets a headless browser lay out a copy of the page with a script that measures those
elements; it wants chromium or Debian's chromium-headless-shell.
"""

import html
import html.parser
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
PATIENCE = 120.0
# what the browser draws of each element; an element of no size is not to be seen
MEASURE = """
for (const figure of document.querySelectorAll('figure[data-series]')) {
  for (const id of Object.keys(JSON.parse(figure.dataset.series))) {
    const element = document.getElementById(id);
    const box = element ? element.getBoundingClientRect() : {width: 0, height: 0};
    seen[id] = [box.width, box.height];
  }
}"""
# attributes that name something to be fetched or gone to
LEADING = ("action", "background", "cite", "data", "formaction", "href", "manifest", "ping",
           "poster", "src", "srcdoc", "srcset", "xlink:href")  # fmt: skip
# what fetches from within a style or a script
FETCHING = re.compile(
    r"https?:|wss?:|[\"'(]//[\w.]|@import|\bimport\s*\(|\bimport\b[^;]*\bfrom\b|url\((?!#)|\bfetch\s*\("
    r"|XMLHttpRequest|WebSocket|EventSource|sendBeacon|importScripts|\bWorker\b|\.src\b|location\b"
)


class _Reader(html.parser.HTMLParser):
    """Collects the figures' promises, and the points of each element with an id."""

    def __init__(self):
        super().__init__()
        self.promised: dict[str, dict[str, int]] = {}
        self.points: dict[str, int] = {}
        self.marks: dict[str, int] = {}
        self.drawings: dict[str, int] = {}
        self.outside: list[str] = []
        self._open: list[str] = []
        self._figure = ""
        self._raw = ""

    def handle_starttag(self, tag, attrs):
        known = dict(attrs)
        self._raw = tag if tag in ("style", "script") else ""
        if tag == "figure":
            self._figure = known.get("id", "")
            self.promised[self._figure] = json.loads(known.get("data-series", "{}"))
        if tag == "svg":
            self.drawings[self._figure] = self.drawings.get(self._figure, 0) + 1
        if tag == "g":
            self._open.append(known.get("id", ""))
        self._count(tag, known)

    def handle_startendtag(self, tag, attrs):
        self._count(tag, dict(attrs))

    def handle_endtag(self, tag):
        self._raw = ""
        if tag == "g" and self._open:
            self._open.pop()

    def handle_data(self, data):
        if self._raw:
            self.outside += [f"{self._raw}: {m.group()}" for m in FETCHING.finditer(data)]

    def _count(self, tag: str, known: dict) -> None:
        """A path has its corners as points; of single marks each is a point."""
        self._refer(tag, known)
        owner = next((name for name in reversed(self._open) if name), "")
        if tag == "path" and self._open:
            drawn = len(re.findall(r"[ML]", known.get("d") or ""))
            self.points[self._open[-1]] = max(self.points.get(self._open[-1], 0), drawn)
        if tag == "use" and owner:
            self.marks[owner] = self.marks.get(owner, 0) + 1

    def _refer(self, tag: str, known: dict) -> None:
        for name, value in known.items():
            value = value or ""
            if name.startswith("data-"):
                continue
            leads = (name in LEADING and not value.startswith("#")) or "://" in value
            fetches = name == "style" or name.startswith("on") or "url(" in value
            if leads or (fetches and FETCHING.search(value)):
                self.outside.append(f"{tag} {name}: {value}")
        if known.get("http-equiv", "").lower() == "refresh":
            self.outside.append(f"{tag} refresh: {known.get('content')}")


def missing(page: str) -> list[str]:
    """What is not drawn as promised; empty when all is well."""
    reader = _Reader()
    reader.feed(page)
    found = []
    for figure, promised in reader.promised.items():
        if not promised:
            found.append(f"{figure}: a plot without data")
        if reader.drawings.get(figure) != 1:
            found.append(f"{figure}: no drawing")
        for name, points in promised.items():
            drawn = max(reader.points.get(name, 0), reader.marks.get(name, 0))
            if drawn < points:
                found.append(f"{figure}: {name} has {drawn} of {points} points")
    return found


def references(page: str) -> list[str]:
    """What leads out of the file, be it fetched or a link; empty when nothing does."""
    reader = _Reader()
    reader.feed(page)
    return reader.outside


def browser() -> str | None:
    """The first browser that is installed."""
    return next((path for path in map(shutil.which, BROWSERS) if path), None)


def seen_by(page: str, program: str, script: str) -> dict | str:
    """What the script has put into its object `seen` when the browser has shown the page; what the
    browser said when it did not."""
    script = (
        f"<script>{{ const seen = {{}}; {script}\n"
        "const out = document.createElement('pre'); out.id = 'measured';"
        "out.textContent = JSON.stringify(seen); document.body.append(out); }</script>"
    )
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "report.html"
        file.write_text(page.replace("</body>", script + "</body>"))
        command = [program, "--headless", "--no-sandbox", "--disable-gpu"]
        command += [f"--user-data-dir={folder}/profile", "--dump-dom", f"file://{file}"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    match = re.search(r'<pre id="measured">(.*?)</pre>', done.stdout, re.DOTALL)
    return json.loads(html.unescape(match.group(1))) if match else done.stderr[-300:]


def rendered(page: str, program: str) -> list[str]:
    """What the browser does not show; empty when all is well."""
    reader = _Reader()
    reader.feed(page)
    seen = seen_by(page, program, MEASURE)
    if isinstance(seen, str):
        return [f"the browser did not show the page: {seen}"]
    wanted = [name for promised in reader.promised.values() for name in promised]
    return [f"{name} is not to be seen" for name in wanted if max(seen.get(name, [0])) <= 0]


def main(words: list[str]) -> int:
    found = []
    for word in words:
        page = Path(word).read_text()
        problems = missing(page) + [f"leads out: {what}" for what in references(page)]
        program = browser()
        if program is None:
            print("no headless browser is installed; only the file itself is checked")
        else:
            problems += rendered(page, program)
        found += [f"{word}: {problem}" for problem in problems]
    print("\n".join(found) or "every plot has its data, and nothing leads out")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
