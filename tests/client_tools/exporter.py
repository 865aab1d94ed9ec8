# SPDX-License-Identifier: GPL-2.0-only
"""Programs of Prometheus that run for a while."""

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests.kit.replicas.node import Node
from tools.ports import free_port
from tools.setup import client_tools


@contextlib.contextmanager
def serving(command: list[str | Path], log: Path, environment: dict[str, str]) -> Iterator[str]:
    """Runs a program that listens where --web.listen-address says; gives that address."""
    address = f"127.0.0.1:{free_port()}"
    with open(log, "w") as output:
        process = subprocess.Popen(
            [*command, f"--web.listen-address={address}"],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )
    try:
        yield address
    finally:
        process.terminate()
        process.wait()


def exporter(node: Node, log: Path) -> contextlib.AbstractContextManager[str]:
    """mysqld_exporter of a server."""
    environment = client_tools.environment()
    environment["DATA_SOURCE_NAME"] = f"root@unix({node.server.socket})/"
    return serving([client_tools.program("prometheus-mysqld-exporter")], log, environment)
