# SPDX-License-Identifier: GPL-2.0-only
"""The tarball for servers that are not Debian's packages: the plugin out of the Debian package, its
option file and limits, the documents, checksums, and the script packaging/install.sh."""

import hashlib
import io
import re
import subprocess
import tarfile
from pathlib import Path

from tools import paths, targets
from tools.package import origin, source

CHECKSUMS = "SHA256SUMS"
# the lowest level of xz, as of the packages
LEVEL = 1
PAGES = ("README.md", "CHANGELOG.md", "SECURITY.md", "LICENSE", "docs")


def name(target: targets.Target | None = None) -> str:
    """Of the folder in it, and of the file without its suffix."""
    return f"basalt-{origin.package_version()}-linux-{(target or targets.host()).machine}"


def build(package: Path, folder: Path, target: targets.Target) -> Path:
    """Writes the tarball into `folder`, with the plugin of the Debian package; returns its path."""
    files = contents(plugin_of(package), target)
    files[CHECKSUMS] = checksums(files)
    tarball = folder / f"{name(target)}.tar.xz"
    with tarfile.open(tarball, "w:xz", preset=LEVEL, format=tarfile.GNU_FORMAT) as archive:
        for file in sorted(files):
            path = f"{name(target)}/{file}"
            archive.addfile(entry(path, files[file]), io.BytesIO(files[file]))
    return tarball


def plugin_of(package: Path) -> bytes:
    """Both forms hold one file, to which one package of debug symbols belongs."""
    tar = subprocess.run(["dpkg-deb", "--fsys-tarfile", package], capture_output=True, check=True)
    with tarfile.open(fileobj=io.BytesIO(tar.stdout)) as archive:
        return archive.extractfile("./usr/lib/mysql/plugin/ha_rocksdb.so").read()


def contents(plugin: bytes, target: targets.Target) -> dict[str, bytes]:
    """All but the checksums, by their paths in the folder."""
    files = {
        "install": (source.PACKAGING / "install.sh").read_bytes(),
        "ha_rocksdb.so": plugin,
        "copyright": (source.PACKAGING / "debian" / "copyright").read_bytes(),
        "BUILD": facts(target).encode(),
    }
    files |= {n: (source.PACKAGING / n).read_bytes() for n in source.FILES}
    for page in pages():
        files[str(page)] = (paths.ROOT / page).read_bytes()
    return files


def pages() -> list[Path]:
    """What git knows of the documents."""
    command = ["git", "-C", str(paths.ROOT), "ls-files", "-z", *PAGES]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [Path(page) for page in listed.split("\0") if page]


def facts(target: targets.Target) -> str:
    """What the script compares with the machine, as lines NAME=VALUE."""
    server = server_build()
    values = {
        "version": origin.basalt_version(),
        "server": server,
        "release": server.partition("-")[0],
        "machine": target.machine,
        "processor_flags": " ".join(target.processor_flags),
        "processors": target.processors,
    }
    return "".join(f"{key}={value}\n" for key, value in values.items())


def server_build() -> str:
    """The version of the server that the plugin was built for, as that says itself:
    '10.11.18-MariaDB-0+deb12u1'."""
    said = subprocess.run([paths.mariadbd(), "--version"], capture_output=True, text=True).stdout
    return re.search(r" Ver (\S+) ", said)[1]


def checksums(files: dict[str, bytes]) -> bytes:
    lines = (f"{hashlib.sha256(files[file]).hexdigest()}  {file}\n" for file in sorted(files))
    return "".join(lines).encode()


def entry(path: str, content: bytes) -> tarfile.TarInfo:
    """Root's, with the time that all files of a package carry."""
    found = tarfile.TarInfo(path)
    found.size = len(content)
    found.mtime = origin.source_date()
    found.mode = 0o755 if path.endswith("/install") else 0o644
    found.uname = found.gname = "root"
    return found
