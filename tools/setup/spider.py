# SPDX-License-Identifier: GPL-2.0-only
"""Debian's storage engine Spider, which the tier `cluster` shards tables with: unpacked into the
cache when that tier first runs. It fits exactly one version of the server, as every engine does."""

from pathlib import Path

from tools import paths
from tools.setup import client_tools

PACKAGE = "mariadb-plugin-spider"
EPOCH = "1:"  # of all versions of MariaDB in Debian


def home() -> Path:
    return paths.cache() / f"spider-{paths.server_version()}"


def install() -> None:
    """DevError when the mirror has none of the server's version, or is out of reach."""
    client_tools.fetch(home(), [f"{PACKAGE}={EPOCH}{paths.server_version()}"])


def plugin() -> Path:
    return home() / "root" / "usr" / "lib" / "mysql" / "plugin" / "ha_spider.so"
