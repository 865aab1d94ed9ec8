# SPDX-License-Identifier: GPL-2.0-only
"""Finds the command that was asked for and runs it.

A command is a module tools/commands/NAME.py; dropping a file there adds it. It defines
    HELP                        one line for `./dev help`
    def add_arguments(parser)   its options, on an argparse parser
    def run(args) -> int        does it; returns the exit status
    REST = "after --"           optional: what follows a lone `--` comes unparsed as args.rest
    REST = "all"                optional: everything comes unparsed as args.rest, --help too
and imports what is heavy (matplotlib, rich, ...) inside run, since every ./dev call loads it.
A command that cannot go on raises DevError with one clear message; no traceback is shown then.
"""

import argparse
import importlib
import pkgutil
import subprocess
import sys

import tools.commands
from tools.errors import DevError

ORDER = (
    "setup",
    "build",
    "run",
    "test",
    "server",
    "mtr",
    "bench",
    "package",
    "env",
    "docs",
    "fmt",
    "lint",
    "ci",
)


def command_names() -> list[str]:
    """All commands, the ones of ORDER first."""
    found = [m.name for m in pkgutil.iter_modules(tools.commands.__path__)]
    return sorted(found, key=lambda n: (ORDER.index(n) if n in ORDER else len(ORDER), n))


def load(name: str):
    """The module of one command."""
    return importlib.import_module(f"tools.commands.{name}")


def overview() -> str:
    """The text of `./dev help`."""
    lines = ["usage: ./dev COMMAND [OPTIONS]     (./dev COMMAND --help tells more)", ""]
    lines += [f"  {name:<8} {load(name).HELP}" for name in command_names()]
    return "\n".join(lines)


def main(argv: list[str]) -> int:
    """Runs one command line; returns the exit status."""
    sys.stdout.reconfigure(line_buffering=True)
    if not argv or argv[0] in ("help", "-h", "--help"):
        print(overview())
        return 0
    name, rest = argv[0], argv[1:]
    if name not in command_names():
        print(f"dev: no command '{name}'\n\n{overview()}", file=sys.stderr)
        return 2
    module = load(name)
    parser = argparse.ArgumentParser(
        prog=f"./dev {name}",
        description=module.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    module.add_arguments(parser)
    unparsed: list[str] = []
    kind = getattr(module, "REST", "")
    if kind == "all":
        rest, unparsed = [], rest
    elif kind and "--" in rest:
        cut = rest.index("--")
        rest, unparsed = rest[:cut], rest[cut + 1 :]
    args = parser.parse_args(rest)
    args.rest = unparsed
    try:
        return int(module.run(args) or 0)
    except DevError as error:
        print(f"dev: {error}", file=sys.stderr)
        return error.status
    except subprocess.CalledProcessError as error:
        command = error.cmd if isinstance(error.cmd, str) else " ".join(map(str, error.cmd))
        print(f"dev: failed with status {error.returncode}: {command}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        return 1
    except KeyboardInterrupt:
        print("dev: interrupted", file=sys.stderr)
        return 130
