# SPDX-License-Identifier: GPL-2.0-only
"""The private server: Debian's binary packages, and headers of exactly the same version.

A plugin shares C++ classes with the server, whose headers Debian does not package; they come from
the source (server_source.py). So the newest version is taken of which both can be had. A version
can be listed whose source file is gone from the mirror, hence each candidate is really tried.
BASALT_MARIADB_SOURCE gives the source of such a version, BASALT_MARIADB_VERSION picks a version.
"""

import functools
import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from tools import paths
from tools.errors import DevError
from tools.setup import debian, server_source
from tools.setup.step import lock, log_end, log_file, new_folder, quiet, say

SERIES = "10.11."
PACKAGES = [
    "mariadb-server",
    "mariadb-server-core",
    "mariadb-client",
    "mariadb-client-core",
    "mariadb-common",
    "mariadb-test",
    "mariadb-test-data",
    "mariadb-plugin-rocksdb",
    "mariadb-backup",
    "libmariadb3",
    "libmariadb-dev",
    "libmariadbd-dev",
    "libmariadbd19",
]


def home(version: str) -> Path:
    """Everything of one version; `version` without its epoch."""
    return paths.cache() / "server" / version


def is_complete(version: str) -> bool:
    return bool(version) and (home(version) / "complete").is_file()


def complete() -> bool:
    """True when the version in use is there, and is of the source that is given, if one is."""
    version, source = paths.server_version(), server_source.given()
    if not is_complete(version) or source is None:
        return is_complete(version)
    seen = home(version) / "given-source"
    return seen.is_file() and seen.read_text() == server_source.identity(source)


def install() -> None:
    """Makes the chosen version complete, choosing one if none was chosen yet."""
    if not complete():
        with lock("mariadb"):
            if not complete():
                make()
    say((paths.server_home() / "complete").read_text().strip())
    server_source.keep(paths.server_home())


def make() -> None:
    """Makes a version complete and selects it, unless BASALT_MARIADB_VERSION does."""
    source, wanted = server_source.given(), os.environ.get("BASALT_MARIADB_VERSION", "")
    release = server_source.release(source) if source else ""
    check_wanted(source, release, wanted)
    plain = made_before(release, wanted) or set_up(source, release, wanted)
    if source:
        (home(plain) / "given-source").write_text(server_source.identity(source))
    if not wanted:
        select(plain)


def check_wanted(source: Path | None, release: str, wanted: str) -> None:
    """DevError when source and version are of different releases, or of another series."""
    plain = plain_version(wanted)
    if wanted and not plain.startswith(SERIES):
        raise DevError(f"BASALT_MARIADB_VERSION={wanted} is no MariaDB {SERIES}*, the only series")
    if release and not release.startswith(SERIES):
        raise DevError(f"{source} is MariaDB {release}; Basalt is for {SERIES}* only")
    if wanted and release and release != release_of(plain):
        raise DevError(
            f"{source} is MariaDB {release}, and BASALT_MARIADB_VERSION={wanted} asks for "
            f"{release_of(plain)}: a plugin built from both would crash the server"
        )


def plain_version(version: str) -> str:
    """A Debian version without its epoch."""
    return version.split(":", 1)[-1]


def release_of(version: str) -> str:
    """MariaDB's own part of a Debian version: 10.11.18 of 1:10.11.18-0+deb12u1."""
    return re.split(r"[-+~]", plain_version(version), maxsplit=1)[0]


def made_before(release: str, wanted: str) -> str:
    """The newest version of the given source's release that is complete, '' for none. The source
    itself is not read again then."""
    there = [path.parent.name for path in (paths.cache() / "server").glob("*/complete")]
    there = [v for v in there if release and release_of(v) == release]
    there = [v for v in there if wanted == "" or plain_version(wanted) == v]
    found = newest_first(there)
    return found[0] if found else ""


def set_up(source: Path | None, release: str, wanted: str) -> str:
    """Downloads, unpacks and checks a version; returns it."""
    apt = debian.PrivateApt()
    apt.update()
    version, source, reason = choose(apt, source, release, wanted)
    plain = plain_version(version)
    if is_complete(plain):
        return plain
    downloads = download_folder(plain)
    download_binaries(apt, version, downloads)
    install_libraries(downloads)
    say("unpacking")
    with new_folder(home(plain)) as fresh:
        unpack(downloads, fresh)
        server_source.copy(source, fresh)
        check_versions(fresh)
        (fresh / "complete").write_text(f"MariaDB {plain} is there ({reason})\n")
    shutil.rmtree(downloads)
    return plain


def download_folder(plain: str) -> Path:
    folder = paths.cache() / "downloads" / plain
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def select(version: str) -> None:
    """Makes a version the one in use."""
    fresh = paths.cache() / "server" / ".new-selected"
    fresh.write_text(version + "\n")
    fresh.rename(paths.cache() / "server" / "selected")


def binaries(apt: debian.PrivateApt) -> list[str]:
    """Versions of the series of which all binary packages are listed, the newest first."""
    listed: list[set[str]] = []
    for package in PACKAGES:
        rows = [r.split("|") for r in apt.output("madison", package).splitlines()]
        listed.append({r[1].strip() for r in rows if len(r) == 3 and "Packages" in r[2]})
    versions = set.intersection(*listed)
    return newest_first(v for v in versions if plain_version(v).startswith(SERIES))


def newest_first(versions: Iterable[str]) -> list[str]:
    return sorted(versions, key=functools.cmp_to_key(compare), reverse=True)


def compare(a: str, b: str) -> int:
    """dpkg's order of two versions."""
    if a == b:
        return 0
    return 1 if subprocess.run(["dpkg", "--compare-versions", a, "gt", b]).returncode == 0 else -1


def choose(
    apt: debian.PrivateApt, source: Path | None, release: str, wanted: str
) -> tuple[str, Path, str]:
    """(version with epoch, its source, why this one). DevError when there is none."""
    listed = binaries(apt)
    versions = [v for v in listed if wanted in ("", v, plain_version(v))]
    versions = [v for v in versions if release in ("", release_of(v))]
    if not versions:
        asked = f"BASALT_MARIADB_VERSION={wanted}" if wanted else f"MariaDB {release or SERIES}"
        there = ", ".join(map(plain_version, listed)) or "none"
        raise DevError(
            f"{asked}: Debian's lists have no binary packages of it; of MariaDB {SERIES}* they "
            f"have {there}"
        )
    if source:
        say(f"MariaDB {plain_version(versions[0])}: headers of {source}")
        return versions[0], source, f"headers of {source}"
    return first_with_source(apt, versions, wanted)


def first_with_source(
    apt: debian.PrivateApt, versions: list[str], wanted: str
) -> tuple[str, Path, str]:
    """As choose(): the first version whose source is at hand or can be downloaded."""
    passed_over: list[str] = []
    for version in versions:
        plain = plain_version(version)
        found, trouble = find_source(apt, version)
        if found:
            why = "asked for by BASALT_MARIADB_VERSION" if wanted else explain(passed_over)
            say(f"MariaDB {plain}: {why}")
            return version, found, why
        passed_over.append(f"{plain} is listed, but its source {trouble}")
        say(passed_over[-1])
        shutil.rmtree(paths.cache() / "downloads" / plain, ignore_errors=True)
    raise DevError(
        f"missing: MariaDB's source: {'; '.join(passed_over)}\n{log_end('source')}\n"
        f"  Give the source of exactly one of these releases: {server_source.VARIABLE}=DIR|TARBALL"
    )


def find_source(apt: debian.PrivateApt, version: str) -> tuple[Path | None, str]:
    """(a version's source, None and why not): what an earlier set-up has left, else Debian's."""
    plain = plain_version(version)
    if is_complete(plain):
        return home(plain) / "source", ""
    if server_source.kept(plain).is_file():
        say(f"MariaDB {plain}: headers were kept in {server_source.kept(plain)}")
        return server_source.kept(plain), ""
    if version not in re.findall(r"^Version: (\S+)$", apt.output("showsrc", "mariadb"), re.M):
        return None, "is not listed"
    say(f"trying MariaDB {plain}: downloading its source package")
    downloads = download_folder(plain)
    command = ("source", "--download-only", f"mariadb={version}")
    if not apt.get(*command, folder=downloads, log="source"):
        return None, failure("source")
    return unpack_source(downloads), ""


def unpack_source(downloads: Path) -> Path:
    tree = downloads / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    [description] = downloads.glob("*.dsc")
    # apt has checked the hashes of all files against the signed lists
    command = ["dpkg-source", "--no-check", "-x", str(description), str(tree)]
    if not quiet(command, "unpack-source"):
        raise DevError(f"the source package does not unpack\n{log_end('unpack-source')}")
    return tree


def explain(passed_over: list[str]) -> str:
    why = "the newest version with both binaries and source"
    return why + (f"; {'; '.join(passed_over)}" if passed_over else "")


def failure(log: str) -> str:
    """One line about why a download failed."""
    text = log_file(log).read_text(errors="replace")
    # apt: "Err:1 ...\n  404  Not Found [IP: ...]"
    match = re.search(r"^(?:E:.*?)?\s+(\d{3}) +([A-Z][A-Za-z ]*[a-z])", text, re.M)
    reason = " ".join(match.groups()) if match else f"see {log_file(log)}"
    return f"cannot be downloaded ({reason})"


def download_binaries(apt: debian.PrivateApt, version: str, folder: Path) -> None:
    say(f"downloading {len(PACKAGES)} binary packages")
    if not apt.get(
        "download", *[f"{p}={version}" for p in PACKAGES], folder=folder, log="download"
    ):
        raise DevError(
            "missing: the server's packages (is the Debian mirror in reach?)\n"
            + log_end("download")
        )


def install_libraries(folder: Path) -> None:
    """Installs the shared libraries the server's programs need, and perl for its test runner;
    nothing else of what the packages depend on."""
    needed = {"perl"}
    for deb in folder.glob("*.deb"):
        for field in ("Depends", "Pre-Depends"):
            done = subprocess.run(
                ["dpkg-deb", "-f", deb, field], capture_output=True, text=True, check=True
            )
            for dependency in done.stdout.split(","):
                name = re.split(r"[\s(|:]", dependency.strip(), maxsplit=1)[0]
                if re.fullmatch(r"lib[a-z0-9.+-]*\d\S*", name) and not name.endswith("-perl"):
                    needed.add(name)
    debian.install(sorted(needed - set(PACKAGES)), "libraries of the server")


def unpack(downloads: Path, fresh: Path) -> None:
    """Fills root/ of a version's folder."""
    for deb in sorted(downloads.glob("*.deb")):
        subprocess.run(["dpkg-deb", "-x", deb, fresh / "root"], check=True)


def check_versions(fresh: Path) -> None:
    """DevError unless the source and the generated headers are of one patch release."""
    source = server_source.release(fresh / "source")
    header = fresh / "root" / "usr" / "include" / "mariadb" / "server" / "mysql_version.h"
    match = re.search(r'MYSQL_SERVER_VERSION\s+"(\d+\.\d+\.\d+)', header.read_text())
    if not match or match.group(1) != source:
        raise DevError(f"the source is {source}, the headers are {match and match.group(1)}")
