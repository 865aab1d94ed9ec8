# SPDX-License-Identifier: GPL-2.0-only
"""Debian packages: what a build needs is installed by apt, only if missing and only as root.

The server's packages are fetched with a private set of package lists (PrivateApt), so that the
system's sources and lists stay as they are.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

from tools import paths, targets
from tools.errors import DevError
from tools.setup.step import lock, log_end, quiet, say

BUILD_PACKAGES = [
    # compiler and build tools
    "g++", "cmake", "ninja-build", "ccache", "lld", "binutils", "make", "perl", "dpkg-dev",
    "ca-certificates",
    # libraries with their headers; libssl-dev and zlib1g-dev are included by server headers
    "libgtest-dev", "libgmock-dev", "liblz4-dev", "libzstd-dev", "libsnappy-dev", "zlib1g-dev",
    "libssl-dev", "libxxhash-dev",
    # rules and benchmarks; the browser checks that reports show their plots
    "clang-format", "sysbench", "chromium-headless-shell",
]  # fmt: skip

# What `./dev lint` reads the sources with. Not Debian's default, 14: that has fewer checks.
TIDY_PACKAGE = "clang-tidy-19"
# What `./dev test fuzz` compiles its targets with; clang-format has brought most of it already.
FUZZ_PACKAGES = ["clang-14", "libclang-rt-14-dev"]

# What programs/ import, in the versions that their users have.
PROGRAM_PACKAGES = ["python3-click", "python3-pymysql", "python3-rich", "python3-xxhash"]

# rustc-web/cargo-web is the recent Cargo of Debian 12; its plain `cargo` is too old for the
# manifests of today's packages.
CARGO_PACKAGE = "cargo-web"
OLDEST_CARGO = (1, 88)


def installed(packages: list[str]) -> set[str]:
    """Those of the packages (or packages providing them) that are installed."""
    done = subprocess.run(
        ["dpkg-query", "-W", "-f", "${db:Status-Abbrev}\t${Package}\t${Provides}\n"],
        capture_output=True,
        text=True,
    )
    names: set[str] = set()
    for line in done.stdout.splitlines():
        status, package, provides = line.split("\t")
        if status.startswith("ii"):
            names.add(package)
            names.update(re.sub(r"\(.*?\)", "", provides).replace(",", " ").split())
    return {p for p in packages if p in names}


def missing(packages: list[str]) -> list[str]:
    there = installed(packages)
    return [p for p in packages if p not in there]


def install(packages: list[str], why: str) -> None:
    """Installs what is missing with apt. Without root: DevError that names it."""
    needed = missing(packages)
    if not needed:
        return
    names = " ".join(needed)
    if shutil.which("apt-get") is None:
        raise DevError(f"missing ({why}): {names}; this is not a Debian system")
    if os.geteuid() != 0:
        raise DevError(f"missing ({why}): {names}\n  Install them as root: apt-get install {names}")
    say(f"installing ({why}): {names}")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    with lock("apt"):
        command = [
            "apt-get",
            "-q",
            "-y",
            "-o",
            "DPkg::Lock::Timeout=300",
            "-o",
            "Acquire::Retries=2",
        ]
        install_command = [*command, "--no-install-recommends", "install", *needed]
        mend_interrupted_install(environment)
        updated = quiet([*command, "update"], "apt-update", env=environment)
        if not quiet(install_command, "apt-install", env=environment):
            hint = (
                "" if updated else "\n  apt-get update failed too: is the Debian mirror in reach?"
            )
            raise DevError(f"missing ({why}): {names}{hint}\n{log_end('apt-install')}")


def mend_interrupted_install(environment: dict[str, str]) -> None:
    """Finishes what an earlier apt left half configured when it was killed; else apt refuses."""
    audit = subprocess.run(["dpkg", "--audit"], capture_output=True, text=True)
    if audit.stdout.strip():
        quiet(["dpkg", "--configure", "-a"], "dpkg-configure", env=environment)


def install_build_packages() -> None:
    """Everything to compile, test and benchmark with."""
    architecture = subprocess.run(
        ["dpkg", "--print-architecture"], capture_output=True, text=True
    ).stdout.strip()
    if architecture not in targets.TARGETS:
        known = " and ".join(targets.TARGETS)
        raise DevError(
            f"only Debian on {known} is supported, this is '{architecture or 'no Debian'}'"
        )
    install([*BUILD_PACKAGES, TIDY_PACKAGE, *FUZZ_PACKAGES], "to build")
    if not good_cargo():
        install([CARGO_PACKAGE], "to fetch RocksDB's source")
        if not good_cargo():
            raise DevError(f"missing: Cargo {'.'.join(map(str, OLDEST_CARGO))} or newer")
    say("build tools are there")


def good_cargo() -> str | None:
    """A Cargo new enough, or None."""
    for name in ("cargo", "/usr/bin/cargo"):
        program = shutil.which(name)
        if program is None:
            continue
        done = subprocess.run([program, "--version"], capture_output=True, text=True)
        version = re.search(r"(\d+)\.(\d+)", done.stdout)
        if version and tuple(map(int, version.groups())) >= OLDEST_CARGO:
            return program
    return None


def cargo() -> str:
    program = good_cargo()
    if program is None:
        raise DevError("missing: Cargo; run ./dev setup")
    return program


class PrivateApt:
    """apt with lists, cache and sources of its own below the project's cache: binary and source
    packages of this Debian's own repositories, no third party's. Needs no root. For another target
    than this machine it knows that architecture only, and of no package that is installed."""

    def __init__(self, target: targets.Target | None = None):
        self.target = None if target is None or targets.is_host(target) else target
        self.folder = paths.cache() / ("apt-" + self.target.name if self.target else "apt")
        self.sources = self.folder / "basalt.sources"

    def options(self) -> list[str]:
        status = self.folder / "status" if self.target else "/var/lib/dpkg/status"
        settings = {
            "Dir::State": self.folder / "state",
            "Dir::State::status": status,
            "Dir::Cache": self.folder / "cache",
            "Dir::Etc::sourcelist": self.sources,
            "Dir::Etc::sourceparts": "-",
            "Acquire::Languages": "none",
            "Acquire::Retries": "2",
            # root's downloads would be made by the user _apt, who may not enter the cache
            "APT::Sandbox::User": "root",
        }
        if self.target:
            settings |= {"APT::Architecture": self.target.name}
            settings |= {"APT::Architectures": self.target.name}
        return [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]

    def update(self) -> None:
        """Reads the package lists. DevError when the mirror is out of reach."""
        (self.folder / "state" / "lists" / "partial").mkdir(parents=True, exist_ok=True)
        (self.folder / "cache" / "archives" / "partial").mkdir(parents=True, exist_ok=True)
        self.sources.write_text(debian_sources())
        if self.target:
            (self.folder / "status").touch()
        if not quiet(
            ["apt-get", *self.options(), "update", "--error-on=any"], "private-apt-update"
        ):
            raise DevError(
                "missing: Debian's package lists (is the mirror in reach?)\n"
                + log_end("private-apt-update")
            )

    def output(self, *command: str) -> str:
        """The output of apt-cache."""
        return subprocess.run(
            ["apt-cache", *self.options(), *command], capture_output=True, text=True
        ).stdout

    def get(self, *arguments: str, folder: Path, log: str) -> bool:
        """apt-get in a folder; True when it succeeded."""
        return quiet(["apt-get", *self.options(), *arguments], log, cwd=folder)


def version_of(file: Path) -> str:
    """NAME=VERSION, of a name like name_1%3a2.3_all.deb."""
    name, version, _ = file.name.split("_", 2)
    return f"{name}={version.replace('%3a', ':')}"


def codename() -> str:
    for line in Path("/etc/os-release").read_text().splitlines():
        if line.startswith("VERSION_CODENAME="):
            return line.partition("=")[2].strip('"')
    raise DevError("this Debian has no code name in /etc/os-release")


def debian_sources(folder: Path = Path("/etc/apt")) -> str:
    """The system's entries for Debian itself, each for binaries and sources."""
    suites = {codename() + end for end in ("", "-updates", "-security")} | {f"{codename()}/updates"}
    entries = []
    files = [folder / "sources.list", *sorted((folder / "sources.list.d").glob("*"))]
    for file in (f for f in files if f.is_file()):
        text = file.read_text(errors="replace")
        if file.suffix == ".sources":
            entries += parse_deb822(text)
        elif file.suffix == ".list":
            entries += parse_one_line(text)
    chosen = []
    for entry in entries:
        entry["Suites"] = " ".join(s for s in entry["Suites"].split() if s in suites)
        entry["Components"] = "main"
        stanza = "Types: deb deb-src\n" + "".join(f"{k}: {v}\n" for k, v in entry.items())
        if entry["Suites"] and stanza not in chosen:
            chosen.append(stanza)
    if not chosen:
        raise DevError(f"missing: apt sources for Debian '{codename()}' below {folder}")
    return "\n".join(chosen)


def parse_deb822(text: str) -> list[dict[str, str]]:
    """Entries of a .sources file that are switched on and have the component main."""
    entries = []
    for stanza in re.split(r"\n\s*\n", text):
        lines = [line for line in stanza.splitlines() if line and not line.startswith("#")]
        fields = re.findall(r"^(\S+):[ \t]*((?:.*)(?:\n[ \t]+.*)*)", "\n".join(lines), re.M)
        entry = {name.title(): value for name, value in fields}
        if (
            entry.get("Enabled", "yes").lower() == "no"
            or "main" not in entry.get("Components", "").split()
        ):
            continue
        keep = ("Uris", "Suites", "Components", "Signed-By")
        entries.append({"URIs" if k == "Uris" else k: entry[k] for k in keep if k in entry})
    return entries


def parse_one_line(text: str) -> list[dict[str, str]]:
    """Entries `deb [options] URI SUITE COMPONENTS` of a .list file with the component main."""
    entries = []
    for line in text.splitlines():
        match = re.match(r"^deb(?:-src)?\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+(\S+)\s+(.*)$", line)
        if not match or "main" not in match.group(4).split():
            continue
        entry = {"URIs": match.group(2), "Suites": match.group(3), "Components": "main"}
        key = re.search(r"signed-by=(\S+)", match.group(1) or "")
        if key:
            entry["Signed-By"] = key.group(1)
        entries.append(entry)
    return entries
