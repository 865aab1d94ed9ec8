# SPDX-License-Identifier: GPL-2.0-only
"""The processor families that Basalt is built for.

A target other than this machine's is built by Debian's cross compiler, with that family's packages
unpacked into the cache (tools/setup/cross.py). cmake/Options.cmake has the same `march`.
"""

import platform
from dataclasses import dataclass

from tools.errors import DevError


@dataclass(frozen=True)
class Target:
    name: str  # what Debian calls the architecture
    machine: str  # what `uname -m` says
    march: str  # of the compiler; RocksDB's PORTABLE is below
    rocksdb_portable: str
    jemalloc_flags: tuple[str, ...]
    # what `march` needs of a processor, by the names of /proc/cpuinfo, and who has it
    processor_flags: tuple[str, ...]
    processors: str

    @property
    def triple(self) -> str:
        """The name of Debian's folders and of the compiler's programs."""
        return f"{self.machine}-linux-gnu"

    def tool(self, program: str) -> str:
        """A program of the compiler or of binutils for files of this target."""
        return f"{self.triple}-{program}"


AMD64 = Target(
    "amd64",
    "x86_64",
    "haswell",
    "haswell",
    (),
    ("avx2", "bmi2", "fma"),
    "AVX2 (Intel since 2013, AMD since 2017)",
)
# RocksDB's CMake adds what it needs (CRC32C and PMULL, both looked for at run time) itself. Kernels
# for ARM have pages of 4, 16 or 64 KB; jemalloc runs with pages up to the size it is told.
ARM64 = Target(
    "arm64",
    "aarch64",
    "armv8-a+crc",
    "1",
    ("--with-lg-page=16",),
    ("crc32",),
    "the CRC32 instructions (ARM Cortex-A53 and later)",
)
TARGETS = {target.name: target for target in (AMD64, ARM64)}


def host() -> Target:
    """This machine's. DevError on a processor of another family."""
    for target in TARGETS.values():
        if target.machine == platform.machine():
            return target
    known = " and ".join(TARGETS)
    raise DevError(f"only {known} are supported, this machine is '{platform.machine()}'")


def is_host(target: Target) -> bool:
    return target.machine == platform.machine()
