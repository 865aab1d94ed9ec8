# SPDX-License-Identifier: GPL-2.0-only
"""Programs for ARM64 on another machine, under qemu's emulator of one program.

Namespaces hold a user namespace in which the kernel starts programs for ARM64 with the emulator
(its file system binfmt_misc, Linux 6.7 and later). Nothing outside of it sees that.
"""

import os
import subprocess

from tools.errors import DevError
from tools.setup import debian

DEBIAN_PACKAGES = ["qemu-user-static"]
EMULATOR = "/usr/bin/qemu-aarch64-static"
# what files for ARM64 begin with (binfmt_misc of the kernel's documents); F: the emulator is opened
# now, so that it is found from within a folder that has become the root
MAGIC = r"\x7f\x45\x4c\x46\x02\x01\x01" + r"\x00" * 9 + r"\x02\x00\xb7\x00"
MASK = r"\xff" * 7 + r"\x00" + r"\xff" * 8 + r"\xfe\xff\xff\xff"
FORMAT = f":qemu-aarch64:M::{MAGIC}:{MASK}:{EMULATOR}:OCF"
# The first `read` waits until the users are mapped.
HOLDER = """
read _ && mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc &&
printf %s "$0" > /proc/sys/fs/binfmt_misc/register && echo ready && while sleep 1; do :; done
"""


class Namespaces:
    """A context manager; `enter` is put before a command that runs inside. DevError where the
    kernel does not allow it."""

    def __enter__(self) -> "Namespaces":
        debian.install(DEBIAN_PACKAGES, "to run programs for arm64")
        self._holder = subprocess.Popen(
            # it ends with us, however we end
            ["setpriv", "--pdeathsig", "KILL", "unshare", "--user", "--mount",
             "--propagation", "private", "sh", "-c", HOLDER, FORMAT],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip
        self._map_users()
        if self._holder.stdout.readline() != "ready\n":
            self.__exit__()
            raise DevError("programs for arm64 cannot be started here: the kernel is too old")
        return self

    def __exit__(self, *_) -> None:
        self._holder.kill()
        self._holder.wait()

    @property
    def enter(self) -> list[str]:
        return ["nsenter", "--target", str(self._holder.pid), "--user", "--mount", "--"]

    def _map_users(self) -> None:
        """All users are themselves, as soon as the process is in its own namespace."""
        own = os.readlink("/proc/self/ns/user")
        process = f"/proc/{self._holder.pid}"
        while self._holder.poll() is None and os.readlink(f"{process}/ns/user") == own:
            pass
        for name in ("uid_map", "gid_map"):
            with open(f"{process}/{name}", "w") as file:
                file.write("0 0 65536\n")
        self._holder.stdin.write("\n")
        self._holder.stdin.flush()
