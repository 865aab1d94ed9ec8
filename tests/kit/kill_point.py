# SPDX-License-Identifier: GPL-2.0-only
"""A server that dies right before the n-th file operation of one connection, by the library of
tests/kit/kill_point.cc."""

import mmap
import struct
from pathlib import Path

from tools import build, paths

CONTROL_BYTES = 512  # i64 operations left, u64 passed, text
UNLIMITED = 1 << 40


def build_library() -> None:
    build.build(plugin=False, more=("kill_point",))


def library() -> Path:
    return paths.build_dir() / "tests" / "kill_point.so"


class KillPoint:
    """Shared with the server, whose `environment` it is. Counts the operations of marked
    connections, of the recovery of DDL at start, and of threads whose names begin with one of
    `threads`; only those of the name `operation` ("sync", "rename", ..), if it is given."""

    def __init__(self, control: Path, operation: str = "", threads: str = ""):
        self.control, self.operation, self.threads = control, operation, threads
        control.write_bytes(bytes(CONTROL_BYTES))
        control.chmod(0o644)  # LOAD_FILE reads only what everybody may
        with open(control, "r+b") as file:
            self.shared = mmap.mmap(file.fileno(), CONTROL_BYTES)

    def environment(self) -> dict[str, str]:
        variables = {"LD_PRELOAD": str(library()), "BASALT_KILL_POINT": str(self.control)}
        if self.operation:
            variables["BASALT_KILL_OPERATION"] = self.operation
        if self.threads:
            variables["BASALT_KILL_THREADS"] = self.threads
        return variables

    def arm(self, operation: int = UNLIMITED) -> None:
        """The server dies before this operation, counted from now and from 1."""
        self.shared[:] = struct.pack("<qQ", operation, 0).ljust(CONTROL_BYTES, b"\0")

    def disarm(self) -> None:
        self.shared[:8] = bytes(8)

    def passed(self) -> int:
        """Operations since arm()."""
        return struct.unpack_from("<Q", self.shared, 8)[0]

    def point(self) -> str:
        """The operation that the server died before; '' when it lives."""
        return self.shared[16:].split(b"\0")[0].decode(errors="replace")

    def mark(self, execute) -> None:
        """Makes the connection of `execute` the one whose operations count."""
        execute(f"SELECT LENGTH(LOAD_FILE('{self.control}'))")
