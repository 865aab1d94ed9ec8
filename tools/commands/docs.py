# SPDX-License-Identifier: GPL-2.0-only
"""Writes the pages of docs/ that are made from a running server: variables, status counters,
INFORMATION_SCHEMA tables. It starts a server with our plugin and one with stock MyRocks.
"""

HELP = "writes the pages of docs/ that are made from a running server"


def add_arguments(parser) -> None:
    pass


def run(args) -> int:
    from tests.surface import pages
    from tests.surface import tier as surface
    from tools import build, paths

    build.build()
    ours, theirs = surface.pictures()
    for name, text in pages.pages(ours, theirs).items():
        path = paths.ROOT / name
        if path.exists() and path.read_text() == text:
            continue
        path.write_text(text)
        print(f"wrote {name}")
    return 0
