# SPDX-License-Identifier: GPL-2.0-only
"""Long statements while others work. --filter takes the name of a part."""

import shutil

from tests.kit.tier_result import TierResult
from tests.online_ddl.killed import Killed
from tools import paths
from tools.server import PrivateServer

HELP = "long statements: KILL ends each of them and leaves nothing"


def run(args) -> TierResult:
    result = TierResult("online-ddl", 0, 0, repeat_command="./dev test online-ddl")
    folder = paths.scratch() / "online-ddl"
    shutil.rmtree(folder, ignore_errors=True)
    if not args.filter or args.filter in "killed":
        with PrivateServer(folder / "killed", "rocksdb", ["--secure-file-priv="]) as server:
            Killed(server, result, args.long).run()
    if not result.failed:
        shutil.rmtree(folder, ignore_errors=True)
    return result
