# SPDX-License-Identifier: GPL-2.0-only
"""The server's source, of which a build needs the private headers: no Debian package has them.

It is a folder or a tarball: Debian's source package unpacked, what BASALT_MARIADB_SOURCE names, or
an archive of headers. Such an archive is kept in the cache for each version that was set up, so
that the same version needs no source package again. It has the form of a source tarball, with the
headers only and those that are generated from the source.
"""

import contextlib
import io
import lzma
import os
import re
import shutil
import subprocess
import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from tools import paths
from tools.errors import DevError

VARIABLE = "BASALT_MARIADB_SOURCE"
TOP = ("sql", "include", "wsrep-lib")
HEADERS = (".h", ".hh", ".hpp", ".inl", ".ic")
# the program and the list from which the server's build makes PROBES; an archive has PROBES itself
GENERATOR = "scripts/dheadgen.pl"
POINTS = "include/probes_mysql.d.base"
PROBES = "generated/probes_mysql_nodtrace.h"
# without these it is no whole source
NEEDED = ("sql/handler.h", "include/mysql/plugin.h", "wsrep-lib/include", "wsrep-lib/wsrep-API/v26")
DAMAGE = (tarfile.TarError, lzma.LZMAError, zlib.error, EOFError, OSError)


def given() -> Path | None:
    """What BASALT_MARIADB_SOURCE names, None when it is not set. DevError when it is not there."""
    text = os.environ.get(VARIABLE, "")
    if not text:
        return None
    path = Path(text).expanduser().absolute()
    if not path.exists():
        raise DevError(f"{VARIABLE}={text}: no such file or folder")
    return path


def identity(source: Path) -> str:
    """Tells a source from another one and from its own later state."""
    found = (source / "VERSION") if source.is_dir() else source
    if not found.exists():
        raise DevError(f"{source}: no source of MariaDB, it holds no file VERSION")
    state = found.stat()
    return f"{source} {state.st_size} {state.st_mtime_ns}\n"


def release(source: Path) -> str:
    """The source's release, such as 10.11.18. DevError when it is no source of MariaDB."""
    for name, content in files(source):
        if name == "VERSION":
            return release_in(content.decode(errors="replace"), source)
    raise DevError(f"{source}: no source of MariaDB, it holds no file VERSION")


def release_in(text: str, source: Path) -> str:
    """The release that a file VERSION tells."""
    numbers = re.findall(r"^MYSQL_VERSION_(?:MAJOR|MINOR|PATCH)=(\d+)\s*$", text, re.M)
    if len(numbers) != 3:
        raise DevError(f"{source}: its file VERSION does not tell a release of MariaDB")
    return ".".join(numbers)


def files(source: Path) -> Iterator[tuple[str, bytes]]:
    """(name, content) of each file that is wanted, by its name below the source's top folder."""
    if source.is_dir():
        yield from files_of_folder(source)
        return
    try:
        yield from files_of_tarball(source)
    except DAMAGE as error:
        reason = str(error).partition(":")[0]
        raise DevError(
            f"{source}: no tarball that can be read (tar, with gzip, bzip2 or xz), or a damaged "
            f"one: {reason}"
        ) from error


def files_of_folder(folder: Path) -> Iterator[tuple[str, bytes]]:
    singles = [folder / name for name in ("VERSION", GENERATOR, PROBES)]
    for path in [*singles, *(p for top in TOP for p in sorted((folder / top).rglob("*")))]:
        name = path.relative_to(folder).as_posix()
        if wanted(name) and path.is_file():
            yield name, path.read_bytes()


def files_of_tarball(tarball: Path) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(tarball) as archive:
        for member in archive:
            name = inner_name(member.name)
            if wanted(name) and member.isfile():
                yield name, archive.extractfile(member).read()


def inner_name(name: str) -> str:
    """A member's name without the one folder that tarballs have at their top."""
    parts = [part for part in PurePosixPath(name).parts if part != "."]
    inside = parts[0] in (*TOP, "VERSION", "scripts", "generated") if parts else False
    return "/".join(parts if inside else parts[1:])


def wanted(name: str) -> bool:
    if name in ("VERSION", GENERATOR, POINTS, PROBES):
        return True
    path = PurePosixPath(name)
    if ".." in path.parts:
        return False
    return name.startswith(tuple(f"{top}/" for top in TOP)) and path.suffix in HEADERS


def copy(source: Path, home: Path) -> None:
    """Fills source/ and generated/ of a version's folder. DevError when something is lacking."""
    for name, content in files(source):
        target = home / name if name == PROBES else home / "source" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    lacking = [name for name in NEEDED if not (home / "source" / name).exists()]
    if lacking:
        hint = "; a clone needs its submodules" if "wsrep-lib/include" in lacking else ""
        raise DevError(f"{source}: no whole source of MariaDB, it lacks {', '.join(lacking)}{hint}")
    if not (home / PROBES).is_file():
        generate_probes(source, home)


def generate_probes(source: Path, home: Path) -> None:
    """probes_mysql_nodtrace.h, which the server's build makes from a list of trace points."""
    script = home / "source" / GENERATOR
    if not script.is_file() or not (home / "source" / POINTS).is_file():
        raise DevError(f"{source}: no whole source of MariaDB, it lacks {GENERATOR} or {POINTS}")
    header = home / PROBES
    header.parent.mkdir()
    points = header.parent / "probes_mysql.d"
    shutil.copy2(home / "source" / POINTS, points)
    with open(header, "w") as output:
        subprocess.run(["perl", script, "-f", points], stdout=output, check=True)
    points.unlink()


def kept(version: str) -> Path:
    """Where the headers of a Debian version are kept, whether they are there or not."""
    return paths.cache() / "headers" / f"mariadb-{version}-headers.tar.xz"


def kept_versions() -> set[str]:
    found = (paths.cache() / "headers").glob("mariadb-*-headers.tar.xz")
    return {path.name.removeprefix("mariadb-").removesuffix("-headers.tar.xz") for path in found}


def keep(home: Path) -> None:
    """Keeps the headers of a version's folder unless that was done; `home` is named after it."""
    archive = kept(home.name)
    if archive.is_file():
        return
    archive.parent.mkdir(parents=True, exist_ok=True)
    fresh = archive.with_name(f".new-{archive.name}")
    with contextlib.ExitStack() as stack:
        stack.callback(fresh.unlink, missing_ok=True)
        write_archive(home, fresh)
        fresh.rename(archive)


def write_archive(home: Path, archive: Path) -> None:
    """The same headers give the same bytes, whenever and by whomever it is written."""
    contents = {n: c for n, c in files(home / "source") if n not in (GENERATOR, POINTS)}
    contents[PROBES] = (home / PROBES).read_bytes()
    top = f"mariadb-{release_in(contents['VERSION'].decode(), home)}-headers"
    with tarfile.open(archive, "w:xz", format=tarfile.USTAR_FORMAT, preset=6) as output:
        for name in sorted(contents):
            member = tarfile.TarInfo(f"{top}/{name}")
            member.size, member.mode = len(contents[name]), 0o644
            output.addfile(member, io.BytesIO(contents[name]))
