# SPDX-License-Identifier: GPL-2.0-only
"""Programs that look at a server: what goes on is shown, in a terminal and as JSON; what stands in
the way is said in a sentence."""

import shutil

from tests.console.busy import create
from tests.console.manual import Manual
from tests.console.program import Top
from tests.console.refusals import Refusals, other_engine
from tests.console.shown import Shown
from tests.console.terminal import Terminal
from tests.kit.check import Check, run_checks
from tests.kit.tier_result import TierResult
from tools import paths
from tools.server import PrivateServer
from tools.setup import debian

HELP = "basalt-top on a busy server, in a terminal, refused: with Debian's Python and packages"


def run(args) -> TierResult:
    debian.install(debian.PROGRAM_PACKAGES, "to run programs/ as their users do")
    result = TierResult("console", 0, 0, repeat_command="./dev test console")
    folder = paths.scratch() / "console"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    data = folder / "data"
    with PrivateServer(data, options=["--performance-schema=ON"]) as server:
        create(server)
        top = Top(folder, server.socket)
        checks = Shown(server, top).checks() + Refusals(server, top, folder).checks()
        checks += Manual(top).checks() + Terminal(server, top).checks()
        run_checks(checks, result, args.filter)
    with PrivateServer(data, "innodb") as server:
        engine = Check("no engine: status 1", lambda: other_engine(server, top))
        run_checks([engine], result, args.filter)
    if not result.failed:
        shutil.rmtree(folder, ignore_errors=True)
    return result
