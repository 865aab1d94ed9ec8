# SPDX-License-Identifier: GPL-2.0-only
"""Builds mariadb-plugin-basalt and its debug symbols with debhelper."""

import shutil
import subprocess
from pathlib import Path

from tools.errors import DevError
from tools.package import origin, source
from tools.setup import debian
from tools.setup.step import new_folder

# dpkg-shlibdeps, dpkg-deb and readelf have come with the build tools
DEBIAN_PACKAGES = ["debhelper", "dpkg-dev", "binutils"]


def check(output: Path) -> None:
    """DevError when there is nothing to make packages of, or `output` must not be replaced."""
    origin.check_plugin()
    origin.server_version()
    if output.exists() and any(f.suffix != ".deb" for f in output.iterdir()):
        raise DevError(f"{output} holds more than packages; name another folder by --output")


def build(output: Path) -> list[Path]:
    """Makes the folder `output`, which appears whole or not at all, with the packages only; returns
    their paths. DevError as check()."""
    check(output)
    debian.install(DEBIAN_PACKAGES, "to build packages")
    with new_folder(output) as fresh:
        tree = fresh / "tree"
        source.lay_out(tree)
        done = subprocess.run(
            ["debian/rules", "binary"],
            cwd=tree,
            env=source.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        if done.returncode != 0:
            tail = "\n".join(done.stdout.splitlines()[-15:])
            shutil.rmtree(fresh)
            raise DevError(f"debhelper failed\n{tail}")
        shutil.rmtree(tree)
    return sorted(output.glob("*.deb"))
