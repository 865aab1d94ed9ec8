# SPDX-License-Identifier: GPL-2.0-only
"""The folder that debhelper works in: what was built, the files of packaging/, the programs of
programs/, a changelog."""

import os
import re
import shutil
from datetime import UTC, datetime
from pathlib import Path

from tools import paths, targets
from tools.package import changelog, neutral, origin
from tools.setup import cross

PACKAGING = paths.ROOT / "packaging"
FILES = ("rocksdb.cnf", "basalt.conf")
PROGRAMS = paths.ROOT / "programs"


def lay_out(products: tuple[Path, ...], folder: Path, target: targets.Target) -> None:
    """Fills a folder that does not exist yet."""
    shutil.copytree(PACKAGING / "debian", folder / "debian")
    for name in FILES:
        shutil.copy2(PACKAGING / name, folder / name)
    shutil.copytree(PROGRAMS, folder / PROGRAMS.name, ignore=shutil.ignore_patterns("__pycache__"))
    for product in products:
        neutral.make_copy(product, folder / product.name, target)
    (folder / "debian" / "changelog").write_text(changelog_text())
    for file in folder.rglob("*"):  # dpkg changes the time of newer files only
        os.utime(file, (origin.source_date(), origin.source_date()))


def changelog_text() -> str:
    return changelog.debian_changelog(
        (paths.ROOT / "CHANGELOG.md").read_text(),
        origin.package_version(),
        datetime.fromtimestamp(origin.source_date(), UTC),
        maintainer(),
    )


def maintainer() -> str:
    """Who the packages are from, as their control file says."""
    control = (PACKAGING / "debian" / "control").read_text()
    return re.search(r"^Maintainer: (.*)$", control, re.M)[1]


def has_address() -> bool:
    """Whether the maintainer's address can reach anybody; names below .invalid never do."""
    return not maintainer().endswith(".invalid>")


def environment(target: targets.Target) -> dict[str, str]:
    """What debhelper is told; nothing of the caller's environment changes a package."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
    libraries = [] if targets.is_host(target) else cross.library_dirs(target)
    return {
        **kept,
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "SOURCE_DATE_EPOCH": str(origin.source_date()),
        "SERVER_VERSION": origin.server_version(),
        "TARGET_LIBRARIES": ":".join(map(str, libraries)),
        "DEB_RULES_REQUIRES_ROOT": "no",
        # xz cuts its input by the number of threads
        "DPKG_DEB_THREADS_MAX": "1",
    }
