# SPDX-License-Identifier: GPL-2.0-only
"""Applications whose schemas `./dev test foreign-keys` creates: unpacked into the cache.

None is installed. Of Debian's packages only the SQL files and scripts are kept. Python packages
have a folder of their own, so that they are no part of the environment of `./dev`.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tools import paths
from tools.errors import DevError
from tools.setup import debian, python_packages
from tools.setup.step import lock, log_end, new_folder, say

PACKAGES = [
    "zabbix-server-mysql",
    "icingaweb2-module-director",
    "kea-admin",
    "tt-rss",
]
# what is kept of the packages, below root/usr
KEPT = [
    "share/zabbix-server-mysql",
    "share/icingaweb2/modules/director/schema",
    "share/kea/scripts",
    "sbin/kea-admin",
    "share/tt-rss/schema",
]
REQUIREMENTS = Path(__file__).with_name("applications_requirements.txt")


def home() -> Path:
    return paths.cache() / "applications"


def wanted() -> str:
    """What the folder holds once it is complete."""
    python = f"python {sys.version_info.major}.{sys.version_info.minor}"
    return "\n".join([*PACKAGES, *KEPT, python, REQUIREMENTS.read_text()])


def complete() -> bool:
    """True when exactly these applications are unpacked."""
    stamp = home() / "complete"
    return stamp.is_file() and stamp.read_text() == wanted()


def install() -> None:
    """Fetches and unpacks them unless that was done. DevError when a mirror is out of reach."""
    if complete():
        return
    with lock("applications"):
        if complete():
            return
        say("fetching applications with foreign keys: Debian's and Python's")
        with new_folder(home()) as fresh:
            unpack_debian(fresh)
            python_packages.fetch(
                REQUIREMENTS, fresh / "python", "applications-python", "Python applications"
            )
            (fresh / "complete").write_text(wanted())


def unpack_debian(fresh: Path) -> None:
    apt = debian.PrivateApt()
    apt.update()
    downloads, whole = fresh / "downloads", fresh / "whole"
    downloads.mkdir()
    if not apt.get("download", *PACKAGES, folder=downloads, log="applications"):
        raise DevError(f"missing: packages of applications\n{log_end('applications')}")
    for deb in sorted(downloads.glob("*.deb")):
        subprocess.run(["dpkg-deb", "-x", deb, whole], check=True)
    for name in KEPT:
        (fresh / "root" / name).parent.mkdir(parents=True, exist_ok=True)
        (whole / "usr" / name).rename(fresh / "root" / name)
    shutil.rmtree(downloads)
    shutil.rmtree(whole)


def file(name: str) -> Path:
    """A file of Debian's packages, by its path below /usr."""
    return home() / "root" / name


def python_environment() -> dict[str, str]:
    """The environment in which Python finds the frameworks. It keeps the modules that it has
    compiled, unlike `./dev` itself: a framework has hundreds. Sets have the same order each time:
    Django's migrations come in it."""
    others = ("DJANGO_", "OPTUNA_", "PYTHON")
    kept = {n: v for n, v in os.environ.items() if not n.startswith(others)}
    return {**kept, "PYTHONPATH": str(home() / "python"), "PYTHONHASHSEED": "0"}
