# SPDX-License-Identifier: GPL-2.0-only
"""Does each plot of a report have its data?

    python -m bench.page_check REPORT.html    (with PYTHONPATH at the clone's root)

missing() reads the file alone: every element that a <figure> names in data-series must be there
and have as many points as the series. rendered() lets a headless browser lay out a copy of the page
with a script that measures those elements; it wants chromium or Debian's chromium-headless-shell.
"""

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
SCRIPT = """<script>
const seen = {};
for (const figure of document.querySelectorAll('figure[data-series]')) {
  for (const id of Object.keys(JSON.parse(figure.dataset.series))) {
    const element = document.getElementById(id);
    const box = element ? element.getBoundingClientRect() : {width: 0, height: 0};
    seen[id] = [box.width, box.height];
  }
}
const out = document.createElement('pre');
out.id = 'measured';
out.textContent = JSON.stringify(seen);
document.body.append(out);
</script>"""


class _Reader(html.parser.HTMLParser):
    """Collects the figures' promises, and the points of each element with an id."""

    def __init__(self):
        super().__init__()
        self.promised: dict[str, dict[str, int]] = {}
        self.points: dict[str, int] = {}
        self.drawings: dict[str, int] = {}
        self._open: list[str] = []
        self._figure = ""

    def handle_starttag(self, tag, attrs):
        known = dict(attrs)
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
        if tag == "g" and self._open:
            self._open.pop()

    def _count(self, tag: str, known: dict) -> None:
        if tag == "path" and self._open:
            drawn = len(re.findall(r"[ML]", known.get("d") or ""))
            self.points[self._open[-1]] = max(self.points.get(self._open[-1], 0), drawn)


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
            drawn = reader.points.get(name, 0)
            if drawn < points:
                found.append(f"{figure}: {name} has {drawn} of {points} points")
    return found


def browser() -> str | None:
    """The first browser that is installed."""
    return next((path for path in map(shutil.which, BROWSERS) if path), None)


def rendered(page: str, program: str) -> list[str]:
    """What the browser does not show; empty when all is well."""
    reader = _Reader()
    reader.feed(page)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "report.html"
        file.write_text(page.replace("</body>", SCRIPT + "</body>"))
        command = [program, "--headless", "--no-sandbox", "--disable-gpu"]
        command += [f"--user-data-dir={folder}/profile", "--dump-dom", f"file://{file}"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    match = re.search(r'<pre id="measured">(.*?)</pre>', done.stdout, re.DOTALL)
    if match is None:
        return [f"the browser did not show the page: {done.stderr[-300:]}"]
    seen = json.loads(match.group(1))
    wanted = [name for promised in reader.promised.values() for name in promised]
    return [f"{name} is not to be seen" for name in wanted if max(seen.get(name, [0])) <= 0]


def main(words: list[str]) -> int:
    found = []
    for word in words:
        page = Path(word).read_text()
        problems = missing(page)
        program = browser()
        if program is None:
            print("no headless browser is installed; only the file itself is checked")
        else:
            problems += rendered(page, program)
        found += [f"{word}: {problem}" for problem in problems]
    print("\n".join(found) or "every plot has its data")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
