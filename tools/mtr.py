# SPDX-License-Identifier: GPL-2.0-only
"""The server's own test runner (mariadb-test-run.pl) with our plugin in the place of MyRocks'.

The runner takes everything from the installation it lies in. So it gets one made of links: the
unpacked server, but lib/mysql/plugin is our build's plugin folder (or Debian's, to run the peer),
and suite/basalt is tests/sql.
"""

import os
import shutil
import subprocess
from pathlib import Path

from tools import paths
from tools.setup.step import lock

SUITE = paths.ROOT / "tests" / "sql"

# MyRocks' suites skip everything when there is no program sst_dump, which Debian does not package.
# The one test that calls it (compact_deletes) is switched off in its own list.
SST_DUMP = """#!/bin/sh
echo "sst_dump: not packaged by Debian; use mariadb-ldb" >&2
exit 1
"""


def installation(engine: str = "rocksdb", variant: str = "") -> Path:
    """Where the installation of links is: 'rocksdb' has our plugin, 'myrocks' Debian's. A variant
    is one with other suites of plugins."""
    name = "usr" if engine == "rocksdb" else f"usr-{engine}"
    return paths.build_dir() / "mtr" / (f"{name}-{variant}" if variant else name)


def link_all(source: Path, target: Path, but: tuple[str, ...] = ()) -> None:
    """Fills the folder `target` with links to everything in `source` except the names in `but`."""
    target.mkdir(parents=True)
    for entry in source.iterdir():
        if entry.name not in but:
            (target / entry.name).symlink_to(entry)


def make_installation(engine: str = "rocksdb", variant: str = "") -> Path:
    """Makes the links; returns the mysql-test folder in them. Takes milliseconds, so it is done
    anew each time the server or the build has moved. A variant's folder `plugin`, the suites of
    plugins, is empty: the caller fills it."""
    usr, server = installation(engine, variant), paths.basedir()
    plugins = paths.plugin_dir() if engine == "rocksdb" else paths.debian_plugin_dir()
    stamp = usr / "made-for"
    wanted = f"{server}\n{plugins}\n{SUITE}\n{SST_DUMP}"
    tests = usr / "share" / "mysql" / "mysql-test"
    with lock("mtr"):
        if stamp.is_file() and stamp.read_text() == wanted:
            return tests
        shutil.rmtree(usr, ignore_errors=True)
        link_all(server, usr, but=("bin", "lib", "share"))
        link_all(server / "bin", usr / "bin")
        (usr / "bin" / "sst_dump").write_text(SST_DUMP)
        (usr / "bin" / "sst_dump").chmod(0o755)
        (usr / "lib" / "mysql").mkdir(parents=True)
        (usr / "lib" / "mysql" / "plugin").symlink_to(plugins)
        link_all(server / "share", usr / "share", but=("mysql",))
        link_all(server / "share" / "mysql", usr / "share" / "mysql", but=("mysql-test",))
        link_all(paths.mysql_test_dir(), tests, but=("suite", *(["plugin"] if variant else [])))
        (tests / "plugin").mkdir(exist_ok=True)
        link_all(paths.mysql_test_dir() / "suite", tests / "suite")
        (tests / "suite" / "basalt").symlink_to(SUITE)
        stamp.write_text(wanted)
    return tests


def command(arguments: list[str], vardir: Path) -> list[str]:
    """A command line of the runner; it must be run in the folder make_installation() returns."""
    return ["perl", "mariadb-test-run.pl", f"--vardir={vardir}", *arguments]


def environment() -> dict[str, str]:
    """The runner's environment: no option file or server of this machine leaks in."""
    return {n: v for n, v in os.environ.items() if not n.startswith(("MYSQL_", "MTR_"))}


def run(arguments: list[str], vardir: Path | None = None) -> int:
    """Runs it in the foreground; returns its status."""
    tests = make_installation()
    vardir = vardir or paths.build_dir() / "mtr" / "var"
    return subprocess.run(command(arguments, vardir), cwd=tests, env=environment()).returncode
