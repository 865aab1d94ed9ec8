# SPDX-License-Identifier: GPL-2.0-only
"""Debian's OpenSSH, server and client, which tests send backups through: unpacked into the cache
when they first run. It is not installed, because the package of the server starts a service."""

from pathlib import Path

from tools import paths
from tools.setup import client_tools, debian

PACKAGES = ["openssh-server", "openssh-client"]
# shared libraries of both that other packages have mostly brought
LIBRARIES = ["libwrap0", "libedit2", "libfido2-1", "libgssapi-krb5-2", "libpam0g", "libselinux1"]


def home() -> Path:
    return paths.cache() / "openssh"


def install() -> None:
    """DevError when the mirror is out of reach."""
    debian.install(LIBRARIES, "libraries of OpenSSH")
    client_tools.fetch(home(), PACKAGES)


def sshd() -> Path:
    return home() / "root" / "usr" / "sbin" / "sshd"


def program(name: str) -> Path:
    """ssh, ssh-keygen."""
    return client_tools.program(name, home())
