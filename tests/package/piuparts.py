# SPDX-License-Identifier: GPL-2.0-only
"""Debian's piuparts on the packages: installed, removed, purged, also installed again where only
the option file is left; nothing of them may stay, and nothing else may be changed."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.kit.check import Check, expect
from tests.package.built import BuiltPackages
from tests.package.installed import write_pin
from tools.setup import debian

DEBIAN_PACKAGES = ["piuparts"]
# No eatmydata: it is not in the bare system. No upgrade: no repository has an older version.
OPTIONS = ["--keep-sources-list", "--no-eatmydata", "--no-upgrade-test", "--warn-on-others"]
COURSES = ([], ["--install-remove-install"])


class Piuparts:
    """`template` makes the bare system as a tar file, where it is not there yet."""

    def __init__(self, built: BuiltPackages, folder: Path, template: Callable[[], Path]):
        self.built = built
        self.system = folder / "piuparts"
        self.template = template

    def checks(self) -> list[Check]:
        return [Check("bare root: piuparts", self.piuparts)]

    def piuparts(self) -> None:
        template = self.template()
        debian.install(DEBIAN_PACKAGES, "to test packages")
        self.system.mkdir()
        subprocess.run(["tar", "-C", self.system, "-xf", template], check=True)
        write_pin(self.system, self.built.server_version)
        for course in COURSES:
            self.run(course)
        shutil.rmtree(self.system)

    def run(self, course: list[str]) -> None:
        """In process numbers and mounts of its own, which end with it."""
        command = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
        command += ["piuparts", "-d", debian.codename(), "--existing-chroot", str(self.system)]
        command += ["--tmpdir", str(self.system.parent), *OPTIONS, *course]
        command += map(str, (self.built.plugin, self.built.tools))
        done = subprocess.run(command, capture_output=True, text=True)
        said = done.stdout + done.stderr
        expect(done.returncode == 0, f"{course}: {said[-4000:]}")
        expect("PASS: Installation and purging" in said, f"{course}: {said[-2000:]}")
