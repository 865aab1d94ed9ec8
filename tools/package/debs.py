# SPDX-License-Identifier: GPL-2.0-only
"""Builds mariadb-plugin-basalt, its debug symbols and basalt-tools with debhelper."""

import shutil
import subprocess
from pathlib import Path

from tools import targets
from tools.errors import DevError
from tools.package import neutral, source

# dpkg-shlibdeps and dpkg-deb have come with the build tools
DEBIAN_PACKAGES = ["debhelper", "dh-python", "dpkg-dev", *neutral.DEBIAN_PACKAGES]


def build(products: tuple[Path, ...], folder: Path, target: targets.Target) -> None:
    """Writes the packages into `folder`, made of `products`. DevError when debhelper says no."""
    tree = folder / "tree"
    source.lay_out(products, tree, target)
    done = subprocess.run(
        ["dpkg-architecture", "--host-arch", target.name, "--command", "debian/rules binary"],
        cwd=tree,
        env=source.environment(target),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    shutil.rmtree(tree)
    if done.returncode != 0:
        tail = "\n".join(done.stdout.splitlines()[-15:])
        raise DevError(f"debhelper failed\n{tail}")
