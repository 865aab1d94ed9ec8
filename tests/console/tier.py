# SPDX-License-Identifier: GPL-2.0-only
"""Programs that look at a server: what goes on is shown, in a terminal and as JSON; what stands in
the way is said in a sentence."""

import shutil
from pathlib import Path

from tests.console.browser import PROGRAM, Browser
from tests.console.busy import create
from tests.console.gate import Gate, no_page
from tests.console.manual import Manual
from tests.console.page import Page
from tests.console.pictures import draw
from tests.console.program import Top
from tests.console.refusals import Refusals, other_engine
from tests.console.served import QUICK, Console
from tests.console.shown import Shown
from tests.console.terminal import Terminal
from tests.kit.check import Check, CheckFailed, count_failure, run_checks
from tests.kit.tier_result import TierResult
from tools import paths
from tools.server import PrivateServer
from tools.setup import debian

HELP = "basalt-top and the page of basalt-console in a browser: with Debian's Python and packages"


def add_arguments(group) -> None:
    group.add_argument(
        "--screenshots", action="store_true", help="only makes the pictures of docs/operate anew"
    )


def run(args) -> TierResult:
    debian.install(debian.PROGRAM_PACKAGES, "to run programs/ as their users do")
    result = TierResult("console", 0, 0, repeat_command="./dev test console")
    folder = paths.scratch() / "console"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    data = folder / "data"
    with PrivateServer(data, options=["--performance-schema=ON"]) as server:
        create(server)
        if args.screenshots:
            return draw(server, folder, result)
        top = Top(folder, server.socket)
        checks = Shown(server, top).checks() + Refusals(server, top, folder).checks()
        checks += Manual(top).checks()
        run_checks(checks, result, args.filter)
        check_page(server, folder, result, args.filter)
        run_checks(Terminal(server, top).checks(), result, args.filter)
    with PrivateServer(data, "innodb") as server:
        engine = Check("no engine: status 1", lambda: other_engine(server, top))
        page = Check("page: no engine: status 1", lambda: no_page(server, folder))
        run_checks([engine, page], result, args.filter)
    if not result.failed:
        shutil.rmtree(folder, ignore_errors=True)
    return result


def check_page(server: PrivateServer, folder: Path, result: TierResult, chosen: str | None) -> None:
    """Counts one failure when the program or the browser does not start."""
    debian.install([PROGRAM], "to show the page of basalt-console")
    try:
        with Console(folder, server.socket, *QUICK) as console, Browser(folder) as browser:
            checks = Gate(server, folder, console).checks()
            checks += Page(server, console, browser).checks()
            run_checks(checks, result, chosen)
    except CheckFailed as problem:
        count_failure("page: it is served and shown", str(problem), result)
