# SPDX-License-Identifier: GPL-2.0-only
"""Answers browsers. There are the files of the page, and the document of the last look for who has
the key. Nothing can be written.

A page of another site cannot read along: a name that resolves to loopback is refused by the header
Host, and no site but ours may use the answers (Content-Security-Policy and its kin)."""

import secrets
import socketserver
import sys
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from programs.console.address import LOOPBACK

PAGE = Path(__file__).with_name("page")
FILES = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/console.css": ("console.css", "text/css; charset=utf-8"),
    "/console.js": ("console.js", "text/javascript; charset=utf-8"),
    "/icon.svg": ("icon.svg", "image/svg+xml"),
}
STATE = "/state.json"
KEY_HEADER = "X-Basalt-Key"
PLAIN = "text/plain; charset=utf-8"
IDLE_SECONDS = 60
# with any port: a tunnel has one of its own
HOSTS = (LOOPBACK, "localhost", "[::1]")
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
        " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
        " require-trusted-types-for 'script'; trusted-types 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Web(ThreadingHTTPServer):
    """On a port of loopback, 0 for a free one; OSError when it is taken. `state` gives the document
    of the last look, and its age in seconds."""

    daemon_threads = True

    def __init__(self, port: int, key: str, state: Callable[[], tuple[bytes, float]]):
        self.key = key
        self.state = state
        self.files = {
            path: (kind, (PAGE / name).read_bytes()) for path, (name, kind) in FILES.items()
        }
        super().__init__((LOOPBACK, port), Handler)

    def server_bind(self) -> None:
        """Without asking a name server for the name of the address, as the standard one does."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address[:2]

    @property
    def url(self) -> str:
        """The key is behind '#', which a browser sends to nobody."""
        return f"http://{LOOPBACK}:{self.server_port}/#key={self.key}"

    def handle_error(self, request, client_address) -> None:
        """A browser that goes away in the middle is no error."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    server: Web
    protocol_version = "HTTP/1.1"
    server_version = "basalt-console"
    timeout = IDLE_SECONDS

    def do_GET(self) -> None:
        problem = self.refusal()
        if problem:
            self.send_error(HTTPStatus.FORBIDDEN, problem)
            return
        path = self.path.partition("?")[0]
        if path in self.server.files:
            self.answer(HTTPStatus.OK, *self.server.files[path])
        elif path != STATE:
            self.send_error(HTTPStatus.NOT_FOUND, "there is no such page")
        elif not self.has_key():
            self.send_error(HTTPStatus.FORBIDDEN, "the key is missing or wrong")
        else:
            state, age = self.server.state()
            self.answer(HTTPStatus.OK, "application/json", state, Age=str(int(age)))

    do_HEAD = do_GET

    def refusal(self) -> str:
        """Why this request is not of our own page; '' when it may be."""
        hosts = self.headers.get_all("Host", [])
        if len(hosts) != 1 or host_name(hosts[0]) not in HOSTS:
            return "the page has the address 127.0.0.1 or localhost, and no other name"
        site = self.headers.get("Sec-Fetch-Site", "none")
        going = self.headers.get("Sec-Fetch-Mode", "navigate") == "navigate"
        if site not in ("same-origin", "none") and not going:
            return "another site may not ask for this"
        return ""

    def has_key(self) -> bool:
        given = self.headers.get(KEY_HEADER, "")
        return secrets.compare_digest(given.encode(), self.server.key.encode())

    def answer(self, status: HTTPStatus, kind: str, body: bytes, **more: str) -> None:
        self.send_response(status)
        headers = {"Content-Type": kind, "Content-Length": str(len(body)), **HEADERS, **more}
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Plain text. The standard class calls this, too, for what it cannot read, and for methods
        that nothing here has."""
        status = HTTPStatus(code)
        more = {}
        if status == HTTPStatus.NOT_IMPLEMENTED:
            status, message = HTTPStatus.METHOD_NOT_ALLOWED, "this page is read, not written"
            more = {"Allow": "GET, HEAD"}
        self.close_connection = True
        text = f"{message or status.phrase}\n".encode(errors="replace")
        self.answer(status, PLAIN, text, Connection="close", **more)

    def version_string(self) -> str:
        return self.server_version

    def log_message(self, *_) -> None:
        pass


def host_name(host: str) -> str:
    """Without the port."""
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdigit() else host).lower()
