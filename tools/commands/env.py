# SPDX-License-Identifier: GPL-2.0-only
"""Prints NAME=VALUE lines for scripts: eval "$(./dev env | sed 's/^/export /')"."""

from tools import paths

HELP = "prints where the server, the client and the plugins are"


def add_arguments(parser) -> None:
    pass


def run(args) -> int:
    for name, value in paths.environment().items():
        print(f"{name}={value}")
    return 0
