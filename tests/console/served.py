# SPDX-License-Identifier: GPL-2.0-only
"""basalt-console as its users have it, and requests to it."""

import http.client
import json
import select
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.console.program import PATIENCE_SECONDS, PYTHON, environment
from tests.kit.check import expect
from tools import paths

PROGRAM = paths.ROOT / "programs" / "console" / "basalt-console"
QUICK = ("--interval=0.3", "--tables-every=0.5")


def command(socket: Path | str, *options: str) -> list[str]:
    return [PYTHON, str(PROGRAM), "--no-defaults", f"--socket={socket}", "--user=root", *options]


class Console:
    """Runs in the folder `home` until `stop`. `url` has the key, `origin` is what all requests of
    the page begin with."""

    def __init__(self, home: Path, socket: Path | str, *options: str):
        self.process = subprocess.Popen(
            command(socket, "--listen=0", "--json", *options),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(home),
            cwd=home,
        )
        ready = select.select([self.process.stdout], [], [], PATIENCE_SECONDS)[0]
        line = self.process.stdout.readline() if ready else ""
        if not line:
            self.process.kill()
        expect(bool(line), f"no address: {self.process.stderr.read() if not line else ''}")
        self.url = json.loads(line)["url"]
        parts = urlsplit(self.url)
        self.port, self.key = parts.port, parts.fragment.removeprefix("key=")
        self.origin = f"{parts.scheme}://{parts.netloc}/"

    def __enter__(self) -> "Console":
        return self

    def __exit__(self, *_) -> None:
        self.process.kill()
        self.process.communicate()

    def stop(self) -> tuple[int, str]:
        """(status, what it has complained of) after a signal to end."""
        self.process.terminate()
        _, said = self.process.communicate(timeout=PATIENCE_SECONDS)
        return self.process.returncode, said

    def request(
        self,
        path: str,
        method: str = "GET",
        hosts: tuple[str, ...] = ("127.0.0.1",),
        **headers: str,
    ) -> tuple[int, dict[str, str], bytes]:
        """(status, headers, body). Names of headers have '_' for '-'."""
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_SECONDS)
        link.putrequest(method, path, skip_host=True)
        for host in hosts:
            link.putheader("Host", host)
        for name, value in headers.items():
            link.putheader(name.replace("_", "-"), value)
        link.endheaders()
        answer = link.getresponse()
        found = answer.status, dict(answer.getheaders()), answer.read()
        link.close()
        return found

    def state(self) -> dict[str, Any]:
        status, _, body = self.request("/state.json", X_Basalt_Key=self.key)
        expect(status == 200, f"status {status}: {body!r}")
        return json.loads(body)
