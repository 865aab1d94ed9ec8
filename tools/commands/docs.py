# SPDX-License-Identifier: GPL-2.0-only
"""The pages as a site in build/site, with search, and their spelling. A warning is an error.

  ./dev docs              makes the site
  ./dev docs --serve      and serves it on loopback, which search needs
  ./dev docs --generate   writes the pages of docs/ that are made from a running server: variables,
                          status counters, INFORMATION_SCHEMA tables

The first run fetches MkDocs and its theme into the cache, and installs hunspell. A term that no
dictionary has gets its line in tools/website/terms.txt. --generate starts a server with our
plugin and one with stock MyRocks.
"""

HELP = "makes the site of all pages; --generate writes those made from a server"


def add_arguments(parser) -> None:
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--serve", action="store_true", help="serve the site on loopback")
    choice.add_argument("--generate", action="store_true", help="write the pages that are made")
    parser.add_argument("--port", type=int, default=8000, help="of --serve; 0: a free one")


def run(args) -> int:
    return generate() if args.generate else site(args.port if args.serve else None)


def generate() -> int:
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


def site(port: int | None) -> int:
    """`port`: where to serve it; None: it is only made."""
    from tools.setup import debian, website
    from tools.website import builder, dictionary, spelling

    website.install()
    debian.install(dictionary.DEBIAN_PACKAGES, "to check spelling")
    wrong = spelling.check() + dictionary.check()
    for finding in wrong:
        print(finding)
    count = builder.build()
    print(f"docs: {count} pages, {builder.folder() / 'index.html'}")
    if port is not None and not wrong:
        builder.serve(port)
    return 1 if wrong else 0
