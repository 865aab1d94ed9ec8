# SPDX-License-Identifier: GPL-2.0-only
"""Articles of English prose for `./dev bench full_text`: parts of manuals, books and dictionaries
that Debian packages.

Made once, when they are first asked for, not by `./dev setup`. An article is so many paragraphs of
a document, in order, that they have SHORTEST characters. No paragraph comes twice. The articles'
order is that of their digests, so any number of the first is a sample of all packages. A mirror
with newer packages gives other articles: facts() says which these are.

Below the cache: articles/articles.gz, an article a line, and articles/facts.json.
"""

import gzip
import hashlib
import json
import os
import re
import time
from collections.abc import Iterable, Iterator
from itertools import islice
from multiprocessing import Pool
from pathlib import Path
from typing import BinaryIO

from tools import paths
from tools.errors import DevError
from tools.setup import debian, prose
from tools.setup.step import lock, log_end, new_folder, say

ARTICLES = 201_000
SHORTEST = 900  # characters; the last paragraph makes it longer
PACKAGES = (
    "ada-reference-manual-2012", "anarchism", "ant-doc", "apache2-doc", "bash-doc",
    "casacore-doc", "cinder-doc", "clang-14-doc", "cmake-doc", "cppreference-doc-en-html",
    "db5.3-doc", "debian-policy", "derby-doc", "developers-reference", "dict-foldoc",
    "dict-gcide", "dict-jargon", "dict-wn", "dpdk-doc", "erlang-doc", "ffmpeg-doc", "fortunes",
    "fp-docs-3.2.2", "gap-doc", "ghc-doc", "ghostscript-doc", "git-doc", "glance-doc",
    "gnome-devel-docs", "gnome-user-docs", "installation-guide-amd64", "ironic-doc", "kea-doc",
    "lava-server-doc", "lazarus-doc-2.2", "libboost1.81-doc", "libglib2.0-doc", "libgtk-3-doc",
    "libgtk-4-doc", "libreoffice-help-en-us", "libstdc++-12-doc", "libsvn-doc",
    "lilypond-doc-html", "linux-doc-6.1", "llvm-14-doc", "manila-doc", "maxima-doc",
    "neutron-doc", "nodejs-doc", "nova-doc", "octave-doc", "openafs-doc", "openjdk-17-doc",
    "perl-doc", "postgresql-doc-15", "python-django-doc", "python-pandas-doc", "python-scipy-doc",
    "python-sqlalchemy-doc", "python-sympy-doc", "python3.11-doc", "qtbase5-doc-html",
    "qtdeclarative5-doc-html", "racket-doc", "renpy-doc", "rust-doc", "scala-doc", "sqlite3-doc",
    "swift-doc", "twisted-doc", "uima-doc", "wx3.2-doc",
)  # fmt: skip
BATCH = 8  # packages that are fetched at once
LOG = "articles"


def home() -> Path:
    return paths.cache() / "articles"


def recipe() -> str:
    """Changes with all that decides which articles are made of the packages."""
    parts = (ARTICLES, SHORTEST, PACKAGES, prose.VERSION)
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def install() -> dict[str, str]:
    """Makes the articles unless they are there; facts() of them. DevError when the mirror is out
    of reach, has not all the packages, or they do not give enough text."""
    with lock(LOG):
        if facts().get("recipe") != recipe():
            make()
    return {name: text for name, text in facts().items() if name != "recipe"}


def facts() -> dict[str, str]:
    """What they were made of, for a report; empty without articles."""
    file = home() / "facts.json"
    return json.loads(file.read_text()) if file.is_file() else {}


def read(number: int) -> list[str]:
    """The first so many, after install(). DevError when there are fewer."""
    with gzip.open(home() / "articles.gz", "rt") as file:
        found = [line.rstrip("\n") for line in islice(file, number)]
    if len(found) < number:
        raise DevError(f"{number:,} articles were asked for; there are {len(found):,}")
    return found


def make() -> None:
    say(f"making articles of {len(PACKAGES)} packages of documentation, once; some 20 minutes")
    apt = debian.PrivateApt()
    apt.update()
    check_there(apt)
    with new_folder(home()) as fresh:
        packages = fetch(apt, fresh / "packages")
        with (fresh / "texts").open("w+b") as texts:
            places = spool(cut(progress(packages)), texts)
            made = write(texts, places, fresh / "articles.gz")
        (fresh / "texts").unlink()
        (fresh / "packages").rmdir()
        versions = " ".join(debian.version_of(file) for file in packages)
        known = {**made, "packages": versions, "recipe": recipe()}
        (fresh / "facts.json").write_text(json.dumps(known, indent=1))
    say(f"articles are there: {made['text']}")


def check_there(apt: debian.PrivateApt) -> None:
    known = re.findall(r"^Package: (\S+)$", apt.output("show", *PACKAGES), re.M)
    if missing := sorted(set(PACKAGES) - set(known)):
        raise DevError(
            f"missing: {' '.join(missing)}; the mirror has no such packages\n"
            "  If this Debian no longer has them, replace them in PACKAGES of "
            "tools/setup/articles.py by others with much English text"
        )


def fetch(apt: debian.PrivateApt, folder: Path) -> list[Path]:
    """The packages' files in the order of PACKAGES."""
    folder.mkdir()
    for first in range(0, len(PACKAGES), BATCH):
        say(f"articles: fetching, {first} of {len(PACKAGES)} packages")
        wanted = PACKAGES[first : first + BATCH]
        if not apt.get("download", *wanted, folder=folder, log=LOG):
            raise DevError(
                f"missing: packages of articles\n{log_end(LOG)}\n"
                "  Look whether the mirror is in reach and the disk has room, then try again"
            )
    found = {file.name.partition("_")[0]: file for file in folder.glob("*.deb")}
    return [found[name] for name in PACKAGES]


def progress(packages: list[Path]) -> Iterator[list[str]]:
    """All documents, package after package; each package is removed when it has been read."""
    shown = time.monotonic()
    with Pool(len(os.sched_getaffinity(0))) as pool:
        for number, found in enumerate(pool.imap(documents, packages), 1):
            yield from found
            packages[number - 1].unlink()
            if time.monotonic() - shown > 10:
                shown = time.monotonic()
                say(f"articles: reading, {number} of {len(packages)} packages")


def documents(package: Path) -> list[list[str]]:
    return list(prose.documents(package))


def cut(found: Iterable[list[str]]) -> Iterator[str]:
    """Articles of documents. A document with less than an article gives it to the next."""
    seen: set[bytes] = set()
    parts: list[str] = []
    for document in found:
        for paragraph in document:
            digest = short_digest(paragraph)
            if digest in seen:
                continue
            seen.add(digest)
            parts.append(paragraph)
            if sum(map(len, parts)) >= SHORTEST:
                yield " ".join(parts)
                parts = []


def short_digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=12).digest()


def spool(articles: Iterable[str], texts: BinaryIO) -> list[tuple[bytes, int, int]]:
    """Writes the articles, which memory need not hold; (digest, place, bytes) of each."""
    places = []
    for text in articles:
        content = text.encode()
        places.append((short_digest(text), texts.tell(), len(content)))
        texts.write(content)
    return places


def write(texts: BinaryIO, places: list[tuple[bytes, int, int]], file: Path) -> dict[str, str]:
    """The first ARTICLES by their digests; what is to be said of them."""
    if len(places) < ARTICLES:
        raise DevError(
            f"the packages give {len(places):,} articles, and {ARTICLES:,} are wanted\n"
            "  Add packages with much English text to PACKAGES of tools/setup/articles.py"
        )
    chosen = sorted(places)[:ARTICLES]
    total, digest = 0, hashlib.sha256()
    with gzip.open(file, "wb", compresslevel=6) as out:
        for _, place, length in chosen:
            texts.seek(place)
            line = texts.read(length) + b"\n"
            out.write(line)
            digest.update(line)
            total += length
    return {
        "text": f"{len(chosen):,} articles of {total / 1e6:,.0f} MB",
        "sha256": digest.hexdigest(),
    }
