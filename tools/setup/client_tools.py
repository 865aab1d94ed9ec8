# SPDX-License-Identifier: GPL-2.0-only
"""The users' tools that `./dev test tools` runs: Debian's packages, unpacked into the cache.

They are not installed: one of them would start a service, and none is needed to build. What comes
from the server's own packages (mariabackup, mariadb-dump, myrocks_hotbackup) is there already.
"""

import os
import subprocess
from pathlib import Path

from tools import paths, targets
from tools.errors import DevError
from tools.setup import debian
from tools.setup.step import lock, log_end, new_folder, say

PACKAGES = [
    "mydumper",
    "libpcre3",
    "percona-toolkit",
    "libdbi-perl",
    "libdbd-mysql-perl",
    "libterm-readkey-perl",
    "prometheus-mysqld-exporter",
    "python3-mysqldb",
]
# Prometheus, for the scenario that is named like it; fetched when that first runs
MONITORING = ["prometheus", "prometheus-node-exporter"]
# shared libraries of mydumper that other packages have mostly brought
LIBRARIES = ["libglib2.0-0", "zlib1g"]


def home() -> Path:
    return paths.cache() / "tools"


def monitoring_home() -> Path:
    return paths.cache() / "monitoring"


def complete(folder: Path, packages: list[str]) -> bool:
    """True when exactly these packages are unpacked there."""
    stamp = folder / "complete"
    return stamp.is_file() and stamp.read_text() == " ".join(packages)


def install() -> None:
    """Fetches and unpacks them unless that was done. DevError when the mirror is out of reach."""
    if not complete(home(), PACKAGES):
        debian.install(LIBRARIES, "libraries of mydumper")
        fetch(home(), PACKAGES)


def install_monitoring() -> None:
    """The same of Prometheus."""
    fetch(monitoring_home(), MONITORING)


def fetch(folder: Path, packages: list[str]) -> None:
    if complete(folder, packages):
        return
    with lock(folder.name):
        if complete(folder, packages):
            return
        say(f"fetching the tools that users run: {', '.join(packages)}")
        apt = debian.PrivateApt()
        apt.update()
        with new_folder(folder) as fresh:
            downloads = fresh / "downloads"
            downloads.mkdir()
            if not apt.get("download", *packages, folder=downloads, log=folder.name):
                raise DevError(f"missing: packages of {folder.name}\n{log_end(folder.name)}")
            for deb in sorted(downloads.glob("*.deb")):
                subprocess.run(["dpkg-deb", "-x", deb, fresh / "root"], check=True)
                deb.unlink()
            downloads.rmdir()
            (fresh / "complete").write_text(" ".join(packages))


def program(name: str, folder: Path | None = None) -> Path:
    """A program of the packages in `folder`, by default of PACKAGES."""
    return (folder or home()) / "root" / "usr" / "bin" / name


def environment() -> dict[str, str]:
    """The environment in which they find their modules, and the server's client library. HOME is
    a place without option files, so that nobody's settings leak in."""
    usr = home() / "root" / "usr"
    triple = targets.host().triple
    perl = [usr / "share" / "perl5", *sorted((usr / "lib" / triple).glob("perl5/*"))]
    libraries = [usr / "lib" / triple, home() / "root" / "lib" / triple]
    kept = {n: v for n, v in os.environ.items() if not n.startswith(("MYSQL_", "PERCONA_"))}
    return {
        **kept,
        "PERL5LIB": ":".join(map(str, perl)),
        "PYTHONPATH": str(usr / "lib" / "python3" / "dist-packages"),
        "LD_LIBRARY_PATH": ":".join(map(str, [*libraries, paths.library_dir()])),
        "PATH": f"{paths.basedir() / 'bin'}:{usr / 'bin'}:{os.environ.get('PATH', '')}",
        "HOME": str(home()),
    }
