# SPDX-License-Identifier: GPL-2.0-only
"""The folder with all that `./dev package` makes: Debian packages and the tarball."""

import shutil
from pathlib import Path

from tools import paths
from tools.errors import DevError
from tools.package import debs, origin, tarball
from tools.setup import debian
from tools.setup.step import new_folder

PACKAGE = "mariadb-plugin-basalt"
OURS = (".deb", ".xz")


def check(output: Path) -> None:
    """DevError when there is nothing to make packages of, or `output` must not be replaced."""
    origin.check_plugin()
    origin.check_tag()
    origin.server_version()
    if output.exists() and any(f.suffix not in OURS for f in output.iterdir()):
        raise DevError(f"{output} holds more than packages; name another folder by --output")


def build(output: Path, plugin: Path | None = None) -> list[Path]:
    """Makes the folder `output`, which appears whole or not at all, and has nothing else in it;
    returns the paths of the files. `plugin`: default, the one of the release build."""
    check(output)
    debian.install(debs.DEBIAN_PACKAGES, "to build packages")
    with new_folder(output) as fresh:
        try:
            debs.build(plugin or paths.plugin(), fresh)
            tarball.build(deb(fresh, PACKAGE), fresh)
        except BaseException:
            shutil.rmtree(fresh)
            raise
    return sorted(output.iterdir())


def deb(folder: Path, package: str) -> Path:
    """The file of a Debian package in an output folder."""
    return folder / f"{package}_{origin.package_version()}_amd64.deb"
