# SPDX-License-Identifier: GPL-2.0-only
"""Another machine that is reached by ssh: Debian's sshd on a port of loopback, an ordinary process
with throw-away keys, which nothing on this machine knows of.

sshd of root wants an account `sshd` and a folder /run/sshd. It gets both in a mount namespace of
its own, with a password file of two lines, and the machine's stay as they are.
"""

import contextlib
import getpass
import os
import shlex
import signal
import socket
import subprocess
import time
from pathlib import Path

import psutil

from tests.kit.replicas.node import Broken
from tools.ports import free_port
from tools.setup import openssh

START_SECONDS = 60.0
HOST = "127.0.0.1"
SERVER = """ListenAddress {host}
Port {port}
HostKey {folder}/host
PidFile {folder}/pid
AuthorizedKeysFile {folder}/user.pub
StrictModes no
UsePAM no
PermitRootLogin yes
PasswordAuthentication no
KbdInteractiveAuthentication no
SetEnv "PATH={path}"
"""
CLIENT = """Host *
  HostName {host}
  Port {port}
  User {user}
  IdentityFile {folder}/user
  IdentitiesOnly yes
  UserKnownHostsFile {folder}/known_hosts
  BatchMode yes
"""
ACCOUNTS = """root:x:0:0::{folder}:/bin/sh
sshd:x:110:65534::/run/sshd:/usr/sbin/nologin
"""
PRIVATE = """set -e
mount --bind {folder}/passwd /etc/passwd
mount --bind {folder}/shadow /etc/shadow
mount -t tmpfs none /run
mkdir -m 755 /run/sshd
exec "$@"
"""


class Ssh:
    """Context manager. `path` is the PATH of what is run there. While it is used, each name of a
    host is that machine for the program `ssh` in the folder `programs`."""

    def __init__(self, folder: Path, path: str):
        self.folder, self.programs = folder, folder / "bin"
        self.port = free_port()
        self.words = {"folder": folder, "port": self.port, "path": path, "host": HOST}
        self.words["user"] = getpass.getuser()

    @staticmethod
    def why_not() -> str:
        """'' when it can be had here, else the reason."""
        if os.geteuid() != 0:
            return ""
        done = subprocess.run(["unshare", "--mount", "true"], capture_output=True, text=True)
        return f"no mount namespace for sshd: {done.stderr.strip()}" if done.returncode else ""

    def __enter__(self) -> "Ssh":
        self.programs.mkdir(parents=True)
        self.make_keys()
        self.write_files()
        with open(self.folder / "log", "wb") as log:
            self.process = subprocess.Popen(
                self.command(), stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        self.wait_until_ready()
        return self

    def __exit__(self, *_) -> None:
        self.cut()
        self.process.terminate()
        self.process.wait()

    def command(self) -> list[str]:
        sshd = [str(openssh.sshd()), "-D", "-e", "-f", str(self.folder / "sshd_config")]
        if os.geteuid() != 0:
            return sshd
        alone = ["unshare", "--mount", "--propagation", "private"]
        return [*alone, "sh", "-c", PRIVATE.format(**self.words), "sh", *sshd]

    def make_keys(self) -> None:
        for name in ("host", "user"):
            command = [openssh.program("ssh-keygen"), "-q", "-t", "ed25519", "-N", ""]
            subprocess.run([*command, "-f", self.folder / name], check=True)
        known = (self.folder / "host.pub").read_text()
        (self.folder / "known_hosts").write_text(f"[{HOST}]:{self.port} {known}")

    def write_files(self) -> None:
        config = self.folder / "ssh_config"
        config.write_text(CLIENT.format(**self.words))
        (self.folder / "sshd_config").write_text(SERVER.format(**self.words))
        (self.folder / "passwd").write_text(ACCOUNTS.format(**self.words))
        (self.folder / "shadow").write_text("root:*:1::::::\nsshd:*:1::::::\n")
        script = self.programs / "ssh"
        ssh = shlex.join([str(openssh.program("ssh")), "-F", str(config)])
        script.write_text(f'#!/bin/sh\nexec {ssh} "$@"\n')
        script.chmod(0o755)

    def wait_until_ready(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while True:
            with contextlib.suppress(OSError):
                socket.create_connection((HOST, self.port), 1).close()
                return
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise Broken(f"no sshd: {(self.folder / 'log').read_text()}")
            time.sleep(0.02)

    def sessions(self) -> list[psutil.Process]:
        """The processes of sshd that carry what is sent."""
        with contextlib.suppress(psutil.NoSuchProcess):
            below = psutil.Process(self.process.pid).children(recursive=True)
            return [child for child in below if is_sshd(child)]
        return []

    def cut(self) -> int:
        """Kills all connections; how many processes that were."""
        there = self.sessions()
        for child in there:
            with contextlib.suppress(psutil.NoSuchProcess):
                child.send_signal(signal.SIGKILL)
        return len(there)


def is_sshd(process: psutil.Process) -> bool:
    with contextlib.suppress(psutil.NoSuchProcess):
        return process.name() == "sshd"
    return False
