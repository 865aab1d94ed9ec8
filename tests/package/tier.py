# SPDX-License-Identifier: GPL-2.0-only
"""The Debian packages: made twice, taken apart, loaded; `--long` installs them in a bare Debian,
and makes and runs those for ARM64.

The short form needs no bare root, because making one takes longer than all its checks.
"""

import shutil

from tests.kit.check import run_checks
from tests.kit.tier_result import TierResult
from tests.package.built import BuiltPackages
from tests.package.contents import LINTIAN, Contents
from tests.package.life import Life
from tests.package.loading import Loading
from tests.package.other_processor import OtherProcessor
from tests.package.piuparts import Piuparts
from tests.package.programs import Programs
from tests.package.refusals import Refusals
from tests.package.tarball import SHELLCHECK, Tarball
from tests.package.units import PACKAGES as SYSTEMD
from tests.package.units import Units
from tests.package.unpacked import Unpacked
from tools import paths
from tools.package import debs
from tools.setup import debian

HELP = "Debian packages: same bytes, contents, lintian; --long: in a bare Debian 12, for ARM64"


def run(args) -> TierResult:
    result = TierResult("package", 0, 0, repeat_command="./dev test package")
    if args.long:
        result.repeat_command += " --long"
    folder = paths.scratch() / "package"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    needed = [*debs.DEBIAN_PACKAGES, *LINTIAN, *SHELLCHECK, *SYSTEMD, *debian.PROGRAM_PACKAGES]
    debian.install(needed, "to build and check packages")
    built = BuiltPackages(folder)
    checks = Contents(built).checks() + Loading(built, folder / "data").checks()
    checks += Programs(built).checks() + Units(built, folder / "units").checks()
    checks += Refusals(folder / "refused").checks()
    checks += Tarball(built, folder / "tarball", args.long, args.seed).checks()
    if args.long:
        life = Life(built, folder / "bare")
        checks += life.checks() + Unpacked(built, life.root).checks()
        checks += Piuparts(built, folder / "bare", life.made_template).checks()
        checks += OtherProcessor(folder / "arm64").checks()
    run_checks(checks, result, args.filter)
    if not result.failed:
        shutil.rmtree(folder, ignore_errors=True)
    return result
