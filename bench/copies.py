# SPDX-License-Identifier: GPL-2.0-only
"""Copies of what was loaded, so that turns begin with the same data and later runs need no load."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Copies:
    """In `folder` a data directory for each contender, and beside it a file that says what is in
    it. The file is written last, so that half a copy is never used."""

    folder: Path

    def of(self, engine: str) -> Path:
        """Where a contender's copy is."""
        return self.folder / f"{engine}.loaded"

    def _marker(self, engine: str) -> Path:
        return self.folder / f"{engine}.loaded.json"

    def known(self, engine: str, wanted: dict) -> dict | None:
        """What keep() was told of the load; None when there is no copy, or one of other data."""
        marker = self._marker(engine)
        found = json.loads(marker.read_text()) if marker.is_file() else {}
        return found["found"] if found.get("wanted") == wanted else None

    def keep(self, contender, wanted: dict, found: dict) -> None:
        """Copies the data of a running server, which is stopped for that. `wanted` says what was
        loaded, `found` what it took."""
        self._marker(contender.engine).unlink(missing_ok=True)
        self.folder.mkdir(parents=True, exist_ok=True)
        contender.save(self.of(contender.engine))
        text = json.dumps({"wanted": wanted, "found": found})
        self._marker(contender.engine).write_text(text)

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
