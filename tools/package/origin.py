# SPDX-License-Identifier: GPL-2.0-only
"""What a package is made of: the products of the release build, and what is known about them.

Each function raises DevError with one sentence that says what to do.
"""

import gzip
import os
import re
import subprocess
from pathlib import Path

from tools import build, paths, targets
from tools.errors import DevError


def check_products(target: targets.Target) -> None:
    """DevError unless the target's release build has them, for the server of the set-up."""
    variant = build.variant_of(target)
    missing = [product for product in paths.products(variant) if not product.is_file()]
    command = "./dev build" + ("" if targets.is_host(target) else f" --target {target.name}")
    settings = paths.build_dir(variant) / "basalt-settings"
    if missing or not settings.is_file():
        raise DevError(f"missing: {[*missing, settings][0]}; run {command}")
    if not paths.server_version():
        raise DevError("missing: the private server; run ./dev setup")
    built_for = re.search(r"^BASALT_SERVER_HOME=(.*)$", settings.read_text(), re.M)[1]
    if built_for != str(build.server_home(target)):
        raise DevError(
            f"the plugin was built for MariaDB {Path(built_for).name}, the package is wanted for"
            f" {paths.server_version()}; run {command}"
        )


def basalt_version() -> str:
    """The version of the project, which stands in CMakeLists.txt."""
    text = (paths.ROOT / "CMakeLists.txt").read_text()
    return re.search(r"^project\(basalt VERSION ([0-9.]+) ", text, re.M)[1]


def check_tag() -> None:
    """DevError when the commit has the tag of a release of another version."""
    command = ["git", "-C", str(paths.ROOT), "tag", "--points-at", "HEAD", "v[0-9]*"]
    tags = subprocess.run(command, capture_output=True, text=True).stdout.split()
    own = f"v{basalt_version()}"
    if tags and own not in tags:
        raise DevError(
            f"this commit is tagged {tags[0]}, CMakeLists.txt says {own}: set the version there,"
            " commit, and move the tag"
        )


def server_version() -> str:
    """The server's version with its epoch, e.g. '1:10.11.18-0+deb12u1', as its package says."""
    changelog = paths.server_root() / "usr/share/doc/mariadb-server-core" / "changelog.Debian.gz"
    try:
        with gzip.open(changelog, "rt") as text:
            version = re.match(r"mariadb \((\S+)\)", text.readline())
    except OSError:
        version = None
    if not version or version[1].split(":", 1)[-1] != paths.server_version():
        raise DevError(
            f"{changelog} does not name the version {paths.server_version()}: packages are built"
            " for a server out of Debian's packages only; run ./dev setup"
        )
    return version[1]


def package_version() -> str:
    """Both versions in one, the project's first: '0.1+10.11.18-0+deb12u1'."""
    return f"{basalt_version()}+{server_version().split(':', 1)[-1]}"


def source_date() -> int:
    """The time that all files of a package carry, in seconds since 1970: SOURCE_DATE_EPOCH, else
    the time of the last commit."""
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    if given.isdigit():
        return int(given)
    command = ["git", "-C", str(paths.ROOT), "log", "-1", "--format=%ct"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0 or not done.stdout.strip():
        raise DevError("this tree has no commit to take the time from; set SOURCE_DATE_EPOCH")
    return int(done.stdout)
