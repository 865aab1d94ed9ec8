# SPDX-License-Identifier: GPL-2.0-only
"""Makes packages of the release build: Debian packages of the plugin, of its debug symbols and of
the programs of programs/, and a tarball with an `install` script. Brings that build up to date, but
does not make one.

`--target NAME` makes those of another processor family, of what ./dev build --target has built.

The package fits exactly the server version that the plugin was built for, and says so. The same
plugin and commit give the same bytes. packaging/README.md tells what is inside.
"""

from pathlib import Path

from tools import targets

HELP = "makes Debian packages and a tarball of what ./dev build has built"


def add_arguments(parser) -> None:
    parser.add_argument(
        "--output",
        type=Path,
        help="the folder for the packages; default: build/package, or build/package-TARGET",
    )
    parser.add_argument("--target", choices=tuple(targets.TARGETS), help="default: this machine")


def run(args) -> int:
    from tools import build
    from tools.package import output as output_folder
    from tools.package import source

    target = targets.TARGETS[args.target] if args.target else targets.host()
    output = (args.output or output_folder.default(target)).absolute()
    output_folder.check(output, target)
    build.build(variant=build.variant_of(target))  # one of an old build would be a surprise
    for package in output_folder.build(output, target=target):
        print(f"{package} ({package.stat().st_size / 1e6:.1f} MB)")
    if not source.has_address():
        print("before you publish them: write your address into packaging/debian/control")
    return 0
