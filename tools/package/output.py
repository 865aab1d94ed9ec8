# SPDX-License-Identifier: GPL-2.0-only
"""The folder with all that `./dev package` makes: Debian packages and the tarball."""

import shutil
from pathlib import Path

from tools import build as builder
from tools import paths, targets
from tools.errors import DevError
from tools.package import debs, origin, tarball
from tools.setup import debian
from tools.setup.step import new_folder

PACKAGE = "mariadb-plugin-basalt"
TOOLS = "basalt-tools"
OURS = (".deb", ".xz")


def default(target: targets.Target) -> Path:
    """The folder when none is named."""
    name = "package" if targets.is_host(target) else f"package-{target.name}"
    return paths.build_root() / name


def check(output: Path, target: targets.Target) -> None:
    """DevError when there is nothing to make packages of, or `output` must not be replaced."""
    origin.check_products(target)
    origin.check_tag()
    origin.server_version()
    if output.exists() and any(f.suffix not in OURS for f in output.iterdir()):
        raise DevError(f"{output} holds more than packages; name another folder by --output")


def build(
    output: Path,
    products: tuple[Path, ...] | None = None,
    target: targets.Target | None = None,
) -> list[Path]:
    """Makes the folder `output`, which appears whole or not at all, and has nothing else in it;
    returns the paths of the files. `products`: default, those of the target's release build;
    `target`: default, this machine."""
    target = target or targets.host()
    check(output, target)
    debian.install(debs.DEBIAN_PACKAGES, "to build packages")
    with new_folder(output) as fresh:
        try:
            debs.build(products or paths.products(builder.variant_of(target)), fresh, target)
            tarball.build(deb(fresh, PACKAGE, target), fresh, target)
        except BaseException:
            shutil.rmtree(fresh)
            raise
    return sorted(output.iterdir())


def deb(folder: Path, package: str, target: targets.Target | None = None) -> Path:
    """The file of a Debian package in an output folder."""
    return folder / f"{package}_{origin.package_version()}_{(target or targets.host()).name}.deb"
