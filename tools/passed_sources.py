# SPDX-License-Identifier: GPL-2.0-only
"""What clang-tidy has passed, in the cache that all clones share: a second clone, such as the clean
one of CI, reads only sources that are not the same.

One file a source and command, its name a hash of these two and of who judged. It holds the last
few sets of files that the source was passed with: paths from the root of the clone, and hashes of
their bytes. So it does not matter which clone they stood in. Who reads it believes what is written
there and nothing else: a missing or damaged file only means that the source is read again.
"""

import hashlib
import json
import os
from pathlib import Path

from tools import paths

SETS_KEPT = 4  # by the clones and branches that one works in at a time
Files = dict[str, str]  # hashes by paths from the root


class FileHashes:
    """Hashes of files, each read once a run."""

    def __init__(self):
        self._known: dict[str, str] = {}

    def of(self, path: str) -> str:
        """'' when there is no such file. `path` is one from the root, or a whole one."""
        if path not in self._known:
            file = paths.ROOT / path
            content = file.read_bytes() if file.is_file() else None
            self._known[path] = "" if content is None else hashlib.sha256(content).hexdigest()
        return self._known[path]


class PassedSources:
    """`judge`: all that decides whether a source passes, beside it, its headers and its command."""

    def __init__(self, judge: list[str]):
        self._folder = paths.cache() / "clang-tidy"
        self._judge = judge

    def has(self, entry: dict, hashes: FileHashes) -> bool:
        """Whether the source of this entry of compile_commands.json passed as it is now."""
        return any(
            all(hashes.of(path) == value for path, value in files.items())
            for files in self._sets(self._file(entry))
        )

    def add(self, entry: dict, files: Files) -> None:
        file = self._file(entry)
        kept = [files, *(known for known in self._sets(file) if known != files)][:SETS_KEPT]
        file.parent.mkdir(parents=True, exist_ok=True)
        fresh = file.with_suffix(f".{os.getpid()}")
        fresh.write_text(json.dumps(kept))
        fresh.replace(file)

    def _file(self, entry: dict) -> Path:
        words = [relative(word) for word in (entry["file"], *entry["command"])]
        name = hashlib.sha256(json.dumps([self._judge, words]).encode()).hexdigest()
        return self._folder / f"{name}.json"

    @staticmethod
    def _sets(file: Path) -> list[Files]:
        try:
            return json.loads(file.read_text())
        except (OSError, ValueError):
            return []


def relative(text: str) -> str:
    """The paths in a text as they are in each clone."""
    return text.replace(f"{paths.ROOT}/", "")
