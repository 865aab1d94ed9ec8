# SPDX-License-Identifier: GPL-2.0-only
"""The main job: a server with ROCKSDB as the default engine, real data in it, and a SQL shell.

Sets up and builds what is missing, starts a private server, loads this machine's Debian package
index (once; it is kept), shows what happened and opens a shell. The server stops with the shell.

  ./dev run                       all of it; without a terminal it shows and ends
  ./dev run -e "SELECT ..."       runs the statements: only their output is on standard output,
                                  and the exit status is the client's

The data directory is build/run unless --data says otherwise. Where a server already runs on it
(a second ./dev run), that one is used and left running.
"""

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

HELP = "sets up, builds, starts a server with sample data, opens a SQL shell"


def add_arguments(parser) -> None:
    parser.add_argument("-e", "--execute", metavar="SQL", help="run the statements and exit")
    parser.add_argument("--data", type=Path, metavar="DIR", help="data directory")
    parser.add_argument("--rebuild", action="store_true", help="load the sample data anew")


def run(args) -> int:
    from tools import build, paths
    from tools.server import PrivateServer

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the server is stopped too
    with contextlib.ExitStack() as stack:
        with output_to_stderr(args.execute is not None):
            build.build()
            server = PrivateServer(args.data or paths.build_root() / "run", "rocksdb")
            if not server.running():
                server.start()
                stack.callback(server.stop)
            load_sample(server, args.rebuild)
        if args.execute is None:
            show(server)
            if not (sys.stdin.isatty() and sys.stdout.isatty()):
                return 0
        return client(server, args.execute)


@contextlib.contextmanager
def output_to_stderr(wanted: bool):
    """While inside, what this process and its children write to stdout goes to stderr."""
    if not wanted:
        yield
        return
    sys.stdout.flush()
    saved = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(saved, 1)
        os.close(saved)


def say(message: str) -> None:
    print(f"run: {message}", flush=True)


def load_sample(server, anew: bool) -> None:
    """Loads the sample data unless the whole set is there; a lock keeps two runs apart."""
    import fcntl

    from tools import paths
    from tools.sample import loader

    with open(server.datadir / "sample.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if anew or not loader.complete(server):
            loaded = loader.load(server, paths.scratch() / f"sample-{os.getpid()}", say)
            say(
                f"{sum(loaded.rows.values()):,} rows, {loaded.read_seconds:.1f} s to read, "
                f"{loaded.load_seconds:.1f} s to load; bad lines: {loaded.complaints.summary()}"
            )


def show(server) -> None:
    """The report. The sizes are measured once a load and kept with the data."""
    from rich.console import Console

    from tools.sample import loader, questions, report, schema, sizes

    notes = loader.about(server)
    if "sizes" in notes:
        measured = sizes.Sizes.from_json(notes["sizes"])
    else:
        measured = sizes.measure(server, say)
        loader.note(server, sizes=measured.to_json())
    answers = questions.ask(server, schema.DATABASE)
    report.show(Console(), server, measured, answers)


def client(server, statements: str | None) -> int:
    """The client program on the sample database; returns its exit status. Ctrl-C is for the
    client alone."""
    from tools.sample import schema

    options = ["--default-character-set=utf8mb4"]
    if statements is not None:
        options += ["-e", statements]
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        command = server.client_command(*options, schema.DATABASE)
        return subprocess.run(command).returncode
    finally:
        signal.signal(signal.SIGINT, before)
