# SPDX-License-Identifier: GPL-2.0-only
"""Debian's chromium-headless-shell, driven by the DevTools protocol over a pair of pipes: messages
of JSON, each ended by a zero byte. `./dev setup` installs it."""

import base64
import contextlib
import json
import os
import select
import subprocess
import time
from pathlib import Path
from typing import Any

from tests.console.program import PATIENCE_SECONDS
from tests.kit.check import CheckFailed, expect

PROGRAM = "chromium-headless-shell"
# a page would ask for nothing by itself then
QUIET = ("--no-first-run", "--disable-background-networking", "--disable-component-update",
         "--disable-sync", "--disable-default-apps", "--no-pings")  # fmt: skip
WIDE, NARROW = (1280, 900), (360, 740)
KEYS = {"Tab": 9, "Enter": 13, "ArrowLeft": 37, "ArrowRight": 39}


class Browser:
    """One page. It notes each request (`requested`) and each complaint of the console: errors,
    warnings, exceptions, violations of the page's policy (`complaints`)."""

    def __init__(self, folder: Path):
        self.log = folder / "browser.log"
        command = [PROGRAM, "--headless", "--no-sandbox", "--disable-gpu", *QUIET,
                   f"--user-data-dir={folder / 'profile'}", "--remote-debugging-pipe",
                   "about:blank"]  # fmt: skip
        self.process, self.to, self.answers = start(command, self.log)
        self.rest = b""
        self.number = 0
        self.session = ""
        self.requested: list[str] = []
        self.complaints: list[str] = []
        self.attach()

    def __enter__(self) -> "Browser":
        return self

    def __exit__(self, *_) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.to)
        os.close(self.answers)

    def attach(self) -> None:
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(t["targetId"] for t in targets if t["type"] == "page")
        attached = self.call("Target.attachToTarget", targetId=page, flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        self.resize(WIDE)

    def call(self, method: str, **parameters) -> dict[str, Any]:
        """CheckFailed when the browser refuses or does not answer."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            answer = self.receive(deadline)
            if answer.get("id") == self.number:
                expect("error" not in answer, f"{method}: {answer.get('error')}")
                return answer["result"]

    def receive(self, deadline: float) -> dict[str, Any]:
        """The next message; events are noted."""
        while b"\0" not in self.rest:
            left = deadline - time.monotonic()
            ready = select.select([self.answers], [], [], max(0, left))[0]
            got = os.read(self.answers, 1 << 20) if ready else b""
            if not got:
                raise CheckFailed(f"the browser does not answer: {self.log.read_text()[-1000:]}")
            self.rest += got
        line, _, self.rest = self.rest.partition(b"\0")
        message = json.loads(line)
        self.note(message.get("method", ""), message.get("params", {}))
        return message

    def note(self, event: str, its: dict[str, Any]) -> None:
        if event == "Network.requestWillBeSent":
            self.requested.append(its["request"]["url"])
        elif event == "Runtime.exceptionThrown":
            self.complaints.append(str(its["exceptionDetails"]))
        elif event == "Log.entryAdded" and its["entry"]["level"] in ("warning", "error"):
            self.complaints.append(f"{its['entry']['text']} {its['entry'].get('url', '')}")
        elif event == "Runtime.consoleAPICalled":
            self.complaints.append(f"{its['type']}: {its['args']}")

    def go(self, url: str) -> None:
        """To a page of another address; one that differs behind '#' only is not loaded anew."""
        found = self.call("Page.navigate", url=url)
        expect(not found.get("errorText"), f"{url}: {found.get('errorText')}")
        self.wait_for("document.readyState === 'complete'")

    def ask(self, expression: str) -> Any:
        """The value of an expression in the page."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        expect("exceptionDetails" not in found, str(found.get("exceptionDetails")))
        return found["result"].get("value")

    def wait_for(self, expression: str) -> Any:
        """Until it is true, in the words of the page's language; its value."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            with contextlib.suppress(CheckFailed):  # a page that is just being left
                found = self.ask(expression)
                if found:
                    return found
            if time.monotonic() > deadline:
                raise CheckFailed(f"never: {expression}; the page says: {self.text()}")
            time.sleep(0.02)

    def text(self, selector: str = "body") -> str:
        """What a reader sees of an element."""
        return self.ask(f"document.querySelector({json.dumps(selector)}).innerText")

    def wait_for_text(self, selector: str, *texts: str) -> None:
        parts = " && ".join(f"t.includes({json.dumps(text)})" for text in texts)
        where = json.dumps(selector)
        self.wait_for(f"(t => {parts})(document.querySelector({where}).innerText)")

    def press(self, key: str) -> None:
        its: dict[str, Any] = {"key": key}
        if key in KEYS:
            its |= {"code": key, "windowsVirtualKeyCode": KEYS[key]}
            its |= {"text": "\r"} if key == "Enter" else {}
        else:
            its |= {"text": key}
        self.call("Input.dispatchKeyEvent", type="keyDown", **its)
        self.call("Input.dispatchKeyEvent", type="keyUp", **{**its, "text": ""})

    def resize(self, size: tuple[int, int], whole: bool = True) -> None:
        """`whole`: as on a phone or a desk, by the width."""
        width, height = size
        phone = width < WIDE[0] and whole
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=phone)  # fmt: skip

    def prefer(self, scheme: str) -> None:
        """'light' or 'dark'."""
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.call("Emulation.setEmulatedMedia", features=[feature])

    def picture(self, file: Path, width: int, height: int) -> None:
        """A PNG of the page from its top."""
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        found = self.call("Page.captureScreenshot", format="png", clip=clip)
        file.write_bytes(base64.b64decode(found["data"]))


def start(command: list[str], log: Path) -> tuple[subprocess.Popen, int, int]:
    """(process, what it reads, what it writes): it has these pipes as its files 3 and 4."""
    theirs, to = os.pipe()
    answers, its = os.pipe()
    # a shell moves them, whatever numbers they have here
    moved = ["/bin/bash", "-c", f'exec 3<&{theirs} 4>&{its}; exec "$@"', "bash", *command]
    with open(log, "wb") as output:
        process = subprocess.Popen(moved, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                   pass_fds=(theirs, its))  # fmt: skip
    os.close(theirs)
    os.close(its)
    return process, to, answers
