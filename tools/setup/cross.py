# SPDX-License-Identifier: GPL-2.0-only
"""What a build for another processor family needs: Debian's cross compiler, and that family's
packages of the server and of libraries, unpacked into the cache.

The C and C++ libraries to compile with come with the compiler; those to run with are among the
unpacked packages. The server's private headers are the same for all families.
"""

import os
import shutil
import subprocess
from pathlib import Path

from tools import paths, targets
from tools.errors import DevError
from tools.setup import debian, server_source
from tools.setup.step import lock, log_end, new_folder, say

# The server's package gives the version; unpacked with all that they depend on.
SERVER = ["mariadb-server-core", "libmariadbd19"]
RUNTIME = ["liblz4-1", "libzstd1", "libsnappy1v5", "zlib1g", "libstdc++6"]
# Unpacked alone: the C library's headers would hide those of the cross compiler.
SERVER_HEADERS = ["libmariadb-dev", "libmariadbd-dev"]
HEADERS = [
    "liblz4-dev", "libzstd-dev", "libsnappy-dev", "zlib1g-dev", "libssl-dev", "libxxhash-dev",
    "libgtest-dev", "libgmock-dev",
]  # fmt: skip
TOOLCHAIN = paths.ROOT / "cmake" / "Cross.cmake"
# What the unpacked packages say of their libraries, where dpkg-shlibdeps looks for that of a
# package whose tree root/ would be.
CONTROL = "root/DEBIAN"


def home(target: targets.Target) -> Path:
    """Laid out as the home of this machine's server (paths.server_home)."""
    return paths.cache() / "cross" / target.name / (paths.server_version() or "none")


def root(target: targets.Target) -> Path:
    return home(target) / "root"


def library_dirs(target: targets.Target) -> list[Path]:
    """Where the shared libraries to run with are."""
    return [root(target) / part / target.triple for part in ("usr/lib", "lib")]


def complete(target: targets.Target) -> bool:
    stamp = home(target) / "complete"
    return stamp.is_file() and stamp.read_text() == packages_in_words()


def packages_in_words() -> str:
    return " ".join([*SERVER, *RUNTIME, *SERVER_HEADERS, *HEADERS])


def cmake_settings(target: targets.Target) -> list[str]:
    """Arguments of CMake."""
    return [
        f"-DCMAKE_TOOLCHAIN_FILE={TOOLCHAIN}",
        f"-DBASALT_TARGET_MACHINE={target.machine}",
        f"-DBASALT_TARGET_ROOT={root(target)}",
    ]


def install(target: targets.Target) -> None:
    """Installs the compiler, fetches and unpacks the packages, unless that was done. This machine's
    server is there already. DevError when the mirror is out of reach."""
    compiler = f"g++-{target.triple}".replace("_", "-")
    debian.install([compiler], f"to build for {target.name}")
    if complete(target):
        return
    with lock(f"cross-{target.name}"):
        if complete(target):  # made by the run we waited for
            return
        say(f"fetching the packages of {target.name}")
        apt = debian.PrivateApt(target)
        apt.update()
        with new_folder(home(target)) as fresh:
            fetch(apt, fresh)
            say("unpacking")
            for deb in sorted((fresh / "downloads").glob("*.deb")):
                unpack(deb, fresh)
            shutil.rmtree(fresh / "downloads")
            mend_links(fresh / "root")
            # names files of the system; RocksDB's CMake finds the library without it
            shutil.rmtree(fresh / "root/usr/lib" / target.triple / "cmake/Snappy")
            for part in ("source", "generated"):
                (fresh / part).symlink_to(paths.server_home() / part)
            check_release(fresh, target)
            (fresh / "complete").write_text(packages_in_words())


def fetch(apt: debian.PrivateApt, fresh: Path) -> None:
    """Fills downloads/."""
    downloads = fresh / "downloads"
    downloads.mkdir()
    version = server_version(apt)
    exact = [f"{package}={version}" for package in SERVER]
    archives = apt.folder / "cache" / "archives"
    for old in archives.glob("*.deb"):
        old.unlink()
    command = ["-q", "-y", "--no-install-recommends", "--download-only", "install"]
    if not apt.get(*command, *exact, *RUNTIME, folder=downloads, log="cross"):
        raise DevError(f"missing: packages of {apt.target.name}\n{log_end('cross')}")
    for deb in archives.glob("*.deb"):
        shutil.move(deb, downloads)
    headers = [*HEADERS, *(f"{package}={version}" for package in SERVER_HEADERS)]
    if not apt.get("download", *headers, folder=downloads, log="cross"):
        raise DevError(f"missing: packages of {apt.target.name}\n{log_end('cross')}")


def server_version(apt: debian.PrivateApt) -> str:
    """The version of this machine's server, with its epoch, as the target's lists have it."""
    rows = [row.split("|") for row in apt.output("madison", SERVER[0]).splitlines()]
    for row in rows:
        if len(row) == 3 and row[1].strip().split(":", 1)[-1] == paths.server_version():
            return row[1].strip()
    raise DevError(
        f"Debian's lists for {apt.target.name} have no MariaDB {paths.server_version()}; another"
        " version is chosen by BASALT_MARIADB_VERSION"
    )


def unpack(deb: Path, fresh: Path) -> None:
    """Into root/; what the package says of its libraries is added to that of the others."""
    subprocess.run(["dpkg-deb", "-x", deb, fresh / "root"], check=True)
    (fresh / CONTROL).mkdir(exist_ok=True)
    for kind in ("symbols", "shlibs"):
        said = subprocess.run(["dpkg-deb", "-I", deb, kind], capture_output=True, text=True)
        if said.returncode == 0:  # most packages have no such file
            with open(fresh / CONTROL / kind, "a") as file:
                file.write(said.stdout)


def mend_links(root_folder: Path) -> None:
    """Absolute links would lead out of the folder."""
    for link in root_folder.rglob("*"):
        if link.is_symlink() and os.path.isabs(link.readlink()):
            inside = root_folder / link.readlink().relative_to("/")
            link.unlink()
            link.symlink_to(os.path.relpath(inside, link.parent))


def check_release(fresh: Path, target: targets.Target) -> None:
    """DevError unless the unpacked headers are of the source's release."""
    header = fresh / "root/usr/include/mariadb/server/mysql_version.h"
    wanted = server_source.release(fresh / "source")
    if f'"{wanted}-' not in header.read_text():
        raise DevError(f"the headers of {target.name} are not those of MariaDB {wanted}")
