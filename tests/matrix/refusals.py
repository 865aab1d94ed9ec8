# SPDX-License-Identifier: GPL-2.0-only
"""What ROCKSDB refuses on purpose although InnoDB takes it. Anything else that fails is a bug.

The list must be short, and each entry must still be true: a cell that is listed and works fails.
"""

from collections.abc import Callable
from dataclasses import dataclass

from tests.matrix.roles import Role
from tests.matrix.types import ColumnType


@dataclass(frozen=True)
class Refusal:
    reason: str
    error: int
    applies: Callable[[ColumnType, Role], bool]


REFUSALS: tuple[Refusal, ...] = ()


def expected(kind: ColumnType, role: Role) -> Refusal | None:
    return next((r for r in REFUSALS if r.applies(kind, role)), None)
