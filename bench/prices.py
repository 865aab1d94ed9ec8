# SPDX-License-Identifier: GPL-2.0-only
"""What a volume of a cloud costs in a month, from prices.json.

There, `gigabyte` is dollars for each gigabyte. `steps` are [operations a second, dollars for each
up to there and above the step before]; a volume has no more than the last step says.
"""

import json
from dataclasses import dataclass
from pathlib import Path

from bench.limits import BYTES_AN_OPERATION
from bench.process_usage import Usage
from tools.errors import DevError

FILE = Path(__file__).resolve().parent / "prices.json"


@dataclass(frozen=True)
class Volume:
    name: str
    gigabyte: float
    steps: tuple[tuple[int, float], ...]

    def dollars(self, size: int, operations: float) -> float | None:
        """A month, with `size` bytes and so many operations a second; None when no volume has
        them."""
        total, below = self.gigabyte * size / 1e9, 0
        for most, price in self.steps:
            total += max(0.0, min(operations, most) - below) * price
            below = most
        return total if operations <= below else None


def volumes(file: Path = FILE) -> list[Volume]:
    """The price list. DevError for a file that is none."""
    try:
        found = json.loads(file.read_text())["volumes"]
        return [
            Volume(
                one["name"], one["gigabyte"], tuple((most, price) for most, price in one["steps"])
            )
            for one in found
        ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DevError(f"{file} is no price list ({error!r}); see bench/prices.json") from error


def operations(used: Usage) -> float:
    """As volumes count them: one that is larger than 16 KB is several."""
    amount = used.device_read_bytes + used.device_written_bytes
    return max(used.operations, amount / BYTES_AN_OPERATION)
