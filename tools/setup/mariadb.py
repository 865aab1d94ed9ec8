# SPDX-License-Identifier: GPL-2.0-only
"""The private server: Debian's binary packages, and headers of exactly the same version.

A plugin shares C++ classes with the server, whose headers Debian does not package; they come from
the source package. So the newest version is taken of which both can be had. A version can be
listed whose source file is gone from the mirror, hence each candidate is really tried.
"""

import functools
import os
import re
import shutil
import subprocess
from pathlib import Path

from tools import paths
from tools.errors import DevError
from tools.setup import debian
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
# of the source package
HEADERS = ["sql", "include", "wsrep-lib", "VERSION", "scripts/dheadgen.pl"]


def home(version: str) -> Path:
    """Everything of one version; `version` without its epoch."""
    return paths.cache() / "server" / version


def complete() -> bool:
    return bool(paths.server_version()) and (paths.server_home() / "complete").is_file()


def install() -> None:
    """Makes the chosen version complete, choosing one if none was chosen yet."""
    if complete():
        say((paths.server_home() / "complete").read_text().strip())
        return
    with lock("mariadb"):
        if complete():
            return
        apt = debian.PrivateApt()
        apt.update()
        version, downloads, reason = choose(apt, os.environ.get("BASALT_MARIADB_VERSION", ""))
        download_binaries(apt, version, downloads)
        install_libraries(downloads)
        plain = version.split(":", 1)[-1]
        with new_folder(home(plain)) as fresh:
            unpack(downloads, fresh)
            generate_headers(fresh)
            check_versions(fresh)
            (fresh / "complete").write_text(reason + "\n")
        shutil.rmtree(downloads)
        if not os.environ.get("BASALT_MARIADB_VERSION"):
            select(plain)


def select(version: str) -> None:
    """Makes a version the one in use."""
    fresh = paths.cache() / "server" / ".new-selected"
    fresh.write_text(version + "\n")
    fresh.rename(paths.cache() / "server" / "selected")


def candidates(apt: debian.PrivateApt) -> list[str]:
    """Versions of the series listed both as binaries and as source, the newest first."""
    listed: list[set[str]] = []
    for package in PACKAGES:
        rows = [r.split("|") for r in apt.output("madison", package).splitlines()]
        listed.append({r[1].strip() for r in rows if len(r) == 3 and "Packages" in r[2]})
    sources = set(re.findall(r"^Version: (\S+)$", apt.output("showsrc", "mariadb"), re.M))
    both = set.intersection(sources, *listed)
    versions = [v for v in both if v.split(":", 1)[-1].startswith(SERIES)]
    return sorted(versions, key=functools.cmp_to_key(compare), reverse=True)


def compare(a: str, b: str) -> int:
    """dpkg's order of two versions."""
    if a == b:
        return 0
    return 1 if subprocess.run(["dpkg", "--compare-versions", a, "gt", b]).returncode == 0 else -1


def choose(apt: debian.PrivateApt, wanted: str) -> tuple[str, Path, str]:
    """(version with epoch, folder with its source files, why this one)."""
    versions = candidates(apt)
    if wanted:
        versions = [v for v in versions if wanted in (v, v.split(":", 1)[-1])]
        if not versions:
            raise DevError(f"BASALT_MARIADB_VERSION={wanted}: no such version in Debian's lists")
    passed_over = []
    for version in versions:
        plain = version.split(":", 1)[-1]
        downloads = paths.cache() / "downloads" / plain
        downloads.mkdir(parents=True, exist_ok=True)
        say(f"trying MariaDB {plain}: downloading its source package")
        if apt.get(
            "source", "--download-only", f"mariadb={version}", folder=downloads, log="source"
        ):
            why = "asked for by BASALT_MARIADB_VERSION" if wanted else explain(passed_over)
            say(f"MariaDB {plain}: {why}")
            return version, downloads, f"MariaDB {plain} is there ({why})"
        passed_over.append(f"{plain} is listed, but its source {failure('source')}")
        say(passed_over[-1])
        shutil.rmtree(downloads)
    tried = "; ".join(passed_over) or f"no version {SERIES}* has both binaries and source listed"
    raise DevError(f"missing: MariaDB's source package: {tried}\n{log_end('source')}")


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
    """Fills root/ and source/ of a version's folder."""
    say("unpacking")
    for deb in sorted(downloads.glob("*.deb")):
        subprocess.run(["dpkg-deb", "-x", deb, fresh / "root"], check=True)
    tree = downloads / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    [description] = downloads.glob("*.dsc")
    # apt has checked the hashes of all files against the signed lists
    command = ["dpkg-source", "--no-check", "-x", str(description), str(tree)]
    if not quiet(command, "unpack-source"):
        raise DevError(f"the source package does not unpack\n{log_end('unpack-source')}")
    for name in HEADERS:
        target = fresh / "source" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if (tree / name).is_dir():
            shutil.copytree(tree / name, target, symlinks=True)
        else:
            shutil.copy2(tree / name, target)
    shutil.rmtree(tree)


def generate_headers(fresh: Path) -> None:
    """probes_mysql_nodtrace.h, which the server's build makes from a list of trace points."""
    folder = fresh / "generated"
    folder.mkdir()
    points = folder / "probes_mysql.d"
    shutil.copy2(fresh / "source" / "include" / "probes_mysql.d.base", points)
    with open(folder / "probes_mysql_nodtrace.h", "w") as header:
        script = fresh / "source" / "scripts" / "dheadgen.pl"
        subprocess.run(["perl", script, "-f", points], stdout=header, check=True)
    points.unlink()


def check_versions(fresh: Path) -> None:
    """DevError unless the source and the generated headers are of one patch release."""
    source = ".".join(
        re.findall(r"^MYSQL_VERSION_\w+=(\d+)", (fresh / "source" / "VERSION").read_text(), re.M)
    )
    header = fresh / "root" / "usr" / "include" / "mariadb" / "server" / "mysql_version.h"
    match = re.search(r'MYSQL_SERVER_VERSION\s+"(\d+\.\d+\.\d+)', header.read_text())
    if not match or match.group(1) != source:
        raise DevError(f"the source is {source}, the headers are {match and match.group(1)}")
