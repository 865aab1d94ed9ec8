# SPDX-License-Identifier: GPL-2.0-only
"""Makes packages of the release build: Debian packages of the plugin and of its debug symbols, and
a tarball with an `install` script. Brings that build up to date, but does not make one.

The package fits exactly the server version that the plugin was built for, and says so. The same
plugin and commit give the same bytes. packaging/README.md tells what is inside.
"""

from pathlib import Path

from tools import paths

HELP = "makes Debian packages and a tarball of what ./dev build has built"


def add_arguments(parser) -> None:
    parser.add_argument(
        "--output", type=Path, help="the folder for the packages; default: build/package"
    )


def run(args) -> int:
    from tools import build
    from tools.package import output as output_folder
    from tools.package import source

    output = (args.output or paths.build_root() / "package").absolute()
    output_folder.check(output)
    build.build()  # a package of an old build would be a surprise
    for package in output_folder.build(output):
        print(f"{package} ({package.stat().st_size / 1e6:.1f} MB)")
    if not source.has_address():
        print("before you publish them: write your address into packaging/debian/control")
    return 0
