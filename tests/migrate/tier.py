# SPDX-License-Identifier: GPL-2.0-only
"""basalt-migrate on private servers: what can move and what not, moves under load, killed, undone,
compared; a replica; dumps; a data directory of MyRocks."""

import shutil
from pathlib import Path

from tests.kit.check import Check, run_checks
from tests.kit.tier_result import TierResult
from tests.migrate import schema
from tests.migrate.dumps import Dumps
from tests.migrate.killed import Killed
from tests.migrate.manual import Manual
from tests.migrate.moved import Moved
from tests.migrate.opened import Opened
from tests.migrate.planned import Planned
from tests.migrate.program import Migrate
from tests.migrate.refusals import Refusals, other_engine
from tests.migrate.replicas import Replicas
from tests.migrate.secured import Secured
from tools import paths
from tools.server import PrivateServer, install_data_directory
from tools.setup import client_tools, debian

HELP = (
    "basalt-migrate: plans, moves under load, kills, the way back, replicas, dumps, MyRocks' data"
)
# of each large table: its move must take long enough to be killed in the middle
ROWS = 20_000
OPTIONS = [
    "--log-bin=binlog",
    "--server-id=1",
    "--default-storage-engine=InnoDB",
    "--innodb-flush-log-at-trx-commit=2",
    "--character-set-server=utf8mb4",
]


def run(args) -> TierResult:
    debian.install(debian.PROGRAM_PACKAGES, "to run programs/ as their users do")
    client_tools.install()
    result = TierResult("migrate", 0, 0, repeat_command="./dev test migrate")
    folder = paths.scratch() / "migrate"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    template = folder / "template"
    install_data_directory(template)
    shutil.copytree(template, folder / "data")
    on_one_server(folder, result, args.filter)
    with Replicas(folder, template) as replicas:
        run_checks(replicas.checks(), result, args.filter)
    with Secured(folder, template) as secured:
        run_checks(secured.checks(), result, args.filter)
    program = Migrate(folder, template / "none.sock")
    run_checks(Opened(folder, template, program).checks(), result, args.filter)
    if not result.failed:
        shutil.rmtree(folder, ignore_errors=True)
    return result


def on_one_server(folder: Path, result: TierResult, chosen: str | None) -> None:
    data = folder / "data"
    with PrivateServer(data, options=OPTIONS) as server:
        program = Migrate(folder, server.socket)
        schema.create_staying(server, folder / "elsewhere")
        schema.create_moving(server, "move")
        schema.create_large(server, "large", ROWS)
        checks = Planned(server, program).checks() + Moved(server, program).checks()
        checks += Killed(server, program).checks() + Refusals(server, program, folder).checks()
        checks += Dumps(server, program).checks() + Manual(program).checks()
        run_checks(checks, result, chosen)
    with PrivateServer(data, "innodb") as server:
        engine = Check("no engine: status 1", lambda: other_engine(server, program))
        run_checks([engine], result, chosen)
