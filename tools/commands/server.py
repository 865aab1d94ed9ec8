# SPDX-License-Identifier: GPL-2.0-only
"""A private server on a data directory, which is made if missing.

./dev server start DIR [--engine E] [--port N] [-- SERVER OPTIONS]
      starts it, waits until it answers, ends with the line `socket: PATH`
./dev server stop DIR           clean shutdown
./dev server sql DIR [-e SQL]   a SQL shell, or the statements and their exit status
"""

import os
import subprocess
from pathlib import Path

from tools import paths
from tools.errors import DevError
from tools.server import ENGINES, PrivateServer

HELP = "start, stop and ask a private server on a data directory"
REST = "after --"


def add_arguments(parser) -> None:
    actions = parser.add_subparsers(dest="action", required=True)
    start = actions.add_parser("start", help="start a server")
    start.add_argument("dir", type=Path)
    start.add_argument("--engine", choices=ENGINES, default="rocksdb", help="default engine")
    start.add_argument("--port", type=int, help="listen on 127.0.0.1 too")
    stop = actions.add_parser("stop", help="stop it cleanly")
    stop.add_argument("dir", type=Path)
    sql = actions.add_parser("sql", help="a SQL shell")
    sql.add_argument("dir", type=Path)
    sql.add_argument("-e", "--execute", help="run these statements and exit")
    sql.add_argument("-D", "--database", default="")


def run(args) -> int:
    return {"start": start, "stop": stop, "sql": sql}[args.action](args)


def start(args) -> int:
    server = PrivateServer(args.dir, args.engine, args.rest, port=args.port)
    if args.engine == "rocksdb" and not paths.plugin().exists():
        raise DevError("missing: our plugin; run ./dev build (or take --engine innodb)")
    server.start()
    print(f"pid: {server.pid}")
    print(f"error log: {server.error_log}")
    print(f"socket: {server.socket}")
    return 0


def stop(args) -> int:
    server = PrivateServer(args.dir)
    if not server.running():
        print(f"no server runs on {server.datadir}")
        return 0
    server.stop()
    return 0


def sql(args) -> int:
    server = PrivateServer(args.dir)
    if not server.running():
        raise DevError(f"no server runs on {server.datadir}; see ./dev server start --help")
    database = [args.database] if args.database else []
    if args.execute is None:
        command = server.client_command(*database)
        os.execv(command[0], command)
    return subprocess.run(server.client_command("-e", args.execute, *database)).returncode
