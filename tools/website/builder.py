# SPDX-License-Identifier: GPL-2.0-only
"""Runs MkDocs over the staged pages, and looks at what came out."""

import re
import subprocess
import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tools import paths
from tools.errors import DevError
from tools.setup import website
from tools.website import staging

CONFIGURATION = Path(__file__).with_name("mkdocs.yml")
# what a browser fetches by itself; links to other hosts are followed by readers only
FETCHED = re.compile(
    r"<(?:script|img|iframe|source|video)\b[^>]*?\bsrc=[\"']?(?:https?:)?//"
    r"|<link\b(?=[^>]*\brel=[\"']?(?:stylesheet|preload|preconnect|icon|modulepreload))"
    r"[^>]*?\bhref=[\"']?(?:https?:)?//"
    r"|@import\s+(?:url\()?[\"']?(?:https?:)?//|url\([\"']?(?:https?:)?//"
)


def folder() -> Path:
    return paths.build_root() / "site"


def build() -> int:
    """Makes the site; returns how many pages it has. DevError when MkDocs warns of anything, or
    when a page would load something from another host."""
    source = paths.build_root() / "site-source"
    pages = staging.stage(source)
    environment = website.environment() | {
        "SITE_SOURCE": str(source),
        "SITE_FOLDER": str(folder()),
        "NO_MKDOCS_2_WARNING": "1",
    }
    command = [sys.executable, "-P", "-m", "mkdocs", "build", "--strict", "--clean"]
    # not --quiet, with which warnings do not count
    done = subprocess.run(
        [*command, "-f", CONFIGURATION], env=environment, capture_output=True, text=True
    )
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if not line.startswith("INFO")]
        raise DevError("\n".join(["the site was not made:", *lines]))
    found = fetched(folder())
    if found:
        raise DevError("pages load from another host:\n" + "\n".join(found))
    return len(pages)


def fetched(site: Path) -> list[str]:
    """Each file that makes a browser fetch something from another host, with what."""
    return [
        f"{path.relative_to(site)}: {match.group()}"
        for path in sorted(site.rglob("*"))
        if path.suffix in (".html", ".css")
        for match in FETCHED.finditer(path.read_text(errors="replace"))
    ]


class _Handler(SimpleHTTPRequestHandler):
    def log_message(self, *_) -> None:
        pass


def serve(port: int) -> None:
    """On loopback, until the process is interrupted. Port 0: one that is free."""
    handler = partial(_Handler, directory=str(folder()))
    try:
        server = ThreadingHTTPServer(("127.0.0.1", port), handler)
    except OSError as error:
        raise DevError(f"port {port}: {error.strerror}; take another by --port") from error
    with server:
        print(f"docs: http://127.0.0.1:{server.server_port}/ (Ctrl-C ends it)", flush=True)
        server.serve_forever()
