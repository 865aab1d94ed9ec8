# SPDX-License-Identifier: GPL-2.0-only
"""The profile of RocksDB's hot files: how often each branch was taken in a training run, as gcc
writes it (.gcda). The repository keeps one, so an ordinary set-up compiles each file once and
trains nothing. It fits one compiler, one RocksDB and one set of flags; its key names them. What it
does not fit is trained by the set-up itself, which keeps the result in the cache.

The same files give the same archive, so the library has the same bytes on every machine.
"""

import hashlib
import io
import subprocess
import tarfile
from pathlib import Path

from tools import paths

FOLDER = Path(__file__).parent / "rocksdb_training"
WORKLOAD = FOLDER / "workload.cc"
HOT_SOURCES = FOLDER / "hot_sources.txt"
SPLIT = FOLDER / "split.cmake"
KEPT, KEPT_KEY = FOLDER / "profile.tar.xz", FOLDER / "profile.txt"
# where CMake puts the hot objects, and gcc their counts, below the build folder
OBJECTS = Path("CMakeFiles") / "rocksdb_hot.dir" / "hot"


def key(rocksdb: str, flags: list[str]) -> str:
    """All that counts are bound to, in lines. `rocksdb`: its version and checksum."""
    files = [hashlib.sha256(f.read_bytes()).hexdigest() for f in (HOT_SOURCES, SPLIT, WORKLOAD)]
    digest = hashlib.sha256("\n".join([*flags, *files]).encode()).hexdigest()
    return f"compiler: {compiler()}\nRocksDB: {rocksdb}\nflags, sources and workload: {digest}\n"


def compiler() -> str:
    """The compiler's whole version and its machine, '' when there is none yet."""
    words = []
    for question in ("-dumpfullversion", "-dumpmachine"):
        try:
            done = subprocess.run(["g++", question], capture_output=True, text=True)
        except FileNotFoundError:
            return ""
        words.append(done.stdout.strip())
    return f"g++ {' '.join(words)}"


def find(wanted: str) -> Path | None:
    """The archive that fits the key: the repository's, else the cache's, else None."""
    if fits(wanted):
        return KEPT
    trained = of_this_machine(wanted)
    return trained if trained.is_file() else None


def fits(wanted: str) -> bool:
    """Whether the repository's profile has this key."""
    return KEPT.is_file() and KEPT_KEY.is_file() and KEPT_KEY.read_text() == wanted


def misfit(wanted: str) -> str:
    """What the repository's profile was made for, and what is wanted instead; in words."""
    if not (KEPT.is_file() and KEPT_KEY.is_file()):
        return "the repository keeps no profile"
    pairs = zip(KEPT_KEY.read_text().splitlines(), wanted.splitlines(), strict=False)
    [(made_for, here), *_] = [pair for pair in pairs if pair[0] != pair[1]] or [("?", "?")]
    return f"the kept profile was made for {made_for}; here is {here.partition(': ')[2]}"


def of_this_machine(wanted: str) -> Path:
    """Where the result of a training run by the set-up is kept, whether it is there or not."""
    return paths.cache() / "rocksdb" / f"profile-{short(wanted)}.tar.xz"


def short(wanted: str) -> str:
    """A key in twelve characters, for names of files."""
    return hashlib.sha256(wanted.encode()).hexdigest()[:12]


def pack(build_dir: Path, archive: Path) -> None:
    """Writes the counts that a training run has left in the build folder."""
    archive.parent.mkdir(parents=True, exist_ok=True)
    fresh = archive.with_name(f".new-{archive.name}")
    with tarfile.open(fresh, "w:xz", format=tarfile.USTAR_FORMAT, preset=9) as output:
        for counts in sorted((build_dir / OBJECTS).glob("*.gcda")):
            member = tarfile.TarInfo(counts.name)
            member.size, member.mode = counts.stat().st_size, 0o644
            output.addfile(member, io.BytesIO(counts.read_bytes()))
    fresh.rename(archive)


def unpack(archive: Path, build_dir: Path) -> None:
    """Puts the counts where gcc looks for them: beside the objects."""
    remove_counts(build_dir)
    (build_dir / OBJECTS).mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive) as packed:
        for member in packed:
            counts = build_dir / OBJECTS / Path(member.name).name
            counts.write_bytes(packed.extractfile(member).read())


def remove_counts(build_dir: Path) -> None:
    for old in build_dir.rglob("*.gcda"):
        old.unlink()


def digest(archive: Path) -> str:
    return hashlib.sha256(archive.read_bytes()).hexdigest()[:12]
