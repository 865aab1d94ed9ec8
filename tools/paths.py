# SPDX-License-Identifier: GPL-2.0-only
"""Where things are: the clone, the cache, the unpacked server, RocksDB, the build.

Nothing here makes or checks anything, so it is cheap and safe to call before `./dev setup`.
Layout of the cache (BASALT_CACHE, else XDG_CACHE_HOME/basalt, else ~/.cache/basalt):
    python/HASH/                  private Python environment (made by the script ./dev)
    apt/                          private package lists, so that the system's stay as they are
    server/selected               the server version the last set-up chose
    server/VERSION/root/          Debian's server, client, tests and peer plugins, unpacked
    server/VERSION/source/        headers of exactly that version from its source
    server/VERSION/generated/     headers generated from them
    cross/TARGET/VERSION/         the same for another processor family, its headers as links
    headers/                      of each version set up, its private headers as an archive
    rocksdb/VERSION-HASH/         include/ and lib/librocksdb.a; HASH covers version and flags
    jemalloc/VERSION-HASH/        include/ and lib/libjemalloc_pic.a
    spider-VERSION/               Debian's engine Spider of that version, for the tier cluster
    website/                      what makes the site of ./dev docs
    clang-tidy/                   which sources clang-tidy has passed
    articles/                     articles of English prose for the benchmark full_text
    applications/                 applications whose schemas the tier foreign-keys creates
    locks/                        one lock file a step
"""

import os
from pathlib import Path

from tools import targets

ROOT = Path(__file__).resolve().parent.parent


def cache() -> Path:
    """The folder shared by all clones of this user, by its real path: the compiler takes that for
    headers where it is shorter than a path over a link, and a package would tell it."""
    if os.environ.get("BASALT_CACHE"):
        return Path(os.environ["BASALT_CACHE"]).expanduser().resolve()
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return (Path(base) / "basalt").resolve()


def build_root() -> Path:
    """All build trees of this clone; BASALT_BUILD moves them."""
    if os.environ.get("BASALT_BUILD"):
        return Path(os.environ["BASALT_BUILD"]).expanduser().absolute()
    return ROOT / "build"


def build_dir(variant: str = "release") -> Path:
    """One CMake build tree: 'release', 'asan', 'tsan', or that of another target, by its name."""
    return build_root() / variant


def scratch() -> Path:
    """Short-lived data of tests and runs of this clone; removed freely."""
    return build_root() / "scratch"


def server_version() -> str:
    """The Debian version in use without its epoch, e.g. '10.11.18-0+deb12u1'; '' before set-up."""
    wanted = os.environ.get("BASALT_MARIADB_VERSION", "")
    if wanted:
        return wanted.split(":", 1)[-1]
    selected = cache() / "server" / "selected"
    return selected.read_text().strip() if selected.is_file() else ""


def server_home() -> Path:
    """Everything of the chosen server version."""
    return cache() / "server" / (server_version() or "none")


def server_root() -> Path:
    """The folder into which the Debian packages are unpacked."""
    return server_home() / "root"


def basedir() -> Path:
    """The server's --basedir."""
    return server_root() / "usr"


def mariadbd() -> Path:
    return basedir() / "sbin" / "mariadbd"


def client(name: str = "mariadb") -> Path:
    """One of the client programs: mariadb, mariadb-admin, mariadb-dump, ..."""
    return basedir() / "bin" / name


def lc_messages_dir() -> Path:
    return basedir() / "share" / "mysql"


def mysql_test_dir() -> Path:
    return basedir() / "share" / "mysql" / "mysql-test"


def mtr_script() -> Path:
    return mysql_test_dir() / "mariadb-test-run.pl"


def debian_plugin_dir() -> Path:
    """Debian's own plugins; the ha_rocksdb.so in there is stock MyRocks, the peer."""
    return basedir() / "lib" / "mysql" / "plugin"


def plugin_dir(variant: str = "release") -> Path:
    """Our build's plugin folder: our ha_rocksdb.so and links to Debian's other plugins."""
    return build_dir(variant) / "plugin"


def plugin(variant: str = "release") -> Path:
    return plugin_dir(variant) / "ha_rocksdb.so"


def table_file_checker(variant: str = "release") -> Path:
    """Our program that checks the blocks of table files."""
    return build_dir(variant) / "programs" / "basalt-check-table-files"


def database_keeper(variant: str = "release") -> Path:
    """Our program that takes databases out of a checkpoint."""
    return build_dir(variant) / "programs" / "basalt-keep-databases"


def products(variant: str = "release") -> tuple[Path, ...]:
    """What a package is made of."""
    return plugin(variant), table_file_checker(variant), database_keeper(variant)


def library_dir() -> Path:
    """Shared libraries among the unpacked packages (libmariadb3, libmariadbd19)."""
    return basedir() / "lib" / targets.host().triple


def environment() -> dict[str, str]:
    """What `./dev env` prints."""
    return {
        "BASALT_MARIADBD": str(mariadbd()),
        "BASALT_CLIENT": str(client()),
        "BASALT_PLUGIN_DIR": str(plugin_dir()),
        "BASALT_BASEDIR": str(basedir()),
        "BASALT_MTR": str(mtr_script()),
        "BASALT_MYROCKS_PLUGIN_DIR": str(debian_plugin_dir()),
    }
