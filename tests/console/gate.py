# SPDX-License-Identifier: GPL-2.0-only
"""Who gets what from basalt-console, and how it starts and ends."""

import socket as sockets
import subprocess
from pathlib import Path

from tests.console.program import PATIENCE_SECONDS, environment
from tests.console.served import QUICK, Console, command
from tests.kit.check import Check, expect, expect_in
from tools.server import PrivateServer

KEY = "a-key-of-the-test-itself"
FILES = ("/", "/console.css", "/console.js", "/icon.svg")
NOWHERE = ("/index.html", "/..%2fmain.py", "/../main.py", "//etc/passwd", "/state.json/", "/page/")
POLICY = (
    "default-src 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
)
NAMES_OF_OURS = ("127.0.0.1", "localhost", "LOCALHOST:9999", "127.0.0.1:1", "[::1]:8306")
NAMES_OF_OTHERS = ("evil.example", "evil.example:8306", "127.0.0.1.evil.example", "", "10.0.0.1")


class Gate:
    def __init__(self, server: PrivateServer, folder: Path, console: Console):
        self.server = server
        self.folder = folder
        self.console = console

    def checks(self) -> list[Check]:
        return [
            Check("page: files, and nothing else", self.files),
            Check("page: other names of the machine, other sites", self.names),
            Check("page: nothing can be written", self.methods),
            Check("page: the key", self.key),
            Check("page: headers against other sites", self.headers),
            Check("page: loopback only", self.loopback),
            Check("page: wrong options: status 2", self.options),
            Check("page: a key of one's own; ended by a signal: status 0", self.key_file),
        ]

    def status(self, path: str, *words, **more) -> int:
        return self.console.request(path, *words, **more)[0]

    def files(self) -> None:
        for path in FILES:
            status, headers, body = self.console.request(path)
            expect(status == 200 and len(body) > 100, f"{path}: {status}")
            expect(len(body) == int(headers["Content-Length"]), f"{path}: {headers}")
            found = self.console.request(path, "HEAD")
            expect(found[0] == 200 and not found[2], f"HEAD {path}: {found}")
        for path in NOWHERE:
            expect(self.status(path) == 404, f"{path}: {self.status(path)}")

    def names(self) -> None:
        for name in NAMES_OF_OURS:
            expect(self.status("/", hosts=(name,)) == 200, f"{name} is refused")
        for names in (*((name,) for name in NAMES_OF_OTHERS), (), ("127.0.0.1", "evil.example")):
            for path in ("/", "/state.json"):
                status = self.status(path, hosts=names, X_Basalt_Key=self.console.key)
                expect(status in (400, 403), f"{path} as {names}: {status}")
        given = {"X_Basalt_Key": self.console.key, "Sec_Fetch_Mode": "cors"}
        for site, wanted in (("same-origin", 200), ("cross-site", 403), ("same-site", 403)):
            status = self.status("/state.json", Sec_Fetch_Site=site, **given)
            expect(status == wanted, f"asked by {site}: {status}")

    def methods(self) -> None:
        for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "KILL"):
            for path in ("/", "/state.json"):
                found = self.console.request(path, method, X_Basalt_Key=self.console.key)
                expect(found[0] == 405, f"{method} {path}: {found}")
                expect(found[1]["Allow"] == "GET, HEAD", str(found[1]))

    def key(self) -> None:
        for key in ("", "wrong", self.console.key[:-1], f"{self.console.key}x", "\xe9"):
            status = self.status("/state.json", X_Basalt_Key=key)
            expect(status == 403, f"key '{key}': {status}")
        expect(self.status("/state.json") == 403, "no key is needed")
        expect(self.status(f"/state.json?key={self.console.key}") == 403, "a key in the address")
        expect(self.console.state()["format"] == 1, "the right key")

    def headers(self) -> None:
        for path in (*FILES, "/nothing", "/state.json"):
            _, headers, _ = self.console.request(path)
            policy = headers["Content-Security-Policy"]
            for part in POLICY:
                expect_in(part, policy, path)
            expect("unsafe" not in policy and "http" not in policy, policy)
            expect(headers["X-Content-Type-Options"] == "nosniff", str(headers))
            expect(headers["Cross-Origin-Resource-Policy"] == "same-origin", str(headers))
            expect(headers["Cache-Control"] == "no-store", str(headers))
            expect("Access-Control-Allow-Origin" not in headers, str(headers))

    def loopback(self) -> None:
        """Another address of this machine does not lead to it."""
        with sockets.socket() as link:
            link.settimeout(PATIENCE_SECONDS)
            found = link.connect_ex(("127.0.0.2", self.console.port))
        expect(found != 0, "it listens on other addresses")

    def refused(self, status: int, sentence: str, *options: str) -> None:
        refused(self.server, self.folder, status, sentence, *options)

    def options(self) -> None:
        """Each kind once; unit tests have the others."""
        self.refused(2, "is served on 127.0.0.1 only, not on ", "--listen=0.0.0.0:8306")
        taken = str(self.console.port)
        self.refused(2, f"port {taken}: Address already in use; take", f"--listen={taken}")
        file = self.folder / "key"
        self.refused(2, f"the key in {file} cannot be read: No such", f"--key-file={file}")
        self.refused(2, "no connection: ", f"--socket={file}.sock")

    def key_file(self) -> None:
        file = self.folder / "own-key"
        file.write_text(f"{KEY}\n")
        file.chmod(0o600)
        options = (*QUICK, f"--key-file={file}")
        with Console(self.folder, self.server.socket, *options) as console:
            expect(console.key == KEY, console.url)
            console.state()
            status, said = console.stop()
        expect(status == 0 and not said, f"status {status}: {said}")


def no_page(server: PrivateServer, folder: Path) -> None:
    """`server` has InnoDB only."""
    refused(server, folder, 1, "this server has no engine ROCKSDB: its plugin is not loaded")


def refused(server: PrivateServer, folder: Path, status: int, sentence: str, *options: str) -> None:
    """basalt-console ends with the status and says this in one line, and nothing else."""
    done = subprocess.run(
        command(server.socket, *options),
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=PATIENCE_SECONDS,
        env=environment(folder),
    )
    said = done.stderr.strip()
    expect(done.returncode == status, f"status {done.returncode}: {said}")
    expect(sentence in said, f"'{sentence}' is not in '{said}'")
    expect(len(said.splitlines()) == 1 and not done.stdout, f"more than a line: {said}")
