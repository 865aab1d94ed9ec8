# SPDX-License-Identifier: GPL-2.0-only
"""A bare Debian 12 in a folder, with process numbers and mounts of its own.

It is made by mmdebstrap from the Debian repositories that this machine's apt reads. Servers in it
listen on their Unix socket only. close() ends all of its processes, whatever they are.
"""

import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import psutil

from tests.kit.check import CheckFailed
from tools import targets
from tools.errors import DevError
from tools.setup import debian
from tools.setup.step import log_end, quiet

DEBIAN_PACKAGES = ["mmdebstrap"]
# with which mmdebstrap looks whether programs of another processor family can run
FOREIGN_PACKAGES = ["arch-test"]
# What the first process of the root does: mounts, then reaps what others leave behind.
HOLDER = """
mount --rbind /dev "$0/dev" && mount -t proc proc "$0/proc" && mount -t tmpfs tmpfs "$0/tmp" &&
exec chroot "$0" bash -c 'echo ready; while sleep 1; do :; done'
"""
PASSED_ON = ("http_proxy", "https_proxy", "no_proxy")
# no network; small, since several such servers may run
SERVER_OPTIONS = (
    "[mariadb]\nskip_networking\ninnodb_buffer_pool_size=64M\ninnodb_log_file_size=32M\n"
)


def make_template(
    file: Path, target: targets.Target | None = None, enter: Iterable[str] = ()
) -> None:
    """The bare system as a tar file, of this machine's processor family or of `target`'s; then
    `enter` is the beginning of a command that can run its programs. DevError without root, or when
    the mirror is out of reach."""
    if os.geteuid() != 0:
        raise DevError("a bare Debian is made by root only; run this as root")
    packages = [*DEBIAN_PACKAGES, *(FOREIGN_PACKAGES if target else [])]
    debian.install(packages, "to make a bare Debian")
    sources = file.with_suffix(".sources")
    sources.write_text(debian.debian_sources().replace("Types: deb deb-src", "Types: deb"))
    command = [*enter, "mmdebstrap", "--mode=root", "--variant=apt", "--skip=cleanup/apt/lists"]
    command += [f"--arch={target.name}"] if target else []
    command += ["--aptopt=Acquire::Languages none", debian.codename(), str(file), str(sources)]
    if not quiet(command, "mmdebstrap"):
        raise DevError(f"mmdebstrap cannot make a bare Debian\n{log_end('mmdebstrap')}")


class BareRoot:
    """One system in `folder`, unpacked from a template. A context manager. `enter`: as above."""

    def __init__(self, folder: Path, template: Path, enter: Iterable[str] = ()):
        self.folder = folder
        self._users = ["--user"] if enter else []
        folder.mkdir(parents=True)
        subprocess.run(["tar", "-C", folder, "-xf", template], check=True)
        options = folder / "etc/mysql/mariadb.conf.d"
        options.mkdir(parents=True)
        (options / "99-test.cnf").write_text(SERVER_OPTIONS)
        # a root that is thrown away needs no sync after each file
        (folder / "etc/dpkg/dpkg.cfg.d/unsafe-io").write_text("force-unsafe-io\n")
        self._holder = subprocess.Popen(
            # it ends with us, however we end
            [*enter, "setpriv", "--pdeathsig", "KILL",
             "unshare", "--mount", "--pid", "--fork", "--kill-child", "--propagation", "private",
             "sh", "-c", HOLDER, str(folder)],
            stdout=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip
        if self._holder.stdout.readline() != "ready\n":
            raise DevError("a bare Debian cannot be entered: mounts are not allowed here")
        self._first = psutil.Process(self._holder.pid).children()[0].pid

    def __enter__(self) -> "BareRoot":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def close(self) -> None:
        """Ends all processes in it and deletes it."""
        self._holder.kill()
        self._holder.wait()
        mounted = [p for p in ("dev", "proc", "tmp") if os.path.ismount(self.folder / p)]
        if mounted:  # then the folder leads to the machine's own devices
            raise DevError(f"{self.folder} has mounts that should be its own: {mounted}")
        shutil.rmtree(self.folder)

    def mount_over(self, source: str, target: str) -> None:
        """Puts a file of the root in the place of another; the bare system has no mount itself."""
        self._namespaces("mount", "--bind", f"{self.folder}{source}", f"{self.folder}{target}")

    def unmount(self, target: str) -> None:
        self._namespaces("umount", f"{self.folder}{target}")

    def _namespaces(self, *command: str) -> None:
        subprocess.run([*self._enter(), *command], check=True)

    def _enter(self) -> list[str]:
        return ["nsenter", "--target", str(self._first), *self._users, "--mount", "--pid", "--"]

    def attempt(self, script: str) -> subprocess.CompletedProcess:
        """Runs a script of bash as root inside; returns status and output, both streams in one."""
        passed_on = {n: os.environ[n] for n in PASSED_ON if n in os.environ}
        return subprocess.run(
            [*self._enter(), "chroot", str(self.folder), "bash", "-c", script],
            env={
                "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                "HOME": "/root",
                "LC_ALL": "C.UTF-8",
                "DEBIAN_FRONTEND": "noninteractive",
                **passed_on,
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )  # fmt: skip

    def run(self, script: str) -> str:
        """The output of a script that must succeed."""
        done = self.attempt(script)
        if done.returncode != 0:
            raise CheckFailed(f"status {done.returncode}: {script}\n{done.stdout[-3000:]}")
        return done.stdout

    def sql(self, statements: str) -> str:
        """Rows as lines with tabs, from the installed server through the installed client."""
        return self.run(f"mariadb --batch --skip-column-names <<'END'\n{statements}\nEND")

    def bring(self, file: Path) -> str:
        """Copies a file to the root folder; returns its path inside."""
        shutil.copy2(file, self.folder / file.name)
        return f"/{file.name}"

    def versions(self) -> dict[str, str]:
        """Installed packages."""
        rows = self.run("dpkg-query -W -f '${db:Status-Abbrev} ${Package} ${Version}\\n'")
        words = (row.split() for row in rows.splitlines())
        return {w[1]: w[2] for w in words if w[0] == "ii"}
